"""The scenes of a film: what of a recorded run each frame shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from app.files.library import find_again
from gpu.core.formats import duration, percent, whole
from gpu.core.history import Progress, between
from gpu.core.instance import Instance
from gpu.core.snapshot import Snapshot
from gpu.run.frames.frames import SUFFIX, FramesError
from gpu.run.frames.past import Past
from gpu.run.log.recorded import recorded_of
from gpu.run.log.run_log import RunLog, read_log
from views.film import FilmChoices

if TYPE_CHECKING:
    from gpu.drawing.draw import GraphArtist


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What one frame shows."""

    instance: Instance  # what was solved then; another object once cities have changed
    snapshot: Snapshot  # with what has happened since the scene before as its progress
    caption: str
    pictures: Mapping[str, Any] = field(default_factory=dict)  # of a graph, by the key of its view


class FilmSource:
    """A recorded run as scenes, which come in their order. Any thread may call it.

    Its log may be that of a run which goes on: the film ends with what was recorded until now.
    """

    def __init__(self, log_path: Path, instance: Instance | None = None) -> None:
        self.log: RunLog = read_log(log_path)
        self.instance = instance or find_again(self.log.session.instance, beside=log_path)
        recorded = recorded_of(self.log, self.instance)
        self._progress = Progress() if recorded.state is None else recorded.state.progress
        self._past = Past(log_path.with_suffix(SUFFIX), self.instance)
        moments = self._past.refresh()
        if not moments.improvements:
            raise FramesError(f"{self._past.path}: nothing of the run's past is recorded yet")
        self._begin, self._end = moments.improvements[0], moments.length
        self._until = -1.0  # seconds of the last scene
        self._artist: GraphArtist | None = None
        self._drawn: tuple[NDArray[np.int32], dict[str, Any]] | None = None

    def scene(self, number: int, choices: FilmChoices, keys: Sequence[str]) -> Scene:
        """Return what the frame ``number`` shows, for the views of these keys."""
        share = number / (choices.frames - 1)
        seconds = self._begin + share * (self._end - self._begin)
        instance, state = self._past.at(seconds)
        new = between(self._progress, self._until, seconds)
        self._until = seconds
        caption, pictures = self._caption(instance, state), self._draw(state, keys)
        return Scene(instance, replace(state, progress=new), caption, pictures)

    def _caption(self, instance: Instance, state: Snapshot) -> str:
        session = self.log.session
        best = instance.problem.words.amount(state.cost, whole(state.cost))
        gap = instance.gap_percent(state.cost)
        above = "" if gap is None else f" ({percent(gap)})"
        parts = [
            instance.name,
            f"{session.system.title} on {session.device}",
            duration(state.elapsed),
            f"iteration {whole(state.iteration)}",
            f"best {best}{above}",
        ]
        return "  ·  ".join(parts)

    def _draw(self, state: Snapshot, keys: Sequence[str]) -> dict[str, Any]:
        """Draw a graph for the views that cannot do that themselves, unless it is as before."""
        coloring = state.best_solution
        graph: Any = self.instance  # views of these keys are of graphs alone
        wanted = {"graph", "matrix"} & set(keys)
        if not wanted or coloring is None:
            return {}
        if self._drawn is None or not np.array_equal(self._drawn[0], coloring):
            from gpu.drawing.draw import GraphArtist  # imports SciPy and Numba

            artist = self._artist = self._artist or GraphArtist(graph)
            pictures: dict[str, Any] = {}
            if "graph" in wanted:
                pictures["graph"] = artist.draw(None, coloring)
            if "matrix" in wanted:
                pictures["matrix"] = artist.adjacency(coloring)
            self._drawn = coloring, pictures
        return self._drawn[1]
