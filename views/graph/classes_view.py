"""The color classes: which vertices they have, and how many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QAction, QColor, QPainter, QResizeEvent, QTransform
from PySide6.QtWidgets import (
    QColorDialog,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gpu.core.formats import number_of, significant, whole
from gpu.core.snapshot import RunState
from gpu.core.tables import Column
from gpu.problems.coloring.instance import GraphInstance, class_sizes
from views.graph.class_colours import ClassColours
from views.graph.class_list import MOST_SOUGHT, ClassList, class_columns
from views.graph.class_marks import draw_swatch, mark_of
from views.graph.graph_view import NewestColoring
from views.widgets.controls import Chip, OptionButtons, fit_texts, make_button
from views.widgets.labels import ElidedLabel, make_label
from views.widgets.layers import Layer, Points
from views.widgets.layouts import fill
from views.widgets.plot import PlotWidget
from views.widgets.theme import Theme, icon
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

    def series(self) -> Sequence[tuple[str, Points]]:
        """Return the sizes by class, counted from 1."""
        numbers = np.arange(1, len(self.sizes) + 1)
        return [("Class", np.column_stack([numbers, self.sizes]).astype(np.float64))]

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


@dataclass(frozen=True, slots=True)
class ListedClasses:
    """A coloring as a list, to be printed."""

    graph: GraphInstance
    summary: str  # how many classes there are, and how large they are
    columns: Sequence[Column[int]]
    rows: Sequence[int]  # the vertices, in their order on the screen


_CHOICES = {"list": "List", "sizes": "Sizes"}
_NO_CLASSES_YET = "The vertices with their classes. Start a run (Space)."


class ClassesView(NewestColoring, View):
    """The classes of the best coloring: each vertex with its class, or bars for their sizes."""

    key = "classes"
    title = "Classes"
    has_values = True
    of_moment = True
    has_coloring_changed = Signal()
    colours_changed = Signal()  # the user has chosen other colours for classes

    def __init__(self) -> None:
        super().__init__()
        self._graph: GraphInstance | None = None
        self._colours = ClassColours()
        self._actions: tuple[QAction, ...] = ()
        self.form = OptionButtons(
            _CHOICES, "A list of the vertices with their classes, or how large the classes are"
        )
        self.form.chosen.connect(lambda _: self._show_form())
        self.search = QLineEdit(placeholderText="Search …")
        self.search.setAccessibleName("Search the list")
        self.search.textChanged.connect(self._seek)
        self.copy_button = make_button("", "Copy", "Copy the list, to paste it into a spreadsheet")
        self.save_button = make_button("", "Save as", "Write vertices and classes as a file")
        self.save_button.setPopupMode(self.save_button.ToolButtonPopupMode.InstantPopup)
        self.print_button = make_button("", "Print…", "Print the graph and the list (Ctrl+P)")
        self.list = ClassList()
        self.copy_button.clicked.connect(self.list.copy)
        self.list.vertex_chosen.connect(self._point_at_vertex)
        self.list.class_wanted.connect(self.choose_colour)
        self.hint = make_label("note", _NO_CLASSES_YET, wrap=True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.plot = PlotWidget("color class", "vertices")
        for side in ("bottom", "left"):
            self.plot.show_whole_numbers(side)
        self.bars = ClassBars(0)
        self.plot.add_layer(self.bars)
        self.mean = self.plot.add_curve("optimum", dashes=True, name="Mean")
        self.chip = Chip("Mean n / k", "optimum", "dashes", "Vertices a class, on average")
        self.chip.toggled.connect(self.mean.setVisible)
        self.reading = ElidedLabel("note")
        self.plot.hovered.connect(self._read_at)
        self._top = QWidget()
        # The texts of its buttons must not widen the pane: they show where there is room.
        self._top.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        tools = self.copy_button, self.save_button, self.print_button
        fill(QHBoxLayout(self._top), self.form, (self.search, 1), self.chip, *tools, spacing=6)
        parts = self._top, (self.plot, 1), (self.list, 1), (self.hint, 1), self.reading
        fill(QVBoxLayout(self), *parts, margins=(8, 6, 8, 6))
        self._icons = {
            self.copy_button: "copy",
            self.save_button: "save",
            self.print_button: "print",
        }
        self.form.choose("sizes")
        self.apply_theme(self.theme)
        self.begin_run()

    @property
    def kept(self) -> str:
        """The colours that the user has chosen, for the graphs that had the last ones."""
        return self._colours.kept

    def keep(self, kept: str) -> None:
        """Take up colours of an earlier session; ignore what is none."""
        self._colours = ClassColours(kept)
        self._colours.use(self._graph)

    def offer(self, exports: Sequence[QAction], printing: QAction) -> None:
        """Have these actions behind the buttons, while they are possible."""
        menu = QMenu(self.save_button)
        menu.addActions(list(exports))
        self.save_button.setMenu(menu)
        self.print_button.clicked.connect(printing.trigger)
        for action in (*exports, printing):
            action.changed.connect(self._enable)
        self._actions = (*exports, printing)
        self._enable()

    def show_instance(self, instance: GraphInstance | None) -> None:
        """Prepare for colorings of ``instance``; where vertices have names, as a list."""
        self._graph = instance
        self.form.choose("list" if instance is not None and instance.names else "sizes")
        self.search.clear()
        self._colours.use(instance)
        self.begin_run()

    def begin_run(self) -> None:
        """Forget the former run's coloring."""
        self._coloring = None
        self.plot.fit()
        self.draw()
        self.has_coloring_changed.emit()

    @property
    def there(self) -> bool:
        """Whether there is a coloring, drawn or not."""
        return self._coloring is not None

    def listed(self) -> ListedClasses | None:
        """Return the newest coloring as a list, in the order in which the list is sorted."""
        graph, coloring = self._graph, self._coloring
        if graph is None or coloring is None:
            return None
        self.draw()
        rows = self.list.content.rows
        return ListedClasses(graph, self._summary, class_columns(graph, coloring), rows)

    def take_in(self, snapshot: RunState) -> None:
        """Keep the best coloring."""
        before = self.there
        super().take_in(snapshot)
        if self.there != before:
            self.has_coloring_changed.emit()

    def draw(self) -> None:
        """List the vertices, or draw the bars and their mean."""
        coloring = self._coloring
        self._show_form()
        self.plot.show_hint("" if coloring is not None else "The bars begin with a run.")
        if coloring is None:
            self.bars.set_sizes(np.empty(0, np.int64))
            self.list.show_coloring(self._graph, None)
            self.reading.setText(" ")
            return
        self.list.show_coloring(self._graph, coloring)
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
        """Let the bar of a class, or the rows of vertices, stand out."""
        self.bars.point_out(part.color)
        self.list.light(part.places)

    def choose_colour(self, color: int) -> None:
        """Ask for a colour of a class, which is kept for this graph."""
        graph = self._graph
        if graph is None:
            return
        title = f"Color of class {color + 1}"
        chosen = QColorDialog.getColor(mark_of(color).colour, self, title)
        if chosen.isValid():
            self._colours.choose(graph, color, chosen.name())
            self._colours.use(graph)
            self.colours_changed.emit()

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        super().apply_theme(theme)
        self.list.apply_theme(theme)
        for button, name in self._icons.items():
            button.setIcon(icon(name, theme, "muted"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as much of the buttons' texts as there is room for."""
        super().resizeEvent(event)
        self._fit_buttons()

    def _fit_buttons(self) -> None:
        row, buttons = self._top, list(self._icons)
        for button in buttons:
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        layout = row.layout()
        assert layout is not None
        layout.invalidate()
        row.setMinimumWidth(layout.minimumSize().width())
        fit_texts(row, buttons)

    def _show_form(self) -> None:
        """Show the list or the bars, or that they begin with a run."""
        listed, there = self.form.value == "list", self._coloring is not None
        few = self._graph is not None and self._graph.n <= MOST_SOUGHT
        self.plot.setVisible(not listed)
        self.chip.setVisible(not listed)
        self.list.setVisible(listed and there)
        self.hint.setVisible(listed and not there)
        self.search.setVisible(listed and few)
        for button in (self.copy_button, self.print_button):
            button.setVisible(listed)
        self._fit_buttons()
        self._enable()

    def _enable(self) -> None:
        there = self._coloring is not None
        self.copy_button.setEnabled(there)
        self.search.setEnabled(there)
        exports, printing = self._actions[:-1], self._actions[-1:]
        self.save_button.setEnabled(there and any(one.isEnabled() for one in exports))
        self.print_button.setEnabled(there and any(one.isEnabled() for one in printing))

    def _seek(self, text: str) -> None:
        found = self.list.seek(text)
        if text.strip():
            self.reading.setText(f"{number_of(found, 'vertex')} with {text.strip()}")
        else:
            self._say()

    def _point_at_vertex(self, vertex: int) -> None:
        if self._coloring is not None:
            self.point_to(Pointed(int(self._coloring[vertex]), (vertex,)))

    @property
    def _summary(self) -> str:
        sizes = self.bars.sizes
        if not len(sizes):
            return ""
        classes, mean = number_of(len(sizes), "class"), float(sizes.mean())
        average = significant(mean) if mean < 1000 else whole(mean)
        span = f"{whole(sizes.min())} to {whole(sizes.max())}"
        return f"{classes} of {span} vertices, {average} on average"

    def _say(self) -> None:
        if summary := self._summary:
            self.reading.setText(summary)

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
