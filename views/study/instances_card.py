"""The instances of a study: a list of files and names, and buttons that add and remove some."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem, QMenu, QWidget

from gpu.core.words import shown
from views.setup.card import Card
from views.widgets.controls import make_button
from views.widgets.labels import plain_tip
from views.widgets.layouts import FlowLayout


class InstancesCard(Card):
    """The list, with its buttons above it."""

    changed = Signal()  # others are in the list now
    this_requested = Signal()  # the one in sight
    files_requested = Signal()

    def __init__(self) -> None:
        super().__init__("INSTANCES")
        self.bundled_menu = QMenu(self)
        self.this_button = make_button("segment", "This instance", "Add the instance in sight")
        self.bundled_button = make_button(
            "segment", "Bundled ▾", "Add an instance that comes with the program"
        )
        self.bundled_button.setPopupMode(self.bundled_button.ToolButtonPopupMode.InstantPopup)
        self.bundled_button.setMenu(self.bundled_menu)
        self.files_button = make_button("segment", "Files…", "Add files of instances")
        self.remove_button = make_button("segment", "Remove", "Remove the selected instances (Del)")
        buttons = self.this_button, self.bundled_button, self.files_button, self.remove_button
        for button in buttons:
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.this_button.clicked.connect(self.this_requested)
        self.files_button.clicked.connect(self.files_requested)
        self.remove_button.clicked.connect(self._remove_selected)
        row = QWidget()
        row.setLayout(FlowLayout(*buttons))
        self.list = QListWidget()
        self.list.setAccessibleName("Instances of the study")
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.setFixedHeight(74)
        self.list.itemSelectionChanged.connect(self._enable)
        key = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self.list)
        key.setContext(Qt.ShortcutContext.WidgetShortcut)
        key.activated.connect(self._remove_selected)
        self.column.addWidget(row)
        self.column.addWidget(self.list)
        self._enable()

    @property
    def texts(self) -> list[str]:
        """The files or names in the list."""
        items = (self.list.item(at) for at in range(self.list.count()))
        return [str(item.data(Qt.ItemDataRole.UserRole)) for item in items if item is not None]

    def show_texts(self, texts: Sequence[str]) -> None:
        """Show another list."""
        self.list.clear()
        self.add(texts)

    def add(self, texts: Sequence[str]) -> None:
        """Add instances that are not there yet, by file or name."""
        for text in texts:
            if text not in self.texts:
                name = Path(text).name if "\0" not in text else text
                item = QListWidgetItem(shown(name, 200))
                item.setData(Qt.ItemDataRole.UserRole, text)
                item.setToolTip(plain_tip(text))
                self.list.addItem(item)
        self.changed.emit()

    def show_bundled(self, names: Sequence[tuple[str, str]]) -> None:
        """Offer the instances that come with the program: (text, name)."""
        for text, name in names:
            action = self.bundled_menu.addAction(text)
            action.triggered.connect(lambda _=False, name=name: self.add([name]))

    def _remove_selected(self) -> None:
        for item in self.list.selectedItems():
            self.list.takeItem(self.list.row(item))
        self._enable()
        self.changed.emit()

    def _enable(self) -> None:
        self.remove_button.setEnabled(bool(self.list.selectedItems()))
