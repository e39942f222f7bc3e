"""The plot of costs: what is along its axes, their menu, and marks where a run was changed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Signal
from PySide6.QtGui import QActionGroup, QPainter, QTransform
from PySide6.QtWidgets import QMenu, QToolButton

from gpu.core.bounds import KnownCosts
from gpu.core.cost_curve import RunAxis, gap_percent
from gpu.core.cost_unit import NO_UNIT, CostUnit
from gpu.core.instance import Instance
from views.problem_display import display_of
from views.widgets.controls import Chip, OptionButtons
from views.widgets.graphics import Box
from views.widgets.labels import plain_tip
from views.widgets.layers import Layer, PlotCurve, Points, dashed, draw_lines, pen
from views.widgets.plot import PlotWidget

_NEAR = 0.8  # share of the best cost: a lower bound that is lower is out of sight at first
LEAST_GAP = 0.001  # percent: smaller gaps are drawn here on a logarithmic axis, which has no 0
_LEAST_MOMENTS = {RunAxis.ITERATIONS: 1.0, RunAxis.SOLUTIONS: 1.0, RunAxis.SECONDS: 0.001}


@dataclass(frozen=True, slots=True)
class Scale:
    """What is drawn for a moment and a cost."""

    axis: RunAxis = RunAxis.ITERATIONS
    gap: bool = False  # gaps to the best known cost in %, instead of costs
    log_moment: bool = False
    log_cost: bool = False
    unit: CostUnit = NO_UNIT  # of costs

    @property
    def plain(self) -> bool:
        """Whether costs are drawn as they are."""
        return not (self.gap or self.log_cost)

    def place(self, moments: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where ``moments`` are along the axis."""
        if not self.log_moment:
            return moments
        return np.asarray(np.log10(np.maximum(moments, _LEAST_MOMENTS[self.axis])))

    def moment(self, place: float) -> float:
        """Return which moment is at ``place``."""
        return float(10.0**place) if self.log_moment else place

    def height(self, costs: NDArray[np.float64], optimum: int | None) -> NDArray[np.float64]:
        """Return where ``costs`` are; NaN for gaps without a known ``optimum``."""
        if self.gap:
            costs = np.full(len(costs), np.nan) if not optimum else gap_percent(costs, optimum)
        else:
            costs = self.unit.scaled(costs)
        if not self.log_cost:
            return costs
        return np.asarray(np.log10(np.maximum(costs, LEAST_GAP)))

    def mapped(self, points: Points, optimum: int | None) -> Points:
        """Return where ``points`` are drawn: (moment, cost), float64 of shape (k, 2)."""
        return np.column_stack([self.place(points[:, 0]), self.height(points[:, 1], optimum)])


class CostPlot(PlotWidget):
    """A plot of costs over the time of runs, with the best known cost as a dashed line."""

    def add_known(self) -> PlotCurve:
        """Add the line of the best known cost in front of the curves that are there."""
        self.known = self.add_curve("optimum", dashes=True, name="Best known")
        return self.known

    def add_bound(self) -> PlotCurve:
        """Add the line of the lower bound in front of the curves that are there."""
        self.bound = self.add_curve("bound", dashes=True, name="Lower bound")
        return self.bound

    def show_scale(self, scale: Scale, costs: str, gaps: str) -> None:
        """Write the axes as ``scale`` needs it; the labels are of the axis of costs, or of gaps."""
        whole_moments = scale.axis is not RunAxis.SECONDS
        self.show_whole_numbers("bottom", only=whole_moments and not scale.log_moment)
        self.show_logarithmic("bottom", on=scale.log_moment)
        self.set_label("left", gaps if scale.gap else costs)
        self.show_whole_numbers("left", only=scale.plain and scale.unit.whole)
        self.show_logarithmic("left", on=scale.log_cost)

    def follow_costs(
        self,
        shown: Sequence[Points],
        scale: Scale,
        known: KnownCosts,
        best: float,
        begin: float = math.inf,
    ) -> None:
        """Show the range of all ``shown`` points, from ``begin`` on if they begin later.

        The best ``known`` cost is drawn, and is in the range, if there is one. So is the lower
        bound, if it is not far below the ``best`` cost that was found.
        """
        reference, lower = known.reference, known.lower
        lines = {
            self.known: _line_at(known.best if shown else None, scale, reference),
            self.bound: _line_at(lower if shown else None, scale, reference),
        }
        for curve, line in lines.items():
            curve.set_points(line)
        if not shown:
            return
        everything = np.concatenate(shown)
        low, high = everything.min(axis=0), everything.max(axis=0)
        bottom = low[1]
        if lower is None or lower < _NEAR * best:
            del lines[self.bound]
        for curve, line in lines.items():
            # A gap of 0 is nowhere on a logarithmic axis: what is there decides how far it goes.
            if len(line) and curve.isVisible() and not (scale.gap and scale.log_cost):
                bottom = min(bottom, line[0, 1])
        least = min(1.0, float(scale.unit.scaled(1.0)))
        margin = 0.05 * max(high[1] - bottom, least if scale.plain else 0.01)
        x, y = (min(low[0], begin), high[0]), (bottom - margin, high[1] + margin)
        self.follow(x, y, growing=True)


def gap_axis(known: KnownCosts) -> str:
    """Return what an axis of gaps is labelled with."""
    return "gap to the bound in %" if known.by_bound else "gap in %"


def show_known(best: Chip, bound: Chip, instance: Instance | None, known: KnownCosts) -> None:
    """Show the chips of the two lines that there are, and say in their tips why these are known."""
    display = display_of(instance)
    tips = [display.curve_tips["optimum"]]
    best.setVisible(bool(known.best))
    bound.setVisible(known.lower is not None)  # else both lines are one
    if known.bound is not None:
        tips.append(display.bound_tip(known.bound))
        bound.setToolTip(plain_tip(tips[1]))
    best.setToolTip(plain_tip(tips[0] if known.lower is not None else ". ".join(tips)))


def _line_at(cost: int | None, scale: Scale, reference: int | None) -> Points:
    """Return a level line at a ``cost`` that is known, with gaps to another; else no points."""
    if not cost:
        return np.empty((0, 2))
    return np.column_stack([(-1e12, 1e12), scale.height(np.full(2, float(cost)), reference)])


class ScaleButton(QToolButton):
    """What is along the axes, and how runs that differ by their seed alone are drawn.

    The menu begins with the options of ``along``, so that those buttons can be hidden.
    """

    changed = Signal()  # another scale
    each_changed = Signal(bool)  # whether each of several runs has a curve of its own

    def __init__(self, along: OptionButtons) -> None:
        super().__init__()
        self._along = along
        self.setToolTip(plain_tip("Cost or gap, logarithmic axes, mean and band of several runs"))
        self.setProperty("role", "segment")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        self._moments = {key: menu.addAction(key) for key in along.buttons}
        menu.addSeparator()
        self._cost, self._gap = (menu.addAction(text) for text in ("Cost", "Gap in %"))
        menu.addSeparator()
        self._log_moment = menu.addAction("Logarithmic horizontal axis")
        self._log_cost = menu.addAction("Logarithmic vertical axis")
        menu.addSeparator()
        self._band = menu.addAction("Runs that differ by seed alone: mean and band")
        self._each = menu.addAction("Runs that differ by seed alone: each")
        for action in menu.actions():
            action.setCheckable(not action.isSeparator())
        for group, actions in (
            (QActionGroup(menu), self._moments.values()),
            (QActionGroup(menu), (self._cost, self._gap)),
            (QActionGroup(menu), (self._band, self._each)),
        ):
            for action in actions:
                group.addAction(action)
        self._cost.setChecked(True)
        self._band.setChecked(True)
        for action in (self._cost, self._gap, self._log_moment, self._log_cost):
            action.triggered.connect(lambda _=False: self.changed.emit())
        for action in (self._band, self._each):
            action.triggered.connect(lambda _=False: self.each_changed.emit(self.each))
        for key, action in self._moments.items():
            action.triggered.connect(lambda _=False, key=key: along.buttons[key].click())
        menu.aboutToShow.connect(self._show_moments)
        self.setMenu(menu)
        self.name_itself()

    def name_itself(self) -> None:
        """Say what is along the axis below, if no button beside it says that."""
        along = self._along
        self.setText(f"{along.buttons[along.value].text() if along.isHidden() else 'Scale'} ▾")

    def _show_moments(self) -> None:
        for key, action in self._moments.items():
            action.setText(self._along.buttons[key].text())
            action.setChecked(self._along.buttons[key].isChecked())

    @property
    def gap(self) -> bool:
        """Whether gaps in % are drawn instead of costs."""
        return self._gap.isChecked()

    @property
    def log_moment(self) -> bool:
        """Whether the axis of iterations, solutions or seconds is logarithmic."""
        return self._log_moment.isChecked()

    @property
    def log_cost(self) -> bool:
        """Whether the axis of costs or gaps is logarithmic."""
        return self._log_cost.isChecked()

    @property
    def each(self) -> bool:
        """Whether each run has a curve, even if others differ by their seed alone."""
        return self._each.isChecked()


_MARK_REACH = 4.0  # pixels from the mouse to the mark that it points at, at most
_TEXT_GAP = 4.0  # pixels between a mark and its text, and between two texts


@dataclass(frozen=True, slots=True)
class ChangeMark:
    """A moment of a run that has a name."""

    iteration: int  # iterations until then
    solutions: int  # tours or colorings built until then
    seconds: float  # seconds of solving until then
    text: str  # what was changed, in a few words


class MarkLayer(Layer):
    """A dashed line at each mark, with its text where there is room."""

    def __init__(self, box: Box) -> None:
        """Draw in ``box``; the axes beside it hide what is beyond."""
        super().__init__(depth=0)
        self._box = box
        self._marks: tuple[tuple[float, str], ...] = ()  # place and text, by place

    def show_marks(self, marks: Sequence[tuple[float, str]]) -> None:
        """Show other marks: the place of each along the axis, and its text."""
        ordered = tuple(sorted(marks))
        if ordered != self._marks:
            self._marks = ordered
            self.prepareGeometryChange()
            self._bounds = QRectF(QPointF(-1e12, -1e12), QPointF(1e12, 1e12))
            self.refresh()

    @property
    def empty(self) -> bool:
        """Whether there is no mark."""
        return not self._marks

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Draw the lines, and the texts that do not cover one another."""
        colour, metrics = self._theme.colour("muted"), painter.fontMetrics()
        size = size.intersected(self._box.sceneBoundingRect())
        free = size.left()
        for place, text in self._marks:
            x = transform.m11() * place + transform.dx()
            if not size.left() <= x <= size.right():
                continue
            line = np.array([[x, size.top()], [x, size.bottom()]])
            draw_lines(painter, dashed(line, size, 2.0, 3.0), colour)
            width = metrics.horizontalAdvance(text)
            at = x + _TEXT_GAP if x + _TEXT_GAP + width <= size.right() else x - _TEXT_GAP - width
            if at >= free:
                painter.setPen(pen(colour))
                painter.drawText(QPointF(at, size.top() + metrics.ascent() + 2), text)
                free = at + width + 2 * _TEXT_GAP

    def near(self, place: float, pixel: float) -> str:
        """Return the text of the mark at ``place``; a ``pixel`` is so wide. Empty for none."""
        found = [one for one in self._marks if abs(one[0] - place) <= _MARK_REACH * pixel]
        return min(found, key=lambda one: abs(one[0] - place))[1] if found else ""
