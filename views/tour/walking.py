"""Iterations on the map, one after the other: their ants walk, then their trails are laid."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from gpu.core.formats import number_of, whole
from gpu.core.snapshot import RunState, Trails, Walks
from views.tour.tour_layers import TrailsLayer
from views.tour.walk_bar import WalkBar
from views.tour.walk_layer import WalkLayer

Parts = dict[str, Any]  # what layers are to show, by their names


class Walking(QObject):
    """Lets ants walk, and holds back what came of it until they are home.

    While a run goes on without waiting, the newest iteration follows the one that was shown.
    """

    released = Signal(object)  # the Parts that were held back
    iteration_wanted = Signal(bool)  # another iteration; whether the user asked for it just now

    def __init__(self, bar: WalkBar, walk: WalkLayer, trails: TrailsLayer, coming: TrailsLayer):
        super().__init__(bar)
        self.bar, self._walk, self._trails, self._coming = bar, walk, trails, coming
        self.on = False
        self._asked = False  # the user wants to see the coming iteration
        self._shown = 0  # the iteration whose ants walk, or have walked
        self._next: RunState | None = None  # a later one, with its ants' tours
        self._held: Parts = {}
        self._laid: list[
            tuple[int, Trails]
        ] = []  # the trails after two iterations, the newest last
        bar.moved.connect(self._move)
        bar.ended.connect(self._end)
        bar.ants_changed.connect(walk.show_ants)
        bar.next_wanted.connect(self._go_on)
        bar.hide()
        for layer in (walk, coming):
            layer.setVisible(False)

    def switch(self, *, on: bool) -> None:
        """Let ants walk from now on, or show at once all that was held back."""
        self.on = on
        self.bar.setVisible(on)
        self._walk.setVisible(on)
        if on:
            self.bar.be_ready()
        else:
            self.bar.stop()
            self.forget()

    def forget(self) -> None:
        """Have no ants, because there is another run, or none; let go what is held back."""
        self._next, self._shown, self._asked = None, 0, False
        self._laid.clear()
        self.bar.forget()
        self._walk.show_part(None)
        self._release()

    def take_in(self, state: RunState, parts: Parts) -> Parts:
        """Take in a new state; return those of its ``parts`` that may be shown now."""
        if not self.on:
            return parts
        if state.trails is not None:
            self._laid = [one for one in self._laid if one[0] < state.iteration][-1:]
            self._laid.append((state.iteration, state.trails))
        if state.walks is not None and state.iteration > self._shown:
            self._next = state
        if self.bar.under_way:
            self._held |= parts
            return {}
        if self._next is not None and (self._asked or self.bar.play.isChecked()):
            self._held |= parts
            self._begin(self._next)
            return {}
        return parts

    @Slot(bool)
    def _go_on(self, asked: bool) -> None:
        """Show the next iteration, if it is there; else ask for it."""
        self._asked = asked
        if self._next is not None:
            self._begin(self._next)
        elif self.on:
            self.iteration_wanted.emit(asked)

    def _begin(self, state: RunState) -> None:
        walks = state.walks
        assert walks is not None
        self._next, self._shown, self._asked = None, state.iteration, False
        before = [trails for iteration, trails in self._laid if iteration < state.iteration]
        if before:
            self._trails.show_part(before[-1])
        self._walk.show_part(walks)
        self.bar.begin(state.iteration, self._walk.steps, *_counted(state, walks))

    @Slot(float, float)
    def _move(self, position: float, laid: float) -> None:
        """Show the ants after so many steps, or that share of what their trails have become."""
        self._walk.go_to(position)
        self._walk.setOpacity(1.0 - laid)
        fades = 0.0 < laid < 1.0 and self._trails.isVisible() and bool(self._laid)
        if fades and self._coming.shown is not self._laid[-1][1]:
            self._coming.show_part(self._laid[-1][1])
        self._coming.setVisible(fades)
        self._coming.setOpacity(laid)
        self._trails.setOpacity(1.0 - laid if fades else 1.0)

    @Slot()
    def _end(self) -> None:
        """Show what came of the walk; in its turn, let the ants of a later iteration walk."""
        self._release()
        if self._next is not None and self.bar.play.isChecked():
            self._begin(self._next)

    def _release(self) -> None:
        held, self._held = self._held, {}
        self._coming.setVisible(False)
        self._trails.setOpacity(1.0)
        if held:
            self.released.emit(held)


def _counted(state: RunState, walks: Walks) -> tuple[int, int, str]:
    """Return how many ants there are to see, how many there are, and what is to be said of it."""
    seen, ants = len(walks.tours), max(walks.ants, state.solutions_each)
    if seen == ants:
        return seen, ants, number_of(ants, "ant")
    if state.moves is not None:
        return seen, ants, f"the best of {whole(ants)} ants, before local search"
    if seen == 1:
        return seen, ants, f"the best of {whole(ants)} ants"
    return seen, ants, f"the first {whole(seen)} of {whole(ants)} ants"
