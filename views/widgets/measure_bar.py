"""The controls of a measurement: start, cancel, progress and its last message."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from views.widgets.labels import make_label, plain_tip
from views.widgets.layouts import fill


class MeasureBar(QWidget):
    """Progress and message of a measurement; hidden while there is none.

    Its button starts the measurement or cancels it; the view that makes the bar places the button.
    """

    started = Signal()  # the user pressed the button
    cancelled = Signal()  # the same during a measurement

    def __init__(self, action: str, tip: str) -> None:
        super().__init__()
        self._action, self._tip = action, tip
        self._running = False
        self._why_not = ""
        self.button = QPushButton()
        self.button.clicked.connect(self._pressed)
        self.progress = QProgressBar()
        self.progress.setAccessibleName("Progress of the measurement")
        self.progress.setTextVisible(False)
        self.progress.setRange(0, 1000)
        self.note = make_label("note", wrap=True)
        fill(QHBoxLayout(self), (self.progress, 1), (self.note, 3))
        self.finish("")

    def allow(self, why_not: str = "") -> None:
        """Enable the button, or disable it and say why."""
        self._why_not = why_not
        self._update()

    def begin(self, text: str) -> None:
        """Show that a measurement goes on."""
        self._running = True
        self.advance(0.0, text)
        self._update()

    def advance(self, share: float, text: str) -> None:
        """Show how much is done, in [0, 1], and what is being measured."""
        self.progress.setValue(round(1000 * share))
        self.note.setText(text)
        self.setVisible(True)

    def finish(self, text: str) -> None:
        """Show that the measurement has ended, with the message ``text``."""
        self._running = False
        self.note.setText(text)
        self._update()

    def _update(self) -> None:
        self.progress.setVisible(self._running)
        self.setVisible(self._running or bool(self.note.text()))
        self.button.setText("Cancel" if self._running else self._action)
        self.button.setEnabled(self._running or not self._why_not)
        self.button.setToolTip(plain_tip("" if self._running else self._why_not or self._tip))

    def _pressed(self) -> None:
        (self.cancelled if self._running else self.started).emit()
