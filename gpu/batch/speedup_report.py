"""The results of a speedup measurement, as frozen values ready for JSON."""

from __future__ import annotations

import dataclasses
import math
import statistics
from dataclasses import dataclass
from typing import Any

from gpu.batch.spread import Spread


@dataclass(frozen=True, slots=True)
class Measurement:
    """The measurements of one contender."""

    system: str  # the catalog's name
    device: str  # its name
    # A name that it has in common with its baselines: the catalog's short name of the search, or
    # the system's name if the baselines got parameters for this system alone.
    search: str
    model: str  # the maker's name of the device
    cores: int  # CPU threads, or multiprocessors of a GPU
    detail: str  # versions of the device's driver and runtime
    ants: int  # solutions an iteration
    parameters: dict[str, int | float | str | None]  # none is automatic any more
    iteration_ms: Spread  # a whole iteration
    solution_us: Spread  # one solution: a whole iteration divided by the ants
    construction_ms: Spread  # construction in an iteration, by the device's own clock
    best_costs: tuple[int, ...] = ()  # at the end of each timed run
    target_seconds: tuple[float | None, ...] = ()  # for each seed; None: the budget was too short
    failure: str = ""  # why it could not be measured

    @property
    def target_median(self) -> float | None:
        """Median time to the target; None if no more than half of the runs reached it."""
        times = sorted(math.inf if time is None else time for time in self.target_seconds)
        median = statistics.median(times) if times else math.inf
        return median if math.isfinite(median) else None


@dataclass(frozen=True, slots=True)
class SpeedupReport:
    """All contenders on one instance."""

    instance: str
    n: int  # cities (vertices)
    optimum: int | None
    seeds: tuple[int, ...]  # one for each repeat
    iterations: int  # timed in each run; 0 if it was cancelled before the number was known
    target_cost: int | None  # to be reached in the second part
    budget: float  # seconds that each run of the second part had
    measurements: tuple[Measurement, ...]  # in the order of the contenders
    versions: dict[str, str]  # of Python and of the packages that compute
    machine: str  # operating system and processor architecture
    complete: bool  # False if it was cancelled; it then has what was measured until then
    problem: str  # a value of Problem

    @property
    def measured(self) -> bool:
        """Whether any contender has a time, or a reason why it has none."""
        return any(one.solution_us.samples or one.failure for one in self.measurements)

    @property
    def target_gap(self) -> float | None:
        """Gap of the target cost to the optimum, in %, where both are known."""
        if self.target_cost is None or not self.optimum:
            return None
        return 100.0 * (self.target_cost - self.optimum) / self.optimum

    def baseline(self, one: Measurement, device: str) -> Measurement | None:
        """Return the baseline of ``one`` on ``device``: ``cpu:1`` is one core, ``cpu`` all."""
        for other in self.measurements:
            if (other.search, other.device) == (one.search, device) and other.solution_us.samples:
                return other
        return None

    def speedup(self, one: Measurement, device: str) -> float | None:
        """How many times as fast as its baseline on ``device`` ``one`` builds solutions."""
        base = self.baseline(one, device)
        if base is None or not one.solution_us.samples:
            return None
        return base.solution_us.median / one.solution_us.median

    def target_speedup(self, one: Measurement, device: str) -> float | None:
        """How many times as fast as its baseline on ``device`` ``one`` reaches the target."""
        base = self.baseline(one, device)
        if base is None or base.target_median is None or not one.target_median:
            return None
        return base.target_median / one.target_median

    def to_dict(self) -> dict[str, Any]:
        """All values, and the speedups over one core and over all cores, ready for JSON."""
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
