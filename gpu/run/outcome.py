"""How a run ended, and what it found."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from gpu.core.bounds import LowerBound
from gpu.core.errors import FormicariumError
from gpu.core.instance import Instance, Solution
from gpu.core.snapshot import RunState
from gpu.run.session import Session
from gpu.run.stopping import StopCriterion


class Ending(enum.StrEnum):
    """How a run ended."""

    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Spent(NamedTuple):
    """Seconds that a run took beside those of its state, in which it solved."""

    building: float = 0.0  # until the first iteration could begin: lists of cities, compilation
    checking: float = 0.0  # of the time of solving: to compute the costs of solutions anew


NOTHING_SPENT = Spent()


@dataclass(frozen=True, slots=True, eq=False)
class RunOutcome:
    """The end of a run."""

    ending: Ending  # finished, cancelled or failed
    # why it ended, in one sentence; where a criterion was met, a remark on that, or empty
    said: str
    state: RunState  # the last good one, with the best solution; its ``iteration`` may be 0
    details: str = ""  # the traceback of a failure, for the log; else empty
    refused: bool = False  # whether it failed before it began, for a reason that the user can mend
    spent: Spent = NOTHING_SPENT
    criterion: StopCriterion | None = None  # that was met; None where something else ended it

    @property
    def reason(self) -> str:
        """Why the run ended, in one sentence for the user."""
        if self.criterion is None:
            return self.said
        sentence = self.criterion.sentence(self.state)
        return f"{sentence} ({self.said})" if self.said else sentence


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """What a run found, and how it ended."""

    # what was solved; ``instance.write(path, result.solution, comment)`` writes a solution file
    instance: Instance = field(repr=False)
    session: Session  # all that decided the run: colony, device, parameters, seed and limits
    # (n,): the best, read-only: the cities of a tour in their order or the color of each vertex,
    # counted from 0; None if the run failed before it had one
    solution: Solution | None = field(repr=False)
    # its length, or its number of colors: a whole number, of which ``value`` is what is shown
    cost: int | None
    # cost of the best that ants built, which may be worse than what the run began with; None if
    # they built nothing
    ants_cost: int | None
    gap_percent: float | None  # how far ``cost`` lies above the best known one, where it is known
    best_iteration: int  # the iteration that found it, from 1; 0 for the one the run began with
    iterations: int  # iterations completed
    solutions_built: int  # solutions that the ants built in them
    seconds: float  # seconds of solving, without the time to build the colony
    ending: Ending  # finished, cancelled or failed
    reason: str  # why the run ended, in a sentence
    # whether it failed before it began, for a reason that the user can mend, such as its size
    refused: bool = False
    spent: Spent = NOTHING_SPENT  # seconds of building, and of checking
    criterion: str = ""  # the limit that ended it, by its name in a session, "optimum" or "proved"
    bound: LowerBound | None = None  # what no solution is better than; None if it is not known
    proved: bool = False  # whether the solution is optimal, because it costs no more than that
    found_by: str = ""  # what found the solution, if the colony says so
    kernel: int = 0  # cities (vertices) that the ants worked on, where these are not all

    @classmethod
    def of(cls, instance: Instance, session: Session, outcome: RunOutcome) -> Self:
        """Return the result of a run of ``session`` that ended with ``outcome``."""
        state = outcome.state
        cost = None if state.best_solution is None else state.cost
        gap = None if cost is None else instance.gap_percent(cost)
        best = (state.best_solution, cost, state.ants_cost, gap, state.best_iteration)
        made = (state.iteration, state.solutions_built, state.elapsed)
        met = "" if outcome.criterion is None else outcome.criterion.name
        end, spent = (outcome.ending, outcome.reason, outcome.refused), outcome.spent
        least = (state.bound, cost is not None and state.proved)
        colony = (state.found_by, state.kernel)
        return cls(instance, session, *best, *made, *end, spent, met, *least, *colony)

    @property
    def unit(self) -> str:
        """In what the instance counts its costs, in words; empty where its file does not say it."""
        return self.instance.unit

    @property
    def amount(self) -> int | float | None:
        """The cost in that unit, as its file has it: 22.5 where the cost 225 counts tenths."""
        return None if self.cost is None else self.instance.cost_unit.value(self.cost)

    @property
    def notes(self) -> list[str]:
        """What a user should know of the instance: what it was taken for, its unit, what is odd."""
        return self.instance.said

    def times(self) -> dict[str, float]:
        """Return the seconds of building and of solving; ``checking`` is a part of the latter."""
        return {
            "building": round(self.spent.building, 6),
            "solving": round(self.seconds, 6),
            "checking": round(self.spent.checking, 6),
        }

    def to_dict(self) -> dict[str, object]:
        """Return the object that ``formicarium solve --json`` prints; what is unknown is None.

        The solution in it is written as in its file, counting from 1.
        """
        words, unit = self.instance.problem.words, self.instance.cost_unit

        def value(cost: int | None) -> int | float | None:
            return None if cost is None else unit.value(cost)

        return {
            "instance": self.instance.name,
            "n": self.instance.real_n,
            "seen": self.instance.seen or None,
            "read_as": self.instance.read_as or None,
            "unit": self.instance.unit or None,
            "decimals": self.instance.decimals,
            "notes": self.instance.said,
            "aim": self.session.aim or None,
            "colony": self.session.colony,
            "device": self.session.device,
            "seed": self.session.seed,
            "start": self.session.start.path or None if self.session.start else None,
            "parameters": self.session.parameters.to_dict(),
            "iterations": self.iterations,
            f"{words.solutions}_built": self.solutions_built,
            "seconds": round(self.seconds, 6),
            "times": self.times(),
            f"best_{words.cost}": value(self.cost),
            "best_cost": self.cost,
            f"ants_best_{words.cost}": value(self.ants_cost),
            "best_iteration": None if self.cost is None else self.best_iteration,
            "optimum": value(self.instance.optimum),
            "gap_percent": self.gap_percent,
            "lower_bound": None if self.bound is None else value(self.bound.cost),
            "lower_bound_by": None if self.bound is None else self.bound.why,
            "proved": self.proved,
            "found_by": self.found_by or None,
            "kernel": self.kernel or None,
            words.written: None if self.solution is None else self.instance.written(self.solution),
            "ending": self.ending.value,
            "reason": self.reason,
        }


class RunFailedError(FormicariumError):
    """A run that failed; the message says why."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.reason)
        self.result = result  # what the run had found until then
