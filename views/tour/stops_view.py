"""The stops of the best route as a list: number, name, leg and running total."""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QItemSelectionModel, Qt, Signal, Slot
from PySide6.QtGui import QAction, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget
from shiboken6 import isValid

from gpu.core.formats import number_of
from gpu.core.snapshot import RunState, Wanted
from gpu.core.tables import Column
from gpu.problems.tsp.amounts import amounts_of
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.routes.stops import Stops, stops
from views.tour.tour_layers import Tour
from views.widgets.cached_picture import CachedPicture, have_made
from views.widgets.controls import fit_texts, make_button
from views.widgets.labels import ElidedLabel, make_label, plain_tip
from views.widgets.layers import MOST_IN_WINDOW
from views.widgets.layouts import fill
from views.widgets.table import CELL_PADDING, ColumnTable, TableModel
from views.widgets.theme import Theme, icon
from views.widgets.view import Pointed, View

ListedRoute = tuple[TspInstance, Tour]

_NO_STOPS_YET = "The stops of the best route, in their order. Start a run (Space)."
_LONGEST_NAME = 40  # characters of a name that widen the column
_MEASURED = 100  # names, at most, of which the widest is looked for
_MOST_SORTED = 20_000  # most stops that a click on a heading sorts: more would take too long


def stop_columns(found: Stops) -> Sequence[Column[int]]:
    """Return the columns of a list of stops, whose rows are their places in it, from 0."""
    instance, amounts = found.instance, amounts_of(found.instance)
    unit = f" ({amounts.unit})" if amounts.unit else ""
    last = len(found) - 1
    return (
        Column(
            "Stop",
            lambda at: 1 if found.closed and at == last else at + 1,
            about="Its place in the route. A closed route ends where it begins",
            order=lambda at: at,
            number=True,
        ),
        Column(
            "City",
            lambda at: found[at].number,
            about="The number of the city in its file",
            number=True,
        ),
        *([Column("Name", lambda at: found[at].name)] if instance.names else ()),
        Column(
            f"Leg{unit}",
            lambda at: found[at].leg if at else None,
            amounts.number,
            about="From the stop before",
            number=True,
        ),
        Column(
            f"Total{unit}",
            lambda at: found[at].total,
            amounts.number,
            about="From the beginning of the route",
            number=True,
        ),
    )


class _StopsModel(TableModel[int]):
    """The rows, of which those of some cities stand out.

    A stop is told by its city, so that it stays selected while the route changes.
    """

    def __init__(self) -> None:
        super().__init__(self._key, unknown="")
        self.stops: Stops | None = None
        self.coming: Stops | None = None  # those of the rows that are shown next
        self.lit: frozenset[int] = frozenset()

    def take(self, rows: Sequence[int], columns: Sequence[Column[int]] | None) -> None:
        """Have the rows of the stops that were coming."""
        self.stops = self.coming
        super().take(rows, columns)

    def marks(self, row: int) -> list[list[str]]:
        """Return how the cells of a row stand out."""
        if self.lit and self.stops is not None and int(self.stops.cities[row]) in self.lit:
            return [["accent"]] * len(self.columns)
        return super().marks(row)

    def _key(self, row: int) -> Hashable:
        found = self.stops
        if found is None:
            return row
        return -1 if found.closed and row == len(found) - 1 else int(found.cities[row])


class StopsTable(ColumnTable[int]):
    """The list. Its columns are as wide as the longest texts of all rows."""

    city_chosen = Signal(int)  # the user clicked its row, or went there by keys

    def __init__(self) -> None:
        self._stops_model = model = _StopsModel()
        self._longest: list[list[str]] = []  # the widest texts of each column
        super().__init__("Stops of the route", model)
        self.spare = (("City",),)
        self._asked = False  # whether a row is chosen by somebody else than the user
        self.setSelectionMode(self.SelectionMode.SingleSelection)
        self.chosen.connect(self._tell)

    @property
    def stops(self) -> Stops | None:
        """What is listed."""
        return self._stops_model.stops

    def show_stops(self, found: Stops | None) -> None:
        """Show the stops of another route."""
        self._asked = True
        self._stops_model.coming = found
        if found is None:
            self._longest = []
            self.show_rows((), ())
        else:
            self._longest = _longest(found)
            self.setSortingEnabled(len(found) <= _MOST_SORTED)
            self.show_rows(stop_columns(found), range(len(found)))
        self._asked = False

    def sizeHintForColumn(self, column: int) -> int:
        """Return room for the longest text in a column."""
        if column >= len(self._longest):
            return 0
        metrics = QFontMetrics(self.theme.font())
        widest = max(map(metrics.horizontalAdvance, self._longest[column]))
        return widest + 2 * CELL_PADDING + 2

    def choose(self, city: int) -> None:
        """Select the first stop at ``city``, and scroll to it."""
        found = self.stops
        there = np.empty(0, np.intp) if found is None else np.flatnonzero(found.cities == city)
        if not len(there):
            return
        at = int(there[0])
        rows = self.content.rows
        row = at if isinstance(rows, range) else rows.index(at)
        index = self.content.index(row, 0)
        flags = QItemSelectionModel.SelectionFlag
        self._asked = True
        self.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        self._asked = False
        self.scrollTo(index, self.ScrollHint.EnsureVisible)

    def light(self, cities: Sequence[int]) -> None:
        """Let the rows of these cities stand out, and no others."""
        if self._stops_model.lit != frozenset(cities):
            self._stops_model.lit = frozenset(cities)
            self.viewport().update()

    @Slot()
    def _tell(self) -> None:
        if not self._asked and self.stops is not None and (rows := self.selected):
            self.city_chosen.emit(int(self.stops.cities[rows[0]]))


def _longest(found: Stops) -> list[list[str]]:
    """Return texts of each column of which one is mostly its widest.

    Of five letters, some words are wider than others of six, so more names than one are measured.
    """
    instance, number = found.instance, amounts_of(found.instance).number
    ids = instance.n if instance.ids is None else int(instance.ids[-1])
    names = instance.names
    widest = [name[:_LONGEST_NAME] for name in heapq.nlargest(_MEASURED, names or (), key=len)]
    numbers = number(int(found.legs.max())), number(int(found.totals[-1]))
    return [
        [str(len(found))],
        [str(ids)],
        *([widest] if names else []),
        *([one] for one in numbers),
    ]


class StopsView(View):
    """The list of stops, and what can be done with it."""

    key = "stops"
    title = "Stops"
    of_moment = True
    city_chosen = Signal(int)  # the user wants to see this city, from 0, on the map
    has_route_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._instance: TspInstance | None = None
        self._tour: Tour | None = None  # the newest one
        self._changed = False  # whether it is not in the list yet
        self._at_work = False  # whether another thread makes a list
        self.table = StopsTable()
        self.table.city_chosen.connect(self.city_chosen)
        self.summary = ElidedLabel("note")
        self.hint = make_label("note", _NO_STOPS_YET, wrap=True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.copy_button = make_button("", "Copy", "Copy the list, to paste it into a spreadsheet")
        self.copy_button.clicked.connect(self.table.copy)
        self.save_button = make_button("", "Save as", "Write the route as a file")
        self.save_button.setPopupMode(self.save_button.ToolButtonPopupMode.InstantPopup)
        self.print_button = make_button("", "Print…", "Print the map and the list (Ctrl+P)")
        self._top = QWidget()
        buttons = self.copy_button, self.save_button, self.print_button
        fill(QHBoxLayout(self._top), (self.summary, 1), *buttons, spacing=6)
        fill(QVBoxLayout(self), self._top, (self.table, 1), (self.hint, 1), margins=(8, 8, 8, 8))
        self._icons = {
            self.copy_button: "copy",
            self.save_button: "save",
            self.print_button: "print",
        }
        self._actions: tuple[QAction, ...] = ()
        self.apply_theme(self.theme)
        self.show_instance(None)

    @property
    def route(self) -> ListedRoute | None:
        """The newest route, with its instance, whether it is listed yet or not."""
        instance, tour = self._instance, self._tour
        return None if instance is None or tour is None else (instance, tour)

    @property
    def wanted(self) -> Wanted:
        """The best route."""
        return Wanted.SOLUTION

    def offer(self, exports: Sequence[QAction], printing: QAction) -> None:
        """Have these actions behind the buttons, while they are possible."""
        menu = QMenu(self.save_button)
        menu.addActions(list(exports))
        self.save_button.setMenu(menu)
        self.print_button.clicked.connect(printing.trigger)
        for action in (*exports, printing):
            action.changed.connect(self._enable)
        self._actions = (*exports, printing)
        self._enable()

    def show_instance(self, instance: TspInstance | None) -> None:
        """Prepare for routes of ``instance``."""
        self._instance = instance
        self.begin_run()

    def begin_run(self) -> None:
        """Forget the former route."""
        self._tour, self._changed = None, False
        self._show(None)
        self.has_route_changed.emit()

    def take_in(self, snapshot: RunState) -> None:
        """Keep the best route."""
        best, before = snapshot.best_solution, self._tour
        if best is None or (before is not None and np.array_equal(best, before)):
            return
        self._tour, self._changed = best, True
        if before is None:
            self.has_route_changed.emit()

    def draw(self) -> None:
        """List the stops of the newest route; of a long one, another thread does the sums."""
        instance, tour = self._instance, self._tour
        if not self._changed or self._at_work or instance is None or tour is None:
            return
        self._changed = False
        if instance.n <= MOST_IN_WINDOW or not CachedPicture.in_use:
            self._show(stops(instance, tour))
        else:
            self._at_work = True
            have_made(lambda: stops(instance, tour), partial(self._take, tour))

    def point_out(self, part: Pointed) -> None:
        """Mark the row of a city that the mouse is at in another view."""
        self.table.light(part.places)

    def choose(self, city: int) -> None:
        """Select the stop at ``city``, and bring it into sight."""
        self.table.choose(city)

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        super().apply_theme(theme)
        for button, name in self._icons.items():
            button.setIcon(icon(name, theme, "muted"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as much of the texts as there is room for."""
        super().resizeEvent(event)
        self._fit_buttons()

    def _take(self, tour: Tour, found: Stops) -> None:
        """Show what another thread has made, unless there is another run by now."""
        if not isValid(self):
            return
        self._at_work = False
        if self._tour is not None and found.instance is self._instance:
            self._show(found)
        if self._changed:
            self.catch_up()

    def _show(self, found: Stops | None) -> None:
        self.table.show_stops(found)
        self.table.setVisible(found is not None)
        self.hint.setVisible(found is None)
        self.setFocusProxy(self.table if found is not None else None)  # type: ignore[arg-type]
        summary = " " if found is None else summary_of(found)
        self.summary.setText(summary)
        self.summary.setToolTip(plain_tip(summary.strip()))
        self._fit_buttons()
        self._enable()

    def _fit_buttons(self) -> None:
        """Show the texts of the buttons where they leave room for the summary."""
        self.summary.setMinimumWidth(min(self.summary.sizeHint().width(), self.width() // 2))
        fit_texts(self._top, list(self._icons))

    def _enable(self) -> None:
        shown = self.table.stops is not None
        self.copy_button.setEnabled(shown)
        exports, printing = self._actions[:-1], self._actions[-1:]
        self.save_button.setEnabled(shown and any(one.isEnabled() for one in exports))
        self.print_button.setEnabled(shown and any(one.isEnabled() for one in printing))


def summary_of(found: Stops) -> str:
    """Say how many stops a route has, and how long it is."""
    length = amounts_of(found.instance).text(int(found.totals[-1]))
    how = "" if found.closed else ", without a way back"
    return f"{number_of(found.instance.n, 'stop')}, {length}{how}"
