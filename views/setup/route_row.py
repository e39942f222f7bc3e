"""Where the routes of an instance begin and end, in the panel."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QWidget

from gpu.core.words import shown
from gpu.problems.reading import OPEN, ReadAs
from views.setup.fields import TypingBox
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


class RouteRow(QWidget):
    """Start, end, and whether a route returns; ``changed`` has what is wanted, as a ReadAs."""

    changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.start = TypingBox(8, "Start", _TIPS["route_from"], _ANYWHERE)
        self.end = TypingBox(8, "End", _TIPS["route_to"], _ANYWHERE)
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
        listed = [shown(one, 60) for one in cities] if len(cities) <= MOST_LISTED else ()
        for box in (self.start, self.end):
            box.offer(listed)

    def show_wanted(self, wanted: ReadAs) -> None:
        """Show what is wanted now."""
        self.start.show_text(wanted.route_from)
        self.end.show_text(wanted.route_to)
        with QSignalBlocker(self.returns):
            self.returns.setChecked(not wanted.route_to and wanted.route != OPEN)
        self.returns.setEnabled(not wanted.route_to)

    def _say(self) -> None:
        self._soon.stop()
        returns = self.returns.isChecked() or (bool(self.end.text) and self.returns.isEnabled())
        route = "" if returns or self.end.text else OPEN
        wanted = ReadAs(route_from=self.start.text, route_to=self.end.text, route=route)
        self.changed.emit(wanted)
