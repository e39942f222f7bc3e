"""Best, iteration best and iteration mean during the run, with the gap to the optimum."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from gpu.core.instance import Instance
from gpu.core.snapshot import Snapshot
from views.plots.history import History, Means
from views.problem_display import display_of
from views.widgets.buttons import OptionButtons
from views.widgets.chips import Chip
from views.widgets.formats import duration, percent, whole
from views.widgets.labels import ElidedLabel, plain_tip
from views.widgets.layouts import FlowLayout, fill
from views.widgets.plot import Plot
from views.widgets.view import View

_IMPROVEMENTS = 1 << 14  # most improvements that are told apart


class ConvergenceView(View):
    """Costs of solutions against iterations or against time."""

    key = "convergence"
    title = "Convergence"

    def __init__(self) -> None:
        super().__init__()
        self._instance: Instance | None = None
        self.plot = Plot("", "cost", right_label="gap in %")
        self.curves = {
            "mean": self.plot.add_curve("mean"),
            "latest": self.plot.add_curve("latest"),
            "optimum": self.plot.add_curve("optimum", dashes=True),
            "best": self.plot.add_curve("best", 2.0, steps=True),
        }
        self.means = Means()
        self.histories = {"best": History(_IMPROVEMENTS), "latest": History(), "mean": self.means}
        self._now = 0.0, 0.0, 0.0  # iteration, seconds and best cost of the newest state
        self.chips = {
            "best": Chip("Best", "best", "line"),
            "latest": Chip("Iteration", "latest", "thin"),
            "mean": Chip("Mean", "mean", "thin"),
            "optimum": Chip("Best known", "optimum", "dashes"),
        }
        axes = {"iterations": "Iterations", "seconds": "Seconds"}
        self.axis_choice = OptionButtons(axes, "What runs along the axis")
        self.reading = ElidedLabel("note")
        for name, chip in self.chips.items():
            chip.toggled.connect(lambda shown, name=name: self._show_curve(name, shown))
        self.axis_choice.chosen.connect(self._change_axis)
        self.plot.hovered.connect(self._read_at)
        chips = FlowLayout(*self.chips.values())
        bottom = fill(QHBoxLayout(), (self.reading, 1), self.axis_choice)
        fill(QVBoxLayout(self), chips, (self.plot, 1), bottom, margins=(8, 6, 8, 6))
        self.apply_theme(self.theme)
        self.plot.show_whole_numbers("bottom")
        self.show_instance(None)

    def show_instance(self, instance: Instance | None) -> None:
        """Empty the curves, and show the optimum of ``instance`` if it is known."""
        self._instance = instance
        display = display_of(instance)
        self.plot.set_label("left", display.cost_axis)
        self.plot.show_whole_numbers("left", only=display.whole_costs)
        for name, tip in display.curve_tips.items():
            self.chips[name].setToolTip(plain_tip(tip))
        known = instance is not None and bool(instance.optimum)
        self.chips["optimum"].setEnabled(known)
        self.plot.axes["right"].setVisible(known)
        if instance is not None and instance.optimum:
            optimum = instance.optimum
            self.plot.map_right_axis(
                lambda cost: 100 * (cost / optimum - 1), lambda gap: optimum * (1 + gap / 100)
            )
        self.begin_run()

    def begin_run(self) -> None:
        """Empty the curves."""
        for history in self.histories.values():
            history.clear()
        self.reading.setText(" ")
        self.plot.fit()
        self.draw()

    def take_in(self, snapshot: Snapshot) -> None:
        """Add what happened since the snapshot before: each improvement, and all iterations."""
        progress, best, latest = snapshot.progress, self.histories["best"], self.histories["latest"]
        for one in progress.improvements:
            best.append(one.iteration, one.seconds, one.cost)
        pieces = progress.ends, progress.seconds, progress.best, progress.mean, progress.counts
        for end, seconds, least, mean, count in zip(*map(np.ndarray.tolist, pieces), strict=True):
            latest.append(end, seconds, least)
            self.means.append(end, seconds, mean, count)
        self._now = snapshot.iteration, snapshot.elapsed, float(snapshot.best_cost)

    def draw(self) -> None:
        """Draw the curves, in the range of those that are switched on."""
        seconds = self.axis_choice.value == "seconds"
        shown = []
        for name, history in self.histories.items():
            points = history.points(seconds=seconds)
            if name == "best" and len(points) and points[-1, 0] < self._now[1 if seconds else 0]:
                points = np.vstack([points, self._now[1:] if seconds else self._now[::2]])
            self.curves[name].set_points(points)
            if len(points) and self.chips[name].isChecked():
                shown.append(points)
        begun = len(self.histories["best"]) > 0
        self.plot.show_hint("" if begun else "The curves begin with a run.")
        if not shown:
            self.curves["optimum"].set_points(np.empty((0, 2)))
            return
        everything = np.concatenate(shown)
        low, high = everything.min(axis=0), everything.max(axis=0)
        bottom = low[1]
        if self._instance is not None and (optimum := self._instance.optimum):
            self.curves["optimum"].set_points(np.array([[-1e12, optimum], [1e12, optimum]]))
            if self.chips["optimum"].isChecked():
                bottom = min(bottom, optimum)
        margin = 0.05 * max(high[1] - bottom, 1.0)
        self.plot.follow((low[0], high[0]), (bottom - margin, high[1] + margin), growing=True)

    def _show_curve(self, name: str, shown: bool) -> None:
        self.curves[name].setVisible(shown)
        self.draw()

    def _change_axis(self, chosen: str) -> None:
        self.plot.show_whole_numbers("bottom", only=chosen == "iterations")
        self.plot.fit()
        self.draw()

    def _read_at(self, x: float, _: float) -> None:
        seconds = self.axis_choice.value == "seconds"
        points = self.curves["best"].points
        if not math.isfinite(x) or len(points) == 0:
            self.reading.setText(" ")
            return
        at = max(0, int(np.searchsorted(points[:, 0], x, side="right")) - 1)
        where = duration(points[at, 0]) if seconds else f"iteration {whole(points[at, 0])}"
        text = f"{where}:  best {whole(points[at, 1])}"
        gap = self._instance.gap_percent(int(points[at, 1])) if self._instance else None
        self.reading.setText(text if gap is None else f"{text},  gap {percent(gap)}")
