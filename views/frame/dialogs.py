"""Message boxes and the list of all keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QMessageBox,
    QVBoxLayout,
    QWidget,
)

from gpu.core.tables import Column
from views.widgets.labels import make_label
from views.widgets.layouts import fill, resize_within_screen
from views.widgets.table import ColumnTable, TableModel
from views.widgets.theme import Theme, application_icon

_QUESTION_NAME = "question"
_ABOUT_WIDTH = 440  # pixels of the text

_ABOUT = """
<h3>Formicarium</h3>
<p>Watch ant colonies solve travelling-salesman problems and color graphs, on a CUDA GPU or on the
CPU.</p>
<p>The colonies are our own and those of R. Skinderowicz, <i>The GPU-based parallel Ant Colony
System</i> (2016), <i>Implementing a GPU-based parallel MAX-MIN Ant System</i> (2020), <i>Improving
Ant Colony Optimization efficiency for solving large TSP instances</i> (2022); J. M. Cecilia et al.,
<i>Enhancing data parallelism for Ant Colony Optimization on GPUs</i> (2013); Y. Zhou et al.,
<i>Dynamic strategy based parallel ant colony optimization on GPUs for TSPs</i> (2017); R. Murooka,
Y. Ito and K. Nakano, <i>Accelerating Ant Colony Optimization for the Vertex Coloring Problem on the
GPU</i> (2017).</p>
<p>MIT License.</p>
"""


def about_box(parent: QWidget) -> None:
    """Show what the program is."""
    box = QMessageBox(parent, text=_ABOUT, textFormat=Qt.TextFormat.RichText)
    box.setWindowTitle("About Formicarium")
    box.setIconPixmap(application_icon().pixmap(64, 64))
    for label in box.findChildren(QLabel, "qt_msgbox_label"):
        label.setMinimumWidth(_ABOUT_WIDTH)  # else it would be narrow and high
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()


def ask(
    parent: QWidget,
    question: str,
    yes: str,
    no: str,
    agreed: Callable[[], object],
    declined: Callable[[], object] | None = None,
) -> None:
    """Ask ``question`` with the answers ``yes``, which calls ``agreed``, and ``no``, the usual one.

    If ``no`` calls something, too, there is a third answer: to cancel. A newer question replaces
    one that has no answer yet.
    """
    for former in parent.findChildren(QMessageBox, _QUESTION_NAME):
        former.reject()
    box = QMessageBox(parent, text=question, textFormat=Qt.TextFormat.PlainText)
    box.setObjectName(_QUESTION_NAME)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle("Formicarium")
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    accept = box.addButton(yes, QMessageBox.ButtonRole.AcceptRole)
    keep = box.addButton(no, QMessageBox.ButtonRole.RejectRole)
    escape = keep
    if declined is not None:
        keep.clicked.connect(declined)
        escape = box.addButton("Cancel", QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(keep)  # once all are there: else Tab would leave one out
    box.setEscapeButton(escape)
    accept.clicked.connect(agreed)
    box.open()


_KEYS_NOTE = (
    "In a plot: drag to move, turn the wheel to zoom, double-click to see all. "
    "In a number's field: ↑ and ↓ change it."
)
_KEYS_SIZE = 520, 620  # pixels at most

KEY_COLUMNS: Sequence[Column[tuple[str, str]]] = (
    Column("Key", itemgetter(0), mark=lambda _: "bold"),
    Column("What it does", itemgetter(1)),
)


class KeysDialog(QDialog):
    """What each key does, as a table to search: quick to open, however many keys there are."""

    def __init__(self, parent: QWidget, keys: Sequence[tuple[str, str]], theme: Theme) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.rows = list(keys)  # each key with what it does
        self.table: ColumnTable[tuple[str, str]] = ColumnTable(
            "Keys, and what they do", TableModel(itemgetter(0, 1))
        )
        self.table.apply_theme(theme)
        self.table.show_rows(KEY_COLUMNS, self.rows)
        self.table.horizontalHeader().setStretchLastSection(True)
        self.search = QLineEdit(placeholderText="Search for a key, or for what it does")
        self.search.setClearButtonEnabled(True)
        self.search.setAccessibleName("Search the keys")
        self.search.textChanged.connect(self._show_found)
        close = QDialogButtonBox.StandardButton.Close
        buttons = QDialogButtonBox(close)
        buttons.button(close).setIcon(QIcon())  # the desktop's may be dark in the dark theme
        buttons.rejected.connect(self.reject)
        note = make_label("note", _KEYS_NOTE, wrap=True)
        parts = self.search, (self.table, 1), note, buttons
        fill(QVBoxLayout(self), *parts, margins=(12, 12, 12, 12), spacing=8)
        wide, tall = _KEYS_SIZE
        resize_within_screen(self, min(wide, parent.width() - 40), min(tall, parent.height() - 40))

    def _show_found(self, text: str) -> None:
        """Show the rows with every word of ``text`` in them."""
        words = text.casefold().split()
        found = [
            row for row in self.rows if all(word in " ".join(row).casefold() for word in words)
        ]
        self.table.show_rows(KEY_COLUMNS, found)
