"""A field that says what is wrong with its content."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from views.widgets.labels import make_label
from views.widgets.layouts import fill


class Field(QWidget):
    """An entry; if its content is wrong, the problem stands below it.

    Parameters
    ----------
    name : str
        Its name for screen readers.
    entry : QWidget
        The widget in which the user writes or chooses.

    Attributes
    ----------
    changed : Signal
        The user changed the content.
    """

    changed = Signal()

    def __init__(self, name: str, entry: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entry = entry
        entry.setAccessibleName(name)
        self.problem_label = make_label("problem", wrap=True)
        self.problem_label.hide()
        fill(QVBoxLayout(self), entry, self.problem_label, spacing=1)
        self.setFocusProxy(entry)
        self.setFocusPolicy(entry.focusPolicy())  # else Tab would not reach it

    @property
    def problem(self) -> str:
        """What is wrong; empty if nothing is."""
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
