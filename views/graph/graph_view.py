"""The graph with the best coloring: vertices in their classes, edges and conflicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, Qt, Signal, Slot
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout
from shiboken6 import isValid

from gpu.core.formats import number_of, whole
from gpu.core.snapshot import RunState, Wanted
from gpu.drawing.drawing import Arrangement, GraphDrawing
from gpu.problems.coloring.instance import GraphInstance, class_sizes
from views.graph.class_marks import mark_of
from views.graph.graph_layers import ConflictsLayer, EdgesLayer, VerticesLayer
from views.graph.walk_layer import ColoringScene, ColoringWalkLayer
from views.walks.walk_bar import WalkBar
from views.walks.walking import Walking
from views.widgets.canvas_view import CanvasView
from views.widgets.controls import Chip, OptionButtons
from views.widgets.labels import ElidedLabel, make_label, plain_tip, set_role
from views.widgets.layouts import FlowLayout, fill
from views.widgets.pointing import CLICK
from views.widgets.theme import Theme
from views.widgets.view import NOTHING, Pointed

_ANTS_TIP = "Every ant of an iteration colors the graph: vertex by vertex, class by class"
_WAITING = "Finding places for the vertices …"
_CHOICES = {"auto": "Auto", "spring": "Spring", "circle": "Circle", "classes": "Classes"}


def _called(graph: GraphInstance | None, vertex: int) -> str:
    """Return what a vertex is called: its name, or its number as numbers are shown."""
    if graph is None or (not graph.names and graph.numbers is None):
        return whole(vertex + 1)
    return graph.called(vertex)


class NewestColoring:
    """The part of a view that keeps a run's newest coloring."""

    _coloring: NDArray[np.int32] | None = None
    _news = False  # whether the coloring has not been drawn yet

    @property
    def wanted(self) -> Wanted:
        """The best coloring."""
        return Wanted.SOLUTION

    def take_in(self, snapshot: RunState) -> None:
        """Keep the best coloring."""
        self._keep(snapshot.best_solution)

    def _keep(self, best: NDArray[np.int32] | None) -> None:
        kept = self._coloring
        if best is not None and (kept is None or not np.array_equal(best, kept)):
            self._coloring, self._news = best, True


class GraphView(NewestColoring, CanvasView):
    """The vertices in their places, which take a while to compute, so that a thread does it."""

    key = "graph"
    title = "Graph"
    of_moment = True
    fit_tip = "Show the whole graph (F)"
    redraw_interval = 0.5
    # An Arrangement, or None for the one that suits the graph, and the coloring (int32, shape (n,))
    # or None. The result is given to :meth:`show_drawing`; only the last request counts.
    drawing_wanted = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self._graph: GraphInstance | None = None
        self._drawing: GraphDrawing | None = None
        self._moved = False
        self._pressed = QPointF()  # where a button of the mouse went down, in pixels
        self.edges, self.conflict_lines = EdgesLayer(0), ConflictsLayer(2)
        self.vertices = VerticesLayer(1)
        colored = self.edges, self.conflict_lines, self.vertices
        walk = ColoringWalkLayer(3)
        self._layers = *colored, walk
        for layer in self._layers:
            self.box.addItem(layer)
        self.walking = Walking(WalkBar("color"), ColoringScene(walk, colored))
        self.walking.released.connect(self._show_released)
        numbers_tip = "Numbers of the classes, where there is room"
        self.chips = {
            "edges": Chip("Edges", "mean", "thin", "All edges; the paler the more there are"),
            "numbers": Chip("Numbers", "text", "dots", numbers_tip),
            "names": Chip("Names", "text", "thin", "Names of the vertices, where there is room"),
            "walk": Chip("Ants", "lane2 lane1 lane3", "dots", _ANTS_TIP),
        }
        self.chips["walk"].setChecked(False)
        self.arrangement = OptionButtons(
            _CHOICES,
            "Where vertices are drawn: as springs along the edges would pull them, in their "
            "classes' order around a circle, class by class, or whichever suits the graph",
        )
        self.state = make_label("note")
        self.hover = ElidedLabel("note")
        self.waiting = self._label_over(_WAITING)
        top = fill(QHBoxLayout(), (FlowLayout(*self.chips.values(), self.arrangement), 1))
        top.addWidget(self.fit_button, 0, Qt.AlignmentFlag.AlignTop)
        bottom = fill(QHBoxLayout(), (self.caption, 1), self.state)
        parts = top, (self.graphics, 1), self.walking.bar, self.hover, bottom
        fill(QVBoxLayout(self), *parts, margins=(8, 6, 8, 6))
        self.box.sigRangeChangedManually.connect(self._moved_by_user)
        self.edges.told = self._edges_drawn
        self.chips["edges"].toggled.connect(self.edges.setVisible)
        self.chips["numbers"].toggled.connect(self._show_numbers)
        self.chips["names"].toggled.connect(self._show_names)
        self.chips["walk"].toggled.connect(self._switch_walking)
        self.arrangement.chosen.connect(lambda _: self._ask())
        self.apply_theme(self.theme)
        self.show_instance(None)

    @property
    def shown(self) -> NDArray[np.int32] | None:
        """The coloring that is shown; a newer one may wait for its drawing."""
        return None if self._drawing is None else self._drawing.coloring

    def show_instance(self, instance: GraphInstance | None) -> None:
        """Show the vertices of ``instance`` without colors as soon as they have places."""
        self._graph = instance
        self._set_drawing(None)
        self.begin_run()
        for widget in (self.fit_button, self.arrangement):
            widget.setEnabled(instance is not None)
        self.chips["names"].setEnabled(instance is not None and bool(instance.names))
        self.caption.setToolTip(plain_tip("" if instance is None else instance.comment))

    @property
    def wanted(self) -> Wanted:
        """The best coloring, and the ants' if they are to be seen."""
        return super().wanted | (Wanted.WALKS if self.walking.on else Wanted.NUMBERS)

    def take_in(self, snapshot: RunState) -> None:
        """Keep the best coloring, when the ants that are seen at work have made theirs."""
        parts = {"best": snapshot.best_solution}
        if not self.moment:  # there are no ants in a run's past
            parts = self.walking.take_in(snapshot, parts)
        self._keep(parts.get("best"))

    @Slot(object)
    def _show_released(self, parts: Mapping[str, NDArray[np.int32] | None]) -> None:
        self._keep(parts["best"])
        self.catch_up()

    @Slot(bool)
    def _switch_walking(self, on: bool) -> None:
        self.walking.switch(on=on)
        self.wanted_changed.emit()

    def begin_run(self) -> None:
        """Remove the colors of the former run."""
        self.walking.forget()
        self._coloring = None
        self._news = False
        if self._drawing is not None:
            none, no_edges = np.empty((0, 2)), np.empty((0, 2), np.int32)
            self._set_drawing(replace(self._drawing, coloring=None, conflicts=no_edges, names=none))
        self._ask()

    def draw(self) -> None:
        """Ask for a drawing of the best coloring, if there is a new one."""
        if self._news:
            self._news = False
            self._ask()

    def show_drawing(self, drawing: GraphDrawing) -> None:
        """Show the drawing that was asked for last, unless it belongs to an earlier run."""
        if drawing.coloring is not None and self._coloring is None:
            return
        other = self._drawing is None or self._drawing.arrangement is not drawing.arrangement
        self._set_drawing(drawing)
        if other or not self._moved:
            self.fit()
        if not drawing.settled:
            self.hover.setText(_WAITING)

    def point_out(self, part: Pointed) -> None:
        """Let a class, or one vertex or two with their edges, stand out."""
        self.vertices.point_out(part.color, part.places)
        color, graph = part.color, self._graph
        parts = [f"vertex {_called(graph, place)}" for place in part.places]
        if len(parts) == 1 and graph is not None:
            parts[0] += f":  {number_of(int(graph.degrees[part.places[0]]), 'neighbour')}"
        parts += [self._words_of_class(color)] if color >= 0 else []
        self.hover.setText(",  ".join(filter(None, parts)))

    def show_plan(self, *, on: bool) -> None:
        """Show all that the coloring says, as on paper; or what was there."""
        if on:
            self.leave()
        self.edges.setVisible(on or self.chips["edges"].isChecked())
        self._show_numbers(on or self.chips["numbers"].isChecked())
        self._show_names(on or self.chips["names"].isChecked())

    def eventFilter(self, watched: Any, event: QEvent) -> bool:
        """Follow an ant that is clicked."""
        if isinstance(event, QMouseEvent) and event.button() == Qt.MouseButton.LeftButton:
            if event.type() == QEvent.Type.MouseButtonPress:
                self._pressed = event.position()
            elif event.type() == QEvent.Type.MouseButtonRelease:
                way = event.position() - self._pressed
                if way.manhattanLength() <= CLICK:
                    self.walking.follow_at(event.position())
        return super().eventFilter(watched, event)

    def fit(self) -> None:
        """Show the whole graph."""
        self._moved = False
        super().fit()

    def apply_theme(self, theme: Theme) -> None:
        """Change colours."""
        super().apply_theme(theme)
        self._say_state()

    def point_at(self, place: QPointF) -> None:
        """Say which vertex is under the mouse, and its class."""
        drawing, graph = self._drawing, self._graph
        if drawing is None or graph is None:
            return
        vertex = self.nearest(drawing.places, place)
        if vertex is None:
            self.leave()
            return
        coloring = self.shown
        found = Pointed(-1 if coloring is None else int(coloring[vertex]), (vertex,))
        self.point_out(found)
        self.point_to(found)

    def leave(self) -> None:
        """Point at nothing."""
        self.point_out(NOTHING)
        self.point_to(NOTHING)

    def _ask(self) -> None:
        if self._graph is None:
            return
        value = self.arrangement.value
        wanted = None if value == "auto" else Arrangement(value)
        drawing = self._drawing
        if drawing is not None and drawing.arrangement is not wanted and value != "auto":
            self.hover.setText(_WAITING)
        self.drawing_wanted.emit(wanted, self._coloring)

    def _set_drawing(self, drawing: GraphDrawing | None) -> None:
        self._drawing = drawing
        self.waiting.setVisible(drawing is None and self._graph is not None)
        self.hover.clear()
        self.vertices.point_out(-1)
        for layer in self._layers:
            layer.show_drawing(self._graph, drawing)
        self._say_state()

    def _say_state(self) -> None:
        """Describe the graph, and say how many colors and conflicts are shown."""
        graph, drawing = self._graph, self._drawing
        if graph is None:
            self.caption.clear()
            self.state.clear()
            return
        parts = [graph.name, number_of(graph.n, "vertex"), number_of(len(graph.edges), "edge")]
        if graph.optimum:
            parts.append(f"best known {number_of(graph.optimum, 'color')}")
        if self.edges.sampled is not None:
            drawn, in_sight = map(whole, self.edges.sampled)
            parts.append(f"{drawn} of the {in_sight} edges here are drawn; zoom in to see more")
        self.caption.setText("  ·  ".join(parts))
        if drawing is None or drawing.coloring is None:
            self.state.setText("not colored yet")
            set_role(self.state, "note")
            return
        colors, count = int(drawing.coloring.max()) + 1, len(drawing.conflicts)
        wrong = "no conflict" if count == 0 else f"⚠ {number_of(count, 'conflict')}"
        self.state.setText(f"{number_of(colors, 'color')}, {wrong}")
        set_role(self.state, "wrong" if count else "note")

    def _edges_drawn(self) -> None:
        """Say how many edges are drawn."""
        if isValid(self):  # a window may be closed before a picture is there
            self._say_state()

    def _moved_by_user(self, _: object) -> None:
        self._moved = True

    def _show_numbers(self, shown: bool) -> None:
        self.vertices.numbered = shown
        self.vertices.refresh()

    def _show_names(self, shown: bool) -> None:
        self.vertices.named = shown
        self.vertices.refresh()

    def _words_of_class(self, color: int) -> str:
        coloring = self.shown
        if coloring is None or color > int(coloring.max()):
            return ""
        size, count = int(class_sizes(coloring)[color]), int(coloring.max()) + 1
        vertices = "vertex" if size == 1 else "vertices"
        return f"class {color + 1} of {count} ({mark_of(color).name}s): {whole(size)} {vertices}"
