"""A colony that takes the place of another one goes on as that one would have gone on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gpu import catalog
from gpu.acs.cuda.colony import ACS_GPU_KINDS, AcsColony
from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.ant_system.cuda.colony import AntSystemColony
from gpu.ant_system.cuda.construction import TaskParallel
from gpu.ant_system.parameters import AsCudaParameters
from gpu.core.colony import Colony
from gpu.core.legacy import NEW, Adjustable, Heritable, KeptTrails
from gpu.core.machine import devices
from gpu.core.snapshot import Wanted
from gpu.core.trails import KnownTrails
from gpu.focused.cuda import FocusedCudaColony
from gpu.focused.parameters import FocusedCudaParameters
from gpu.max_min.cuda.colony import MMAS_CONSTRUCTIONS, MmasColony
from gpu.max_min.parameters import MmasListParameters
from gpu.problems.coloring import generators
from gpu.rlf.cuda.colony import ColoringColony
from gpu.rlf.parameters import ColoringParameters
from tests.emulation import needs_emulation
from tests.gpu.acs.emulated import scattered
from tests.gpu.cuda.emulated import EmulatedMachine

CITIES = scattered(40)
GRAPH = generators.instance("graph", "random", generators.random(1, 30, 0.4))


MMAS_USUAL = {"ants": 6, "restart": 2, "deposit": "schedule", "local_search": "2opt"}


def on_cpu(name: str, device: str = "cpu:1", **values: Any) -> Colony:
    system, place = catalog.named(name), devices.find(device)
    instance: Any = GRAPH if name.startswith("aco-rlf") else CITIES
    parameters = system.parameters.from_mapping(values).resolved(instance.n)
    return catalog.build(system, instance, parameters, place, 7)


def acs_on_gpu(kind: str, **more: Any) -> Colony:
    parameters = AcsParameters if kind != "spm" else SpmParameters
    values: Any = {"ants": 6, "candidates": 5, **({"memory": 3} if kind == "spm" else {}), **more}
    machine = EmulatedMachine(multiprocessors=1, resident=8)
    return AcsColony(
        CITIES, parameters(**values).resolved(CITIES.n), machine, 7, *ACS_GPU_KINDS[kind]
    )


def mmas_on_gpu(**more: Any) -> MmasColony:
    parameters = MmasListParameters.from_mapping({**MMAS_USUAL, **more})
    return MmasColony(
        CITIES, parameters.resolved(CITIES.n), EmulatedMachine(), 7, MMAS_CONSTRUCTIONS["wrs-bt-cl"]
    )


def same_with_a_successor(build: Callable[[], Colony], before: int, after: int) -> None:
    alone, first = build(), build()
    alone.iterate(before + after)
    first.iterate(before)
    assert isinstance(first, Heritable)
    legacy = first.legacy()
    first.close()
    heir = build()
    assert isinstance(heir, Heritable)
    heir.inherit(legacy)
    at_once = heir.snapshot(Wanted.EVERYTHING)
    assert (at_once.iteration, at_once.iteration_solution) == (before, None)
    heir.iterate(after)
    ours, theirs = (one.snapshot(Wanted.EVERYTHING) for one in (heir, alone))
    for name in ("best_cost", "best_iteration", "solutions_built", "updates", "limits"):
        assert getattr(ours, name) == getattr(theirs, name), name
    for name in ("best_solution", *(("iteration_solution",) if after else ())):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    assert np.array_equal(ours.history.best, theirs.history.best)
    assert np.array_equal(ours.history.mean, theirs.history.mean)
    for city in (0, 7, 29):
        assert np.array_equal(heir.trails_from(city), alone.trails_from(city))
    heir.close()
    alone.close()


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("acs-seq", {"candidates": 4}),
        ("acs-seq-spm", {"memory": 3, "candidates": 4}),
        ("mmas-seq", {"restart": 2, "deposit": "schedule", "ants": 9}),
        ("as-seq", {"ants": 9}),
        ("aco-rlf-seq", {}),
    ],
)
def test_on_the_cpu(name: str, values: dict[str, Any]) -> None:
    same_with_a_successor(lambda: on_cpu(name, **values), 5, 4)


BEGUN_ANEW: dict[str, Any] = {
    "restart": 1,
    "deposit": "published",
    "ants": 3,
    "local_search": "2opt",
}
"""After 13 iterations trails began anew in the 11th: the best tour since is another than of all."""


def test_the_best_since_trails_began_anew_is_left_too() -> None:
    same_with_a_successor(lambda: on_cpu("mmas-seq", **BEGUN_ANEW), 13, 8)


@needs_emulation
def test_it_is_left_on_a_gpu_too() -> None:
    same_with_a_successor(lambda: mmas_on_gpu(**BEGUN_ANEW), 13, 8)


@needs_emulation
@pytest.mark.parametrize(("kind", "after"), [("stepwise", 2), ("spm", 0)])  # the latter races
def test_acs_on_a_gpu(kind: str, after: int) -> None:
    same_with_a_successor(lambda: acs_on_gpu(kind), 3, after)


@needs_emulation
def test_mmas_on_a_gpu() -> None:
    same_with_a_successor(mmas_on_gpu, 4, 3)


def test_kept_trails_are_the_same_as_a_list_and_as_a_matrix() -> None:
    rows, columns = np.array([0, 2, 2], np.int32), np.array([1, 0, 3], np.int32)
    listed = KeptTrails(4, KnownTrails(rows, columns, np.array([2, 3, 4], np.float32)))
    matrix = KeptTrails(4, listed.matrix())
    former = np.array([2, NEW, 0, 3])  # the cities 1 and 2 are gone, 0 and 3 stay
    for kept in (listed, matrix):
        assert kept.at(np.array([2, 1]), np.array([3, 0])).tolist() == [4, 1]
        assert len(kept.listed().rows) == 3
        left = kept.renumbered(former)
        assert left.matrix().tolist() == [[1, 1, 3, 4], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]


def same_as_built_anew(build: Callable[..., Colony], change: dict[str, Any]) -> None:
    """A colony that takes other numbers goes on as one that is built with them and inherits."""
    adjusted, former = build(), build()
    for colony in (adjusted, former):
        colony.iterate(4)
    assert isinstance(former, Heritable)
    legacy = former.legacy()
    former.close()
    heir = build(**change)
    assert isinstance(heir, Heritable)
    heir.inherit(legacy)
    assert isinstance(adjusted, Adjustable)
    assert adjusted.adjust(heir._parameters)  # type: ignore[attr-defined]
    for colony in (adjusted, heir):
        colony.iterate(3)
    ours, theirs = (one.snapshot(Wanted.EVERYTHING) for one in (adjusted, heir))
    for name in ("best_cost", "best_iteration", "solutions_built", "updates", "limits"):
        assert getattr(ours, name) == getattr(theirs, name), name
    assert np.array_equal(ours.iteration_solution, theirs.iteration_solution)
    assert np.array_equal(ours.history.best, theirs.history.best)
    for city in (0, 7, 29):
        assert np.array_equal(heir.trails_from(city), adjusted.trails_from(city))
    heir.close()
    adjusted.close()


NUMBERS: list[tuple[str, dict[str, Any]]] = [
    ("acs", {"rho": 0.4, "q0": 0.2, "alpha": 0.5, "update_period": 2}),
    ("as", {"rho": 0.9, "alpha": 2.0}),
    ("mmas", {"rho": 0.4, "alpha": 1.5, "p_best": 0.5, "deposit": "global-best"}),
    ("aco-rlf", {"rho": 0.1, "alpha": 3.0, "beta": 1.5, "reward": 3.0}),
]


@pytest.mark.parametrize("place", ["cpu:1", "cpu"])
@pytest.mark.parametrize(("family", "change"), NUMBERS)
def test_other_numbers_are_taken_on_the_cpu(
    family: str, change: dict[str, Any], place: str
) -> None:
    name = "acs-gpu" if (family, place) == ("acs", "cpu") else family
    name = name if "gpu" in name else f"{name}-{'seq' if place == 'cpu:1' else 'cores'}"
    same_as_built_anew(lambda **values: on_cpu(name, place, ants=9, **values), change)


ON_GPU: dict[str, Callable[..., Colony]] = {
    "acs": lambda **values: acs_on_gpu("stepwise", **values),
    "as": lambda **values: AntSystemColony(
        CITIES,
        AsCudaParameters.from_mapping({"ants": 6, **values}).resolved(CITIES.n),
        EmulatedMachine(),
        7,
        TaskParallel,
    ),
    "mmas": mmas_on_gpu,
    "aco-rlf": lambda **values: ColoringColony(
        GRAPH,
        ColoringParameters.from_mapping({"ants": 6, **values}).resolved(GRAPH.n),
        EmulatedMachine(),
        7,
        0,
    ),
}


@needs_emulation
@pytest.mark.parametrize("family", ON_GPU)
def test_other_numbers_are_taken_on_a_gpu(family: str) -> None:
    same_as_built_anew(ON_GPU[family], dict(NUMBERS)[family])


@needs_emulation
def test_ants_that_stray_from_their_lists_take_another_alpha_too() -> None:
    # Above 4096 cities they weigh the others themselves; deposits there are too rare to compare.
    colony = mmas_on_gpu(alpha=1.0)
    colony.iterate(1)
    other = MmasListParameters.from_mapping({**MMAS_USUAL, "alpha": 3.0})
    assert colony.adjust(other.resolved(CITIES.n))
    (launch,) = colony.phases["construction"]
    args: Any = launch.args
    assert (args.factors, args.alpha) == (3, 3.0)
    colony.close()


@needs_emulation
def test_another_temperature_counts_at_once_on_a_gpu() -> None:
    usual = FocusedCudaParameters(ants=6, tours=2, heat=0.0).resolved(CITIES.n)
    changed, same = (FocusedCudaColony(CITIES, usual, EmulatedMachine(), 7) for _ in range(2))
    for colony in (changed, same):
        colony.iterate(1)
    assert changed.adjust(replace(usual, heat=100.0))
    for colony in (changed, same):
        colony.iterate(1)
    ours, theirs = (one.snapshot(Wanted.NUMBERS).history for one in (changed, same))
    assert ours.mean[0] == theirs.mean[0]
    assert ours.mean[1] != theirs.mean[1]
    changed.close()
    same.close()


@pytest.mark.parametrize("name", ["acs-seq", "crossing-seq", "focused-seq"])
def test_a_colony_refuses_what_is_more_than_a_number(name: str) -> None:
    colony = on_cpu(name, ants=8)
    colony.iterate(1)
    assert isinstance(colony, Adjustable)
    kind = catalog.named(name).parameters
    other = kind.from_mapping({"ants": 8, "candidates": 6}).resolved(CITIES.n)
    assert not colony.adjust(other)
    colony.close()
