"""Writes the frames of a run to a file that is thinned out evenly when it has reached its limit.

A thread of its own does that, so that the run does not wait for a disk.
"""

from __future__ import annotations

import json
import logging
import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from gpu.core.errors import sentence_for
from gpu.core.files import no_link, rename
from gpu.core.instance import Solution
from gpu.core.machine.processes import thread_seconds
from gpu.core.snapshot import RunState
from gpu.run.frames import frames
from gpu.run.frames.frames import (
    CANDIDATES,
    CITIES,
    SOLUTION,
    TRAILS,
    Frame,
    FramePlace,
    FramesError,
    write_edits,
)

MB = 1_000_000  # bytes
WHOLE_EVERY = 32  # frames of solutions, of which one is written whole
_AFTER_THINNING = 0.6  # share of the limit that is filled then


class FoundSolution(NamedTuple):
    """A solution, and when it was found."""

    iteration: int
    seconds: float  # of the run
    built: int  # solutions built until then
    cost: int
    solution: Solution


class FrameFile:
    """Writes frames in their order. Every method may raise OSError, and FramesError at its limit.

    The file that was at ``path`` is replaced.
    """

    def __init__(self, path: Path, header: Mapping[str, object], n: int, limit: int) -> None:
        self.path = path
        self.limit = limit  # bytes
        self.gaps = {SOLUTION: 0.05, TRAILS: 0.25}  # least seconds between two frames of a kind
        self.size = 0  # bytes
        self._header, self._n = header, n  # cities (vertices) in the beginning
        self._sizes = [0]  # numbers of a solution, as long as the cities are the same
        self._thinned = 0  # how often; with it a reader sees that the file is another one
        self._written: FoundSolution | None = None  # the last solution in the file
        self._since_whole = 0
        self._candidates = np.empty((0, 0), np.int32)  # the last ones in the file
        path.parent.mkdir(parents=True, exist_ok=True)
        self._part.unlink(missing_ok=True)  # of a process that was killed
        self._file: BinaryIO = self._begin(path)

    def add(self, found: FoundSolution) -> None:
        """Write a solution, unless it is the last one."""
        self._sizes[-1] = found.solution.size
        self._write_solution(found)
        self._keep_limit()

    def add_trails(self, found: FoundSolution, state: RunState) -> None:
        """Write the trails of ``state``, behind the solution in whose order their picture is."""
        self._sizes[-1] = found.solution.size
        self._write_solution(found)
        head = state.iteration, state.solutions_built, found.cost, state.elapsed
        listed = None
        strip = state.strip
        if strip is not None and strip.values.size <= frames.FRAME_CANDIDATES_MOST:
            rows = np.argsort(strip.cities)
            listed, others = strip.values[rows], strip.others[rows]
            if not np.array_equal(others, self._candidates):
                self._candidates = others
                data = frames.write_candidates(others)
                self._put(frames.packed(Frame(CANDIDATES, 0, *head, data)))
        data = frames.write_trails(state.trails, state.pheromone, listed, self._n)
        self._put(frames.packed(Frame(TRAILS, 0, *head, data)))
        self._keep_limit()

    def add_edits(self, edits: Sequence[Mapping[str, object]], found: FoundSolution) -> None:
        """Write a change of cities, which is followed by frames of other cities.

        ``edits`` are those of a line of the log, and ``found`` is what the best solution became.
        """
        head = found.iteration, found.built, found.cost, found.seconds
        self._put_edits(Frame(CITIES, 0, *head, write_edits(edits)))
        self._sizes.append(found.solution.size)
        self._candidates = np.empty((0, 0), np.int32)
        self._write_solution(found)
        self._keep_limit()

    def close(self) -> None:
        """Write no more, unless the file is opened again."""
        self._file.close()

    def reopen(self) -> None:
        """Write on behind the last frame."""
        self._file = open(self.path, "r+b", buffering=0, opener=no_link)  # noqa: SIM115  # kept open
        self._file.seek(0, os.SEEK_END)

    @property
    def _first_line(self) -> bytes:
        return json.dumps({**self._header, "thinned": self._thinned}).encode("ascii") + b"\n"

    @property
    def _part(self) -> Path:
        return self.path.with_name(f".{self.path.name}.part")

    def _begin(self, path: Path) -> BinaryIO:
        self._file = open(path, "wb", buffering=0, opener=no_link)  # noqa: SIM115  # kept open
        self.size, self._written = 0, None
        self._put(self._first_line)
        return self._file

    def _put(self, data: bytes) -> None:
        self.size += len(data)
        while data:
            data = data[self._file.write(data) :]

    def _put_edits(self, frame: Frame) -> None:
        self._put(frames.packed(frame))
        self._written = None  # the next solution is one of other cities: it is written whole

    def _write_solution(self, found: FoundSolution) -> None:
        written = self._written
        if written is not None and written[:4] == found[:4]:
            return
        whole = written is None or self._since_whole >= WHOLE_EVERY - 1
        before = None if written is None or whole else written.solution
        form, data = frames.write_solution(found.solution, before)
        self._since_whole = 0 if form == frames.WHOLE else self._since_whole + 1
        self._written = found
        head = found.iteration, found.built, found.cost, found.seconds
        self._put(frames.packed(Frame(SOLUTION, form, *head, data)))

    def _keep_limit(self) -> None:
        """Keep fewer frames, evenly over the whole run, if there is no room for more."""
        if self.size <= self.limit:
            return
        with self.path.open("rb") as old:
            places = list(frames.places_of(old, len(self._first_line)))
        size, kept, length = self.size, places, places[-1].frame.seconds
        while size > _AFTER_THINNING * self.limit and (
            more := [kind for kind, gap in self.gaps.items() if gap <= length]
        ):
            sizes = dict.fromkeys(more, 0)
            for one in kept:
                if one.frame.kind in sizes:
                    sizes[one.frame.kind] += one.end - one.start
            self.gaps[max(more, key=sizes.__getitem__)] *= 2
            kept = _spread(kept, self.gaps)
            size = len(self._first_line) + sum(one.end - one.start for one in kept)
        self._rewrite(places, {one.start for one in kept})
        if self.size > self.limit:
            needed = math.ceil(2 * self.size / MB)
            raise FramesError(
                f"{self.limit / MB:g} MB are too few for its first and its last frame: allow "
                f"{needed} MB"
            )

    def _rewrite(self, places: list[FramePlace], kept: set[int]) -> None:
        """Write the file anew, with the frames that begin at the bytes ``kept``."""
        self._file.close()
        self._thinned += 1
        try:
            solution: Solution | None = None
            era = 0
            with self._begin(self._part), self.path.open("rb") as old:
                for place in places:
                    old.seek(place.start)
                    frame = frames.read_frame(old)
                    assert frame is not None
                    if frame.kind == SOLUTION:
                        solution = frames.read_solution(frame, self._sizes[era], solution)
                        if place.start in kept:
                            when = frame.iteration, frame.seconds, frame.built, frame.cost
                            self._write_solution(FoundSolution(*when, solution))
                    elif frame.kind == CITIES:
                        era += 1
                        self._put_edits(frame)
                    elif place.start in kept:
                        self._put(frames.packed(frame))
            rename(self._part, self.path)
        finally:
            self._part.unlink(missing_ok=True)
        self.reopen()


def _spread(places: list[FramePlace], gaps: dict[int, float]) -> list[FramePlace]:
    """Return the first and the last frame of each kind, and of the others what keeps its gap.

    All changes of cities stay. With trails stay the solution in whose order their picture is, and
    the candidates that they lead to.
    """
    lasts = {place.frame.kind: place for place in places}
    due = dict.fromkeys(gaps, -math.inf)
    kept: list[FramePlace] = []
    needed: dict[int, FramePlace] = {}  # by trails, if it is not kept: the newest of its kind
    for place in places:
        kind, seconds = place.frame.kind, place.frame.seconds
        if kind == CITIES:
            kept.append(place)
            needed.clear()
        elif kind == CANDIDATES or (seconds < due[kind] and place is not lasts[kind]):
            if kind != TRAILS:
                needed[kind] = place
        else:
            if kind == TRAILS:
                kept += sorted(needed.values(), key=lambda one: one.start)
                if SOLUTION in needed:
                    due[SOLUTION] = needed[SOLUTION].frame.seconds + gaps[SOLUTION]
                needed.clear()
            needed.pop(kind, None)
            due[kind] = seconds + gaps[kind]
            kept.append(place)
    return kept


USUAL_LIMIT = 20  # MB of a run's frames, where nobody has said another
FRAMES_SHARE = 0.01  # of one core that the thread takes at most, on average
SHARE_OF_TRAILS = 0.008  # the same for what the colony needs to show its trails
CREDIT = 0.05  # seconds of either work that are free: a run changes most in the beginning
TRAILS_A_RUN = 100  # pictures of the trails while the run becomes e times as old
_FRAMES_PATIENCE = 5.0  # longest time in seconds that the end of a run waits for its last frames

_log = logging.getLogger(__name__)


class _Due(NamedTuple):
    """What is to be written next."""

    solution: FoundSolution | None
    trails: tuple[FoundSolution, RunState] | None  # with what they belong to
    # a change of cities after both, and what it makes of the solution
    change: tuple[Sequence[Mapping[str, object]], FoundSolution] | None = None


class FrameWriter:
    """Writes solutions and trails to a file of at most ``limit`` bytes.

    A run may be looked at more often than its frames can be written: the newest solution counts.
    Any thread may call the methods, and none of them raises. If the file cannot be written,
    ``tell`` is called once with a sentence for the user, and the run goes on without it.
    """

    def __init__(
        self,
        path: Path,
        header: Mapping[str, object],
        n: int,
        limit: int,
        tell: Callable[[str], None],
    ) -> None:
        self.path = path
        self.failed = False
        self._header, self._n, self._limit, self._tell = header, n, limit, tell
        self._change = threading.Condition()
        # Guarded by _change:
        self._solution: FoundSolution | None = None  # to be written
        # the same, with what they belong to
        self._trails: tuple[FoundSolution, RunState] | None = None
        self._before: deque[_Due] = deque()  # what comes before both: frames of other cities
        self._ending = False
        self._thread: threading.Thread | None = None
        self._former: threading.Thread | None = None  # the one before the run went on
        # Used by the run's thread alone:
        self._newest: FoundSolution | None = None
        self._trails_due = 0.0  # seconds of the run
        self._asked: float | None = None  # when the colony began to show its trails
        self._showing = 0.0  # seconds that this took in all
        # Used by the other thread:
        self._file: FrameFile | None = None
        self._gap_of_trails = 0.0  # least seconds between two frames; read by both

    def asks_for_trails(self, elapsed: float) -> bool:
        """Whether the next state should have its trails, ``elapsed`` seconds after the start."""
        if not self.failed and elapsed >= self._trails_due:
            self._asked = time.perf_counter()
        return self._asked is not None

    def put(self, state: RunState) -> None:
        """Write the solution of ``state`` if it is new, and its trails if they were asked for."""
        if self.failed or state.best_solution is None:
            return
        new = self._newest is None or state.best_solution is not self._newest.solution
        if new or self._newest is None:
            self._newest = _found(state)
        trails = None
        if self._asked is not None:
            took, self._asked = time.perf_counter() - self._asked, None
            self._showing += took
            gap = max(self._gap_of_trails, state.elapsed / TRAILS_A_RUN)
            self._trails_due = max(state.elapsed + gap, self._trails_allowed)
            if state.trails is not None or state.pheromone is not None:
                trails = self._newest, state
        if not new and trails is None:
            return
        with self._change:
            if self._ending:
                return
            self._solution, self._trails = self._newest, trails or self._trails
            self._wake()

    def change(self, edits: Sequence[Mapping[str, object]], after: RunState) -> None:
        """Write a change of cities; ``after`` it, all solutions and trails are of other cities.

        ``edits`` are those of a line of the log.
        """
        if self.failed or after.best_solution is None:
            return
        self._newest = _found(after)
        self._trails_due = self._trails_allowed  # those of the new cities, as soon as possible
        with self._change:
            if self._ending:
                return
            due = _Due(self._solution, self._trails, (edits, self._newest))
            self._before.append(due)
            self._solution = self._trails = None
            self._wake()

    def finish(self) -> None:
        """Write what is left, and close the file."""
        with self._change:
            self._ending = True
            self._change.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join(_FRAMES_PATIENCE)

    def reopen(self) -> None:
        """Write on after the last frame, because the run goes on after its end."""
        with self._change:
            self._ending = False
            self._former, self._thread = self._thread or self._former, None

    @property
    def _trails_allowed(self) -> float:
        """Seconds of the run before which showing trails would take too much of its time."""
        return (self._showing - CREDIT) / SHARE_OF_TRAILS

    def _wake(self) -> None:
        """Let the thread write; called with the lock held."""
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._work, args=(self._former,), name="frames", daemon=True
            )
            self._thread.start()
        self._change.notify_all()

    def _work(self, former: threading.Thread | None) -> None:
        """Write what comes until the end; this is what the thread does."""
        if former is not None:
            former.join()  # a slow disk may not have all of its frames yet
        try:
            if self._file is None:
                self._file = FrameFile(self.path, self._header, self._n, self._limit)
            else:
                self._file.reopen()
            file = self._file
            try:
                self._write_all(file)
            finally:
                file.close()
        except FramesError as error:
            self._give_up(str(error), error)
        except OSError as error:
            error.filename = None  # the sentence names the file
            self._give_up(f"it cannot be written ({sentence_for(error)})", error)

    def _write_all(self, file: FrameFile) -> None:
        started = time.monotonic()
        while True:
            self._gap_of_trails = file.gaps[TRAILS]
            with self._change:
                self._change.wait_for(lambda: self._solution or self._before or self._ending)
                waiting = [*self._before, _Due(self._solution, self._trails)]
                self._before.clear()
                self._solution = self._trails = None
            for solution, trails, change in waiting:
                if trails is not None:
                    file.add_trails(*trails)
                if solution is not None:
                    file.add(solution)
                if change is not None:
                    file.add_edits(*change)
            if waiting[-1].solution is None and len(waiting) == 1:
                return
            owed = (thread_seconds() - CREDIT) / FRAMES_SHARE - (time.monotonic() - started)
            rest = max(file.gaps[SOLUTION], owed)
            with self._change:
                # a change is written at once: the user may want to see how it was before
                self._change.wait_for(lambda: self._ending or self._before, rest)

    def _give_up(self, why: str, error: Exception) -> None:
        self.failed = True
        _log.warning("%s: the run's frames cannot be written", self.path, exc_info=error)
        self._tell(f"{self.path}: the past of the run is not recorded: {why}")


def _found(state: RunState) -> FoundSolution:
    """Return the solution of ``state``, with the moment at which it was found."""
    assert state.best_solution is not None
    if not state.progress.improvements:
        when = state.iteration, state.elapsed, state.solutions_built
    else:
        one = state.progress.improvements[-1]
        when = one.iteration, one.seconds, one.solutions_built
    return FoundSolution(*when, state.cost, state.best_solution)
