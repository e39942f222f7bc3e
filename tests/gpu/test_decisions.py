"""Ants that choose city by city: each row's rule against the tours that its colony builds."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

import numpy as np
import pytest
from _pytest.mark import ParameterSet
from numpy.typing import NDArray

from gpu import catalog
from gpu.acs.parameters import AcsParameters
from gpu.acs.rule import AcsRule
from gpu.ant_system.parameters import AsCpuParameters
from gpu.construction.rule import AsRule
from gpu.core.colony import Colony
from gpu.core.decisions import Rule, Step, TrailSource
from gpu.core.errors import ParameterError
from gpu.core.instance import Instance
from gpu.core.machine import devices
from gpu.core.parameters import Parameters
from gpu.core.problem import Problem
from gpu.core.snapshot import Wanted
from gpu.core.system import Place, System
from gpu.decisions import CityChoice, CityDraw, InitialTrails, TourRule, WalkReplay
from gpu.faco.parameters import FacoParameters
from gpu.faco.rule import FacoRule
from gpu.rlf.cpu.colony import RlfTabuCpuColony
from gpu.rlf.parameters import ColoringCpuParameters, ColoringTabuParameters
from gpu.rlf.rule import ColoringReplay, ColoringRule
from gpu.tabu_search.replay import TabuMove
from tests.emulation import needs_emulation
from tests.golden import Golden
from tests.gpu.cpu import makers
from tests.gpu.cuda.emulated import EMULATED_GPU, emulate_gpu
from tests.gpu.rlf.literal import random_graph
from tests.gpu.rlf.test_rule import coloring_of

RULED = [
    row for row in catalog.CATALOG if row.rule and not row.steps and row.problem is Problem.TSP
]

COLORING = [row for row in catalog.CATALOG if row.name.startswith("aco-rlf")]

GRAPH = random_graph(33, 0.3, seed=2)


def where(systems: Sequence[System]) -> list[ParameterSet]:
    return [
        pytest.param(
            system,
            place,
            id=f"{system.name} on {place}",
            marks=[needs_emulation] if place == "cuda" else [],
        )
        for system in systems
        for place in system.builders
    ]


INSTANCE = makers.uniform(40, seed=4)


@contextmanager
def built(
    system: System,
    place: Place,
    parameters: Parameters,
    patch: pytest.MonkeyPatch,
    instance: Instance,
) -> Iterator[Colony]:
    device = EMULATED_GPU if place == "cuda" else devices.find(place)
    emulate_gpu(patch)
    with closing(catalog.build(system, instance, parameters, device, 6)) as colony:
        yield colony


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("system", "place"), where(RULED))
def test_an_iteration_s_best_tour_was_predicted(
    system: System, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = issubclass(system.parameters, AcsParameters)  # others would change its trails
    ants = range(1 if alone else 3)
    given = {"q0": 0.5, "candidates": 8} if alone else {}
    parameters = system.parameters.from_mapping({"ants": len(ants), **given}).resolved(INSTANCE.n)
    rule = catalog.rule_of(system, INSTANCE, parameters, 6)
    assert rule.caveat == ""
    with built(system, place, parameters, monkeypatch, INSTANCE) as colony:
        for iteration in range(2):
            predicted = [whole_tour(rule, INSTANCE.n, colony, iteration, ant)[0] for ant in ants]
            colony.iterate(1)
            snapshot = colony.snapshot(Wanted.ITERATION_SOLUTION | Wanted.BUILT_SOLUTION)
            improved = issubclass(
                system.parameters, FacoParameters
            )  # the shortest only after its search
            tour = snapshot.built_solution if improved else snapshot.iteration_solution
            assert cycle(tour) in map(cycle, predicted)
            assert improved or INSTANCE.tour_length(tour) == min(map(length, predicted))


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("system", "place"), where(COLORING))
def test_an_iteration_s_best_coloring_was_predicted(
    system: System, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {"moves": 1, "searches": 1} if system.name == "aco-rlf-tabu" else {}
    parameters = system.parameters.from_mapping({"ants": 2, **given}).resolved(GRAPH.n)
    rule = catalog.rule_of(system, GRAPH, parameters, 6)
    with built(system, place, parameters, monkeypatch, GRAPH) as colony:
        for iteration in range(2):
            replay = rule.replay(colony, iteration)
            assert isinstance(replay, ColoringReplay)
            predicted = [coloring_of(replay, ant, GRAPH) for ant in range(2)]
            colony.iterate(1)
            best = colony.snapshot(Wanted.ITERATION_SOLUTION).iteration_solution
            finals = []
            for decisions in predicted:
                colors = np.empty(GRAPH.n, np.int32)
                colors[[one.chosen for one in decisions]] = [one.color for one in decisions]
                finals.append(colors.tolist())
            assert best.tolist() in finals


def whole_tour(
    rule: Rule, n: int, source: TrailSource, iteration: int, ant: int = 0
) -> tuple[list[int], list[CityChoice]]:
    """The tour that is predicted for one ant, and its choices."""
    replay = rule.replay(source, iteration)
    assert isinstance(replay, WalkReplay)
    choices: list[CityChoice] = []
    for step in range(1, n):
        tour, choice = replay.told(ant, step)
        check(tour, choice, n)
        choices.append(choice)
    return [*tour.tolist(), choice.chosen], choices


def check(tour: NDArray[np.int32], choice: CityChoice, n: int) -> None:
    """What holds of every choice."""
    count = len(choice.cities)
    for values in (choice.trails, choice.heuristics, choice.weights, choice.shares):
        assert values.shape == (count,)
        assert (values >= 0).all()
    assert (choice.weights > 0).all()
    assert choice.probabilities.sum() == pytest.approx(1, abs=1e-12)
    assert choice.chosen in choice.cities
    assert not set(choice.cities) & set(tour.tolist())
    assert set(choice.cities) <= set(range(n))
    at = choice.at
    if choice.draw in (CityDraw.GREEDY, CityDraw.FALLBACK):
        assert choice.weights[at] == choice.weights.max()
    if choice.draw is CityDraw.NEAREST:
        assert choice.heuristics[at] == choice.heuristics.max()
    if choice.new_edges is not None:
        made, wanted = choice.new_edges
        assert (made == wanted) == (choice.draw is CityDraw.FOLLOW)
        assert made <= wanted
    if choice.draw is CityDraw.GREEDY:
        assert choice.q is not None
        assert choice.q0 is not None
        assert choice.q < choice.q0
    if choice.draw is CityDraw.ROULETTE:
        assert choice.spin is not None
        if choice.q is not None:
            assert choice.q0 is not None
            assert choice.q >= choice.q0
        ends = np.cumsum(choice.probabilities)
        assert (ends[at - 1] if at else 0) - 1e-6 <= choice.spin <= ends[at] + 1e-6
    if choice.draw is CityDraw.I_ROULETTE:
        assert choice.draws is not None
        assert (choice.draws > 0).all()
        assert (choice.draws < 1).all()
        keys = choice.draws * choice.weights
        assert keys[at] == keys.max()
    if choice.draw is CityDraw.RESERVOIR:
        assert choice.keys[at] == pytest.approx(choice.keys.max(), rel=1e-6)


def cycle(tour: Sequence[int] | NDArray[np.integer]) -> list[int]:
    """The tour from city 0 on, in the direction of its lower neighbour."""
    cities = np.asarray(tour)
    cities = np.roll(cities, -int(cities.argmin()))
    return [int(city) for city in (cities if cities[1] < cities[-1] else np.roll(cities[::-1], 1))]


def length(tour: list[int]) -> int:
    return INSTANCE.tour_length(np.array(tour))


@pytest.mark.parametrize("system", RULED, ids=lambda row: row.name)
def test_a_rule_needs_no_colony_before_the_first_iteration(system: System) -> None:
    parameters = system.parameters().resolved(INSTANCE.n)
    rule = catalog.rule_of(system, INSTANCE, parameters, 1)
    tour, _ = whole_tour(rule, INSTANCE.n, InitialTrails(INSTANCE.n), 0)
    assert sorted(tour) == list(range(INSTANCE.n))


def test_a_row_without_a_rule_cannot_be_replayed() -> None:
    system = dataclasses.replace(catalog.CATALOG[0], rule=None)
    with pytest.raises(ParameterError, match=r"cannot be replayed$"):
        catalog.rule_of(system, INSTANCE, AcsParameters(), 1)
    with pytest.raises(ParameterError, match=r"replayed: its ants work on a GPU\. Run"):
        catalog.check_replayable(catalog.named("focused-gpu"))


CITIES = makers.uniform(120)


def walk_of(rule: TourRule, iteration: int = 4) -> WalkReplay:
    return rule.replay(InitialTrails(rule.instance.n), iteration)


def acs(**values: float) -> WalkReplay:
    return walk_of(AcsRule(CITIES, AcsParameters.from_mapping(dict(values)).resolved(CITIES.n), 1))


def first_of(draw: CityDraw, walk: WalkReplay) -> Step:
    """The first decision that came about like this."""
    for ant, step in itertools.product(range(20), range(1, CITIES.n)):
        if walk.told(ant, step)[1].draw is draw:
            return walk.decision(ant, step)
    raise AssertionError(f"there is no {draw}")


def test_what_is_said_of_choices(golden: Golden) -> None:
    """Of decisions of real rules, which a seed decides."""
    ants = AsCpuParameters().resolved(CITIES.n)
    faco = walk_of(FacoRule(CITIES, FacoParameters(new_edges=3).resolved(CITIES.n), 1))
    few = walk_of(FacoRule(CITIES, FacoParameters(new_edges=9, candidates=2).resolved(CITIES.n), 1))
    said = [
        first_of(CityDraw.GREEDY, acs(q0=0.9)),
        first_of(CityDraw.ROULETTE, acs(q0=0.1)),
        first_of(CityDraw.FALLBACK, acs(candidates=2)),
        first_of(CityDraw.ROULETTE, walk_of(AsRule(CITIES, ants, 1))),
        first_of(CityDraw.I_ROULETTE, walk_of(AsRule(CITIES, ants, 1, "i-roulette"))),
        first_of(CityDraw.RESERVOIR, walk_of(AsRule(CITIES, ants, 1, "wrs"))),
        first_of(CityDraw.ROULETTE, faco),
        first_of(CityDraw.FOLLOW, faco),
        first_of(CityDraw.NEAREST, few),
        walk_of(AsRule(CITIES, ants, 1)).decision(0, 119),
        acs(q0=1, candidates=32).decision(0, 119),
    ]
    golden("choices-of-ants", "\n".join(step.sentence for step in said))


@pytest.mark.parametrize("selection", ["roulette", "i-roulette", "wrs"])
def test_the_last_step_has_no_choice(selection: str) -> None:
    last = walk_of(AsRule(CITIES, AsCpuParameters().resolved(CITIES.n), 1, selection)).told(0, 119)[
        1
    ]
    assert last.probabilities.tolist() == [1]


def test_the_table_has_the_likeliest_the_chosen_and_the_rest() -> None:
    tour, choice = walk_of(AsRule(CITIES, AsCpuParameters().resolved(CITIES.n), 1)).told(0, 1)
    unlikely = int(choice.cities[choice.probabilities.argmin()])
    options = dataclasses.replace(choice, chosen=unlikely).options(int(tour[0]), CITIES.city_words)
    rows = options.fitting(20)
    assert len(rows) == 21
    lengths = [row.length for row in rows[:19]]
    assert lengths == sorted(lengths, reverse=True)
    assert [row.cells[0] for row in rows if row.chosen] == [str(CITIES.city_ids[unlikely])]
    assert rows[-1].cells[0] == "99 others"
    few = acs(candidates=3).decision(0, 1).options.fitting(20)
    assert len(few) == 3
    assert sum(row.length for row in few) == pytest.approx(1)


def test_what_is_said_of_colorings(golden: Golden) -> None:
    """One step of each kind, of ants and of searches."""
    said: dict[object, str] = {}
    for selection, trials in (("wheel", 2), ("trial", 2), ("hybrid", 1)):
        given = ColoringCpuParameters(ants=9, selection=selection, trials=trials)
        replay = ColoringRule(GRAPH, given.resolved(GRAPH.n), 4).replay(InitialTrails(GRAPH.n), 3)
        for ant, step in itertools.product(range(9), range(1, GRAPH.n + 1)):
            choice, shown = replay.told(ant, step), replay.decision(ant, step)
            assert isinstance(shown, Step)
            alone = len(choice.candidates) == 1
            kind = choice.draw, alone, min(choice.trials, 2)
            said.setdefault(kind, f"{shown.sentence}\n    {shown.formula}")
    tabu = ColoringTabuParameters(ants=2, searches=1, moves=40).resolved(GRAPH.n)
    with closing(RlfTabuCpuColony(GRAPH, tabu, 5, threads=1)) as colony:
        colony.iterate(1)
        replay = ColoringRule(GRAPH, tabu, 5).replay(colony, 1)
        for step in range(1, 41):
            move, shown = replay.searches.told(0, step), replay.decision(2, step)
            assert isinstance(move, TabuMove)
            assert isinstance(shown, Step)
            made = "move", move.aspired, move.at < 0, np.sign(move.gains[move.at])
            said.setdefault(made, f"{shown.sentence}\n    {shown.formula}")
    golden("colorings-of-ants", "\n".join(said.values()))
