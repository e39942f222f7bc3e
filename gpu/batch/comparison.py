"""Measure which system of a search, and which of its options, is fastest.

The catalog and the parameters decide what is compared: every system of the same search that runs on
the device, and every option of the chosen system. All get the same instance, seeds and parameters.
Warm-up is not timed. The systems take turns, so a device that slows down slows all of them. The
report has medians and quartiles of times. It says nothing about solutions, which an option may
change.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import NamedTuple

from gpu import catalog
from gpu.batch.measured import COLONY, ComparisonReport, Row, Spread
from gpu.batch.timing import Benchmark, CancelledError, Entry
from gpu.core.errors import DeviceError, ParameterError
from gpu.core.instance import Instance
from gpu.core.machine.devices import Device
from gpu.core.machine.environment import machine, versions
from gpu.core.parameters import Parameters
from gpu.core.system import System


class Alternative(NamedTuple):
    """Another system, or an option of the chosen system."""

    row: Row  # without times
    system: System
    parameters: Parameters  # of the system's own kind; what is automatic is not resolved yet


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
        row = Row(COLONY, other.name, other.summary, "construction", itself, other.name, values)
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
            row = Row(name, label, meaning, explanation.phase, itself, system.name, values)
            yield Alternative(row, system, parameters)


REPEATS = 3
"""Usual number of times that each alternative is timed."""

LIMIT = 5.0
"""Usual limit of the seconds that an iteration may take."""

WARMING = 0.1
"""Seconds of work right before a colony is timed, which raise the device's clocks."""

SAMPLE = 0.3
"""Seconds of iterations in each timing, with one iteration at least. Each repeat has two timings:
phase by phase, and of whole iterations."""

MOST = 50
"""Largest number of iterations timed phase by phase in one repeat."""

SMALLEST_PART = 128
"""Cities (vertices) of the smallest part of the instance that is timed for an estimate."""

MEASURABLE = 10.0
"""Milliseconds from which on a phase is long enough to show how its time grows."""

STEEPEST = 4.0
"""Highest power of the number of cities with which a phase's time is assumed to grow."""


def compare(
    instance: Instance,
    system: System,
    device: Device,
    parameters: Mapping[str, object] | None = None,
    *,
    seed: int = 1,
    repeats: int = REPEATS,
    limit: float = LIMIT,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[str, float], None] = lambda text, share: None,
    found: Callable[[ComparisonReport], None] = lambda report: None,
) -> ComparisonReport:
    """Measure ``system``, the other systems of its search, and all of its options.

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
    work = _Comparison(
        instance=instance,
        system=system,
        device=device,
        compared=alternatives(system, device, parameters or {}, instance.n),
        seeds=tuple(range(seed, seed + repeats)),
        limit=limit,
        cancelled=cancelled,
        progress=progress,
    )
    try:
        work.estimate()
        for number in work.seeds:
            for _ in work.time_all(number):
                found(work.report())
        work.complete = True
        progress("compared", 1.0)
    except CancelledError:
        pass
    return work.report()


@dataclass(eq=False)
class _Entry(Entry):
    """One system with its parameters; equal alternatives share one."""

    phases: dict[str, list[float]] = field(default_factory=dict)  # milliseconds


@dataclass(eq=False, kw_only=True)
class _Comparison(Benchmark):
    """One comparison in progress."""

    failures = DeviceError, ParameterError

    system: System
    device: Device
    compared: Sequence[Alternative]
    seeds: tuple[int, ...]
    limit: float  # seconds
    entries: dict[tuple[str, Parameters], _Entry] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for one in self.compared:
            row = one.row
            label = row.option if row.group == COLONY else f"{row.group} = {row.option}"
            entry = _Entry(label, one.system, self.device, one.parameters)
            self.entries.setdefault(self._key(one), entry)
        self.steps = len(self.entries) * (1 + len(self.seeds))

    def estimate(self) -> None:
        """Rule out the alternatives that would take too long."""
        parts = _parts(self.instance)
        for entry in self.entries.values():
            self._attempt(entry, "how long it takes", self._estimate, parts)

    def time_all(self, seed: int) -> Iterator[Entry]:
        """Time every alternative once; yield each when it is done."""
        for entry in self.entries.values():
            if not entry.failure:
                self._attempt(entry, "timing", self._time, seed)
                yield entry

    def report(self) -> ComparisonReport:
        """Return what was found so far."""
        device = self.device
        return ComparisonReport(
            instance=self.instance.name,
            n=self.instance.n,
            system=self.system.name,
            device=device.name,
            model=device.model,
            detail=device.detail,
            cores=device.cores,
            seeds=self.seeds,
            limit=self.limit,
            rows=tuple(self._row(one) for one in self.compared),
            versions=versions(),
            machine=machine(),
            complete=self.complete,
            problem=self.instance.problem.value,
        )

    def _key(self, one: Alternative) -> tuple[str, Parameters]:
        return one.system.name, one.parameters.resolved(self.instance.n)

    def _row(self, one: Alternative) -> Row:
        entry = self.entries[self._key(one)]
        return dataclasses.replace(
            one.row,
            phases_ms={phase: Spread.of(times) for phase, times in entry.phases.items()},
            iteration_ms=Spread.of(1e3 * value for value in entry.seconds),
            why_not=entry.failure,
        )

    def _estimate(self, entry: _Entry, parts: Sequence[Instance]) -> None:
        """Time an iteration on larger and larger parts, until its estimate exceeds the limit."""
        before: tuple[int, Mapping[str, float]] | None = None
        for part in parts:
            with closing(entry.build(part, self.seeds[0])) as colony:
                self._iterate(colony, 1)
                times = colony.timed_iteration()
                if sum(times.values()) < 1e3 * SAMPLE:  # another program may have delayed this one
                    again = colony.timed_iteration()
                    times = {phase: min(times[phase], again[phase]) for phase in times}
            if before is not None:
                estimate = 1e-3 * sum(
                    _estimated(self.instance.n, *before, part.n, times, phase) for phase in times
                )
                if estimate > self.limit:
                    entry.failure = (
                        f"an iteration would take about {_seconds(estimate)}, more than the limit "
                        f"of {self.limit:g} s: choose fewer ants or a smaller instance"
                    )
                    return
            before = part.n, times
            self._check_cancelled()

    def _time(self, entry: _Entry, seed: int) -> None:
        with closing(entry.build(self.instance, seed)) as colony:
            self._warm_up(colony, WARMING)
            begin = time.perf_counter()
            made, elapsed = 0, 0.0
            while made < MOST and elapsed < SAMPLE:
                for phase, milliseconds in colony.timed_iteration().items():
                    entry.phases.setdefault(phase, []).append(milliseconds)
                made, elapsed = made + 1, time.perf_counter() - begin
                self._check_cancelled()
            count = int(SAMPLE * made / elapsed)
            if count > 1:  # timing single phases adds to iterations as short as these
                begin = time.perf_counter()
                self._iterate(colony, count)
                made, elapsed = count, time.perf_counter() - begin
            entry.seconds.append(elapsed / made)


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
