"""A field that says itself what is wrong with what stands in it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget


class Field(QWidget):
    """An entry with its problem, if there is one, below it.

    Parameters
    ----------
    name : str
        What readers of the screen call it.
    entry : QWidget
        Where the user writes or chooses.

    Attributes
    ----------
    changed : Signal
        The user changed what stands in it.
    """

    changed = Signal()

    def __init__(self, name: str, entry: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entry = entry
        entry.setAccessibleName(name)
        self.problem_label = QLabel()
        self.problem_label.setProperty("role", "problem")
        self.problem_label.setWordWrap(True)
        self.problem_label.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(1)
        layout.addWidget(entry)
        layout.addWidget(self.problem_label)
        self.setFocusProxy(entry)
        self.setFocusPolicy(entry.focusPolicy())  # or it would have no place in a tab order

    @property
    def problem(self) -> str:
        """What is wrong, or nothing."""
        return self.problem_label.text()

    @problem.setter
    def problem(self, text: str) -> None:
        if text == self.problem_label.text():
            return
        self.problem_label.setText(text)
        self.problem_label.setVisible(bool(text))
        self._entry.setProperty("valid", not text)
        self._entry.style().unpolish(self._entry)
        self._entry.style().polish(self._entry)
