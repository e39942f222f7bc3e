"""Stop criteria: a run ends as soon as one of its criteria is met."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

from gpu.core.arguments import described
from gpu.core.errors import ParameterError
from gpu.core.instance import Instance
from gpu.core.snapshot import RunState
from gpu.core.stop_limits import STOP_LIMITS
from gpu.core.words import counted

OPTIMUM = "optimum"  # the name of the criterion that the best known cost is reached
PROVED = "proved"  # the name of the criterion that the best solution is proved to be optimal

LATE, LATE_SHARE = 0.2, 0.02  # seconds, and share of the limit, by which a run may end later


class StopCriterion(NamedTuple):
    """A reason to stop.

    The next slice makes no more iterations than are left, so the run stops exactly at the limit.
    """

    name: str  # of the limit in :data:`STOP_LIMITS`, or ``OPTIMUM`` or ``PROVED``
    # how many iterations may follow a state: 0 to stop, infinity for no limit
    iterations_left: Callable[[RunState], float]
    # tells the user of the run's last state why it ended
    sentence: Callable[[RunState], str]


@dataclass(frozen=True, slots=True)
class StopSettings:
    """The limits that the user asked for, beside the best known cost and a proof of the optimum.

    Unless it should ``go_on``, a run ends at either of these. One that has neither goes on until it
    is cancelled. ParameterError if a value is out of its
    range.
    """

    seconds: float | None = None  # seconds of solving, > 0
    iterations: int | None = None  # iterations, >= 1
    target_gap: float | None = None  # gap to the known optimum in %, >= 0
    target_length: int | None = None  # tour length, or number of colors, >= 0
    no_improvement: int | None = None  # iterations in a row without a better solution, >= 1
    go_on: bool = False  # whether it goes on at the best known cost, and at an optimal one
    solutions: int | None = None  # tours or colorings that the ants build, >= 1

    def __post_init__(self) -> None:
        if not isinstance(self.go_on, bool):
            raise ParameterError(f"go on = {described(self.go_on)} is neither true nor false")
        for name, limit in STOP_LIMITS.items():
            value = getattr(self, name)
            if value is None:
                continue
            shown = name.replace("_", " ")
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ParameterError(f"{shown} = {described(value)} is not a number")
            if wanted := limit.wanted(value):
                must = "is not" if wanted.endswith("number") else "must be"
                raise ParameterError(f"{shown} = {described(value)} {must} {wanted}")
            object.__setattr__(self, name, int(value) if limit.whole else float(value))

    def criteria(self, instance: Instance) -> tuple[StopCriterion, ...]:
        """Build the criteria; ParameterError if there is a target gap, but no known optimum."""
        criteria: list[StopCriterion] = []
        words = instance.problem.words

        def add(name: str, iterations_left: Callable[[RunState], float], sentence: str) -> None:
            criteria.append(StopCriterion(name, iterations_left, lambda state: sentence))

        def reached(state: RunState, low: Callable[[int], bool]) -> float:
            return 0 if state.best_cost is not None and low(state.best_cost) else math.inf

        if (gap := self.target_gap) is not None:
            if not (optimum := instance.optimum):
                raise ParameterError(
                    f"a target gap needs a known optimum, and {instance.name} has none: "
                    f"give a {words.target} instead"
                )
            add(
                "target_gap",
                lambda state: reached(state, lambda cost: 100 * (cost - optimum) <= gap * optimum),
                f"the target gap of {gap:g} % is reached",
            )
        if (target := self.target_length) is not None:
            add(
                "target_length",
                lambda state: reached(state, lambda cost: cost <= target),
                f"the target {words.aim.format(instance.cost_unit.amount(target, ''))} is reached",
            )
        if not self.go_on:
            criteria.append(
                StopCriterion(
                    PROVED,
                    lambda state: 0 if state.proved else math.inf,
                    lambda state: proof_of(instance, state),
                )
            )
        if (known := instance.optimum) is not None and not self.go_on:
            add(
                OPTIMUM,
                lambda state: reached(state, lambda cost: cost <= known),
                f"it found {words.known}",
            )
        if (most := self.iterations) is not None:
            add(
                "iterations",
                lambda state: max(0, most - state.iteration),
                f"the limit of {counted(most, 'iteration')} is reached",
            )
        if (built := self.solutions) is not None:
            add(
                "solutions",
                lambda state: _iterations_to(built, state),
                f"the limit of {counted(built, words.solution)} is reached",
            )
        if (vain := self.no_improvement) is not None:
            add(
                "no_improvement",
                lambda state: max(0, vain - _idle_iterations(state)),
                f"no better {words.solution} was found in {counted(vain, 'iteration')}",
            )
        if (seconds := self.seconds) is not None:
            criteria.append(
                StopCriterion(
                    "seconds",
                    lambda state: math.inf if state.elapsed < seconds else 0,
                    lambda state: time_is_up(seconds, state),
                )
            )
        return tuple(criteria)

    def share_done(self, state: RunState) -> float | None:
        """Return which share of the time, the iterations or the solutions is used up, in [0, 1].

        None if none of them is limited: nobody knows how near the other criteria are.
        """
        used = (
            (state.elapsed, self.seconds),
            (state.iteration, self.iterations),
            (state.solutions_built, self.solutions),
        )
        shares = [done / limit for done, limit in used if limit is not None]
        return min(1.0, max(shares)) if shares else None

    @property
    def limited(self) -> bool:
        """Whether there is any limit beside the best known cost."""
        return self != StopSettings(go_on=self.go_on)

    def to_dict(self) -> dict[str, float | bool | None]:
        """Return the limits by name, ready for JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, object]) -> Self:
        """Build from :meth:`to_dict`'s form; unknown names raise ParameterError.

        Without ``go_on``, as older versions recorded it, the run goes on.
        """
        for name in values:
            if name not in (*STOP_LIMITS, "go_on"):
                raise ParameterError(f"there is no stop criterion {name!r}")
        return cls(**{"go_on": True, **values})  # type: ignore[arg-type]  # __post_init__ checks each type


def _idle_iterations(state: RunState) -> int:
    """Return in how many iterations in a row the colony has bettered nothing.

    One that has not reached the solution which the run began with makes progress as long as it
    betters its own best.
    """
    return state.iteration - max(state.best_iteration, state.improved_iteration)


def _iterations_to(solutions: int, state: RunState) -> int:
    """Return in how many iterations ``solutions`` will have been built.

    Where a colony does not say how many solutions each of them builds, the first one shows it.
    """
    if (missing := solutions - state.solutions_built) <= 0:
        return 0
    if not state.iteration:
        return 1
    if each := state.solutions_each:
        return -(-missing // each)
    return -(-missing * state.iteration // max(state.solutions_built, 1))


def iterations_left(criteria: Sequence[StopCriterion], state: RunState) -> float:
    """Return the smallest number of iterations that one of ``criteria`` allows."""
    return min((criterion.iterations_left(state) for criterion in criteria), default=math.inf)


def criterion_met(criteria: Sequence[StopCriterion], state: RunState) -> StopCriterion | None:
    """Return the first criterion because of which the run must stop; None if it may go on."""
    return next((one for one in criteria if one.iterations_left(state) <= 0), None)


def proof_of(instance: Instance, state: RunState) -> str:
    """Return why the best solution of a ``state`` that is ``proved`` is optimal, in words."""
    assert state.bound is not None
    return f"proved optimal: {instance.cost_unit.amount(state.cost, '')}, and {state.bound.why}"


def time_is_up(limit: float, state: RunState) -> str:
    """Return that the ``limit`` in seconds is reached, and how much later, if it is much."""
    reason = f"the time limit of {limit:g} s is reached"
    if state.elapsed <= limit + max(LATE, LATE_SHARE * limit):
        return reason
    which = counted(state.iteration, "iteration") if state.iteration else "no iteration"
    return (
        f"{reason}; {state.elapsed:.2f} s were spent, because an iteration could not be left "
        f"before ({which} in all)"
    )
