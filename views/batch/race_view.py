"""A race: a lane for each colony, their curves, and how they compare."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from gpu.core.bounds import KnownCosts
from gpu.core.cost_curve import RunAxis
from gpu.core.cost_unit import NO_UNIT
from gpu.core.formats import short_time, significant
from gpu.core.instance import Instance
from gpu.core.problem import Words
from gpu.core.tables import Column
from gpu.races.race_standings import LaneRecord, LaneStanding, RaceStandings, bound_of_lanes
from views.batch.lane_card import LANE_ROLES, LANES_DRAWN_THROUGH, LaneCard, LaneTitle
from views.batch.race_form import RaceForm
from views.plots.cost_plot import CostPlot, Scale, gap_axis, show_known
from views.problem_display import display_of, problem_of
from views.setup.fields import ChoiceBox
from views.widgets.controls import Chip, OptionButtons
from views.widgets.labels import make_label, plain_tip
from views.widgets.layers import PlotCurve
from views.widgets.layouts import FlowLayout, fill, put_in_order, scrolled
from views.widgets.table import BarColumn, ColumnTable, TableModel
from views.widgets.theme import Theme
from views.widgets.view import View, ViewSource

_CURVES_LEAST = 210  # pixels, of the plot's height
_CURVES_HINT = "The curves begin with the race."


class RaceCurves(QWidget):
    """A plot with a curve for each lane, and choices of its axes."""

    def __init__(self) -> None:
        super().__init__()
        self._instance: Instance | None = None
        self._known = KnownCosts(None)  # what gaps are measured by
        self._records: Sequence[LaneRecord] = ()
        self.plot = CostPlot("", "")
        lines = {"bound": self.plot.add_bound(), "optimum": self.plot.add_known()}
        self.chips = {
            "optimum": Chip("Best known", "optimum", "dashes"),
            "bound": Chip("Lower bound", "bound", "dashes"),
        }
        for name, chip in self.chips.items():
            chip.toggled.connect(partial(self._show_line, lines[name]))
        self.curves = [
            self.plot.add_curve(
                role,
                2.0,
                dashes=lane >= LANES_DRAWN_THROUGH,
                steps=True,
                name=f"Lane {lane + 1}",
            )
            for lane, role in enumerate(LANE_ROLES)
        ]
        self._hidden: set[int] = set()
        self.across = OptionButtons(
            {"seconds": "Seconds", "iterations": "Iterations", "solutions": "Tours"},
            "What runs along the axis: the seconds, iterations or tours of each lane itself",
        )
        self.up = OptionButtons(
            {"gap": "Gap", "cost": "Length"}, "Gap to the best known or the lower bound, or cost"
        )
        for choice in (self.across, self.up):
            choice.chosen.connect(lambda _: self._change_axes())
        choices = QWidget()
        choices.setLayout(FlowLayout(self.across, self.up, *self.chips.values()))
        fill(QVBoxLayout(self), (self.plot, 1), choices, spacing=2)
        self.plot.setMinimumHeight(_CURVES_LEAST)
        self.plot.show_hint(_CURVES_HINT)

    def show_instance(self, instance: Instance | None) -> None:
        """Use the words of its problem."""
        self._instance, self._records = instance, ()
        words = display_of(instance).words
        self.across.buttons["solutions"].setText(words.solutions.capitalize())
        self.up.buttons["cost"].setText(words.cost.capitalize())
        self._show_known(KnownCosts(None if instance is None else instance.optimum))

    def _show_known(self, known: KnownCosts) -> None:
        """Use another measure of gaps: there are some only where one is known."""
        had, self._known = self._known.reference, known
        show_known(self.chips["optimum"], self.chips["bound"], self._instance, known)
        self.up.setVisible(bool(known.reference))
        if not (had and known.reference):
            self.up.buttons["gap" if known.reference else "cost"].setChecked(True)
        self._change_axes()

    def show_across(self, kind: str) -> None:
        """Let ``kind`` of budget run along the axis."""
        self.across.buttons[kind].setChecked(True)
        self._change_axes()

    def show_lanes(self, titles: Sequence[LaneTitle]) -> None:
        """Name the curves after these lanes."""
        for lane, title in enumerate(titles):
            self.curves[lane].name = f"Lane {lane + 1}: {title.colony} on {title.device}"

    def show_lane(self, lane: int, *, shown: bool) -> None:
        """Show or hide the curve of a lane."""
        (self._hidden.discard if shown else self._hidden.add)(lane)
        self.curves[lane].setVisible(shown)
        self.draw(self._records)

    def draw(self, records: Sequence[LaneRecord]) -> None:
        """Draw the curves of ``records``, one a lane."""
        self._records = records
        if (bound := bound_of_lanes(records)) is not self._known.bound:
            self._show_known(KnownCosts(self._known.best, bound))  # which draws them
            return
        known, scale = self._known, self._scale
        shown = []  # what decides how far the axes go
        for lane, curve in enumerate(self.curves):
            record = records[lane] if lane < len(records) else LaneRecord()
            best = record.curve_until_now
            points = best.points(scale.axis, known.reference if scale.gap else None)
            if not scale.gap:
                points[:, 1] = scale.unit.scaled(points[:, 1])
            curve.set_points(points)
            if len(points) and lane not in self._hidden:
                # Once it is improved, what a run begins with would flatten the curves: it is
                # above the plot then, and the curve comes from there.
                better = len(points) > 2 and best.iterations[0] == 0
                shown.append(points[1:] if better else points)
        self.plot.show_hint("" if any(len(one.points) for one in self.curves) else _CURVES_HINT)
        least = min((one.cost for one in records if one.cost is not None), default=math.nan)
        self.plot.follow_costs(shown, scale, known, least, begin=0.0)

    def _show_line(self, line: PlotCurve, shown: bool) -> None:
        line.setVisible(shown)
        self.draw(self._records)

    @property
    def _scale(self) -> Scale:
        unit = NO_UNIT if self._instance is None else self._instance.cost_unit
        return Scale(RunAxis(self.across.value), gap=self.up.value == "gap", unit=unit)

    def _change_axes(self) -> None:
        display, across = display_of(self._instance), self.across.value
        label = display.words.solutions if across == "solutions" else across
        self.plot.set_label("bottom", label)
        costs = display.cost_axis_of(self._instance)
        self.plot.show_scale(self._scale, costs, gap_axis(self._known))
        self.plot.fit()
        self.draw(self._records)


_EQUAL_TIP = (
    "Seconds until the lane had reached the equal cost, which is the lowest that all lanes have "
    "reached by now. A run looks at its colony some 16 times a second, so shorter times are rough"
)
_GAP_TIP = (
    "How far the lane's best lies above the best known, else above the lower bound; proved: the "
    "bound says that there is none better"
)
_EQUAL_RATIO_TIP = "How many times as fast as lane 1 this lane reached the equal cost"
_SPEED_TIP = "How many times as fast as the lane chosen below this lane builds solutions"

_IN_A_ROW, _IN_A_COLUMN = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
_ONE_ROW_LETTERS = (
    90  # letters: in a table that is not as wide, the choice below it has a row of its own
)


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
        tip = "The lane that speedups are over"
        self.table.fitted.connect(self._fit_height)
        self.against = ChoiceBox(10, "Speedups over which lane", tip)
        self.against.activated.connect(
            lambda _: self.against_chosen.emit(self.against.currentData())
        )
        self.equal = make_label("note", wrap=True)
        label = make_label("note", "Speedups over")
        label.setBuddy(self.against)
        self.choice = QWidget()
        fill(QHBoxLayout(self.choice), label, self.against, (QWidget(), 1), spacing=6)
        self._below = fill(QBoxLayout(_IN_A_ROW), (self.equal, 1), self.choice, spacing=4)
        fill(QVBoxLayout(self), self.table, self._below, spacing=4)

    @Slot()
    def _fit_height(self) -> None:
        """Show all rows, however large the type is now."""
        head, body = self.table.horizontalHeader(), self.table.verticalHeader()
        self.table.setFixedHeight(head.sizeHint().height() + body.length() + 4)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the choice below the text if both are too long for a row."""
        super().resizeEvent(event)
        needed = self.equal.fontMetrics().averageCharWidth() * _ONE_ROW_LETTERS
        self._below.setDirection(_IN_A_ROW if self.width() >= needed else _IN_A_COLUMN)

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
        known = KnownCosts(None if instance is None else instance.optimum, found.bound)
        unit = NO_UNIT if instance is None else instance.cost_unit
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
            number("Best", "cost", unit.text),
            *([_gap_column(known, words)] if known.reference else []),
            number("To equal", "equal_seconds", short_time, _EQUAL_TIP),
            *([] if found.paced else [number("× lane 1", "equal_ratio", _times, _EQUAL_RATIO_TIP)]),
            number(
                f"Per {words.solution}",
                "solution_seconds",
                short_time,
                "All of an iteration included",
            ),
        ]
        if not found.paced:
            columns.append(
                BarColumn(
                    "Speedup",
                    lambda row: row.standing.speedup,
                    _times,
                    number=True,
                    about=_SPEED_TIP,
                    bar=lambda row: (row.standing.speedup or 0.0) / most,
                    role=lambda row: LANE_ROLES[row.lane],
                )
            )
        self.choice.setHidden(found.paced)
        self.table.spare = ["× lane 1"], ["Best"], ["To equal"], [f"Per {words.solution}"]
        lanes = enumerate(zip(titles, found.lanes, strict=True))
        self.table.show_rows(
            columns,
            [_Lane(lane, title, standing) for lane, (title, standing) in lanes],
        )
        slow = " The pace was limited: that tells no speedups." if found.paced else ""
        self.equal.setText(f"{self._equal_text(found).removesuffix('.')}.{slow}")
        self.equal.setToolTip(plain_tip(_EQUAL_TIP))

    def _equal_text(self, found: RaceStandings) -> str:
        instance = self._instance
        if found.lanes and all(one.proved for one in found.lanes) and found.bound is not None:
            return f"All lanes are proved optimal: {found.bound.why}."
        if instance is None or found.equal_cost is None:
            return "There is no equal cost until each lane has bettered what it began with."
        amount = instance.cost_unit.amount(found.equal_cost)
        text = f"All lanes have reached {amount}"
        known = KnownCosts(instance.optimum, found.bound)
        if not (reference := known.reference):
            return text
        if found.bound is not None and found.bound.proves(found.equal_cost):
            return f"{text}, proved optimal: {found.bound.why}"
        gap = instance.problem.words.gap(found.equal_cost, reference)
        return f"{text}, gap {'to the bound ' if known.by_bound else ''}{gap}"


def _gap_column(known: KnownCosts, words: Words) -> Column[_Lane]:
    """Return the column of gaps, which says where a lane's best is proved to be optimal."""

    def gap(row: _Lane) -> float | None:
        cost = row.standing.cost
        return None if cost is None else known.gap_percent(cost)

    def said(row: _Lane) -> str | None:
        cost, reference = row.standing.cost, known.reference
        if row.standing.proved or cost is None or not reference:
            return "proved" if row.standing.proved else None
        return words.gap(cost, reference)

    title = "To bound" if known.by_bound else "Gap"
    return Column(title, said, number=True, order=gap, about=_GAP_TIP)


def _times(value: float) -> str:
    return f"{significant(value)} ×"


_CARDS_AT_FIRST = (
    4  # cards of lanes that are made with the view; more are made when they are needed
)
_PICTURE_SHAPE = 0.85  # height of a lane's picture beside its width, as long as that is right:
_PICTURE_LEAST, _PICTURE_MOST = 92, 260  # pixels, the latter if all lanes are in one row, else less
_PICTURE_SHARE = 0.28  # of the view's height, at most: curves are to be seen with the pictures
_LANE_MARGINS = 18  # pixels of a lane that its picture does not have
_LANE_GAP = 6  # pixels between two lanes
_LANE_LEAST_WIDTH = 154  # of a lane where they stand side by side, in pixels
_RACE_HINT = (
    "Race two to twelve colonies on this instance, each with the same budget. Choose a colony, "
    "device, parameters and seed in the panel at the left, and add it as a lane; do that again "
    "for each lane. Then Start, Pause, Step and Stop are for all of them."
)
_CURVES_PIECE, _TABLE_PIECE = "curves", "table"


class RaceView(View):
    """Lanes, curves and table; what takes time to draw is drawn piece by piece."""

    key = "race"
    title = "Race"
    has_values = True
    of_run = False
    shortcut = "Ctrl+R"
    redraw_interval = 0.2

    change_requested = Signal(int)  # number of a lane, from 0; so are the next two
    move_requested = Signal(int)
    remove_requested = Signal(int)
    lanes_shown = Signal()  # other lanes are set up
    ready_changed = Signal()  # whether the race can be started has changed

    def __init__(self) -> None:
        super().__init__()
        self._instance: Instance | None = None
        self._titles: tuple[LaneTitle, ...] = ()
        self._records: list[LaneRecord] = []
        self._comparison: RaceStandings | None = None
        self._due: dict[int | str, None] = {}  # what is still to draw: lanes, curves, table
        self.form, self.curves, self.table = RaceForm(), RaceCurves(), RaceTable()
        self.cards: list[LaneCard] = []
        self.hint = make_label("note", _RACE_HINT, wrap=True)
        self._grid = QGridLayout()
        self._grid.setSpacing(_LANE_GAP)
        self._columns = 0
        page = QWidget()
        below = self.curves, self.table
        parts = self.form, self.hint, (self._grid, 3), self.table, (self.curves, 2)
        self._column = fill(QVBoxLayout(page), *parts, margins=(8, 8, 8, 6), spacing=6)
        self._column.addStretch(0)
        self._below = below
        self._area = scrolled(page)
        fill(QVBoxLayout(self), self._area)
        self._need_cards(_CARDS_AT_FIRST)
        self.form.changed.connect(self._choose_across)
        self.form.changed.connect(self.ready_changed)
        self.apply_theme(self.theme)
        self.show_instance(None)

    def _need_cards(self, count: int) -> None:
        """Make cards until there are so many."""
        for lane in range(len(self.cards), count):
            card = LaneCard(lane)
            self._grid.addWidget(card, lane, 0)
            put_in_order(self.cards[lane - 1].remove if lane else self.form.last, *card.order)
            card.change_requested.connect(lambda lane=lane: self.change_requested.emit(lane))
            card.move_requested.connect(lambda lane=lane: self.move_requested.emit(lane))
            card.remove_requested.connect(lambda lane=lane: self.remove_requested.emit(lane))
            card.chip.toggled.connect(
                lambda shown, lane=lane: self.curves.show_lane(lane, shown=shown)
            )
            self.cards.append(card)
            for part in (card, *card.findChildren(QWidget)):
                if hasattr(part, "apply_theme"):
                    part.apply_theme(self.theme)

    @property
    def lanes(self) -> int:
        """How many lanes are set up."""
        return len(self._titles)

    @property
    def problem(self) -> str:
        """Why the race cannot start, or nothing."""
        if self.lanes < 2:
            return "A race needs a second lane: set it up at the left, and add it"
        return self.form.problem and f"The budget {self.form.problem}"

    @property
    def behind(self) -> bool:
        """Whether something is still to be drawn."""
        return bool(self._due)

    @property
    def exports(self) -> Mapping[str, bool]:
        """The race, and its curves."""
        begun = any(len(record.curve) for record in self._records)
        return {"race": self.lanes > 1 and not self.form.problem, "race-curves": begun}

    @property
    def source(self) -> ViewSource | None:
        """Which lanes there are."""
        if self._instance is None or not self._titles:
            return None
        lanes = ", ".join(f"{one.colony} on {one.device}" for one in self._titles)
        name, seed = self._instance.name, self._titles[0].seed
        return ViewSource(name, f"race-{self.lanes}-lanes", seed, f"{name}  ·  {lanes}")

    def show_instance(self, instance: Instance | None) -> None:
        """Prepare for races on ``instance``; there are no lanes yet."""
        self._instance = instance
        self.curves.show_instance(instance)
        self.table.show_instance(instance)
        self.form.show_problem(problem_of(instance))
        self.form.setEnabled(instance is not None)
        self.show_lanes((), ())

    def show_lanes(self, titles: Sequence[LaneTitle], records: Sequence[LaneRecord]) -> None:
        """Show other lanes; :meth:`draw` shows what they have found so far."""
        self._titles, self._comparison = tuple(titles), None
        self._need_cards(self.lanes)
        for lane, card in enumerate(self.cards):
            if lane < self.lanes:
                card.show_instance(self._instance)
                card.show_title(self._titles[lane])
            else:
                card.show_instance(None)
        self.table.show_lanes(self._titles)
        self.curves.show_lanes(self._titles)
        self.form.show_change(None, full=self.lanes == len(LANE_ROLES))
        for card in self.cards:
            card.change.setChecked(False)
        self.hint.setVisible(not self._titles)
        for part in self._below:
            part.setVisible(bool(self._titles))
        self._arrange(anew=True)
        self.show_records(records)
        self.ready_changed.emit()
        self.lanes_shown.emit()

    def show_records(self, records: Sequence[LaneRecord]) -> None:
        """Take what the lanes have found so far; :meth:`draw` shows it, and what it is by then."""
        self._records = list(records)
        self._due = dict.fromkeys([*range(self.lanes), _CURVES_PIECE])
        self.exports_changed.emit()

    def show_change(self, lane: int | None) -> None:
        """Say that ``lane`` is being changed; None ends that."""
        self.form.show_change(lane, full=lane is None and self.lanes == len(LANE_ROLES))
        for number, card in enumerate(self.cards):
            card.change.setChecked(number == lane)

    def show_racing(self, *, racing: bool) -> None:
        """Let nothing be changed while the race goes on."""
        self.form.choices.setVisible(not racing)
        for card in self.cards:
            card.show_racing(racing=racing)
        if racing:
            self.show_change(None)

    def take_lane(self, lane: int) -> None:
        """Note that the record of ``lane`` has changed; :meth:`draw` shows it."""
        self._due |= {lane: None, _CURVES_PIECE: None}

    def take_comparison(self, found: RaceStandings) -> None:
        """Note how the lanes compare now; :meth:`draw` shows it."""
        self._comparison = found
        self._due[_TABLE_PIECE] = None

    def draw(self) -> None:
        """Draw one piece of what is due."""
        if not self._due:
            return
        piece = next(iter(self._due))
        del self._due[piece]
        if isinstance(piece, int):
            if piece < self.lanes:
                self.cards[piece].show_record(self._records[piece])
        elif piece == _CURVES_PIECE:
            self.curves.draw(self._records)
        elif self._comparison is not None and len(self._comparison.lanes) == self.lanes:
            self.table.show_comparison(self._titles, self._comparison)

    def fit(self) -> None:
        """Show all maps and curves whole again."""
        self.curves.plot.fit()
        for card in self.cards[: self.lanes]:
            card.map.fit()

    def apply_theme(self, theme: Theme) -> None:
        """Use the colours and the type of ``theme``, which may need another width."""
        super().apply_theme(theme)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put as many lanes side by side as fit."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self, *, anew: bool = False) -> None:
        room = self._area.viewport().width() - 16
        least = round(_LANE_LEAST_WIDTH * self.theme.scale)
        needed = (card.minimumSizeHint().width() for card in self.cards[: self.lanes])
        least = max(least, *needed, 0)
        fits = max(1, (room + _LANE_GAP) // (least + _LANE_GAP))
        rows = math.ceil(self.lanes / fits) or 1
        columns = math.ceil(self.lanes / rows)
        high = (room // columns - _LANE_MARGINS) * _PICTURE_SHAPE if columns else 0
        high = min(high, self._area.viewport().height() * _PICTURE_SHARE)
        for card in self.cards:
            card.give_room(
                round(min(max(high, _PICTURE_LEAST), _PICTURE_MOST / math.sqrt(min(rows, 2))))
            )
        if columns == self._columns and not anew:
            return
        self._columns = columns
        for lane, card in enumerate(self.cards):
            self._grid.removeWidget(card)
            card.setVisible(lane < self.lanes)
            if lane < self.lanes:
                self._grid.addWidget(card, lane // columns, lane % columns)

    def _choose_across(self) -> None:
        if not self.form.problem:
            self.curves.show_across(self.form.budget[0])
        self.exports_changed.emit()
