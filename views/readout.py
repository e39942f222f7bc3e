"""The numbers that everybody looks at, large."""

from __future__ import annotations

from collections import deque

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gpu.instances.instance import TspInstance
from gpu.snapshot import Snapshot
from views.formats import compact, duration, percent, whole
from views.theme import DARK, Theme

_RATE_OVER = 2.0
"""Seconds of solving over which tours per second are averaged."""

_TILES = {
    "best": ("BEST LENGTH", 4, "Exact length of the best tour so far"),
    "gap": ("GAP", 3, "How far the best tour lies above the best known length"),
    "iteration": ("ITERATION", 3, "Iterations finished"),
    "rate": ("TOURS / S", 3, "Tours built a second, over the last two seconds"),
    "elapsed": ("ELAPSED", 3, "Time spent solving, pauses excluded"),
}


class Readout(QFrame):
    """Best length, gap, iteration, tours a second, time."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._theme = DARK
        self._instance: TspInstance | None = None
        self._recent: deque[tuple[float, int]] = deque()
        self.values: dict[str, QLabel] = {}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 6, 14, 7)
        layout.setSpacing(14)
        for name, (title, stretch, tip) in _TILES.items():
            heading, value = QLabel(title), QLabel("–")
            heading.setProperty("role", "heading")
            value.setToolTip(tip)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            column = QVBoxLayout()
            column.setSpacing(0)
            column.addWidget(heading)
            column.addWidget(value)
            layout.addLayout(column, stretch)
            self.values[name] = value
        self.apply_theme(DARK)

    def show_instance(self, instance: TspInstance | None) -> None:
        """Prepare for runs on ``instance``."""
        self._instance = instance
        self.begin_run()

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
