"""The adjacency matrix in the order of the classes: each is an empty block on the diagonal."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QTransform

from gpu.core.formats import whole
from gpu.drawing.drawing import CONFLICT, AdjacencyPicture
from gpu.problems.coloring.instance import GraphInstance, class_sizes
from views.graph.class_marks import mark_of
from views.graph.graph_view import NewestColoring
from views.widgets.canvas_view import MatrixView
from views.widgets.labels import plain_tip
from views.widgets.layers import Layer, PictureItem, Shades
from views.widgets.theme import Theme
from views.widgets.values import MOST_ROWS, ValueTable
from views.widgets.view import Pointed

_FAINTEST_SHARE = 64  # level of the smallest share of edges above 0
_BLOCK_NAMED = 17.0  # least width in pixels of a block with a number
_MATRIX_TIP = (
    "Rows and columns are the vertices, those of one color together. A dot is an edge. In a proper "
    "coloring no edge lies within a class: the blocks on the diagonal are empty. An edge within a "
    "block would stand out."
)


class BlocksLayer(Layer):
    """The classes as squares on the diagonal, behind or in front of the matrix."""

    margin = 0.0

    def __init__(self, depth: float, *, filled: bool) -> None:
        super().__init__(depth)
        self._filled = filled
        self._ends = np.zeros(1)

    def set_blocks(self, ends: NDArray[np.float64]) -> None:
        """Show other blocks, each from one of the ascending ``ends`` to the next."""
        self._ends = ends
        self.set_bounds(np.array([[0.0, 0.0], [ends[-1], ends[-1]]]))
        self.refresh()

    @property
    def empty(self) -> bool:
        """Whether there are no blocks."""
        return len(self._ends) < 2

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Fill the blocks, or outline them and write their numbers."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setFont(self._theme.font(0.84, bold=True))
        metrics = QFontMetricsF(painter.font())
        for color, (start, end) in enumerate(zip(self._ends, self._ends[1:], strict=False)):
            block = transform.mapRect(QRectF(start, start, end - start, end - start))
            if not block.intersects(size):
                continue
            colour = QColor(mark_of(color).colour)
            if self._filled:
                colour.setAlphaF(0.34)
                painter.fillRect(block, colour)
                continue
            painter.setPen(QPen(colour, 1.0 if block.width() < 30 else 1.6))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(block)
            text = str(color + 1)
            room = max(_BLOCK_NAMED * self._theme.scale, metrics.horizontalAdvance(text) + 6)
            if block.width() >= room:
                painter.setPen(self._theme.colour("text"))
                painter.drawText(block, Qt.AlignmentFlag.AlignCenter, text)


class AdjacencyView(NewestColoring, MatrixView):
    """Edges as dots. The picture takes a while to compute, so that a thread does it."""

    key = "matrix"
    title = "Matrix"
    has_values = True
    of_moment = True
    fit_tip = "Show the whole matrix (F)"
    # The coloring (int32, shape (n,)) or None. The result is given to :meth:`show_picture`; only
    # the last request counts.
    picture_wanted = Signal(object)
    picture: AdjacencyPicture | None = None
    matrix: NDArray[np.uint8] | None = None  # levels of the picture

    def __init__(self) -> None:
        super().__init__(PictureItem([0] * 256, joined))
        self._graph: GraphInstance | None = None
        self.grounds, self.outlines = BlocksLayer(-1, filled=True), BlocksLayer(1, filled=False)
        for layer in (self.grounds, self.outlines):
            self.box.addItem(layer)
        self.apply_theme(self.theme)
        self.caption.setToolTip(plain_tip(_MATRIX_TIP))
        self.show_instance(None)

    def show_instance(self, instance: GraphInstance | None) -> None:
        """Prepare for runs on ``instance``."""
        self._graph = instance
        self.picture = self.matrix = None
        self.image.set_picture(None)
        self.begin_run()

    def begin_run(self) -> None:
        """Forget the former run's coloring."""
        self._coloring = None
        self._news = self._graph is not None
        self.reading.setText(" ")
        self._describe()
        self.catch_up()

    def draw(self) -> None:
        """Ask for the matrix in the order of the newest coloring."""
        if self._news:
            self._news = False
            self.picture_wanted.emit(self._coloring)

    def show_picture(self, picture: AdjacencyPicture) -> None:
        """Show the matrix that was asked for last, unless it belongs to an earlier run."""
        if picture.coloring is not None and self._coloring is None:
            return
        self.picture, self.matrix = picture, picture.levels
        size = len(picture.levels)
        ends = np.zeros(1)
        if picture.coloring is not None:
            n = len(picture.coloring)
            ends = np.concatenate([ends, np.cumsum(class_sizes(picture.coloring))]) * size / n
        for layer in (self.grounds, self.outlines):
            layer.set_blocks(ends)
        if self.image.set_picture(picture.levels):
            self.fit()
        self._describe()

    def apply_theme(self, theme: Theme) -> None:
        """Change colours."""
        super().apply_theme(theme)
        levels = [theme.colour("city", level / 250).rgba() for level in range(251)]
        self.image.set_colours([*levels, *[theme.colour("danger").rgba()] * 5])

    def read(self, row: int, column: int) -> str:
        """Return the vertices of an entry, and point at them and the class of the first."""
        picture = self.picture
        assert picture is not None
        size, n = len(picture.levels), len(picture.order)
        at, other = (picture.order[math.ceil(k * n / size)] for k in (row, column))
        level = int(picture.levels[row, column])
        colors, color = picture.coloring, -1
        if size == n:
            text = f"vertices {whole(at + 1)} and {whole(other + 1)}:  "
            text += "an edge" if level else "one vertex" if at == other else "no edge"
        else:
            text = "edges in this square" if level else "no edge in this square"
        if colors is not None:
            one, two = int(colors[at]) + 1, int(colors[other]) + 1
            text += f",  class {one}" if one == two else f",  classes {one} and {two}"
            color = one - 1
        pair = (int(at),) if at == other else (int(at), int(other))
        self.point_to(Pointed(color, pair if size == n else ()))
        return text + (",  A CONFLICT" if level == CONFLICT else "")

    def values(self) -> list[ValueTable]:
        """Return for each class its vertices, their edges, and those of them within the class."""
        picture, graph = self.picture, self._graph
        if picture is None or graph is None:
            return []
        colors = picture.coloring
        degrees = np.bincount(graph.edges.ravel(), minlength=graph.n)
        if colors is None:
            rows = [
                (graph.names[at] if graph.names else at + 1, int(degrees[at]))
                for at in range(graph.n)
            ]
            return [
                ValueTable("Vertices and their edges", ("Vertex", "Edges"), rows[:MOST_ROWS], (1,))
            ]
        ends = colors[graph.edges]
        k = int(colors.max()) + 1
        within = np.bincount(ends[ends[:, 0] == ends[:, 1], 0], minlength=k)
        edges = np.bincount(colors, degrees, minlength=k)
        sizes = class_sizes(colors)
        counted = zip(sizes.tolist(), edges.astype(int).tolist(), within.tolist(), strict=True)
        found = [(color + 1, *counts) for color, counts in enumerate(counted)]
        headings = "Class", "Vertices", "Ends of edges", "Edges within"
        return [ValueTable("Classes of the matrix", headings, found, (0, 1, 2, 3))]

    def point_out(self, part: Pointed) -> None:
        """Mark a vertex or a pair of them."""
        picture, rows = self.picture, []
        if picture is not None and part.places:
            size, n = len(picture.levels), len(picture.order)
            rows = [int(np.flatnonzero(picture.order == one)[0]) * size // n for one in part.places]
        self.mark(rows)

    def _describe(self) -> None:
        picture = self.picture
        if picture is None:
            self.caption.setText("The matrix appears here with a graph.")
            return
        n, size = len(picture.order), len(picture.levels)
        parts = ["In the vertices' own order"]
        if picture.coloring is not None:
            conflict = (picture.levels == CONFLICT).any()
            state = "⚠ there are edges within blocks" if conflict else "all blocks are empty"
            parts = ["In the order of the classes", state]
        if size < n:
            parts.append(f"{math.ceil(n / size)}² pairs a pixel")
        self.caption.setText("  ·  ".join(parts))


def joined(levels: Shades, factor: int) -> Shades:
    """Join squares of ``factor`` × ``factor`` levels to their mean; no edge disappears."""
    size = -(-len(levels) // factor)
    padded = np.zeros((size * factor, size * factor), np.uint8)
    padded[: len(levels), : len(levels)] = levels
    sums, highest = np.zeros((size, size), np.uint32), np.zeros((size, size), np.uint8)
    for row, column in np.ndindex(factor, factor):
        part = padded[row::factor, column::factor]
        sums += part
        np.maximum(highest, part, out=highest)
    members = np.minimum(factor, len(levels) - factor * np.arange(size))
    mean = sums // np.outer(members, members)
    shown = np.where(highest > 0, np.clip(mean, _FAINTEST_SHARE, CONFLICT - 5), 0)
    result: Shades = np.where(highest == CONFLICT, CONFLICT, shown).astype(np.uint8)
    return result
