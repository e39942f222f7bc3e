"""Runs a race without a window: its lanes in threads of their own, or one after the other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from gpu.core.instance import Instance
from gpu.run.log.recorder import Recorder
from gpu.run.race.race import Race
from gpu.run.race.race_records import LaneRecord
from gpu.run.run import Run
from gpu.run.session import Session


class RunningRace:
    """A race under way. RaceError if one of its lanes cannot run here.

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
        self._cancelled = threading.Event()

    def work(self) -> None:
        """Run all lanes to their ends."""
        lanes = range(len(self.records))
        if self.race.in_turn:
            for lane in lanes:
                if not self._cancelled.is_set():
                    self._run(self._begin(lane), lane)
            return
        start = threading.Barrier(len(self.records))
        runs = [self._begin(lane) for lane in lanes]
        threads = [
            threading.Thread(target=self._run, args=(run, lane, start), name=f"lane {lane + 1}")
            for lane, run in enumerate(runs)
        ]
        for thread in threads:
            thread.daemon = True  # a colony that hangs does not keep the process
            thread.start()
        for thread in threads:
            thread.join()

    def cancel(self) -> None:
        """End all lanes after their slices; any thread may ask."""
        self._cancelled.set()
        for run in filter(None, self._runs):
            run.cancel()

    def now(self) -> Sequence[LaneRecord]:
        """Return the lanes' records with the time that they have spent until now."""
        return [
            record if run is None else replace(record, spent=max(record.spent, run.present.elapsed))
            for record, run in zip(self.records, self._runs, strict=True)
        ]

    def _begin(self, lane: int) -> Run:
        session = self.race.limited[lane]
        recorder = None if self._recorder_for is None else self._recorder_for(session)
        self._runs[lane] = run = Run(self.instance, session, lane, recorder)
        if recorder is not None:
            self.records[lane].log = str(recorder.path)
        return run

    def _run(self, run: Run, lane: int, start: threading.Barrier | None = None) -> None:
        """Run one lane; it begins to solve when all lanes are built, so that none has a lead."""
        record = self.records[lane]
        run.observers.append(record.take_in)
        try:
            try:
                run.build()
            finally:
                if start is not None:
                    start.wait()
            if self._cancelled.is_set():
                run.cancel()
            while run.outcome is None:
                run.advance()
        except BaseException as error:  # this lane fails, and the others go on
            run.fail(error)
        finally:
            run.close()
            assert run.outcome is not None  # closing ends a run
            record.finish(run.outcome)
