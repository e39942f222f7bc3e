"""Measure which system of a search, and which of its options, is fastest.

The catalog and the parameters decide what is compared: every system of the same search that runs on
the device, and every option of the chosen system. All get the same instance, seeds and parameters.
Warm-up is not timed. The systems take turns, so a device that slows down slows all of them. The
report has medians and quartiles of times. It says nothing about solutions, which an option may
change.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing

from gpu import catalog
from gpu.core.colony import Colony
from gpu.core.devices import Device
from gpu.core.environment import machine, versions
from gpu.core.errors import DeviceError, ParameterError
from gpu.core.instance import Instance
from gpu.core.parameters import Parameters
from gpu.core.system import System
from gpu.measure.alternatives import Alternative, alternatives
from gpu.measure.benchmark import Benchmark, CancelledError
from gpu.measure.comparison_report import COLONY, ComparisonReport, Row
from gpu.measure.spread import Spread

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

    Parameters
    ----------
    instance : Instance
    system : System
        The chosen one; it runs on ``device``.
    device : Device
    parameters : mapping of str to object, optional
        Its parameters that differ from the defaults. Another system gets those of them that mean
        the same to it, and its own defaults for all others.
    seed : int
        Seed of the first repeat. Each further repeat has the next number.
    repeats : int
        How often each alternative is timed, at least 1.
    limit : float
        Seconds that an iteration may take. An alternative is not measured if an estimate, made
        with parts of the instance, is longer than this. Its row says so.
    cancelled : callable
        Asked at least once an iteration. True ends the comparison.
    progress : callable
        Gets a text with the present step, and the share of all steps that is done, in [0, 1].
    found : callable
        Gets a report of all that is known, each time there is more.

    Returns
    -------
    ComparisonReport
        An alternative that is refused, does not fit the device or fails has a row that says why.

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
    seeds = tuple(range(seed, seed + repeats))
    work = _Comparison(instance, system, device, compared, seeds, limit, cancelled, progress, found)
    try:
        work.estimate()
        for number in seeds:
            work.time_all(number)
        work.complete = True
        progress("compared", 1.0)
    except CancelledError:
        pass
    return work.report()


class _Entry:
    """The measurements so far of one system with its parameters; equal alternatives share one."""

    def __init__(self, label: str, alternative: Alternative) -> None:
        self.label = label
        self.system = alternative.system
        self.parameters = alternative.parameters
        self.phases: dict[str, list[float]] = {}
        self.seconds: list[float] = []
        self.why_not = ""


class _Comparison(Benchmark):
    """One comparison in progress."""

    def __init__(
        self,
        instance: Instance,
        system: System,
        device: Device,
        compared: Sequence[Alternative],
        seeds: Sequence[int],
        limit: float,
        cancelled: Callable[[], bool],
        progress: Callable[[str, float], None],
        found: Callable[[ComparisonReport], None],
    ) -> None:
        super().__init__(cancelled, progress)
        self.instance, self.system, self.device = instance, system, device
        self.compared, self.seeds, self.limit = compared, tuple(seeds), limit
        self._found = found
        self._entries: dict[tuple[str, Parameters], _Entry] = {}
        for one in compared:
            label = one.option if one.group == COLONY else f"{one.group} = {one.option}"
            self._entries.setdefault(self._key(one), _Entry(label, one))

    def estimate(self) -> None:
        """Rule out the alternatives that would take too long."""
        parts = _parts(self.instance)
        for entry in self._entries.values():
            self._attempt(entry, "how long it takes", self._estimate, parts)

    def time_all(self, seed: int) -> None:
        """Time every alternative once."""
        for entry in self._entries.values():
            if not entry.why_not:
                self._attempt(entry, "timing", self._time, seed)
                self._found(self.report())

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
        entry = self._entries[self._key(one)]
        return Row(
            group=one.group,
            option=one.option,
            meaning=one.meaning,
            phase=one.phase,
            chosen=one.chosen,
            system=one.system.name,
            parameters=one.parameters.resolved(self.instance.n).to_dict(),
            phases_ms={phase: Spread.of(times) for phase, times in entry.phases.items()},
            iteration_ms=Spread.of(1e3 * value for value in entry.seconds),
            why_not=entry.why_not,
        )

    def _attempt(self, entry: _Entry, what: str, step: Callable[..., None], more: object) -> None:
        """Do one step for one entry. If it fails, the others go on without it."""
        self._begin_step(f"{entry.label}: {what}", len(self._entries) * (1 + len(self.seeds)))
        try:
            step(entry, more)
        except (DeviceError, ParameterError) as error:
            entry.why_not = str(error)

    def _estimate(self, entry: _Entry, parts: Sequence[Instance]) -> None:
        """Time an iteration on larger and larger parts, until its estimate exceeds the limit."""
        before: tuple[int, Mapping[str, float]] | None = None
        for part in parts:
            with closing(self._colony(entry, part, self.seeds[0])) as colony:
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
                    entry.why_not = (
                        f"an iteration would take about {_seconds(estimate)}, more than the limit "
                        f"of {self.limit:g} s: choose fewer ants or a smaller instance"
                    )
                    return
            before = part.n, times
            self._check_cancelled()

    def _time(self, entry: _Entry, seed: int) -> None:
        with closing(self._colony(entry, self.instance, seed)) as colony:
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

    def _colony(self, entry: _Entry, instance: Instance, seed: int) -> Colony:
        parameters = entry.parameters.resolved(instance.n)
        return catalog.build(entry.system, instance, parameters, self.device, seed)


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
    sizes = []
    size = SMALLEST_PART
    while 1.5 * size < instance.n:
        sizes.append(size)
        size *= 2
    return [instance.part(size) for size in sizes]
