"""A recorded run as the window shows it: the last state, with all that led to it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.errors import SolutionError
from gpu.core.history import Improvement, Progress
from gpu.core.instance import Instance
from gpu.core.snapshot import Merges, Snapshot, Updates
from gpu.run.changes import edited_by
from gpu.run.log.curve import Curve, curve_of
from gpu.run.log.run_log import RunLog

MOST_POINTS = 4000  # of each recorded curve


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """A log, and what it shows."""

    log: RunLog
    # what the run ended with: another instance than it began with, where cities have changed
    instance: Instance
    begun_on: Instance  # what the run began with
    state: Snapshot | None  # the last one recorded, with its solution; None if there is none
    warning: str = ""  # what is wrong with the log, in a sentence; mostly empty


def recorded_of(log: RunLog, instance: Instance) -> Recorded:
    """Return what ``log`` shows of a run on ``instance``; SessionError if a number is none.

    InstanceError if the log has changes of its cities that are impossible.
    """
    begun_on, instance, last = instance, edited_by(log.made, instance), log.last
    if last is None or last["best"] is None:
        return Recorded(log, instance, begun_on, None)
    curve = curve_of(log).thinned(MOST_POINTS)
    best = curve.best
    solution, warning = _solution(log, last, instance)
    state = Snapshot(
        iteration=int(best.iterations[-1]),
        solutions_built=int(best.solutions[-1]),
        best_cost=int(best.values[-1]),
        best_iteration=int(best.iterations[-2]) if len(best) > 1 else 0,
        iteration_best=int(curve.latest.values[-1]) if len(curve.latest) else 0,
        iteration_mean=float(curve.means.values[-1]) if len(curve.means) else math.nan,
        best_solution=solution,
        updates=_updates(last),
        merges=_merges(last),
        progress=_progress(curve),
        elapsed=float(best.seconds[-1]),
    )
    return Recorded(log, instance, begun_on, state, warning)


def _updates(last: dict[str, Any]) -> Updates | None:
    """Return the hits of a selective memory, if the log has them."""
    names = "local_hits", "local_updates", "global_hits", "global_updates"
    counts = _counts(last, names)
    return Updates(*counts) if counts else None


def _merges(last: dict[str, Any]) -> Merges | None:
    """Return what became of the ants' changes of a common tour, if the log has that."""
    counts = _counts(last, ("changes_tried", "changes_won", "changes_merged"))
    return Merges(*counts) if counts else None


def _counts(last: dict[str, Any], names: Sequence[str]) -> list[int]:
    """Return the counts of these ``names``; none if one is missing, or is none."""
    found = [last.get(name) for name in names]
    counts = [one for one in found if type(one) is int and one >= 0]
    return counts if len(counts) == len(names) else []


def _progress(curve: Curve) -> Progress:
    """Return what happened from the first iteration to the last."""
    best, means = curve.best, curve.means
    rows = zip(best.iterations, best.seconds, best.solutions, best.values, strict=True)
    improvements = tuple(
        Improvement(int(iteration), float(seconds), int(built), int(cost), math.nan)
        for iteration, seconds, built, cost in list(rows)[:-1]  # the last row is the present
    )
    return Progress(
        last=int(best.iterations[-1]),
        improvements=improvements,
        counts=np.maximum(1, np.diff(means.iterations, prepend=0)),
        ends=means.iterations,
        seconds=means.seconds,
        best=curve.latest.values.astype(np.int64),
        mean=means.values,
    )


def _solution(
    log: RunLog, last: dict[str, Any], instance: Instance
) -> tuple[NDArray[np.int32] | None, str]:
    """Return the recorded solution, read-only, or None and why it is not shown."""
    words = instance.problem.words
    written = last.get(words.written)
    if written is None:  # the run was killed: only its last line would have had it
        return None, ""
    wrong = f"{log.path}: its {words.solution} is not shown: it is none of {instance.name}"
    # What each place is called in files: cities have numbers of their own, colors count from 1.
    names = np.array(instance.written(np.arange(instance.n)))
    try:
        numbers = np.array(written, np.int64)
        if numbers.shape != (instance.n,):
            return None, wrong
        places = np.minimum(np.searchsorted(names, numbers), instance.n - 1)
        if (names[places] != numbers).any():
            return None, wrong
        solution = places.astype(np.int32)
        cost = instance.cost_of(solution)
    except (SolutionError, TypeError, ValueError, OverflowError):
        return None, wrong
    if cost != last["best"]:
        known = words.amount(cost)
        return None, f"{log.path}: its {words.solution} is not shown: its {words.cost} is {known}"
    return frozen(solution), ""
