from __future__ import annotations

from typing import Any

import pytest

import gpu.acs.cpu.colony


@pytest.fixture
def threads_even_for_few_ants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu.acs.cpu.colony, "ANTS_PER_THREAD", 1)


@pytest.fixture(params=[(1, False), (1, True), (3, True)], ids=["sequential", "stepwise", "shared"])
def way(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Threads, and whether ants step together."""
    return {"threads": request.param[0], "stepwise": request.param[1]}
