"""Size, place and arrangement of the window, kept from one session to the next."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QMainWindow

from views.frame.actions import Actions
from views.frame.dashboard import Dashboard
from views.problem_display import DISPLAYS

USUAL_SIZE = (1280, 800)


class WindowState:
    """Saves and restores what the user arranged. What cannot be read is left as it is."""

    def __init__(
        self, window: QMainWindow, dashboard: Dashboard, actions: Actions, settings: QSettings
    ) -> None:
        self._window, self._dashboard, self._settings = window, dashboard, settings
        self._panel, self._presentation = actions["panel"], actions["present"]
        self._splitters = {"across": dashboard.across, "down": dashboard.down}

    def save(self) -> None:
        """Write the state. The size during a presentation is not kept."""
        put = self._settings.setValue
        if not self._presentation.isChecked():
            put("geometry", self._window.saveGeometry())
        put("panel", self._panel.isChecked())
        for name, splitter in self._splitters.items():
            put(name, splitter.saveState())
        for problem, tabs in self._dashboard.tabs.items():
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
        for problem in DISPLAYS:
            tabs = get(f"tabs-{problem}")
            if isinstance(tabs, list) and len(tabs) == len(self._dashboard.panes):
                indexes = [int(index) if str(index).isdecimal() else 0 for index in tabs]
                self._dashboard.choose_tabs(problem, indexes)
        self._panel.setChecked(str(get("panel", True)).lower() != "false")
