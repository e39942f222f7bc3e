"""The most important numbers, in large type."""

from __future__ import annotations

from collections import deque

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gpu.core.instance import Instance
from gpu.core.snapshot import Snapshot
from views.problem_display import display_of
from views.widgets.formats import compact, duration, percent, whole
from views.widgets.labels import make_label
from views.widgets.layouts import fill
from views.widgets.theme import DARK, Theme

_RATE_OVER = 2.0
"""Seconds of solving over which solutions per second are averaged."""

_SHARES = {"best": 4, "gap": 3, "iteration": 3, "rate": 3, "elapsed": 3}
"""Share of the width for each number."""


class Readout(QFrame):
    """Best cost, gap, iteration, solutions a second, time."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._theme = DARK
        self._instance: Instance | None = None
        self._recent: deque[tuple[float, int]] = deque()
        self.values: dict[str, QLabel] = {}
        self.headings: dict[str, QLabel] = {}
        layout = fill(QHBoxLayout(self), margins=(14, 6, 14, 7), spacing=14)
        for name, share in _SHARES.items():
            heading, value = make_label("heading"), QLabel("–")
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            layout.addLayout(fill(QVBoxLayout(), heading, value, spacing=0), share)
            self.headings[name], self.values[name] = heading, value
        self._set_headings()
        self.apply_theme(DARK)

    def show_instance(self, instance: Instance | None) -> None:
        """Prepare for runs on ``instance``."""
        self._instance = instance
        self._set_headings()
        self.begin_run()

    def _set_headings(self) -> None:
        """Head each number in the words of the problem."""
        display = display_of(self._instance)
        for name, title, tip in (
            ("best", display.best, display.best_tip),
            ("gap", "GAP", display.gap_tip),
            ("iteration", "ITERATION", "Iterations finished"),
            ("rate", display.rate, display.rate_tip),
            ("elapsed", "ELAPSED", "Time spent solving, pauses excluded"),
        ):
            self.headings[name].setText(title)
            self.values[name].setToolTip(tip)

    def begin_run(self) -> None:
        """Show dashes."""
        self._recent.clear()
        for value in self.values.values():
            value.setText("–")

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show the numbers of ``snapshot``."""
        self._recent.append((snapshot.elapsed, snapshot.solutions_built))
        while len(self._recent) > 2 and self._recent[1][0] < snapshot.elapsed - _RATE_OVER:
            self._recent.popleft()
        self.values["iteration"].setText(whole(snapshot.iteration))
        self.values["elapsed"].setText(duration(snapshot.elapsed))
        if snapshot.iteration == 0:
            return
        self.values["best"].setText(whole(snapshot.best_cost))
        gap = self._instance.gap_percent(snapshot.best_cost) if self._instance else None
        self.values["gap"].setText(percent(gap))
        since, tours = self._recent[0] if len(self._recent) > 1 else (0.0, 0)
        if snapshot.elapsed > since:
            rate = (snapshot.solutions_built - tours) / (snapshot.elapsed - since)
            self.values["rate"].setText(compact(rate))

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        self._theme = theme
        for name, value in self.values.items():
            colour = theme.best if name == "best" else theme.text
            value.setStyleSheet(
                f"font-size: {theme.points(1.8)}pt; font-weight: 600; color: {colour};"
            )
