"""The button with the choices of a plot's scale."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton

from views.widgets.buttons import OptionButtons
from views.widgets.labels import plain_tip


class ScaleButton(QToolButton):
    """What is along the axes, and how runs that differ by their seed alone are drawn.

    The menu begins with the options of ``along``, so that those buttons can be hidden.
    """

    changed = Signal()  # another scale
    each_changed = Signal(bool)  # whether each of several runs has a curve of its own

    def __init__(self, along: OptionButtons) -> None:
        super().__init__()
        self._along = along
        self.setToolTip(plain_tip("Cost or gap, logarithmic axes, mean and band of several runs"))
        self.setProperty("role", "segment")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        self._moments = {key: menu.addAction(key) for key in along.buttons}
        menu.addSeparator()
        self._cost, self._gap = (menu.addAction(text) for text in ("Cost", "Gap in %"))
        menu.addSeparator()
        self._log_moment = menu.addAction("Logarithmic axis below")
        self._log_cost = menu.addAction("Logarithmic axis of costs or gaps")
        menu.addSeparator()
        self._band = menu.addAction("Runs that differ by seed alone: mean and band")
        self._each = menu.addAction("Runs that differ by seed alone: each")
        for action in menu.actions():
            action.setCheckable(not action.isSeparator())
        for group, actions in (
            (QActionGroup(menu), self._moments.values()),
            (QActionGroup(menu), (self._cost, self._gap)),
            (QActionGroup(menu), (self._band, self._each)),
        ):
            for action in actions:
                group.addAction(action)
        self._cost.setChecked(True)
        self._band.setChecked(True)
        for action in (self._cost, self._gap, self._log_moment, self._log_cost):
            action.triggered.connect(lambda _=False: self.changed.emit())
        for action in (self._band, self._each):
            action.triggered.connect(lambda _=False: self.each_changed.emit(self.each))
        for key, action in self._moments.items():
            action.triggered.connect(lambda _=False, key=key: along.buttons[key].click())
        menu.aboutToShow.connect(self._show_moments)
        self.setMenu(menu)
        self.name_itself()

    def name_itself(self) -> None:
        """Say what is along the axis below, if no button beside it says that."""
        along = self._along
        self.setText(f"{along.buttons[along.value].text() if along.isHidden() else 'Scale'} ▾")

    def _show_moments(self) -> None:
        for key, action in self._moments.items():
            action.setText(self._along.buttons[key].text())
            action.setChecked(self._along.buttons[key].isChecked())

    @property
    def gap(self) -> bool:
        """Whether gaps in % are drawn instead of costs."""
        return self._gap.isChecked()

    @property
    def log_moment(self) -> bool:
        """Whether the axis of iterations, solutions or seconds is logarithmic."""
        return self._log_moment.isChecked()

    @property
    def log_cost(self) -> bool:
        """Whether the axis of costs or gaps is logarithmic."""
        return self._log_cost.isChecked()

    @property
    def each(self) -> bool:
        """Whether each run has a curve, even if others differ by their seed alone."""
        return self._each.isChecked()
