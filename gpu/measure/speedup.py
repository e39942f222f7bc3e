"""Speedup, measured so that it can be believed.

Every system builds the same number of solutions of the same instance, with the same parameters and
seeds, in the same iterations of its run. Warm-up is left out, wall time is taken over whole
iterations with nothing left in flight, the systems take turns so that a machine that slows down
slows all of them, and what is reported is the median with its quartiles.
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
from gpu.measure.contenders import Contender
from gpu.measure.speedup_report import Measurement, SpeedupReport, Spread
from gpu.measure.timing import CancelledError, Measuring

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
        If there is nobody to measure, a parameter is out of range or known to none of them,
        there would be no repeat, or the budget is no time.
    """
    if repeats < 1:
        raise ParameterError(f"repeats = {repeats} must be at least 1")
    if iterations is not None and iterations < 1:
        raise ParameterError(f"iterations = {iterations} must be at least 1")
    if not (math.isfinite(budget) and budget >= 0):
        raise ParameterError(f"budget = {budget:g} must be a number of seconds, at least 0")
    if not among:
        raise ParameterError("there is no colony to measure")
    for contender in among:
        catalog.check_solves(contender.system, instance)
    work = _Speedup(instance, among, dict(parameters or {}), cancelled, progress)
    seeds = tuple(seed + repeat for repeat in range(repeats))
    parts = 2 if budget > 0 else 1
    work.runs = len(among) * (1 + parts * repeats)
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


class _Speedup(Measuring):
    """One measurement in progress."""

    def __init__(
        self,
        instance: Instance,
        among: Sequence[Contender],
        given: dict[str, object],
        cancelled: Callable[[], bool],
        progress: Callable[[str, float], None],
    ) -> None:
        super().__init__(cancelled, progress)
        self.instance = instance
        self.entries = [self._entry(contender, given) for contender in among]
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
        """Measure the time of whole iterations, all systems in turn for each seed."""
        for entry in self._living():
            self._attempt(entry, "warming up", self._foresee, seeds[0])
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
        self._begin_step(f"{entry.contender.label}: {what}", self.runs)
        try:
            step(entry, *more)
        except DeviceError as error:
            entry.failure = str(error)

    def _foresee(self, entry: _Entry, seed: int) -> None:
        """Compile what is not compiled, raise the clocks, and foresee an iteration's time."""
        with closing(self._colony(entry, seed)) as colony:
            self._iterate(colony, 1)
            entry.foreseen = self._warm(colony, WARMING)

    def _time(self, entry: _Entry, seed: int) -> None:
        self._foresee(entry, seed)
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
