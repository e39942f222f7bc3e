"""Which instance is loaded, and buttons to open others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QProgressBar, QWidget

from gpu.core.instance import Instance
from views.problem_display import DROP_HERE, OPEN_TIP, display_of
from views.setup.card import Card
from views.widgets.controls import make_button
from views.widgets.labels import make_label, plain_tip
from views.widgets.layouts import fill

_BEST_KNOWN_TIP = "Give the best known cost yourself: gaps are measured by it; the run is cleared"


class InstanceCard(Card):
    """Name and facts of the instance."""

    open_requested = Signal()  # the user wants to choose a file
    best_known_requested = Signal()  # the user wants to give the best-known cost
    draw_requested = Signal()  # the user wants to draw one
    path_chosen = Signal(object)  # path of the bundled instance that the user chose

    def __init__(self) -> None:
        super().__init__("INSTANCE")
        self.instance: Instance | None = None
        self.loading = ""
        open_button = self.add_button("Open…", f"{OPEN_TIP} (Ctrl+O), or drop one on the window")
        open_button.clicked.connect(self.open_requested)
        self.bundled_menu = QMenu(self)
        tip = "Instances that come with the program (Ctrl+B)"
        self.bundled_button = self.add_button("Bundled ▾", tip, self.bundled_menu)
        draw_tip = "Draw cities of your own, or trace a picture (Ctrl+Shift+D)"
        self.draw_button = make_button("segment", "Draw cities…", draw_tip)
        self.draw_button.clicked.connect(self.draw_requested)
        self.name = make_label("value", wrap=True)
        self.facts, self.seen, self.warning = (make_label("note", wrap=True) for _ in range(3))
        self.best_known = make_button("segment", "Best known…", _BEST_KNOWN_TIP)
        self.best_known.clicked.connect(self.best_known_requested)
        self.bar = QProgressBar(maximum=0, textVisible=False)
        self.bar.setAccessibleName("The instance is being read")
        for widget in (self.name, self.facts, self.seen, self.warning, self.bar):
            self.column.addWidget(widget)
        self.column.addLayout(
            fill(QHBoxLayout(), self.draw_button, self.best_known, (QWidget(), 1), spacing=4)
        )
        self.show_instance(None)

    def show_loading(self, name: str) -> None:
        """Say that the file ``name`` is being read; an empty name ends that."""
        self.loading = name
        self._describe()

    def show_instance(self, instance: Instance | None) -> None:
        """Show which instance is loaded."""
        self.instance, self.loading = instance, ""
        self._describe()

    def show_bundled(self, paths: Sequence[tuple[str, Path]]) -> None:
        """Offer the instances that come with the program: (text, file)."""
        self.bundled_menu.clear()
        for text, path in paths:
            action = self.bundled_menu.addAction(text)
            action.triggered.connect(lambda _=False, path=path: self.path_chosen.emit(path))
        self.bundled_button.setEnabled(bool(paths))

    def _describe(self) -> None:
        self.bar.setVisible(bool(self.loading))
        self.best_known.setVisible(self.instance is not None and not self.loading)
        instance = self.instance
        self.name.setToolTip(plain_tip(str(instance.path or "") if instance else ""))
        self.facts.setToolTip(plain_tip(instance.comment if instance else ""))
        seen, note = (
            ("", "") if instance is None or self.loading else (instance.seen, instance.note)
        )
        self.seen.setText(f"Read as {seen}" if seen else "")
        self.seen.setVisible(bool(seen))
        self.warning.setText(f"⚠ {note}" if note else "")
        self.warning.setVisible(bool(note))
        if self.loading:
            self.name.setText(self.loading)
            self.facts.setText("is being loaded …")
        elif instance is None:
            self.name.setText("None yet")
            self.facts.setText(DROP_HERE)
        else:
            self.name.setText(instance.name)
            self.facts.setText(display_of(instance).facts(instance))
