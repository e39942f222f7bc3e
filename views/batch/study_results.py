"""What a study has found: tables, and one plot."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QHelpEvent,
    QImage,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSizePolicy,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from views.batch.plot_choice import PlotChoice, PlotPlace
from views.batch.study_tables import StudyTables
from views.setup.fields import ChoiceBox, make_line
from views.widgets.controls import make_button
from views.widgets.labels import (
    ExplanationCard,
    ViewExplanation,
    make_label,
    plain_tip,
    show_tip,
)
from views.widgets.layouts import FlowLayout, Wrapping, fill
from views.widgets.theme import DARK, PaintedWidget, Theme, icon
from views.widgets.values import Valued, ValueTable

if TYPE_CHECKING:
    from gpu.studies.results.analysis import Analysis
    from gpu.studies.results.importance import Importance

PRINT_SIZE = "16x9"  # centimetres
PRINT_THEMES = ("light", "dark")
_COMING = "Results come here as soon as a run has ended."
_NO_RESULTS = f"{_COMING} Fill in the set-up and start the study."
_PAUSED = "The study is paused. Resume lets it go on: results come here as soon as a run has ended."
_STOPPING = "The study is being ended."
_IS_DRAWN = "The plot is being drawn …"
_POINT_REACH = 7.0  # pixels from a point within which the mouse is on it
_PLOT_SETTLES = 300  # milliseconds without another size before the plot is drawn anew


class PlotPoint(NamedTuple):
    """A point of a plot that stands for one run."""

    x: float  # share of the picture's width
    y: float  # share of its height, from the top
    run: str  # the run's key
    text: str  # what is said of it


class PlotPicture(PaintedWidget, Valued):
    """A picture of a plot, as large as there is room; until it is drawn, this is said.

    Points that stand for one run can be clicked.
    """

    settled = Signal()  # for a moment it has been in sight, in another size perhaps
    run_chosen = Signal(str)  # key of the run whose point was clicked

    def __init__(self) -> None:
        super().__init__()
        self.picture = QImage()
        self.table: ValueTable | None = None  # what is in it
        self.points: Sequence[PlotPoint] = ()
        self.setMouseTracking(True)
        self.setMinimumSize(200, 150)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Plot of the study")
        self._soon = QTimer(self, singleShot=True, interval=_PLOT_SETTLES)
        self._soon.timeout.connect(self.settled)

    def show_picture(
        self,
        picture: QImage,
        table: ValueTable | None = None,
        points: Sequence[PlotPoint] = (),
    ) -> None:
        """Show another picture, of which there is a ``table``, with the points of its runs."""
        self.picture, self.table, self.points = picture, table, points
        self.unsetCursor()
        self.update()

    @property
    def place(self) -> QRectF:
        """Where the picture is."""
        size = self.picture.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
        left, top = (self.width() - size.width()) / 2, (self.height() - size.height()) / 2
        return QRectF(left, top, size.width(), size.height())

    def point_at(self, position: QPointF) -> PlotPoint | None:
        """Return the point that is nearest to ``position``, if it is near."""
        place = self.place
        reach = _POINT_REACH * self._theme.scale

        def distance(point: PlotPoint) -> float:
            x = place.x() + point.x * place.width() - position.x()
            return math.hypot(x, place.y() + point.y * place.height() - position.y())

        nearest = min(self.points, key=distance, default=None)
        return nearest if nearest is not None and distance(nearest) <= reach else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say which run a point stands for."""
        point = self.point_at(event.position())
        if point is None:
            self.unsetCursor()
        else:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose the run whose point is clicked."""
        point = self.point_at(event.position())
        if point is not None and event.button() is Qt.MouseButton.LeftButton:
            self.run_chosen.emit(point.run)

    def event(self, event: QEvent) -> bool:
        """Say of a point which run it is, and of the rest what the plot shows."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            point = self.point_at(QPointF(event.pos()))
            if point is not None:
                show_tip(f"{point.text}. Click to open it", event.globalPos(), self)
                return True
        return super().event(event)

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
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(self.place, self.picture)


class StudyResultsPart(Wrapping):
    """The tables, a choice of plots, the plot, and buttons for files."""

    plot_wanted = Signal()  # another plot, or another size of it
    file_wanted = Signal(str)  # a name in ``STUDY_EXPORTS``
    run_wanted = Signal(str, bool)  # key of a run to be shown; whether to make it again

    def __init__(self) -> None:
        super().__init__()
        self._theme = DARK
        self.tables = StudyTables()
        self.table = self.tables.configurations
        self.note = make_label("note", _NO_RESULTS, wrap=True)
        self.origin = make_label("note", wrap=True)
        self.choice = PlotChoice()
        self.choice.chosen.connect(self._choose)
        self._drawn = ""  # name of the plot in sight
        self.text = ""  # what is in it
        self.picture = PlotPicture()
        self.picture.settled.connect(self.plot_wanted)
        self.picture.run_chosen.connect(lambda key: self.run_wanted.emit(key, False))
        self.tables.run_wanted.connect(self.run_wanted)
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
        self._split.addWidget(self.tables)
        self._split.addWidget(self._below)
        self._split.setStretchFactor(1, 1)
        self._split.setSizes([240, 300])
        fill(QVBoxLayout(self), self.origin, self.note, (self._split, 1), spacing=4)
        self.show_nothing()

    @property
    def plot(self) -> str:
        """Name of the chosen plot; empty while there is none."""
        return self.choice.plot

    def show_nothing(self, why: str = _NO_RESULTS) -> None:
        """Show that there are no results, and why."""
        self.note.setText(why)
        self.note.show()
        self._split.hide()
        self.show_origin("")
        self.choice.show_plots({})
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

    def show_results(
        self,
        analysis: Analysis,
        plots: Mapping[str, PlotPlace],
        importances: Sequence[Importance] = (),
    ) -> None:
        """Show the tables, and offer ``plots`` by name."""
        self.tables.show_results(analysis, importances)
        self.note.setText(analysis.comparisons.note)
        self.note.setVisible(bool(self.note.text()))
        self._split.show()
        self.choice.show_plots(plots)
        self._below.setVisible(bool(plots))

    def show_plot(
        self,
        picture: QImage,
        text: str,
        table: ValueTable | None = None,
        points: Sequence[PlotPoint] = (),
    ) -> None:
        """Show the picture of the chosen plot, and what is in it; a null picture for none yet."""
        self._drawn = "" if picture.isNull() else self.plot
        self.text = text
        self.help.setEnabled(bool(text))
        self.picture.show_picture(picture, table, points)
        self.picture.setToolTip(plain_tip(text))
        self.picture.setAccessibleDescription(text)

    @Slot()
    def explain(self) -> None:
        """Say what the plot in sight shows."""
        card = ExplanationCard(
            self,
            self.choice.title,
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
