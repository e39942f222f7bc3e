"""Finds the devices of this machine as the window opens, and warms up the first one."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.files.loading import warm_up
from app.window.controllers.controller import Controller, Parts
from app.window.process import resume_garbage_collection
from app.window.threads.tasks import Task
from gpu.core.machine import devices
from gpu.core.machine.compiling import COMPILING
from gpu.core.machine.devices import Survey

COMPILING_LOOK = 250  # milliseconds between two looks at how much of a colony is compiled


class DeviceController(Controller):
    """Lists the devices in the window, and imports and compiles what a run needs."""

    found = Signal()  # the window shows the devices
    compiled = Signal(object)  # every moment: how much is compiled, or None; see COMPILING
    # A run needs no import and no compiler any more. The first run need not wait for this, but
    # otherwise it holds up the window a little.
    warm = Signal()

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        # The colony that will be run first, where it is known already.
        self.expected = ""
        looking = QTimer(self, interval=COMPILING_LOOK)
        looking.timeout.connect(lambda: self.compiled.emit(COMPILING.count))
        self.compiled.connect(self._window.run_bar.show_compiling)
        looking.start()
        self._background.start(Task(lambda _: devices.survey(), self._found, self._not_found))

    def _found(self, survey: Survey) -> None:
        # If the warm-up fails, the first run will say why.
        warming = Task(lambda _: warm_up(survey.devices[0], self.expected))
        warming.ended.connect(self._warmed)
        self._background.start(warming)
        self._window.setup.colony.show_survey(survey)
        self.found.emit()

    def _not_found(self, sentence: str) -> None:
        resume_garbage_collection()
        self._window.tell(sentence)

    @Slot()
    def _warmed(self) -> None:
        resume_garbage_collection()
        self.warm.emit()
