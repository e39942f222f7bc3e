"""Tables and figures of papers, as studies that can be made again."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from views.widgets.controls import make_button
from views.widgets.labels import make_label
from views.widgets.layouts import FlowLayout, fill, put_in_order
from views.widgets.steps import StepTimer

_PAPERS_HINT = (
    "What the papers have measured, to be measured again here. Shipped results are there to be "
    "looked at, with a GPU or without. Open a study to see its runs before any is made; its page "
    "puts our numbers beside the paper's."
)


_SOME = 3  # cards that are made, or laid out, at a time


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A table or figure of a paper."""

    name: str  # such as 2016/table-5
    paper: str  # as a list of references has it
    item: str  # such as Table 5
    shows: str  # what it compares, in a sentence
    runs: str  # whether it can run here, in a few words
    why: str  # what is left out, and why; may be empty
    time: str  # how long it takes
    can_open: bool  # whether there is something to run
    has_results: bool
    to_fetch: tuple[str, ...] = ()  # instances that it needs, which can be downloaded
    kept: str = ""  # which runs come with the program, on what they were made; empty for none
    needs_gpu: bool = False  # whether a part of it needs a GPU that is not here


class PaperCard(QFrame):
    """What a table or figure shows, whether it can run here, and its buttons."""

    def __init__(self, row: PaperRow) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.row = row
        self.setAccessibleName(f"{row.item}: {row.shows}")
        self.open_button = make_button("", "Open study", f"{row.item} in the view Study")
        self.page_button = make_button("", "Show page", f"The page of {row.item}")
        count = len(row.to_fetch)
        fetch = f"Download {count} instance{'' if count == 1 else 's'}"
        self.fetch_button = make_button("", fetch, ", ".join(row.to_fetch))
        tip = "Runs that come with the program: table, plots, and what the paper says"
        self.kept_button = make_button("", "Shipped results", tip)
        # left to right
        self.buttons = self.fetch_button, self.page_button, self.kept_button, self.open_button
        for button in self.buttons:
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.setAccessibleName(f"{button.text()}: {row.item}, {row.paper}")
        self.open_button.setEnabled(row.can_open)
        if not row.kept:
            self.kept_button.hide()
        if (
            not row.has_results and not row.kept
        ):  # to show a part before it has a place would open a window
            self.page_button.hide()
        if not count:
            self.fetch_button.hide()
        badge = make_label("badge", row.runs)
        item = make_label("value", row.item)
        top = FlowLayout(item, badge, *self.buttons)  # in a narrow gallery, in two rows
        column = fill(QVBoxLayout(self), top, margins=(10, 6, 10, 7), spacing=3)
        column.addWidget(make_label("", row.shows, wrap=True))
        for text in filter(None, (row.kept, row.why, row.time)):
            column.addWidget(make_label("note", text, wrap=True))


class PapersPage(QScrollArea):
    """A card for each table and figure, paper by paper."""

    open_wanted = Signal(str)  # name of the item whose study the user wants
    fetch_wanted = Signal(object)  # list of the names of instances that an item needs
    kept_wanted = Signal(str)  # name of the one whose results are wanted that come with the program
    page_wanted = Signal(str)  # name of the one whose page is wanted
    shown = Signal()  # the page has come into sight

    def __init__(self) -> None:
        super().__init__(widgetResizable=True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.cards: dict[str, PaperCard] = {}
        self._rows: tuple[PaperRow, ...] = ()
        self._waiting: deque[PaperRow] = deque()  # rows whose cards are not made yet
        self._folded: deque[QWidget] = deque()  # parts that have no room yet in another width
        self._width = 0  # for which cards are laid out
        self._place = 0  # to which the page was scrolled
        self._soon = StepTimer(self)
        self._soon.timeout.connect(self._go_on)
        page = QWidget()
        page.setProperty("role", "page")
        self._column = fill(QVBoxLayout(page), margins=(2, 2, 8, 8), spacing=6)
        self._column.addWidget(make_label("note", _PAPERS_HINT, wrap=True))
        self.waits = make_label("muted", "Looking at what can run here …", wrap=True)
        self._column.addWidget(self.waits)
        self._column.addStretch(1)
        self._parts: list[QWidget] = []  # headings and cards
        self.setWidget(page)

    def show_rows(self, rows: Sequence[PaperRow]) -> None:
        """Show these tables and figures; a few cards at a time, and those alone that change."""
        before, self._rows = self._rows, tuple(rows)
        self.waits.hide()
        if [row.name for row in before] != [row.name for row in rows]:
            for part in self._parts:
                self._column.removeWidget(part)
                part.hide()
                part.deleteLater()
            self._parts.clear()
            self._folded.clear()
            self.cards.clear()
        there = {name: card.row for name, card in self.cards.items()}
        self._waiting = deque(row for row in rows if there.get(row.name) != row)
        if self._waiting:
            self._soon.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Come into sight in another width with no card: a few of them follow at a time.

        Their lines break anew, and to lay out all of them at once would stop the window.
        """
        width, before = event.size().width(), self._width
        self._width = width
        if width != before and not self.viewport().isVisible() and self._parts:
            self._place = self.verticalScrollBar().value()
            for part in self._parts:
                part.hide()
            self._folded = deque(self._parts)
            self._soon.start()
        super().resizeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Tell that the cards are looked at."""
        super().showEvent(event)
        self.shown.emit()

    def _go_on(self) -> None:
        """Lay out or make the next cards."""
        if not self._folded:
            self._put_some()
            return
        for part in [self._folded.popleft() for _ in range(min(_SOME, len(self._folded)))]:
            part.show()
        if not self._folded:
            self._column.activate()  # the bar knows its range
            self.verticalScrollBar().setValue(self._place)
            if not self._waiting:
                self._soon.stop()

    def _put_some(self) -> None:
        """Make the next cards, in the places of former ones of the same tables and figures."""
        for row in [self._waiting.popleft() for _ in range(min(_SOME, len(self._waiting)))]:
            card = PaperCard(row)
            card.open_button.clicked.connect(lambda _=False, row=row: self._open(row))
            card.page_button.clicked.connect(lambda _=False, row=row: self._page(row))
            card.kept_button.clicked.connect(lambda _=False, row=row: self._kept(row))
            card.fetch_button.clicked.connect(lambda _=False, row=row: self._fetch(row))
            if (former := self.cards.get(row.name)) is not None:
                self._column.replaceWidget(former, card)
                self._parts[self._parts.index(former)] = card
                former.hide()
                former.deleteLater()
            else:
                last = next(reversed(self.cards.values()), None)
                if last is None or last.row.paper != row.paper:
                    self._append(make_label("heading", row.paper, wrap=True))
                self._append(card)
            self.cards[row.name] = card
        if not self._waiting:
            self._soon.stop()
            cards = list(self.cards.values())
            # a new card would come last
            put_in_order(*(button for card in cards for button in card.buttons))

    def _append(self, part: QWidget) -> None:
        self._column.insertWidget(self._column.count() - 1, part)  # before the stretch
        self._parts.append(part)

    def _open(self, row: PaperRow) -> None:
        self.open_wanted.emit(row.name)

    def _fetch(self, row: PaperRow) -> None:
        self.fetch_wanted.emit(list(row.to_fetch))

    def _kept(self, row: PaperRow) -> None:
        self.kept_wanted.emit(row.name)

    def _page(self, row: PaperRow) -> None:
        self.page_wanted.emit(row.name)
