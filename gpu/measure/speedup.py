"""Measure speedups in a way that can be trusted.

Every contender builds the same number of solutions of the same instance, with the same parameters
and seeds, in the same iterations of its run. Warm-up is not timed. The time is wall time of whole
iterations, until the device has finished them. The contenders take turns, so a machine that slows
down slows all of them. The report has medians and quartiles.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing

from gpu import catalog
from gpu.core.colony import Colony
from gpu.core.environment import machine, versions
from gpu.core.errors import DeviceError, ParameterError
from gpu.core.instance import Instance
from gpu.core.parameters import Parameters
from gpu.core.snapshot import Wanted
from gpu.measure.benchmark import Benchmark, CancelledError
from gpu.measure.contenders import Contender
from gpu.measure.speedup_report import Measurement, SpeedupReport
from gpu.measure.spread import Spread

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

    Parameters
    ----------
    instance : Instance
    contenders : sequence of Contender
        At least one; see :func:`gpu.measure.contenders.contenders`.
    parameters : mapping of str to object, optional
        Parameters that differ from the defaults. A system ignores those that only others have.
    seed : int
        Seed of the first repeat. Each further repeat has the next number.
    repeats : int
        Runs of each contender, at least 1.
    iterations : int, optional
        Iterations timed in each run; by default as many as the slowest contender makes in about a
        second, from 10 to 2000.
    target_cost : int, optional
        Cost to be reached in the second part. By default each contender's median best cost at the
        end of the first part is taken, and the worst of these is the target.
    budget : float
        Seconds for each run of the second part; 0 leaves that part out.
    cancelled : callable
        Asked at least every 0.1 s, or once an iteration if iterations are longer. True ends the
        measurement.
    progress : callable
        Gets a text with the present step, and the share of all steps that is done, in [0, 1].

    Returns
    -------
    SpeedupReport
        A contender that fails, or does not fit its device, is in it with its failure.

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
    work = _Speedup(instance, contenders, dict(parameters or {}), cancelled, progress)
    seeds = tuple(range(seed, seed + repeats))
    parts = 2 if budget > 0 else 1
    work.runs = len(contenders) * (1 + parts * repeats)
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


class _Entry:
    """What was measured of one contender so far."""

    def __init__(self, contender: Contender, parameters: Parameters, ants: int) -> None:
        self.contender = contender
        self.parameters = parameters
        self.ants = ants
        self.estimate = math.inf  # seconds an iteration
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


class _Speedup(Benchmark):
    """One measurement in progress."""

    def __init__(
        self,
        instance: Instance,
        contenders: Sequence[Contender],
        given: dict[str, object],
        cancelled: Callable[[], bool],
        progress: Callable[[str, float], None],
    ) -> None:
        super().__init__(cancelled, progress)
        self.instance = instance
        self.entries = [self._entry(contender, given) for contender in contenders]
        known = {name for one in self.entries for name in one.parameters.to_dict()}
        if unknown := given.keys() - known:
            raise ParameterError(
                f"there is no parameter {min(unknown)!r} here; there are {', '.join(sorted(known))}"
            )
        self.iterations = 0
        self.target: int | None = None
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

    def _attempt(self, entry: _Entry, what: str, step: Callable[..., None], *more: object) -> None:
        """Do one run of one contender. If its device fails, the others go on without it."""
        self._begin_step(f"{entry.contender.label}: {what}", self.runs)
        try:
            step(entry, *more)
        except DeviceError as error:
            entry.failure = str(error)

    def _prepare(self, entry: _Entry, seed: int) -> None:
        """Compile the colony, raise the device's clocks, and estimate an iteration's time."""
        with closing(self._colony(entry, seed)) as colony:
            self._iterate(colony, 1)
            entry.estimate = self._warm_up(colony, WARMING)

    def _time(self, entry: _Entry, seed: int) -> None:
        self._prepare(entry, seed)
        size = max(1, int(SLICE / entry.estimate))
        with closing(self._colony(entry, seed)) as colony:
            self._iterate(colony, WARM_UP)
            left = self.iterations
            begin = time.perf_counter()
            while left > 0:
                colony.iterate(min(size, left), self._cancelled)
                left -= size
                self._check_cancelled()
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
                snapshot = self._iterate(colony, max(1, int(turn / entry.estimate)))
                elapsed = time.perf_counter() - begin
                reached = snapshot.best_cost <= self.target
            entry.target.append(elapsed if reached else None)

    def _colony(self, entry: _Entry, seed: int) -> Colony:
        contender = entry.contender
        return catalog.build(
            contender.system, self.instance, entry.parameters, contender.device, seed
        )
