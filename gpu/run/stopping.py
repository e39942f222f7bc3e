"""Stop criteria: a run ends as soon as one of its criteria is met."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

from gpu.core.errors import ParameterError
from gpu.core.instance import Instance
from gpu.core.problem import Problem
from gpu.core.snapshot import Snapshot
from gpu.core.stop_limits import STOP_LIMITS
from gpu.core.words import counted


class StopCriterion(Protocol):
    """A reason to stop. Its text tells the user why the run ended."""

    def iterations_left(self, state: Snapshot) -> float:
        """Return how many iterations may follow ``state``: 0 to stop, infinity for no limit.

        The next slice makes no more iterations than this, so the run stops exactly at the limit.
        """


@dataclass(frozen=True, slots=True)
class IterationLimit:
    """Stop after exactly this many iterations."""

    iterations: int

    def iterations_left(self, state: Snapshot) -> float:
        """Return the iterations that are left."""
        return max(0, self.iterations - state.iteration)

    def __str__(self) -> str:
        return f"the limit of {counted(self.iterations, 'iteration')} is reached"


@dataclass(frozen=True, slots=True)
class TimeLimit:
    """Stop after this many seconds of solving; pauses do not count."""

    seconds: float

    def iterations_left(self, state: Snapshot) -> float:
        """Return 0 once the time is over."""
        return math.inf if state.elapsed < self.seconds else 0

    def __str__(self) -> str:
        return f"the time limit of {self.seconds:g} s is reached"


@dataclass(frozen=True, slots=True)
class TargetCost:
    """Stop at a solution of this cost or less: a tour's length, or the number of colors."""

    cost: int
    problem: Problem

    def iterations_left(self, state: Snapshot) -> float:
        """Return 0 once the best solution is good enough."""
        return math.inf if not state.iteration or state.best_cost > self.cost else 0

    def __str__(self) -> str:
        return f"the target {self.problem.words.aim.format(self.cost)} is reached"


@dataclass(frozen=True, slots=True)
class TargetGap:
    """Stop at a solution that costs at most ``percent`` more than ``optimum``."""

    percent: float
    optimum: int

    def iterations_left(self, state: Snapshot) -> float:
        """Return 0 once the best solution is good enough."""
        excess = 100 * (state.best_cost - self.optimum)
        return math.inf if not state.iteration or excess > self.percent * self.optimum else 0

    def __str__(self) -> str:
        return f"the target gap of {self.percent:g} % is reached"


@dataclass(frozen=True, slots=True)
class NoImprovement:
    """Stop when this many iterations in a row have found no better solution."""

    iterations: int
    problem: Problem

    def iterations_left(self, state: Snapshot) -> float:
        """Return the iterations that are left, counted from the last improvement."""
        return max(0, self.iterations - (state.iteration - state.best_iteration))

    def __str__(self) -> str:
        solution = self.problem.words.solution
        return f"no better {solution} was found in {counted(self.iterations, 'iteration')}"


@dataclass(frozen=True, slots=True)
class StopSettings:
    """The limits that the user asked for. A run without any goes on until it is cancelled.

    Raises
    ------
    ParameterError
        If a value is out of its range.
    """

    seconds: float | None = None  # seconds of solving, > 0
    iterations: int | None = None  # iterations, >= 1
    target_gap: float | None = None  # gap to the known optimum in %, >= 0
    target_length: int | None = None  # tour length, or number of colors, >= 0
    no_improvement: int | None = None  # iterations in a row without a better solution, >= 1

    def __post_init__(self) -> None:
        for name, limit in STOP_LIMITS.items():
            value = getattr(self, name)
            if value is None:
                continue
            shown = name.replace("_", " ")
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ParameterError(f"{shown} = {value!r} is not a number")
            if wanted := limit.wanted(value):
                must = "is not" if wanted.endswith("number") else "must be"
                raise ParameterError(f"{shown} = {value!r} {must} {wanted}")
            object.__setattr__(self, name, int(value) if limit.whole else float(value))

    def criteria(self, instance: Instance) -> tuple[StopCriterion, ...]:
        """Build the criteria for ``instance``.

        Raises
        ------
        ParameterError
            If there is a target gap, but no known optimum.
        """
        criteria: list[StopCriterion] = []
        if self.target_gap is not None:
            if not instance.optimum:
                raise ParameterError(
                    f"a target gap needs a known optimum, and {instance.name} has none: "
                    f"give a {instance.problem.words.target} instead"
                )
            criteria.append(TargetGap(self.target_gap, instance.optimum))
        if self.target_length is not None:
            criteria.append(TargetCost(self.target_length, instance.problem))
        if self.iterations is not None:
            criteria.append(IterationLimit(self.iterations))
        if self.no_improvement is not None:
            criteria.append(NoImprovement(self.no_improvement, instance.problem))
        if self.seconds is not None:
            criteria.append(TimeLimit(self.seconds))
        return tuple(criteria)

    def share_done(self, state: Snapshot) -> float | None:
        """Return which share of the time or of the iterations is used up, in [0, 1].

        None if neither is limited: nobody knows how near the other criteria are.
        """
        shares = []
        if self.seconds is not None:
            shares.append(state.elapsed / self.seconds)
        if self.iterations is not None:
            shares.append(state.iteration / self.iterations)
        return min(1.0, max(shares)) if shares else None

    def to_dict(self) -> dict[str, float | None]:
        """Return the limits by name, ready for JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, object]) -> Self:
        """Build from :meth:`to_dict`'s form; unknown names raise ParameterError."""
        known = {field.name for field in dataclasses.fields(cls)}
        for name in values:
            if name not in known:
                raise ParameterError(f"there is no stop criterion {name!r}")
        return cls(**values)  # type: ignore[arg-type]  # __post_init__ checks each type


def iterations_left(criteria: Sequence[StopCriterion], state: Snapshot) -> float:
    """Return the smallest number of iterations that one of ``criteria`` allows."""
    return min((criterion.iterations_left(state) for criterion in criteria), default=math.inf)


def reason_to_stop(criteria: Sequence[StopCriterion], state: Snapshot) -> str:
    """Return why the run must stop at ``state``; an empty text if it may go on."""
    for criterion in criteria:
        if criterion.iterations_left(state) <= 0:
            return str(criterion)
    return ""
