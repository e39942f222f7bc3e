"""The best costs of all lanes as curves."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from gpu.batch.race_standings import LaneRecord
from gpu.core.cost_curve import RunAxis
from gpu.core.instance import Instance
from views.batch.lane_card import ROLES
from views.plots.cost_plot import CostPlot, Scale
from views.problem_display import display_of
from views.widgets.controls import OptionButtons
from views.widgets.layouts import FlowLayout, fill

_CURVES_HINT = "The curves begin with the race."


class RaceCurves(QWidget):
    """A plot with a curve for each lane, and choices of its axes."""

    def __init__(self) -> None:
        super().__init__()
        self._instance: Instance | None = None
        self._known: int | None = None  # the best known cost, where gaps to it have a meaning
        self._records: Sequence[LaneRecord] = ()
        self.plot = CostPlot("", "")
        self.plot.add_known()
        self.curves = [self.plot.add_curve(role, 2.0, steps=True) for role in ROLES]
        self._hidden: set[int] = set()
        self.across = OptionButtons(
            {"seconds": "Seconds", "iterations": "Iterations", "solutions": "Tours"},
            "What runs along the axis: the seconds, iterations or tours of each lane itself",
        )
        self.up = OptionButtons({"gap": "Gap", "cost": "Length"}, "Gap to the best known, or cost")
        for choice in (self.across, self.up):
            choice.chosen.connect(lambda _: self._change_axes())
        choices = QWidget()
        choices.setLayout(FlowLayout(self.across, self.up))
        fill(QVBoxLayout(self), (self.plot, 1), choices, spacing=2)
        self.plot.setMinimumHeight(110)
        self.plot.show_hint(_CURVES_HINT)

    def show_instance(self, instance: Instance | None) -> None:
        """Use the words of its problem; there is a gap only where an optimum is known."""
        self._instance = instance
        self._known = instance.optimum or None if instance is not None else None
        words = display_of(instance).words
        self.across.buttons["solutions"].setText(words.solutions.capitalize())
        self.up.buttons["cost"].setText(words.cost.capitalize())
        self.up.setVisible(self._known is not None)
        self.up.buttons["gap" if self._known else "cost"].setChecked(True)
        self._change_axes()

    def show_across(self, kind: str) -> None:
        """Let ``kind`` of budget run along the axis."""
        self.across.buttons[kind].setChecked(True)
        self._change_axes()

    def show_lane(self, lane: int, *, shown: bool) -> None:
        """Show or hide the curve of a lane."""
        (self._hidden.discard if shown else self._hidden.add)(lane)
        self.curves[lane].setVisible(shown)
        self.draw(self._records)

    def draw(self, records: Sequence[LaneRecord]) -> None:
        """Draw the curves of ``records``, one a lane."""
        self._records, known, scale = records, self._known, self._scale
        shown = []  # what decides how far the axes go
        for lane, curve in enumerate(self.curves):
            record = records[lane] if lane < len(records) else LaneRecord()
            best = record.curve_until_now
            points = best.points(scale.axis, known if scale.gap else None)
            curve.set_points(points)
            if len(points) and lane not in self._hidden:
                # Once it is improved, what a run begins with would flatten the curves: it is
                # above the plot then, and the curve comes from there.
                better = len(points) > 2 and best.iterations[0] == 0
                shown.append(points[1:] if better else points)
        self.plot.show_hint("" if any(len(one.points) for one in self.curves) else _CURVES_HINT)
        self.plot.follow_costs(shown, scale, known, begin=0.0)

    @property
    def _scale(self) -> Scale:
        return Scale(RunAxis(self.across.value), gap=self.up.value == "gap")

    def _change_axes(self) -> None:
        display, across = display_of(self._instance), self.across.value
        label = display.words.solutions if across == "solutions" else across
        self.plot.set_label("bottom", label)
        self.plot.show_scale(self._scale, display.cost_axis_of(self._instance))
        self.plot.fit()
        self.draw(self._records)
