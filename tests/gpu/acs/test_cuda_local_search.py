"""The Ant Colony Systems with local search on CUDA: whole, on the emulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gpu.acs.cuda.colony import StepTogether, WholeTours
from gpu.acs.cuda.trails import MatrixTrails, SelectiveTrails
from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.core.snapshot import Improvements, Snapshot, Wanted
from gpu.problems.tsp.instance import TspInstance
from tests.emulation import needs_emulation
from tests.gpu.acs.emulated import assert_same, emulated, explicit, on_cpu, scattered
from tests.gpu.local_search.improving import improve

pytestmark = [needs_emulation, pytest.mark.timeout(300)]

BOTH = "2opt+oropt"

WAYS = {
    64 << 10: "step_tours_on_replicas",
    2 << 10: "step_tours",
    0: "step_many_tours",
}
"""The construction that so much shared memory leads to."""


def assert_same_improvements(ours: Snapshot, theirs: Snapshot) -> None:
    assert ours.improvements is not None
    assert ours.improvements == theirs.improvements
    np.testing.assert_array_equal(ours.built_solution, theirs.built_solution)


@pytest.mark.parametrize(
    ("instance", "kind", "shared"),
    [
        pytest.param(scattered(33), BOTH, 64 << 10, id="both"),
        pytest.param(scattered(33), "2opt", 0, id="2-opt, ants in turns"),
        pytest.param(explicit(21, True), "oropt", 2 << 10, id="directed, global"),
        pytest.param(scattered(3), BOTH, 64 << 10, id="a single tour"),
    ],
)
def test_stepwise_colony_gives_the_cpu_tours(instance: TspInstance, kind: str, shared: int) -> None:
    parameters = AcsParameters(ants=5, local_search=kind)
    with (
        emulated(instance, parameters, MatrixTrails, StepTogether, shared_limit=shared) as ours,
        on_cpu(instance, parameters, "acs-gpu", "cpu") as theirs,
    ):
        assert ours.snapshot(Wanted.EVERYTHING).improvements == Improvements(0, 0)
        assert theirs.snapshot(Wanted.EVERYTHING).improvements == Improvements(0, 0)
        for _ in range(3):
            ours.iterate(1)
            theirs.iterate(1)
            shown, expected = (one.snapshot(Wanted.EVERYTHING) for one in (ours, theirs))
            assert_same(shown, expected)
            assert_same_improvements(shown, expected)
        assert ours.phases["construction"][0].kernel == WAYS[shared]
        searched = ours.phases["local search"][1].kernel
        assert ("NoneShared" in searched) == (shared == 0)
        assert list(ours.timed_iteration()) == ["construction", "local search", "update"]


@pytest.mark.parametrize("memory", [MatrixTrails, SelectiveTrails])
def test_one_ant_of_whole_tours_is_the_sequential_colony(
    memory: type[MatrixTrails] | type[SelectiveTrails],
) -> None:
    instance = scattered(33)
    kind = SpmParameters if memory is SelectiveTrails else AcsParameters
    name = "acs-seq-spm" if memory is SelectiveTrails else "acs-seq"
    parameters = kind(ants=1, local_search=BOTH)
    with (
        emulated(instance, parameters, memory, WholeTours) as ours,
        on_cpu(instance, parameters, name, "cpu:1") as theirs,
    ):
        for _ in range(4):
            ours.iterate(1)
            theirs.iterate(1)
            shown, expected = (one.snapshot(Wanted.EVERYTHING) for one in (ours, theirs))
            assert_same(shown, expected)
            assert_same_improvements(shown, expected)


def test_every_tour_of_a_warp_is_improved() -> None:
    """Four warps for nine ants: the best of all is told, and how it was built."""
    instance = scattered(33)
    parameters = AcsParameters(ants=9, local_search=BOTH)
    machine: dict[str, Any] = {"multiprocessors": 1, "resident": 4}
    with emulated(instance, parameters, MatrixTrails, WholeTours, **machine) as colony:
        for iteration in range(1, 4):
            colony.iterate(1)
            shown = colony.snapshot(Wanted.EVERYTHING)
            done = improve(instance, shown.built_solution[None], BOTH)
            np.testing.assert_array_equal(done.tours[0], shown.iteration_solution)
            tours = colony._arrays["tours"].reshape(9, -1)
            lengths = [instance.tour_length(tour) for tour in tours]
            assert shown.iteration_best == min(lengths)
            assert shown.iteration_mean == pytest.approx(np.mean(lengths))
            assert shown.solutions_built == 9 * iteration
            assert len({tuple(tour) for tour in tours}) > 1


@pytest.mark.parametrize("kind", ["2opt", "oropt", BOTH])
@pytest.mark.parametrize("memory", [MatrixTrails, SelectiveTrails])
def test_tours_too_long_for_shared_memory_are_improved(
    memory: type[MatrixTrails] | type[SelectiveTrails], kind: str
) -> None:
    instance, ants = scattered(33), 6
    parameters = SpmParameters if memory is SelectiveTrails else AcsParameters
    rules = parameters(ants=ants, local_search=kind)
    machine: dict[str, Any] = {"shared_limit": 0, "multiprocessors": 1, "resident": 4}
    with emulated(instance, rules, memory, WholeTours, **machine) as colony:
        assert "NoneShared" in colony.phases["local search"][1].kernel
        for iteration in range(1, 4):
            colony.iterate(1)
            shown = colony.snapshot(Wanted.EVERYTHING)  # checks each tour and its length
            if iteration == 1:
                done = improve(instance, shown.built_solution[None], kind)
                np.testing.assert_array_equal(done.tours[0], shown.iteration_solution)
            lengths = [instance.tour_length(tour) for tour in colony._arrays["tours"]]
            assert shown.iteration_best == min(lengths)
            assert shown.iteration_mean == pytest.approx(np.mean(lengths))


def test_memory_is_asked_for_only_when_it_is_used() -> None:
    names = {}
    for kind in ("none", BOTH):
        parameters = AcsParameters(ants=5, local_search=kind)
        with emulated(scattered(9), parameters, MatrixTrails, WholeTours) as colony:
            names[kind] = set(colony._arrays)
            assert (colony.snapshot(Wanted.EVERYTHING).improvements is None) == (kind == "none")
    assert names["none"] - names[BOTH] == {"holders"}
    more = {"best_links", "built", "built_tours", "improvements", "lengths", "near"}
    assert names[BOTH] - names["none"] == more
