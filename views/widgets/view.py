"""What every view of a run has in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from gpu.core.snapshot import Snapshot, Wanted
from views.widgets.theme import DARK, Theme


class View(QWidget):
    """One way to look at a run.

    A snapshot is always taken in, because it may hold one point of a curve, but it is drawn only
    while the view is in sight; what was missed is drawn when it comes into sight again.

    Attributes
    ----------
    key : str
        Name in files and settings.
    title : str
        Name in the window.
    leisure : float
        Seconds between two drawings, at least, where the colony needs all cores.
    keys : tuple of (str, str)
        Keys, and what they do while the view has the focus.
    wanted_changed : Signal
        The view now needs other parts of a snapshot.
    exports_changed : Signal
        :attr:`exports` has changed.
    pointed : Signal
        The part of the solution that the mouse is at, a color class; -1 for none. The other views
        get it by :meth:`point_out`.
    """

    key: ClassVar[str] = ""
    title: ClassVar[str] = ""
    keys: ClassVar[tuple[tuple[str, str], ...]] = ()
    leisure: float = 1.0
    wanted_changed = Signal()
    exports_changed = Signal()
    pointed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme: Theme = DARK
        self._stale = False

    @property
    def behind(self) -> bool:
        """Whether another call of :meth:`draw` is needed to show all that was taken in."""
        return False

    @property
    def wanted(self) -> Wanted:
        """The parts of a snapshot that the view needs to draw what it shows now."""
        return Wanted.NUMBERS

    @property
    def overflow(self) -> QSize:
        """How much larger the view must be for a picture to show everything."""
        return QSize(0, 0)

    @property
    def exports(self) -> Mapping[str, bool]:
        """The exports that this view holds, by name, and whether there is something in them."""
        return {}

    def show_instance(self, instance: Any) -> None:
        """Prepare for runs on ``instance``, of a problem that the view is for; None empties it."""
        self.begin_run()

    def begin_run(self) -> None:
        """Forget the former run."""

    def point_out(self, part: int) -> None:
        """Let ``part`` of the solution stand out, a color class; -1 for none."""

    def fit(self) -> None:
        """Show all that there is, wherever the user has moved or zoomed."""

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Take in ``snapshot``, and draw it if the view is in sight."""
        self.take_in(snapshot)
        if self.catch_up():
            self.draw_all()

    def draw_all(self) -> None:
        """Draw all that was taken in, in sight or not."""
        self.draw()
        while self.behind:
            self.draw()

    def catch_up(self) -> bool:
        """Draw what was taken in, if the view is in sight; return whether it is."""
        self._stale = not self.isVisible()
        if not self._stale:
            self.draw()
        return not self._stale

    def take_in(self, snapshot: Snapshot) -> None:
        """Keep what ``snapshot`` holds; cheap, for it is done in or out of sight."""

    def draw(self) -> None:
        """Draw what was taken in."""

    def apply_theme(self, theme: Theme) -> None:
        """Change to the colours and the type of ``theme``."""
        self.theme = theme

    def showEvent(self, event: QShowEvent) -> None:
        """Draw what was missed while out of sight."""
        super().showEvent(event)
        if self._stale:
            self._stale = False
            self.draw_all()
