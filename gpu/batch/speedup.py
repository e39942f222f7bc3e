"""Measure speedups in a way that can be trusted.

Every contender builds the same number of solutions of the same instance, with the same parameters
and seeds, in the same iterations of its run. Warm-up is not timed. The time is wall time of whole
iterations, until the device has finished them. The contenders take turns, so a machine that slows
down slows all of them. The report has medians and quartiles.
"""

from __future__ import annotations

import dataclasses
import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from gpu import catalog
from gpu.batch.measured import Measurement, SpeedupReport, Spread
from gpu.batch.timing import Benchmark, CancelledError, Entry
from gpu.core.errors import DeviceError, ParameterError
from gpu.core.instance import Instance
from gpu.core.machine import devices
from gpu.core.machine.devices import Device
from gpu.core.machine.environment import machine, versions
from gpu.core.snapshot import Wanted
from gpu.core.system import System


@dataclass(frozen=True, slots=True)
class Contender:
    """A system on a device."""

    system: System
    device: Device
    # For a baseline whose defaults differ from those of the system that it is measured for: that
    # system's values, so that both do the same work.
    settings: tuple[tuple[str, int | float | str | None], ...] = ()
    # Name of the system that has baselines of its own, with such settings; empty if the baselines
    # are those of the whole search.
    baselines: str = ""

    @property
    def search(self) -> str:
        """A name that it has in common with its baselines, and with no others."""
        return self.baselines or self.system.alias or self.system.name

    @property
    def label(self) -> str:
        """For example ``acs-seq on cpu:1``."""
        return f"{self.system.name} on {self.device.name}"


def contenders(
    names: Sequence[str] = ("acs",), survey: devices.Survey | None = None
) -> list[Contender]:
    """Return the systems that are measured, each followed by its baselines on the CPU.

    Each of the ``names``, which the catalog knows, is measured on the best device that it runs on,
    by default of this machine.

    Raises
    ------
    ParameterError, DeviceError
        If a name is unknown, or nothing here can run it.
    """
    found = survey or devices.survey()
    chosen: list[Contender] = []
    for name in names:
        able = [_able(name, device) for device in found.devices]
        best = next((one for one in able if one is not None), None)
        if best is None:
            catalog.find(name, found.devices[0])  # says what is wrong with it
            raise DeviceError(f"no device of this machine can run {name}")
        bases = [
            base
            for device in found.devices
            if device.kind == "cpu" and (base := _able(best.system.alias or name, device))
        ]
        settings = [_other_defaults(base.system, best.system) for base in bases]
        own = best.system.name if any(settings) else ""
        best = dataclasses.replace(best, baselines=own)
        bases = [
            dataclasses.replace(base, settings=others, baselines=own)
            for base, others in zip(bases, settings, strict=True)
        ]
        for one in (best, *bases):
            if one not in chosen:
                chosen.append(one)
    return chosen


def _able(name: str, device: Device) -> Contender | None:
    """Return the system that ``name`` means on ``device``; None if it does not run there."""
    try:
        return Contender(catalog.find(name, device), device)
    except (DeviceError, ParameterError):
        return None


def _other_defaults(
    base: System, system: System
) -> tuple[tuple[str, int | float | str | None], ...]:
    """Return those defaults of ``system`` that ``base`` has too, with another value."""
    theirs, ours = system.parameters().to_dict(), base.parameters().to_dict()
    return tuple(
        (name, theirs[name]) for name in ours if name in theirs and theirs[name] != ours[name]
    )


WARM_UP = 3
"""Number of first iterations of each run that are not timed."""

WARMING = 0.3
"""Seconds of work right before a run is timed, which raise the device's clocks."""

SAMPLE = 1.0
"""Usual number of seconds that the slowest contender is timed for in one run."""

FEWEST, MOST = 10, 2000
"""Usual limits of the iterations timed in one run."""

SLICE = 0.1
"""Seconds of work between two checks whether the measurement was cancelled."""

RESOLUTION = 0.02
"""Time between two looks at the best cost, as a share of the elapsed time."""


def measure(
    instance: Instance,
    contenders: Sequence[Contender],
    parameters: Mapping[str, object] | None = None,
    *,
    seed: int = 1,
    repeats: int = 5,
    iterations: int | None = None,
    target_cost: int | None = None,
    budget: float = 30.0,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[str, float], None] = lambda text, share: None,
) -> SpeedupReport:
    """Measure all contenders on ``instance``.

    A system ignores those of ``parameters`` that only others have. Each of the ``repeats`` has the
    next seed. By default a run times as many ``iterations`` as the slowest contender makes in about
    a second, from 10 to 2000.

    In the second part, which a ``budget`` of 0 leaves out, each run has that many seconds to reach
    ``target_cost``. By default this is the worst of the contenders' median best costs at the end of
    the first part. A contender that fails, or does not fit its device, is in the report with its
    failure.

    ``cancelled`` is asked at least every 0.1 s, or once an iteration if iterations are longer, and
    True ends the measurement. ``progress`` gets a text with the present step, and the share of all
    steps that is done, in [0, 1].

    Raises
    ------
    ParameterError
        If there is no contender, a parameter is out of range or unknown to all of them, or
        ``repeats``, ``iterations`` or ``budget`` is out of range.
    """
    if repeats < 1:
        raise ParameterError(f"repeats = {repeats} must be at least 1")
    if iterations is not None and iterations < 1:
        raise ParameterError(f"iterations = {iterations} must be at least 1")
    if not (math.isfinite(budget) and budget >= 0):
        raise ParameterError(f"budget = {budget:g} must be a number of seconds, at least 0")
    if not contenders:
        raise ParameterError("there is no colony to measure")
    for contender in contenders:
        catalog.check_solves(contender.system, instance)
    entries = _entries(instance, contenders, parameters or {})
    steps = len(contenders) * (1 + (2 if budget > 0 else 1) * repeats)
    work = _Speedup(
        instance=instance, cancelled=cancelled, progress=progress, steps=steps, entries=entries
    )
    seeds = tuple(range(seed, seed + repeats))
    try:
        work.time(seeds, iterations)
        if budget > 0:
            work.reach(seeds, target_cost, budget)
        progress("measured", 1.0)
    except CancelledError:
        pass
    return SpeedupReport(
        instance=instance.name,
        n=instance.n,
        optimum=instance.optimum,
        seeds=seeds,
        iterations=work.iterations,
        target_cost=work.target,
        budget=budget,
        measurements=tuple(one.measurement() for one in work.entries),
        versions=versions(),
        machine=machine(),
        complete=work.complete,
        problem=instance.problem.value,
    )


@dataclass(eq=False)
class _Entry(Entry):
    """What was measured of one contender so far."""

    search: str = ""  # see Contender
    estimate: float = math.inf  # seconds an iteration
    construction: list[float] = field(default_factory=list)  # milliseconds
    best: list[int] = field(default_factory=list)
    target: list[float | None] = field(default_factory=list)  # seconds

    def measurement(self) -> Measurement:
        parameters = self.parameters.to_dict()
        ants = parameters["ants"]
        assert isinstance(ants, int)
        return Measurement(
            system=self.system.name,
            device=self.device.name,
            search=self.search,
            model=self.device.model,
            cores=self.device.cores,
            detail=self.device.detail,
            ants=ants,
            parameters=parameters,
            iteration_ms=Spread.of(1e3 * value for value in self.seconds),
            solution_us=Spread.of(1e6 * value / ants for value in self.seconds),
            construction_ms=Spread.of(self.construction),
            best_costs=tuple(self.best),
            target_seconds=tuple(self.target),
            failure=self.failure,
        )


def _entries(
    instance: Instance, contenders: Sequence[Contender], given: Mapping[str, object]
) -> list[_Entry]:
    entries = []
    for one in contenders:
        kind = one.system.parameters
        own = {name: value for name, value in given.items() if name in kind.kinds()}
        parameters = kind.from_mapping({**dict(one.settings), **own}).resolved(instance.n)
        entries.append(_Entry(one.label, one.system, one.device, parameters, search=one.search))
    known = {name for entry in entries for name in entry.parameters.to_dict()}
    if unknown := given.keys() - known:
        raise ParameterError(
            f"there is no parameter {min(unknown)!r} here; there are {', '.join(sorted(known))}"
        )
    return entries


@dataclass(eq=False, kw_only=True)
class _Speedup(Benchmark):
    """One measurement in progress."""

    entries: list[_Entry]
    iterations: int = 0  # timed in each run
    target: int | None = None  # cost to be reached

    def time(self, seeds: Sequence[int], iterations: int | None) -> None:
        """Time whole iterations: for each seed, all contenders in turn."""
        for entry in self._living():
            self._attempt(entry, "warming up", self._prepare, seeds[0])
        slowest = max((entry.estimate for entry in self._living()), default=SAMPLE)
        self.iterations = iterations or min(max(math.ceil(SAMPLE / slowest), FEWEST), MOST)
        for seed in seeds:
            for entry in self._living():
                self._attempt(entry, "timing", self._time, seed)
        self.complete = True

    def reach(self, seeds: Sequence[int], target: int | None, budget: float) -> None:
        """Time how long each contender takes to reach the target cost."""
        reached = [statistics.median_high(entry.best) for entry in self._living() if entry.best]
        self.target = target if target is not None else max(reached, default=None)
        if self.target is None:
            return
        self.complete = False
        for seed in seeds:
            for entry in self._living():
                self._attempt(entry, "reaching the target", self._reach, seed, budget)
        self.complete = True

    def _living(self) -> list[_Entry]:
        return [entry for entry in self.entries if not entry.failure]

    def _prepare(self, entry: _Entry, seed: int) -> None:
        """Compile the colony, raise the device's clocks, and estimate an iteration's time."""
        with closing(entry.build(self.instance, seed)) as colony:
            self._iterate(colony, 1)
            entry.estimate = self._warm_up(colony, WARMING)

    def _time(self, entry: _Entry, seed: int) -> None:
        self._prepare(entry, seed)
        size = max(1, int(SLICE / entry.estimate))
        with closing(entry.build(self.instance, seed)) as colony:
            self._iterate(colony, WARM_UP)
            left = self.iterations
            begin = time.perf_counter()
            while left > 0:
                colony.iterate(min(size, left), self.cancelled)
                left -= size
                self._check_cancelled()
            snapshot = colony.snapshot(Wanted.NUMBERS)
            entry.seconds.append((time.perf_counter() - begin) / self.iterations)
        entry.best.append(snapshot.cost)
        if "construction" in snapshot.phases:
            entry.construction.append(snapshot.phases["construction"])

    def _reach(self, entry: _Entry, seed: int, budget: float) -> None:
        assert self.target is not None
        with closing(entry.build(self.instance, seed)) as colony:
            begin = time.perf_counter()
            elapsed, reached = 0.0, False
            while elapsed < budget and not reached:
                turn = min(elapsed * RESOLUTION, SLICE)
                snapshot = self._iterate(colony, max(1, int(turn / entry.estimate)))
                elapsed = time.perf_counter() - begin
                reached = snapshot.cost <= self.target
            entry.target.append(elapsed if reached else None)
