"""Which theme the user has chosen; the choice "system" follows the desktop."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSettings, Signal, Slot
from PySide6.QtGui import QGuiApplication

from views.widgets.theme import DARK, LIGHT, Theme, system_theme

_NAMED = {"light": LIGHT, "dark": DARK}


class ThemeChoice(QObject):
    """The choice, kept in ``settings`` from one session to the next."""

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
