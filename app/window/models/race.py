"""The race of a window: what is set up, its runs while it goes on, and what they have found."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal

from app.window.models.run import RunModel
from app.window.threads.solver import SolverState
from gpu.core.instance import Instance
from gpu.core.snapshot import RunState, Wanted
from gpu.races.race import LaneBudget, Race, RaceSchedule
from gpu.races.race_standings import LaneRecord
from gpu.run.log.recorder import Recorder
from gpu.run.outcome import Ending, RunOutcome
from gpu.run.session import Session

LogsOpened = Callable[[Sequence[Recorder]], object]  # gets what writes the lanes' logs
OpenLogs = Callable[[Instance, Sequence[Session], LogsOpened], object]  # opens them meanwhile

NO_RACE = Race((), LaneBudget("seconds", 30.0), in_turn=False)


class RaceModel(QObject):
    """Runs the lanes of a race when its schedule says so.

    A lane that fails ends, and the others go on.
    """

    lane_changed = Signal(int)  # number of the lane, from 0, whose record has changed
    state_changed = Signal(object)  # the new SolverState of the race
    busy_changed = Signal()
    ended = Signal()  # every lane has ended, or will not begin any more

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.race = NO_RACE  # what is set up; fewer than two lanes cannot be started
        self.records: list[LaneRecord] = []  # one a lane, empty where it was not run
        self.busy = False  # whether the race is under way or being prepared
        self.state = SolverState.ENDED
        self._instance: Instance | None = None
        self._open_logs: OpenLogs | None = None
        self._runs: dict[int, RunModel] = {}  # by lane, those that have begun
        self._schedule = RaceSchedule(self.race)
        self._held = False  # whether lanes that begin together wait for each other
        self._rests = self._stops = False
        self._steps = 0  # steps that are to be made once the colonies are built
        self._pace = 0.0
        self.paced = False  # whether the race has had a pace, for a while at least

    def set_up(self, race: Race, records: Sequence[LaneRecord]) -> None:
        """Have another race, with what its lanes have found already; none may be under way."""
        assert not self.busy, "lanes of a race that goes on cannot be changed"
        self.race, self.records, self.paced = race, list(records), False

    def prepare(self) -> None:
        """Begin: the race is busy from now on, and forgets what its lanes have found."""
        self.records = [LaneRecord() for _ in self.race.sessions]
        self._rests = self._stops = False
        self._steps = 0
        self.paced = self._pace > 0
        self.busy = True
        self._set_state(SolverState.BUILDING)
        self.busy_changed.emit()

    def begin(self, instance: Instance, open_logs: OpenLogs) -> None:
        """Start the lanes; ``open_logs`` opens the logs of those whose turn it is."""
        self._instance, self._open_logs = instance, open_logs
        self._schedule = RaceSchedule(self.race)
        if self._stops:
            self._schedule.cancel()
        self._begin_next()

    def give_up(self) -> None:
        """End a race that could not be prepared."""
        self._end()

    @property
    def active(self) -> dict[int, RunModel]:
        """The runs that have not ended, by lane."""
        return {lane: run for lane, run in self._runs.items() if run.outcome is None}

    @property
    def rests(self) -> bool:
        """Whether the lanes pause, or will once they are built."""
        return self._rests and not self._steps

    @property
    def takes_all_cores(self) -> bool:
        """Whether all cores compute for a lane now."""
        return any(run.takes_all_cores for run in self.active.values())

    @property
    def pace(self) -> float:
        """Most iterations a second that each lane makes, 0 for full speed."""
        return self._pace

    @pace.setter
    def pace(self, pace: float) -> None:
        self._pace = pace
        self.paced |= self.busy and pace > 0
        for run in self.active.values():
            run.pace = pace

    def share_done(self) -> tuple[float, float]:
        """Return which share of the whole race is done, and how many seconds it has taken.

        What lanes have spent is what :meth:`note_time` has noted last.
        """
        stop, shares = self.race.budget.stop, []
        for lane, record in enumerate(self.records):
            run = self._runs.get(lane)
            share = 1.0 if record.ending else 0.0
            if run is not None and not record.ending:
                share = stop.share_done(run.latest) or 0.0
            shares.append(share)
        spent = [record.spent for record in self.records]
        if self.race.in_turn:
            return sum(shares) / len(shares), sum(spent)
        return min(shares), max(spent)

    def note_time(self) -> None:
        """Note what each lane has spent until now, even in the midst of an iteration."""
        for lane, run in self.active.items():
            self.records[lane].spent = max(self.records[lane].spent, run.latest.elapsed)
            self.lane_changed.emit(lane)

    def pause(self) -> None:
        """Pause all lanes after their slices, or as soon as they are built."""
        self._rests = True
        self._steps = 0
        for run in self.active.values():
            run.pause()
        self._look()

    def resume(self) -> None:
        """Go on with all lanes."""
        self._rests = False
        if not self._held:
            for run in self.active.values():
                run.resume()
        self._look()

    def step(self) -> None:
        """Let each lane that runs make one iteration more, then pause."""
        self._rests = True
        if self._held or not self._runs:
            self._steps += 1
            return
        for run in self.active.values():
            run.step()

    def stop(self) -> None:
        """End all lanes after their slices; no other one begins."""
        if not self.busy:
            return
        self._stops = True
        self._schedule.cancel()
        self._set_state(SolverState.STOPPING)
        for run in self.active.values():
            run.cancel()

    def want(self, wanted: Wanted) -> None:
        """Say what the lanes' snapshots shall carry."""
        for run in self.active.values():
            run.want(wanted)

    def shutdown(self, timeout: float) -> bool:
        """End all lanes silently; return whether their threads ended within ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        self.blockSignals(True)
        self._stops = True
        self._schedule.cancel()
        for run in self.active.values():
            run.cancel()
        ended = True
        for run in self._runs.values():
            ended = run.shutdown(max(0.0, deadline - time.monotonic())) and ended
        return ended

    def _begin_next(self) -> None:
        """Begin the lanes whose turn it is; without any, the race has ended."""
        turn = self._schedule.next_turn()
        if not turn:
            self._end()
            return
        assert self._open_logs is not None
        assert self._instance is not None
        self._held = True
        sessions = [self.race.limited[lane] for lane in turn]
        self._open_logs(self._instance, sessions, partial(self._start, turn, sessions))

    def _start(
        self, turn: Sequence[int], sessions: Sequence[Session], recorders: Sequence[Recorder]
    ) -> None:
        """Start these lanes, whose logs are open, unless the race was stopped meanwhile."""
        instance = self._instance
        assert instance is not None
        for lane, recorder in zip(turn, recorders, strict=True):
            self.records[lane].log = str(recorder.path)
            if self._stops:
                nothing = RunState(0, 0, None, 0, None, math.nan)
                recorder.finish(RunOutcome(Ending.CANCELLED, "stopped by the user", nothing))
        if self._stops:
            self._end()
            return
        for lane, session, recorder in zip(turn, sessions, recorders, strict=True):
            run = RunModel(instance, session, recorder, lane, self)
            self._runs[lane] = run
            run.pace = self._pace
            run.state_changed.connect(self._look)
            # A run tells its own record, whatever lanes there are when the signal arrives.
            record = self.records[lane]
            run.snapshot_changed.connect(partial(self._take_in, lane, record))
            run.ended.connect(partial(self._lane_ended, lane, record))
            run.release()  # nobody asks how its ants decide
            run.pause()  # until all that begin together are built
        for lane in turn:
            self._runs[lane].start()

    def _take_in(self, lane: int, record: LaneRecord, state: RunState) -> None:
        record.take_in(state)
        self._tell(lane, record)

    def _lane_ended(self, lane: int, record: LaneRecord, outcome: RunOutcome) -> None:
        record.finish(outcome)
        self._tell(lane, record)
        if not self.busy:
            return
        if self.active:
            self._look()
        else:
            self._begin_next()

    def _tell(self, lane: int, record: LaneRecord) -> None:
        """Tell that the record of ``lane`` has changed, if it still is the one of a lane."""
        if lane < len(self.records) and self.records[lane] is record:
            self.lane_changed.emit(lane)

    def _end(self) -> None:
        for run in self._runs.values():
            run.wait(1000)
            run.deleteLater()
        self._runs = {}
        self._held = self.busy = False
        self._set_state(SolverState.ENDED)
        self.ended.emit()
        self.busy_changed.emit()

    def _look(self) -> None:
        """Let lanes go that have waited for each other, and say what the race does now."""
        active = self.active
        for lane, run in self._runs.items():
            if run.state is not SolverState.BUILDING:
                self._schedule.note_built(lane)
        if self._held and self._schedule.may_solve:
            self._held = False
            for run in active.values():
                if self._steps:
                    run.step(self._steps)
                elif not self._rests:
                    run.resume()
            self._steps = 0
        if self._stops or not active:
            return
        if self._held:
            self._set_state(SolverState.BUILDING)
        elif any(run.state is SolverState.RUNNING for run in active.values()):
            self._set_state(SolverState.RUNNING)
        elif self._rests:
            self._set_state(SolverState.PAUSED)

    def _set_state(self, state: SolverState) -> None:
        if state is not self.state:
            self.state = state
            self.state_changed.emit(state)
