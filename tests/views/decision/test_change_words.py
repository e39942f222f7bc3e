"""What is said of an ant that changes a tour."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gpu.core.decisions.tour_change import (
    Child,
    Children,
    DoubleBridge,
    Edges,
    Fate,
    Partner,
    Places,
    Repair,
    Step,
    TourChange,
    Verdict,
)
from tests.views.sight import in_sight
from views.decision.change_bars import ChangeBars
from views.decision.change_words import formula, sentence
from views.widgets.formats import THIN

IDS = np.arange(1, 301)
NO_EDGES = Edges(np.empty((0, 2), np.int32), np.empty(0, np.int64), np.empty(0, np.float32))
KEPT = np.array([(at, (at + 1) % 9) for at in range(9)], np.int32)


def edges(*lengths: int, trails: tuple[float, ...] = ()) -> Edges:
    cities = np.arange(2 * len(lengths), dtype=np.int32).reshape(-1, 2)
    strengths = np.array(trails or [1.0] * len(lengths), np.float32)
    return Edges(cities, np.array(lengths, np.int64), strengths)


def change(what: Step, given: Edges = NO_EDGES, made: Edges = NO_EDGES) -> TourChange:
    return TourChange(6, 3, 1, what, KEPT, given, made, np.arange(3, dtype=np.int32))


def test_places_in_words() -> None:
    def said(cities: tuple[int, ...], *trails: float, at: int = 0) -> str:
        behind = edges(*[5] * len(trails), trails=trails)
        return sentence(change(Places(np.array(cities, np.int32), behind, at)), IDS)

    assert said((3, 8), 12.5, 4.25, at=1) == (
        "Ant 7 draws two places of the tour, behind city 4 and behind city 9. It begins behind "
        "city 9, where the trail is weaker: 4.25 instead of 12.5."
    )
    assert said((3, 8), 2, 2).endswith("Both trails are 2.00, so it begins at the first one.")
    assert said((3, 3), 2, 2).endswith(
        "the same place of the tour twice, behind city 4, and begins there."
    )
    assert said((3,), 2).endswith("one place of the tour, behind city 4, and looks at no trail.")


def test_double_bridges_in_words() -> None:
    stretches = tuple(np.arange(length, dtype=np.int32) for length in (1, 2, 1))
    bridge = change(DoubleBridge(3, 3, stretches), edges(5, 5), edges(6, 2006))
    assert sentence(bridge, IDS) == (
        "Behind city 4, ant 7 makes a double bridge: stretches of 1, 2 and 1 city change places, "
        f"and the last comes first. Now the tour is 2{THIN}002 longer than before."
    )
    assert formula(bridge) == f"Δ = 2{THIN}012 taken − 10 given up = +2{THIN}002"
    early = change(DoubleBridge(4, 3, stretches), edges(5), edges(5))
    assert sentence(early, IDS).startswith("Too few cities of its cell follow city 5, so it begins")
    none = change(DoubleBridge(3, 3, ()))
    assert "leads out of its cell" in sentence(none, IDS)
    few = dataclasses.replace(none, kept=KEPT[:3])
    assert sentence(few, IDS) == "Ant 7 changes nothing: so few cities have one tour only."


def test_repairs_in_words() -> None:
    better = change(Repair(-30, back=False), edges(50), edges(10))
    assert sentence(better, IDS) == (
        "The local search exchanges 1 edge. Now the tour is 40 shorter than after the double "
        "bridge, and 10 shorter than before it."
    )
    back = change(Repair(-40, back=True), edges(50), edges(10))
    assert sentence(back, IDS).endswith("1 edge, and is back at the tour that the ant found.")
    none = change(Repair(-40, back=False))
    assert sentence(none, IDS) == "The local search finds no move that makes the tour shorter."
    assert formula(none) == "Δ = 0"


@pytest.mark.parametrize(
    ("fate", "heat", "made", "cells", "said", "numbers"),
    [
        (Fate.KEPT, 0.5, 7, 1, "3 shorter than before, so it is kept. The next ant goes", "= −3; "),
        (Fate.KEPT, 0.5, 10, 1, "as long as before, so it is kept.", "= 0;   T = 0.500 · 4.00"),
        (Fate.KEPT, 0.5, 11, 9, "It is kept all the same", "e^(−Δ/T) = 0.607;   draw 0.30"),
        (Fate.KEPT, 0.5, 7, 9, "changes of other cells stand in its way.", "= −3;"),
        (Fate.TOO_LONG, 0.5, 15, 9, "The draw is not below the", "e^(−Δ/T) = 0.082;   draw 0.30"),
        (Fate.TOO_LONG, 0.5, 60, 9, "is taken back.", "e^(−Δ/T) = 1.4·10⁻¹¹;   draw 0.300"),
        (Fate.TOO_LONG, 0.0, 15, 9, "The temperature is 0, so it is taken back.", "= +5;   T = 0"),
        (Fate.NO_ROOM, 0.5, 7, 9, "no room for more changes.", "= −3; "),
    ],
)
def test_verdicts_in_words(
    fate: Fate, heat: float, made: int, cells: int, said: str, numbers: str
) -> None:
    verdict = change(Verdict(fate, heat, 4.0, 0.3, cells), edges(10), edges(made))
    assert said in sentence(verdict, IDS)
    assert numbers in formula(verdict)


def test_partners_in_words() -> None:
    differing = change(Partner(3, 8, 32, (1000, 1020)), edges(10, 20), edges(30, 20))
    assert sentence(differing, IDS) == (
        "Ant 7 has tour 4 of 32, and crosses it with tour 9. Each of both has 2 edges that the "
        "other does not have."
    )
    assert formula(differing) == f"own length 1{THIN}000;   the other's 1{THIN}020"
    same = change(Partner(3, 8, 32, (1000, 1000)))
    assert sentence(same, IDS).endswith("with tour 9. Both are the same.")


def children(ab_cycles: int, *gains: int, at: int = -1, weighed: bool = True) -> TourChange:
    sizes, parts = np.arange(2, 2 + len(gains)), np.ones(len(gains), np.int64)
    losses = np.array([0.5 * number for number in range(len(gains))])
    worths = np.maximum(gains, 0) / np.maximum(losses, 1e-9) if weighed else np.maximum(gains, 0.0)
    what = Children(ab_cycles, sizes, parts, np.array(gains), losses, worths, weighed, at)
    return change(what)


def test_children_in_words() -> None:
    assert sentence(children(3, 5, -2, 6, at=0), IDS) == (
        "These edges make 3 AB-cycles. The ant makes a child of each, and keeps the one with the "
        "largest gain for the variety that is lost."
    )
    by_gain = children(9, 5, -2, 6, at=2, weighed=False)
    assert sentence(by_gain, IDS).endswith(
        "makes a child of 3 of them, drawn at random, and keeps the one with the largest gain."
    )
    assert formula(by_gain) == "worth = gain"
    none = sentence(children(1, -2), IDS)
    assert none.endswith(
        "make one AB-cycle. The ant makes a child of it, and none is shorter than its tour."
    )
    assert sentence(children(0), IDS).startswith("There is no AB-cycle, so the ant makes no child")


def test_children_in_the_table(qtbot: QtBot) -> None:
    bars = in_sight(qtbot, ChangeBars(), 400, 300)
    bars.show_decision(children(3, 5, -2, 6, at=0), IDS)
    rows = [(row.name, row.trail, row.heuristic, row.chance) for row in bars.rows]
    assert rows == [
        ("2 edges", "5", "0", "no loss"),
        ("4 edges", "6", "1.00", "6.00"),
        ("3 edges", "−2", "0.500", ""),
    ]
    assert [row.chosen for row in bars.rows] == [True, False, False]
    assert not bars.grab().isNull()


def test_a_child_in_words() -> None:
    whole = change(Child(9, 2, 1, -0.25), edges(10, 20), edges(5, 20))
    assert sentence(whole, IDS) == (
        "Ant 7 exchanges 2 edges of an AB-cycle. The child is 5 shorter than its tour, and takes "
        "its place."
    )
    assert formula(whole) == "Δ = 25 taken − 30 given up = −5;   entropy lost: −0.250"
    joined = change(Child(9, 2, 3, 0.0), edges(10, 20), edges(5, 20))
    assert "of an AB-cycle, which leaves 3 tours, and joins these. The child" in sentence(
        joined, IDS
    )
    none = change(Child(9, 0, 0, 0.0))
    assert sentence(none, IDS) == "Ant 7 keeps its tour as it is, as no child is shorter."
    assert formula(none) == "Δ = 0"


def test_an_ant_that_changes_nothing_in_words() -> None:
    verdict = change(Verdict(Fate.UNCHANGED, 0.5, 4.0, 0.3, 1))
    assert sentence(verdict, IDS) == "Ant 7 leaves the tour as it has found it."
    assert formula(verdict) == "Δ = 0"
