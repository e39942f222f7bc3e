"""What a user draws: cities, some of them selected, and every change, which can be undone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from gpu.core.words import counted
from views.widgets.layers import Points

DRAWN_MOST = 100_000  # cities
MOST_UNDONE = 500  # changes that can be undone

Which = NDArray[np.intp]  # numbers of cities, from 0, ascending

NO_POINTS: Which = np.zeros(0, np.intp)
_GLOBE = np.array([180.0, 90.0])  # the largest longitude and latitude


class Drawing(QObject):
    """The cities, in the order of their numbers."""

    changed = Signal()  # the cities
    selected = Signal()  # others are selected

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.points: Points = np.empty((0, 2))
        self.globe = False  # whether they are longitudes and latitudes; never without cities
        self.selection: Which = NO_POINTS
        self.stack = QUndoStack(self)
        self.stack.setUndoLimit(MOST_UNDONE)

    @property
    def room(self) -> int:
        """How many more cities there is room for."""
        return DRAWN_MOST - len(self.points)

    @property
    def unsaved(self) -> bool:
        """Whether there are cities that were changed after :meth:`note_saved`."""
        return len(self.points) > 0 and not self.stack.isClean()

    def note_saved(self) -> None:
        """Note that the cities are in a file as they are."""
        self.stack.setClean()

    def select(self, which: Which) -> None:
        """Select these cities, and no others."""
        chosen = np.zeros(len(self.points), dtype=bool)  # sorts faster than np.unique
        chosen[which] = True
        self.selection = np.flatnonzero(chosen)
        self.selected.emit()

    def toggle(self, city: int) -> None:
        """Select ``city`` too, or no longer."""
        others = self.selection[self.selection != city]
        more = len(others) == len(self.selection)
        self.select(np.append(others, city) if more else others)

    def holds(self, points: Points) -> bool:
        """Whether there are such places: on the globe, not beyond the poles and the date line."""
        return not self.globe or bool((np.abs(points) <= _GLOBE).all())

    def reachable(self, which: Which, by: Points) -> Points:
        """Return how far cities can be moved ``by`` so much, shape (2,), all in the same way."""
        if not self.globe:
            return by
        points = self.points[which]
        within: Points = np.clip(by, -_GLOBE - points.min(axis=0), _GLOBE - points.max(axis=0))
        return within

    def add(self, points: Points, *, globe: bool | None = None) -> None:
        """Add cities with the highest numbers; the first ones may be on the ``globe``."""
        self.stack.push(_Add(self, points, self.globe if globe is None else globe))

    def move(self, which: Which, by: Points) -> None:
        """Move cities ``by`` so much, shape (2,); moves of the same cities are undone together."""
        self.stack.push(_Move(self, which, self.reachable(which, by)))

    def erase(self, which: Which) -> None:
        """Erase cities; those behind them get lower numbers."""
        if len(which):
            self.stack.push(_Erase(self, which))

    def replace(self, points: Points, text: str, *, globe: bool = False) -> None:
        """Erase all, and draw ``points``; the change is called ``text``."""
        self.stack.beginMacro(text)
        self.erase(np.arange(len(self.points)))
        self.add(points, globe=globe)
        self.stack.endMacro()

    def put(self, points: Points, selection: Which = NO_POINTS, *, globe: bool) -> None:
        """Show what a change has made; only changes call this."""
        self.points = points
        self.globe = globe and len(points) > 0
        self.selection = selection
        self.changed.emit()


class _Add(QUndoCommand):
    def __init__(self, drawing: Drawing, points: Points, globe: bool) -> None:
        super().__init__(f"add {counted(len(points), 'city', f'{len(points):,}')}")
        self._drawing, self._points, self._globe = drawing, points, globe

    def redo(self) -> None:
        """Add them."""
        self._drawing.put(np.vstack([self._drawing.points, self._points]), globe=self._globe)

    def undo(self) -> None:
        """Take them away."""
        points = self._drawing.points
        self._drawing.put(points[: len(points) - len(self._points)], globe=self._globe)


class _Move(QUndoCommand):
    def __init__(self, drawing: Drawing, which: Which, by: Points) -> None:
        super().__init__(f"move {counted(len(which), 'city', f'{len(which):,}')}")
        self._drawing, self._which, self._by = drawing, which, by
        self._from = drawing.points[which]

    def redo(self) -> None:
        """Move them."""
        self._put(self._from + self._by)

    def undo(self) -> None:
        """Put them back."""
        self._put(self._from)

    def id(self) -> int:
        """Return what tells moves from other changes."""
        return 1

    def mergeWith(self, other: QUndoCommand) -> bool:
        """Take in a further move of the same cities."""
        if not isinstance(other, _Move) or not np.array_equal(other._which, self._which):
            return False
        self._by = self._by + other._by
        return True

    def _put(self, places: Points) -> None:
        points = self._drawing.points.copy()
        points[self._which] = places
        self._drawing.put(points, self._which, globe=self._drawing.globe)


class _Erase(QUndoCommand):
    def __init__(self, drawing: Drawing, which: Which) -> None:
        super().__init__(f"erase {counted(len(which), 'city', f'{len(which):,}')}")
        self._drawing, self._which = drawing, which
        self._erased, self._globe = drawing.points[which], drawing.globe

    def redo(self) -> None:
        """Erase them."""
        rest = np.delete(self._drawing.points, self._which, axis=0)
        self._drawing.put(rest, globe=self._globe)

    def undo(self) -> None:
        """Put them back where they were, with their numbers."""
        rest = self._drawing.points
        points = np.empty((len(rest) + len(self._which), 2))
        kept = np.ones(len(points), dtype=bool)
        kept[self._which] = False
        points[kept], points[self._which] = rest, self._erased
        self._drawing.put(points, self._which, globe=self._globe)
