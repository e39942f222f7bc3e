"""The choice of what a run is for, which chooses colony and parameters."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal

from gpu.aims import Aim
from views.setup.card import Card
from views.setup.fields import ChoiceBox
from views.widgets.labels import make_label, plain_tip

_AIMS: dict[Aim | None, tuple[str, str]] = {
    Aim.BEST: ("Best solution", "What finds the best solutions on such a device, as measured"),
    Aim.PAPER: ("As in the paper", "The colony and the defaults of its paper"),
    Aim.WATCH: (
        "Watch it work",
        "Few ants, no local search and few iterations a second: slow, and easy to follow",
    ),
    None: ("Own choice", "Colony and parameters stay as they are"),
}


_WATCHED = 5.0  # iterations a second that can be followed


class AimCard(Card):
    """A list of the aims; the last entry says that the user chose something else."""

    changed = Signal()  # the user chose another aim

    def __init__(self) -> None:
        super().__init__("AIM")
        self.aims = ChoiceBox(12)
        self.aims.setAccessibleName("Aim")
        self.aims.setToolTip("What colony and parameters are chosen for")
        for aim, (text, tip) in _AIMS.items():
            self.aims.addItem(text, aim)
            self.aims.setItemData(
                self.aims.count() - 1, plain_tip(tip), Qt.ItemDataRole.ToolTipRole
            )
        self.note = make_label("note", wrap=True)
        self.aims.activated.connect(lambda _: self.changed.emit())
        for widget in (self.aims, self.note):
            self.column.addWidget(widget)

    @property
    def aim(self) -> Aim | None:
        """The chosen aim; None if the user has made another choice."""
        chosen = self.aims.currentData()
        return Aim(chosen) if chosen else None

    @property
    def pace(self) -> float:
        """Iterations a second that suit the aim; 0 for as many as there can be."""
        return _WATCHED if self.aim is Aim.WATCH else 0.0

    def choose(self, aim: Aim | None) -> None:
        """Choose an aim without saying so."""
        self.aims.setCurrentIndex(self.aims.findData(aim) if aim else self.aims.count() - 1)

    def show_own(self) -> None:
        """Say that colony and parameters are the user's own choice."""
        self.aims.setCurrentIndex(self.aims.count() - 1)
        self.show_why(_AIMS[None][1])

    def show_why(self, why: str) -> None:
        """Say why the aim chose what it chose."""
        self.note.setText(f"{why[:1].upper()}{why[1:]}.")
