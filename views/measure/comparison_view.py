"""Which colony of a search, and which of its options, is fastest on the instance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from gpu.core.problem import Problem
from gpu.core.words import counted
from gpu.measure.comparison_report import ComparisonReport, Row
from gpu.measure.spread import Spread
from views.measure.measure_bar import MeasureBar
from views.measure.results_table import Cell, ResultsTable
from views.widgets.formats import milliseconds, number_of, significant, whole
from views.widgets.icons import icon
from views.widgets.labels import Label, make_label, plain_tip
from views.widgets.layouts import fill
from views.widgets.theme import Theme
from views.widgets.view import Source, View

_HINT = (
    "Time every colony of the chosen search that this device can run and, for the chosen colony, "
    "every option of its parameters: in turn, after a warm-up, with the same instance, parameters "
    "and seeds. Medians of each phase of an iteration; nothing is said of the solutions."
)
_FIRST = ("Choice", "Option", "ms", "× fastest", "whole, ms")
"""The first headings. The first time is that of the phase that the option decides, the second that
of an iteration. A narrow pane shows option, ratio and the second time, and the rest below."""

_CHOICE, _OPTION, _DECIDING, _RATIO, _ITERATION = range(len(_FIRST))

_RATIO_TIP = (
    "Time of the phase that the option decides, or of a whole iteration, divided by that of the "
    "fastest option of the same choice. Bars are as long as this number, all on one scale. Click "
    "to sort"
)
_WHOLE = "a whole iteration"
_LOW = 280  # least height in pixels of a view with the conditions below the table
_NONE = "–"


class ComparisonView(View):
    """The table of what was compared; bars show each time as a multiple of the fastest."""

    key = "compare"
    title = "Compare"

    def __init__(self) -> None:
        super().__init__()
        self.report: ComparisonReport | None = None
        self._decided: dict[tuple[str, str], str] = {}  # by what a choice's option is compared
        self.measure = MeasureBar(
            "Compare", "Time the colonies of this search, and the options of the chosen one"
        )
        self.table = ResultsTable("Compared colonies and options")
        self.copy_button = QToolButton()
        self.copy_button.setProperty("role", "plain")
        self.copy_button.setIconSize(QSize(16, 16))
        self.copy_button.setToolTip("Copy the table; Ctrl+C copies the rows selected in it")
        self.copy_button.clicked.connect(self._copy)
        self.phases = Label()  # what a narrow pane cannot show in columns
        self.phases.setWordWrap(True)
        self.table.fitted.connect(self._tell_phases)
        self.table.currentCellChanged.connect(self._tell_phases)
        self.what = make_label("muted", wrap=True)
        self.note = make_label("note", _HINT, wrap=True)
        self.note.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        top = fill(QHBoxLayout(), self.measure.button, (self.what, 1), self.copy_button)
        self._filler = QWidget()
        parts = top, self.measure, (self.table, 1), self.phases, self.note, (self._filler, 1)
        fill(QVBoxLayout(self), *parts, margins=(8, 8, 8, 6))
        self.show_report(None)
        self.apply_theme(self.theme)

    @property
    def exports(self) -> Mapping[str, bool]:
        """The report, in either of its forms."""
        return dict.fromkeys(("comparison", "comparison-lines"), self.report is not None)

    @property
    def source(self) -> Source | None:
        """What was compared."""
        report = self.report
        if report is None:
            return None
        return Source(report.instance, report.system, report.seeds[0], _title(report))

    def show_report(self, report: ComparisonReport | None) -> None:
        """Show what was measured so far, or nothing."""
        self.report = report
        for widget in (self.table, self.copy_button):
            widget.setVisible(report is not None)
        self._filler.setVisible(report is None)
        self.what.setText("" if report is None else _title(report))
        self.note.setText(_HINT if report is None else _conditions(report))
        self.what.setToolTip(plain_tip("" if report is None else self.note.text()))
        self._fit_note()
        if report is not None:
            headings = [*_FIRST, *(f"{phase}, ms" for phase in report.phases)]
            ratios = [report.ratio(row, scaled=True) for row in report.rows]
            rows = [_cells(report, at, row, ratios) for at, row in enumerate(report.rows)]
            self._decided = {
                (cells[_CHOICE].text, cells[_OPTION].text): report.decides(row) or _WHOLE
                for cells, row in zip(rows, report.rows, strict=True)
            }
            phases = range(len(_FIRST), len(headings))
            self.table.show_rows(
                headings, rows, spare=[phases, [_DECIDING], [_CHOICE], [_ITERATION]]
            )
            if (heading := self.table.horizontalHeaderItem(_RATIO)) is not None:
                heading.setToolTip(plain_tip(_RATIO_TIP))
        self._tell_phases()
        self.exports_changed.emit()

    @property
    def overflow(self) -> QSize:
        """The same as for every view, with the columns for which there is no room."""
        plain = super().overflow
        return plain if self.report is None else plain.expandedTo(self.table.overflow)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave a low view to the table."""
        super().resizeEvent(event)
        self._fit_note()

    def _fit_note(self) -> None:
        """Show the conditions below the table if there is room; they are a tip above it too."""
        self.note.setVisible(self.report is None or self.height() >= _LOW * self.theme.scale)

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        super().apply_theme(theme)
        self.copy_button.setIcon(icon("copy", theme, "muted"))

    def _tell_phases(self, *_: object) -> None:
        """Show the hidden columns of the current row, or of the first one, as text."""
        table = self.table
        unseen = [column for column in table.unseen if column >= _ITERATION]
        self.phases.setVisible(bool(unseen) and self.report is not None)
        if unseen:
            texts, headings = table.texts(max(0, table.currentRow())), table.headings
            times = [
                f"{headings[column].removesuffix(', ms')} {texts[column]}"
                for column in unseen
                if texts[column] != _NONE
            ]
            by = self._decided[texts[_CHOICE], texts[_OPTION]]
            what = f"{texts[_CHOICE]} {texts[_OPTION]}"
            measured = f"{what}, compared by {by}: {', '.join(times)} ms"
            self.phases.setText(measured if times else what)

    def _copy(self) -> None:
        self.table.clearSelection()
        self.table.copy()


def _cells(
    report: ComparisonReport, at: int, row: Row, ratios: Sequence[float | None]
) -> list[Cell]:
    name = f"● {row.option}" if row.chosen else row.option
    order = row.option.zfill(8) if row.option.isdecimal() else row.option
    deciding, scale = report.decides(row), row.scale
    cells = [
        Cell(row.group.replace("_", " "), at, "As in the catalog", muted=True),
        Cell(name, order, _meaning(row), bold=row.chosen),
        _time(
            report.decisive(row),
            deciding or _WHOLE,
            half=False,
            bold=row.chosen,
            scale=scale if deciding else 1.0,
        ),
        _ratio(report, row, ratios[at], max(one or 0.0 for one in ratios)),
        _time(row.iteration_ms, _WHOLE, half=True),
    ]
    for phase in report.phases:
        decides = phase == deciding
        bold, muted = row.chosen and decides, not decides
        cells.append(_time(row.phases_ms.get(phase), phase, decides, bold, muted, scale))
    return cells


def _ratio(report: ComparisonReport, row: Row, ratio: float | None, longest: float) -> Cell:
    if ratio is None:
        return Cell(row.why_not or _NONE, math.inf, row.why_not, muted=True, bar=0.0)
    failed = f". It failed: {row.why_not}" if row.why_not else ""
    return Cell(
        f"{significant(ratio)} ×",
        ratio,
        f"Time of {report.decides(row) or _WHOLE}, divided by that of the fastest{failed}",
        bold=row.chosen,
        bar=ratio / longest,
        role="trail" if ratio == 1 else "latest",
    )


def _meaning(row: Row) -> str:
    text = row.meaning.removesuffix(".")
    sentences = [f"{text[:1].upper()}{text[1:]}."] if text else []
    return " ".join([*sentences, *(["It is chosen."] if row.chosen else [])])


def _time(
    spread: Spread | None,
    what: str,
    half: bool,
    bold: bool = False,
    muted: bool = False,
    scale: float = 1.0,
) -> Cell:
    """Return a median times ``scale``, with ``half`` of the distance between the quartiles."""
    if spread is None or not spread.samples:
        return Cell(_NONE, math.inf, "Not measured", number=True, muted=True)
    tip = (
        f"{what}: {milliseconds(spread.median)}, measured once"
        if spread.half is None
        else f"{what}: median {milliseconds(spread.median)}, quartiles "
        f"{milliseconds(spread.lower)} to {milliseconds(spread.upper)}, "
        f"measured {whole(len(spread.samples))} times"
    )
    if scale != 1:
        tip += f"; shown as its share of {_WHOLE}, which is slower while its phases are timed"
    text = significant(scale * spread.median)
    if half and spread.half is not None:
        text += f" ± {significant(scale * spread.half, 1)}"
    return Cell(text, scale * spread.median, tip, number=True, bold=bold, muted=muted)


def _title(report: ComparisonReport) -> str:
    size = number_of(report.n, Problem(report.problem).words.place)
    return f"{report.instance}, {size}: {report.system} on {report.device}"


def _conditions(report: ComparisonReport) -> str:
    """Return how the report was measured."""
    rounds = len(report.seeds)
    ants = next(row.parameters.get("ants") for row in report.rows if row.chosen)
    return (
        f"{report.model}"
        + (f", {number_of(ants, 'ant')}" if isinstance(ants, int) else "")
        + f"; {counted(rounds, 'round')}, medians ± half of the distance between "
        "the quartiles: first of the phase that the option decides, then of the whole iteration. "
        "Bars are as long as × fastest, all on one scale. ● is chosen."
    )
