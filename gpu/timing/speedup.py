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
from dataclasses import dataclass, field
from functools import partial

from gpu import catalog
from gpu.core.errors import DeviceError, ParameterError
from gpu.core.instance import Instance
from gpu.core.machine import devices
from gpu.core.machine.devices import Device
from gpu.core.machine.processes import machine, versions
from gpu.core.system import System
from gpu.timing.measured import Measurement, SpeedupReport, Spread
from gpu.timing.turns import CancelledError, TimedColony, TimedTurns

UNTIMED = 3
"""Number of first iterations of each run that are not timed."""

RUN_WARMING = 0.3
"""Seconds of work right before a run is timed, which raise the device's clocks."""

RUN_SAMPLE = 1.0
"""Usual number of seconds that the slowest contender is timed for in one run."""

FEWEST_TIMED, MOST_TIMED = 10, 2000
"""Usual limits of the iterations timed in one run."""

CHECK_EVERY = 0.1
"""Seconds of work between two checks whether the measurement was cancelled."""

RESOLUTION = 0.02
"""Time between two looks at the best cost, as a share of the elapsed time."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A system on a device."""

    system: System
    device: Device
    # For a baseline whose defaults differ from those of the system that it is measured for: that
    # system's values, so that both do the same work.
    settings: tuple[tuple[str, int | float | str | None], ...] = ()
    # Name of the system that has baselines of its own, with such settings; empty if the baselines
    # are those of the whole family.
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
    work = _Speedup(
        instance=instance,
        colonies=[_contestant(one, instance.n, parameters or {}) for one in contenders],
        turns=1 + (2 if budget > 0 else 1) * repeats,
        cancelled=cancelled,
        progress=progress,
    )
    known = {name for one in work.colonies for name in one.parameters.to_dict()}
    if unknown := (parameters or {}).keys() - known:
        raise ParameterError(
            f"there is no parameter {min(unknown)!r} here; there are {', '.join(sorted(known))}"
        )
    seeds = tuple(range(seed, seed + repeats))
    complete = False
    try:
        work.time(seeds, iterations)
        if budget > 0:
            work.reach(seeds, target_cost, budget)
        complete = True
        progress("measured", 1.0)
    except CancelledError:
        pass
    return SpeedupReport(
        instance=instance.name,
        n=instance.real_n,
        optimum=instance.optimum,
        seeds=seeds,
        iterations=work.iterations,
        target_cost=work.target,
        budget=budget,
        measurements=tuple(one.measurement() for one in work.colonies),
        versions=versions(),
        machine=machine(),
        complete=complete,
        problem=instance.problem.value,
        unit=instance.unit,
        decimals=instance.decimals,
    )


@dataclass(eq=False)
class _Contestant(TimedColony):
    """What was measured of one contender so far."""

    search: str = ""  # see Contender
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
            construction_ms=Spread.of(self.phases.get("construction", ())),
            best_costs=tuple(self.best),
            target_seconds=tuple(self.target),
            failure=self.failure,
            own_work=self.system.own_work,
        )


def _contestant(one: Contender, n: int, given: Mapping[str, object]) -> _Contestant:
    kind = one.system.parameters
    own = {name: value for name, value in given.items() if name in kind.kinds()}
    parameters = kind.from_mapping({**dict(one.settings), **own}).resolved(n)
    return _Contestant(one.label, one.system, one.device, parameters, search=one.search)


@dataclass(eq=False, kw_only=True)
class _Speedup(TimedTurns[_Contestant]):
    """One measurement in progress."""

    iterations: int = 0  # timed in each run
    target: int | None = None  # cost to be reached

    def time(self, seeds: Sequence[int], iterations: int | None) -> None:
        """Time whole iterations: for each seed, all contenders in turn."""
        for _ in self.each("warming up", self._prepare, seeds[:1]):
            pass
        living = [one.estimate for one in self.colonies if not one.failure]
        slowest = max(living, default=RUN_SAMPLE)
        usual = min(max(math.ceil(RUN_SAMPLE / slowest), FEWEST_TIMED), MOST_TIMED)
        self.iterations = iterations or usual
        for _ in self.each("timing", self._time, seeds):
            pass

    def reach(self, seeds: Sequence[int], target: int | None, budget: float) -> None:
        """Time how long each contender takes to reach the target cost."""
        best = [one.best for one in self.colonies if one.best and not one.failure]
        self.target = max(map(statistics.median_high, best), default=None)
        if target is not None:
            self.target = target
        if self.target is not None:
            for _ in self.each("reaching the target", partial(self._reach, budget), seeds):
                pass

    def _prepare(self, one: TimedColony, seed: int) -> None:
        """Compile the colony, raise the device's clocks, and estimate an iteration's time."""
        with one.build(self.instance, seed) as colony:
            self.iterate(colony, 1)
            one.estimate = self.warm_up(colony, RUN_WARMING)

    def _time(self, one: _Contestant, seed: int) -> None:
        self._prepare(one, seed)
        with one.build(self.instance, seed) as colony:
            self.iterate(colony, UNTIMED)
            begin = time.perf_counter()
            size = max(1, int(CHECK_EVERY / one.estimate))
            snapshot = self.iterate(colony, self.iterations, size)
            one.seconds.append((time.perf_counter() - begin) / self.iterations)
        one.best.append(snapshot.cost)
        if "construction" in snapshot.phases:
            one.note_phases({"construction": snapshot.phases["construction"]})

    def _reach(self, budget: float, one: _Contestant, seed: int) -> None:
        assert self.target is not None
        with one.build(self.instance, seed) as colony:
            begin = time.perf_counter()
            elapsed, reached = 0.0, False
            while elapsed < budget and not reached:
                turn = min(elapsed * RESOLUTION, CHECK_EVERY)
                snapshot = self.iterate(colony, max(1, int(turn / one.estimate)))
                elapsed = time.perf_counter() - begin
                reached = snapshot.cost <= self.target
            one.target.append(elapsed if reached else None)
