"""What is kept until the next start: the window's arrangement, its theme, the user's choices."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QObject, Signal, Slot
from PySide6.QtGui import QActionGroup, QGuiApplication
from PySide6.QtWidgets import QMainWindow, QMenu

from gpu.core.machine.motion import reduces_motion
from views.frame.actions import Actions
from views.frame.settings import Settings, SettingValue
from views.problem_display import DISPLAYS, problem_of
from views.setup.history import PanelState
from views.setup.presets import Preset
from views.setup.setup_panel import SetupPanel
from views.widgets.labels import plain_item, plain_tip
from views.widgets.layouts import keep_within_screen, resize_within_screen
from views.widgets.theme import DARK, LIGHT, Theme, system_theme

if TYPE_CHECKING:
    from views.frame.dashboard import Dashboard

RECORD_LIMITS = 0, 5, 20, 100, 500  # MB
_USUAL_RECORD = 20


class RecordChoice:
    """A menu with the limits of a file of frames. The choice is there at the next start."""

    def __init__(self, settings: Settings, run_menu: QMenu) -> None:
        kept = settings.get("record", _USUAL_RECORD)
        self.limit = kept if kept in RECORD_LIMITS else _USUAL_RECORD  # MB; 0 records nothing
        self._settings = settings
        menu = run_menu.addMenu("Record")
        menu.setToolTipsVisible(True)
        group = QActionGroup(run_menu)
        for limit in RECORD_LIMITS:
            action = menu.addAction(f"At most {limit} MB a run" if limit else "Nothing")
            tip = "Keep how solutions and trails change, to show them again and to film them"
            action.setToolTip(plain_tip(tip if limit else "Keep only the log"))
            action.setCheckable(True)
            action.setChecked(limit == self.limit)
            action.triggered.connect(lambda _=False, limit=limit: self._choose(limit))
            group.addAction(action)

    def _choose(self, limit: int) -> None:
        self.limit = limit
        self._settings.put({"record": limit})


_NO_PRESETS: list[str] = []


class KeptChoices(QObject):
    """Connects the setup panel with the settings, and with the actions Undo and Redo."""

    def __init__(self, setup: SetupPanel, actions: Actions, settings: Settings) -> None:
        super().__init__(setup)
        self._setup, self._actions, self._settings = setup, actions, settings
        self._locked = False
        self.record = RecordChoice(settings, actions.run_menu)
        stack = setup.history.stack
        actions.connect(
            {"undo": lambda: self._step(stack.undo), "redo": lambda: self._step(stack.redo)}
        )
        setup.preset_menu.own_changed.connect(self._keep_presets)
        self._restore()

    def _restore(self) -> None:
        """Show the user's presets, and what was chosen last once the devices are known."""
        found = (Preset.from_text(text) for text in self._settings.get("presets", _NO_PRESETS))
        self._setup.preset_menu.show_own([preset for preset in found if preset is not None])
        last = {}
        for problem in DISPLAYS:
            try:
                values = json.loads(self._settings.get(f"choices-{problem}", "null"))
            except (ValueError, RecursionError):
                continue
            if (chosen := PanelState.from_dict(values)) is not None:
                last[str(problem)] = chosen
        self._setup.recall(last)

    def save(self) -> None:
        """Keep what the user has chosen for the problem that is shown."""
        chosen = self._setup.chosen
        if chosen.device:  # else the devices are not known yet, and nothing was chosen
            problem = problem_of(self._setup.instance.instance)
            self._settings.put({f"choices-{problem}": json.dumps(chosen.to_dict())})

    def show(self, *, locked: bool) -> None:
        """Say what can be undone; nothing can be while a run goes on (``locked``)."""
        self._locked = locked
        stack = self._setup.history.stack
        for name, possible, text in (
            ("undo", stack.canUndo(), stack.undoText()),
            ("redo", stack.canRedo(), stack.redoText()),
        ):
            action = self._actions[name]
            action.setEnabled(possible and not locked)
            action.setText(plain_item(" ".join(filter(None, (name.capitalize(), text)))))

    def _step(self, step: Callable[[], object]) -> None:
        step()
        self.show(locked=self._locked)

    @Slot()
    def _keep_presets(self) -> None:
        own = self._setup.preset_menu.own
        self._settings.put({"presets": [preset.to_text() for preset in own]})
        self.show(locked=self._locked)


_USUAL_WINDOW = (1280, 800)
_NO_TABS: list[str] = []
_NAMED_THEMES = {"light": LIGHT, "dark": DARK}


def save_window(
    settings: Settings, window: QMainWindow, dashboard: Dashboard, actions: Actions
) -> None:
    """Write the state. The size during a presentation is not kept."""
    values: dict[str, SettingValue] = {
        "panel": actions["panel"].isChecked(),
        "across": _state_text(dashboard.across.saveState()),
        "down": _state_text(dashboard.down.saveState()),
    }
    if not actions["present"].isChecked():
        values |= {"geometry": _state_text(window.saveGeometry()), "room": _room(window)}
    for problem, tabs in dashboard.tabs.items():
        values[f"tabs-{problem}"] = [str(index) for index in tabs]
    values |= {f"view-{key}": view.kept for key, view in dashboard.all_views.items()}
    settings.put(values)


def kept_of_view(settings: Settings, key: str) -> str:
    """Return what the view of this key has kept."""
    return settings.get(f"view-{key}", "")


def restore_window(settings: Settings, window: QMainWindow, actions: Actions) -> None:
    """Give the window its place, and show the setup panel or hide it.

    What cannot be read is left as it is; likewise in :func:`restore_views`.
    """
    resize_within_screen(window, *_USUAL_WINDOW)
    restored = window.restoreGeometry(_state_bytes(settings.get("geometry", "")))
    if restored and not window.isMaximized() and settings.get("room", "") != _room(window):
        keep_within_screen(window)  # Qt does so, too, but not with every frame
    actions["panel"].setChecked(settings.get("panel", True))


def restore_views(settings: Settings, dashboard: Dashboard) -> None:
    """Give the panes their sizes, and bring the views to the front that were there."""
    for name, splitter in (("across", dashboard.across), ("down", dashboard.down)):
        splitter.restoreState(_state_bytes(settings.get(name, "")))
    for problem in DISPLAYS:
        tabs = settings.get(f"tabs-{problem}", _NO_TABS)
        if len(tabs) == len(dashboard.panes):
            known = [int(tab) if re.fullmatch("[0-9]{1,3}", tab) else 0 for tab in tabs]
            dashboard.choose_tabs(problem, known)
    for key, view in dashboard.all_views.items():
        view.keep(kept_of_view(settings, key))


def _room(window: QMainWindow) -> str:
    """Return where on its screen a window can be."""
    room = window.screen().availableGeometry()
    return f"{room.x()}, {room.y()}, {room.width()} x {room.height()}"


def _state_text(state: QByteArray) -> str:
    return state.toBase64().toStdString()


def _state_bytes(text: str) -> QByteArray:
    return QByteArray.fromBase64(text.encode(errors="replace"))


class ThemeChoice(QObject):
    """Which theme the user has chosen; the choice "system" follows the desktop."""

    changed = Signal()  # the theme has changed, or was chosen again

    def __init__(self, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._settings = settings
        name = settings.get("theme", "system")
        self.name = name if name in _NAMED_THEMES else "system"  # or "light" or "dark"
        self.still = bool(settings.get("still", reduces_motion()))
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_changed)

    @property
    def theme(self) -> Theme:
        """The colours and the type."""
        return replace(_NAMED_THEMES.get(self.name) or system_theme(), still=self.still)

    def reduce_motion(self, still: bool) -> None:
        """Let nothing glide or fade, whatever the system says, or let it."""
        self.still = still
        self._settings.put({"still": still})
        self.changed.emit()

    def choose(self, name: str) -> None:
        """Use the theme "system", "light" or "dark"."""
        self.name = name
        self._settings.put({"theme": name})
        self.changed.emit()

    @Slot()
    def _system_changed(self) -> None:
        if self.name == "system":
            self.changed.emit()
