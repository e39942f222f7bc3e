"""Has the pictures of a graph made in a thread, for the views that show them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Slot

from app.window.controllers.controller import SHARE_BESIDE_ALL_CORES, Controller, Parts
from app.window.threads.tasks import Task
from gpu.core.instance import Instance
from gpu.core.machine.processes import thread_seconds
from gpu.drawing.drawing import Arrangement, GraphDrawing
from views.decision.decision_view import DecisionView
from views.graph.adjacency_view import AdjacencyView
from views.graph.graph_view import GraphView
from views.widgets.view import View

if TYPE_CHECKING:
    from gpu.drawing.draw import GraphArtist

Work = Callable[["GraphArtist"], Any]  # makes a picture
Show = Callable[[Any], object]  # shows it
Coloring = NDArray[np.int32] | None  # shape (n,)
PICTURES_APART = 6.0  # most seconds between two pictures of one view beside a colony on all cores


class GraphController(Controller):
    """Makes one picture at a time for the views of a graph.

    A view's newer request replaces an older one that waits, so that the views stay as close to the
    run as the machine allows. Where the colony needs all cores, a view asks less often the longer
    its pictures take: each picture holds up one thread of the colony, and the others wait for it.
    """

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._graph: Any = None  # the instance, if it has no map
        self._artist: GraphArtist | None = None
        self._wanted: dict[View, tuple[Work, Show]] = {}
        self._task: Task[Any] | None = None
        self._instance.changed.connect(self._instance_changed)
        self._graph_view = parts.window.view(GraphView)
        self._adjacency_view = parts.window.view(AdjacencyView)
        self._decision_view = parts.window.view(DecisionView)
        self._graph_view.drawing_wanted.connect(self._draw)
        self._decision_view.drawing_wanted.connect(self._draw_decision)
        self._adjacency_view.picture_wanted.connect(self._draw_adjacency)

    @Slot(object)
    def _instance_changed(self, instance: Instance) -> None:
        """Draw ``instance`` from now on, if it has no map; give up the picture under way."""
        self._graph = instance if instance.map_places is None else None
        self._artist = None
        self._wanted.clear()
        if self._task is not None:
            self._task.cancel()

    @Slot(object, object)
    def _draw(self, arrangement: Arrangement | None, coloring: Coloring) -> None:
        self._want_drawing(self._graph_view, arrangement, coloring)

    @Slot(object, object)
    def _draw_decision(self, arrangement: Arrangement | None, coloring: Coloring) -> None:
        self._want_drawing(self._decision_view, arrangement, coloring)

    def _want_drawing(
        self, view: GraphView | DecisionView, arrangement: Arrangement | None, coloring: Coloring
    ) -> None:
        """Have a drawing made, and better ones of it until its places are settled."""

        def improve(artist: GraphArtist) -> GraphDrawing:
            artist.improve(arrangement)
            return artist.draw(arrangement, coloring)

        def show(drawing: GraphDrawing) -> None:
            view.show_drawing(drawing)
            if not drawing.settled and view not in self._wanted:  # nothing newer is wanted
                self._wanted[view] = improve, show

        self._want(view, lambda artist: artist.draw(arrangement, coloring), show)

    @Slot(object)
    def _draw_adjacency(self, coloring: Coloring) -> None:
        view = self._adjacency_view
        self._want(view, lambda artist: artist.adjacency(coloring), view.show_picture)

    def _want(self, view: View, work: Work, show: Show) -> None:
        if self._graph is not None:
            self._wanted[view] = work, show  # keeps its turn, so that every view gets one
            self._next()

    def _next(self) -> None:
        """Begin the picture that has waited longest, unless one is being made."""
        graph, artist = self._graph, self._artist
        if self._task is not None or not self._wanted or graph is None:
            return
        view = next(iter(self._wanted))
        work, show = self._wanted.pop(view)

        def draw(_: Task[Any]) -> tuple[GraphArtist, Any, float]:
            from gpu.drawing.draw import GraphArtist  # imports SciPy and Numba

            at_work = artist or GraphArtist(graph)
            begin = thread_seconds()
            return at_work, work(at_work), thread_seconds() - begin

        def done(result: tuple[GraphArtist, Any, float]) -> None:
            self._artist, picture, worked = result
            # Each view's pictures may take as much time as all painting of the window.
            rest = min(worked / SHARE_BESIDE_ALL_CORES, PICTURES_APART)
            view.redraw_interval = max(type(view).redraw_interval, rest)
            show(picture)

        self._task = Task(draw, done, self._window.tell)
        self._task.ended.connect(self._ended)
        self._background.start(self._task)

    @Slot(object)
    def _ended(self, _: object) -> None:
        self._task = None
        self._next()
