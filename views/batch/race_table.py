"""How the lanes of a race compare, in numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

from gpu.batch.race_standings import LaneStanding, RaceStandings
from gpu.core.formats import percent, short_time, significant, whole
from gpu.core.instance import Instance
from gpu.core.tables import Column
from views.batch.lane_card import ROLES, LaneTitle
from views.problem_display import problem_of
from views.setup.fields import ChoiceBox
from views.widgets.labels import make_label, plain_tip
from views.widgets.layouts import fill
from views.widgets.table import BarColumn, ColumnTable, TableModel

_EQUAL_TIP = (
    "Seconds until the lane had reached the equal cost, which is the lowest that all lanes have "
    "reached by now. A run looks at its colony some 16 times a second, so shorter times are rough"
)
_RATIO_TIP = "How many times as fast as lane 1 this lane reached the equal cost"
_SPEED_TIP = "How many times as fast as the lane chosen below this lane builds solutions"

_ROW, _COLUMN = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
_WIDE = 90  # letters: in a table that is not as wide, the choice below it has a row of its own


class _Lane(NamedTuple):
    lane: int  # from 0
    title: LaneTitle
    standing: LaneStanding


class RaceTable(QWidget):
    """A row for each lane, and a choice of the lane that speedups are over."""

    against_chosen = Signal(object)  # number of a lane from 0, or None for the slowest

    def __init__(self) -> None:
        super().__init__()
        self._instance: Instance | None = None
        self.table: ColumnTable[_Lane] = ColumnTable(
            "How the lanes compare", TableModel(itemgetter(0))
        )
        self.table.spare = ["× lane 1"], ["Best"]
        self.against = ChoiceBox(10)
        self.against.setAccessibleName("Speedups over which lane")
        self.against.setToolTip("The lane that speedups are over")
        self.against.activated.connect(
            lambda _: self.against_chosen.emit(self.against.currentData())
        )
        self.equal = make_label("note", wrap=True)
        label = make_label("note", "Speedups over")
        label.setBuddy(self.against)
        choice = fill(QHBoxLayout(), label, self.against, (QWidget(), 1), spacing=6)
        self._below = fill(QBoxLayout(_ROW), (self.equal, 1), choice, spacing=4)
        fill(QVBoxLayout(self), self.table, self._below, spacing=4)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the choice below the text if both are too long for a row."""
        super().resizeEvent(event)
        needed = self.equal.fontMetrics().averageCharWidth() * _WIDE
        self._below.setDirection(_ROW if self.width() >= needed else _COLUMN)

    @property
    def lane(self) -> int | None:
        """The lane that speedups are over, from 0; None for the slowest."""
        return self.against.currentData() if self.against.count() else None

    def show_lanes(self, titles: Sequence[LaneTitle]) -> None:
        """Offer these lanes for comparison."""
        chosen = self.lane
        self.against.clear()
        self.against.addItem("the slowest", None)
        for number in range(len(titles)):
            self.against.addItem(f"lane {number + 1}", number)
        if chosen is not None and chosen < len(titles):
            self.against.setCurrentIndex(chosen + 1)

    def show_instance(self, instance: Instance | None) -> None:
        """Use the words of its problem."""
        self._instance = instance

    def show_comparison(self, titles: Sequence[LaneTitle], found: RaceStandings) -> None:
        """Show other numbers."""
        words, instance = problem_of(self._instance).words, self._instance
        with_gap = instance is not None and bool(instance.optimum)
        most = max((one.speedup or 0.0 for one in found.lanes), default=0.0) or 1.0

        def number(
            title: str, name: str, form: Callable[[Any], str], about: str = ""
        ) -> Column[_Lane]:
            return Column(title, attrgetter(f"standing.{name}"), form, number=True, about=about)

        columns = [
            Column(
                "Lane",
                lambda row: f"{row.lane + 1}  {row.title.colony}, {row.title.device}",
                tip=lambda row: row.title.details,
                mark=lambda row: "" if row.lane else "bold",
            ),
            number("Best", "cost", whole),
            *([number("Gap", "gap_percent", percent)] if with_gap else []),
            number("To equal", "equal_seconds", short_time, _EQUAL_TIP),
            number("× lane 1", "equal_ratio", _times, _RATIO_TIP),
            number(
                f"Per {words.solution}",
                "solution_seconds",
                short_time,
                "All of an iteration included",
            ),
            BarColumn(
                "Speedup",
                lambda row: row.standing.speedup,
                _times,
                number=True,
                about=_SPEED_TIP,
                bar=lambda row: (row.standing.speedup or 0.0) / most,
                role=lambda row: ROLES[row.lane],
            ),
        ]
        lanes = enumerate(zip(titles, found.lanes, strict=True))
        self.table.show_rows(
            columns,
            [_Lane(lane, title, standing) for lane, (title, standing) in lanes],
        )
        head, body = self.table.horizontalHeader(), self.table.verticalHeader()
        self.table.setFixedHeight(head.sizeHint().height() + body.length() + 4)
        self.equal.setText(self._equal_text(found))
        self.equal.setToolTip(plain_tip(_EQUAL_TIP))

    def _equal_text(self, found: RaceStandings) -> str:
        instance = self._instance
        if instance is None or found.equal_cost is None:
            return "There is no cost yet that all lanes have reached."
        amount = instance.problem.words.amount(found.equal_cost, whole(found.equal_cost))
        text = f"All lanes have reached {amount}"
        gap = instance.gap_percent(found.equal_cost)
        return text if gap is None else f"{text}, gap {percent(gap)}"


def _times(value: float) -> str:
    return f"{significant(value)} ×"
