"""All numbers of measured speedups, one row for each colony and instance."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
)

from gpu.core.problem import Words
from gpu.measure.speedup_report import Measurement, SpeedupReport
from views.widgets.formats import short_time, significant, whole
from views.widgets.labels import plain_tip

_TO_BASELINES = ("× one core", "× all cores")
_PER_SOLUTION = ("µs a {solution}", "Quartiles", *_TO_BASELINES)
_COLUMNS = ("Instance", "n", "Colony", "On", "Ants", *_PER_SOLUTION, "To {cost}", *_TO_BASELINES)
_TEXT_COLUMNS = (0, 2, 3)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class SpeedupTable(QTableWidget):
    """The numbers behind the bars and curves of speedups."""

    def __init__(self) -> None:
        super().__init__(0, len(_COLUMNS))
        self.setAccessibleName("Measured speedups")
        self.verticalHeader().hide()
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setTabKeyNavigation(False)  # else Tab would never leave it
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)

    def use_words(self, words: Words) -> None:
        """Set the headings in the words of a problem."""
        named = {"solution": words.solution, "cost": words.cost}
        self.setHorizontalHeaderLabels([name.format(**named) for name in _COLUMNS])

    def show_reports(self, reports: Sequence[SpeedupReport]) -> None:
        """Show all measurements of ``reports``."""
        lines = [(report, one) for report in reports for one in report.measurements]
        header, modes = self.horizontalHeader(), QHeaderView.ResizeMode
        header.setSectionResizeMode(modes.Fixed)  # else each new cell has all of them measured
        self.setRowCount(len(lines))
        for row, (report, one) in enumerate(lines):
            for column, text in enumerate(_cells(report, one)):
                item = QTableWidgetItem(text)
                item.setToolTip(plain_tip(one.failure or f"{one.model}, {one.detail}"))
                if column not in _TEXT_COLUMNS:
                    item.setTextAlignment(_RIGHT)
                self.setItem(row, column, item)
        header.setSectionResizeMode(modes.ResizeToContents)


def _cells(report: SpeedupReport, one: Measurement) -> tuple[str, ...]:
    spread, target = one.solution_us, one.target_median
    reached = "not reached" if one.target_seconds else ""
    return (
        report.instance,
        whole(report.n),
        one.system,
        one.device,
        whole(one.ants),
        one.failure or significant(spread.median),
        "" if spread.half is None else f"{significant(spread.lower)} – {significant(spread.upper)}",
        *(_times(report.speedup(one, base)) for base in ("cpu:1", "cpu")),
        reached if target is None else short_time(target),
        *(_times(report.target_speedup(one, base)) for base in ("cpu:1", "cpu")),
    )


def _times(value: float | None) -> str:
    return "" if value is None else f"{significant(value)} ×"
