"""A race: two to twelve colonies on one instance with one budget, and which of them may run now."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gpu import catalog
from gpu.core.errors import FormicariumError
from gpu.core.instance import Instance
from gpu.core.words import counted
from gpu.races.race_standings import LaneRecord
from gpu.run.run import Run
from gpu.run.session import InstanceReference, Session, choose
from gpu.run.stopping import StopSettings

if TYPE_CHECKING:
    from gpu.run.log.recorder import Recorder  # slow to import, and not every race has one

LANES_LEAST, LANES_MOST = 2, 12
BUDGETS = ("seconds", "iterations", "solutions")  # what can be limited; names of stop criteria


class RaceError(FormicariumError):
    """A race that cannot be run or read; the message says what to do."""


@dataclass(frozen=True, slots=True)
class LaneBudget:
    """What each lane may use up; RaceError for another kind, ParameterError for a wrong amount."""

    kind: str  # one of BUDGETS
    amount: float  # seconds, or how many iterations or solutions

    def __post_init__(self) -> None:
        if self.kind not in BUDGETS:
            raise RaceError(f"a race has a budget of {', '.join(BUDGETS)}, not of {self.kind!r}")
        object.__setattr__(self, "amount", getattr(self.stop, self.kind))

    @property
    def stop(self) -> StopSettings:
        """The limits of each lane's run, which ends at the best known cost, too."""
        return StopSettings(**{self.kind: self.amount})  # type: ignore[arg-type]  # it checks


@dataclass(frozen=True, slots=True)
class Race:
    """What is raced."""

    sessions: tuple[Session, ...]  # one a lane, without limits of their own
    budget: LaneBudget
    in_turn: bool  # whether each lane runs alone, one after the other

    @property
    def limited(self) -> tuple[Session, ...]:
        """The lanes' sessions, each with the budget as its limit."""
        return tuple(replace(one, stop=self.budget.stop) for one in self.sessions)

    def check(self, instance: Instance) -> None:
        """Raise RaceError unless all lanes can run on ``instance`` on this machine."""
        check_lanes(len(self.sessions))
        for number, session in enumerate(self.sessions, 1):
            try:
                session.instance.check(instance)
                _, system = choose(session.colony, session.device)
                catalog.check_solves(system, instance)
                session.chosen.check(instance)  # what the colony chose itself is possible
            except FormicariumError as error:
                raise RaceError(f"lane {number} cannot run: {error}") from error

    @property
    def instance(self) -> InstanceReference:
        """The instance that all lanes solve."""
        return self.sessions[0].instance


def check_lanes(number: int) -> None:
    """Raise RaceError unless a race can have so many lanes."""
    if not LANES_LEAST <= number <= LANES_MOST:
        raise RaceError(
            f"a race has {LANES_LEAST} to {LANES_MOST} lanes, and this one has {number}"
        )


class RaceSchedule:
    """Says which lanes may run now. It knows neither threads nor runs: it is told what happens.

    Lanes that run at the same time begin to solve when the colonies of all of them are built, so
    that none has a lead. Otherwise each lane begins when the one before it has ended.
    """

    def __init__(self, race: Race) -> None:
        lanes = tuple(range(len(race.sessions)))
        self._turns = [(lane,) for lane in lanes] if race.in_turn else [lanes]
        self._building: set[int] = set()

    def next_turn(self) -> tuple[int, ...]:
        """Return the lanes, from 0, whose colonies are to be built now; none if all had a turn.

        The lanes of the turn before must have ended.
        """
        turn = self._turns.pop(0) if self._turns else ()
        self._building = set(turn)
        return turn

    def note_built(self, lane: int) -> None:
        """Note that the colony of ``lane`` is built, or that the lane has ended before."""
        self._building.discard(lane)

    @property
    def may_solve(self) -> bool:
        """Whether the lanes of this turn may solve: no colony is still being built."""
        return not self._building

    def cancel(self) -> None:
        """Let no other lane begin."""
        self._turns = []


class RunningRace:
    """A race without a window: each lane has a thread. RaceError if a lane cannot run here.

    The function ``recorder_for``, if given, makes what writes the log of a lane; it is called as
    the lane begins.
    """

    def __init__(
        self,
        instance: Instance,
        race: Race,
        recorder_for: Callable[[Session], Recorder] | None = None,
    ) -> None:
        race.check(instance)
        self.instance, self.race = instance, race
        self.records: Sequence[LaneRecord] = tuple(LaneRecord() for _ in race.sessions)
        self._recorder_for = recorder_for
        self._runs: list[Run | None] = [None for _ in race.sessions]
        self._schedule = RaceSchedule(race)
        self._built = threading.Condition()  # guards the schedule
        self._cancelled = False

    def work(self) -> None:
        """Run all lanes to their ends."""
        while turn := self._next_turn():
            threads = [
                threading.Thread(target=self._run, args=(self._begin(lane), lane), daemon=True)
                for lane in turn  # a colony that hangs does not keep the process: a daemon
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    def cancel(self) -> None:
        """End all lanes after their slices; any thread may ask."""
        with self._built:
            self._cancelled = True
            self._schedule.cancel()
        for run in filter(None, self._runs):
            run.cancel()

    def now(self) -> Sequence[LaneRecord]:
        """Return the lanes' records with the time that they have spent until now."""
        return [
            record if run is None else replace(record, spent=max(record.spent, run.present.elapsed))
            for record, run in zip(self.records, self._runs, strict=True)
        ]

    def _next_turn(self) -> tuple[int, ...]:
        with self._built:
            return self._schedule.next_turn()

    def _begin(self, lane: int) -> Run:
        session, record = self.race.limited[lane], self.records[lane]
        recorder = None if self._recorder_for is None else self._recorder_for(session)
        self._runs[lane] = run = Run(self.instance, session, lane, recorder)
        run.observers.append(record.take_in)
        if recorder is not None:
            record.log = str(recorder.path)
        return run

    def _run(self, run: Run, lane: int) -> None:
        try:
            try:
                run.build()
            finally:
                self._wait_for_others(lane)
            if self._cancelled:  # before the run was there to hear it
                run.cancel()
            while run.outcome is None:
                run.advance()
        except BaseException as error:  # this lane fails, and the others go on
            run.fail(error)
        finally:
            run.close()
            assert run.outcome is not None  # closing ends a run
            self.records[lane].finish(run.outcome)

    def _wait_for_others(self, lane: int) -> None:
        with self._built:
            self._schedule.note_built(lane)
            self._built.notify_all()
            self._built.wait_for(lambda: self._schedule.may_solve)


def sharing_text(devices: Sequence[str], cores: int) -> str:
    """Return in one sentence what lanes would share if they ran at the same time, or nothing.

    A lane on a GPU needs a core, too: a thread there tells the GPU what to do.
    """
    needed = sum(cores if name == "cpu" else 1 for name in devices)
    parts = []
    if len(devices) > 1 and needed > cores:
        parts.append(f"all lanes share the cores ({counted(cores, 'core')})")
    for name in dict.fromkeys(one for one in devices if not one.startswith("cpu")):
        *first, last = (str(at) for at, one in enumerate(devices, 1) if one == name)
        if first:
            which = f"lanes {', '.join(first)} and {last}"
            parts.append(f"{which if len(first) + 1 < len(devices) else 'all lanes'} share {name}")
    text = " and ".join(parts)
    if not text:
        return ""
    return f"{text[:1].upper()}{text[1:]}: at the same time, each would slow the others down"
