"""What is said of an ant that changes a tour, and its table."""

from __future__ import annotations

import dataclasses

import numpy as np

from gpu.crossing.replay import Child, Children, Partner
from gpu.focused.replay import DoubleBridge, Fate, PlaceChoice, Repair, Verdict
from gpu.problems.tsp.instance import CityWords
from gpu.tour_changes.replay import ChangeKind, TourChange, TourEdges
from tests.golden import Golden

WORDS = CityWords(300)
NO_EDGES = TourEdges(np.empty((0, 2), np.int32), np.empty(0, np.int64), np.empty(0, np.float32))
KEPT = np.array([(at, (at + 1) % 9) for at in range(9)], np.int32)


def edges(*lengths: int, trails: tuple[float, ...] = ()) -> TourEdges:
    cities = np.arange(2 * len(lengths), dtype=np.int32).reshape(-1, 2)
    strengths = np.array(trails or [1.0] * len(lengths), np.float32)
    return TourEdges(cities, np.array(lengths, np.int64), strengths)


def change(what: ChangeKind, given: TourEdges = NO_EDGES, made: TourEdges = NO_EDGES) -> TourChange:
    return TourChange(6, 1, what, KEPT, given, made, np.arange(3, dtype=np.int32))


def places(cities: tuple[int, ...], *trails: float, at: int = 0) -> TourChange:
    behind = edges(*[5] * len(trails), trails=trails)
    return change(PlaceChoice(np.array(cities, np.int32), behind, at))


STRETCHES = tuple(np.arange(length, dtype=np.int32) for length in (1, 2, 1))
NO_BRIDGE = change(DoubleBridge(3, 3, ()))


def verdict(fate: Fate, heat: float, made: int, cells: int) -> TourChange:
    return change(Verdict(fate, heat, 4.0, 0.3, cells), edges(10), edges(made))


def children(*gains: int, at: tuple[int, ...] = (), weighed: bool = True) -> TourChange:
    sizes, parts = np.arange(2, 2 + len(gains)), np.ones(len(gains), np.int64)
    losses = np.array([0.5 * number for number in range(len(gains))])
    worths = np.maximum(gains, 0) / np.maximum(losses, 1e-9) if weighed else np.maximum(gains, 0.0)
    kept = np.isin(np.arange(len(gains)), at)
    what = Children(sizes, parts, np.array(gains), losses, worths, weighed, 3, kept)
    return change(what)


SAID = {
    "places": [
        places((3, 8), 12.5, 4.25, at=1), places((3, 8), 2, 2), places((3, 3), 2, 2),
        places((3,), 2),
    ],
    "double bridges": [
        change(DoubleBridge(3, 3, STRETCHES), edges(5, 5), edges(6, 2006)),
        change(DoubleBridge(4, 3, STRETCHES), edges(5), edges(5)),
        NO_BRIDGE, dataclasses.replace(NO_BRIDGE, kept=KEPT[:3]),
    ],
    "repairs": [
        change(Repair(-30, back=False), edges(50), edges(10)),
        change(Repair(-40, back=True), edges(50), edges(10)), change(Repair(-40, back=False)),
    ],
    "verdicts": [
        verdict(Fate.KEPT, 0.5, 7, 1), verdict(Fate.KEPT, 0.5, 10, 1),
        verdict(Fate.KEPT, 0.5, 11, 9), verdict(Fate.KEPT, 0.5, 7, 9),
        verdict(Fate.TOO_LONG, 0.5, 15, 9), verdict(Fate.TOO_LONG, 0.5, 60, 9),
        verdict(Fate.TOO_LONG, 0.0, 15, 9), verdict(Fate.NO_ROOM, 0.5, 7, 9),
        change(Verdict(Fate.UNCHANGED, 0.5, 4.0, 0.3, 1)),
    ],
    "partners": [
        change(Partner(3, 8, 32, (1000, 1020)), edges(10, 20), edges(30, 20)),
        change(Partner(3, 8, 32, (1000, 1000))),
    ],
    "children": [
        children(5, -2, 6, at=(0,)), children(5, -2, 6, 1, at=(2, 3), weighed=False), children(-2),
        children(-2, 0, at=(1,)), children(),
        change(Child(9, 1, 2, 1, -0.25), edges(10, 20), edges(5, 20)),
        change(Child(9, 1, 2, 3, 0.0), edges(10, 20), edges(5, 20)),
        change(Child(9, 2, 5, 3, 0.0), edges(10, 20), edges(5, 20)),
        change(Child(9, 0, 0, 0, 0.0)),
    ],
}  # fmt: skip


def test_what_is_said(golden: Golden) -> None:
    lines = []
    for title, changes in SAID.items():
        lines.append(title)
        for one in changes:
            step = one.step(3, WORDS)
            lines += [f"    {step.sentence}", f"        {step.formula}"]
    golden("changes-of-ants", "\n".join(lines))


def test_children_in_the_table() -> None:
    told = children(5, -2, 6, at=(0,)).step(3, WORDS).options.told
    assert [row.cells for row in told] == [
        ("2 edges", "5", "0", "1", "no loss"),
        ("4 edges", "6", "1.00", "1", "6.00"),
        ("3 edges", "−2", "0.500", "1", ""),
    ]
    assert [row.chosen for row in told] == [True, False, False]


def test_edges_in_the_table() -> None:
    """Where there is room for few, edges given up and edges taken are equally many."""
    what = Repair(-30, back=False)
    options = change(what, edges(*[50] * 30), edges(*[10] * 30)).step(3, WORDS).options
    shown = options.fitting(6)
    assert [row.cells[0][0] for row in shown] == ["−", "−", "−", "+", "+", "+", "5"]
    assert shown[-1].cells[0] == "54 others"
    assert [row.chosen for row in shown] == [False, False, False, True, True, True, False]


def test_a_forbidden_edge_has_no_length() -> None:
    what = Repair(-30, back=False)
    step = change(what, edges(50), edges(77)).step(3, WORDS._replace(penalty=77))
    assert [row.cells[-1] for row in step.options.told] == ["50", "forbidden"]
