"""The vertices of the best coloring as a list: each with its class."""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QItemSelectionModel, QPointF, Signal
from PySide6.QtGui import QFontMetrics, QPainter

from gpu.core.formats import whole
from gpu.core.tables import Column
from gpu.problems.coloring.instance import GraphInstance
from views.graph.class_marks import draw_swatch, mark_of
from views.widgets.table import CELL_PADDING, ColumnTable, MarkColumn, TableModel

MOST_SOUGHT = 100_000  # most vertices that are sought by their names, and sorted
_LONGEST_NAMES = 50  # that are measured
_LONGEST_NAME = 40  # characters of a name that widen the column


def _order(name: str) -> tuple[bool, int, str]:
    """Return by what names are sorted: numbers as such, before all others."""
    digits = name.isascii() and name.isdigit()
    return not digits, int(name) if digits and len(name) < 19 else 0, name.casefold()


class _ClassModel(TableModel[int]):
    """The vertices, by number; a vertex stays selected while its class changes."""

    def __init__(self) -> None:
        super().__init__(self._key)
        self.lit: frozenset[int] = frozenset()

    def _key(self, row: int) -> Hashable:
        return row

    def marks(self, row: int) -> list[list[str]]:
        """Return how the cells of a row stand out."""
        return [["accent"]] * len(self.columns) if row in self.lit else super().marks(row)


def class_columns(graph: GraphInstance, coloring: NDArray[np.int32]) -> Sequence[Column[int]]:
    """Return the columns of a list of vertices with their classes; its rows are vertices."""

    def draw(painter: QPainter, centre: QPointF, row: int, diameter: float) -> None:
        draw_swatch(painter, centre, int(coloring[row]), diameter)

    return (
        Column("Vertex", graph.called, order=lambda row: _order(graph.called(row))),
        MarkColumn(
            "Class",
            lambda row: int(coloring[row]) + 1,
            about="Vertices of one class have no edge between them. "
            "Double-click to choose its color",
            tip=lambda row: f"{mark_of(int(coloring[row])).name}: double-click for another color",
            draw=draw,
        ),
        Column(
            "Neighbours",
            lambda row: int(graph.degrees[row]),
            whole,
            about="Vertices that must be in other classes",
            number=True,
        ),
    )


class ClassList(ColumnTable[int]):
    """The list. Its columns are as wide as the longest texts of all rows."""

    vertex_chosen = Signal(int)  # the user clicked its row, or went there by keys
    class_wanted = Signal(int)  # the user double-clicked a row of this class

    def __init__(self) -> None:
        self._classes_model = model = _ClassModel()
        self._graph: GraphInstance | None = None
        self._coloring: NDArray[np.int32] | None = None
        self._longest: tuple[Sequence[str], ...] = ()  # the longest texts of each column
        self._asked = False  # whether rows are chosen by somebody else than the user
        super().__init__("Vertices and their classes", model)
        self.spare = (("Neighbours",),)
        self.setSelectionMode(self.SelectionMode.ExtendedSelection)
        self.chosen.connect(self._tell)
        self.doubleClicked.connect(self._want_class)

    def show_coloring(
        self, graph: GraphInstance | None, coloring: NDArray[np.int32] | None
    ) -> None:
        """List the vertices of ``graph`` with their classes; none if there is no coloring."""
        self._asked = True
        self._graph, self._coloring = graph, coloring
        if graph is None or coloring is None:
            self._longest = ()
            self.show_rows((), ())
        else:
            longest = heapq.nlargest(_LONGEST_NAMES, graph.names, key=len) or [whole(graph.n)]
            names = [name[:_LONGEST_NAME] for name in longest]
            self._longest = names, [str(len(coloring))], [whole(graph.n)]
            self.setSortingEnabled(graph.n <= MOST_SOUGHT)
            self.show_rows(class_columns(graph, coloring), range(graph.n))
        self._asked = False

    def seek(self, text: str) -> int:
        """Show only vertices whose names have ``text``; return how many these are."""
        graph, wanted = self._graph, text.strip().casefold()
        self._asked = True
        if graph is not None:
            self.content.filter(lambda row: wanted in graph.called(row).casefold())
        self._asked = False
        return len(self.content.rows)

    def light(self, vertices: Sequence[int]) -> None:
        """Mark the rows of ``vertices``."""
        if self._classes_model.lit != frozenset(vertices):
            self._classes_model.lit = frozenset(vertices)
            self.viewport().update()

    def choose(self, vertex: int) -> None:
        """Select the row of ``vertex``, and scroll to it."""
        if (at := self.content.place_of(vertex)) is None:
            return
        index = self.content.index(at, 0)
        flags = QItemSelectionModel.SelectionFlag
        self._asked = True
        self.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        self.scrollTo(index)
        self._asked = False

    def sizeHintForColumn(self, column: int) -> int:
        """Return room for the longest text in a column."""
        if column >= len(self._longest):
            return 0
        metrics = QFontMetrics(self.theme.font())
        widest = max(map(metrics.horizontalAdvance, self._longest[column]))
        room = widest + 2 * CELL_PADDING + 2
        return room + (self.verticalHeader().defaultSectionSize() if column == 1 else 0)

    def _tell(self) -> None:
        if not self._asked and (rows := self.selected):
            self.vertex_chosen.emit(rows[0])

    def _want_class(self, index: object) -> None:
        if self._coloring is not None and (rows := self.selected):
            self.class_wanted.emit(int(self._coloring[rows[0]]))
