"""What a thread does to measure speedups, hit ratios and options; what is found is shown at once.

``show`` shows what has been measured, and is called in the window's thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from app.window.threads.tasks import Task
from gpu import catalog
from gpu.batch import speedup
from gpu.batch.comparison import compare
from gpu.batch.comparison_report import ComparisonReport
from gpu.batch.contenders import contenders
from gpu.batch.speedup_report import SpeedupReport
from gpu.core.machine import devices
from gpu.core.parameters import Parameters
from gpu.core.snapshot import Wanted
from gpu.problems.bundled import bundled
from gpu.problems.loading import load_instance
from views.measure.speedup_view import MOST_PLACES
from views.plots.hit_rate_view import HitRate

if TYPE_CHECKING:
    from gpu.core.instance import Instance
    from gpu.core.machine.devices import Device
    from gpu.core.problem import Problem
    from gpu.core.system import System

MEMORIES = (1, 2, 4, 8, 16, 32)
"""Sizes s of the selective memory whose hit ratios are measured."""

ITERATIONS = 100
"""Iterations for each of these sizes."""


class Chosen(NamedTuple):
    """What the user chose to measure."""

    instance: Instance
    system: System
    values: Mapping[str, object]  # parameters of the system
    seed: int


def measure_speedups(
    chosen: Chosen,
    scope: str,
    every: bool,
    thorough: bool,
    show: Callable[[list[SpeedupReport]], object],
    task: Task[Any],
) -> list[SpeedupReport]:
    """Measure speedups.

    ``scope`` says on which instances: it is a key of ``MOST_PLACES``, or else stands for the chosen
    one alone. With ``every``, all colonies for its problem are measured, else the chosen one alone.
    ``thorough`` adds the time to the same length, and repeats.
    """
    instance, system, values, seed = chosen
    among = contenders(_names_for(instance.problem) if every else (system.name,), devices.survey())
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
            repeats=3 if thorough else 2,
            iterations=None if thorough else 10,
            budget=10.0 if thorough else 0.0,
            cancelled=lambda: task.cancelled,
            progress=partial(_report, task, one.name, number, len(paths)),
        )
        if not report.complete:
            break
        reports.append(report)
        task.post(show, list(reports))
    return reports


def measure_hit_rates(
    chosen: Chosen, device: Device, show: Callable[[list[HitRate]], object], task: Task[Any]
) -> list[HitRate]:
    """Measure the mean hit ratios of a selective memory for each size in ``MEMORIES``."""
    instance, system, values, seed = chosen
    rates: list[HitRate] = []
    for number, memory in enumerate(MEMORIES):
        parameters = system.parameters.from_mapping({**values, "memory": memory})
        resolved = parameters.resolved(instance.n)
        with closing(catalog.build(system, instance, resolved, device, seed)) as colony:
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


def measure_options(
    chosen: Chosen, device: Device, show: Callable[[ComparisonReport], object], task: Task[Any]
) -> ComparisonReport:
    """Compare the colonies of a search, and the options of the chosen one."""
    report = compare(
        chosen.instance,
        chosen.system,
        device,
        chosen.values,
        seed=chosen.seed,
        cancelled=lambda: task.cancelled,
        progress=lambda text, share: task.report(share, text),
        found=partial(task.post, show),
    )
    task.post(show, report)
    return report


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


def _report(task: Task[Any], name: str, number: int, count: int, text: str, share: float) -> None:
    """Report the progress on all ``count`` instances while one is measured."""
    task.report((number + share) / count, f"{name}: {text}")


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
