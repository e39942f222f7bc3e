"""How often what ants do has an effect: over the run, and against the size of a memory.

With a selective memory, that is how many updates find their trail. Where the changes of several
ants are merged, it is how many ants change the common tour, and how many changes become part of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple
from operator import sub
from typing import NamedTuple

import numpy as np
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from gpu.core.formats import percent
from gpu.core.snapshot import Merges, RunState, Updates
from gpu.problems.tsp.instance import TspInstance
from gpu.timing.measured import HitRate
from views.plots.bounded_curve import BoundedCurve
from views.widgets.controls import Chip, OptionButtons
from views.widgets.labels import make_label, plain_tip
from views.widgets.layouts import FlowLayout, fill
from views.widgets.measure_bar import MeasureBar
from views.widgets.plot import PlotWidget
from views.widgets.view import View, ViewSource

_KEEPS_ALL = (
    "This colony keeps every trail and merges nothing: choose one with a selective memory (SPM), "
    "or a focused one."
)


class _Words(NamedTuple):
    """What both curves are called, and the axis of the run."""

    local: str
    overall: str
    axis: str
    local_tip: str
    overall_tip: str


_OF_UPDATES = _Words(
    "Local",
    "Global",
    "hits in %",
    "Local updates, since the run began",
    "Global updates, since the run began",
)
_OF_MERGES = _Words(
    "Ants that won",
    "Merged of these",
    "share in %",
    "Share of the ants whose change of the tour was kept, since the run began",
    "Share of the kept changes that became part of the common tour, since the run began",
)


class HitRateView(View):
    """Hit rates of local and global updates; or shares of ants that win, and of their merges."""

    key = "hit-rates"
    title = "Hit rates"
    has_values = True

    def __init__(self) -> None:
        super().__init__()
        self.run_plot = PlotWidget("iterations", _OF_UPDATES.axis)
        self.run_plot.show_whole_numbers("bottom")
        self.memory_plot = PlotWidget("trails remembered at each city, s", "mean hits in %")
        roles = ("local", "overall")
        self.recent = {role: self.run_plot.add_curve(role) for role in roles}
        self.means = {role: self.run_plot.add_curve(role, 2.0) for role in roles}
        self.sizes = {role: self.memory_plot.add_curve(role, 2.0, dots=True) for role in roles}
        names = ("local", "overall", "~local", "~overall")
        self._histories = {name: BoundedCurve() for name in names}
        self._last: Updates | None = None  # counts that the curves are made of
        self._words = self._run_words = _OF_UPDATES  # that are shown, and those of the run
        self.measured: ViewSource | None = None  # what the curves against s were measured on
        self.chips = {
            "local": Chip(_OF_UPDATES.local, "local", "line", _OF_UPDATES.local_tip),
            "overall": Chip(_OF_UPDATES.overall, "overall", "line", _OF_UPDATES.overall_tip),
            "recent": Chip(
                "Recent",
                "local overall",
                "thin",
                "The same rates, each since the last reading alone",
            ),
        }
        pages = {"run": "The run", "memory": "Against s"}
        self.page_choice = OptionButtons(pages, "What runs along the axis")
        self.measure = MeasureBar(
            "Measure", "Run the selective memory with s = 1, 2, 4, … 32 on this instance"
        )
        self.note = make_label("note", " ", wrap=True)
        self.pages = QStackedWidget()
        self.below = QStackedWidget()
        foot = QWidget()
        fill(QHBoxLayout(foot), self.measure.button, (self.measure, 1)).addStretch(0)
        for plot, below in ((self.run_plot, self.note), (self.memory_plot, foot)):
            self.pages.addWidget(plot)
            self.below.addWidget(below)
        for name, chip in self.chips.items():
            chip.toggled.connect(lambda shown, name=name: self._show_curve(name, shown))
        self.page_choice.chosen.connect(self._turn)
        top = FlowLayout(*self.chips.values())
        bottom = fill(QHBoxLayout(), (self.below, 1), self.page_choice)
        fill(QVBoxLayout(self), top, (self.pages, 1), bottom, margins=(8, 6, 8, 6))
        axis = self.memory_plot.axes["bottom"]
        axis.ticks = lambda low, high, _size: [
            (1.0, [float(v) for v in range(6) if low <= v <= high])
        ]
        axis.texts = lambda values, *_: [str(2 ** round(v)) for v in values]
        axis.value = lambda place: 2.0 ** round(place)
        self._name_curves()
        self.apply_theme(self.theme)
        self.show_instance(None)

    @property
    def source(self) -> ViewSource | None:
        """What the curves against s were measured on, if they are shown."""
        return self.measured if self.page_choice.value == "memory" else None

    def show_instance(self, instance: TspInstance | None) -> None:
        """Empty both plots."""
        self.measured = None
        super().show_instance(instance)
        self.show_rates([])
        self.measure.finish("")

    def begin_run(self) -> None:
        """Empty the curves of the run; those against s stay."""
        for history in self._histories.values():
            history.clear()
        self._last = None
        self._why_empty = (
            "A colony with a selective memory (SPM) shows here what it remembers, and a focused "
            "one how many ants win."
        )
        self.note.clear()
        self.run_plot.fit()
        self.draw()

    def take_in(self, snapshot: RunState) -> None:
        """Add a point to each curve, if the colony has a selective memory or merges changes."""
        now, merges = snapshot.updates, snapshot.merges
        if merges is not None:
            now = _counts_of(merges)
        words = _OF_UPDATES if merges is None else _OF_MERGES
        if words is not self._run_words:
            self._run_words = words
            self.run_plot.set_label("left", words.axis)
            self._show_words()
        if now is None:
            if snapshot.iteration:
                self._why_empty = _KEEPS_ALL
            return
        before = self._last or Updates(0, 0, 0, 0)
        since = Updates(*map(sub, astuple(now), astuple(before)))
        self._last = now
        for key, ratio in (
            ("local", now.local_ratio),
            ("overall", now.global_ratio),
            ("~local", since.local_ratio),
            ("~overall", since.global_ratio),
        ):
            if math.isfinite(ratio):
                self._histories[key].append(snapshot.iteration, snapshot.elapsed, 100 * ratio)

    def draw(self) -> None:
        """Draw the curves of the run."""
        end, least = 1.0, 100.0
        for key, history in self._histories.items():
            curves = self.recent if key.startswith("~") else self.means
            points = history.points()
            curves[key.lstrip("~")].set_points(points)
            if len(points):
                end = max(end, float(points[-1, 0]))
                least = min(least, float(points[:, 1].min()))
        bottom = max(0.0, 10 * math.floor(least / 10 - 0.5))
        margin = 0.04 * (100 - bottom)
        self.run_plot.follow((0.0, end), (bottom - margin, 100 + margin), growing=True)
        self.run_plot.show_hint(self._why_empty if not len(self._histories["local"]) else "")
        if (last := self._last) is not None:
            local, overall = percent(100 * last.local_ratio), percent(100 * last.global_ratio)
            words = self._run_words
            self.note.setText(
                f"Mean:  {_lowered(words.local)} {local},  {_lowered(words.overall)} {overall}"
            )

    def show_rates(self, rates: Sequence[HitRate]) -> None:
        """Draw what was measured so far against the size of the memory."""
        for role, curve in self.sizes.items():
            points = [(math.log2(rate.memory), 100 * getattr(rate, role)) for rate in rates]
            curve.set_points(np.array(points, dtype=np.float64).reshape(-1, 2))
        self.memory_plot.show_hint("" if rates else "Measure how much is enough to remember.")
        self.memory_plot.follow((-0.3, 5.3), (-3.0, 105.0))

    def _show_words(self) -> None:
        """Name the curves, if they have other names now: those against s are of updates."""
        words = self._run_words if self.page_choice.value == "run" else _OF_UPDATES
        if words is self._words:
            return
        self._words = words
        for name in ("local", "overall"):
            self.chips[name].setText(getattr(words, name))
            self.chips[name].setToolTip(plain_tip(getattr(words, f"{name}_tip")))
        self._name_curves()

    def _name_curves(self) -> None:
        for name in ("local", "overall"):
            said = getattr(self._words, name)
            self.means[name].name, self.recent[name].name = said, f"{said}, recent"
            self.sizes[name].name = getattr(_OF_UPDATES, name)

    def _show_curve(self, name: str, shown: bool) -> None:
        if name == "recent":
            for curve in self.recent.values():
                curve.setVisible(shown)
            return
        for curves in (self.means, self.sizes):
            curves[name].setVisible(shown)
        self.recent[name].setVisible(shown and self.chips["recent"].isChecked())

    def _turn(self, page: str) -> None:
        for stack in (self.pages, self.below):
            stack.setCurrentIndex(0 if page == "run" else 1)
        self.chips["recent"].setVisible(page == "run")
        self._show_words()


def _counts_of(merges: Merges) -> Updates:
    """Return the counts of both shares as those of updates."""
    return Updates(merges.won, merges.ants, merges.merged, merges.won)


def _lowered(text: str) -> str:
    return text[0].lower() + text[1:]
