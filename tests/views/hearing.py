"""What a screen reader gets of a widget: its name, and which labels name it."""

from __future__ import annotations

import re

from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QFrame,
    QMenu,
    QMenuBar,
    QTabBar,
    QWidget,
)

from views.widgets.graphics import Graphics
from views.widgets.plot import PlotWidget
from views.widgets.theme import PaintedWidget
from views.widgets.view import View

_MARKUP = re.compile(r"</?[a-z]+>")


def heard_badly(whole: QWidget) -> set[str]:
    """Return what is wrong for those who hear ``whole``, in sight or not: empty if nothing is."""
    wrong = set()
    for part in whole.findChildren(QWidget):
        called = f"{type(part).__name__} {name_of(part)!r} in {type(part.parentWidget()).__name__}"
        if (paints(part) or takes_keys(part)) and not name_of(part):
            wrong.add(f"{called} has no name")
        named = labels_of(part) if isinstance(part, QComboBox) and part.isVisible() else [called]
        if len(named) != 1:
            wrong.add(f"{called} is called {named}")
        if _MARKUP.search(text_of(part, QAccessible.Text.Description)):
            wrong.add(f"{called} is described with tags")
    return wrong


def text_of(part: QWidget, which: QAccessible.Text) -> str:
    """Return what a screen reader is told; empty for what is none of its parts."""
    interface = QAccessible.queryAccessibleInterface(part)
    return interface.text(which) if interface is not None and interface.isValid() else ""


def name_of(part: QWidget) -> str:
    """Return what is heard of a part beside its value, which a list says in place of its name."""
    lists = isinstance(part, QComboBox | QTabBar)
    return part.accessibleName() or ("" if lists else text_of(part, QAccessible.Text.Name))


def labels_of(box: QComboBox) -> list[str]:
    """Return what names a list: under Linux its labels alone."""
    relations = QAccessible.queryAccessibleInterface(box).relations()
    label = QAccessible.RelationFlag.Label
    return [one.text(QAccessible.Text.Name) for one, kind in relations if kind & label]


def paints(part: QWidget) -> bool:
    """Whether the part is painted by us, and says nothing by a text of its own."""
    return isinstance(part, PaintedWidget | PlotWidget | Graphics | View)


def takes_keys(part: QWidget) -> bool:
    """Whether Tab comes by the part; what is within a field, or drops from it, is the field."""
    within = (
        isinstance(part.parentWidget(), QAbstractSpinBox) or type(part.parentWidget()) is QFrame
    )
    menu = isinstance(part, QMenu | QMenuBar | QTabBar)
    lends = part.focusProxy() is not None or isinstance(part.parentWidget(), QTabBar)
    takes = part.focusPolicy().value & 1  # Qt.FocusPolicy.TabFocus
    return bool(takes) and not (within or menu or lends)
