"""Counts which commands and controls of the window were used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QScrollBar,
    QTabBar,
    QWidget,
)

from views.frame.main_window import MainWindow

NETWORK = "Download"  # in the name of a button that is not pressed
CLICKED = (QAbstractButton, QComboBox, QTabBar)  # a click anywhere uses them
CONTROLS = (*CLICKED, QAbstractSpinBox, QAbstractSlider, QLineEdit, QAbstractItemView)
OF_QT = ("qt_", "Scroll", "ScrollLeft", "ScrollRight")  # names of parts that Qt itself makes


class Use:
    """Knows all commands and controls by name, and how often each was used."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window
        self.times: Counter[str] = Counter()
        self._known: set[str] = set()  # names of controls
        self._seen: set[str] = set()
        for name, action in self.commands.items():
            action.triggered.connect(partial(self._triggered, name))

    @property
    def commands(self) -> dict[str, QAction]:
        """Everything in the menus by name, but what closes the window."""
        act, names = self.window.actions_, ("actions", "views", "exports", "themes")
        groups = act.commands, act.views, act.exports, act.themes
        found = {
            f"{group} {name}": action
            for group, actions in zip(names, groups, strict=True)
            for name, action in actions.items()
        }
        del found["actions quit"]
        return found

    def _triggered(self, name: str, _checked: bool = False) -> None:
        self.times[name] += 1

    def note(self, widget: QWidget) -> None:
        """Note that a control is used."""
        self.times[name_of(widget)] += 1

    def least(self, names: Iterable[str], choose: Callable[[list[str]], str]) -> str:
        """Return one of those ``names`` that were used least, and ``choose`` among them."""
        names = list(names)
        least = min(self.times[name] for name in names)
        return choose([name for name in names if self.times[name] == least])

    def look(self) -> None:
        """Note which controls there are, and which of them can be used now."""
        for one in self.window.findChildren(QWidget):
            if isinstance(one, CONTROLS) and _is_own(one):
                self._known.add(name := name_of(one))
                if one.isVisible() and one.isEnabled():
                    self._seen.add(name)

    @property
    def left(self) -> tuple[list[str], list[str], list[str]]:
        """Commands never chosen; controls that were in sight, but not used; those never in it."""
        commands = [name for name in self.commands if not self.times[name]]
        unused = sorted(name for name in self._known if not self.times[name])
        seen = [name for name in unused if name in self._seen]
        return commands, seen, [name for name in unused if name not in self._seen]


def _is_own(widget: QWidget) -> bool:
    """Whether a user would call ``widget`` a control, and may use it here."""
    if isinstance(widget, QScrollBar) or NETWORK in name_of(widget):
        return False
    above = widget.parentWidget()
    part_of_another = isinstance(above, QAbstractSpinBox | QComboBox | QTabBar | QAbstractItemView)
    return not part_of_another and not widget.objectName().startswith(OF_QT)


def name_of(widget: QWidget) -> str:
    """Return what a control is called here."""
    if isinstance(above := widget.parentWidget(), QAbstractItemView):
        widget = above  # its part that gets the mouse
    text = widget.text() if isinstance(widget, QAbstractButton) else ""
    name = text or widget.accessibleName() or widget.objectName()
    return f"{type(widget).__name__} {name}".strip()
