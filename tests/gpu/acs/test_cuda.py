"""The CUDA colonies, whole, on the emulation: against the CPU colonies, tour for tour."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gpu.acs.cuda.colony import StepTogether, WholeTours
from gpu.acs.cuda.trails import MatrixTrails, SelectiveTrails
from gpu.acs.parameters import (
    ATOMIC,
    LATE,
    LISTED_ALONE,
    RACING,
    REMEMBERED,
    THREE_TOURS,
    AcsParameters,
    AltParameters,
    SpmParameters,
)
from gpu.core.colony import Colony
from gpu.core.history import HISTORY_KEPT
from gpu.core.snapshot import MovesMade, Wanted
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from tests.colonies import assert_same_history
from tests.emulation import needs_emulation
from tests.gpu.acs.emulated import (
    COORDINATE_METRICS,
    TRAILS_IN_GLOBAL_MEMORY,
    assert_same,
    assert_same_iterations,
    emulated,
    explicit,
    on_cpu,
    scattered,
)
from tests.gpu.cuda.emulated import EmulatedMachine
from tests.gpu.local_search.literal import improve

pytestmark = [needs_emulation, pytest.mark.timeout(300)]


USUAL = AcsParameters(candidates=5, q0=0.8, ants=10)
REPLICAS = {"shared_limit": 227 << 10}
"""A machine with room for a replica of the trails on each multiprocessor."""

SIZES = {
    3: AcsParameters(),
    4: AcsParameters(q0=0.5),
    21: AcsParameters(update_period=2),
    33: AcsParameters(candidates=32, q0=0.0),
    64: AcsParameters(candidates=3, beta=2.5),
    250: AcsParameters(candidates=2, ants=4, update_period=3, q0=0.9),
}

ON_REPLICAS = {
    "idle warps": (5, AcsParameters(q0=0.5)),
    "steps without updates": (21, AcsParameters(update_period=2)),
    "no updates": (4, AcsParameters(update_period=9)),
    "much off the lists": (40, AcsParameters(candidates=2, ants=9, q0=0.7)),
    "far cities": (200, AcsParameters(candidates=2, ants=3, q0=0.9, update_period=3)),
}


@pytest.mark.parametrize(
    ("instance", "parameters", "machine"),
    [
        *(pytest.param(scattered(40, one), USUAL, {}, id=one.name) for one in COORDINATE_METRICS),
        *(
            pytest.param(scattered(n), parameters, TRAILS_IN_GLOBAL_MEMORY, id=f"{n} cities")
            for n, parameters in SIZES.items()
        ),
        *(
            pytest.param(scattered(n, extent=50), parameters, REPLICAS, id=name)
            for name, (n, parameters) in ON_REPLICAS.items()
        ),
        *(
            pytest.param(explicit(n, directed), parameters, machine, id=f"{name}, {directed}")
            for directed in (False, True)
            for name, n, parameters, machine in (
                ("matrix", 40, AcsParameters(candidates=6, q0=0.7), TRAILS_IN_GLOBAL_MEMORY),
                (
                    "ants together on replicas",
                    7,
                    AcsParameters(candidates=4, ants=40, q0=0.9, rho=0.3, tau0=THREE_TOURS),
                    {"multiprocessors": 3},
                ),
            )
        ),
    ],
)
def test_stepwise_colony_gives_the_cpu_tours_wherever_its_trails_are(
    instance: TspInstance, parameters: AcsParameters, machine: dict[str, int]
) -> None:
    with (
        emulated(instance, parameters, MatrixTrails, StepTogether, **machine) as ours,
        on_cpu(instance, parameters, "acs-gpu", "cpu") as theirs,
    ):
        launch = ours.phases["construction"][0]
        if machine is REPLICAS:
            assert (launch.kernel, launch.grid) == ("step_tours_on_replicas", 2)
        assert_same_iterations(ours, theirs, 3)


def test_the_oldest_iteration_makes_room_for_the_newest() -> None:
    instance = explicit(10, directed=False)
    with emulated(instance, AcsParameters(ants=2), MatrixTrails, StepTogether) as colony:
        colony._arrays["state"][0] = HISTORY_KEPT - 2
        for _ in range(3):
            colony.iterate(1)
            state = colony.snapshot(Wanted.NUMBERS)
            assert len(state.history.best) == min(state.iteration, HISTORY_KEPT)
            assert_same_history(state, state)
        assert state.iteration == HISTORY_KEPT + 1


@pytest.mark.parametrize(
    "machine",
    [
        pytest.param({"largest_block": 512}, id="ants in shared memory"),
        pytest.param({"largest_block": 512, "shared_limit": 512}, id="ants in global memory"),
    ],
)
def test_more_ants_than_warps_change_nothing(machine: dict[str, int]) -> None:
    instance, parameters = scattered(50), AcsParameters(candidates=10, q0=0.8)
    with (
        emulated(instance, parameters, MatrixTrails, StepTogether) as roomy,
        emulated(instance, parameters, MatrixTrails, StepTogether, **machine) as crowded,
    ):
        assert roomy.phases["construction"][0].kernel == "step_tours"
        assert crowded.phases["construction"][0].kernel == "step_many_tours"
        assert_same_iterations(roomy, crowded, 2)


def test_replicas_need_room_for_ants_and_trails() -> None:
    for n, ants, limit in ((20, 41, 227 << 10), (40, 8, 20 << 10)):
        parameters = AcsParameters(candidates=4, ants=ants)
        machine = {"shared_limit": limit}
        with emulated(scattered(n), parameters, MatrixTrails, StepTogether, **machine) as colony:
            assert colony.phases["construction"][0].kernel == "step_tours"


@pytest.mark.parametrize(
    ("order", "machine"),
    [(1, TRAILS_IN_GLOBAL_MEMORY), (2, TRAILS_IN_GLOBAL_MEMORY), (1, {}), (2, {})],
)
def test_stepwise_colony_does_not_depend_on_the_order_of_threads(
    order: int, machine: dict[str, int]
) -> None:
    instance, parameters = scattered(40, extent=12), AcsParameters(candidates=8, ants=30)
    with (
        emulated(instance, parameters, MatrixTrails, StepTogether, seed=0, **machine) as one,
        on_cpu(instance, parameters, "acs-gpu", "cpu", seed=0) as other,
    ):
        one._machine._seed = order  # type: ignore[attr-defined]
        one.iterate(3)
        other.iterate(3)
        assert_same(one.snapshot(Wanted.EVERYTHING), other.snapshot(Wanted.EVERYTHING))


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("period", [1, 3])
@pytest.mark.parametrize("local_update", [RACING, LATE, ATOMIC])
def test_one_ant_of_whole_tours_is_the_sequential_colony(
    directed: bool, period: int, local_update: str
) -> None:
    instance = explicit(45, True) if directed else scattered(70)
    parameters = AcsParameters(candidates=4, ants=1, q0=0.7, update_period=period)
    alt = AltParameters.from_mapping({**parameters.to_dict(), "local_update": local_update})
    with (
        emulated(instance, alt, MatrixTrails, WholeTours) as ours,
        on_cpu(instance, parameters, "acs-seq", "cpu:1") as theirs,
    ):
        assert_same_iterations(ours, theirs, 4)


TOO_MANY = -2
"""In ``far``, as in trail_matrix.cuh: more far cities got a deposit than can be remembered."""


@pytest.mark.parametrize(
    ("construction", "name", "device", "ants", "machine"),
    [
        pytest.param(StepTogether, "acs-gpu", "cpu", 6, {}, id="steps"),
        pytest.param(
            StepTogether,
            "acs-gpu",
            "cpu",
            6,
            {"shared_limit": 227 << 10},
            id="steps on replicas",
        ),
        pytest.param(WholeTours, "acs-seq", "cpu:1", 1, {}, id="whole tours"),
    ],
)
@pytest.mark.parametrize("known", ["all but one", "too many"])
def test_cities_with_too_many_far_trails_look_at_all_others(
    known: str,
    construction: type[WholeTours] | type[StepTogether],
    name: str,
    device: str,
    ants: int,
    machine: dict[str, int],
) -> None:
    instance = scattered(400)
    parameters = AcsParameters(candidates=2, ants=ants, q0=0.2, beta=1, update_period=2)
    with (
        emulated(instance, parameters, MatrixTrails, construction, **machine) as ours,
        on_cpu(instance, parameters, name, device) as theirs,
    ):
        far = ours._arrays["far"]
        if known == "too many":
            far[:, -1] = TOO_MANY
        else:
            # As after so many deposits: to be remembered is harmless where there was none.
            cities = np.arange(instance.n)
            distances = instance.distances(cities[:, None], cities[None, :])
            far[:, :-1] = np.argsort(distances, axis=1)[:, : -far.shape[1] : -1]
        assert_same_iterations(ours, theirs, 3)
        assert (far[:, -1] == TOO_MANY).any()


@pytest.mark.parametrize("trails", [MatrixTrails, SelectiveTrails])
def test_whole_tours_with_few_warps_keep_the_best_of_each(
    trails: type[MatrixTrails] | type[SelectiveTrails],
) -> None:
    parameters = AcsParameters() if trails is MatrixTrails else SpmParameters()
    instance = scattered(40)
    with emulated(instance, parameters, trails, WholeTours, resident=1, multiprocessors=3) as few:
        assert few.phases["construction"][0].grid == 3
        for iteration in range(1, 5):
            few.iterate(1)
            snapshot = few.snapshot(Wanted.EVERYTHING)  # checks each tour and its length
            assert snapshot.iteration == iteration
            assert snapshot.solutions_built == 40 * iteration
            assert snapshot.iteration_best is not None
            assert snapshot.cost <= snapshot.iteration_best <= snapshot.iteration_mean


def test_cities_at_one_place() -> None:
    places = np.zeros((40, 2))
    instance = TspInstance("heap", "", Metric.EUC_2D, places, None, places)
    with emulated(instance, AcsParameters(), MatrixTrails, WholeTours) as colony:
        colony.iterate(2)
        assert colony.snapshot(Wanted.SOLUTION).best_cost == 0


def test_before_the_first_iteration_there_is_no_tour() -> None:
    with emulated(scattered(20), AcsParameters(), MatrixTrails, WholeTours) as colony:
        snapshot = colony.snapshot(Wanted.EVERYTHING)
        assert (snapshot.iteration, snapshot.best_cost, snapshot.best_solution) == (0, None, None)


def test_a_batch_may_be_in_flight_but_no_more_than_two() -> None:
    with emulated(scattered(10), AcsParameters(), MatrixTrails, WholeTours) as colony:
        machine = colony._machine
        assert isinstance(machine, EmulatedMachine)
        colony.timed_iteration()
        machine.waited.clear()
        marks = machine._marks
        for _ in range(4):
            colony.iterate(1)
        assert machine.waited == [marks + 1, marks + 2, marks + 3]


BOTH = "2opt+oropt"

WAYS = {
    64 << 10: "step_tours_on_replicas",
    2 << 10: "step_tours",
    0: "step_many_tours",
}
"""The construction that so much shared memory leads to."""


def assert_same_improved(ours: Colony, theirs: Colony, count: int) -> None:
    """After each of so many iterations both show the same, also of their local searches."""
    for _ in range(count):
        assert_same_iterations(ours, theirs, 1)
        one, other = (colony.snapshot(Wanted.EVERYTHING) for colony in (ours, theirs))
        assert one.moves is not None
        assert one.moves == other.moves
        np.testing.assert_array_equal(one.built_solution, other.built_solution)


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
        assert ours.snapshot(Wanted.EVERYTHING).moves == MovesMade(0, 0)
        assert theirs.snapshot(Wanted.EVERYTHING).moves == MovesMade(0, 0)
        assert_same_improved(ours, theirs, 3)
        assert ours.phases["construction"][0].kernel == WAYS[shared]
        searched = ours.phases["local search"][1].kernel
        assert ("NoneShared" in searched) == (shared == 0)
        assert list(ours.timed_iteration()) == ["construction", "local search", "update"]


@pytest.mark.parametrize("memory", [MatrixTrails, SelectiveTrails])
def test_one_ant_with_local_search_is_the_sequential_colony(
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
        assert_same_improved(ours, theirs, 4)


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
            assert (colony.snapshot(Wanted.EVERYTHING).moves is None) == (kind == "none")
    assert names["none"] - names[BOTH] == {"holders"}
    more = {"best_links", "built", "built_tours", "moves", "lengths", "near"}
    assert names[BOTH] - names["none"] == more


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 16, 31, 32])
def test_one_ant_with_selective_memory_is_the_sequential_colony(size: int) -> None:
    for greedy, period in ((LISTED_ALONE, 1), (REMEMBERED, 2), (LISTED_ALONE, 2), (REMEMBERED, 1)):
        parameters = SpmParameters(
            candidates=8, ants=1, memory=size, update_period=period, q0=0.5, rho=0.3, greedy=greedy
        )
        same_as_sequential(scattered(60), parameters, 3)


def same_as_sequential(instance: TspInstance, parameters: SpmParameters, iterations: int) -> None:
    """Compare the selective memory's colonies, with one ant, after each iteration."""
    with (
        emulated(instance, parameters, SelectiveTrails, WholeTours) as ours,
        on_cpu(instance, parameters, "acs-seq-spm", "cpu:1") as theirs,
    ):
        for _ in range(iterations):  # which of equal trails count as the strongest may differ
            ours.iterate(1)
            theirs.iterate(1)
            a, b = ours.snapshot(Wanted.EVERYTHING), theirs.snapshot(Wanted.EVERYTHING)
            np.testing.assert_array_equal(a.iteration_solution, b.iteration_solution)
            np.testing.assert_array_equal(a.best_solution, b.best_solution)
            np.testing.assert_array_equal(a.pheromone, b.pheromone)
            assert a.updates == b.updates


FEW = SpmParameters(candidates=2, ants=1, q0=0.9, rho=0.1)


@pytest.mark.parametrize(
    ("instance", "parameters"),
    [
        pytest.param(scattered(90), FEW, id="two candidates"),
        pytest.param(scattered(90), replace(FEW, greedy=LISTED_ALONE), id="as in Fig. 3"),
        pytest.param(scattered(90), replace(FEW, candidates=1, update_period=3), id="one"),
        pytest.param(scattered(90), replace(FEW, memory=32, q0=0.5), id="a large memory"),
        pytest.param(scattered(60, extent=6), replace(FEW, candidates=4), id="ties"),
        pytest.param(scattered(60, extent=12), replace(FEW, candidates=31), id="long lists"),
        pytest.param(scattered(60, extent=6), replace(FEW, beta=0.5), id="little heuristic"),
        pytest.param(scattered(60, Metric.ATT), replace(FEW, beta=2.5), id="another metric"),
        pytest.param(explicit(60, False), FEW, id="a matrix"),
        pytest.param(explicit(60, True), FEW, id="directed"),
    ],
)
def test_remembered_cities_off_the_list_are_chosen_as_by_the_sequential_colony(
    instance: TspInstance, parameters: SpmParameters
) -> None:
    same_as_sequential(instance, parameters, 12)


def test_the_greedy_choice_looks_off_the_list_only_where_it_is_asked_to() -> None:
    means = []
    for greedy in (LISTED_ALONE, REMEMBERED):
        parameters = replace(FEW, greedy=greedy)
        with emulated(scattered(90), parameters, SelectiveTrails, WholeTours) as colony:
            colony.iterate(12)
            means.append(colony.snapshot(Wanted.NUMBERS).iteration_mean)
    assert means[0] != means[1]
