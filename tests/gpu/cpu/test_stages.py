"""What is known of an iteration while it is under way."""

from __future__ import annotations

from typing import Any

import pytest

from gpu.cpu import stages
from gpu.cpu.stages import Stage, StagedWork, each
from tests.clock import Clock

UNITS = 1_000_000
WAIT = 0.005  # seconds until the threads have begun a slice


class Work(StagedWork):
    """A microsecond a unit, and a wait for each slice."""

    @staticmethod
    def _run(state: Any, workspace: Any, barrier: Any, task: Any, /) -> None:
        state.work(WAIT + 1e-6 * (task.end - task.begin))


class SlowAtFirst(Work):
    """Its first unit waits for its memory."""

    @staticmethod
    def _run(state: Any, workspace: Any, barrier: Any, task: Any, /) -> None:
        state.work(0.25 if task.begin == 0 and task.end == 1 else 0.0)
        Work._run(state, workspace, barrier, task)


@pytest.mark.parametrize("kind", [Work, SlowAtFirst])
def test_an_iteration_is_not_foreseen_from_waits(
    monkeypatch: pytest.MonkeyPatch, kind: type[Work]
) -> None:
    clock = Clock(monkeypatch, stages)
    work = kind([Stage(0, "construction", each(UNITS))], clock, [None])
    expected = []
    while not work._advance():
        expected.append(work.expected_seconds())
    work.close()
    took = work._duration
    assert took > 1e-6 * UNITS
    assert max(expected) < 1.3 * took  # not the first slice's wait for each of its units
    assert any(one > 0.9 * took for one in expected[: len(expected) // 2])
