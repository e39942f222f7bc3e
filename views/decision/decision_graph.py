"""The graph around an ant: the classes so far, the class it fills, and who may still join it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QTransform

from gpu.core.decisions.coloring_decision import ColoringDecision
from gpu.core.decisions.tabu_move import TabuMove
from gpu.drawing.drawing import GraphDrawing
from gpu.problems.coloring.instance import GraphInstance
from views.decision.decision_canvas import DecisionCanvas, draw_arrow, width_of, write_names
from views.graph.class_marks import draw_marks
from views.graph.graph_layers import EdgesLayer, GraphLayer, diameter_of
from views.widgets.layers import Points, draw_lines, draw_points, pen, to_pixels
from views.widgets.theme import DARK, Theme
from views.widgets.view import Pointed

_LINES = 200  # most lines to candidates that are drawn, the likeliest ones
_NAMED = 14  # most candidates with a number
_LEAST = 7.0  # least diameter in pixels of a vertex
_FADED = 0.38  # opacity of the classes that are complete


class StepLayer(GraphLayer):
    """One step of an ant, in the graph."""

    margin = 0.12  # room for numbers beside the outermost vertices

    def __init__(self, depth: float) -> None:
        super().__init__(depth)
        self.decision: ColoringDecision | TabuMove | None = None
        self.lit: tuple[int, ...] = ()  # vertices that are pointed at

    def show_step(self, decision: ColoringDecision | TabuMove | None) -> None:
        """Show another decision."""
        self.decision = decision
        self.refresh()

    def light(self, vertices: tuple[int, ...]) -> None:
        """Let ``vertices`` stand out."""
        if vertices != self.lit:
            self.lit = vertices
            self.refresh()

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw the vertices, each kind in another way, and the lines from where the ant stands."""
        graph, drawing, decision, theme = self._graph, self._drawing, self.decision, self._theme
        if graph is None or drawing is None:
            return
        pixels = to_pixels(drawing.places, transform)
        diameter = max(_LEAST * theme.scale, diameter_of(drawing, transform, theme))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if decision is None:
            draw_points(painter, pixels, theme.colour("muted"), diameter)
            return
        if isinstance(decision, TabuMove):
            self._draw_search(painter, theme, pixels, decision, diameter)
            self._draw_rings(painter, theme, pixels, (), diameter)
            moved = [int(decision.vertices[decision.at])] if decision.at >= 0 else []
            write_names(painter, theme, [(pixels[v], str(v + 1), True, True) for v in moved], size)
            return
        self._draw_lines(painter, theme, pixels, decision)
        self._draw_vertices(painter, theme, pixels, decision, diameter)
        rings = [(decision.chosen, "best", 0.0)]
        rings += [(decision.here, "text", 1.0)] if decision.here is not None else []
        self._draw_rings(painter, theme, pixels, rings, diameter)
        self._write_names(painter, theme, pixels, decision, size)

    def _draw_search(
        self, painter: QPainter, theme: Theme, pixels: Points, move: TabuMove, diameter: float
    ) -> None:
        """Draw all colors, the edges in conflict, and the vertex that gets another color."""
        lines = pixels[move.conflicts].reshape(-1, 4)
        draw_lines(painter, lines, theme.colour("danger"), 2.5 * theme.scale)
        order = np.argsort(move.colors, kind="stable")
        wrong = np.isin(order, move.conflicts)
        opacity, diameters = np.where(wrong, 1.0, _FADED), np.where(wrong, 2.0, 0.0) + diameter
        colors = move.colors[order].astype(np.int64)
        draw_marks(painter, colors, pixels[order], diameters, opacity, theme)
        if move.at >= 0:  # with the mark of its new color
            vertex = move.vertices[move.at : move.at + 1]
            target, large = move.targets[move.at : move.at + 1].astype(np.int64), diameter + 4.0
            draw_marks(painter, target, pixels[vertex], np.array([large]), np.ones(1), theme)
            self._draw_rings(painter, theme, pixels, [(int(vertex[0]), "best", 2.0)], diameter)

    def _draw_lines(
        self, painter: QPainter, theme: Theme, pixels: Points, decision: ColoringDecision
    ) -> None:
        """Draw from the ant to the candidates: the wider the line, the larger the chance."""
        if decision.here is None:
            return
        here = pixels[decision.here]
        faintest = 0.16 if len(decision.candidates) <= 40 else 0.06  # many make a haze
        for at in np.argsort(decision.chances)[-_LINES:]:
            vertex, chance = int(decision.candidates[at]), float(decision.chances[at])
            if vertex != decision.chosen and chance > 0:
                colour = theme.colour("latest", faintest + 0.6 * math.sqrt(chance))
                painter.setPen(pen(colour, width_of(chance)))
                painter.drawLine(QPointF(*here), QPointF(*pixels[vertex]))
        chance = float(decision.chances[decision.at])
        width = width_of(chance)
        draw_arrow(painter, here, pixels[decision.chosen], theme.colour("best"), width)

    def _draw_vertices(
        self,
        painter: QPainter,
        theme: Theme,
        pixels: Points,
        decision: ColoringDecision,
        diameter: float,
    ) -> None:
        """Draw crosses for the excluded, dots for the candidates, and marks for classes."""
        x, y = pixels[decision.excluded].T
        half = diameter * 0.36
        crosses = [
            np.column_stack([x - half, y - half, x + half, y + half]),
            np.column_stack([x - half, y + half, x + half, y - half]),
        ]
        draw_lines(painter, np.vstack(crosses), theme.colour("danger", 0.85), 1.6 * theme.scale)
        colors = decision.colors
        colored = np.flatnonzero(colors >= 0)
        colored = colored[np.argsort(colors[colored], kind="stable")]
        member = colors[colored] == decision.color
        opacity, diameters = np.where(member, 1.0, _FADED), np.full(len(colored), diameter)
        diameters[member] += 2.0
        draw_marks(
            painter, colors[colored].astype(np.int64), pixels[colored], diameters, opacity, theme
        )
        candidates = pixels[decision.candidates]
        draw_points(painter, candidates, theme.colour("latest"), diameter)
        # Hollow, so that none looks like a mark of a class.
        draw_points(painter, candidates, theme.colour("panel"), diameter - 4.0 * theme.scale)

    def _draw_rings(
        self,
        painter: QPainter,
        theme: Theme,
        pixels: Points,
        rings: Sequence[tuple[int, str, float]],  # vertex, colour, pixels that it is wider
        diameter: float,
    ) -> None:
        """Draw rings around vertices, and around those that are pointed at."""
        radius = diameter / 2 + 3.5 * theme.scale
        painter.setBrush(Qt.BrushStyle.NoBrush)
        lit = [(vertex, "text", 4.0) for vertex in self.lit if vertex < len(pixels)]
        for vertex, role, more in (*rings, *lit):
            painter.setPen(QPen(theme.colour(role), 2.5 * theme.scale))
            painter.drawEllipse(QPointF(*pixels[vertex]), radius + more, radius + more)

    def _write_names(
        self,
        painter: QPainter,
        theme: Theme,
        pixels: Points,
        decision: ColoringDecision,
        size: QRectF,
    ) -> None:
        """Write the numbers of the ant's vertex, of the chosen one, and of likely ones."""
        order = np.argsort(-decision.chances, kind="stable")[:_NAMED]
        likely = map(int, decision.candidates[order])
        here = () if decision.here is None else (decision.here,)
        marked = *here, decision.chosen
        names = [
            (pixels[vertex], str(vertex + 1), vertex in marked, vertex == decision.chosen)
            for vertex in dict.fromkeys([*marked, *likely])
        ]
        write_names(painter, theme, names, size)


class DecisionGraph(DecisionCanvas):
    """The graph, shown whole; the user may move it."""

    def __init__(self) -> None:
        super().__init__()
        self._graph: GraphInstance | None = None
        self._theme = DARK
        self._moved = False
        self.drawing: GraphDrawing | None = None
        self.edges, self.layer = EdgesLayer(0), StepLayer(1)
        for layer in (self.edges, self.layer):
            self.box.addItem(layer)
        self.box.sigRangeChangedManually.connect(self._moved_by_user)
        self.box.sigResized.connect(self._resized)

    @property
    def places(self) -> NDArray[np.float64]:
        """Where vertices are."""
        return np.empty((0, 2)) if self.drawing is None else self.drawing.places

    def show_instance(self, graph: GraphInstance | None) -> None:
        """Show another graph, as soon as its vertices have places."""
        self._graph = graph
        self.layer.show_step(None)
        self.show_drawing(None)

    def show_drawing(self, drawing: GraphDrawing | None) -> None:
        """Give the vertices their places."""
        self.drawing = drawing
        for layer in (self.edges, self.layer):
            layer.show_drawing(self._graph, drawing)
        self.fit()

    def point_out(self, part: Pointed) -> None:
        """Let vertices stand out."""
        self.layer.light(part.places)

    def fit(self) -> None:
        """Show the whole graph."""
        self._moved = False
        self.box.autoRange(padding=0.0)

    def _moved_by_user(self, _: object) -> None:
        self._moved = True

    def _resized(self, _: object) -> None:
        if not self._moved:
            self.fit()

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        self.graphics.setBackground(theme.colour("panel"))
        for layer in (self.edges, self.layer):
            layer.set_theme(theme)
        self._theme = theme
        self.explain()

    def explain(self, *, search: bool = False) -> None:
        """Say what the marks mean: those of an ant's choice, or of a search's move."""
        theme = self._theme
        moves = (
            ("━", theme["danger"], "conflict"),
            ("■", theme["muted"], "colored"),
            ("◉", theme["best"], "moved, in its new color"),
        )
        ants = (
            ("○", theme["latest"], "candidate"),
            ("✕", theme["danger"], "excluded"),
            ("■", theme["muted"], "colored"),
            ("◎", theme["text"], "the ant"),
            ("◉", theme["best"], "taken"),
        )
        self._explain(moves if search else ants)
