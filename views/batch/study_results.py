"""What a study has found: a table of all configurations, and one plot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSizePolicy,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from gpu.core.formats import percent, whole
from gpu.core.tables import Column
from views.setup.fields import ChoiceBox, make_line
from views.widgets.controls import make_button
from views.widgets.labels import (
    ExplanationCard,
    ViewExplanation,
    make_label,
    plain_tip,
)
from views.widgets.layouts import FlowLayout, Wrapping, fill
from views.widgets.table import ColumnTable, TableModel
from views.widgets.theme import DARK, PaintedWidget, Theme, icon
from views.widgets.values import Valued, ValueTable

if TYPE_CHECKING:
    from gpu.batch.analysis import Analysis, ResultRow

PRINT_SIZE = "16x9"  # centimetres
PRINT_THEMES = ("light", "dark")
_SPARE_COLUMNS = (["Deviation"], ["Median"], ["Runs"], ["Best"])  # columns that matter less
_COMING = "Results come here as soon as a run has ended."
_NO_RESULTS = f"{_COMING} Fill in the set-up and start the study."
_PAUSED = "The study is paused. Resume lets it go on: results come here as soon as a run has ended."
_STOPPING = "The study is being ended."
_IS_DRAWN = "The plot is being drawn …"
_MARKS_TIP = (
    "Bold: significantly better than every other configuration on the instance. + or −: "
    "significantly better or worse than the configuration with the lowest mean. ≈: no significant "
    "difference from it. The level is 0.05 after Holm's correction. †: some of the runs were added "
    "after the study had begun"
)
_PLOT_SETTLES = 300  # milliseconds without another size before the plot is drawn anew


class PlotPicture(PaintedWidget, Valued):
    """A picture of a plot, as large as there is room; until it is drawn, this is said."""

    settled = Signal()  # for a moment it has been in sight, in another size perhaps

    def __init__(self) -> None:
        super().__init__()
        self.picture = QImage()
        self.table: ValueTable | None = None  # what is in it
        self.setMinimumSize(200, 150)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Plot of the study")
        self._soon = QTimer(self, singleShot=True, interval=_PLOT_SETTLES)
        self._soon.timeout.connect(self.settled)

    def show_picture(self, picture: QImage, table: ValueTable | None = None) -> None:
        """Show another picture, of which there is a ``table``."""
        self.picture, self.table = picture, table
        self.update()

    def values(self) -> ValueTable | None:
        """Return the numbers of the plot."""
        return self.table

    def summary(self) -> str:
        """Return what is in the plot."""
        return self.accessibleDescription()

    def sizeHint(self) -> QSize:
        """Return a size for a pane."""
        return QSize(480, 270)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for a picture of the new size."""
        super().resizeEvent(event)
        self._soon.start()

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for the picture that there is now."""
        super().showEvent(event)
        self._soon.start()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the picture in the middle."""
        if self.picture.isNull():
            with QPainter(self) as painter:
                painter.setPen(self._theme.colour("muted"))
                painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, _IS_DRAWN)
            return
        size = self.picture.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
        left, top = (self.width() - size.width()) / 2, (self.height() - size.height()) / 2
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(QRectF(left, top, size.width(), size.height()), self.picture)


class StudyResultsPart(Wrapping):
    """The table, a choice of plots, the plot, and buttons for files."""

    plot_wanted = Signal()  # another plot, or another size of it
    file_wanted = Signal(str)  # a name in ``STUDY_EXPORTS``

    def __init__(self) -> None:
        super().__init__()
        self._theme = DARK
        self.table: ColumnTable[ResultRow] = ColumnTable("Results of the study", TableModel(_key))
        self.table.spare = _SPARE_COLUMNS
        self.table.show_rows(RESULT_COLUMNS, ())
        self.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.note = make_label("note", _NO_RESULTS, wrap=True)
        self.origin = make_label("note", wrap=True)
        self.choice = ChoiceBox(16, "Plot", "Which plot is shown")
        self.choice.activated.connect(self._choose)
        self._drawn = ""  # name of the plot in sight
        self.text = ""  # what is in it
        self.picture = PlotPicture()
        self.picture.settled.connect(self.plot_wanted)
        tip = "Write all tables, tests and plots as one HTML page"
        self.report = make_button("", "Make report…", tip)
        tip = "Write this plot as SVG; other forms: File, Export"
        self.save = make_button("", "Save plot…", tip)
        for button, name in ((self.report, "study-report"), (self.save, "study-svg")):
            button.clicked.connect(lambda _=False, name=name: self.file_wanted.emit(name))
        tip = "Width x height of a plot in a file, in centimetres"
        self.print_size = make_line("Size for print", tip, most=20)
        self.print_size.setText(PRINT_SIZE)
        self.print_size.setFixedWidth(self.print_size.fontMetrics().horizontalAdvance("0" * 9))
        self.colours = ChoiceBox(5, "Colours for print", "Colours of plots and report in a file")
        self.colours.addItems(PRINT_THEMES)
        self.help = make_button("plain", "", "What this plot shows", self.explain)
        self.help.setIconSize(QSize(16, 16))
        self._below, look = Wrapping(), QWidget()
        parts = make_label("note", "as"), self.print_size, make_label("note", "cm,"), self.colours
        fill(QHBoxLayout(look), *parts, spacing=5)
        buttons = FlowLayout(self.save, self.report, look)
        row = fill(QHBoxLayout(), (self.choice, 1), self.help, spacing=6)
        fill(QVBoxLayout(self._below), row, (self.picture, 1), buttons, spacing=4)
        self._split = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False, handleWidth=8)
        self.table.setMinimumHeight(90)
        self._split.addWidget(self.table)
        self._split.addWidget(self._below)
        self._split.setStretchFactor(1, 1)
        self._split.setSizes([180, 320])
        fill(QVBoxLayout(self), self.origin, self.note, (self._split, 1), spacing=4)
        self.show_nothing()

    @property
    def plot(self) -> str:
        """Name of the chosen plot; empty while there is none."""
        return str(self.choice.currentData() or "")

    def show_nothing(self, why: str = _NO_RESULTS) -> None:
        """Show that there are no results, and why."""
        self.note.setText(why)
        self.note.show()
        self._split.hide()
        self.show_origin("")
        self.choice.clear()
        self.forget_plot()

    def show_origin(self, text: str) -> None:
        """Say on what the runs were made, and when."""
        self.origin.setText(text)
        self.origin.setVisible(bool(text))

    def show_state(self, state: str) -> None:
        """While there are no results, say what the study does; ``state`` is empty for nothing."""
        if self._split.isHidden():
            texts = {"": _NO_RESULTS, "paused": _PAUSED, "stopping": _STOPPING}
            self.note.setText(texts.get(state, _COMING))

    def show_results(self, analysis: Analysis, plots: Mapping[str, str]) -> None:
        """Show a table, and offer ``plots``: titles by name."""
        self.table.show_rows(RESULT_COLUMNS, analysis.rows)
        self.table.setToolTip(plain_tip(_MARKS_TIP))
        self.note.setText(analysis.comparisons.note)
        self.note.setVisible(bool(self.note.text()))
        self._split.show()
        chosen = self.plot
        offered = [str(self.choice.itemData(at)) for at in range(self.choice.count())]
        if offered == list(plots):  # a title may say how many instances there are
            for at, title in enumerate(plots.values()):
                self.choice.setItemText(at, title)
        else:
            self.choice.clear()
            for name, title in plots.items():
                self.choice.addItem(title, name)
            self.choice.setCurrentIndex(max(0, self.choice.findData(chosen)) if plots else -1)
        self._below.setVisible(bool(plots))

    def show_plot(self, picture: QImage, text: str, table: ValueTable | None = None) -> None:
        """Show the picture of the chosen plot, and what is in it; a null picture for none yet."""
        self._drawn = "" if picture.isNull() else self.plot
        self.text = text
        self.help.setEnabled(bool(text))
        self.picture.show_picture(picture, table)
        self.picture.setToolTip(plain_tip(text))
        self.picture.setAccessibleDescription(text)

    @Slot()
    def explain(self) -> None:
        """Say what the plot in sight shows."""
        card = ExplanationCard(
            self,
            self.choice.currentText(),
            ViewExplanation(self.text, "report#how-to-read-the-marks"),
        )
        card.open_below(self.help, self._theme.scale)

    def forget_plot(self) -> None:
        """Show no plot: another one is being drawn, which the former would be taken for."""
        self.show_plot(QImage(), "")

    @Slot()
    def _choose(self) -> None:
        """Ask for another plot, unless it is the one in sight."""
        if self._drawn == self.plot:
            return
        self.forget_plot()
        self.plot_wanted.emit()

    def apply_theme(self, theme: Theme) -> None:
        """Ask for the plot in the colours of the theme."""
        self._theme = theme
        self.help.setIcon(icon("help", theme, "muted"))
        self.plot_wanted.emit()


def _key(row: ResultRow) -> tuple[str, str]:
    return row.sample.instance, row.sample.label


def _runs(row: ResultRow) -> str:
    done = row.summary.done
    every = done + row.summary.lost + row.summary.waiting
    return str(done) if done == every else f"{done} of {every}"


def _runs_tip(row: ResultRow) -> str:
    lost, added = row.summary.lost, row.summary.added
    tips = [f"{lost} failed"] if lost else []
    return "; ".join([*tips, *([f"{added} were added after the study had begun"] * bool(added))])


def _mark(row: ResultRow) -> str:
    mark = "best" if row.best else "lowest mean" if row.lowest else row.mark
    return f"{mark} †".strip() if row.summary.added else mark.strip()


def _mark_tip(row: ResultRow) -> str:
    tested = _tested(row)
    return f"{tested}. {_MARKS_TIP}" if tested else _MARKS_TIP


def _bold(row: ResultRow) -> str:
    return "bold" if row.best else ""


def _costs(
    title: str, name: str, mark: Callable[[ResultRow], str] = lambda _: ""
) -> Column[ResultRow]:
    """Return the column of a cost in the summary, in the unit of its instance."""

    def text(row: ResultRow) -> str | None:
        value: int | float | None = getattr(row.summary, name)
        unit = row.sample.cost_unit
        if value is None:
            return None
        if isinstance(value, int) or (unit.whole and abs(value) >= 1e5):
            return unit.text(value)
        return unit.mean(value)

    def about(row: ResultRow) -> str:
        return f"in {unit}" if (unit := row.sample.cost_unit.name) else ""

    def order(row: ResultRow) -> float | None:
        value = getattr(row.summary, name)
        return None if value is None else row.sample.cost_unit.scaled(float(value))

    return Column(title, text, tip=about, number=True, mark=mark, order=order)


def _tested(row: ResultRow) -> str:
    """Say what the rank-sum test and the size of the effect are, or why there is no test."""
    part = row.tested
    if part is None:
        return row.untested
    if part.test.equal:
        return f"compared with {part.against}: {part.test.method}"
    size, low, high = (
        f"{100 * value:.0f} %"
        for value in (part.effect.a12, part.effect.interval.low, part.effect.interval.high)
    )
    return (
        f"compared with {part.against}: rank-sum test p = {part.test.p:.3g}, by Holm "
        f"{part.corrected_p:.3g}; better in {size} of the pairs of runs (A12; {low} to {high}), "
        f"effect {part.effect.size}"
    )


RESULT_COLUMNS: Sequence[Column[ResultRow]] = (
    Column(
        "Instance",
        lambda row: row.sample.instance,
        tip=lambda row: f"{whole(row.sample.n)} cities or vertices",
    ),
    Column(
        "Configuration", lambda row: row.sample.label, tip=lambda row: row.sample.label, mark=_bold
    ),
    Column("Runs", _runs, tip=_runs_tip, number=True, order=lambda row: row.summary.done),
    _costs("Mean", "mean", mark=_bold),
    _costs("Median", "median"),
    _costs("Best", "best"),
    _costs("Deviation", "deviation"),
    Column("Gap", lambda row: row.summary.mean_gap, percent, number=True, mark=_bold),
    Column("Mark", _mark, tip=_mark_tip),
)
