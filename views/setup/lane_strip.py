"""The head of the panel while it is used to change a lane of a race."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from views.setup.cards import Card
from views.widgets.controls import make_button
from views.widgets.labels import make_label, plain_tip
from views.widgets.layouts import fill

_SAYS = "The choices below are this lane's: another colony, device, parameters or seed."


class LaneStrip(Card):
    """Says which lane the panel's choices are for, and puts them there."""

    put_requested = Signal()  # the choices are to be the lane's
    left = Signal()  # the lane stays as it is

    def __init__(self) -> None:
        super().__init__("LANE", "race#set-up-a-race")
        self.setProperty("role", "chosen-card")
        self.put = make_button("start", "Put into the lane", clicked=self.put_requested)
        self.leave = make_button("", "Leave it", "Leave the lane as it is", self.left)
        self.column.addWidget(make_label("note", _SAYS, wrap=True))
        row = fill(QHBoxLayout(), self.put, self.leave, (QWidget(), 1), spacing=6)
        self.column.addLayout(row)
        self.show_lane(None)

    def show_lane(self, lane: int | None) -> None:
        """Name the lane, counted from 0, that is changed; None for no lane."""
        self.setVisible(lane is not None)
        if lane is not None:
            self.heading.setText(f"LANE {lane + 1} OF THE RACE")
            self.put.setText(f"Put into lane {lane + 1}")
            tip = f"Lane {lane + 1} gets what is chosen here; what it has found is forgotten"
            self.put.setToolTip(plain_tip(tip))
