"""A recorded run: its curves, the last state with all that led to it, and how it is repeated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from gpu.core.arrays import frozen
from gpu.core.bounds import LowerBound
from gpu.core.cost_curve import CostCurve, CurveRow, RunCurves
from gpu.core.errors import SolutionError
from gpu.core.history import Improvement, Progress
from gpu.core.instance import Instance, Solution
from gpu.core.records import Count, Real, record_of
from gpu.core.snapshot import Merges, RunState, Updates
from gpu.core.words import counted
from gpu.run.bounding import bound_shown_by
from gpu.run.changes import edited_by
from gpu.run.log.run_log import RunLog
from gpu.run.outcome import Result
from gpu.run.session import Session, SessionError
from gpu.run.stopping import StopSettings

RECORDED_POINTS_MOST = 4000  # of each recorded curve


@dataclass(frozen=True)
class _CurveLine:
    """What curves have of a line of a log."""

    kind: str
    iteration: Count
    solutions: Count
    seconds: Real
    best: Annotated[int, Meta(ge=0, le=2**53)] | None  # exact in float64 up to this
    best_iteration: Count | None = None
    iteration_best: Real | None = None
    iteration_mean: Real | None = None
    cities: list[Any] | None = None

    def row(self, cost: float) -> CurveRow:
        """Return a cost of this moment."""
        return self.iteration, self.solutions, self.seconds, cost

    def best_row(self) -> CurveRow:
        """Return where the best solution was found, and its cost.

        A line may be of a later iteration than its best solution: several are made between two
        looks. Every iteration builds as many solutions.
        """
        found, cost = self.best_iteration, float(self.best or 0)
        if found is None or found > self.iteration or not self.iteration:
            return self.row(cost)
        return found, self.solutions * found // self.iteration, self.seconds, cost


def curves_of(log: RunLog) -> RunCurves:
    """Return the curves that are recorded in ``log``, of any version.

    SessionError if a number in it is none.
    """
    built, where = log.session.system.problem.words.solutions, f"{log.path}: not a run's log"
    single = log.header["format"] == 1  # then any line has the mean of one iteration
    told = [
        record_of(_CurveLine, {**line, "solutions": line.get(built)}, SessionError, where)
        for line in (*log.records, *([log.outcome] if log.outcome else []))
        if line["best"] is not None or line.get("iteration_mean") is not None
    ]
    looks = [
        (line, line.iteration_mean, line.iteration_best or 0.0)
        for line in told
        if line.iteration_mean is not None and (single or line.kind != "improvement")
    ]
    instance = log.header.get("instance")
    optimum = instance.get("optimum") if isinstance(instance, dict) else None
    edited = any(change.cities for change in log.made)
    known = None
    if optimum is not None and not edited:
        known = record_of(int, optimum, SessionError, where)
    return RunCurves(
        _curve(_improvements(told), falling=not edited),
        _curve([line.row(mean) for line, mean, _ in looks]),
        _curve([line.row(least) for line, _, least in looks]),
        known or None,
    )


def _improvements(lines: Sequence[_CurveLine]) -> list[CurveRow]:
    """Return the lines with a better cost than all before, and the last line with a cost."""
    found: list[CurveRow] = []
    last, least = None, math.inf
    for line in lines:
        if line.best is None:
            continue
        last = line
        if line.best < least or line.cities:  # after a change of the cities all costs are others
            found.append(line.best_row())
            least = line.best
    # The last state counts for its moment, not for when its best solution was found.
    return found if last is None else [*found, last.row(float(last.best or 0))]


def _curve(rows: Sequence[CurveRow], *, falling: bool = False) -> CostCurve:
    """Return ``rows`` as a curve, whose moments never go back even if a log says so."""
    curve = CostCurve.of(rows)
    costs = np.minimum.accumulate(curve.costs) if falling else curve.costs
    grown = np.maximum.accumulate
    return CostCurve(
        frozen(grown(curve.iterations)),
        frozen(grown(curve.solutions)),
        frozen(grown(curve.seconds)),
        frozen(costs),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """A log, and what it shows."""

    log: RunLog
    # what the run ended with: another instance than it began with, where cities have changed
    instance: Instance
    begun_on: Instance  # what the run began with
    state: RunState | None  # the last one recorded, with its solution; None if there is none
    warning: str = ""  # what is wrong with the log, in a sentence; mostly empty


def recorded_of(log: RunLog, instance: Instance) -> Recorded:
    """Return what ``log`` shows of a run on ``instance``; SessionError if a number is none.

    InstanceError if the log has changes of its cities that are impossible.
    """
    begun_on, instance, last = instance, edited_by(log.made, instance), log.last
    if last is None or last["best"] is None:
        return Recorded(log, instance, begun_on, None)
    curve = curves_of(log).thinned(RECORDED_POINTS_MOST)
    best = curve.best
    solution, warning = _solution(log, last, instance)
    state = RunState(
        iteration=int(best.iterations[-1]),
        solutions_built=int(best.solutions[-1]),
        best_cost=int(best.costs[-1]),
        best_iteration=int(best.iterations[-2]) if len(best) > 1 else 0,
        iteration_best=int(curve.latest.costs[-1]) if len(curve.latest) else 0,
        iteration_mean=float(curve.means.costs[-1]) if len(curve.means) else math.nan,
        best_solution=solution,
        ants_cost=next(iter(_counts(last, ("ants_best",))), None),
        updates=_updates(last),
        merges=_merges(last),
        progress=_progress(curve),
        elapsed=float(best.seconds[-1]),
        bound=_bound(log, instance),
    )
    return Recorded(log, instance, begun_on, state, warning)


def _bound(log: RunLog, instance: Instance) -> LowerBound | None:
    """Return what no solution is better than, if the log has that and shows why it is so."""
    if log.bound is None:
        return None
    try:
        return bound_shown_by(instance, np.array(log.bound.get("witness"), np.int64) - 1)
    except (SolutionError, TypeError, ValueError, OverflowError):
        return None


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


def _progress(curve: RunCurves) -> Progress:
    """Return what happened from the first iteration to the last."""
    best, means = curve.best, curve.means
    improvements = tuple(
        Improvement(int(iteration), seconds, int(built), int(cost), math.nan)
        for iteration, built, seconds, cost in best.rows[:-1]  # the last row is the present
    )
    return Progress(
        last=int(best.iterations[-1]),
        improvements=improvements,
        counts=np.maximum(1, np.diff(means.iterations, prepend=0)),
        ends=means.iterations,
        seconds=means.seconds,
        best=curve.latest.costs.astype(np.int64),
        mean=means.costs,
    )


def _solution(log: RunLog, last: dict[str, Any], instance: Instance) -> tuple[Solution | None, str]:
    """Return the recorded solution, read-only, or None and why it is not shown."""
    words = instance.problem.words
    written = last.get(words.written)
    if written is None:  # the run was killed: only its last line would have had it
        return None, ""
    wrong = f"{log.path}: its {words.solution} is not shown: it is none of {instance.name}"
    try:
        solution = instance.read(written)
    except SolutionError:
        return None, wrong
    cost = instance.cost_of(solution)
    if cost != last["best"]:
        known = instance.cost_unit.amount(cost, "")
        return None, f"{log.path}: its {words.solution} is not shown: its {words.cost} is {known}"
    return solution, ""


def repeated(log: RunLog, device: str | None = None) -> Session:
    """Return the session of ``log``, limited to exactly the iterations that were recorded.

    A session without a result (nothing was run yet) keeps its own limits. A ``device`` takes the
    place of the recorded one, or DeviceError says that the colony does not run there.

    SessionError if the run was killed before anything was recorded that could be compared.
    """
    session = log.session if device is None else log.session.with_device(device)
    if log.last is None or not log.last["iteration"]:
        if log.cut_off:
            instance = session.instance
            raise SessionError(
                f"{log.path}: the run was killed, or has not finished its first iteration: there "
                f"is nothing to compare with; solve {instance.path or instance.name} "
                f"anew with the choices in the log's first line (seed {session.seed})"
            )
        return session
    last = log.last["iteration"]
    changes = [replace(one, stop=None) for one in log.made]
    return replace(
        session,
        stop=StopSettings(iterations=last, go_on=True),
        changes=tuple(one for one in changes if one.parameters or one.cities),
    )


def comparison(log: RunLog, result: Result) -> tuple[bool, str]:
    """Compare ``result`` with the result in ``log``.

    Return False if the results differ and must not, and a sentence for the user.
    """
    session, words = result.session, result.instance.problem.words
    recorded, cost = log.last, result.cost

    def written(cost: int) -> str:
        return result.instance.cost_unit.amount(cost, "")

    if recorded is None or recorded["best"] is None or cost is None or result.solution is None:
        return True, "there is no recorded result to compare with"
    if result.iterations and not recorded["iteration"]:  # it was stopped before its first one
        return True, "the recorded run made no iteration, so there is nothing to compare with"
    began = not result.best_iteration and recorded.get("best_iteration")
    if began and cost < recorded["best"]:
        return True, f"runs now begin with a better {words.solution} than was recorded"
    solution = recorded.get(words.written)
    same_cost = recorded["best"] == cost
    after = f"after {counted(result.iterations, 'iteration')}"
    if same_cost and solution in (None, result.instance.written(result.solution)):
        what = words.cost if solution is None else words.solution
        return True, f"the same {what} as recorded: {written(cost)} {after}"
    if same_cost:
        found = f"another {words.solution} of the same {words.cost} {written(cost)} {after}"
    else:
        known = written(recorded["best"])
        found = f"{written(cost)} {after}, where {known} is recorded"
    if log.restarts:
        return True, f"{found}; the recorded run went on after a fault, which is not repeated"
    if not session.system.deterministic:
        return True, f"{found}; {session.colony} lets its updates race, so that runs may differ"
    return False, f"{found}; {session.colony} must give the same {words.solution} for the same seed"
