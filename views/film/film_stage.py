"""Paints the frames of a film: views as in the window, side by side, without controls."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QImage, QPainter, QRegion
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gpu.core.instance import Instance
from gpu.core.problem import Problem
from gpu.core.snapshot import RunState
from views.film.film_choices import FilmChoices, FilmError
from views.frame.dashboard.view_table import VIEWS
from views.graph.adjacency_view import AdjacencyView
from views.graph.graph_view import GraphView
from views.plots.convergence_view import ConvergenceView
from views.tour.tour_view import TourView
from views.widgets.bands import in_bands
from views.widgets.cached_picture import CachedPicture
from views.widgets.canvas.canvas_view import CanvasView
from views.widgets.chips import Chip
from views.widgets.labels import ElidedLabel
from views.widgets.layouts import fill
from views.widgets.picture_export import controls_of, make_due_layouts
from views.widgets.steps import Steps
from views.widgets.styling import palette_of
from views.widgets.theme import DARK, LIGHT
from views.widgets.view import View

_HEIGHT = 640  # what a frame of this height shows is as large as in the window
_LEAST_SCALE = 0.75  # smaller type cannot be read


def filmed_views(problem: Problem) -> dict[str, str]:
    """Return keys and titles of the views that a film of ``problem`` can show."""
    return {
        row.view.key: row.view.title
        for row in VIEWS
        if problem in row.problems and (row.view.of_moment or row.view is ConvergenceView)
    }


class FilmStage(QWidget):
    """Paints the frames of one film. It is never on the screen."""

    def __init__(self, choices: FilmChoices, instance: Instance) -> None:
        super().__init__()
        there = filmed_views(instance.problem)
        keys = choices.views or (next(iter(there)),)
        for key in keys:
            if key not in there:
                raise FilmError(
                    f"a film of {instance.name} cannot show {key}: choose {', '.join(there)}"
                )
        self._theme = theme = DARK if choices.dark else LIGHT
        self._size = choices.width, choices.height
        self._scale = max(_LEAST_SCALE, choices.height / _HEIGHT)
        self.keys = list(keys)  # of the views
        self.views: list[View] = []  # made for the first frame
        self.caption = ElidedLabel("note")
        self.caption.setContentsMargins(8, 0, 8, 0)
        self.caption.setVisible(choices.caption)
        self._begun = False
        self._captions = choices.caption
        self._instance = instance
        self._row = fill(QHBoxLayout(), spacing=0)
        fill(QVBoxLayout(self), (self._row, 1), self.caption, margins=(4, 4, 4, 8), spacing=2)
        self.setPalette(palette_of(theme))
        self.setAutoFillBackground(True)
        self.setFixedSize(*(math.ceil(side / self._scale) for side in self._size))

    def _make_views(self) -> Steps[None]:
        """Make the views one after the other: all at once would hold up the window."""
        kinds = {row.view.key: row.view for row in VIEWS}
        for key in self.keys:
            view = kinds[key]()
            self.views.append(view)
            self._row.addWidget(view, 1)
            yield
            view.apply_theme(self._theme)
            yield
            view.show_instance(self._instance)
            _leave_out_controls(view, captions=self._captions)
            yield
        self.ensurePolished()
        self.grab(QRect(0, 0, 1, 1))  # makes all layouts
        yield
        for view in self.views:
            view.fit()
            yield

    def paint(
        self,
        instance: Instance,
        snapshot: RunState,
        caption: str,
        pictures: Mapping[str, Any],
    ) -> Steps[NDArray[np.uint8]]:
        """Make a frame, shape (height, width, 3): red, green and blue.

        ``instance`` is what was solved then. ``pictures`` has, by the key of a view of a graph,
        what was drawn for it elsewhere.
        """
        if not self.views:
            yield from self._make_views()
        self.caption.setText(caption)
        if instance is not self._instance:
            self._instance = instance
            for view in self.views:
                view.show_edited(instance)
                _leave_out_controls(view, captions=self._captions)
                view.fit()  # a city may have come from outside of the map
        for view in self.views:
            view.take_in(snapshot)
            view.draw_all()
            yield
            if isinstance(view, GraphView) and view.key in pictures:
                view.show_drawing(pictures[view.key])
            elif isinstance(view, AdjacencyView) and view.key in pictures:
                view.show_picture(pictures[view.key])
        if not self._begun:  # axes find the room for their numbers as they are painted
            self._begun = True
            yield from self._render()
        make_due_layouts(self)
        return (yield from self._render())

    def _render(self) -> Steps[NDArray[np.uint8]]:
        """Paint a frame."""
        width, height = self._size
        kind = QImage.Format.Format_RGB888
        image = yield from in_bands(QSize(width, height), self._scale, self._paint, kind)
        found = np.frombuffer(image.constBits(), np.uint8).reshape(height, image.bytesPerLine())
        return found[:, : 3 * width].reshape(height, width, 3).copy()

    def _paint(self, painter: QPainter) -> None:
        painter.setRenderHints(
            QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing
        )
        painter.fillRect(self.rect().adjusted(-1, -1, 1, 1), self._theme.colour("panel"))
        with CachedPicture.exact():
            self.render(painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)


def _leave_out_controls(view: View, *, captions: bool) -> None:
    """Hide what can be pressed; of the chips, those stay that say what is drawn."""
    if isinstance(view, CanvasView):
        view.caption.setVisible(captions)
    if isinstance(view, TourView):
        view.chips["latest"].setChecked(False)  # tours of each iteration are not recorded
    for control in controls_of(view):
        control.hide()
    for chip in view.findChildren(Chip):
        chip.setStyleSheet("QToolButton { border: none; background: none }")
