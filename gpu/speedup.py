"""Speedup, measured so that it can be believed.

Every system builds the same number of solutions of the same instance, with the same parameters and
seeds, in the same iterations of its run. Warm-up is left out, wall time is taken over whole
iterations with nothing left in flight, the systems take turns so that a machine that slows down
slows all of them, and what is reported is the median with its quartiles.
"""

from __future__ import annotations

import dataclasses
import math
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from gpu import catalog, devices
from gpu.catalog import System
from gpu.colony import Colony
from gpu.devices import Device
from gpu.errors import DeviceError, ParameterError
from gpu.instances.instance import Instance
from gpu.parameters import Parameters
from gpu.snapshot import Snapshot, Wanted
from gpu.speedup_report import Measurement, SpeedupReport, Spread, versions

WARM_UP = 3
"""First iterations of each run, which are not timed."""

WARMING = 0.3
"""Seconds that a device works right before a run is timed, so that its clocks are up."""

SAMPLE = 1.0
"""Seconds that one run of the slowest system should take, where nothing else is asked for."""

FEWEST, MOST = 10, 2000
"""Iterations timed in one run, where nothing else is asked for."""

SLICE = 0.1
"""Seconds of work between two looks at whether the measurement was cancelled."""

RESOLUTION = 0.02
"""Share of the elapsed time that may pass between two looks at the best cost."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A system on a device.

    Attributes
    ----------
    system : System
    device : Device
    settings : tuple of (str, value)
        Parameters with which it does the work of the system whose baseline it is, where its own
        defaults are others.
    baselines : str
        Name of the system whose baselines do its work alone; empty where that is the whole search.
    """

    system: System
    device: Device
    settings: tuple[tuple[str, int | float | str | None], ...] = ()
    baselines: str = ""

    @property
    def search(self) -> str:
        """What it shares with its baselines, and with nobody whose work is another."""
        return self.baselines or self.system.alias or self.system.name

    @property
    def label(self) -> str:
        """For example ``acs-seq on cpu:1``."""
        return f"{self.system.name} on {self.device.name}"


def contenders(
    names: Sequence[str] = ("acs",), survey: devices.Survey | None = None
) -> list[Contender]:
    """Return who is to be compared: these systems, and the same search on one core and on all.

    Parameters
    ----------
    names : sequence of str
        Names that the catalog knows; each runs on the best device that it can run on.
    survey : Survey, optional
        The devices of this machine.

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


def measure(
    instance: Instance,
    among: Sequence[Contender],
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

    Parameters
    ----------
    instance : Instance
    among : sequence of Contender
        At least one; see :func:`contenders`.
    parameters : mapping of str to object, optional
        What differs from the defaults. A system ignores those that only others have.
    seed : int
        Of the first repeat; the others count up from it.
    repeats : int
        Runs of each contender, at least 1.
    iterations : int, optional
        Iterations timed in each run; by default as many as the slowest makes in about a second,
        from 10 to 2000.
    target_cost : int, optional
        Cost to be reached in the second part; by default the best that every contender had
        reached, in the median, at the end of the first.
    budget : float
        Seconds for each run of the second part; 0 leaves it out.
    cancelled : callable
        Asked at least every 0.1 s, or once an iteration that cannot be left; True ends the
        measurement.
    progress : callable
        Told what is done now, and what share of everything is done.

    Returns
    -------
    SpeedupReport
        A contender that does not fit its device, or fails, is reported with its failure.

    Raises
    ------
    ParameterError
        If there is nobody to measure, a parameter is out of range or known to none of them, or
        there would be no repeat.
    """
    if repeats < 1:
        raise ParameterError(f"repeats = {repeats} must be at least 1")
    if iterations is not None and iterations < 1:
        raise ParameterError(f"iterations = {iterations} must be at least 1")
    if not among:
        raise ParameterError("there is no colony to measure")
    for contender in among:
        catalog.check_solves(contender.system, instance)
    work = _Measuring(instance, among, dict(parameters or {}), cancelled, progress)
    seeds = tuple(seed + repeat for repeat in range(repeats))
    parts = 2 if budget > 0 else 1
    work.runs = len(among) * (1 + parts * repeats)
    try:
        work.time(seeds, iterations)
        if budget > 0:
            work.reach(seeds, target_cost, budget)
        progress("measured", 1.0)
    except _CancelledError:
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
        machine=f"{platform.system()} {platform.release()}, {platform.machine()}",
        complete=work.complete,
        problem=instance.problem.value,
    )


class _CancelledError(Exception):
    """The measurement was cancelled."""


class _Entry:
    """What was measured of one contender so far."""

    def __init__(self, contender: Contender, parameters: Parameters, ants: int) -> None:
        self.contender = contender
        self.parameters = parameters
        self.ants = ants
        self.foreseen = math.inf  # seconds an iteration
        self.seconds: list[float] = []
        self.construction: list[float] = []
        self.best: list[int] = []
        self.target: list[float | None] = []
        self.failure = ""

    def measurement(self) -> Measurement:
        system, device = self.contender.system, self.contender.device
        return Measurement(
            system=system.name,
            device=device.name,
            search=self.contender.search,
            model=device.model,
            cores=device.cores,
            detail=device.detail,
            ants=self.ants,
            parameters=self.parameters.to_dict(),
            iteration_ms=Spread.of(1e3 * value for value in self.seconds),
            solution_us=Spread.of(1e6 * value / self.ants for value in self.seconds),
            construction_ms=Spread.of(self.construction),
            best_costs=tuple(self.best),
            target_seconds=tuple(self.target),
            failure=self.failure,
        )


class _Measuring:
    """One measurement in progress."""

    def __init__(
        self,
        instance: Instance,
        among: Sequence[Contender],
        given: dict[str, object],
        cancelled: Callable[[], bool],
        progress: Callable[[str, float], None],
    ) -> None:
        self.instance = instance
        self.entries = [self._entry(contender, given) for contender in among]
        known = {name for one in self.entries for name in one.parameters.to_dict()}
        if unknown := given.keys() - known:
            raise ParameterError(
                f"there is no parameter {min(unknown)!r} here; there are {', '.join(sorted(known))}"
            )
        self.iterations = 0
        self.target: int | None = None
        self.complete = False
        self._cancelled = cancelled
        self._progress = progress
        self._done = 0
        self.runs = 1

    def _entry(self, contender: Contender, given: dict[str, object]) -> _Entry:
        kind = contender.system.parameters
        shared: dict[str, object] = dict(contender.settings)
        shared |= {name: value for name, value in given.items() if name in kind.kinds()}
        parameters = kind.from_mapping(shared).resolved(self.instance.n)
        ants = parameters.to_dict()["ants"]
        assert ants is not None
        return _Entry(contender, parameters, int(ants))

    def time(self, seeds: Sequence[int], iterations: int | None) -> None:
        """Measure the time of whole iterations, all systems in turn for each seed."""
        for entry in self._living():
            self._attempt(entry, "warming up", self._warm, seeds[0])
        slowest = max((entry.foreseen for entry in self._living()), default=SAMPLE)
        self.iterations = iterations or min(max(math.ceil(SAMPLE / slowest), FEWEST), MOST)
        for seed in seeds:
            for entry in self._living():
                self._attempt(entry, "timing", self._time, seed)
        self.complete = True

    def reach(self, seeds: Sequence[int], target: int | None, budget: float) -> None:
        """Measure the time until a solution of the target's cost is found."""
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

    def _attempt(self, entry: _Entry, what: str, step: Callable[..., None], *more: object) -> None:
        """Do one run of one contender; a device that fails takes only itself out."""
        self._look()
        share = min(self._done / self.runs, 1.0)
        self._progress(f"{entry.contender.label}: {what}", share)
        try:
            step(entry, *more)
        except DeviceError as error:
            entry.failure = str(error)
        self._done += 1

    def _warm(self, entry: _Entry, seed: int) -> None:
        """Compile what is not compiled, raise the clocks, and foresee an iteration's time."""
        with closing(self._colony(entry, seed)) as colony:
            self._iterate(colony, 1)
            begin = time.perf_counter()
            count, elapsed = 0, 0.0
            while elapsed < WARMING:
                self._iterate(colony, max(1, count))  # twice as many each time
                count = max(1, 2 * count)
                elapsed = time.perf_counter() - begin
            entry.foreseen = elapsed / count

    def _time(self, entry: _Entry, seed: int) -> None:
        self._warm(entry, seed)
        size = max(1, int(SLICE / entry.foreseen))
        with closing(self._colony(entry, seed)) as colony:
            self._iterate(colony, WARM_UP)
            left = self.iterations
            begin = time.perf_counter()
            while left > 0:
                colony.iterate(min(size, left), self._cancelled)
                left -= size
                self._look()
            snapshot = colony.snapshot(Wanted.NUMBERS)
            entry.seconds.append((time.perf_counter() - begin) / self.iterations)
        entry.best.append(snapshot.best_cost)
        if "construction" in snapshot.phases:
            entry.construction.append(snapshot.phases["construction"])

    def _reach(self, entry: _Entry, seed: int, budget: float) -> None:
        assert self.target is not None
        with closing(self._colony(entry, seed)) as colony:
            begin = time.perf_counter()
            elapsed, reached = 0.0, False
            while elapsed < budget and not reached:
                turn = min(elapsed * RESOLUTION, SLICE)
                snapshot = self._iterate(colony, max(1, int(turn / entry.foreseen)))
                elapsed = time.perf_counter() - begin
                reached = snapshot.best_cost <= self.target
            entry.target.append(elapsed if reached else None)

    def _colony(self, entry: _Entry, seed: int) -> Colony:
        contender = entry.contender
        return catalog.build(
            contender.system, self.instance, entry.parameters, contender.device, seed
        )

    def _iterate(self, colony: Colony, count: int) -> Snapshot:
        """Run iterations to their end; nothing is left in flight."""
        colony.iterate(count, self._cancelled)
        snapshot = colony.snapshot(Wanted.NUMBERS)
        self._look()
        return snapshot

    def _look(self) -> None:
        if self._cancelled():
            raise _CancelledError


def _able(name: str, device: Device) -> Contender | None:
    """Return what ``name`` means on ``device``, or None if it cannot run there."""
    try:
        return Contender(catalog.find(name, device), device)
    except (DeviceError, ParameterError):
        return None


def _other_defaults(
    base: System, system: System
) -> tuple[tuple[str, int | float | str | None], ...]:
    """Defaults of ``system`` that are others for ``base``: candidate lists, where it has them."""
    theirs, ours = system.parameters().to_dict(), base.parameters().to_dict()
    return tuple(
        (name, theirs[name]) for name in ours if name in theirs and theirs[name] != ours[name]
    )
