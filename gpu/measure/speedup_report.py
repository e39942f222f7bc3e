"""What a measurement of speedup found, as frozen values ready for JSON."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu.core.problem import Problem


@dataclass(frozen=True, slots=True)
class Spread:
    """Repeated measurements of one quantity.

    Attributes
    ----------
    median, lower, upper : float
        Median and quartiles; NaN without samples.
    samples : tuple of float
        All of them, in the order of their seeds.
    """

    median: float
    lower: float
    upper: float
    samples: tuple[float, ...]

    @classmethod
    def of(cls, samples: Iterable[float]) -> Spread:
        """Summarize ``samples``."""
        kept = tuple(samples)
        if not kept:
            return cls(math.nan, math.nan, math.nan, ())
        lower, median, upper = (float(value) for value in np.percentile(kept, (25, 50, 75)))
        return cls(median, lower, upper, kept)

    @property
    def half(self) -> float | None:
        """Half of the distance between the quartiles; None where one sample has no spread."""
        return (self.upper - self.lower) / 2 if len(self.samples) > 1 else None


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one contender did.

    Attributes
    ----------
    system, device : str
        Who: the catalog's name, and the device's.
    search : str
        What its baselines share: the catalog's short name of the search, or its own name where
        they were given parameters of its own.
    model : str
        What the device's maker calls it.
    cores : int
        CPU threads, or multiprocessors of a GPU.
    detail : str
        Versions of driver and runtime.
    ants : int
        Solutions an iteration.
    parameters : dict
        All of them, resolved.
    iteration_ms : Spread
        Milliseconds a whole iteration.
    solution_us : Spread
        Microseconds for one solution, whole iterations divided by ants.
    construction_ms : Spread
        Milliseconds of an iteration's construction of solutions alone, on the device's own clock.
    best_costs : tuple of int
        Best cost at the end of each timed run.
    target_seconds : tuple of float or None
        Seconds until the target cost was reached, for each seed; None where the time ran out.
    failure : str
        Why it could not be measured; empty if it was.
    """

    system: str
    device: str
    search: str
    model: str
    cores: int
    detail: str
    ants: int
    parameters: dict[str, int | float | str | None]
    iteration_ms: Spread
    solution_us: Spread
    construction_ms: Spread
    best_costs: tuple[int, ...] = ()
    target_seconds: tuple[float | None, ...] = ()
    failure: str = ""

    @property
    def target_median(self) -> float | None:
        """Median time to the target; None unless more than half of the runs reached it."""
        times = sorted(math.inf if time is None else time for time in self.target_seconds)
        median = statistics.median(times) if times else math.inf
        return median if math.isfinite(median) else None


@dataclass(frozen=True, slots=True)
class SpeedupReport:
    """All contenders on one instance.

    Attributes
    ----------
    instance : str
    n : int
        Cities (vertices).
    optimum : int or None
    seeds : tuple of int
        One for each repeat.
    iterations : int
        Iterations timed in each run; 0 if it was cancelled before that was settled.
    target_cost : int or None
        The cost that everyone was timed to reach.
    budget : float
        Seconds each run had for it.
    measurements : tuple of Measurement
        In the order asked for.
    versions : dict
        Of Python and the packages that matter.
    machine : str
        Operating system and processor architecture.
    complete : bool
        False if it was cancelled; what was measured until then is there.
    problem : str
        Of which ``instance`` is one; see :class:`gpu.core.problem.Problem`.
    """

    instance: str
    n: int
    optimum: int | None
    seeds: tuple[int, ...]
    iterations: int
    target_cost: int | None
    budget: float
    measurements: tuple[Measurement, ...]
    versions: dict[str, str]
    machine: str
    complete: bool
    problem: str = Problem.TSP.value

    @property
    def measured(self) -> bool:
        """Whether it says anything: a time, or why there is none."""
        return any(one.solution_us.samples or one.failure for one in self.measurements)

    @property
    def target_gap(self) -> float | None:
        """Gap of the target cost to the optimum, in %, where both are known."""
        if self.target_cost is None or not self.optimum:
            return None
        return 100.0 * (self.target_cost - self.optimum) / self.optimum

    def baseline(self, one: Measurement, device: str) -> Measurement | None:
        """Return the same search on ``device``: ``cpu:1`` for one core, ``cpu`` for all."""
        for other in self.measurements:
            if (other.search, other.device) == (one.search, device) and other.solution_us.samples:
                return other
        return None

    def speedup(self, one: Measurement, device: str) -> float | None:
        """How many times as fast as its baseline on ``device`` this one builds solutions."""
        base = self.baseline(one, device)
        if base is None or not one.solution_us.samples:
            return None
        return base.solution_us.median / one.solution_us.median

    def target_speedup(self, one: Measurement, device: str) -> float | None:
        """How many times as fast as its baseline on ``device`` this one reaches the target."""
        base = self.baseline(one, device)
        if base is None or base.target_median is None or not one.target_median:
            return None
        return base.target_median / one.target_median

    def to_dict(self) -> dict[str, Any]:
        """Everything, with the speedups over one core and over all cores, ready for JSON."""
        plain = dataclasses.asdict(self)
        plain["target_gap"] = self.target_gap
        for one, entry in zip(self.measurements, plain["measurements"], strict=True):
            entry["target_median"] = one.target_median
            for name, device in (("one_core", "cpu:1"), ("all_cores", "cpu")):
                entry[f"speedup_{name}"] = self.speedup(one, device)
                entry[f"target_speedup_{name}"] = self.target_speedup(one, device)
            for name in ("iteration_ms", "solution_us", "construction_ms"):
                if not entry[name]["samples"]:
                    entry[name] = None  # JSON has no NaN
        return plain
