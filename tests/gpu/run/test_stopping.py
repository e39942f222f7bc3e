from __future__ import annotations

import dataclasses
import inspect
import math

import numpy as np
import pytest

from gpu.core.bounds import LowerBound
from gpu.core.errors import ParameterError
from gpu.core.snapshot import RunState
from gpu.core.stop_limits import STOP_LIMITS
from gpu.run import solve
from gpu.run.stopping import StopSettings, criterion_met, iterations_left
from tests.colonies import some_cities
from tests.golden import Golden


def state(
    iteration: int = 10, best: int = 1000, best_iteration: int = 4, elapsed: float = 1.0
) -> RunState:
    return RunState(iteration, iteration, best, best_iteration, best, best, elapsed=elapsed)


NOTHING_YET = RunState(0, 0, None, 0, None, math.nan)


@pytest.mark.parametrize(
    ("settings", "left", "reason"),
    [
        (StopSettings(), math.inf, ""),
        (StopSettings(iterations=12), 2, ""),
        (StopSettings(iterations=10), 0, "limit of 10 iterations"),
        (StopSettings(seconds=1.5), math.inf, ""),
        (StopSettings(seconds=1.0), 0, "1 s"),
        (StopSettings(no_improvement=7), 1, ""),
        (StopSettings(no_improvement=6), 0, "6 iterations"),
        (StopSettings(target_length=1000), 0, "length of 1000"),
        (StopSettings(target_length=999), math.inf, ""),
        (StopSettings(target_gap=25), 0, "25 %"),
        (StopSettings(target_gap=24.9), math.inf, ""),
        (StopSettings(target_gap=0, iterations=11, no_improvement=9), 1, ""),
        (StopSettings(seconds=0.5, iterations=100), 0, "0.5 s"),
        (StopSettings(solutions=13), 3, ""),
        (StopSettings(solutions=10), 0, "limit of 10 tours"),
    ],
)
def test_any_criterion_is_enough(settings: StopSettings, left: float, reason: str) -> None:
    criteria = settings.criteria(some_cities(optimum=800))
    assert iterations_left(criteria, state()) == left
    met = criterion_met(criteria, state())
    assert (met is not None and reason in met.sentence(state())) if reason else met is None


def test_every_limit_can_be_given_wherever_a_run_begins() -> None:
    kept = [field.name for field in dataclasses.fields(StopSettings)]
    assert sorted(kept) == sorted([*STOP_LIMITS, "go_on"]), "gpu/core/stop_limits.py has no row"
    given = inspect.signature(solve).parameters
    asked = {name.removesuffix("_length") for name in kept}
    assert asked <= set(given), "gpu.run.solve has no such argument"


def test_nothing_is_reached_before_the_first_iteration() -> None:
    settings = StopSettings(10, 10, 0, 5, 10)
    criteria = settings.criteria(some_cities(optimum=800))
    assert criterion_met(criteria, NOTHING_YET) is None
    assert iterations_left(criteria, NOTHING_YET) == 10


def test_the_best_known_cost_ends_a_run_unless_it_is_to_go_on() -> None:
    known = some_cities(optimum=1000)
    _, criterion = StopSettings().criteria(known)
    assert iterations_left([criterion], state(best=1001)) == math.inf
    assert criterion_met([criterion], state(best=1000)) is criterion
    assert (criterion.name, criterion.sentence(state())) == (
        "optimum",
        "it found the best known length",
    )
    assert StopSettings(go_on=True).criteria(known) == ()
    assert [one.name for one in StopSettings().criteria(some_cities())] == ["proved"]
    assert StopSettings.from_dict({"seconds": 1.0}) == StopSettings(1.0, go_on=True)  # as it was


def test_a_cost_that_is_as_low_as_the_bound_ends_a_run_before_any_other_reason() -> None:
    criteria = StopSettings(target_length=9).criteria(some_cities(optimum=1000))
    bound = LowerBound(1000, "a clever argument", np.empty(0))
    assert criterion_met(criteria, state(best=1001)) is None
    assert not dataclasses.replace(state(best=1001), bound=bound).proved
    found = dataclasses.replace(state(best=1000), bound=bound)
    met = criterion_met(StopSettings().criteria(some_cities(optimum=1000)), found)
    assert met.name == "proved"
    assert met.sentence(found) == "proved optimal: 1000, and a clever argument"
    assert StopSettings(go_on=True).criteria(some_cities()) == ()
    assert not dataclasses.replace(NOTHING_YET, bound=bound).proved


def test_a_gap_needs_an_optimum() -> None:
    with pytest.raises(ParameterError, match="cities has none: give a target length"):
        StopSettings(target_gap=1).criteria(some_cities())


def test_impossible_settings_are_refused_by_name(golden: Golden) -> None:
    def told(line: str) -> str:
        with pytest.raises(ParameterError) as refused:
            eval(f"StopSettings({line})", {"StopSettings": StopSettings, "math": math})
        return str(refused.value)

    golden.table("refused-limits", told)


def test_settings_survive_json() -> None:
    settings = StopSettings(1.5, 10, 0.5, 7, 3, True, 500)
    assert StopSettings.from_dict(settings.to_dict()) == settings
    with pytest.raises(ParameterError, match="'minutes'"):
        StopSettings.from_dict({"minutes": 1})


def test_progress_is_the_nearest_of_time_and_iterations() -> None:
    assert StopSettings(target_length=1).share_done(state()) is None
    assert StopSettings(seconds=4, iterations=20).share_done(state()) == 0.5
    assert StopSettings(seconds=0.5).share_done(state()) == 1.0
    assert StopSettings(solutions=40).share_done(state()) == 0.25


def test_a_budget_of_tours_ends_with_the_iteration_that_spends_it() -> None:
    criteria = StopSettings(solutions=1000).criteria(some_cities())
    assert iterations_left(criteria, NOTHING_YET) == 1  # nobody knows how many ants there are
    for built, left in ((64, 15), (960, 1), (1024, 0)):
        now = RunState(built // 64, built, 5, 1, 5, 5.0)
        assert iterations_left(criteria, now) == left
