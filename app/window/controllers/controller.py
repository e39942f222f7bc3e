"""The base of controllers, and what they connect."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QObject

from app.window.models.loaded_instance import LoadedInstance
from app.window.models.run_list import RunList
from app.window.threads.tasks import BackgroundTasks
from gpu.run.log.archive import Archive
from views.frame.main_window import MainWindow

# Share of one core that the window may take while a colony computes on all cores.
SHARE_BESIDE_ALL_CORES = 0.025


class Parts(NamedTuple):
    """The models, the work in the background, what was recorded, and the window."""

    runs: RunList
    instance: LoadedInstance
    background: BackgroundTasks
    archive: Archive
    window: MainWindow


class Controller(QObject):
    """Connects models with the window, in one respect."""

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parent)
        self._runs, self._instance, self._background, _, self._window = parts
