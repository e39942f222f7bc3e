"""The sizes of the color classes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QTransform
from PySide6.QtWidgets import QVBoxLayout

from gpu.core.formats import number_of, significant, whole
from gpu.problems.coloring.instance import class_sizes
from views.graph.class_marks import draw_swatch, mark_of
from views.graph.graph_view import NewestColoring
from views.widgets.controls import Chip
from views.widgets.labels import ElidedLabel
from views.widgets.layers import Layer
from views.widgets.layouts import FlowLayout, fill
from views.widgets.plot import PlotWidget
from views.widgets.view import Pointed, View

_BARS_GAP = 0.16  # gap between bars, as a share of the place of a bar
_BARS_GAP_ROOM = 4.0  # least width in pixels of a place with a gap
_SWATCH_ROOM = 9.0  # least width in pixels of a bar with the mark of its class


class ClassBars(Layer):
    """One bar a class. That of class c = 1, 2, … lies between c - 0.5 and c + 0.5."""

    margin = 0.0

    def __init__(self, depth: float) -> None:
        super().__init__(depth)
        self._pointed = -1
        self.sizes: NDArray[np.int64] = np.empty(0, np.int64)

    @property
    def empty(self) -> bool:
        """Whether there are no classes."""
        return len(self.sizes) == 0

    def set_sizes(self, sizes: NDArray[np.int64]) -> None:
        """Show other classes by their sizes."""
        self.sizes = sizes
        self._pointed = -1
        self.set_bounds(np.array([[0.5, 0.0], [len(sizes) + 0.5, sizes.max(initial=1)]]))
        self.refresh()

    def point_out(self, color: int) -> None:
        """Let the bar of class ``color`` stand out; -1 for none."""
        if color != self._pointed:
            self._pointed = color
            self.refresh()

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw the bars."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        gap = _BARS_GAP if abs(transform.m11()) >= _BARS_GAP_ROOM else 0.0
        for color, vertices in enumerate(self.sizes):
            left = color + 0.5 + gap / 2
            bar = transform.mapRect(QRectF(left, 0.0, 1 - gap, float(vertices)))
            if not bar.intersects(size):
                continue
            colour = QColor(mark_of(color).colour)
            colour.setAlphaF(1.0 if self._pointed in (-1, color) else 0.35)
            painter.setBrush(colour)
            painter.drawRect(bar)
            across = min(14.0, bar.width() * 0.75)
            if bar.width() >= _SWATCH_ROOM and bar.height() > across + 6:
                spot = QPointF(bar.center().x(), bar.bottom() - across / 2 - 4)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(mark_of(color).ink)  # differs enough from the bar's colour
                painter.drawEllipse(spot, across * 0.62, across * 0.62)
                draw_swatch(painter, spot, color, across * 0.72)


class ClassesView(NewestColoring, View):
    """Bars for the classes of the best coloring in their order, with their mean."""

    key = "classes"
    title = "Classes"
    of_moment = True

    def __init__(self) -> None:
        super().__init__()
        self.plot = PlotWidget("color class", "vertices")
        for side in ("bottom", "left"):
            self.plot.show_whole_numbers(side)
        self.bars = ClassBars(0)
        self.plot.add_layer(self.bars)
        self.mean = self.plot.add_curve("optimum", dashes=True)
        self.chip = Chip("Mean n / k", "optimum", "dashes", "Vertices a class, on average")
        self.chip.toggled.connect(self.mean.setVisible)
        self.reading = ElidedLabel("note")
        self.plot.hovered.connect(self._read_at)
        parts = FlowLayout(self.chip), (self.plot, 1), self.reading
        fill(QVBoxLayout(self), *parts, margins=(8, 6, 8, 6))
        self.apply_theme(self.theme)
        self.begin_run()

    def begin_run(self) -> None:
        """Forget the former run's coloring."""
        self._coloring = None
        self.plot.fit()
        self.draw()

    def draw(self) -> None:
        """Draw the bars, and their mean."""
        coloring = self._coloring
        self.plot.show_hint("" if coloring is not None else "The bars begin with a run.")
        if coloring is None:
            self.bars.set_sizes(np.empty(0, np.int64))
            self.reading.setText(" ")
            return
        sizes = class_sizes(coloring)
        if np.array_equal(sizes, self.bars.sizes):
            return
        self.bars.set_sizes(sizes)
        count, mean = len(sizes), len(coloring) / len(sizes)
        self.mean.set_points(np.array([[-1e9, mean], [1e9, mean]]))
        self.plot.follow((0.5, count + 0.5), (0.0, max(1.0, float(sizes.max())) * 1.06))
        self._say()

    def fit(self) -> None:
        """Show all classes."""
        self.plot.fit()

    def point_out(self, part: Pointed) -> None:
        """Let the bar of a class stand out."""
        self.bars.point_out(part.color)

    def _say(self) -> None:
        sizes = self.bars.sizes
        if len(sizes):
            classes, mean = number_of(len(sizes), "class"), float(sizes.mean())
            average = significant(mean) if mean < 1000 else whole(mean)
            span = f"{whole(sizes.min())} to {whole(sizes.max())}"
            self.reading.setText(f"{classes} of {span} vertices, {average} on average")

    def _read_at(self, x: float, _: float) -> None:
        sizes = self.bars.sizes
        color = math.floor(x - 0.5) if math.isfinite(x) else -1
        if not 0 <= color < len(sizes):
            color = -1
        self.bars.point_out(color)
        self.point_to(Pointed(color))
        if color < 0:
            self._say()
            return
        size = int(sizes[color])
        vertices = "vertex" if size == 1 else "vertices"
        what = f"class {color + 1}, {mark_of(color).name}s"
        self.reading.setText(f"{what}:  {whole(size)} {vertices}")
