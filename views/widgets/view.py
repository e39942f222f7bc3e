"""The base of all views of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QAccessible, QFocusEvent, QHideEvent, QShowEvent
from PySide6.QtWidgets import QScrollArea, QTableView, QWidget
from shiboken6 import isValid

from gpu.core.snapshot import RunState, Wanted
from views.widgets.cached_picture import CachedPicture
from views.widgets.labels import ElidedLabel
from views.widgets.steps import Steps
from views.widgets.styling import parts_of, restyle
from views.widgets.theme import DARK, Theme
from views.widgets.values import Valued, ValueTable


@dataclass(frozen=True, slots=True)
class Pointed:
    """A color class, a city (vertex) or an edge; numbers begin at 0."""

    color: int = -1  # the color class, or -1
    places: tuple[int, ...] = ()  # one city, or the two cities of an edge, in its direction


NOTHING = Pointed()


@dataclass(frozen=True, slots=True)
class ViewSource:
    """What a view shows that is not the run in sight: pictures and files are named after it."""

    instance: str  # names for files
    colony: str
    seed: int
    text: str  # all of that for people, in one line


_THEMED_AT_ONCE = 25  # parts that follow a theme at a time


class View(QWidget):
    """One way to look at a run.

    A view takes in every snapshot, because each may be a point of a curve, but draws only while it
    is visible. When it becomes visible, it draws what it has missed.
    """

    key: ClassVar[str] = ""  # name in files and settings: mostly that of :meth:`name`
    title: ClassVar[str] = ""  # name in the window
    shortcut: ClassVar[str] = ""  # the view's own key; without one it gets a number
    keys: ClassVar[tuple[tuple[str, str], ...]] = ()  # what keys do while the view has the focus
    has_values: ClassVar[bool] = False  # whether :meth:`values` can be asked for a table
    of_run: ClassVar[bool] = True  # whether it shows the run in sight
    # Whether it shows one moment of a run and needs nothing of those before, so that it can show
    # the past.
    of_moment: ClassVar[bool] = False
    moment = ""  # which moment of the past it shows, in words; empty for the newest state
    redraw_interval: float = 1.0  # least seconds between drawings while a colony needs all cores
    wanted_changed = Signal()  # the view needs other parts of a snapshot
    exports_changed = Signal()
    # The :class:`Pointed` part of the solution that the mouse is at. The other views get it by
    # :meth:`point_out`.
    pointed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.title)
        self.theme: Theme = DARK
        self._stale = False
        self._pointed = NOTHING  # what the other views were told last
        self._next_theme: Theme | None = None  # came while the view was hidden
        self._unstyled: list[QWidget] = []  # parts that do not know it yet
        self.shown_early: Callable[[], object] = self.ensure_theme  # while it lacks a theme

    @classmethod
    def name(cls) -> str:
        """Return what commands and scripts call the view: its title, as one word."""
        return cls.title.lower().replace(" ", "-")

    @property
    def behind(self) -> bool:
        """Whether :meth:`draw` must be called again to show all that was taken in."""
        return False

    @property
    def wanted(self) -> Wanted:
        """The parts of a snapshot that the view needs for what it shows now."""
        return Wanted.NUMBERS

    @property
    def collected(self) -> Wanted:
        """The parts that it collects for a curve, now and then, even while it is hidden."""
        return Wanted.NUMBERS

    @property
    def kept(self) -> str:
        """What the user has chosen in the view that is there again at the next start, as text."""
        return ""

    def keep(self, kept: str) -> None:
        """Take up a choice of an earlier session; ignore what is none."""

    @property
    def source(self) -> ViewSource | None:
        """What the view shows, if that is not the run in sight."""
        return None

    @property
    def overflow(self) -> QSize:
        """How much larger the view must be to show everything in a picture."""
        lacking = [QSize(0, 0)]
        for area in self.findChildren(QScrollArea):
            if area.isVisibleTo(self):
                bars = area.horizontalScrollBar(), area.verticalScrollBar()
                lacking.append(QSize(*(bar.maximum() - bar.minimum() for bar in bars)))
        for table in self.findChildren(QTableView):
            if table.isVisibleTo(self):
                heads = table.horizontalHeader(), table.verticalHeader()
                lacking.append(QSize(*(head.length() for head in heads)) - table.viewport().size())
        lacking += [
            QSize(label.sizeHint().width() - label.width(), 0)
            for label in self.findChildren(ElidedLabel)
            if label.isVisibleTo(self)
        ]
        return QSize(max(one.width() for one in lacking), max(one.height() for one in lacking))

    @property
    def exports(self) -> Mapping[str, bool]:
        """The exports that this view holds, by name, and whether there is something in them."""
        return {}

    def values(self) -> list[ValueTable]:
        """Return what is in the pictures that are shown now, each as a table."""
        tables = (part.values() for part in self._valued())
        return [table for table in tables if table is not None]

    def _valued(self) -> list[Valued]:
        """Return the pictures that are shown."""
        parts = self.findChildren(QWidget)
        return [one for one in parts if isinstance(one, Valued) and one.isVisibleTo(self)]

    def describe(self) -> None:
        """Tell screen readers the most important values of the pictures that are shown."""
        summaries = [part.summary() for part in self._valued()]
        self.setAccessibleDescription(" ".join(f"{one}." for one in summaries if one))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Have something to say to whoever has come by a key."""
        super().focusInEvent(event)
        self.describe()

    def show_instance(self, instance: Any) -> None:
        """Prepare for runs on ``instance``, of a problem of this view; None empties the view."""
        self.begin_run()

    def show_edited(self, instance: Any) -> None:
        """Show ``instance``, which the one before became when the user edited its cities."""
        self.show_instance(instance)

    def begin_run(self) -> None:
        """Forget the former run."""

    def in_picture(self, *, on: bool) -> None:
        """Show as text what buttons say, while a picture is drawn without them."""

    def point_to(self, part: Pointed) -> None:
        """Tell the other views what the mouse is at."""
        if part != self._pointed:
            self._pointed = part
            self.pointed.emit(part)

    def point_out(self, part: Pointed) -> None:
        """Let ``part`` of the solution stand out."""

    def fit(self) -> None:
        """Show everything again after the user has moved or zoomed."""

    @property
    def lacks_theme(self) -> bool:
        """Whether what is seen of the view does not know the window's theme yet."""
        return self._next_theme is not None

    def draw_all(self) -> None:
        """Draw all that was taken in, visible or not."""
        self.ensure_theme()
        self._draw_rest()

    def _draw_rest(self) -> None:
        self.draw()
        while self.behind:
            self.draw()

    def catch_up(self) -> bool:
        """Draw what was taken in, if the view is visible; return whether it is."""
        self._stale = not self.isVisible()
        if not self._stale:
            self.draw()
            if self.hasFocus() and QAccessible.isActive():
                self.describe()
        return not self._stale

    def take_in(self, snapshot: RunState) -> None:
        """Keep what the view needs of ``snapshot``; cheap, because hidden views do it too."""

    def draw(self) -> None:
        """Draw what was taken in."""

    def use_theme(self, theme: Theme) -> None:
        """Use ``theme`` now, or, in a hidden view, by :meth:`follow_theme` or when it is shown."""
        if self.isVisible():
            self._next_theme, self._unstyled = None, []
            self.apply_theme(theme)
        else:
            self._next_theme, self._unstyled = theme, list(parts_of(self))

    def follow_theme(self) -> bool:
        """Take a step towards the theme that came while the view was hidden; return if it did.

        Parts that are hidden in it come last.
        """
        if self._next_theme is None and not self._unstyled:
            return False
        # sorted() leaves parents before their parts, which inherit the type
        left = sorted(filter(isValid, self._unstyled), key=lambda part: not part.isVisibleTo(self))
        if self._next_theme is not None and not (left and left[0].isVisibleTo(self)):
            theme, self._next_theme, self._unstyled = self._next_theme, None, left
            self.apply_theme(theme)
        else:
            self._unstyled = left[_THEMED_AT_ONCE:]
            restyle(left[:_THEMED_AT_ONCE])
        return True

    def theme_steps(self) -> Steps[None]:
        """Follow the theme to the end."""
        while self.follow_theme():
            yield

    def ensure_theme(self) -> None:
        """Use the theme that came while the view was hidden; parts that are hidden in it follow."""
        while self.lacks_theme:
            self.follow_theme()

    def apply_theme(self, theme: Theme) -> None:
        """Use the colours and the type of ``theme``, in all parts of the view."""
        self.theme = theme
        for part in self.findChildren(QWidget):
            if hasattr(part, "apply_theme"):  # colours of its own, beside the style sheet
                part.apply_theme(theme)

    def showEvent(self, event: QShowEvent) -> None:
        """Draw what was missed while the view was hidden, and have it follow the theme."""
        super().showEvent(event)
        if self.lacks_theme:
            self.shown_early()
        if self._stale:
            self._stale = False
            self._draw_rest()

    def hideEvent(self, event: QHideEvent) -> None:
        """Give back the memory of what was drawn: tens of MB in a large window."""
        super().hideEvent(event)
        CachedPicture.free(self)
