"""One line for what went wrong or well; it floats, blocks nothing and can be closed."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from views.icons import icon
from views.theme import DARK, Theme

Severity = Literal["error", "info", "done"]

SHORT = 8_000
"""Milliseconds after which good news goes away by itself; an error stays."""

_AROUND, _ABOVE = 110, 44
"""Pixels beside the text for sign, button and margins, and pixels below the banner."""

_ICONS = {"error": ("warning", "danger"), "info": ("info", "accent"), "done": ("done", "good")}


class Banner(QFrame):
    """The latest message; a new one takes the place of the former.

    It floats over the lower edge of its parent: in a layout it would move everything, and every
    view would have to be drawn anew in another size.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        parent.installEventFilter(self)
        self._theme = DARK
        self._severity: Severity = "info"
        self.setProperty("role", "banner")
        self._sign, self.label = QLabel(), QLabel()
        self.label.setWordWrap(True)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.close_button = QToolButton()
        self.close_button.setProperty("role", "plain")
        self.close_button.setToolTip("Close this message")
        self.close_button.clicked.connect(self.clear)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 4, 4, 4)
        layout.addWidget(self._sign)
        layout.addWidget(self.label, 1)
        layout.addWidget(self.close_button)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.hide)
        self.hide()

    @property
    def text(self) -> str:
        """The message in sight, or nothing."""
        return "" if self.isHidden() else self.label.text()

    def tell(self, sentence: str, severity: Severity = "error") -> None:
        """Show ``sentence``."""
        first = sentence.partition(" ")[0]
        # Names of files, colonies and parameters are spelled as they are.
        self.label.setText(sentence[:1].upper() + sentence[1:] if first.isalpha() else sentence)
        self._severity = severity
        self.setProperty("severity", severity)
        self.style().unpolish(self)
        self.style().polish(self)
        self.apply_theme(self._theme)
        self._place()
        self.show()
        self.raise_()
        self._timer.stop()
        if severity != "error":
            self._timer.start(SHORT)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay at the parent's lower edge."""
        if event.type() == QEvent.Type.Resize and not self.isHidden():
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        parent = self._parent
        widest = round(0.7 * parent.width())
        text = self.label.fontMetrics().horizontalAdvance(self.label.text())
        width = min(widest, text + _AROUND)
        height = max(self.heightForWidth(width), self.minimumSizeHint().height())
        self.setGeometry(
            (parent.width() - width) // 2, parent.height() - height - _ABOVE, width, height
        )

    def clear(self) -> None:
        """Take the message away."""
        self._timer.stop()
        self.hide()

    def apply_theme(self, theme: Theme) -> None:
        """Change colours."""
        self._theme = theme
        name, role = _ICONS[self._severity]
        self._sign.setPixmap(icon(name, theme, role).pixmap(20, 20))
        self.close_button.setIcon(icon("close", theme, "muted"))
