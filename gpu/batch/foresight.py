"""How long a study will take, before it begins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gpu.batch.plan import PlannedRun
from gpu.batch.results import FAILED
from gpu.batch.runner import Runner
from gpu.batch.worker import Worker
from gpu.core.colony import never
from gpu.core.errors import FormicariumError

TRIAL = 1.0  # seconds that each colony is tried on each instance

LIMITS, TRIALS, UNKNOWN = "limits", "trials", "unknown"


@dataclass(frozen=True, slots=True)
class Foresight:
    """The time that runs will take."""

    # LIMITS: at most so long, because each run has a limit of seconds; TRIALS: about so long, by a
    # short run of each colony on each instance; UNKNOWN: neither time nor iterations are limited,
    # or a trial was impossible
    basis: str
    seconds: float | None  # of all, with as many at once as the runner does; None if unknown
    why: str = ""  # why a trial was impossible, in a sentence


def foreseen(
    runs: Sequence[PlannedRun],
    runner: Runner,
    *,
    cancelled: Callable[[], bool] = never,
    trying: Callable[[str], object] = lambda what: None,
) -> Foresight:
    """Return how long ``runs`` will take.

    Where their budget has no seconds, but iterations, each colony is tried on each instance in this
    process for about a second, and compiled before; ``trying`` is told which.
    """
    left: dict[str, float] = defaultdict(float)
    basis = LIMITS
    tried: dict[tuple[str, str], float] = {}
    workers: dict[str, Worker] = {}
    for run in runs:
        seconds = run.budget.seconds
        if seconds is None:
            basis = TRIALS
            if run.budget.iterations is None:
                return Foresight(UNKNOWN, None)
            device = run.configuration.device
            kind = run.instance.name, run.configuration.label
            if kind not in tried:
                trying(f"{run.configuration.label} on {run.instance.name}")
                worker = workers.setdefault(device, Worker(device))
                try:
                    tried[kind] = _tried(run, worker, cancelled)
                except FormicariumError as error:
                    return Foresight(UNKNOWN, None, str(error))
            seconds = tried[kind]
        left[run.configuration.device] += seconds
    times = {device: amount / runner.at_once(device) for device, amount in left.items()}
    whole = times.pop("cpu", 0.0)  # they come after the others
    return Foresight(basis, max(times.values(), default=0.0) + whole)


def _tried(run: PlannedRun, worker: Worker, cancelled: Callable[[], bool]) -> float:
    """Return the seconds that ``run`` will take; FormicariumError if it cannot run here."""
    most = run.budget.iterations
    assert most is not None
    trial = replace(run, budget=replace(run.budget, seconds=TRIAL))
    record = worker.perform(trial, lambda: not cancelled())
    if record is None:
        raise FormicariumError("it was cancelled")
    if record.state == FAILED:
        raise FormicariumError(record.reason)
    if not record.iterations or record.seconds < TRIAL:  # it ended by itself, or took long
        return record.seconds if record.iterations else record.seconds * most
    return record.seconds * most / record.iterations
