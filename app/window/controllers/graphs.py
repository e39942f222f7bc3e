"""Who computes the window's pictures of a graph: a thread, never the one that shows them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Slot

from app.window.controllers.run_display import SHARE_BESIDE_ALL_CORES
from app.window.threads.tasks import Task
from gpu.core.instance import Instance
from gpu.drawing.drawing import Arrangement
from gpu.problems.coloring.instance import GraphInstance
from views.widgets.view import View

if TYPE_CHECKING:
    from app.window.controller import WindowController
    from gpu.drawing.draw import GraphArtist

Work = Callable[["GraphArtist"], Any]
"""Makes a picture."""

Show = Callable[[Any], object]
"""Shows it."""

LONGEST = 6.0
"""Seconds between two pictures of one view there, at most, however dear they are."""


class WindowGraphs(QObject):
    """Keeps the views of a graph supplied, with one picture at a time.

    What a view asks for takes the place of what it asked for before and has not got, so that the
    views stay as near to the run as the machine allows. Where the colony needs all cores, a view
    asks the more seldom the longer its pictures take: a thread of the colony would stand still
    for each of them, and the others wait for that one.
    """

    def __init__(self, controller: WindowController) -> None:
        super().__init__(controller)
        self._controller = controller
        self._graph: GraphInstance | None = None
        self._artist: GraphArtist | None = None
        self._wanted: dict[View, tuple[Work, Show]] = {}
        self._task: Task[Any] | None = None
        self._graph_view = controller.window.graph
        self._adjacency_view = controller.window.adjacency
        self._graph_view.drawing_wanted.connect(self._draw)
        self._adjacency_view.picture_wanted.connect(self._draw_adjacency)

    def show_instance(self, instance: Instance) -> None:
        """Draw ``instance`` from now on, if it is a graph; give up what is under way."""
        self._graph = instance if isinstance(instance, GraphInstance) else None
        self._artist = None
        self._wanted.clear()
        if self._task is not None:
            self._task.cancel()

    @property
    def idle(self) -> bool:
        """Whether no picture is under way."""
        return self._task is None

    @Slot(object, object)
    def _draw(self, arrangement: Arrangement | None, coloring: NDArray[np.int32] | None) -> None:
        self._want(
            self._graph_view,
            lambda artist: artist.draw(arrangement, coloring),
            self._graph_view.show_drawing,
        )

    @Slot(object)
    def _draw_adjacency(self, coloring: NDArray[np.int32] | None) -> None:
        self._want(
            self._adjacency_view,
            lambda artist: artist.adjacency(coloring),
            self._adjacency_view.show_picture,
        )

    def _want(self, view: View, work: Work, show: Show) -> None:
        if self._graph is not None:
            self._wanted[view] = work, show  # keeps its turn, lest one view starve
            self._next()

    def _next(self) -> None:
        """Begin the picture that has waited longest, unless one is under way."""
        graph, artist = self._graph, self._artist
        if self._task is not None or not self._wanted or graph is None:
            return
        view = next(iter(self._wanted))
        work, show = self._wanted.pop(view)

        def draw(_: Task[Any]) -> tuple[GraphArtist, Any, float]:
            from gpu.drawing.draw import GraphArtist  # brings SciPy and Numba

            at_work = artist or GraphArtist(graph)
            begin = time.thread_time()
            return at_work, work(at_work), time.thread_time() - begin

        def done(result: tuple[GraphArtist, Any, float]) -> None:
            self._artist, picture, worked = result
            # Each view's pictures may take as much as all the window's painting.
            rest = min(worked / SHARE_BESIDE_ALL_CORES, LONGEST)
            view.leisure = max(type(view).leisure, rest)
            show(picture)

        self._task = Task(draw, done, self._controller.window.tell)
        self._task.ended.connect(self._ended)
        self._controller.background.start(self._task)

    @Slot(object)
    def _ended(self, _: object) -> None:
        self._task = None
        self._next()
