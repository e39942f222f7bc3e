"""Films in which the ants walk: iterations of a recorded run that are made again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from app.files.film import FilmSource, Scene
from gpu.core.history import between
from gpu.core.instance import Instance
from gpu.core.snapshot import Wanted
from gpu.run.log.run_log import read_log
from gpu.run.remade import Remade, RemadeRun, ants_walk
from views.film import FilmChoices, FilmedAnts, FilmError, WalkFrame, walked_iterations

_WALK = 0.8  # share of an iteration's frames in which its ants walk; then trails are laid
_SHOWN = Wanted.SOLUTION | Wanted.TRAILS | Wanted.PHEROMONE


def filmed_ants(log_path: Path, instance: Instance, *, on: bool) -> FilmedAnts | None:
    """Return what is said of the ants in a film of a run; None if they cannot walk in it."""
    log = read_log(log_path)
    last = log.last
    if last is None or not last["iteration"] or not ants_walk(log.session.system, instance):
        return None
    return FilmedAnts(last["iteration"], float(last.get("seconds", 0.0)), on)


class WalkSource(FilmSource):
    """A recorded run as scenes in which the ants of some iterations walk, from first to last.

    All calls of :meth:`scene` and :meth:`close` must come from one thread. Whatever
    ``after_slice`` raises, which is called now and then, is raised by :meth:`scene`.
    """

    def __init__(
        self,
        log_path: Path,
        instance: Instance | None = None,
        after_slice: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__(log_path, instance)
        if not ants_walk(self.log.session.system, self.instance):
            raise FilmError(
                f"the ants of {self.log.session.system.title} cannot be shown at work on "
                f"{self.instance.name}: make the film without --ants"
            )
        self._after_slice = after_slice
        self._remade = RemadeRun(self.log, self.instance)
        if not self._remade.last:
            raise FilmError(f"{log_path}: no ants were at work in this run")
        self._walk: tuple[int, Remade, Remade] | None = None  # its place, before and after

    def scene(self, number: int, choices: FilmChoices, keys: Sequence[str]) -> Scene:
        """Return what the frame ``number`` shows, for the views of these keys."""
        iterations = walked_iterations(choices.seconds, self._remade.last)
        place = number * len(iterations) // choices.frames
        first, end = (-(-one * choices.frames // len(iterations)) for one in (place, place + 1))
        if self._walk is None or self._walk[0] != place:
            self._walk = place, *self._made(iterations[place])
        _, before, after = self._walk
        share = (number - first) / max(1, end - 1 - first)
        walked, laid = min(1.0, share / _WALK), max(0.0, (share - _WALK) / (1 - _WALK))
        home = number == end - 1
        if home:
            walked = laid = 1.0
        instance, state = after if home else before
        seconds = self._moments.seconds_at(state.iteration)  # as it was, not as it is made again
        new = between(self._progress, self._until, seconds)
        self._until = seconds
        state = replace(state, progress=new, elapsed=seconds)
        caption = self._caption(instance, state, after.state.iteration)
        walk = WalkFrame(before.state, after.state, walked, laid)
        return Scene(instance, state, caption, self._draw(state, keys), walk)

    def close(self) -> None:
        """Free the colony."""
        self._remade.close()

    def _made(self, iteration: int) -> tuple[Remade, Remade]:
        """Return what there was before an iteration, and after it."""
        before = self._remade.at(iteration - 1, _SHOWN, lambda _: self._after_slice())
        after = self._remade.at(iteration, _SHOWN | Wanted.WALKS, lambda _: self._after_slice())
        return before, after
