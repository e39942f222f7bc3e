"""Measured speedups over one core and over all cores, against instance size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QStackedWidget,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from views.chips import Chip, Choice
from views.flow import FlowLayout
from views.formats import significant, whole
from views.measure_bar import MeasureBar
from views.plot import Curve, Plot
from views.theme import Theme
from views.view import View

_ROLES = ("best", "latest", "trail", "gap", "mean")
_COLUMNS = ("Instance", "n", "Colony", "On", "ms a tour", "spread", "× one core", "× all cores")


@dataclass(frozen=True, slots=True)
class SpeedupRow:
    """One colony on one device and one instance.

    Attributes
    ----------
    instance : str
        Name.
    n : int
        Cities.
    colony, device : str
        What was measured, and on what.
    tour_ms, low_ms, high_ms : float
        Milliseconds for one tour, whole iterations divided by ants: median, least and most.
    over_one_core, over_all_cores : float
        Speedup over the baselines on the same instance; NaN where that was not measured.
    """

    instance: str
    n: int
    colony: str
    device: str
    tour_ms: float
    low_ms: float
    high_ms: float
    over_one_core: float = math.nan
    over_all_cores: float = math.nan


class SpeedupView(View):
    """A curve for each colony, and the table of all that was measured."""

    key = "speedup"
    title = "Speedup"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[SpeedupRow] = []
        self.scope = QComboBox()
        self.scope.setAccessibleName("Instances to measure")
        self.scope.setToolTip("On which instances the colonies are measured")
        for text, key in (
            ("This instance", "this"),
            ("Bundled, to 500 cities", "small"),
            ("All bundled", "all"),
        ):
            self.scope.addItem(text, key)
        self.measure = MeasureBar(
            "Measure", "Run every colony of this machine beside the baseline on one core"
        )
        self.plot = Plot("cities", "× one core")
        axes = self.plot.item
        for side in ("bottom", "left"):
            axes.getAxis(side).tickValues = _logarithmic_ticks
            axes.getAxis(side).tickStrings = lambda values, _scale, _step: [
                whole(10**v) if v >= 0 else significant(10**v, 1) for v in values
            ]
        self.legend = FlowLayout()
        self.chips: dict[tuple[str, str], Chip] = {}
        self._curves: dict[tuple[str, str], Curve] = {}
        self.table = QTableWidget(0, len(_COLUMNS))
        self.table.setHorizontalHeaderLabels(list(_COLUMNS))
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.setAlternatingRowColors(True)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.horizontalHeader().setHighlightSections(False)
        self.table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        self.hint = QLabel(
            "Measure how much faster each colony is here than the sequential one on one core: "
            "same instance, same parameters, same number of tours, medians with their spread."
        )
        self.hint.setProperty("role", "note")
        self.hint.setWordWrap(True)
        chart = QWidget()
        column = QVBoxLayout(chart)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self.legend)
        column.addWidget(self.plot, 1)
        self.pages = QStackedWidget()
        self.pages.addWidget(chart)
        self.pages.addWidget(self.table)
        self.page_choice = Choice({"chart": "Chart", "table": "Table"}, "How results are shown")
        self.page_choice.chosen.connect(
            lambda page: self.pages.setCurrentIndex(0 if page == "chart" else 1)
        )
        top = QHBoxLayout()
        top.addWidget(self.scope)
        top.addWidget(self.measure, 1)
        top.addWidget(self.page_choice)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 6)
        layout.addLayout(top)
        layout.addWidget(self.hint)
        layout.addWidget(self.pages, 1)
        layout.addStretch(0)
        self.show_rows([])
        self.apply_theme(self.theme)

    def show_rows(self, rows: Sequence[SpeedupRow]) -> None:
        """Show what was measured so far."""
        self.rows = list(rows)
        self.hint.setVisible(not rows)
        self.pages.setVisible(bool(rows))
        self.page_choice.setVisible(bool(rows))
        self._fill_table()
        self._fill_plot()

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        super().apply_theme(theme)
        self.plot.apply_theme(theme)
        for chip in self.chips.values():
            chip.apply_theme(theme)

    def _fill_table(self) -> None:
        self.table.setRowCount(len(self.rows))
        for line, row in enumerate(self.rows):
            cells = (
                row.instance,
                whole(row.n),
                row.colony,
                row.device,
                significant(row.tour_ms),
                f"{significant(row.low_ms)} – {significant(row.high_ms)}",
                _times(row.over_one_core),
                _times(row.over_all_cores),
            )
            for column, text in enumerate(cells):
                item = QTableWidgetItem(text)
                if column not in (0, 2, 3):
                    item.setTextAlignment(
                        Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                    )
                self.table.setItem(line, column, item)

    def _fill_plot(self) -> None:
        series: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for row in self.rows:
            if math.isfinite(row.over_one_core):
                place = (math.log10(row.n), math.log10(row.over_one_core))
                series.setdefault((row.colony, row.device), []).append(place)
        for key in series:
            if key not in self.chips:
                self._add_series(key)
        for key, chip in self.chips.items():
            points = np.array(sorted(series.get(key, [])), dtype=np.float64).reshape(-1, 2)
            self._curves[key].set_points(points)
            chip.setVisible(key in series)
        places = np.array([p for points in series.values() for p in points]).reshape(-1, 2)
        if len(places):
            low, high = places.min(axis=0), places.max(axis=0)
            self.plot.follow(
                (low[0] - 0.15, high[0] + 0.15), (min(low[1], 0.0) - 0.1, high[1] + 0.15)
            )

    def _add_series(self, key: tuple[str, str]) -> None:
        role = _ROLES[len(self.chips) % len(_ROLES)]
        chip = Chip(f"{key[0]} on {key[1]}", role, "line")
        chip.apply_theme(self.theme)
        curve = self.plot.add_curve(role, 2.0, dots=True)
        chip.toggled.connect(curve.setVisible)
        self.legend.addWidget(chip)
        self.chips[key] = chip
        self._curves[key] = curve


def _times(value: float) -> str:
    return f"{significant(value)} ×" if math.isfinite(value) else "–"


def _logarithmic_ticks(low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
    """Ticks at powers of ten, and at 2 and 5 times as much where there is room."""
    powers = range(math.floor(low), math.ceil(high) + 1)
    major = [float(p) for p in powers if low <= p <= high]
    minor = [p + math.log10(f) for p in powers for f in (2, 5) if low <= p + math.log10(f) <= high]
    if size < 60 * (len(major) + len(minor)) and len(major) > 1:
        minor = []
    return [(1.0, major), (0.3, minor)]
