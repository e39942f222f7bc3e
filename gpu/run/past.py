"""The past of a run, from the file of its frames: snapshots of any moment."""

from __future__ import annotations

import json
import math
import threading
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.errors import SolutionError
from gpu.core.files import open_regular
from gpu.core.instance import Instance
from gpu.core.snapshot import Snapshot, Trails
from gpu.run import frames
from gpu.run.frames import SOLUTION, TRAILS, FramesError, Place
from gpu.run.moments import STEP, Moments


class Past:
    """The frames of one run on ``instance``. Any thread may call it.

    The run may still go on: :meth:`refresh` finds what has come since, and also copes with a file
    that has been thinned out.
    """

    def __init__(self, path: Path, instance: Instance) -> None:
        self.path = path
        self.instance = instance
        self._lock = threading.Lock()
        self._first = b""  # the first line
        self._end = 0  # bytes that are known
        self._solutions: list[Place] = []
        self._trails: list[Place] = []
        self._known: tuple[int, NDArray[np.int32]] | None = None  # a solution by its number
        self._shown: tuple[int, Trails, NDArray[np.float32] | None] | None = None

    def refresh(self) -> Moments:
        """Find all frames that are in the file now; FramesError if it is none of this instance."""
        with self._lock, self._open() as file:
            first = file.readline(frames.LONGEST_HEADER)
            if not first or first != self._first:
                self._check(first)
                self._first, self._end = first, len(first)
                self._solutions, self._trails = [], []
                self._known = self._shown = None
            for place in frames.places_of(file, self._end):
                before, now = self._last, place.frame
                in_order = before.seconds <= now.seconds < math.inf
                if not in_order or now.iteration < before.iteration:
                    raise FramesError(f"{self.path}: its frames are not in order; record it anew")
                (self._trails if place.frame.kind == TRAILS else self._solutions).append(place)
                self._end = place.end
            return self._moments()

    def at(self, seconds: float) -> Snapshot:
        """Return the state ``seconds`` after the run began, as far as it was recorded.

        It has the newest solution and the newest trails of that time. FramesError if there is no
        solution yet, or a frame is damaged.
        """
        with self._lock, self._open() as file:
            if file.readline(frames.LONGEST_HEADER) != self._first:
                raise FramesError(f"{self.path}: the file has been thinned out meanwhile")
            number = _newest(self._solutions, seconds)
            if number < 0:
                raise FramesError(f"{self.path}: there is no solution before {seconds:.2f} s")
            place = self._solutions[number].frame
            try:
                solution = self._solution(file, number)
                cost = self.instance.cost_of(solution)
                if cost != place.cost:
                    raise ValueError(f"a solution costs {cost}, but {place.cost} is recorded")
                trails, picture = self._trails_at(file, seconds)
            except (SolutionError, ValueError, IndexError) as error:
                raise FramesError(f"{self.path}: a frame cannot be shown: {error}") from error
            moments = self._moments()
        return Snapshot(
            iteration=max(place.iteration, moments.iteration_at(seconds)),
            solutions_built=place.built,
            best_cost=cost,
            best_iteration=place.iteration,
            iteration_best=cost,
            iteration_mean=math.nan,
            best_solution=solution,
            pheromone=picture,
            trails=trails,
            elapsed=seconds,
        )

    def _open(self) -> BinaryIO:
        try:
            return open_regular(self.path, FramesError)
        except OSError as error:
            raise FramesError(
                f"{self.path}: nothing of the run's past is recorded here; a run is recorded with "
                "--record 20, and in the window unless that is switched off"
            ) from error

    def _check(self, first: bytes) -> None:
        """Raise FramesError unless a file that begins so has frames of this instance."""
        try:
            header: Any = json.loads(first)
            if header["kind"] != "frames":
                raise KeyError("kind")
            later = header["format"] > frames.FORMAT
            same = header["n"] == self.instance.n
            digest = header["sha256"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise FramesError(f"{self.path}: it has no frames of a run") from error
        if later:
            raise FramesError(
                f"{self.path}: written by a later version of Formicarium: update this one"
            )
        if not same or (digest and self.instance.sha256 and digest != self.instance.sha256):
            raise FramesError(f"{self.path}: it is of another instance than {self.instance.name}")

    @property
    def _last(self) -> frames.Frame:
        lasts = [kind[-1] for kind in (self._solutions, self._trails) if kind]
        if not lasts:
            return frames.Frame(SOLUTION, 0, 0, 0, 0, 0.0, b"")
        return max(lasts, key=lambda place: place.start).frame

    def _moments(self) -> Moments:
        both = sorted([*self._solutions, *self._trails], key=lambda place: place.start)
        return Moments(
            tuple(place.frame.seconds for place in self._solutions),
            tuple(place.frame.seconds for place in both),
            tuple(place.frame.iteration for place in both),
        )

    def _solution(self, file: BinaryIO, number: int) -> NDArray[np.int32]:
        """Read a solution: from the last whole one on, or from the one that was read last."""
        begin = number
        while begin and self._solutions[begin].frame.form != frames.WHOLE:
            begin -= 1
        solution: NDArray[np.int32] | None = None
        if self._known is not None and begin <= self._known[0] <= number:
            begin, solution = self._known[0] + 1, self._known[1]
        for place in self._solutions[begin : number + 1]:
            solution = frames.read_solution(_read(file, place), self.instance.n, solution)
        assert solution is not None
        self._known = number, solution
        return solution

    def _trails_at(
        self, file: BinaryIO, seconds: float
    ) -> tuple[Trails, NDArray[np.float32] | None]:
        """Read the newest trails of that time. Before the first ones all trails are equal."""
        n, number = self.instance.n, _newest(self._trails, seconds)
        if number < 0:
            size = min(n, frames.PICTURE_SIZE) if self._trails else 0
            level = frozen(np.ones((size, size), np.float32)) if size else None
            return _no_trails(), level
        if self._shown is None or self._shown[0] != number:
            self._shown = number, *frames.read_trails(_read(file, self._trails[number]).data, n)
        return self._shown[1:]


def _newest(places: Sequence[Place], seconds: float) -> int:
    return bisect_right(places, seconds + STEP, key=lambda place: place.frame.seconds) - 1


def _read(file: BinaryIO, place: Place) -> frames.Frame:
    file.seek(place.start)
    frame = frames.read_frame(file)
    if frame is None or frame._replace(data=b"") != place.frame:
        raise ValueError("the file has changed meanwhile")
    return frame


def _no_trails() -> Trails:
    return Trails(frozen(np.empty((0, 2), np.int32)), frozen(np.empty(0, np.float32)))
