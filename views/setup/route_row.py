"""Where the routes of an instance begin and end, in the panel."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QCompleter, QGridLayout, QLineEdit, QWidget

from gpu.core.words import shown
from gpu.problems.reading import OPEN, ReadAs
from views.setup.fields import ChoiceBox
from views.widgets.labels import make_label, plain_tip

MOST_LISTED = (
    1_000  # cities that can be chosen from a list; others are typed, or clicked on the map
)
_SETTLED = 300  # milliseconds after the last key until a city of the list counts
_ANYWHERE = "anywhere"
_TIPS = {
    "route_from": "The name or the number of the city where a route begins",
    "route_to": "The same of the city where it ends, if it does not return to its start",
}
_RETURN_TIP = "Whether the last city leads back to the first one"


class _CityBox(ChoiceBox):
    """A list of cities in which one can type, too."""

    said = Signal()  # the user has chosen another city, or none

    def __init__(self, name: str, tip: str) -> None:
        super().__init__(8, name, tip)
        self.setEditable(True)
        self.setInsertPolicy(self.InsertPolicy.NoInsert)
        self._entry = entry = QLineEdit()
        self.setLineEdit(entry)
        entry.setPlaceholderText(_ANYWHERE)
        entry.setAccessibleName(name)
        self._last = ""
        self.activated.connect(lambda _: self._notice())
        entry.editingFinished.connect(self._notice)

    @property
    def city(self) -> str:
        """Name or number; empty for any."""
        text = self.currentText().strip()
        return "" if text == _ANYWHERE else text

    def offer(self, cities: Sequence[str]) -> None:
        """List other cities."""
        with QSignalBlocker(self):
            self.clear()
            self.addItem(_ANYWHERE)
            self.addItems([shown(one, 60) for one in cities])
        completer = QCompleter(self.model(), self)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setCompleter(completer)

    def show_city(self, city: str) -> None:
        """Show what is chosen."""
        with QSignalBlocker(self):
            self.setEditText(city or _ANYWHERE)
        self._entry.setCursorPosition(0)
        self._last = city

    def _notice(self) -> None:
        if self.city != self._last:
            self._last = self.city
            self.said.emit()


class RouteRow(QWidget):
    """Start, end, and whether a route returns; ``changed`` has what is wanted, as a ReadAs."""

    changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.start = _CityBox("Start", _TIPS["route_from"])
        self.end = _CityBox("End", _TIPS["route_to"])
        self.returns = QCheckBox("Return to the start")
        self.returns.setToolTip(plain_tip(_RETURN_TIP))
        self._soon = QTimer(self, singleShot=True, interval=_SETTLED)
        self._soon.timeout.connect(self._say)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(1, 1)
        for at, (text, box) in enumerate((("Start", self.start), ("End", self.end))):
            label = make_label("note", text)
            label.setBuddy(box)
            grid.addWidget(label, at, 0)
            grid.addWidget(box, at, 1)
            box.said.connect(self._soon.start)
        grid.addWidget(self.returns, 2, 0, 1, 2)
        self.returns.clicked.connect(self._say)

    def offer(self, cities: Sequence[str]) -> None:
        """List cities, unless they are too many."""
        for box in (self.start, self.end):
            box.offer(cities if len(cities) <= MOST_LISTED else ())

    def show_wanted(self, wanted: ReadAs) -> None:
        """Show what is wanted now."""
        self.start.show_city(wanted.route_from)
        self.end.show_city(wanted.route_to)
        with QSignalBlocker(self.returns):
            self.returns.setChecked(not wanted.route_to and wanted.route != OPEN)
        self.returns.setEnabled(not wanted.route_to)

    def _say(self) -> None:
        self._soon.stop()
        returns = self.returns.isChecked() or (bool(self.end.city) and self.returns.isEnabled())
        route = "" if returns or self.end.city else OPEN
        wanted = ReadAs(route_from=self.start.city, route_to=self.end.city, route=route)
        self.changed.emit(wanted)
