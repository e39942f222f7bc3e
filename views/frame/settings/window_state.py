"""What is kept from one session to the next: size, place and arrangement of the window, theme."""

from __future__ import annotations

import re

from PySide6.QtCore import QByteArray, QObject, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow

from views.frame.actions import Actions
from views.frame.dashboard.dashboard import Dashboard
from views.frame.settings.settings import Settings, Value
from views.problem_display import DISPLAYS
from views.widgets.layouts import keep_within_screen, resize_within_screen
from views.widgets.theme import DARK, LIGHT, Theme, system_theme

_USUAL_SIZE = (1280, 800)
_NO_TABS: list[str] = []
_NAMED = {"light": LIGHT, "dark": DARK}


def save(settings: Settings, window: QMainWindow, dashboard: Dashboard, actions: Actions) -> None:
    """Write the state. The size during a presentation is not kept."""
    values: dict[str, Value] = {
        "panel": actions["panel"].isChecked(),
        "across": _text(dashboard.across.saveState()),
        "down": _text(dashboard.down.saveState()),
    }
    if not actions["present"].isChecked():
        values |= {"geometry": _text(window.saveGeometry()), "room": _room(window)}
    for problem, tabs in dashboard.tabs.items():
        values[f"tabs-{problem}"] = [str(index) for index in tabs]
    values |= {f"view-{key}": view.kept for key, view in dashboard.all_views.items()}
    settings.put(values)


def restore(
    settings: Settings, window: QMainWindow, dashboard: Dashboard, actions: Actions
) -> None:
    """Read the state. What cannot be read is left as it is."""
    resize_within_screen(window, *_USUAL_SIZE)
    restored = window.restoreGeometry(_bytes(settings.get("geometry", "")))
    if restored and not window.isMaximized() and settings.get("room", "") != _room(window):
        keep_within_screen(window)  # Qt does so, too, but not with every frame
    for name, splitter in (("across", dashboard.across), ("down", dashboard.down)):
        splitter.restoreState(_bytes(settings.get(name, "")))
    for problem in DISPLAYS:
        tabs = settings.get(f"tabs-{problem}", _NO_TABS)
        if len(tabs) == len(dashboard.panes):
            known = [int(tab) if re.fullmatch("[0-9]{1,3}", tab) else 0 for tab in tabs]
            dashboard.choose_tabs(problem, known)
    for key, view in dashboard.all_views.items():
        view.keep(settings.get(f"view-{key}", ""))
    actions["panel"].setChecked(settings.get("panel", True))


def _room(window: QMainWindow) -> str:
    """Return where on its screen a window can be."""
    room = window.screen().availableGeometry()
    return f"{room.x()}, {room.y()}, {room.width()} x {room.height()}"


def _text(state: QByteArray) -> str:
    return state.toBase64().toStdString()


def _bytes(text: str) -> QByteArray:
    return QByteArray.fromBase64(text.encode(errors="replace"))


class ThemeChoice(QObject):
    """Which theme the user has chosen; the choice "system" follows the desktop."""

    changed = Signal()  # the theme has changed, or was chosen again

    def __init__(self, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._settings = settings
        name = settings.get("theme", "system")
        self.name = name if name in _NAMED else "system"  # or "light" or "dark"
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_changed)

    @property
    def theme(self) -> Theme:
        """The colours and the type."""
        return _NAMED.get(self.name) or system_theme()

    def choose(self, name: str) -> None:
        """Use the theme "system", "light" or "dark"."""
        self.name = name
        self._settings.put({"theme": name})
        self.changed.emit()

    @Slot()
    def _system_changed(self) -> None:
        if self.name == "system":
            self.changed.emit()
