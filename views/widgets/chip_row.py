"""Chips in a row or two, and a menu of those that have no room there."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from views.widgets.controls import Chip, make_button
from views.widgets.labels import plain_item
from views.widgets.layouts import FlowLayout, rows_for

_MOST_ROWS = 2  # more of them would take the room of what the chips are for
_MORE_TIP = "What else can be shown or hidden"


class ChipRow(QWidget):
    """Chips, the first of them in at most ``_MOST_ROWS`` rows, the others in a menu at the end."""

    def __init__(self, chips: Sequence[Chip]) -> None:
        super().__init__()
        self._chips = chips
        self._whole = False  # whether all are shown of what is drawn, however many rows they need
        self._fits = True  # whether :meth:`_fit` is not under way
        self.more = make_button("chip", "More ▾", _MORE_TIP)
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self.more)
        self.menu.aboutToShow.connect(self._fill)
        self.more.setMenu(self.menu)
        self.more.hide()
        self.setLayout(FlowLayout(*chips, self.more))

    @property
    def left_over(self) -> list[Chip]:
        """The chips that are in the menu."""
        return [chip for chip in self._chips if chip.offered and chip.crowded_out]

    def show_whole(self, *, whole: bool) -> None:
        """Show all chips of what is drawn, as a picture's legend; or again those with room."""
        self._whole = whole
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many chips as have room."""
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        """Look again when a chip comes, goes, or changes its size."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    def _fit(self) -> None:
        if not self._fits:  # to show a chip asks for it, too
            return
        offered = [chip for chip in self._chips if chip.offered]
        widths = [chip.sizeHint().width() for chip in offered]
        count, more = len(offered), self.more.sizeHint().width()
        if rows_for(widths, self.width()) > _MOST_ROWS:
            while count and rows_for([*widths[:count], more], self.width()) > _MOST_ROWS:
                count -= 1
        self._fits = False
        for place, chip in enumerate(offered):
            if self._whole:
                chip.crowd_out(out=chip.crowded_out and not chip.is_on)
            else:
                chip.crowd_out(out=place >= count)
        self.more.setVisible(count < len(offered) and not self._whole)
        self._fits = True

    def _fill(self) -> None:
        self.menu.clear()
        for chip in self.left_over:
            action = self.menu.addAction(plain_item(chip.text(), 40))
            action.setCheckable(True)
            action.setChecked(chip.isChecked())
            action.setEnabled(chip.isEnabled())
            action.toggled.connect(chip.setChecked)
