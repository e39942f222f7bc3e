"""One lane of a race: who runs in it, what it has found, and buttons to change it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from gpu.core.bounds import KnownCosts
from gpu.core.formats import compact, duration, whole
from gpu.core.instance import Instance
from gpu.core.problem import Problem
from gpu.problems.coloring.instance import class_sizes
from gpu.races.race_standings import LaneRecord
from views.problem_display import problem_of
from views.tour.map_layer import MapLayer
from views.tour.tour_layers import CitiesLayer, TourLayer, places_of
from views.widgets.canvas_view import CanvasView
from views.widgets.controls import Chip, Swatch, make_button
from views.widgets.labels import ElidedLabel, make_label, plain_tip, set_role
from views.widgets.layers import corners
from views.widgets.layouts import fill
from views.widgets.theme import PaintedWidget, Theme, icon

_PICTURE_LEAST = (110, 92)  # width and height
_DOTS_SMALLER = -2.4  # pixels, of the dots: large ones hide the tour, and take long to draw
_BAR_GAP = 0.16  # gap between bars, as a share of the place of a bar


class LaneMap(CanvasView):
    """The cities and the best tour."""

    fit_tip = "Show the whole map"
    least = _PICTURE_LEAST

    def __init__(self, role: str) -> None:
        super().__init__()
        self.cities = CitiesLayer(0, larger=_DOTS_SMALLER)
        self.tour = TourLayer(1, role, bold=True)
        self._layers: tuple[MapLayer[Any], ...] = self.cities, self.tour
        for layer in self._layers:
            self.box.addItem(layer)
        fill(QVBoxLayout(self), (self.graphics, 1))
        self.caption.setParent(self)  # the lane has a text of its own
        self.caption.hide()
        self.fit_button.setParent(self)
        self.fit_button.hide()  # a double click does it

    def show_instance(self, instance: Any) -> None:
        """Show its cities, and no tour yet."""
        points = places_of(instance)
        if instance is not None:
            self.tour.route_of = instance.route_of
        around = np.array(corners(points)) if len(points) else points
        for layer in self._layers:
            layer.set_cities(points, around)
        self.fit()

    def show_solution(self, tour: NDArray[np.int32] | None) -> None:
        """Show another tour."""
        self.tour.show_part(tour)


class LaneClasses(PaintedWidget):
    """A bar for each color class, the largest first."""

    def __init__(self, role: str) -> None:
        super().__init__()
        self._role = role
        self.sizes: NDArray[np.int64] = np.empty(0, np.int64)
        self.setMinimumSize(*_PICTURE_LEAST)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_instance(self, instance: Any) -> None:
        """Show no class yet."""
        self.show_solution(None)

    def show_solution(self, coloring: NDArray[np.int32] | None) -> None:
        """Show another coloring."""
        none = np.empty(0, np.int64)
        self.sizes = none if coloring is None else np.sort(class_sizes(coloring))[::-1]
        self.update()

    def sizeHint(self) -> QSize:
        """Return the least size."""
        return QSize(*_PICTURE_LEAST)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bars."""
        if not len(self.sizes):
            return
        area = QRectF(self.rect()).adjusted(6, 6, -6, -2)
        place, most = area.width() / len(self.sizes), int(self.sizes[0])
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour(self._role, 0.85))
            for at, size in enumerate(self.sizes.tolist()):
                height = area.height() * size / most
                left = area.left() + (at + _BAR_GAP / 2) * place
                painter.drawRect(
                    QRectF(left, area.bottom() - height, place * (1 - _BAR_GAP), height)
                )


LANE_ROLES = tuple(f"lane{number}" for number in range(1, 13))  # the theme's colours of the lanes
LANES_DRAWN_THROUGH = 6  # lanes whose curves are; those of the others are dashed


@dataclass(frozen=True, slots=True)
class LaneTitle:
    """Who runs in a lane."""

    family: str  # the title of the system's family
    colony: str  # the system's title
    device: str  # its name
    seed: int
    details: str  # all that was chosen, for a tool tip


class LaneCard(QFrame):
    """A card with the lane's title, picture and numbers."""

    change_requested = Signal()
    move_requested = Signal()  # one place to the front
    remove_requested = Signal()

    def __init__(self, lane: int) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._number = lane + 1
        self.setAccessibleName(f"Lane {lane + 1}")
        self._instance: Instance | None = None
        role = LANE_ROLES[lane]
        swatch: Swatch = "line" if lane < LANES_DRAWN_THROUGH else "dashes"
        self.chip = Chip(str(lane + 1), role, swatch, f"Show the curve of lane {lane + 1}")
        self.title, self.place = ElidedLabel(), ElidedLabel("note")
        tip = f"Change lane {lane + 1}: load it into the panel"
        self.change = make_button("plain", "", tip, self.change_requested)
        tip = f"Move lane {lane + 1} one place to the front"
        self.forward = make_button("plain", "", tip, self.move_requested)
        self.remove = make_button("plain", "", f"Remove lane {lane + 1}", self.remove_requested)
        self.change.setCheckable(True)
        buttons = self.change, self.forward, self.remove
        for button in buttons:
            button.setIconSize(QSize(16, 16))  # two lanes fit side by side into a small window
        self.order = self.chip, *buttons  # of Tab
        self.forward.setEnabled(lane > 0)
        self.map, self.classes = LaneMap(role), LaneClasses(role)
        self._pictures: dict[Problem, LaneMap | LaneClasses] = {
            Problem.TSP: self.map,
            Problem.COLORING: self.classes,
        }
        for picture in self._pictures.values():
            picture.setAccessibleName(f"Best of lane {lane + 1}")
        self.best = ElidedLabel()
        self.progress, self.ending = (make_label("note", wrap=True) for _ in range(2))
        self._bar = QWidget()
        fill(QHBoxLayout(self._bar), *buttons, spacing=0)
        head = fill(QHBoxLayout(), self.chip, (QWidget(), 1), self._bar, spacing=0)
        parts = head, self.title, self.place, (self.map, 1), (self.classes, 1)
        numbers = self.best, self.progress, self.ending
        fill(QVBoxLayout(self), *parts, *numbers, margins=(4, 6, 4, 6), spacing=2)
        self.show_record(None)

    def show_instance(self, instance: Instance | None) -> None:
        """Prepare for solutions of ``instance``."""
        if instance is self._instance:
            return
        self._instance = instance
        for problem, picture in self._pictures.items():
            picture.setVisible(problem is problem_of(instance))
        self._picture.show_instance(instance)

    def give_room(self, height: int) -> None:
        """Let the picture be at least so high: what it shows fills the lane."""
        for picture in self._pictures.values():
            picture.setMinimumHeight(height)

    @property
    def _picture(self) -> LaneMap | LaneClasses:
        return self._pictures[problem_of(self._instance)]

    def show_title(self, title: LaneTitle) -> None:
        """Say who runs here."""
        self.title.setText(title.family)
        self.place.setText(f"{title.colony} on {title.device}, seed {title.seed}")
        for label in (self.title, self.place):
            label.setToolTip(plain_tip(title.details))

    def show_record(self, record: LaneRecord | None) -> None:
        """Show how far the lane has come; None where it has not been run."""
        instance = self._instance
        solution = None if record is None else record.solution
        if instance is not None:
            self._picture.show_solution(solution)
        begun = record is not None and (record.cost is not None or record.spent or record.ending)
        if record is None or instance is None or not begun:
            self.best.setText("–")
            self.best.setToolTip("")
            self.progress.setText("not run yet")
            self.ending.hide()
            return
        words, best = instance.problem.words, "–"
        self.best.setToolTip("")
        if record.cost is not None:
            best = instance.cost_unit.amount(record.cost)
            known = KnownCosts(instance.optimum, record.bound)
            reference = known.reference
            if record.proved:
                best = f"{best}   proved"
            elif reference:
                best = f"{best}   {words.gap(record.cost, reference)}"
            above = "above the lower bound" if known.by_bound else f"above {words.known}"
            tip = f"{words.excess(record.cost, reference)} {above}" if reference else ""
            self.best.setToolTip(plain_tip(record.reason if record.proved else tip))
        self.best.setText(best)
        pace = "–"
        if record.solutions and record.seconds:
            pace = f"{compact(record.solutions / record.seconds)} {words.solutions}/s"
        iterations = f"iteration {whole(record.iterations)}"
        self.progress.setText(f"{duration(record.spent)}  ·  {iterations}\n{pace}")
        self.progress.setToolTip(plain_tip(record.reason))
        spent = record.ending == "finished" and not record.proved  # the budget, as of all
        self.ending.setText(record.reason)
        self.ending.setVisible(bool(record.reason) and not spent)
        self.ending.setToolTip(plain_tip(record.reason))
        set_role(self.ending, "problem" if record.ending == "failed" else "note")

    def show_racing(self, *, racing: bool) -> None:
        """Hide what changes the lane while the race goes on."""
        self._bar.setVisible(not racing)

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and sizes."""
        self.change.setIcon(icon("edit", theme, "muted"))
        self.forward.setIcon(icon("back", theme, "muted"))
        self.remove.setIcon(icon("close", theme, "muted"))
