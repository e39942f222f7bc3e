"""Best, iteration best and iteration mean during the run, with the gap to what is known."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout

from gpu.core.bounds import KnownCosts, LowerBound
from gpu.core.cost_curve import RunAxis
from gpu.core.cost_unit import NO_UNIT, CostUnit
from gpu.core.formats import duration, whole
from gpu.core.instance import Instance
from gpu.core.snapshot import RunState
from views.plots.bounded_curve import BoundedCurve, MeanCurve
from views.plots.cost_plot import (
    ChangeMark,
    CostPlot,
    MarkLayer,
    Scale,
    ScaleButton,
    gap_axis,
    show_known,
)
from views.plots.overlays import Overlay, Overlays
from views.problem_display import display_of
from views.widgets.controls import Chip, OptionButtons
from views.widgets.labels import ElidedLabel, plain_tip
from views.widgets.layers import Points
from views.widgets.layouts import FlowLayout, fill
from views.widgets.view import View

_MOMENTS = {
    RunAxis.ITERATIONS: "iteration",
    RunAxis.SOLUTIONS: "solutions",
    RunAxis.SECONDS: "seconds",
}
_LEAST_PLOT = 44  # pixels: in a low view the plot is drawn as low, and not cut
_READING = "iteration 1000:  best 100 000,  gap 10.00 %"  # what the mouse reads, as a rule
_GAPS = 30  # pixels between the reading and the buttons, and at both sides
_TWO_LINES = 230  # least height in pixels of a view with two lines below the plot
_ACROSS, _DOWN = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
_IMPROVEMENTS = 1 << 14  # most improvements that are told apart


class ConvergenceView(View):
    """Costs of solutions against iterations or against time."""

    key = "convergence"
    title = "Convergence"
    has_values = True

    def __init__(self) -> None:
        super().__init__()
        self._instance: Instance | None = None
        self.plot = CostPlot("", "cost", right_label="gap in %")
        self.curves = {
            "mean": self.plot.add_curve("mean", name="Mean of the iteration"),
            "latest": self.plot.add_curve("latest", name="Best of the iteration"),
            "bound": self.plot.add_bound(),
            "optimum": self.plot.add_known(),
            "best": self.plot.add_curve("best", 2.0, steps=True, name="Best so far"),
            "moment": self.plot.add_curve("accent", 1.5),
        }
        self._moment: tuple[float, float] | None = None
        self._bound: LowerBound | None = None  # of the run
        self.means = MeanCurve()
        best, latest = BoundedCurve(_IMPROVEMENTS), BoundedCurve()
        self.histories = {"best": best, "latest": latest, "mean": self.means}
        self.marks: list[ChangeMark] = []  # of changes of the run
        self._mark_layer = MarkLayer(self.plot.box)
        self.plot.add_layer(self._mark_layer, behind=True)
        self._now = 0.0, 0.0, 0.0  # iteration, seconds and best cost of the newest state
        self._built = 0.0  # solutions that each iteration builds
        self._best = np.empty((0, 2))  # the best costs as they are, whatever the scale
        self.chips = {
            "best": Chip("Best", "best", "line"),
            "latest": Chip("Iteration", "latest", "thin"),
            "mean": Chip("Mean", "mean", "thin"),
            "optimum": Chip("Best known", "optimum", "dashes"),
            "bound": Chip("Lower bound", "bound", "dashes"),
        }
        axes = {"iterations": "Iterations", "solutions": "Tours", "seconds": "Seconds"}
        self.axis_choice = OptionButtons(axes, "What runs along the axis")
        self.axis_choice.setMinimumWidth(1)  # a narrow view hides it
        self.scale_button = ScaleButton(self.axis_choice)
        self.overlays = Overlays(self.plot)
        self.reading = ElidedLabel("note")
        for name, chip in self.chips.items():
            chip.toggled.connect(lambda shown, name=name: self._show_curve(name, shown))
        self.axis_choice.chosen.connect(self._change_scale)
        self.scale_button.changed.connect(self._change_scale)
        self.scale_button.each_changed.connect(self.overlays.show_each)
        self.overlays.changed.connect(self._change_scale)
        self.plot.hovered.connect(self._read_at)
        self.plot.widget.setMinimumHeight(_LEAST_PLOT)
        above = FlowLayout(*self.chips.values())
        choices = QHBoxLayout()
        choices.addStretch()
        fill(choices, self.axis_choice, self.scale_button)
        self.below = fill(QHBoxLayout(), (self.reading, 1), choices)
        parts = above, self.overlays, (self.plot, 1), self.below
        fill(QVBoxLayout(self), *parts, margins=(8, 6, 8, 6))
        self.apply_theme(self.theme)
        self.show_instance(None)

    def show_instance(self, instance: Instance | None) -> None:
        """Empty the curves, and show the optimum of ``instance`` if it is known."""
        self._show_known(instance)
        self.begin_run()

    def show_edited(self, instance: Instance) -> None:
        """Go on with the curves, without an optimum that holds no more."""
        self._show_known(instance)
        self.draw()

    def _show_known(self, instance: Instance | None) -> None:
        self._instance = instance
        display = display_of(instance)
        solutions = display.words.solutions
        self.axis_choice.buttons["solutions"].setText(solutions.capitalize())
        for name, tip in display.curve_tips.items():
            more = self._of_forbidden if name in ("latest", "mean") else ""
            self.chips[name].setToolTip(plain_tip(f"{tip}{more}"))
        self.overlays.show_beside("" if instance is None else instance.name)
        self._show_bound(None)

    @property
    def _of_forbidden(self) -> str:
        """What a tip says of solutions that need what is forbidden, where there are such."""
        beyond = None if self._instance is None else self._instance.forbidden_from
        if beyond is None:
            return ""
        return f". A forbidden edge counts {self._unit.text(beyond)}; so much or more is not drawn"

    @property
    def _unit(self) -> CostUnit:
        """In what costs are drawn."""
        return NO_UNIT if self._instance is None else self._instance.cost_unit

    @property
    def _known(self) -> KnownCosts:
        """What gaps are measured by."""
        return KnownCosts(None if self._instance is None else self._instance.optimum, self._bound)

    def _show_bound(self, bound: LowerBound | None) -> None:
        """Show what no solution is better than; None if that is not known."""
        self._bound = bound
        show_known(self.chips["optimum"], self.chips["bound"], self._instance, self._known)
        self.plot.set_label("right", gap_axis(self._known))
        if reference := self._known.reference:
            cost = float(self._unit.scaled(float(reference)))
            self.plot.map_right_axis(
                lambda value: 100 * (value / cost - 1), lambda gap: cost * (1 + gap / 100)
            )
        self._show_scale()

    def in_picture(self, *, on: bool) -> None:
        """Name the axis."""
        words = self.axis_choice.buttons[self.axis_choice.value].text()
        self.plot.set_label("bottom", words.lower() if on else "")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave enough of the room to the plot: what is along the axis has a menu, too.

        The reading has a line of its own where the buttons leave it no room in theirs.
        """
        super().resizeEvent(event)
        buttons = self.axis_choice.sizeHint().width() + self.scale_button.sizeHint().width()
        reading = self.reading.fontMetrics().horizontalAdvance(_READING)
        wide = buttons + reading + _GAPS <= self.width()
        high = buttons + _GAPS <= self.width() and self.height() >= _TWO_LINES
        self.axis_choice.setVisible(wide or high)
        self.below.setDirection(_DOWN if high and not wide else _ACROSS)
        self.scale_button.name_itself()
        self.overlays.fit()

    def mark_change(self, mark: ChangeMark) -> None:
        """Mark that the run was changed."""
        self.marks.append(mark)
        self.draw()

    def begin_run(self) -> None:
        """Empty the curves."""
        self._show_bound(None)
        self.marks.clear()
        for history in self.histories.values():
            history.clear()
        self.reading.setText(" ")
        self._moment = None
        self.plot.fit()
        self.draw()

    def mark(self, moment: tuple[float, float] | None) -> None:
        """Mark a moment of the past: its iteration and its seconds. None removes the mark."""
        self._moment = moment
        self.draw()

    def show_overlays(self, runs: Sequence[Overlay]) -> None:
        """Draw recorded runs over the live one, instead of those before."""
        self.overlays.show_runs(runs)

    @property
    def scale(self) -> Scale:
        """What is along each axis."""
        chosen = self.scale_button
        return Scale(
            RunAxis(self.axis_choice.value),
            chosen.gap,
            chosen.log_moment,
            chosen.log_cost,
            self._unit,
        )

    def take_in(self, snapshot: RunState) -> None:
        """Add what happened since the snapshot before: each improvement, and all iterations."""
        progress, best, latest = snapshot.progress, self.histories["best"], self.histories["latest"]
        for one in progress.improvements:
            best.append(one.iteration, one.seconds, one.cost)
        pieces = progress.ends, progress.seconds, progress.best, progress.mean, progress.counts
        for end, seconds, least, mean, count in zip(*map(np.ndarray.tolist, pieces), strict=True):
            latest.append(end, seconds, least)
            self.means.append(end, seconds, mean, count)
        if snapshot.iteration:
            self._built = snapshot.solutions_built / snapshot.iteration
        if snapshot.bound is not self._bound:
            self._show_bound(snapshot.bound)
        cost = math.nan if snapshot.best_cost is None else float(snapshot.best_cost)
        self._now = snapshot.iteration, snapshot.elapsed, cost

    def draw(self) -> None:
        """Draw the curves, in the range of those that are switched on."""
        scale, shown = self.scale, self.overlays.draw(self.scale)
        known = self._known
        for name, history in self.histories.items():
            points = self._without_none(self._along_axis(history, scale.axis))
            if name == "best":
                now = self._now[1 if scale.axis is RunAxis.SECONDS else 0], self._now[2]
                points = self._best = self._with_present(points, now, scale.axis)
            drawn = scale.mapped(points, known.reference)
            self.curves[name].set_points(drawn)
            drawn = drawn[np.isfinite(drawn).all(axis=1)]
            if len(drawn) and self.chips[name].isChecked():
                shown.append(drawn)
        self._mark_layer.show_marks([(self._place_of(one), one.text) for one in self.marks])
        begun = len(self.histories["best"]) > 0 or bool(self.overlays.runs)
        self._draw_moment(scale)
        hint = "The curves begin with a run."
        if self._now[0] and self._of_forbidden:
            hint = "Each tour until now has a forbidden edge."
        self.plot.show_hint("" if begun else hint)
        # The best known cost of this instance says nothing about those of others.
        own = len(self.histories["best"]) > 0 or not self.overlays.of_others
        self.plot.follow_costs(shown, scale, known if own else KnownCosts(None), self._now[2])

    def _without_none(self, points: Points) -> Points:
        """Return a curve with gaps where solutions need what is forbidden, at a price of its own.

        That is no cost: to its scale, all else would be a line along the axis.
        """
        beyond = None if self._instance is None else self._instance.forbidden_from
        if beyond is None:
            return points
        costs = np.where(points[:, 1] >= beyond, math.nan, points[:, 1])
        return np.column_stack([points[:, 0], costs])

    def _said_of_none(self, moment: float) -> str:
        """Say that the tours at this moment have forbidden edges, if they do."""
        latest = self._along_axis(self.histories["latest"], self.scale.axis)
        if not len(latest):
            return ""
        at = min(int(np.searchsorted(latest[:, 0], moment)), len(latest) - 1)
        hidden = math.isnan(self._without_none(latest[at : at + 1])[0, 1])
        return "  ·  all tours of the iteration have forbidden edges" if hidden else ""

    def _place_of(self, mark: ChangeMark) -> float:
        """Return where ``mark`` is along the axis."""
        moment = float(getattr(mark, _MOMENTS[self.scale.axis]))
        return float(self.scale.place(np.array([moment]))[0])

    def _draw_moment(self, scale: Scale) -> None:
        """Draw a line from below to above at the moment that is marked."""
        line = np.empty((0, 2))
        if self._moment is not None:
            iteration, seconds = self._moment
            places = {RunAxis.SECONDS: seconds, RunAxis.SOLUTIONS: iteration * self._built}
            at = scale.place(np.full(2, places.get(scale.axis, iteration)))
            line = np.column_stack([at, (-1e12, 1e12)])
        self.curves["moment"].set_points(line)

    def _along_axis(self, history: BoundedCurve, axis: RunAxis) -> Points:
        """Return the points of the live run: (moment, cost)."""
        points = history.points(seconds=axis is RunAxis.SECONDS)
        return points * [self._built, 1.0] if axis is RunAxis.SOLUTIONS else points

    def _with_present(self, points: Points, now: tuple[float, float], axis: RunAxis) -> Points:
        """Let the curve of the best go on to the present state."""
        moment = now[0] * (self._built if axis is RunAxis.SOLUTIONS else 1.0)
        if not len(points) or points[-1, 0] >= moment:
            return points
        return np.vstack([points, (moment, now[1])])

    def _show_curve(self, name: str, shown: bool) -> None:
        self.curves[name].setVisible(shown)
        self.draw()

    def _change_scale(self) -> None:
        self.scale_button.name_itself()
        self._show_scale()
        self._draw_all()

    def _draw_all(self) -> None:
        """Draw in the range of all that is there now."""
        self.plot.fit()
        self.draw()

    def _show_scale(self) -> None:
        """Write the axes as the scale needs it."""
        scale, display = self.scale, display_of(self._instance)
        self.plot.across = self.axis_choice.buttons[scale.axis].text().lower()
        known = bool(self._known.reference)
        others = self.overlays.of_others  # the axis of gaps, and the unit, are of this instance
        self.plot.show_scale(
            scale,
            display.cost_axis if others else display.cost_axis_of(self._instance),
            gap_axis(self._known),
        )
        self.plot.axes["right"].setVisible(known and scale.plain and not others)
        self.overlays.warn(gaps=scale.gap)

    def _read_at(self, x: float, _: float) -> None:
        scale, points = self.scale, self._best
        if not math.isfinite(x) or len(points) == 0:
            self.reading.setText(" ")
            return
        at = max(0, int(np.searchsorted(points[:, 0], scale.moment(x), side="right")) - 1)
        moment = points[at, 0]
        noun = "iteration" if scale.axis is RunAxis.ITERATIONS else "after"
        where = f"{noun} {whole(moment)}"
        if scale.axis is RunAxis.SECONDS:
            where = duration(moment)
        elif scale.axis is RunAxis.SOLUTIONS:
            where += f" {display_of(self._instance).words.solutions}"
        change = self._mark_layer.near(x, float(self.plot.box.viewPixelSize()[0]))
        text = f"{where}:  best {self._unit.text(points[at, 1])}"
        if cost := self._known.reference:
            words = display_of(self._instance).words
            text = f"{text},  gap {words.gap(round(points[at, 1]), cost)}"
        text += self._said_of_none(scale.moment(x))
        self.reading.setText(f"{text}  ·  {change}" if change else text)
