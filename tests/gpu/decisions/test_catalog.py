"""The rule that each row of the catalog names, against the tours that it builds there."""

from __future__ import annotations

import dataclasses
import sys
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pytest
from _pytest.mark import ParameterSet
from numpy.typing import NDArray

from gpu import catalog
from gpu.acs.parameters import AcsParameters
from gpu.core.colony import Colony
from gpu.core.errors import ParameterError
from gpu.core.instance import Instance
from gpu.core.machine import devices
from gpu.core.machine.devices import Device
from gpu.core.parameters import Parameters
from gpu.core.problem import Problem
from gpu.core.snapshot import Wanted
from gpu.core.system import Place, System
from gpu.decisions.rule import InitialTrails
from gpu.faco.parameters import FacoParameters
from tests.emulation import needs_emulation
from tests.gpu.cpu import makers
from tests.gpu.cuda.emulated import EmulatedMachine
from tests.gpu.decisions.checks import whole_tour
from tests.gpu.rlf.literal import random_graph
from tests.gpu.rlf.test_rule import coloring_of

GPU = Device("cuda:0", "cuda", 0, 2, "emulated", 1 << 30, "")

RULED = [
    row for row in catalog.CATALOG if row.rule and not row.steps and row.problem is Problem.TSP
]

COLORING = [row for row in catalog.CATALOG if row.rule and row.problem is Problem.COLORING]

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
    device = GPU if place == "cuda" else devices.find(place)
    emulation = types.SimpleNamespace(CupyMachine=lambda _: EmulatedMachine())
    patch.setitem(sys.modules, "gpu.cuda.cupy_machine", emulation)
    colony = catalog.build(system, instance, parameters, device, 6)
    try:
        yield colony
    finally:
        colony.close()


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
            predicted = [coloring_of(replay, ant, GRAPH) for ant in range(2)]
            colony.iterate(1)
            best = colony.snapshot(Wanted.ITERATION_SOLUTION).iteration_solution
            finals = []
            for decisions in predicted:
                colors = np.empty(GRAPH.n, np.int32)
                colors[[one.chosen for one in decisions]] = [one.color for one in decisions]
                finals.append(colors.tolist())
            assert best.tolist() in finals


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
