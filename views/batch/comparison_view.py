"""Which colony of a family, and which of its options, is fastest on the instance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import NamedTuple

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from gpu.core.formats import milliseconds, number_of, significant, whole
from gpu.core.problem import Problem
from gpu.core.tables import Column
from gpu.core.words import counted
from gpu.timing.measured import ComparisonReport, ComparisonRow, Spread
from views.widgets.labels import Label, make_label, plain_tip
from views.widgets.layouts import fill
from views.widgets.measure_bar import MeasureBar
from views.widgets.table import BarColumn, ColumnTable, TableModel
from views.widgets.theme import Theme, icon
from views.widgets.view import View, ViewSource

_COMPARISON_HINT = (
    "This times each colony of the chosen family that this device can run, and each option of "
    "the chosen colony's parameters. They take turns, after a warm-up, with the same instance, "
    "parameters and seeds. The table shows the median time of each phase of an iteration; it says "
    "nothing of the solutions."
)
_ITERATION_COLUMN = 4
"""The column of an iteration's time; those of its phases follow. Before it is the time of the phase
that the option decides. A narrow pane shows option, ratio and iteration, and the rest below."""

_RATIO_TIP = (
    "Time of the phase that the option decides, or of a whole iteration, divided by that of the "
    "fastest option of the same choice. Bars are as long as this number, all on one scale. Click "
    "to sort"
)
_WHOLE_TEXT = "a whole iteration"
_NOTE_LEAST_HEIGHT = 280  # least height in pixels of a view with the conditions below the table
_NO_TIME = "–"


class ComparisonView(View):
    """The table of what was compared; bars show each time as a multiple of the fastest."""

    key = "compare"
    title = "Timing"

    def __init__(self) -> None:
        super().__init__()
        self.report: ComparisonReport | None = None
        self.measure = MeasureBar(
            "Time them", "Time the colonies of this family, and the options of the chosen one"
        )
        self.table: ColumnTable[ComparisonRow] = ColumnTable(
            "Compared colonies and options", TableModel(_key)
        )
        self.copy_button = QToolButton()
        self.copy_button.setProperty("role", "plain")
        self.copy_button.setIconSize(QSize(16, 16))
        self.copy_button.setToolTip("Copy the table; Ctrl+C copies the rows selected in it")
        self.copy_button.clicked.connect(self._copy)
        self.phases = Label()  # what a narrow pane cannot show in columns
        self.phases.setWordWrap(True)
        self.table.fitted.connect(self._tell_phases)
        self.table.selectionModel().currentRowChanged.connect(self._tell_phases)
        self.what = make_label("muted", wrap=True)
        self.note = make_label("note", _COMPARISON_HINT, wrap=True)
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
    def source(self) -> ViewSource | None:
        """What was compared."""
        report = self.report
        if report is None:
            return None
        return ViewSource(report.instance, report.system, report.seeds[0], _title(report))

    def show_report(self, report: ComparisonReport | None) -> None:
        """Show what was measured so far, or nothing."""
        self.report = report
        for widget in (self.table, self.copy_button):
            widget.setVisible(report is not None)
        self._filler.setVisible(report is None)
        self.what.setText("" if report is None else _title(report))
        self.note.setText(_COMPARISON_HINT if report is None else _conditions(report))
        self.what.setToolTip(plain_tip("" if report is None else self.note.text()))
        self._fit_note()
        if report is not None:
            columns = _columns(report)
            phases = [column.title for column in columns[_ITERATION_COLUMN + 1 :]]
            self.table.spare = phases, ["ms"], ["Choice"], ["whole, ms"]
            self.table.show_rows(columns, report.rows)
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
        self.note.setVisible(
            self.report is None or self.height() >= _NOTE_LEAST_HEIGHT * self.theme.scale
        )

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        super().apply_theme(theme)
        self.copy_button.setIcon(icon("copy", theme, "muted"))

    def _tell_phases(self, *_: object) -> None:
        """Show the hidden columns of the current row, or of the first one, as text."""
        table, report = self.table, self.report
        unseen = [column for column in table.unseen if column >= _ITERATION_COLUMN]
        self.phases.setVisible(bool(unseen) and report is not None)
        if unseen and report is not None:
            at, headings = max(0, table.currentIndex().row()), table.headings
            texts, row = table.texts(at), table.content.rows[at]
            times = [
                f"{headings[column].removesuffix(', ms')} {texts[column]}"
                for column in unseen
                if texts[column] != _NO_TIME
            ]
            by, what = report.decides(row) or _WHOLE_TEXT, " ".join(texts[:2])
            measured = f"{what}, compared by {by}: {', '.join(times)} ms"
            self.phases.setText(measured if times else what)

    def _copy(self) -> None:
        self.table.clearSelection()
        self.table.copy()


class _Time(NamedTuple):
    """What a cell shows of repeated measurements."""

    median: float
    text: str
    tip: str


def _columns(report: ComparisonReport) -> list[Column[ComparisonRow]]:
    places = {_key(row): at for at, row in enumerate(report.rows)}
    ratios = {_key(row): report.ratio(row, scaled=True) for row in report.rows}
    longest = max((one or 0.0 for one in ratios.values()), default=0.0)

    def deciding(row: ComparisonRow) -> _Time | None:
        phase = report.decides(row)
        return _time(report.decisive(row), phase or _WHOLE_TEXT, scale=row.scale if phase else 1.0)

    def ratio(row: ComparisonRow) -> str | None:
        found = ratios[_key(row)]
        return row.why_not or None if found is None else f"{significant(found)} ×"

    def divided(row: ComparisonRow) -> str:
        if ratios[_key(row)] is None:
            return row.why_not
        failed = f". It failed: {row.why_not}" if row.why_not else ""
        by = report.decides(row) or _WHOLE_TEXT
        return f"Time of {by}, divided by that of the fastest{failed}"

    def phase_column(phase: str) -> Column[ComparisonRow]:
        def value(row: ComparisonRow) -> _Time | None:
            return _time(row.phases_ms.get(phase), phase, phase == report.decides(row), row.scale)

        def mark(row: ComparisonRow) -> str:
            return _chosen(row) if phase == report.decides(row) else "muted"

        return _time_column(f"{phase}, ms", value, mark)

    return [
        Column(
            "Choice",
            lambda row: row.group.replace("_", " "),
            about="As in the catalog",
            mark=lambda _: "muted",
            order=lambda row: places[_key(row)],
        ),
        Column(
            "Option",
            lambda row: f"● {row.option}" if row.chosen else row.option,
            tip=_meaning,
            mark=_chosen,
            order=lambda row: row.option.zfill(8) if row.option.isdecimal() else row.option,
        ),
        _time_column("ms", deciding, _chosen),
        BarColumn(
            "× fastest",
            ratio,
            tip=divided,
            mark=lambda row: "muted" if ratios[_key(row)] is None else _chosen(row),
            order=lambda row: ratios[_key(row)],
            about=_RATIO_TIP,
            number=True,
            bar=lambda row: (ratios[_key(row)] or 0.0) / (longest or 1.0),
            role=lambda row: "trail" if ratios[_key(row)] == 1 else "latest",
        ),
        _time_column("whole, ms", lambda row: _time(row.iteration_ms, _WHOLE_TEXT, half=True)),
        *map(phase_column, report.phases),
    ]


def _time_column(
    title: str,
    value: Callable[[ComparisonRow], _Time | None],
    mark: Callable[[ComparisonRow], str] = lambda _: "",
) -> Column[ComparisonRow]:
    return Column(
        title,
        value,
        attrgetter("text"),
        tip=lambda row: getattr(value(row), "tip", "Not measured"),
        number=True,
        mark=lambda row: "muted" if value(row) is None else mark(row),
    )


def _time(spread: Spread | None, what: str, half: bool = False, scale: float = 1.0) -> _Time | None:
    """Return a median times ``scale``, with ``half`` of the distance between the quartiles."""
    if spread is None or not spread.samples:
        return None
    tip = (
        f"{what}: {milliseconds(spread.median)}, measured once"
        if spread.half is None
        else f"{what}: median {milliseconds(spread.median)}, quartiles "
        f"{milliseconds(spread.lower)} to {milliseconds(spread.upper)}, "
        f"measured {whole(len(spread.samples))} times"
    )
    if scale != 1:
        tip += f"; shown as its share of {_WHOLE_TEXT}, which is slower while its phases are timed"
    text = significant(scale * spread.median)
    if half and spread.half is not None:
        text += f" ± {significant(scale * spread.half, 1)}"
    return _Time(scale * spread.median, text, tip)


def _key(row: ComparisonRow) -> tuple[str, str]:
    return row.group, row.option


def _chosen(row: ComparisonRow) -> str:
    return "bold" if row.chosen else ""


def _meaning(row: ComparisonRow) -> str:
    text = row.meaning.removesuffix(".")
    sentences = [f"{text[:1].upper()}{text[1:]}."] if text else []
    return " ".join([*sentences, *(["It is chosen."] if row.chosen else [])])


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
        + f"; medians of {counted(rounds, 'round')}, ± half of the distance between the quartiles: "
        "ms is of the phase that the option decides, whole of the iteration. Bars are as long "
        "as × fastest, all on one scale. ● marks what is chosen."
    )
