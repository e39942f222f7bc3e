"""What a view or a plot shows, on request: some sentences, and perhaps a paper to read."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from views.widgets.labels import make_label, make_link
from views.widgets.layouts import fill

_WIDTH = 380  # pixels at scale 1


@dataclass(frozen=True, slots=True)
class Paper:
    """A publication."""

    title: str  # authors, title and year
    doi: str

    @property
    def link(self) -> str:
        """Where it is found."""
        return f"https://doi.org/{quote(self.doi)}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a view or a plot shows."""

    text: str
    paper: Paper | None = None  # to read more


class ExplanationCard(QFrame):
    """A card beside a button. A click elsewhere or Esc closes it."""

    def __init__(self, parent: QWidget, title: str, explanation: Explanation) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("role", "explanation")
        self.setAccessibleName(f"What {title} shows")
        self.text = make_label("", explanation.text, wrap=True)
        parts: list[QLabel] = [make_label("heading", title, wrap=True), self.text]
        self.link: QLabel | None = None
        if paper := explanation.paper:
            self.link = make_link(paper.link, paper.title)
            self.link.setAccessibleName(f"Paper: {paper.title}")
            parts.append(self.link)
        self._layout = fill(QVBoxLayout(self), *parts, margins=(14, 10, 14, 12), spacing=8)

    def open_below(self, button: QWidget, scale: float) -> None:
        """Open below ``button``, within its window; its link gets the focus, if it has one."""
        width = round(_WIDTH * scale)
        self.resize(width, self._layout.heightForWidth(width))
        window = button.window()
        corner = button.mapToGlobal(QPoint(button.width(), button.height()))
        left = max(window.mapToGlobal(QPoint(4, 0)).x(), corner.x() - width)
        lowest = window.mapToGlobal(QPoint(0, window.height())).y() - self.height() - 4
        self.move(left, max(0, min(corner.y() + 2, lowest)))
        self.show()
        (self.link or self).setFocus(Qt.FocusReason.PopupFocusReason)
