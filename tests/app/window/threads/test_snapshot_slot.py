"""Parts of a snapshot that take long are asked for one at a time."""

from __future__ import annotations

import pytest

from app.window.threads import snapshot_slot
from app.window.threads.snapshot_slot import CostlyParts
from gpu.core.snapshot import Wanted
from tests.views.scenes import snapshot, uniform


def test_costly_parts_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot_slot, "EVERY", 0.0)
    parts, instance = CostlyParts(), uniform(20)
    seen = []
    for iteration in range(1, 3 * len(snapshot_slot.COSTLY) + 1):
        asked = parts.next(Wanted.EVERYTHING)
        assert Wanted.SOLUTION | Wanted.ITERATION_SOLUTION in asked
        costly = [part for part in snapshot_slot.COSTLY if part in asked]
        assert len(costly) == 1
        seen += costly
        parts.take_in(snapshot(instance, iteration, wanted=asked))
    assert {seen.count(part) for part in snapshot_slot.COSTLY} == {3}


def test_a_costly_part_is_asked_for_until_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    parts, instance = CostlyParts(), uniform(20)
    first = parts.next(Wanted.TRAILS)
    assert first == Wanted.TRAILS
    parts.take_in(snapshot(instance, 1, wanted=Wanted.NUMBERS))
    assert parts.next(Wanted.TRAILS) == Wanted.TRAILS
    parts.take_in(snapshot(instance, 2, wanted=Wanted.TRAILS))
    assert parts.next(Wanted.TRAILS) == Wanted.NUMBERS  # it is not due yet
    assert parts.next(Wanted.SOLUTION) == Wanted.SOLUTION
