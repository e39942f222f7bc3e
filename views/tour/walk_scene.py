"""The map while ants walk on it: the trails before them, and those that they lay."""

from __future__ import annotations

from PySide6.QtCore import QPointF

from gpu.core.snapshot import MOST_WALKERS, RunState, Trails
from views.tour.tour_layers import TrailsLayer
from views.tour.walk_layer import WalkLayer


class TourScene:
    """Ants on the trails of the iteration before: a :class:`~views.walks.walking.WalkScene`."""

    usual = MOST_WALKERS

    def __init__(self, walk: WalkLayer, trails: TrailsLayer, coming: TrailsLayer) -> None:
        self._walk, self._trails, self._coming = walk, trails, coming
        # The trails after two iterations, the newest last.
        self._laid: list[tuple[int, Trails]] = []
        coming.setVisible(False)

    @property
    def steps(self) -> int:
        """Steps of a whole tour; 0 without ants."""
        return self._walk.steps

    def switch(self, *, on: bool) -> None:
        """Show ants from now on, or none."""
        self._walk.setVisible(on)

    def note(self, state: RunState) -> None:
        """Keep the trails."""
        if state.trails is not None:
            self._laid = [one for one in self._laid if one[0] < state.iteration][-1:]
            self._laid.append((state.iteration, state.trails))

    def begin(self, state: RunState) -> None:
        """Show the ants at their start, upon the trails that they have read."""
        before = [trails for iteration, trails in self._laid if iteration < state.iteration]
        if before:
            self._trails.show_part(before[-1])
        self._walk.show_part(state.walks)

    def go_to(self, position: float, laid: float) -> None:
        """Show the ants after so many steps, or that share of what their trails have become."""
        self._walk.go_to(position)
        self._walk.setOpacity(1.0 - laid)
        fades = 0.0 < laid < 1.0 and self._trails.isVisible() and bool(self._laid)
        if fades and self._coming.shown is not self._laid[-1][1]:
            self._coming.show_part(self._laid[-1][1])
        self._coming.setVisible(fades)
        self._coming.setOpacity(laid)
        self._trails.setOpacity(1.0 - laid if fades else 1.0)

    def show_ants(self, ants: int) -> None:
        """Show so many of them."""
        self._walk.show_ants(ants)

    def ant_at(self, pixel: QPointF) -> int | None:
        """Return the ant at a place of the canvas, if there is one."""
        return self._walk.ant_at(pixel)

    def follow(self, ant: int) -> None:
        """Let an ant stand out; -1 for none."""
        self._walk.follow(ant)

    def be_filmed(self) -> None:
        """Keep what finished steps have left even where pictures are drawn anew."""
        self._walk.filmed = True

    def end(self) -> None:
        """Show the newest trails alone."""
        self._coming.setVisible(False)
        self._trails.setOpacity(1.0)

    def forget(self) -> None:
        """Have no ants."""
        self._laid.clear()
        self._walk.show_part(None)
