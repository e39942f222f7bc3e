"""Limits of time that are measured before a study begins: as long as a colony takes."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from gpu.core.colony import never
from gpu.run.stopping import StopSettings
from gpu.studies.cases import DONE, Case, CaseRecord
from gpu.studies.design import Design, DesignError, MeasuredLimit
from gpu.studies.execution.worker import InProcess
from gpu.studies.plan import find_bundled, make_plan
from gpu.studies.store import StoreError, read_design_text, read_limits

_DIGITS = 4  # of the seconds that are measured: no more of them are the same twice

_measured: dict[str, float] = {}
"""Seconds of runs that were measured in this process, by the key of the case."""


def with_measured_limits(
    design: Design,
    folder: Path,
    *,
    known: Mapping[str, float] | None = None,
    find: Callable[[str], Path] = find_bundled,
    cancelled: Callable[[], bool] = never,
    telling: Callable[[str], object] = lambda what: None,
) -> Design:
    """Return ``design`` with the seconds that its measured limit gives, instance by instance.

    A design without such a limit is returned as it is. So are the budgets of instances that have
    their own. Seconds that are ``known``, by the name of an instance, are not measured again: those
    of a study that goes on. ``folder`` and ``find`` are those of
    :func:`gpu.studies.plan.make_plan`; ``telling`` is told what is measured.

    Raises
    ------
    FormicariumError
        If the colony cannot run, or it was cancelled.
    """
    limit = design.measured_limit
    if limit is None:
        return design
    plan = make_plan(_measuring(design, limit), folder, find=find)
    cases: dict[str, list[Case]] = defaultdict(list)
    for case in plan.cases:
        cases[case.instance.name].append(case)
    most = design.budget.seconds or math.inf  # a trial's limit
    here = InProcess(stop=cancelled)
    found = dict(design.budgets)
    for name, several in cases.items():
        if name in found:
            continue
        seconds = (known or {}).get(name)
        if seconds is None:
            telling(f"measuring the limit of {name}")
            seconds = fmean(_seconds(case, here) for case in several)
            seconds = float(f"{seconds:.{_DIGITS}g}")
        found[name] = replace(design.budget, seconds=min(seconds, most))
    return replace(design, budgets=found)


def limits_kept(path: Path, limit: MeasuredLimit) -> dict[str, float]:
    """Return the limits that the study in a file began with, by the instance's name.

    None of a study with another rule, and none of a file that is no study's.
    """
    try:
        design = Design.from_toml(read_design_text(path))
        return read_limits(path) if design.measured_limit == limit else {}
    except (StoreError, DesignError):
        return {}


def _measuring(design: Design, limit: MeasuredLimit) -> Design:
    """Return the study of the colony that is measured."""
    return Design(
        title=design.title,
        instances=design.instances,
        seeds=tuple(range(1, limit.runs + 1)),
        budget=StopSettings(iterations=limit.iterations, go_on=True),
        colonies=(limit.of,),
        reading=design.reading,
    )


def _seconds(case: Case, here: InProcess) -> float:
    """Return the seconds of the run ``case``."""
    if case.key not in _measured:
        records = [one for _, one in here.results([case]) if isinstance(one, CaseRecord)]
        if not records:
            raise DesignError("it was cancelled while the limit of time was measured")
        (record,) = records
        if record.state != DONE:
            raise DesignError(f"the limit of time cannot be measured: {record.reason}")
        _measured[case.key] = record.seconds
    return _measured[case.key]
