"""What was measured of colonies, as frozen values: speedups, comparisons, hit rates."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from gpu.core.cost_unit import CostUnit


@dataclass(frozen=True, slots=True)
class Spread:
    """Repeated measurements of one quantity."""

    median: float  # NaN without samples, as the quartiles
    lower: float
    upper: float
    samples: tuple[float, ...]  # all of them, in the order of their seeds

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
    """The measurements of one contender."""

    system: str  # the catalog's name
    device: str  # its name
    # A name that it has in common with its baselines: the alias in the catalog, or
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
    own_work: str = ""  # see :class:`gpu.core.system.SystemOf`

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
    unit: str = ""  # in which costs are shown
    decimals: int = 0  # of that unit that a cost counts

    @property
    def cost_unit(self) -> CostUnit:
        """In what costs are shown."""
        return CostUnit(self.unit, self.decimals)

    @property
    def target(self) -> int | float | None:
        """The target cost in its unit."""
        return None if self.target_cost is None else self.cost_unit.value(self.target_cost)

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
        """How many times as fast as its baseline on ``device`` ``one`` builds solutions.

        None where these are other work than the baseline's.
        """
        base = self.baseline(one, device)
        if base is None or not one.solution_us.samples or one.own_work != base.own_work:
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
        plain["target"], plain["target_gap"] = self.target, self.target_gap
        for one, entry in zip(self.measurements, plain["measurements"], strict=True):
            entry["target_median"] = one.target_median
            for name, device in (("one_core", "cpu:1"), ("all_cores", "cpu")):
                entry[f"speedup_{name}"] = self.speedup(one, device)
                entry[f"target_speedup_{name}"] = self.target_speedup(one, device)
            for name in ("iteration_ms", "solution_us", "construction_ms"):
                if not entry[name]["samples"]:
                    entry[name] = None  # JSON has no NaN
        return plain


COLONY_GROUP = "colony"
"""Name of the group of whole systems. Every other group has the name of its parameter."""


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """One system, or one option of the chosen system, and its times."""

    group: str  # rows of one group are compared: COLONY_GROUP, or the name of a parameter
    option: str  # the system's name, or the parameter's value
    meaning: str  # the option in words; empty if its name says enough
    phase: str  # in which the rows of the group differ; empty for the whole iteration
    chosen: bool  # by the user
    system: str  # catalog name of the system that ran
    parameters: Mapping[str, int | float | str | None]  # all of them, resolved
    phases_ms: Mapping[str, Spread] = field(
        default_factory=dict
    )  # each phase of an iteration, as the colony measures it
    # A whole iteration in wall time, without timing its phases.
    iteration_ms: Spread = field(default_factory=lambda: Spread.of(()))
    why_not: str = ""  # why it was not measured, in a sentence; empty if it was or is still to be

    @property
    def scale(self) -> float:
        """What the times of the phases are multiplied by, for none to seem larger than its whole.

        Less than 1 if timing each phase has slowed an iteration down.
        """
        parts = sum(spread.median for spread in self.phases_ms.values())
        whole = self.iteration_ms.median
        return whole / parts if parts > whole else 1.0


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """All rows of a comparison on one instance and one device."""

    instance: str
    n: int  # cities (vertices)
    system: str  # the catalog's name of the chosen system
    device: str  # its name
    model: str  # the maker's name of the device
    detail: str  # versions of the device's driver and runtime
    cores: int  # CPU threads, or multiprocessors of a GPU
    seeds: tuple[int, ...]  # one for each repeat
    limit: float  # seconds that an iteration may take; slower options are not measured
    rows: tuple[
        ComparisonRow, ...
    ]  # group by group, in the order of the catalog and of the parameters
    versions: dict[str, str]  # of Python and of the packages that compute
    machine: str  # operating system and processor architecture
    complete: bool  # False during the comparison, and if it was cancelled
    problem: str  # a value of Problem

    @property
    def measured(self) -> bool:
        """Whether any row has a time, or a reason why it has none."""
        return any(row.iteration_ms.samples or row.why_not for row in self.rows)

    @property
    def phases(self) -> tuple[str, ...]:
        """Every phase that a row has, in the order of an iteration."""
        return tuple(dict.fromkeys(phase for row in self.rows for phase in row.phases_ms))

    def decides(self, one: ComparisonRow) -> str:
        """The phase by which the rows of ``one``'s group are compared; empty for the iteration.

        This is the phase that the rows name. If some of them do not have it, it is the iteration.
        """
        group = (row for row in self.rows if row.group == one.group and row.phases_ms)
        return one.phase if all(one.phase in row.phases_ms for row in group) else ""

    def decisive(self, one: ComparisonRow) -> Spread:
        """The times by which ``one`` is compared with the other rows of its group."""
        return one.phases_ms.get(self.decides(one), one.iteration_ms)

    def ratio(self, one: ComparisonRow, *, scaled: bool = False) -> float | None:
        """The decisive time divided by the fastest one of the group; None if it is unknown.

        These are the times that were measured, or those of phases ``scaled`` by the row's scale.
        """

        def time(row: ComparisonRow) -> float:
            scale = row.scale if scaled and self.decides(row) else 1.0
            return scale * self.decisive(row).median

        times = [time(row) for row in self.rows if row.group == one.group]
        fastest = min((time for time in times if not math.isnan(time)), default=math.nan)
        ratio = time(one) / fastest if fastest > 0 else math.nan
        return None if math.isnan(ratio) else ratio

    def to_dict(self) -> dict[str, Any]:
        """All values, and the ratio of each row, ready for JSON."""
        plain = dataclasses.asdict(self)
        for row, entry in zip(self.rows, plain["rows"], strict=True):
            entry["ratio"] = self.ratio(row)
            if not row.iteration_ms.samples:
                entry["iteration_ms"] = None  # JSON has no NaN
        return plain


class HitRate(NamedTuple):
    """Mean hit rates with a memory of one size (2016 paper, Fig. 6)."""

    memory: int  # s, trails remembered at each city
    local: float  # share of the local updates that found their trail, in [0, 1]
    overall: float  # the same of the global updates
