"""A file of frames that grows to a limit, and then is thinned out evenly."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from gpu.core.files import no_link, rename
from gpu.core.instance import Solution
from gpu.core.snapshot import Snapshot
from gpu.run.frames import frames
from gpu.run.frames.eras import write_edits
from gpu.run.frames.frames import CANDIDATES, CITIES, SOLUTION, TRAILS, Frame, FramesError, Place

MB = 1_000_000  # bytes
WHOLE_EVERY = 32  # frames of solutions, of which one is written whole
_AFTER_THINNING = 0.6  # share of the limit that is filled then


class Found(NamedTuple):
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
        self._written: Found | None = None  # the last solution in the file
        self._since_whole = 0
        self._candidates = np.empty((0, 0), np.int32)  # the last ones in the file
        path.parent.mkdir(parents=True, exist_ok=True)
        self._part.unlink(missing_ok=True)  # of a process that was killed
        self._file: BinaryIO = self._begin(path)

    def add(self, found: Found) -> None:
        """Write a solution, unless it is the last one."""
        self._sizes[-1] = found.solution.size
        self._write_solution(found)
        self._keep_limit()

    def add_trails(self, found: Found, state: Snapshot) -> None:
        """Write the trails of ``state``, behind the solution in whose order their picture is."""
        self._sizes[-1] = found.solution.size
        self._write_solution(found)
        head = state.iteration, state.solutions_built, found.cost, state.elapsed
        listed = None
        strip = state.strip
        if strip is not None and strip.values.size <= frames.MOST_CANDIDATES:
            rows = np.argsort(strip.cities)
            listed, others = strip.values[rows], strip.others[rows]
            if not np.array_equal(others, self._candidates):
                self._candidates = others
                data = frames.write_candidates(others)
                self._put(frames.packed(Frame(CANDIDATES, 0, *head, data)))
        data = frames.write_trails(state.trails, state.pheromone, listed, self._n)
        self._put(frames.packed(Frame(TRAILS, 0, *head, data)))
        self._keep_limit()

    def add_edits(self, edits: Sequence[Mapping[str, object]], found: Found) -> None:
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

    def _write_solution(self, found: Found) -> None:
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

    def _rewrite(self, places: list[Place], kept: set[int]) -> None:
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
                            self._write_solution(Found(*when, solution))
                    elif frame.kind == CITIES:
                        era += 1
                        self._put_edits(frame)
                    elif place.start in kept:
                        self._put(frames.packed(frame))
            rename(self._part, self.path)
        finally:
            self._part.unlink(missing_ok=True)
        self.reopen()


def _spread(places: list[Place], gaps: dict[int, float]) -> list[Place]:
    """Return the first and the last frame of each kind, and of the others what keeps its gap.

    All changes of cities stay. With trails stay the solution in whose order their picture is, and
    the candidates that they lead to.
    """
    lasts = {place.frame.kind: place for place in places}
    due = dict.fromkeys(gaps, -math.inf)
    kept: list[Place] = []
    needed: dict[int, Place] = {}  # by trails, if it is not kept: the newest of its kind
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
