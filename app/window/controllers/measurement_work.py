"""What a thread does to measure speedups, hit ratios and options; what is found is shown at once.

Each function here takes what was chosen in the window and returns the work of a task.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.window.threads.tasks import Task
from gpu import catalog
from gpu.core import devices
from gpu.core.parameters import Parameters
from gpu.core.snapshot import Wanted
from gpu.measure import speedup
from gpu.measure.comparison import compare
from gpu.measure.comparison_report import ComparisonReport
from gpu.measure.contenders import contenders
from gpu.measure.speedup_report import SpeedupReport
from gpu.problems.bundled import bundled
from gpu.problems.loading import load_instance
from views.measure.speedup_view import MOST_PLACES
from views.plots.hit_rate_view import HitRate

if TYPE_CHECKING:
    from gpu.core.devices import Device
    from gpu.core.instance import Instance
    from gpu.core.problem import Problem
    from gpu.core.system import System

MEMORIES = (1, 2, 4, 8, 16, 32)
"""Sizes s of the selective memory whose hit ratios are measured."""

ITERATIONS = 100
"""Iterations for each of these sizes."""

REPEATS = 3
"""Runs of each contender in a thorough measurement of speedups."""

BUDGET = 10.0
"""Seconds that each of these runs may take to reach the target."""


def speedup_work(
    instance: Instance,
    system: System,
    scope: str,
    values: Mapping[str, object],
    seed: int,
    show: Callable[[list[SpeedupReport]], object],
    *,
    every: bool,
    thorough: bool,
) -> Callable[[Task[Any]], list[SpeedupReport]]:
    """Return the work that measures speedups.

    Parameters
    ----------
    instance : Instance
        The loaded instance.
    system : System
        The chosen colony.
    scope : str
        Which instances to measure on: a key of ``MOST_PLACES``, or else the loaded one alone.
    values : mapping of str to object
        The parameters chosen for ``system``.
    seed : int
    show : callable taking list of SpeedupReport
        Shows what has been measured; called in the window's thread.
    every : bool
        Whether to measure every colony for this problem, instead of ``system`` alone.
    thorough : bool
        Whether to measure the time to the same length too, and with more repeats.
    """
    names = _names_for(instance.problem) if every else (system.name,)

    def work(task: Task[Any]) -> list[SpeedupReport]:
        among = contenders(names, devices.survey())
        shared = _shared(values, system.parameters, [one.system.parameters for one in among])
        paths = _paths(scope, instance.problem)
        reports: list[SpeedupReport] = []
        for number, path in enumerate(paths):
            one = instance if path is None else load_instance(path)
            report = speedup.measure(
                one,
                among,
                shared,
                seed=seed,
                repeats=REPEATS if thorough else 2,
                iterations=None if thorough else 10,
                budget=BUDGET if thorough else 0.0,
                cancelled=lambda: task.cancelled,
                progress=_reporter(task, one.name, number, len(paths)),
            )
            if not report.complete:
                break
            reports.append(report)
            task.post(show, list(reports))
        return reports

    return work


def hit_rate_work(
    instance: Instance,
    system: System,
    device: Device,
    values: Mapping[str, object],
    seed: int,
    show: Callable[[list[HitRate]], object],
) -> Callable[[Task[Any]], list[HitRate]]:
    """Return the work that measures the mean hit ratios for each size in ``MEMORIES``.

    Parameters
    ----------
    instance : Instance
    system : System
        A colony with a selective memory.
    device : Device
    values : mapping of str to object
        Its parameters, but for the size of the memory.
    seed : int
    show : callable taking list of HitRate
        Shows what has been measured; called in the window's thread.
    """

    def work(task: Task[Any]) -> list[HitRate]:
        rates: list[HitRate] = []
        for number, memory in enumerate(MEMORIES):
            parameters = system.parameters.from_mapping({**values, "memory": memory})
            with closing(
                catalog.build(system, instance, parameters.resolved(instance.n), device, seed)
            ) as colony:
                for done in range(ITERATIONS):
                    if task.cancelled:
                        return rates
                    share = (number + done / ITERATIONS) / len(MEMORIES)
                    task.report(share, f"s = {memory}, iteration {done + 1}")
                    colony.iterate(1, stop=lambda: task.cancelled)
                updates = colony.snapshot(Wanted.NUMBERS).updates
            assert updates is not None  # a selective memory counts them
            rates.append(HitRate(memory, updates.local_ratio, updates.global_ratio))
            task.post(show, list(rates))
        return rates

    return work


def comparison_work(
    instance: Instance,
    system: System,
    device: Device,
    parameters: Mapping[str, object],
    seed: int,
    show: Callable[[ComparisonReport], object],
) -> Callable[[Task[Any]], ComparisonReport]:
    """Return the work that compares the colonies of a search, and the options of ``system``.

    Parameters
    ----------
    instance : Instance
    system : System
        The chosen colony.
    device : Device
    parameters : mapping of str to object
        Its parameters.
    seed : int
    show : callable taking ComparisonReport
        Shows what has been measured; called in the window's thread.
    """

    def work(task: Task[Any]) -> ComparisonReport:
        report = compare(
            instance,
            system,
            device,
            parameters,
            seed=seed,
            cancelled=lambda: task.cancelled,
            progress=lambda text, share: task.report(share, text),
            found=lambda report: task.post(show, report),
        )
        task.post(show, report)
        return report

    return work


def given(values: Mapping[str, object]) -> dict[str, object]:
    """Return those of ``values`` that are not left to the colony."""
    return {name: value for name, value in values.items() if value is not None}


def _names_for(problem: Problem) -> tuple[str, ...]:
    """Return the name of each system for ``problem`` that a device here can run."""
    found = devices.survey().devices
    return tuple(
        system.name
        for system in catalog.CATALOG
        if system.problem is problem and any(system.runs_on(device) for device in found)
    )


def _reporter(task: Task[Any], name: str, number: int, count: int) -> Callable[[str, float], None]:
    """Return what reports the progress on all ``count`` instances while one is measured."""
    return lambda text, share: task.report((number + share) / count, f"{name}: {text}")


def _shared(
    values: Mapping[str, object], former: type[Parameters], among: Sequence[type[Parameters]]
) -> dict[str, object]:
    """Return those of ``values``, chosen for ``former``, that mean the same to all that have them.

    Values that were not chosen are left out: each colony has its own defaults.
    """
    kept = given(values)
    for kind in among:
        same = kind.taken_over(values, former)
        kept = {
            name: value
            for name, value in kept.items()
            if name in same or (name not in kind.kinds() and name in former.kinds())
        }
    known = {name for kind in among for name in kind.kinds()}
    return {name: value for name, value in kept.items() if name in known}


def _paths(scope: str, problem: Problem) -> list[Path | None]:
    """Return the files of a scope, smallest first; None stands for the loaded instance."""
    if scope not in MOST_PLACES:
        return [None]
    most = MOST_PLACES[scope]
    chosen = [one for one in bundled() if one.problem is problem and one.n <= most]
    return [one.path for one in sorted(chosen, key=lambda one: one.n)]
