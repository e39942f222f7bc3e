"""The canvas of the drawing board: tools for the mouse, a cursor for the keys, the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter, QPolygonF, QTransform
from PySide6.QtWidgets import QVBoxLayout

from views.draw.drawing import NO_POINTS, Drawing, Which
from views.tour.tour_layers import CitiesLayer
from views.widgets.canvas_view import CanvasView
from views.widgets.layers import Layer, Points, corners, draw_lines, to_pixels
from views.widgets.layouts import fill

PAGE = np.array([[0.0, 0.0], [10_000.0, 7_000.0]])  # where a new drawing has room


class GuidesLayer(Layer):
    """The page, the cursor of the keys, and the lasso while it is drawn."""

    def __init__(self) -> None:
        super().__init__(0)
        self.spot: Points | None = None  # (2,)
        self.lasso: list[tuple[float, float]] = []
        self.page: Points = PAGE

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw them."""
        (left, top), (right, bottom) = to_pixels(self.page, transform)
        page = [[left, top, right, top], [right, top, right, bottom]]
        page += [[right, bottom, left, bottom], [left, bottom, left, top]]
        draw_lines(painter, np.array(page), self._theme.colour("border"))
        if self.spot is not None:
            x, y = to_pixels(self.spot[None], transform)[0]
            cross = [[x - 9, y, x + 9, y], [x, y - 9, x, y + 9]]
            draw_lines(painter, np.array(cross), self._theme.colour("accent"), 2.0)
        if len(self.lasso) > 1:
            around = to_pixels(np.array([*self.lasso, self.lasso[0]]), transform)
            lines = np.hstack([around[:-1], around[1:]])
            draw_lines(painter, lines, self._theme.colour("accent"), 1.4)


def within(
    lasso: Sequence[tuple[float, float]], points: Points, low: Points, high: Points, size: QSize
) -> Which:
    """Return the points in sight within ``lasso``: it is filled, and their pixels looked up.

    What is in sight reaches from ``low`` to ``high``, and has so many pixels.
    """
    if len(lasso) < 3 or not len(points):
        return NO_POINTS
    sides = np.array([size.width(), size.height()])
    scale = sides / (high - low)
    mask = QImage(size, QImage.Format.Format_Grayscale8)
    mask.fill(0)
    with QPainter(mask) as painter:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(Qt.GlobalColor.white)
        around = (np.array(lasso) - low) * scale
        painter.drawPolygon(QPolygonF([QPointF(*one) for one in around]))
    rows = np.frombuffer(mask.constBits(), np.uint8).reshape(size.height(), -1)
    pixels = np.floor((points - low) * scale)
    seen = np.flatnonzero(((pixels >= 0) & (pixels < sides)).all(axis=1))
    columns, lines = pixels[seen].astype(np.intp).T
    inside: Which = seen[rows[lines, columns] > 0]
    return inside


STEP, FINE_STEP = 10, 1  # pixels by which an arrow key moves, and with Shift
TOOLS = {  # text, key, what it does
    "place": ("Place", "P", "Click to place a city; drag a city to move it"),
    "move": (
        "Move",
        "M",
        "Drag a city, or all that are selected; drag beside them to move the map",
    ),
    "erase": ("Erase", "E", "Click or drag over cities to erase them"),
    "lasso": ("Lasso", "L", "Draw around cities to select them; Delete erases them"),
}
BOARD_WELCOME = "Click to place cities.\nPaste coordinates, or trace a picture."

_AROUND_PAGE = 5.0  # degrees around a single city on the globe that are shown

_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}
_SHIFT = Qt.KeyboardModifier.ShiftModifier


class Canvas(CanvasView):
    """Shows a drawing, and changes it by mouse and keys."""

    key = "draw"
    title = "Drawing"
    fit_tip = "Show the whole drawing (F)"

    refused = Signal(str)  # one sentence: why a change is not made
    cursor_moved = Signal()

    def __init__(self, drawing: Drawing) -> None:
        super().__init__()
        self.drawing = drawing
        self.tool = "place"
        self.spot = PAGE.mean(axis=0)
        # cities that are dragged, and from where
        self._grabbed: tuple[Which, QPointF] | None = None
        self._doomed: set[int] = set()  # cities that the rubber has met
        self._left = False  # whether the left button is down, and a tool at work
        self.page: Points = PAGE  # what is shown at least, shape (2, 2)
        self._globe = False  # whether the page is a part of the globe
        self.guides = GuidesLayer()
        self.cities, self.chosen = CitiesLayer(1), CitiesLayer(2, "best", 1.5)
        for layer in (self.guides, self.cities, self.chosen):
            self.box.addItem(layer)
        self.box.disableAutoRange()
        self.graphics.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.graphics.setAccessibleName("Drawing board")
        self.graphics.installEventFilter(self)
        self.welcome = self._label_over(BOARD_WELCOME)
        fill(QVBoxLayout(self), (self.graphics, 1))
        drawing.changed.connect(self._let_go)
        drawing.changed.connect(self.show_drawing)
        drawing.selected.connect(self.show_drawing)
        self.show_drawing()
        self.fit()

    @property
    def unit(self) -> float:
        """What coordinates are rounded to: 1, or a power of ten that suits a smaller drawing."""
        span = max(float(np.ptp(self.page, axis=0).max()), 1e-9)
        return min(1.0, 10.0 ** math.floor(math.log10(span / 1_000)))

    def whole(self) -> QRectF:
        """Return the rectangle of all cities and the page."""
        low, high = self._extent()
        return QRectF(QPointF(*low), QPointF(*high))

    def fit(self) -> None:
        """Show all cities, and the page around them; the first page if there are none."""
        if not len(self.drawing.points):
            self.page, self.spot = PAGE, PAGE.mean(axis=0)
        self.box.setRange(self.whole(), padding=0.04)

    def turn_page(self) -> None:
        """Begin a page of the size that the cities have now: they came from elsewhere."""
        points = self.drawing.points
        self.page = np.array(corners(points)) if len(points) else PAGE
        if not np.ptp(self.page, axis=0).any():  # a single place
            around = np.full(2, _AROUND_PAGE) if self.drawing.globe else np.ptp(PAGE, axis=0) / 2
            self.page = self.page + np.array([-around, around])
        self.spot = self.page.mean(axis=0)
        self.show_drawing()
        self.fit()

    def use_tool(self, tool: str) -> None:
        """Use another of ``TOOLS``."""
        self.tool = tool
        shape = Qt.CursorShape.OpenHandCursor if tool == "move" else Qt.CursorShape.CrossCursor
        self.graphics.viewport().setCursor(shape)

    def show_drawing(self) -> None:
        """Show the cities as they are now."""
        if self.drawing.globe != self._globe:  # degrees need another page than plain units
            self._globe = self.drawing.globe
            self.turn_page()
            return
        points, chosen = self.drawing.points, self.drawing.selection
        self._show(np.delete(points, chosen, axis=0) if len(chosen) else points, points[chosen])

    def eventFilter(self, watched: Any, event: QEvent) -> bool:
        """Let the tool work with the left button; the other ones and the wheel move the map."""
        if watched is self.graphics:
            if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
                return self._key(event)
            return False
        kind = event.type()
        if isinstance(event, QMouseEvent):
            if event.button() == Qt.MouseButton.LeftButton and kind in (
                QEvent.Type.MouseButtonPress,
                QEvent.Type.MouseButtonDblClick,
            ):
                self.graphics.setFocus(Qt.FocusReason.MouseFocusReason)
                self._left = self._press(self._place_of(event))
                return self._left
            if self._left and kind == QEvent.Type.MouseMove:
                self._drag(self._place_of(event))
                return True
            if self._left and kind == QEvent.Type.MouseButtonRelease:
                if event.button() == Qt.MouseButton.LeftButton:
                    self._left = False
                    self._release(self._place_of(event), more=bool(event.modifiers() & _SHIFT))
                return True
        return super().eventFilter(watched, event)

    def _place_of(self, event: QMouseEvent) -> QPointF:
        place = self.graphics.mapToScene(event.position().toPoint())
        found: QPointF = self.box.mapSceneToView(place)
        return found

    def _press(self, place: QPointF) -> bool:
        """Begin with the tool; return whether it is at work."""
        self._show_cursor(None)
        drawing = self.drawing
        near = self.nearest(drawing.points, place)
        if self.tool == "lasso":
            self.guides.lasso = [(place.x(), place.y())]
        elif self.tool == "erase":
            self._doomed = set()
            self._rub(near)
        elif near is not None:
            which = drawing.selection if near in drawing.selection else np.array([near])
            drawing.select(which)
            self._grabbed = which, place
        elif self.tool == "place":
            self.place(place.x(), place.y())
        else:
            drawing.select(NO_POINTS)
            return False
        return True

    def _drag(self, place: QPointF) -> None:
        points = self.drawing.points
        if self._grabbed is not None:
            which, _ = self._grabbed
            self.chosen.cities = points[which] + self._moved(place)
            self.chosen.refresh()
        elif self.tool == "lasso":
            self.guides.lasso.append((place.x(), place.y()))
            self.guides.refresh()
        elif self.tool == "erase":
            self._rub(self.nearest(points, place))

    def _release(self, place: QPointF, *, more: bool) -> None:
        drawing = self.drawing
        if self._grabbed is not None:
            which, _ = self._grabbed
            by = self._moved(place)
            self._grabbed = None
            if by.any():
                drawing.move(which, by)
            else:
                self.show_drawing()
        elif self.tool == "lasso":
            low, high = np.array(self.box.viewRange()).T
            inside = within(self.guides.lasso, drawing.points, low, high, self.graphics.size())
            self.guides.lasso = []
            self.guides.refresh()
            drawing.select(np.append(drawing.selection, inside) if more else inside)
        elif self.tool == "erase":
            drawing.erase(np.array(sorted(self._doomed), np.intp))

    def place(self, x: float, y: float) -> None:
        """Place a city."""
        if self.drawing.room < 1:
            self.refused.emit(f"A drawing has at most {len(self.drawing.points):,} cities")
            return
        unit = self.unit
        place = np.round(np.array([[x, y]]) / unit) * unit
        if self.drawing.holds(place):
            self.drawing.add(place)
        else:
            self.refused.emit("The globe ends there: latitudes go to 90 degrees, longitudes to 180")

    def give_up(self) -> bool:
        """End what the tool is doing, or select nothing; return whether there was either."""
        busy = self._left or len(self.drawing.selection) > 0
        self._left, self._grabbed, self._doomed, self.guides.lasso = False, None, set(), []
        self.guides.refresh()
        self.drawing.select(NO_POINTS)
        return busy

    def _let_go(self) -> None:
        """Let go what the tool holds: other cities have those numbers now."""
        self._grabbed, self._doomed = None, set()

    def erase_selected(self) -> None:
        """Erase the selected cities, or the one at the cursor."""
        drawing = self.drawing
        if len(drawing.selection):
            drawing.erase(drawing.selection)
        elif self.guides.spot is not None:
            near = self.nearest(drawing.points, QPointF(*self.spot))
            drawing.erase(NO_POINTS if near is None else np.array([near]))

    def _key(self, event: QKeyEvent) -> bool:
        key, drawing = Qt.Key(event.key()), self.drawing
        if key in _ARROWS:
            pixels = FINE_STEP if event.modifiers() & _SHIFT else STEP
            step = max(
                self.unit, round(pixels * self.box.viewPixelSize()[0] / self.unit) * self.unit
            )
            by = np.array(_ARROWS[key]) * step
            if len(drawing.selection):
                drawing.move(drawing.selection, by)
            else:
                low, high = np.array(self.box.viewRange()).T
                self._show_cursor(np.clip(self.spot + by, low, high))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self._show_cursor(self.spot)
            drawing.select(NO_POINTS)
            self.place(*self.spot)
        elif key == Qt.Key.Key_Space:
            self._show_cursor(self.spot)
            near = self.nearest(drawing.points, QPointF(*self.spot))
            if near is not None:
                drawing.toggle(near)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.erase_selected()
        elif key == Qt.Key.Key_F:
            self.fit()
        elif key == Qt.Key.Key_Escape:
            return self.give_up()
        else:
            return False
        return True

    def _show_cursor(self, place: Points | None) -> None:
        if place is not None:
            unit = self.unit
            self.spot = np.round(place / unit) * unit
        self.guides.spot = None if place is None else self.spot
        self.guides.refresh()
        self.cursor_moved.emit()

    def _rub(self, near: int | None) -> None:
        if near is not None and near not in self._doomed:
            self._doomed.add(near)
            gone = np.array(sorted(self._doomed))
            self._show(np.delete(self.drawing.points, gone, axis=0), self.drawing.points[:0])

    def _moved(self, place: QPointF) -> Points:
        assert self._grabbed is not None
        which, start = self._grabbed
        unit = self.unit
        moved: Points = np.round(np.array([place.x() - start.x(), place.y() - start.y()]) / unit)
        return self.drawing.reachable(which, moved * unit)

    def _show(self, cities: Points, chosen: Points) -> None:
        around = np.array(self._extent())
        for layer, points in ((self.cities, cities), (self.chosen, chosen)):
            layer.cities = points
            layer.set_bounds(around)
            layer.refresh()
        self.guides.page = self.page
        self.guides.set_bounds(around)
        self.guides.refresh()
        self.welcome.setVisible(not len(self.drawing.points))

    def _extent(self) -> tuple[Points, Points]:
        """Return the lowest and the highest coordinates of cities and page."""
        return corners(np.vstack([self.page, self.drawing.points]))
