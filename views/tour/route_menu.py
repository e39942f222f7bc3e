"""What can be wanted of routes with a right click on a city."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from gpu.problems.reading import OPEN, ReadAs
from views.widgets.labels import plain_item

_LONGEST = 40  # characters of a name


class RouteMenu(QMenu):
    """Start here, end here, return or not. ``chosen`` has what is wanted then, as a ReadAs."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget, city: str, wanted: ReadAs) -> None:
        """Offer what can be wanted of ``city``; what is ``wanted`` until now is checked."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("Route")
        here = plain_item(city, _LONGEST)
        start, end = wanted.route_from, wanted.route_to
        away = replace(wanted, route_from="" if start == city else start)
        away = replace(away, route_to="" if end == city else end)
        then = away if start == city else replace(away, route_from=city)
        self._offer(f"Start at {here}", start == city, then)
        then = away if end == city else replace(away, route_to=city)
        self._offer(f"End at {here}", end == city, then)
        self.addSeparator()
        ends = bool(end)
        open_ = ends or wanted.route == OPEN
        opened = replace(wanted, route="" if open_ else OPEN)
        action = self._offer("Do not return to the start", open_, opened)
        action.setEnabled(not ends)
        self.addSeparator()
        clear = self._offer("Any start, and return", None, wanted.of_file)
        clear.setEnabled(wanted.asks_for_route)

    def open_at(self, place: QPoint) -> None:
        """Open beside the mouse."""
        self.popup(place)

    def _offer(self, text: str, checked: bool | None, wanted: ReadAs) -> QAction:
        action = self.addAction(text)
        if checked is not None:
            action.setCheckable(True)
            action.setChecked(checked)
        action.triggered.connect(lambda _=False: self.chosen.emit(wanted))
        return action
