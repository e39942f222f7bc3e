"""A colony that takes the place of another one goes on as that one would have gone on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gpu import catalog
from gpu.acs.cuda.colony import ACS_GPU_KINDS, AcsColony
from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.core.colony import Colony
from gpu.core.legacy import NEW, Heritable, KeptTrails
from gpu.core.machine import devices
from gpu.core.snapshot import Wanted
from gpu.core.trails import KnownTrails
from gpu.max_min.cuda.colony import MMAS_CONSTRUCTIONS, MmasColony
from gpu.max_min.parameters import MmasListParameters
from gpu.problems.coloring import generators
from tests.emulation import needs_emulation
from tests.gpu.acs.emulated import scattered
from tests.gpu.cuda.emulated import EmulatedMachine

CITIES = scattered(40)
GRAPH = generators.instance("graph", "random", generators.random(1, 30, 0.4))


def on_cpu(name: str, **values: Any) -> Colony:
    system, place = catalog.named(name), devices.find("cpu:1")
    instance: Any = CITIES if name != "aco-rlf-seq" else GRAPH
    parameters = system.parameters.from_mapping(values).resolved(instance.n)
    return catalog.build(system, instance, parameters, place, 7)


def acs_on_gpu(kind: str) -> Colony:
    parameters = AcsParameters if kind != "spm" else SpmParameters
    values: Any = {"ants": 6, "candidates": 5, **({"memory": 3} if kind == "spm" else {})}
    machine = EmulatedMachine(multiprocessors=1, resident=8)
    return AcsColony(CITIES, parameters(**values), machine, 7, *ACS_GPU_KINDS[kind])


def mmas_on_gpu() -> Colony:
    parameters = MmasListParameters(ants=6, restart=2, deposit="schedule", local_search="2opt")
    return MmasColony(CITIES, parameters, EmulatedMachine(), 7, MMAS_CONSTRUCTIONS["wrs-bt-cl"])


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
