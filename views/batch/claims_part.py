"""What a paper's text says of a study's results, each sentence with its verdict."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from views.widgets.labels import make_label
from views.widgets.layouts import fill, scrolled

_HINT = (
    "What the paper says of these results, in our words, and whether the runs bear it out. The "
    "verdicts are computed from the results; how, stands in the guide's page on the papers."
)
_NONE = "The claims come here with the results."


class ClaimCard(QFrame):
    """One claim: the verdict, what the paper says, and what the runs say."""

    def __init__(self, says: str, verdict: str, ours: str) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setAccessibleName(f"{verdict}: {says}")
        top = fill(QHBoxLayout(), make_label("badge", verdict), (QWidget(), 1), spacing=8)
        column = fill(QVBoxLayout(self), top, margins=(10, 6, 10, 7), spacing=3)
        column.addWidget(make_label("", says, wrap=True))
        if ours:
            column.addWidget(make_label("note", ours, wrap=True))


class ClaimsPart(QWidget):
    """The claims of one table or figure, below how many there are of each verdict."""

    def __init__(self) -> None:
        super().__init__()
        self.title = make_label("heading", wrap=True)
        self.counts = make_label("value", wrap=True)
        self.cards: list[ClaimCard] = []
        page = QWidget()
        page.setProperty("role", "page")
        self._column = fill(QVBoxLayout(page), margins=(2, 2, 8, 8), spacing=6)
        for part in (self.title, self.counts, make_label("note", _HINT, wrap=True)):
            self._column.addWidget(part)
        self._column.addStretch(1)
        fill(QVBoxLayout(self), (scrolled(page), 1))
        self.show_claims("", _NONE, ())

    def show_claims(self, title: str, counts: str, claims: Sequence[Sequence[str]]) -> None:
        """Show other claims, each as what the paper says, the verdict, and our runs."""
        self.title.setText(title)
        self.title.setVisible(bool(title))
        self.counts.setText(counts)
        for card in self.cards:
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        self.cards = [ClaimCard(*claim) for claim in claims]
        for card in self.cards:
            self._column.insertWidget(self._column.count() - 1, card)  # before the stretch
