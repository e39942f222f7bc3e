"""Size, place and arrangement of the window, kept from one session to the next."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QMainWindow

from views.frame.actions import Actions
from views.frame.dashboard import Dashboard
from views.problem_display import DISPLAYS

_USUAL_SIZE = (1280, 800)


def save(settings: QSettings, window: QMainWindow, dashboard: Dashboard, actions: Actions) -> None:
    """Write the state. The size during a presentation is not kept."""
    put = settings.setValue
    if not actions["present"].isChecked():
        put("geometry", window.saveGeometry())
    put("panel", actions["panel"].isChecked())
    put("across", dashboard.across.saveState())
    put("down", dashboard.down.saveState())
    for problem, tabs in dashboard.tabs.items():
        put(f"tabs-{problem}", tabs)
    settings.sync()


def restore(
    settings: QSettings, window: QMainWindow, dashboard: Dashboard, actions: Actions
) -> None:
    """Read the state. What cannot be read is left as it is."""
    get = settings.value
    geometry = get("geometry")
    if not (isinstance(geometry, QByteArray) and window.restoreGeometry(geometry)):
        window.resize(*_USUAL_SIZE)
    for name, splitter in (("across", dashboard.across), ("down", dashboard.down)):
        state = get(name)
        if isinstance(state, QByteArray):
            splitter.restoreState(state)
    for problem in DISPLAYS:
        tabs = get(f"tabs-{problem}")
        if isinstance(tabs, list) and len(tabs) == len(dashboard.panes):
            indexes = [int(index) if str(index).isdecimal() else 0 for index in tabs]
            dashboard.choose_tabs(problem, indexes)
    actions["panel"].setChecked(str(get("panel", True)).lower() != "false")
