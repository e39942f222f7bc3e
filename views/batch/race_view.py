"""A race: a lane for each colony, their curves, and how they compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from gpu.batch.race_standings import LaneRecord, RaceStandings
from gpu.core.instance import Instance
from views.batch.lane_card import ROLES, LaneCard, LaneTitle
from views.batch.race_curves import RaceCurves
from views.batch.race_form import RaceForm
from views.batch.race_table import RaceTable
from views.problem_display import problem_of
from views.widgets.labels import make_label
from views.widgets.layouts import fill, put_in_order, scrolled
from views.widgets.theme import Theme
from views.widgets.view import View, ViewSource

MOST = len(ROLES)  # lanes
_LEAST_WIDTH = 150  # of a lane where they stand side by side, in pixels
_HINT = (
    "Race two to four colonies on this instance, each with the same budget. Choose a colony, "
    "device, parameters and seed in the panel at the left, and add it as a lane; do that again "
    "for each lane. Then Start, Pause, Step and Stop are for all of them."
)
_CURVES, _TABLE = "curves", "table"


class RaceView(View):
    """Lanes, curves and table; what takes time to draw is drawn piece by piece."""

    key = "race"
    title = "Race"
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
        self.cards = [LaneCard(lane) for lane in range(MOST)]
        self.hint = make_label("note", _HINT, wrap=True)
        self._grid = QGridLayout()
        self._grid.setSpacing(6)
        self._columns = 0
        page = QWidget()
        below = self.curves, self.table
        parts = self.form, self.hint, (self._grid, 3), self.table, (self.curves, 2)
        self._column = fill(QVBoxLayout(page), *parts, margins=(8, 8, 8, 6), spacing=6)
        self._column.addStretch(0)
        self._below = below
        self._area = scrolled(page)
        fill(QVBoxLayout(self), self._area)
        for lane, card in enumerate(self.cards):
            self._grid.addWidget(card, lane, 0)
            put_in_order(self.cards[lane - 1].remove if lane else self.form.last, *card.order)
            card.change_requested.connect(lambda lane=lane: self.change_requested.emit(lane))
            card.move_requested.connect(lambda lane=lane: self.move_requested.emit(lane))
            card.remove_requested.connect(lambda lane=lane: self.remove_requested.emit(lane))
            card.chip.toggled.connect(
                lambda shown, lane=lane: self.curves.show_lane(lane, shown=shown)
            )
        self.form.changed.connect(self._choose_across)
        self.form.changed.connect(self.ready_changed)
        self.apply_theme(self.theme)
        self.show_instance(None)

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
        for lane, card in enumerate(self.cards):
            if lane < self.lanes:
                card.show_instance(self._instance)
                card.show_title(self._titles[lane])
            else:
                card.show_instance(None)
        self.table.show_lanes(self._titles)
        self.form.show_change(None, full=self.lanes == MOST)
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
        self._due = dict.fromkeys([*range(self.lanes), _CURVES])
        self.exports_changed.emit()

    def show_change(self, lane: int | None) -> None:
        """Say that ``lane`` is being changed; None ends that."""
        self.form.show_change(lane, full=lane is None and self.lanes == MOST)
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
        self._due |= {lane: None, _CURVES: None}

    def take_comparison(self, found: RaceStandings) -> None:
        """Note how the lanes compare now; :meth:`draw` shows it."""
        self._comparison = found
        self._due[_TABLE] = None

    def draw(self) -> None:
        """Draw one piece of what is due."""
        if not self._due:
            return
        piece = next(iter(self._due))
        del self._due[piece]
        if isinstance(piece, int):
            if piece < self.lanes:
                self.cards[piece].show_record(self._records[piece])
        elif piece == _CURVES:
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
        fits = max(1, room // round(_LEAST_WIDTH * self.theme.scale))
        columns = self.lanes if fits >= self.lanes else min(2, fits)
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
