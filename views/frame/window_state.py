"""What is kept from one session to the next: size, place and arrangement of the window, theme."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow

from views.frame.actions import Actions
from views.frame.dashboard import Dashboard
from views.problem_display import DISPLAYS
from views.widgets.theme import DARK, LIGHT, Theme, system_theme

_USUAL_SIZE = (1280, 800)
_NAMED = {"light": LIGHT, "dark": DARK}


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


class ThemeChoice(QObject):
    """Which theme the user has chosen; the choice "system" follows the desktop."""

    changed = Signal()  # the theme has changed, or was chosen again

    def __init__(self, settings: QSettings, parent: QObject) -> None:
        super().__init__(parent)
        self._settings = settings
        name = str(settings.value("theme", "system"))
        self.name = name if name in _NAMED else "system"  # or "light" or "dark"
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_changed)

    @property
    def theme(self) -> Theme:
        """The colours and the type."""
        return _NAMED.get(self.name) or system_theme()

    def choose(self, name: str) -> None:
        """Use the theme "system", "light" or "dark"."""
        self.name = name
        self._settings.setValue("theme", name)
        self.changed.emit()

    @Slot()
    def _system_changed(self) -> None:
        if self.name == "system":
            self.changed.emit()
