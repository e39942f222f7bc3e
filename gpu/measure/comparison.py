"""Which system and which of its options is fastest, measured on an instance and a device.

What is compared follows from the catalog and from what parameters say of themselves: every system
of the same search that the device can run, and for the chosen one every option of each of its
choices. All get the same instance, seeds and parameters; warm-up is left out, they take turns so
that a device that slows down slows all of them, and what is reported is the median with its
quartiles. Nothing is said of the solutions: an option may change them.
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
from gpu.measure.comparison_report import COLONY, ComparisonReport, Row
from gpu.measure.speedup_report import Spread
from gpu.measure.timing import CancelledError, Measuring

ROUNDS = 3
"""Turns of each, where nothing else is asked for."""

LIMIT = 5.0
"""Seconds that an iteration may take, where nothing else is asked for."""

WARMING = 0.1
"""Seconds that a colony works right before it is timed, so that its clocks are up."""

SAMPLE = 0.3
"""Seconds of timed iterations in one turn, one iteration at least; of both kinds of timing."""

MOST = 50
"""Iterations timed phase by phase in one turn."""

SMALLEST_PART = 128
"""Cities (vertices) of the smallest part of an instance from which times are foreseen."""

MEASURABLE = 10.0
"""Milliseconds that a phase must take for the growth of its time to be foreseen from them."""

STEEPEST = 4.0
"""The work of no system grows faster than with this power of the number of cities."""


def compare(
    instance: Instance,
    system: System,
    device: Device,
    parameters: Mapping[str, object] | None = None,
    *,
    seed: int = 1,
    rounds: int = ROUNDS,
    limit: float = LIMIT,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[str, float], None] = lambda text, share: None,
    found: Callable[[ComparisonReport], None] = lambda report: None,
) -> ComparisonReport:
    """Measure all that can be compared with ``system`` and its options.

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
        Of the first round; the others count up from it.
    rounds : int
        Turns of each, at least 1.
    limit : float
        Seconds that an iteration may take. Where it would take longer, as foreseen from parts of
        the instance, it is not measured, and its row says so.
    cancelled : callable
        Asked at least once an iteration; True ends the comparison.
    progress : callable
        Told what is done now, and what share of everything is done.
    found : callable
        Told what there is, whenever there is more.

    Returns
    -------
    ComparisonReport
        What is refused, does not fit the device or fails has a row that says why.

    Raises
    ------
    ParameterError
        If a parameter is unknown or out of range, or there would be no round.
    """
    if rounds < 1:
        raise ParameterError(f"repeats = {rounds} must be at least 1")
    if not (math.isfinite(limit) and limit > 0):
        raise ParameterError(f"limit = {limit:g} must be a number of seconds greater than 0")
    catalog.check_solves(system, instance)
    among = alternatives(system, device, parameters or {}, instance.n)
    seeds = tuple(seed + turn for turn in range(rounds))
    work = _Comparing(instance, system, device, among, seeds, limit, cancelled, progress, found)
    try:
        work.foresee()
        for number in seeds:
            work.turn(number)
        work.complete = True
        progress("compared", 1.0)
    except CancelledError:
        pass
    return work.report()


class _Entry:
    """What was measured so far of one way to run: equal alternatives share one."""

    def __init__(self, label: str, alternative: Alternative) -> None:
        self.label = label
        self.system = alternative.system
        self.parameters = alternative.parameters
        self.phases: dict[str, list[float]] = {}
        self.seconds: list[float] = []
        self.why_not = ""


class _Comparing(Measuring):
    """One comparison in progress."""

    def __init__(
        self,
        instance: Instance,
        system: System,
        device: Device,
        among: Sequence[Alternative],
        seeds: Sequence[int],
        limit: float,
        cancelled: Callable[[], bool],
        progress: Callable[[str, float], None],
        found: Callable[[ComparisonReport], None],
    ) -> None:
        super().__init__(cancelled, progress)
        self.instance, self.system, self.device, self.among = instance, system, device, among
        self.seeds, self.limit = tuple(seeds), limit
        self._found = found
        self._entries: dict[tuple[str, Parameters], _Entry] = {}
        for one in among:
            label = one.option if one.group == COLONY else f"{one.group} = {one.option}"
            self._entries.setdefault(self._key(one), _Entry(label, one))

    def foresee(self) -> None:
        """Rule out what would take too long."""
        parts = _parts(self.instance)
        for entry in self._entries.values():
            self._attempt(entry, "how long it takes", self._foresee, parts)

    def turn(self, seed: int) -> None:
        """Time everything once."""
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
            rows=tuple(self._row(one) for one in self.among),
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
        """Do one step for one way to run; one that fails takes only itself out."""
        self._begin_step(f"{entry.label}: {what}", len(self._entries) * (1 + len(self.seeds)))
        try:
            step(entry, more)
        except (DeviceError, ParameterError) as error:
            entry.why_not = str(error)

    def _foresee(self, entry: _Entry, parts: Sequence[Instance]) -> None:
        """Time an iteration on larger and larger parts, until it can be seen to be too long."""
        before: tuple[int, Mapping[str, float]] | None = None
        for part in parts:
            with closing(self._colony(entry, part, self.seeds[0])) as colony:
                self._iterate(colony, 1)
                times = colony.timed_iteration()
                if sum(times.values()) < 1e3 * SAMPLE:  # what else the machine does delays one
                    again = colony.timed_iteration()
                    times = {phase: min(times[phase], again[phase]) for phase in times}
            if before is not None:
                foreseen = 1e-3 * sum(
                    _foreseen(self.instance.n, *before, part.n, times, phase) for phase in times
                )
                if foreseen > self.limit:
                    entry.why_not = (
                        f"an iteration would take about {_seconds(foreseen)}, more than the limit "
                        f"of {self.limit:g} s: choose fewer ants or a smaller instance"
                    )
                    return
            before = part.n, times
            self._look()

    def _time(self, entry: _Entry, seed: int) -> None:
        with closing(self._colony(entry, self.instance, seed)) as colony:
            self._warm(colony, WARMING)
            begin = time.perf_counter()
            made, elapsed = 0, 0.0
            while made < MOST and elapsed < SAMPLE:
                for phase, milliseconds in colony.timed_iteration().items():
                    entry.phases.setdefault(phase, []).append(milliseconds)
                made, elapsed = made + 1, time.perf_counter() - begin
                self._look()
            count = int(SAMPLE * made / elapsed)
            if count > 1:  # or else what taking the time costs is lost in the time itself
                begin = time.perf_counter()
                self._iterate(colony, count)
                made, elapsed = count, time.perf_counter() - begin
            entry.seconds.append(elapsed / made)

    def _colony(self, entry: _Entry, instance: Instance, seed: int) -> Colony:
        parameters = entry.parameters.resolved(instance.n)
        return catalog.build(entry.system, instance, parameters, self.device, seed)


def _foreseen(
    n: int,
    fewer: int,
    earlier: Mapping[str, float],
    cities: int,
    times: Mapping[str, float],
    phase: str,
) -> float:
    """Return the milliseconds of ``phase`` with ``n`` cities, from those with two parts of them."""
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
