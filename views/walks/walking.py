"""Iterations in a view, one after the other: their ants walk, then what came of it is shown."""

from __future__ import annotations

from typing import Any, Protocol

from PySide6.QtCore import QObject, QPointF, Signal, Slot

from gpu.core.formats import number_of, whole
from gpu.core.snapshot import RunState, Walks
from views.walks.walk_bar import WalkBar

Parts = dict[str, Any]  # what layers are to show, by their names


class WalkScene(Protocol):
    """Where ants walk: the layers of a view that show them, and what gives way to them."""

    usual: int  # most ants that are shown unasked

    @property
    def steps(self) -> int:
        """Steps of each ant that is shown; 0 without ants."""

    def switch(self, *, on: bool) -> None:
        """Show ants from now on, or none."""

    def note(self, state: RunState) -> None:
        """Take in a new state, whose ants may be shown later."""

    def begin(self, state: RunState) -> None:
        """Show the ants of ``state`` at their start."""

    def go_to(self, position: float, laid: float) -> None:
        """Show them after so many steps, or what came of them as that share in [0, 1]."""

    def show_ants(self, ants: int) -> None:
        """Show so many of them, the first ones."""

    def ant_at(self, pixel: QPointF) -> int | None:
        """Return the ant at a place of the canvas, if there is one."""

    def follow(self, ant: int) -> None:
        """Let an ant stand out; -1 for none."""

    def be_filmed(self) -> None:
        """Keep what finished steps have left even where pictures are drawn anew."""

    def end(self) -> None:
        """Show nothing but what came of them."""

    def forget(self) -> None:
        """Have no ants."""


class Walking(QObject):
    """Lets ants walk, and holds back what came of it until they are home.

    While a run goes on without waiting, the newest iteration follows the one that was shown.
    """

    released = Signal(object)  # the Parts that were held back
    iteration_wanted = Signal(bool)  # another iteration; whether the user asked for it just now
    switched = Signal(bool)  # whether ants are to walk
    # An ant, from 0, is followed: it, its step, from 1, and the iteration; -1 for no ant any more.
    followed = Signal(int, int, int)

    def __init__(self, bar: WalkBar, scene: WalkScene):
        super().__init__(bar)
        self.bar, self._scene = bar, scene
        self.on = False
        self._asked = False  # the user wants to see the coming iteration
        self._shown = 0  # the iteration whose ants walk, or have walked
        self._next: RunState | None = None  # a later one, with what its ants have built
        self._newest: RunState | None = None  # the newest state, if its ants can be shown
        self._held: Parts = {}
        self._followed = -1  # an ant
        self._each = False  # whether each ant that is shown is the one of its number
        self._step = 0  # of the ant that is followed, as far as that was told
        bar.moved.connect(scene.go_to)
        bar.moved.connect(self._tell_step)
        bar.ended.connect(self._end)
        bar.ants_changed.connect(scene.show_ants)
        bar.next_wanted.connect(self._go_on)
        bar.hide()
        scene.switch(on=False)

    def switch(self, *, on: bool) -> None:
        """Let ants walk from now on, or show at once all that was held back."""
        self.on = on
        self.bar.setVisible(on)
        self._scene.switch(on=on)
        if on:
            self.bar.be_ready()
            self.repeat()
        else:
            self.bar.stop()
            self._leave()
        self.switched.emit(on)

    def repeat(self) -> bool:
        """Let the ants of the newest state walk, once more if they did; return whether they do."""
        if self._newest is None or not self.on:
            return False
        self._begin(self._newest)
        return True

    @property
    def known(self) -> bool:
        """Whether the ants of the newest state can be shown."""
        return self._newest is not None

    def be_filmed(self) -> None:
        """Draw finished steps once, although pictures for a film are drawn anew."""
        self._scene.be_filmed()

    def follow_at(self, pixel: QPointF) -> bool:
        """Follow the ant at a place of the canvas, or no longer; return whether there is one."""
        ant = self._scene.ant_at(pixel) if self.on and self._each and self.bar.under_way else None
        if ant is None:
            return False
        self.bar.stop()
        self._follow(-1 if ant == self._followed else ant)
        return True

    def _follow(self, ant: int) -> None:
        self._followed, self._step = ant, 0
        self._scene.follow(ant)
        if ant < 0:
            self.followed.emit(-1, 0, 0)
        else:
            self._tell_step(self.bar.position, 0.0)

    @Slot(float, float)
    def _tell_step(self, position: float, _: float) -> None:
        """Tell which step the ant makes that is followed."""
        step = int(position) + 1
        if self._followed >= 0 and step != self._step:
            self._step = step
            self.followed.emit(self._followed, step, self._shown)

    def forget(self) -> None:
        """Have no ants, because there is another run, or none; let go what is held back."""
        self._newest = None
        self._leave()

    def _leave(self) -> None:
        if self._followed >= 0:
            self._follow(-1)
        self._next, self._shown, self._asked = None, 0, False
        self.bar.forget()
        self._scene.forget()
        self._release()

    def take_in(self, state: RunState, parts: Parts) -> Parts:
        """Take in a new state; return those of its ``parts`` that may be shown now."""
        if state.walks is not None:
            self._newest = state
        elif self._newest is not None and state.iteration > self._newest.iteration:
            self._newest = None
        if not self.on:
            return parts
        self._scene.note(state)
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
        whole_each = state.moves is None and walks.ants >= state.solutions_each
        self._each = whole_each and walks.changed is None  # its choices are told otherwise
        self._scene.begin(state)
        self._step = 0
        counted = _counted(state, walks)
        self.bar.begin(state.iteration, self._scene.steps, *counted, usual=self._scene.usual)

    @Slot()
    def _end(self) -> None:
        """Show what came of the walk; in its turn, let the ants of a later iteration walk."""
        self._release()
        if self._next is not None and self.bar.play.isChecked():
            self._begin(self._next)

    def _release(self) -> None:
        held, self._held = self._held, {}
        self._scene.end()
        if held:
            self.released.emit(held)


def _counted(state: RunState, walks: Walks) -> tuple[int, str]:
    """Return how many ants there are to see, and what is to be said of it."""
    seen, ants = len(walks.orders), max(walks.ants, state.solutions_each)
    if walks.changed is not None:
        each = walks.changed.sum(axis=1).mean()
        of_all = "" if seen == ants else f"the first {whole(seen)} of "
        return seen, f"{of_all}{number_of(ants, 'ant')}, each with {each:.0f} new edges (wide)"
    if seen == ants:
        return seen, number_of(ants, "ant")
    if state.moves is not None:
        return seen, f"the best of {whole(ants)} ants, before local search"
    if seen == 1:
        return seen, f"the best of {whole(ants)} ants"
    return seen, f"the first {whole(seen)} of {whole(ants)} ants"
