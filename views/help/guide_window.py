"""The window of the guides: their titles and a search at the left, a page at the right."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from gpu.core.words import counted
from views.help.guide import Passage, find, guides, passages, search
from views.help.guide_page import GuidePage
from views.widgets.controls import make_button
from views.widgets.labels import make_label
from views.widgets.layouts import fill, resize_within_screen
from views.widgets.theme import Theme, application_icon, icon

_SIZE = 980, 720
_SOON = 120  # milliseconds after a key, in which a list is not made anew
_PLACE = Qt.ItemDataRole.UserRole  # of an item: the page and the anchor that it leads to


class GuideWindow(QWidget):
    """A window of its own, beside the main one, that stays until it is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, on=False)
        self.setWindowTitle("Guides – Formicarium")
        self.setWindowIcon(application_icon())
        self.setProperty("role", "window")
        self.setMinimumSize(520, 320)
        self._past: list[tuple[str, str]] = []  # pages before this one, the nearest last
        self._future: list[tuple[str, str]] = []
        self._here = "", ""
        self.back = make_button("plain", tip="The page before (Alt+Left)", clicked=self._go_back)
        self.forth = make_button("plain", tip="The next page (Alt+Right)", clicked=self._go_forth)
        self.back.setAccessibleName("The page before")
        self.forth.setAccessibleName("The next page")
        for keys, slot in (("Alt+Left", self._go_back), ("Alt+Right", self._go_forth)):
            QShortcut(QKeySequence(keys), self, slot)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self, self._begin_search)
        self.search = QLineEdit(placeholderText="Search the guides", clearButtonEnabled=True)
        self.search.setAccessibleName("Search the guides")
        self._soon = QTimer(self, singleShot=True, interval=_SOON)
        self._soon.timeout.connect(self.list_found)
        self.search.textChanged.connect(lambda _: self._soon.start())
        self.search.returnPressed.connect(self._open_first)
        self.search.installEventFilter(self)
        self.list = QListWidget()
        self.list.setWordWrap(True)
        self.list.setProperty("role", "guides")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setAccessibleName("Guides")
        self.list.itemClicked.connect(self._open_item)
        self.list.itemActivated.connect(self._open_item)
        self.note = make_label("note", wrap=True)
        self.page = GuidePage()
        self.page.page_wanted.connect(self.go)
        left = QWidget()
        steps = fill(QHBoxLayout(), self.back, self.forth, (self.search, 1), spacing=2)
        fill(QVBoxLayout(left), steps, (self.list, 1), self.note, spacing=6)
        split = QSplitter(childrenCollapsible=False, handleWidth=8)
        split.addWidget(left)
        split.addWidget(self.page)
        split.setSizes([270, 700])
        split.setStretchFactor(1, 1)
        fill(QVBoxLayout(self), split, margins=(8, 8, 8, 8))
        resize_within_screen(self, *_SIZE)
        self.list_found()
        self._show_steps()

    @property
    def shown(self) -> tuple[str, str]:
        """The page in sight, and the anchor that it was opened at."""
        return self._here

    def read(self, target: str) -> None:
        """Show the passage ``target``; KeyError if there is none."""
        passage = find(target)
        self.go(passage.page, passage.anchor)
        self.show()
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.raise_()
        self.activateWindow()

    @Slot(str, str)
    def go(self, page: str, anchor: str) -> None:
        """Show a place of a page; the present one can be come back to."""
        if self._here[0] and (page, anchor) != self._here:
            self._past.append(self._here)
            self._future.clear()
        self._open(page, anchor)

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        self.back.setIcon(icon("chevron-left", theme))
        self.forth.setIcon(icon("chevron-right", theme))
        self.page.apply_theme(theme)

    def list_found(self) -> None:
        """List the passages with what is sought, or all guides."""
        self._soon.stop()
        self.list.clear()
        if not self._words:
            for page in guides():
                first = passages(page)[0]
                self._add(first.title, first)
            self.note.hide()
        else:
            found = search(self.search.text())
            for passage, excerpt in found:
                where = "" if passage.heading == passage.title else f"  ({passage.title})"
                self._add(f"{passage.heading}{where}\n{excerpt}", passage)
            self.note.setText(counted(len(found), "passage") if found else "No guide has that")
            self.note.show()
        self._choose_shown()

    @property
    def _words(self) -> list[str]:
        return self.search.text().split()

    def _add(self, text: str, passage: Passage) -> None:
        item = QListWidgetItem(text)
        item.setData(_PLACE, (passage.page, passage.anchor))
        self.list.addItem(item)

    def _choose_shown(self) -> None:
        """Choose the item of the page in sight."""
        self.list.setCurrentRow(-1)
        for row in range(self.list.count()):
            page, anchor = self.list.item(row).data(_PLACE)
            if page == self._here[0] and (not self._words or anchor == self._here[1]):
                self.list.setCurrentRow(row)
                return

    def _open(self, page: str, anchor: str) -> None:
        self._here = page, anchor
        self.page.show_page(page, anchor, self._words)
        self._show_steps()
        self._choose_shown()

    @Slot(QListWidgetItem)
    def _open_item(self, item: QListWidgetItem) -> None:
        self.go(*item.data(_PLACE))

    @Slot()
    def _open_first(self) -> None:
        if self._soon.isActive():
            self.list_found()
        if self._words and self.list.count():
            self._open_item(self.list.item(0))

    @Slot()
    def _begin_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    @Slot()
    def _go_back(self) -> None:
        if self._past:
            self._future.append(self._here)
            self._open(*self._past.pop())

    @Slot()
    def _go_forth(self) -> None:
        if self._future:
            self._past.append(self._here)
            self._open(*self._future.pop())

    def _show_steps(self) -> None:
        self.back.setEnabled(bool(self._past))
        self.forth.setEnabled(bool(self._future))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Go from the search to what it has found by the arrow down."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            down = event.key() == Qt.Key.Key_Down and self.list.count() > 0
            if down:
                self.list.setFocus()
                self.list.setCurrentRow(max(0, self.list.currentRow()))
            return down
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take what was sought back by Esc, then close."""
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self._words:
            self.search.clear()
        else:
            self.close()
