"""Keeps the best-known cost that the user types in, and shows the instance or the run with it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QInputDialog

from app.files.best_known import keep
from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task
from gpu.core.instance import Instance
from views.frame.activity import Activity
from views.widgets.labels import plain_tip


class BestKnownController(Controller):
    """Asks for a number, and has what is in sight loaded again, which then has it.

    That is the log of the run that has ended, or the file of the instance. While a run or a
    measurement goes on, nothing is loaded.
    """

    kept = Signal(object, str)  # path of a log or an instance, and how the instance is read

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
        question = f"{known[:1].upper()}{known[1:]} (0 forgets what you gave):"
        dialog.setLabelText(plain_tip(question))
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
                lambda _: self._show(instance),
                self._window.tell,
            )
        )

    def _show(self, instance: Instance) -> None:
        """Have ``instance`` loaded again, if it is still the one in sight and nothing goes on."""
        if instance is not self._instance.value:
            return
        if self._window.activity is Activity.IDLE:
            self.kept.emit(self._in_sight(instance), instance.read_as)
        else:
            known = instance.problem.words.known
            self._window.tell(f"{known} is kept, for when {instance.name} is opened again", "info")

    def _in_sight(self, instance: Instance) -> Path | None:
        """Return the log of the ended run on ``instance``, or else the file of the instance."""
        run = self._runs.current
        ended = run is not None and not self._runs.busy and run.instance is instance
        return run.recorder.path if run and ended and not run.recorder.lost else instance.path
