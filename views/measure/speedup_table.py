"""All numbers of measured speedups, one row for each colony and instance."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from gpu.core.problem import Words
from gpu.measure.speedup_report import Measurement, SpeedupReport
from views.widgets.formats import short_time, significant, whole

_COLUMNS = (
    "Instance",
    "n",
    "Colony",
    "On",
    "Ants",
    "µs a {solution}",
    "Quartiles",
    "× one core",
    "× all cores",
    "To {cost}",
    "× one core",
    "× all cores",
)
_TEXT_COLUMNS = (0, 2, 3)


class SpeedupTable(QTableWidget):
    """The numbers behind the bars and curves of speedups."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, len(_COLUMNS), parent)
        self.verticalHeader().hide()
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
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
        self.setRowCount(len(lines))
        for row, (report, one) in enumerate(lines):
            for column, text in enumerate(_cells(report, one)):
                item = QTableWidgetItem(text)
                item.setToolTip(one.failure or f"{one.model}, {one.detail}")
                if column not in _TEXT_COLUMNS:
                    item.setTextAlignment(
                        Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                    )
                self.setItem(row, column, item)


def _cells(report: SpeedupReport, one: Measurement) -> tuple[str, ...]:
    spread = one.solution_us
    return (
        report.instance,
        whole(report.n),
        one.system,
        one.device,
        whole(one.ants),
        one.failure or significant(spread.median),
        "" if spread.half is None else f"{significant(spread.lower)} – {significant(spread.upper)}",
        _times(report.speedup(one, "cpu:1")),
        _times(report.speedup(one, "cpu")),
        short_time(one.target_median)
        if one.target_median is not None
        else "not reached"
        if one.target_seconds
        else "",
        _times(report.target_speedup(one, "cpu:1")),
        _times(report.target_speedup(one, "cpu")),
    )


def _times(value: float | None) -> str:
    return "" if value is None else f"{significant(value)} ×"
