"""Editing the cities on the map: add, drag, remove, undo and redo."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QTransform

from views.widgets.canvas_view import CanvasView
from views.widgets.layers import Layer, Points, draw_lines, draw_points, to_pixels
from views.widgets.pointing import CLICK

FEWEST_TO_EDIT = 3  # cities that must stay
_NOWHERE = math.nan
_NO_PLACES = np.empty((0, 2))
_UNDO_KEYS = (Qt.Key.Key_Z, Qt.Key.Key_Y)


class Edit(NamedTuple):
    """One city that is added (before the city of this number), moved or removed."""

    kind: str  # add, move or remove
    city: int  # from 0, among the cities that are there when the edit is made
    x: float
    y: float


class EditLayer(Layer):
    """Places that cities will have soon, those that will go, and the city that is dragged."""

    def __init__(self, depth: float) -> None:
        super().__init__(depth)
        self.coming: Points = _NO_PLACES
        self.going: Points = _NO_PLACES

    def show_places(self, coming: Points, going: Points) -> None:
        """Show other places."""
        self.coming, self.going = coming, going
        self.prepareGeometryChange()
        everything = np.concatenate([coming, going])
        self.set_bounds(everything)
        self._bounds = self._bounds.adjusted(-1e9, -1e9, 1e9, 1e9)  # a dot has no size of its own
        self.refresh()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return len(self.coming) + len(self.going) == 0

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw dots for what comes, crosses for what goes."""
        draw_points(painter, to_pixels(self.coming, transform), self._theme.colour("accent"), 9)
        at = to_pixels(self.going, transform)
        arms = [
            np.hstack([at - arm, at + arm]) for arm in (np.array([5.0, 5.0]), np.array([5.0, -5.0]))
        ]
        draw_lines(painter, np.concatenate(arms), self._theme.colour("gap"), 2)


class CityEditing(QObject):
    """The tool of a map with which the user edits its cities.

    Edits are asked for by ``asked`` and shown at once; they are made when the run is between two
    iterations. ``places`` are the cities as they will be then.
    """

    asked = Signal(object)  # a tuple of edits
    told = Signal(str)  # a sentence about what was not done

    def __init__(self, canvas: CanvasView, layer: EditLayer) -> None:
        super().__init__(canvas)
        self._canvas, self._layer = canvas, layer
        self.on = False
        self.places: Points = _NO_PLACES
        self._whole: bool | None = None  # whether all coordinates are whole; None: not looked yet
        self._waiting: list[tuple[Points, Points]] = []  # what each edit shows until it is made
        self._done: list[tuple[Edit, Edit]] = []  # each with the one that takes it back
        self._undone: list[tuple[Edit, Edit]] = []
        self._pressed: QPointF | None = None  # in pixels
        self._button = Qt.MouseButton.NoButton
        self._dragged: int | None = None
        self._mouse: QPointF | None = None  # on the map

    @property
    def unit(self) -> float:
        """What new coordinates are multiples of: a power of ten, at most a pixel."""
        if self._whole is None:  # not at the beginning: that is long for a million cities
            self._whole = bool((self.places == self.places.round()).all())
        pixel = float(self._canvas.box.viewPixelSize()[0])
        unit = 10.0 ** math.floor(math.log10(pixel)) if pixel > 0 else 1.0
        return max(1.0, unit) if self._whole else unit

    def begin(self, places: Points) -> None:
        """Edit the cities at ``places``, float64 of shape (n, 2), of another instance."""
        self._done, self._undone, self._waiting = [], [], []
        self._let_go()
        self._take(places)
        self._whole = None

    def made(self, count: int | None, places: Points) -> None:
        """Note that ``count`` edits are made, after which cities are at ``places``.

        None: they were refused, and so were all that wait.
        """
        if count is None:
            self._waiting, self._done, self._undone = [], [], []
            self._let_go()
        else:
            del self._waiting[:count]
        if not self._waiting:
            self._take(places)
        self._show()

    def switch(self, *, on: bool) -> None:
        """Begin or end editing."""
        self.on = on
        self._let_go()
        cursor = Qt.CursorShape.CrossCursor if on else Qt.CursorShape.ArrowCursor
        self._canvas.graphics.viewport().setCursor(cursor)
        self._show()

    def undo(self) -> None:
        """Take the last edit back."""
        if self._done:
            forward, back = self._done.pop()
            self._undone.append((forward, back))
            self._ask(back)

    def redo(self) -> None:
        """Make it again."""
        if self._undone:
            forward, back = self._undone.pop()
            self._done.append((forward, back))
            self._ask(forward)

    def remove_at_mouse(self) -> None:
        """Remove the city under the mouse."""
        near = None if self._mouse is None else self._canvas.nearest(self.places, self._mouse)
        if near is not None:
            self._remove(near)

    def handle_mouse(self, event: QEvent) -> bool:
        """Take what the mouse does on the canvas; return whether nobody else may have it."""
        if not self.on or not isinstance(event, QMouseEvent):
            return False
        kind, canvas = event.type(), self._canvas
        if kind == QEvent.Type.MouseButtonDblClick:
            kind = QEvent.Type.MouseButtonPress  # two cities, close to each other
        at = event.position()
        place = canvas.box.mapSceneToView(canvas.graphics.mapToScene(at.toPoint()))
        self._mouse = place
        if kind == QEvent.Type.MouseButtonPress:
            self._pressed, self._button = at, event.button()
            near = canvas.nearest(self.places, place)
            self._dragged = near if event.button() == Qt.MouseButton.LeftButton else None
            return event.type() != kind or near is not None
        if kind == QEvent.Type.MouseMove and self._dragged is not None:
            self._show(np.array([[place.x(), place.y()]]))
            return True
        if kind == QEvent.Type.MouseButtonRelease and self._pressed is not None:
            return self._release(at, place)
        return False

    def _release(self, at: QPointF, place: QPointF) -> bool:
        assert self._pressed is not None
        way = at - self._pressed
        clicked = math.hypot(way.x(), way.y()) <= CLICK
        dragged, self._dragged, self._pressed = self._dragged, None, None
        if dragged is not None and not clicked:
            self._move(dragged, place)
            return True
        if clicked and self._button == Qt.MouseButton.LeftButton and dragged is None:
            self._add(place)
        elif clicked and self._button == Qt.MouseButton.RightButton:
            self.remove_at_mouse()
        else:
            self._show()
        return dragged is not None

    def handle_key(self, event: QEvent) -> bool:
        """Take a key that is pressed on the canvas; return whether nobody else may have it."""
        if not self.on or not isinstance(event, QKeyEvent):
            return False
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        removes = event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
        if not removes and not (control and event.key() in _UNDO_KEYS):
            return False
        if event.type() == QEvent.Type.ShortcutOverride:  # the keys are not the window's now
            event.accept()
        elif event.type() == QEvent.Type.KeyPress:
            if removes:
                self.remove_at_mouse()
            elif shift or event.key() == Qt.Key.Key_Y:
                self.redo()
            else:
                self.undo()
        return True

    def _add(self, place: QPointF) -> None:
        n, (x, y) = len(self.places), self._rounded(place)
        self._do(Edit("add", n, x, y), Edit("remove", n, _NOWHERE, _NOWHERE))

    def _move(self, city: int, place: QPointF) -> None:
        x, y = self.places[city].tolist()
        self._do(Edit("move", city, *self._rounded(place)), Edit("move", city, x, y))

    def _remove(self, city: int) -> None:
        if len(self.places) <= FEWEST_TO_EDIT:
            self.told.emit(f"A tour needs {FEWEST_TO_EDIT} cities: this one stays")
            return
        x, y = self.places[city].tolist()
        self._do(Edit("remove", city, _NOWHERE, _NOWHERE), Edit("add", city, x, y))

    def _do(self, forward: Edit, back: Edit) -> None:
        self._done.append((forward, back))
        self._undone.clear()
        self._ask(forward)

    def _let_go(self) -> None:
        """Let go the city that is dragged: another one may have its number now."""
        self._pressed = self._dragged = None

    def _ask(self, edit: Edit) -> None:
        self._let_go()
        place, city = np.array([[edit.x, edit.y]]), edit.city
        before = self.places[city : city + 1]
        if edit.kind == "add":
            self.places = np.insert(self.places, city, place[0], axis=0)
            self._waiting.append((place, _NO_PLACES))
        elif edit.kind == "move":
            self.places = self.places.copy()
            self.places[city] = place[0]
            self._waiting.append((place, before))
        else:
            self.places = np.delete(self.places, city, axis=0)
            self._waiting.append((_NO_PLACES, before))
        self._show()
        self.asked.emit((edit,))

    def _take(self, places: Points) -> None:
        self.places = places

    def _rounded(self, place: QPointF) -> tuple[float, float]:
        unit = self.unit
        digits = max(0, -round(math.log10(unit)))
        x, y = (round(round(one / unit) * unit, digits) for one in (place.x(), place.y()))
        return x, y

    def _show(self, dragged: Points = _NO_PLACES) -> None:
        """Show all that waits, and where the city that is dragged would go."""
        shown: Any = self._waiting if self.on or self._waiting else []
        going = [one for _, one in shown]
        if len(dragged) and self._dragged is not None:
            going.append(self.places[self._dragged : self._dragged + 1])
        coming = np.concatenate([_NO_PLACES, *(one for one, _ in shown), dragged])
        self._layer.show_places(coming, np.concatenate([_NO_PLACES, *going]))
