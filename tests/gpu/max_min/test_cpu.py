"""The MAX-MIN Ant System on the CPU against a literal transcription of its equations."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.core.errors import ParameterError
from gpu.core.snapshot import Wanted
from gpu.core.trails import branching_factor
from gpu.max_min.cpu import MmasCpuColony
from gpu.max_min.parameters import MmasCpuParameters, spread_of
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.tsplib.tsplib_files import load
from tests.gpu.ant_system.test_cpu import SELECTIONS, SMALL, each_pair
from tests.gpu.cpu import makers
from tests.gpu.cpu.agreement import assert_same_tours, run_together, trails_of
from tests.gpu.max_min.literal import MmasLiteral


def compare(
    instance: TspInstance,
    parameters: MmasCpuParameters,
    seed: int = 7,
    threads: int = 1,
    iterations: int = 4,
) -> MmasLiteral:
    literal = MmasLiteral(instance, parameters, seed)
    colony = MmasCpuColony(instance, parameters.resolved(instance.n), seed, threads=threads)
    run_together(literal, colony, same_state, iterations)
    return literal


def same_state(literal: MmasLiteral, colony: MmasCpuColony) -> None:
    np.testing.assert_array_equal(colony._ants.routes, literal.routes)
    np.testing.assert_array_equal(colony._ants.lengths, literal.lengths)
    np.testing.assert_array_equal(trails_of(colony, literal.n), literal.trails)
    snapshot = colony.snapshot(Wanted.SOLUTION | Wanted.ITERATION_SOLUTION | Wanted.BUILT_SOLUTION)
    assert_same_tours(snapshot, literal)
    assert snapshot.limits == (float(literal.limits[0]), float(literal.limits[1]))


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("name", SMALL)
def test_the_colony_is_the_equations(name: str, selection: str) -> None:
    for candidates in each_pair(name, selection, [0, 6, 40]):
        parameters = MmasCpuParameters(selection=selection, candidates=candidates, ants=6)
        compare(SMALL[name], parameters)


@pytest.mark.parametrize("change", [
    {"ants": 1}, {"beta": 0.5}, {"alpha": 0}, {"alpha": 1.5}, {"rho": 1}, {"rho": 0.01},
    {"p_best": 1}, {"p_best": 1e-300}, {"p_best": 0.9}, {"deposit": "global-best"},
    {"weights": "full"}, {"deposit": "schedule"}, {"restart": 1}, {"deposit": "published"},
    {"selection": "wrs", "deposit": "global-best"},
], ids=str)  # fmt: skip
def test_every_parameter(change: dict[str, Any]) -> None:
    parameters = MmasCpuParameters.from_mapping({"ants": 5, **change})
    compare(makers.uniform(34, seed=5), parameters, 2**64 - 1, threads=2, iterations=6)
    compare(makers.directed(20), parameters, 0)


@pytest.mark.parametrize("name", ["3 cities", "64 cities", "one place", "places shared"])
@pytest.mark.parametrize("kind", ["2opt", "2opt-all", "2opt-largest", "2opt+oropt", "oropt"])
def test_local_search_before_the_update(name: str, kind: str) -> None:
    compare(SMALL[name], MmasCpuParameters(ants=4, local_search=kind, selection="stc-roulette"))


def test_local_search_of_directed_instances() -> None:
    compare(SMALL["directed"], MmasCpuParameters(ants=4, local_search="oropt"))
    with pytest.raises(ParameterError, match="directed"):
        MmasCpuColony(
            SMALL["directed"],
            MmasCpuParameters(local_search="2opt").resolved(SMALL["directed"].n),
            1,
            threads=1,
        )


def test_more_than_a_warp_of_candidates() -> None:
    for selection in SELECTIONS:
        parameters = MmasCpuParameters(ants=10, candidates=96, selection=selection)
        compare(makers.uniform(120), parameters, threads=2, iterations=2)


def test_the_schedule_turns_to_the_best_ever_more_often() -> None:
    parameters = MmasCpuParameters(ants=2, deposit="schedule")
    compare(makers.uniform(12), parameters, iterations=260)


@pytest.mark.parametrize("deposit", ["iteration-best", "schedule"])
def test_settled_trails_begin_anew(deposit: str) -> None:
    parameters = MmasCpuParameters(ants=4, rho=0.8, restart=5, deposit=deposit, p_best=0.5, beta=4)
    literal = compare(makers.uniform(40, seed=3), parameters, iterations=120)
    assert literal.restarts > 0


PUBLISHED: dict[str, Any] = {"ants": 2, "deposit": "published", "local_search": "2opt-largest"}


def test_the_published_program_deposits_by_chance_and_begins_anew_if_enough_is_left() -> None:
    values = {**PUBLISHED, "restart": 20, "planned": 160, "candidates": 8}
    literal = compare(makers.uniform(25, seed=3), MmasCpuParameters(**values), iterations=160)
    # The optimum is soon found, and again soon after trails began. So they begin anew every 20 to
    # 30 iterations, but only where as many are left.
    assert 2 <= literal.restarts <= 6
    assert literal.begun <= 1 + 160 * 3 // 4
    assert {"own", "best", "restart-best"} == set(literal.deposited)


def test_trails_begin_anew_without_end_where_no_iterations_are_planned() -> None:
    values = {**PUBLISHED, "restart": 10}
    literal = compare(makers.uniform(20, seed=3), MmasCpuParameters(**values), iterations=200)
    assert literal.begun > 150


def test_how_often_each_tour_deposits() -> None:
    literal = MmasLiteral(makers.uniform(12), MmasCpuParameters(**PUBLISHED), 1)
    drawn = []
    for literal.iteration in range(1, 4001):
        drawn.append(literal.drawn())
    shares = {name: drawn.count(name) / 4000 for name in ("own", "best", "restart-best")}
    assert shares["own"] == pytest.approx(0.1, abs=0.015)
    assert shares["best"] == pytest.approx(0.09, abs=0.015)
    assert shares["restart-best"] == pytest.approx(0.81, abs=0.02)


def test_begun_anew_all_trails_are_at_the_upper_limit() -> None:
    parameters = MmasCpuParameters(ants=4, restart=3, deposit="global-best", beta=5)
    colony = MmasCpuColony(makers.uniform(40), parameters.resolved(40), 3, threads=2)
    seen: list[float] = []
    for _ in range(200):
        colony.iterate(1)
        trails = trails_of(colony, 40)
        _, most = limits(colony)
        if trails.min() == trails.max():
            seen.append(float(trails[0, 1]) / most)
    assert seen
    assert set(seen) == {1.0}
    colony.close()


def limits(colony: MmasCpuColony) -> tuple[float, float]:
    both = colony.snapshot(Wanted.NUMBERS).limits
    assert both is not None
    return both


@pytest.mark.parametrize("name", SMALL)
def test_no_trail_leaves_the_limits(name: str) -> None:
    for p_best in (0.05, 1.0, 1e-9):
        stay_inside(SMALL[name], p_best)


def stay_inside(instance: TspInstance, p_best: float) -> None:
    colony = MmasCpuColony(
        instance, MmasCpuParameters(p_best=p_best).resolved(instance.n), 1, threads=1
    )
    before = limits(colony)
    assert before[1] == 1
    for _ in range(30):
        colony.iterate(1)
        least, most = limits(colony)
        trails = trails_of(colony, instance.n)
        assert 0 < least <= trails.min() <= trails.max() <= most
        best = colony.snapshot(Wanted.NUMBERS).cost
        assert most == pytest.approx(colony._shared.rules.nearest / max(best, 1), rel=1e-6)
    colony.close()


def test_the_lower_limit_is_that_of_the_formula() -> None:
    root = 0.05 ** (1 / 100)
    assert spread_of(100, 0.05) == pytest.approx((1 - root) / (49 * root))
    assert spread_of(3, 0.05) == spread_of(4, 0.05) == 1  # never above the upper one
    assert spread_of(4, 0.9) < 1
    assert spread_of(50, 1) == 0
    spreads = [spread_of(200, p) for p in (1e-9, 0.001, 0.05, 0.5, 0.99)]
    assert spreads == sorted(spreads, reverse=True)


def test_phases_and_the_branching_factor_are_shown() -> None:
    parameters = MmasCpuParameters(local_search="2opt+oropt", ants=10)
    colony = MmasCpuColony(makers.uniform(60), parameters.resolved(60), 1, threads=2)
    times = colony.timed_iteration()
    assert list(times) == ["choice info", "construction", "local search", "update"]
    colony.iterate(60)
    snapshot = colony.snapshot(Wanted.EVERYTHING)
    assert snapshot.branching == branching_factor(colony._listed())
    assert snapshot.branching < 32
    assert snapshot.trails is not None
    colony.close()


@pytest.mark.data
def test_a_thousand_cities_within_a_percent_in_seconds(tsplib: Path) -> None:
    instance = load(tsplib / "pr1002.tsp")
    parameters = MmasCpuParameters(
        ants=25, rho=0.2, candidates=20, deposit="schedule", local_search="2opt+oropt"
    )
    colony = MmasCpuColony(instance, parameters.resolved(instance.n), 1, threads=2)
    colony.iterate(250)  # some seconds
    found: NDArray[np.int32] | None = colony.snapshot(Wanted.SOLUTION).best_solution
    assert instance.tour_length(found) < 1.01 * 259045
    colony.close()
