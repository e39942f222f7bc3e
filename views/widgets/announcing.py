"""What screen readers say unasked."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleEvent,
    QAccessibleInterface,
)
from PySide6.QtWidgets import QAccessibleWidget, QWidget
from shiboken6 import isValid

from gpu.core.snapshot import RunState

QUIET = 15.0
"""Seconds of a run in which its numbers are told once at most."""

_AFTER = 1000
"""Milliseconds: Orca forgets what it hears while a hundred other parts of a window change."""


def announce(widget: QWidget, text: str) -> None:
    """Have ``text`` said after what is being said, if anybody listens."""
    if not QAccessible.isActive():
        return
    if sys.platform in ("win32", "darwin"):
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))
    else:
        Herald.of(widget.window()).say(text)


@contextmanager
def unheard() -> Iterator[None]:
    """Fill in values meanwhile of which screen readers are not told one by one.

    Not for parts that come or go: a reader would look for those that were there.
    """
    told = QAccessible.isActive()
    if told:
        QAccessible.setActive(False)
    try:
        yield
    finally:
        if told:
            QAccessible.setActive(True)


class Herald(QWidget):
    """Says a text as a notification that appears: Orca 43 and older ignore announcements."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._texts: list[str] = []
        self._soon = QTimer(self, singleShot=True, interval=_AFTER)
        self._soon.timeout.connect(self._say)
        self.setFixedSize(1, 1)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    @classmethod
    def of(cls, window: QWidget) -> Herald:
        """Return the one of ``window``, which is made when first needed."""
        found = window.findChild(cls, options=Qt.FindChildOption.FindDirectChildrenOnly)
        if isinstance(found, cls):
            return found
        if not _Notification.known:
            QAccessible.installFactory(_interface)
            _Notification.known = True
        made = cls(window)
        made.show()
        return made

    def say(self, text: str) -> None:
        """Have ``text`` said when the window is at rest, after what else waits for that."""
        self._texts.append(text)
        self._soon.start()

    def _say(self) -> None:
        self.setAccessibleName(". ".join(self._texts))
        self._texts.clear()
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.ObjectShow))


class _Notification(QAccessibleWidget):
    """What a screen reader knows of a herald."""

    known = False  # whether Qt knows how to make one
    kept: ClassVar[list[_Notification]] = []  # Qt deletes them; Python must not do so before

    def __init__(self, herald: Herald) -> None:
        super().__init__(herald, QAccessible.Role.Notification)


def _interface(_: str, of: QObject) -> QAccessibleInterface | None:
    if not isinstance(of, Herald):
        return None
    made = _Notification(of)
    _Notification.kept[:] = [*filter(isValid, _Notification.kept), made]
    return made


class RunNews:
    """Decides which states of a run are told: those with a better cost, and few of them."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begin with another run."""
        self._cost: int | None = None
        self._told = -QUIET

    def worth(self, state: RunState) -> bool:
        """Return whether ``state`` is to be told now."""
        better = state.best_cost is not None and state.best_cost != self._cost
        if not better or state.elapsed < self._told + QUIET:
            return False
        self._cost, self._told = state.best_cost, state.elapsed
        return True
