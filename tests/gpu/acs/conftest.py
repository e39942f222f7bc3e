from __future__ import annotations

from typing import Any

import pytest

import gpu.acs.cpu.colony


@pytest.fixture
def threads_even_for_few_ants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu.acs.cpu.colony, "ANTS_PER_THREAD", 1)


Way = dict[str, Any]
"""Threads, and whether ants step together."""

SEQUENTIAL: Way = {"threads": 1, "stepwise": False}
STEPWISE: Way = {"threads": 1, "stepwise": True}
SHARED: Way = {"threads": 3, "stepwise": True}


@pytest.fixture(params=[SEQUENTIAL, STEPWISE, SHARED], ids=["sequential", "stepwise", "shared"])
def way(request: pytest.FixtureRequest) -> Way:
    """Return each way in turn."""
    return dict(request.param)
