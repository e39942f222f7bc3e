"""Size, place and arrangement of the window, kept from one session to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSettings

from gpu.core.problem import Problem

if TYPE_CHECKING:
    from views.frame.main_window import MainWindow

USUAL_SIZE = (1280, 800)


class WindowState:
    """Saves and restores what the user arranged; anything unreadable is left as it is made."""

    def __init__(self, window: MainWindow, settings: QSettings) -> None:
        self._window = window
        self._settings = settings
        dashboard = window.dashboard
        self._splitters = {"across": dashboard.across, "down": dashboard.down}

    def save(self) -> None:
        """Write the state; the size of a presentation is none to come back to."""
        window, put = self._window, self._settings.setValue
        if not window.presenting:
            put("geometry", window.saveGeometry())
        put("panel", window.actions_["panel"].isChecked())
        for name, splitter in self._splitters.items():
            put(name, splitter.saveState())
        for problem, tabs in window.dashboard.tabs.items():
            put(f"tabs-{problem}", tabs)
        self._settings.sync()

    def restore(self) -> None:
        """Read the state."""
        window, get = self._window, self._settings.value
        geometry = get("geometry")
        if not (isinstance(geometry, QByteArray) and window.restoreGeometry(geometry)):
            window.resize(*USUAL_SIZE)
        for name, splitter in self._splitters.items():
            state = get(name)
            if isinstance(state, QByteArray):
                splitter.restoreState(state)
        for problem in Problem:
            tabs = get(f"tabs-{problem}")
            if isinstance(tabs, list) and len(tabs) == len(window.dashboard.panes):
                indexes = [int(index) if str(index).isdecimal() else 0 for index in tabs]
                window.dashboard.choose_tabs(problem, indexes)
        shown = str(get("panel", True)).lower() != "false"
        window.actions_["panel"].setChecked(shown)
