"""Measure which system of a family, and which of its options, is fastest.

The catalog and the parameters decide what is compared: every system of the same family that runs on
the device, and every option of the chosen system. All get the same instance, seeds and parameters.
Warm-up is not timed. The systems take turns, so a device that slows down slows all of them. The
report has medians and quartiles of times. It says nothing about solutions, which an option may
change.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from gpu import catalog
from gpu.core.errors import DeviceError, ParameterError
from gpu.core.instance import Instance
from gpu.core.machine.devices import Device
from gpu.core.machine.processes import machine, versions
from gpu.core.parameters import Parameters
from gpu.core.system import System
from gpu.timing.measured import COLONY_GROUP, ComparisonReport, ComparisonRow, Spread
from gpu.timing.turns import CancelledError, TimedColony, TimedTurns, time_phases

OPTION_ROUNDS = 3
"""Usual number of times that each alternative is timed."""

ITERATION_LIMIT = 5.0
"""Usual limit of the seconds that an iteration may take."""

OPTION_WARMING = 0.1
"""Seconds of work right before a colony is timed, which raise the device's clocks."""

OPTION_SAMPLE = 0.3
"""Seconds of iterations in each timing, with one iteration at least. Each repeat has two timings:
phase by phase, and of whole iterations."""

MOST_BY_PHASE = 50
"""Largest number of iterations timed phase by phase in one repeat."""

SMALLEST_PART = 128
"""Cities (vertices) of the smallest part of the instance that is timed for an estimate."""

MEASURABLE = 10.0
"""Milliseconds from which on a phase is long enough to show how its time grows."""

STEEPEST = 4.0
"""Highest power of the number of cities with which a phase's time is assumed to grow."""


class Alternative(NamedTuple):
    """Another system, or an option of the chosen system."""

    row: ComparisonRow  # without times
    system: System
    parameters: Parameters  # of the system's own kind; what is automatic is not resolved yet

    def key(self, n: int) -> tuple[str, Parameters]:
        """Return what equal alternatives on ``n`` cities (vertices) have in common."""
        return self.system.name, self.parameters.resolved(n)


def alternatives(
    system: System, device: Device, given: Mapping[str, object], n: int
) -> list[Alternative]:
    """Return all that ``system`` on ``device`` is to be compared with, group by group.

    ``given`` has its parameters that differ from the defaults, as values or as texts; ``n``, the
    number of cities (vertices), decides automatic values.

    Raises
    ------
    ParameterError
        If a parameter is unknown or out of range.
    """
    chosen = system.parameters.from_mapping(given)
    return [*_systems(system, device, given, n), *_options(system, chosen, n)]


def _systems(
    system: System, device: Device, given: Mapping[str, object], n: int
) -> Iterator[Alternative]:
    for other in catalog.CATALOG:
        itself = other.name == system.name
        if not (itself or other.alias == system.alias != "") or not other.runs_on(device):
            continue
        kind = other.parameters
        parameters = kind.from_mapping(
            given if itself else kind.taken_over(given, system.parameters)
        )
        values = parameters.resolved(n).to_dict()
        row = ComparisonRow(
            COLONY_GROUP, other.name, other.summary, "construction", itself, other.name, values
        )
        yield Alternative(row, other, parameters)


def _options(system: System, chosen: Parameters, n: int) -> Iterator[Alternative]:
    resolved = chosen.resolved(n).to_dict()
    for name, explanation in system.parameters.explanations().items():
        options: list[int | str | None] = list(explanation.alternatives)
        if options and resolved[name] is None:
            options.insert(0, None)  # the colony itself decides what is automatic
        for option in options:
            label, meaning = str(option), explanation.options.get(str(option), "")
            if option is None:
                label, meaning = "auto", explanation.automatic
            # Parameters itself is no dataclass; all that come here are.
            parameters = dataclasses.replace(chosen, **{name: option})  # type: ignore[type-var]
            values, itself = parameters.resolved(n).to_dict(), option == resolved[name]
            row = ComparisonRow(
                name, label, meaning, explanation.phase, itself, system.name, values
            )
            yield Alternative(row, system, parameters)


def compare(
    instance: Instance,
    system: System,
    device: Device,
    parameters: Mapping[str, object] | None = None,
    *,
    seed: int = 1,
    repeats: int = OPTION_ROUNDS,
    limit: float = ITERATION_LIMIT,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[str, float], None] = lambda text, share: None,
    found: Callable[[ComparisonReport], None] = lambda report: None,
) -> ComparisonReport:
    """Measure ``system``, the other systems of its family, and all of its options.

    Other systems get those of ``parameters`` that mean the same to them, and their own defaults for
    all others. Each of the ``repeats`` has the next seed. An option is not measured if an estimate,
    made with parts of the instance, says that its iteration takes more than ``limit`` seconds; its
    row says so, as that of an alternative that is refused, does not fit the device or fails.

    ``cancelled`` is asked at least once an iteration, and True ends the comparison. ``progress``
    gets a text with the present step, and the share of all steps that is done, in [0, 1]. ``found``
    gets a report of all that is known, each time there is more.

    Raises
    ------
    ParameterError
        If a parameter is unknown or out of range, or if ``repeats`` or ``limit`` is.
    """
    if repeats < 1:
        raise ParameterError(f"repeats = {repeats} must be at least 1")
    if not (math.isfinite(limit) and limit > 0):
        raise ParameterError(f"limit = {limit:g} must be a number of seconds greater than 0")
    catalog.check_solves(system, instance)
    compared = alternatives(system, device, parameters or {}, instance.n)
    colonies: dict[tuple[str, Parameters], TimedColony] = {}
    for one in compared:  # equal alternatives share a colony
        row = one.row
        label = row.option if row.group == COLONY_GROUP else f"{row.group} = {row.option}"
        colony = TimedColony(label, one.system, device, one.parameters)
        colonies.setdefault(one.key(instance.n), colony)
    seeds = tuple(range(seed, seed + repeats))
    work = _Comparison(
        instance=instance,
        colonies=tuple(colonies.values()),
        turns=1 + repeats,
        cancelled=cancelled,
        progress=progress,
        limit=limit,
    )

    def report(complete: bool = False) -> ComparisonReport:
        return ComparisonReport(
            instance=instance.name,
            n=instance.real_n,
            system=system.name,
            device=device.name,
            model=device.model,
            detail=device.detail,
            cores=device.cores,
            seeds=seeds,
            limit=limit,
            rows=tuple(_row(one, colonies[one.key(instance.n)]) for one in compared),
            versions=versions(),
            machine=machine(),
            complete=complete,
            problem=instance.problem.value,
        )

    try:
        for _ in work.each("how long it takes", work.estimate, seeds[:1]):
            pass
        for _ in work.each("timing", work.time, seeds):
            found(report())
        progress("compared", 1.0)
    except CancelledError:
        return report()
    return report(complete=True)


def _row(one: Alternative, timed: TimedColony) -> ComparisonRow:
    return dataclasses.replace(
        one.row,
        phases_ms={phase: Spread.of(times) for phase, times in timed.phases.items()},
        iteration_ms=Spread.of(1e3 * value for value in timed.seconds),
        why_not=timed.failure,
    )


@dataclass(eq=False, kw_only=True)
class _Comparison(TimedTurns[TimedColony]):
    """One comparison in progress."""

    failures = DeviceError, ParameterError

    limit: float  # seconds of an iteration

    def estimate(self, one: TimedColony, seed: int) -> None:
        """Time an iteration on larger and larger parts, until its estimate exceeds the limit."""
        before: tuple[int, Mapping[str, float]] | None = None
        for part in _parts(self.instance):
            with one.build(part, seed) as colony:
                self.iterate(colony, 1)
                times = colony.timed_iteration()
                # Another program may have delayed this one.
                if sum(times.values()) < 1e3 * OPTION_SAMPLE:
                    again = colony.timed_iteration()
                    times = {phase: min(times[phase], again[phase]) for phase in times}
            if before is not None:
                estimate = 1e-3 * sum(
                    _estimated(self.instance.n, *before, part.n, times, phase) for phase in times
                )
                if estimate > self.limit:
                    one.failure = (
                        f"an iteration would take about {_seconds(estimate)}, more than the limit "
                        f"of {self.limit:g} s: choose fewer ants or a smaller instance"
                    )
                    return
            before = part.n, times
            self.check_cancelled()

    def time(self, one: TimedColony, seed: int) -> None:
        """Time single phases, then whole iterations."""
        with one.build(self.instance, seed) as colony:
            self.warm_up(colony, OPTION_WARMING)
            begin, made = time.perf_counter(), 0

            def going(_: float) -> bool:
                self.check_cancelled()
                return time.perf_counter() - begin < OPTION_SAMPLE

            for times in time_phases(colony, MOST_BY_PHASE, going):
                one.note_phases(times)
                made += 1
            elapsed = time.perf_counter() - begin
            self.check_cancelled()
            count = int(OPTION_SAMPLE * made / elapsed)
            if count > 1:  # timing single phases adds to iterations as short as these
                begin = time.perf_counter()
                self.iterate(colony, count)
                made, elapsed = count, time.perf_counter() - begin
            one.seconds.append(elapsed / made)


def _estimated(
    n: int,
    fewer: int,
    earlier: Mapping[str, float],
    cities: int,
    times: Mapping[str, float],
    phase: str,
) -> float:
    """Estimate the milliseconds of ``phase`` with ``n`` cities from the times of two parts."""
    power = 1.0
    if times[phase] > MEASURABLE and earlier.get(phase, 0.0) > 0:
        power = math.log(times[phase] / earlier[phase]) / math.log(cities / fewer)
    return times[phase] * math.pow(n / cities, min(max(power, 1.0), STEEPEST))


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def _parts(instance: Instance) -> list[Instance]:
    """Return parts of ``instance`` with 128, 256, ... places, up to about half of them."""
    parts = []
    size = SMALLEST_PART
    while 1.5 * size < instance.n:
        parts.append(instance.part(size))
        size *= 2
    return parts
