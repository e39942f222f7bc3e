"""How a picture is to be traced into cities, and how far that is."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QFormLayout, QHBoxLayout, QProgressBar, QSpinBox

from views.draw.drawing import MOST
from views.setup.card import Card
from views.widgets.controls import indented, make_button
from views.widgets.labels import make_label
from views.widgets.layouts import fill

_USUAL = 1_000  # cities
_LARGEST_SEED = 2**31 - 1


class TraceCard(Card):
    """Number of cities, seed, and a button that asks for the picture."""

    def __init__(self) -> None:
        super().__init__("PICTURE")
        self.cities = indented(QSpinBox(minimum=3, maximum=MOST, value=_USUAL, singleStep=100))
        self.cities.setAccessibleName("Cities of the traced picture")
        self.seed = indented(QSpinBox(minimum=0, maximum=_LARGEST_SEED, value=1))
        self.seed.setAccessibleName("Seed of the traced picture")
        self.inverted = QCheckBox("Cities where it is light")
        tip = "Replace the drawing by cities that lie dense where a picture is dark"
        self.trace_button = make_button("", "Trace image…", tip)
        self.bar = QProgressBar(maximum=1000, textVisible=False)
        self.bar.setAccessibleName("How much of the picture is traced")
        self.cancel_button = make_button("segment", "Cancel", "Give up the picture")
        form = QFormLayout()
        form.setContentsMargins(0, 0, 0, 0)
        form.addRow(make_label("note", "Cities"), self.cities)
        form.addRow(make_label("note", "Seed"), self.seed)
        self.column.addLayout(form)
        self.column.addWidget(self.inverted)
        self.column.addWidget(self.trace_button)
        self.column.addLayout(fill(QHBoxLayout(), (self.bar, 1), self.cancel_button, spacing=6))
        policy = self.trace_button.sizePolicy()
        policy.setHorizontalPolicy(policy.Policy.Expanding)
        self.trace_button.setSizePolicy(policy)
        self.show_work(False)

    def show_work(self, at_work: bool, share: float | None = None) -> None:
        """Show whether something is being done, and which share of it is done."""
        self.trace_button.setEnabled(not at_work)
        self.bar.setVisible(at_work)
        self.cancel_button.setVisible(at_work)
        self.bar.setMaximum(0 if share is None else 1000)
        self.bar.setValue(round(1000 * (share or 0.0)))
