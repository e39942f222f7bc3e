"""Buttons: texts where there is room, names for people who cannot see the icons."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QWidget

from views.widgets.labels import plain_tip
from views.widgets.layouts import fill


def make_button(role: str, text: str = "", tip: str = "") -> QToolButton:
    """Return a button. ``role`` is its style in ``resources/style/window.qss``, say "plain"."""
    button = QToolButton()
    button.setText(text)
    button.setToolTip(plain_tip(tip))
    button.setProperty("role", role)
    return button


def fit_texts(row: QWidget, buttons: Sequence[QToolButton]) -> None:
    """Show the texts of ``buttons`` if ``row`` is wide enough for all of them, else icons alone.

    An icon alone says more than a text that is cut down to "…".
    """
    layout = row.layout()
    assert layout is not None
    styles = Qt.ToolButtonStyle
    for style in (styles.ToolButtonTextBesideIcon, styles.ToolButtonIconOnly):
        for button in buttons:
            button.setToolButtonStyle(style)
        layout.invalidate()
        if layout.minimumSize().width() <= row.width():
            return


class OptionButtons(QWidget):
    """Buttons side by side, of which exactly one is pressed; the text of each by its key."""

    chosen = Signal(str)  # key of the button that the user pressed

    def __init__(self, options: dict[str, str], tip: str) -> None:
        super().__init__()
        self._group = QButtonGroup(self)
        self.buttons: dict[str, QToolButton] = {}
        layout = fill(QHBoxLayout(self), spacing=0)
        for key, text in options.items():
            button = make_button("segment", text, tip)
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(lambda _=False, key=key: self.chosen.emit(key))
            self._group.addButton(button)
            self.buttons[key] = button
            layout.addWidget(button)
        next(iter(self.buttons.values())).setChecked(True)

    @property
    def value(self) -> str:
        """Key of the pressed button."""
        return next(key for key, button in self.buttons.items() if button.isChecked())


class AccessibleNames(QObject):
    """Names every button of a window that has no text by its tool tip, for screen readers."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        for button in window.findChildren(QToolButton):
            if not button.text():
                button.installEventFilter(self)
                _name(button)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Change the name with the tool tip."""
        if event.type() == QEvent.Type.ToolTipChange and isinstance(watched, QToolButton):
            _name(watched)
        return False


def _name(button: QToolButton) -> None:
    """Name ``button`` by its tool tip, without the key and what follows."""
    button.setAccessibleName(button.toolTip().partition(" (")[0].partition(";")[0])
