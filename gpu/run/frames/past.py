"""The past of a run, from the file of its frames: the run's state at any moment."""

from __future__ import annotations

import json
import math
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.errors import InstanceError, SolutionError
from gpu.core.files import open_regular
from gpu.core.instance import Instance, Solution
from gpu.core.moments import MOMENT_STEP, Moments
from gpu.core.snapshot import RunState, Trails, TrailTable
from gpu.run.frames import frames
from gpu.run.frames.frames import (
    CANDIDATES,
    CITIES,
    SOLUTION,
    TRAILS,
    Eras,
    FramePlace,
    FramesError,
    read_edits,
)


class Then(NamedTuple):
    """A moment of the past."""

    instance: Instance  # what was solved; the same object until its cities change
    state: RunState


class Past:
    """The frames of one run that began on ``instance``. Any thread may call it.

    The run may still go on: :meth:`refresh` finds what has come since, and also copes with a file
    that has been thinned out.
    """

    def __init__(self, path: Path, instance: Instance) -> None:
        self.path = path
        self.instance = instance
        self._lock = threading.Lock()
        self._first = b""  # the first line
        self._end = 0  # bytes that are known
        self._places: dict[int, list[FramePlace]] = {}  # by kind
        self._eras = Eras(instance)
        self._known: tuple[int, Solution] | None = None  # a solution by its number
        self._shown: tuple[int, _ShownTrails] | None = None  # trails by their number

    def refresh(self) -> Moments:
        """Find all frames that are in the file now; FramesError if it is none of this instance."""
        with self._lock, self._open() as file:
            first = file.readline(frames.LONGEST_HEADER)
            if not first or first != self._first:
                self._check(first)
                self._first, self._end = first, len(first)
                self._places = {kind: [] for kind in (SOLUTION, TRAILS, CANDIDATES, CITIES)}
                self._eras = Eras(self.instance)
                self._known = self._shown = None
            for place in frames.places_of(file, self._end):
                before, now = self._last, place.frame
                in_order = before.seconds <= now.seconds < math.inf
                if not in_order or now.iteration < before.iteration:
                    raise FramesError(f"{self.path}: its frames are not in order; record it anew")
                if now.kind == CITIES:
                    self._begin_era(file, place)
                    file.seek(place.end)  # where the search for frames goes on
                self._places.get(now.kind, []).append(place)
                self._end = place.end
            return self._moments()

    def at(self, seconds: float) -> Then:
        """Return the state ``seconds`` after the run began, as far as it was recorded.

        It has the newest solution of that time, and the newest trails of the same cities.
        FramesError if there is no solution yet, or a frame is damaged.
        """
        with self._lock, self._open() as file:
            if file.readline(frames.LONGEST_HEADER) != self._first:
                raise FramesError(f"{self.path}: the file has been thinned out meanwhile")
            number = _newest(self._places.get(SOLUTION, []), seconds)
            if number < 0:
                raise FramesError(f"{self.path}: there is no solution before {seconds:.2f} s")
            found = self._places[SOLUTION][number]
            place, era = found.frame, self._era_of(found)
            try:
                instance = self._eras.instance(era)
                solution = self._solution(file, number, instance)
                cost = instance.cost_of(solution)
                if cost != place.cost:
                    costs = (instance.cost_unit.text(one, "") for one in (cost, place.cost))
                    raise ValueError("a solution costs {}, but {} is recorded".format(*costs))
                shown = self._trails_at(file, seconds, era)
            except (InstanceError, SolutionError, ValueError, IndexError) as error:
                raise FramesError(f"{self.path}: a frame cannot be shown: {error}") from error
            moments = self._moments()
        state = RunState(
            iteration=max(place.iteration, moments.iteration_at(seconds)),
            solutions_built=place.built,
            best_cost=cost,
            best_iteration=place.iteration,
            iteration_best=cost,
            iteration_mean=math.nan,
            best_solution=solution,
            pheromone=shown.picture,
            ants_best=solution if shown.in_order_of(place) else None,
            trails=shown.trails,
            strip=shown.strip_of(solution),
            edits=era,
            elapsed=seconds,
        )
        return Then(instance, state)

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
        lasts = [places[-1] for places in self._places.values() if places]
        if not lasts:
            return frames.Frame(SOLUTION, 0, 0, 0, 0, 0.0, b"")
        return max(lasts, key=lambda place: place.start).frame

    def _begin_era(self, file: BinaryIO, place: FramePlace) -> None:
        """Take in a change of cities."""
        try:
            self._eras.add(read_edits(_read(file, place).data))
        except ValueError as error:
            raise FramesError(f"{self.path}: a frame cannot be shown: {error}") from error

    def _era_of(self, place: FramePlace) -> int:
        """Return in which era a frame is, from 0."""
        return bisect_left(self._places[CITIES], place.start, key=lambda one: one.start)

    def _moments(self) -> Moments:
        places = sum(self._places.values(), list[FramePlace]())
        places.sort(key=lambda place: place.start)
        return Moments(
            tuple(place.frame.seconds for place in self._places[SOLUTION]),
            tuple(place.frame.seconds for place in places),
            tuple(place.frame.iteration for place in places),
        )

    def _solution(self, file: BinaryIO, number: int, instance: Instance) -> Solution:
        """Read a solution: from the last whole one on, or from the one that was read last."""
        begin, places = number, self._places[SOLUTION]
        n = math.prod(instance.solution_shape)  # the first one of an era is whole
        while begin and places[begin].frame.form != frames.WHOLE:
            begin -= 1
        solution: Solution | None = None
        if self._known is not None and begin <= self._known[0] <= number:
            begin, solution = self._known[0] + 1, self._known[1]
        for place in places[begin : number + 1]:
            solution = frames.read_solution(_read(file, place), n, solution)
        assert solution is not None
        self._known = number, solution
        return solution

    def _trails_at(self, file: BinaryIO, seconds: float, era: int) -> _ShownTrails:
        """Read the newest trails of that time. Before the first ones all trails are equal."""
        n, places = self._eras.sizes[era], self._places[TRAILS]
        number = _newest(places, seconds)
        if number >= 0 and self._era_of(places[number]) != era:
            return _ShownTrails(_no_trails(), None)  # those of other cities
        if number < 0:
            size = min(n, frames.FRAME_PICTURE_SIZE) if places else 0
            level = frozen(np.ones((size, size), np.float32)) if size else None
            return _ShownTrails(_no_trails(), level)
        if self._shown is None or self._shown[0] != number:
            place = places[number]
            trails, picture, listed = frames.read_trails(_read(file, place).data, n)
            others = None
            before = [one for one in self._places[CANDIDATES] if one.start < place.start]
            before = [one for one in before if self._era_of(one) == era]
            if before and listed is not None:
                others = frames.read_candidates(_read(file, before[-1]).data, n)
                if others.shape != listed.shape:
                    raise ValueError("its trails are not those to the candidates")
            self._shown = number, _ShownTrails(trails, picture, listed, others, place.frame)
        return self._shown[1]


class _ShownTrails(NamedTuple):
    """Trails of one moment."""

    trails: Trails
    picture: NDArray[np.float32] | None
    listed: NDArray[np.float32] | None = None  # (n, w): to the candidates of each city
    candidates: NDArray[np.int32] | None = None  # (n, w)
    frame: frames.Frame | None = None  # which has them

    def in_order_of(self, solution: frames.Frame) -> bool:
        """Whether the picture is in the order of ``solution``, and not of a worse one.

        What a run began with is no solution of the ants.
        """
        at = self.frame
        same = at is not None and at.cost == solution.cost and at.iteration >= solution.iteration
        return same and solution.iteration > 0

    def strip_of(self, tour: NDArray[np.int32]) -> TrailTable | None:
        """Return the trails to candidates, in the order of ``tour``."""
        if self.listed is None or self.candidates is None:
            return None
        return TrailTable(tour, frozen(self.candidates[tour]), frozen(self.listed[tour]))


def _newest(places: Sequence[FramePlace], seconds: float) -> int:
    return bisect_right(places, seconds + MOMENT_STEP, key=lambda place: place.frame.seconds) - 1


def _read(file: BinaryIO, place: FramePlace) -> frames.Frame:
    file.seek(place.start)
    frame = frames.read_frame(file)
    if frame is None or frame._replace(data=b"") != place.frame:
        raise ValueError("the file has changed meanwhile")
    return frame


def _no_trails() -> Trails:
    return Trails(frozen(np.empty((0, 2), np.int32)), frozen(np.empty(0, np.float32)))
