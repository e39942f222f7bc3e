"""What the lanes of a race have found, and how they compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gpu.core.bounds import LowerBound
from gpu.core.cost_curve import CostCurve
from gpu.core.formats import short_time
from gpu.core.instance import Instance, Solution
from gpu.core.problem import Words
from gpu.core.snapshot import RunState
from gpu.run.outcome import Ending, RunOutcome

_MOST_NAMED = 4  # lanes that are level and named one by one
LANE_POINTS_MOST = 1 << 12  # improvements of a lane that are told apart


@dataclass(slots=True, eq=False)
class LaneRecord:
    """How far a lane has come."""

    curve: CostCurve = field(default_factory=CostCurve.of)  # of the best cost
    iterations: int = 0  # whole iterations
    solutions: int = 0  # built in them
    seconds: float = 0.0  # spent when the last of them was whole
    spent: float = 0.0  # spent until now
    cost: int | None = None  # the best one so far
    solution: Solution | None = None  # that one
    ending: Ending | None = None  # how it ended; None before, and where it never began
    reason: str = ""  # why it ended
    log: str = ""  # path of the run's log
    bound: LowerBound | None = None  # what no solution is better than; None if it is not known

    def take_in(self, state: RunState) -> None:
        """Note a newer state of the run, and all improvements since the state before."""
        if found := state.progress.improvements:
            rows = CostCurve.of_improvements(found).rows
            self.curve = self.curve.improved(rows, LANE_POINTS_MOST)
        self.spent = max(self.spent, state.elapsed)
        if state.iteration > self.iterations:
            self.iterations, self.solutions = state.iteration, state.solutions_built
            self.seconds = state.elapsed
        if state.best_solution is not None and (self.cost is None or state.cost < self.cost):
            self.cost, self.solution = state.cost, state.best_solution
        self.bound = state.bound or self.bound

    def finish(self, outcome: RunOutcome) -> None:
        """Note the end of the run."""
        self.take_in(outcome.state)
        self.ending, self.reason = outcome.ending, outcome.reason

    @property
    def proved(self) -> bool:
        """Whether the best one is proved to be optimal."""
        return self.bound is not None and self.bound.proves(self.cost)

    @property
    def curve_until_now(self) -> CostCurve:
        """The curve, and the present state as its last row."""
        if self.cost is None:
            return self.curve
        now = (self.iterations, self.solutions, max(self.seconds, self.spent), self.cost)
        return CostCurve.of([*self.curve.rows, now])


@dataclass(frozen=True, slots=True)
class LaneStanding:
    """A lane's place among the others; None where it cannot be said."""

    cost: int | None  # its best one so far
    proved: bool  # whether that one is proved to be optimal
    gap_percent: float | None  # of that one to the best known cost
    equal_seconds: float | None  # spent when it had reached the cost that all have reached
    equal_ratio: float | None  # how many times as fast as the first lane it came there
    solution_seconds: float | None  # for one solution, everything included
    speedup: float | None  # how many times as fast it builds solutions as the one compared with


@dataclass(frozen=True, slots=True)
class RaceStandings:
    """How the lanes compare."""

    bound: LowerBound | None  # what no solution is better than; None if no lane knows it
    equal_cost: int | None  # the best cost that all lanes have reached: that of the worst one
    lanes: tuple[LaneStanding, ...]
    paced: bool = False  # whether lanes waited for a pace: then nobody was as fast as he can be


@dataclass(frozen=True, slots=True)
class Lead:
    """Who is ahead in a race whose lanes have all found something. Lanes count from 0."""

    cost: int  # the best of all
    lanes: tuple[int, ...]  # those that have it
    first: int  # the one of them that had it first
    seconds: float  # that it had spent by then
    next_cost: int  # the best of another lane than the first

    @property
    def alone(self) -> bool:
        """Whether only one lane has the best cost."""
        return len(self.lanes) == 1

    def sentence(self, words: Words) -> str:
        """Say who is ahead: "lane 2 ahead by 1.00 %"."""
        if self.alone:
            return f"lane {self.first + 1} ahead by {words.excess(self.next_cost, self.cost)}"
        *others, last = (str(lane + 1) for lane in self.lanes)
        text = f"lanes {', '.join(others)} and {last} are level"
        if len(self.lanes) > _MOST_NAMED:
            text = f"{len(self.lanes)} lanes are level"
        if not self.seconds:  # they began with it
            return text
        return f"{text}, lane {self.first + 1} first, after {short_time(self.seconds)}"


def lead_of(records: Sequence[LaneRecord]) -> Lead | None:
    """Return who is ahead; None while a lane has found nothing, or there is only one."""
    costs = [one.cost for one in records if one.cost is not None]
    if len(costs) < max(2, len(records)):
        return None
    best = min(costs)
    lanes = [lane for lane, cost in enumerate(costs) if cost == best]
    reached = {lane: records[lane].curve.reached(best) or 0.0 for lane in lanes}
    first = min(lanes, key=reached.__getitem__)
    others = [cost for lane, cost in enumerate(costs) if lane != first]
    return Lead(best, tuple(lanes), first, reached[first], min(others))


def bound_of_lanes(records: Sequence[LaneRecord]) -> LowerBound | None:
    """Return what no solution is better than: lanes have one instance, so one bound."""
    return next((one.bound for one in records if one.bound is not None), None)


def standings_of(
    records: Sequence[LaneRecord],
    instance: Instance,
    against: int | None = None,
    *,
    paced: bool = False,
) -> RaceStandings:
    """Compare lanes with each other, while they run or afterwards.

    Speedups are those over the lane ``against`` (from 0), by default the slowest. There are none
    if the lanes were ``paced``: they have waited, each as long as the pace says.
    """
    costs = [one.cost for one in records]
    known = [cost for cost in costs if cost is not None]
    # A cost that runs begin with says nothing about the colonies.
    begun = len(known) == len(records) and all(one.iterations for one in records)
    equal = max(known) if begun and known else None
    reached = [None if equal is None else one.curve.reached(equal) for one in records]
    if equal is not None and reached[costs.index(equal)] == 0.0:
        equal, reached = None, [None] * len(records)
    paces = [one.seconds / one.solutions if one.solutions else None for one in records]
    base = max((pace for pace in paces if pace), default=None)
    if against is not None:
        base = paces[against]
    return RaceStandings(
        bound_of_lanes(records),
        equal,
        tuple(
            LaneStanding(
                cost=record.cost,
                proved=record.proved,
                gap_percent=None if record.cost is None else instance.gap_percent(record.cost),
                equal_seconds=seconds,
                equal_ratio=None if paced else _ratio(reached[0], seconds),
                solution_seconds=pace,
                speedup=None if paced else _ratio(base, pace),
            )
            for record, seconds, pace in zip(records, reached, paces, strict=True)
        ),
        paced,
    )


def _ratio(base: float | None, mine: float | None) -> float | None:
    return base / mine if base and mine else None
