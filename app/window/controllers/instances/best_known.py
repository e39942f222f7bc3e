"""Keeps the best-known cost that the user types in, and shows the instance with it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QInputDialog

from app.files.best_known import keep
from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task


class BestKnownController(Controller):
    """Asks for a number, and has the instance loaded again, which then has it."""

    kept = Signal(object, str)  # path of the instance's file, and how it is read

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._window.setup.instance.best_known_requested.connect(self.ask)

    @Slot()
    def ask(self) -> None:
        """Ask for the best-known cost."""
        instance = self._instance.value
        if instance is None:
            return
        known = instance.problem.words.known
        dialog = QInputDialog(self._window)
        dialog.setObjectName("best-known")
        dialog.setWindowTitle("Best known")
        dialog.setLabelText(f"{known[:1].upper()}{known[1:]} (0 forgets what you gave):")
        dialog.setTextValue(str(instance.optimum or ""))
        dialog.textValueSelected.connect(self._keep)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @Slot(str)
    def _keep(self, text: str) -> None:
        instance, plain = self._instance.value, "".join(text.split())
        if instance is None:
            return
        if not (plain.isascii() and plain.isdecimal() and len(plain) < 20):
            self._window.tell(f"{text[:40]!r} is not a whole number: nothing is kept")
            return
        self._background.start(
            Task(
                lambda _: keep(instance, int(plain)),
                lambda _: self.kept.emit(instance.path, instance.read_as),
                self._window.tell,
            )
        )
