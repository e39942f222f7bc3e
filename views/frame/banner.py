"""A line with the latest message. It covers nothing, blocks nothing and can be closed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, NamedTuple

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QStatusBar, QToolButton, QWidget

from views.widgets.announcing import announce
from views.widgets.controls import make_button
from views.widgets.labels import Label
from views.widgets.layouts import fill
from views.widgets.styling import restyle
from views.widgets.theme import DARK, Theme, icon

Severity = Literal["error", "warning", "info", "working", "done"]
"""What a message is. One about what is being done ("working") stays until another one comes."""

_SHORT = 8_000  # milliseconds after which a message disappears that says how something went
_SIGN_SIZE, _WINDOW_EDGE = 18, 6  # pixels of the icon, and to the edge of the window
_USUAL_MESSAGE = (
    "The limit of 10 000 iterations is reached: best 1 000 000, 1.00 % above the best known, "
    "as good as your best before, nothing better in the last 58.0 s"
)  # as long as what a run says at its end; in a narrow window the room has lines enough for it
_ANY_WIDTH = 1 << 14  # pixels that are enough for any message in one line


class Offer(NamedTuple):
    """What the user can do about a message, by a button in it."""

    text: str
    tip: str
    accept: Callable[[], object]


_ICONS = {
    "error": ("warning", "danger"),
    "warning": ("warning", "best"),
    "info": ("info", "accent"),
    "working": ("info", "accent"),
    "done": ("done", "good"),
}


class Banner(QFrame):
    """The latest message; a new one replaces it.

    The banner lies over :attr:`room`, whose height is that of one line, or of two in a narrow
    window. If the layout made room only when a message comes, every view would change its size and
    draw again. A message that needs more lines grows upward; only one that stays gets room for all
    of them, because it would cover what is above for long.
    """

    def __init__(self, window: QWidget, row: QStatusBar) -> None:
        """Put the room at the right of ``row``, the lowest of the window."""
        super().__init__(window)
        self._window = window
        self.room = QWidget()
        row.addPermanentWidget(self.room)
        for watched in (window, row, self.room):
            watched.installEventFilter(self)
        self._theme = DARK
        self._severity: Severity = "info"
        self._stays = False
        self._usual = 0  # pixels, the height of the room for a message that does not stay
        self.setProperty("role", "banner")
        self._sign = Label()
        self._sign.setFixedWidth(_SIGN_SIZE)
        self.label = Label(" ", wordWrap=True)  # without a text it has no height
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.close_button = make_button("plain", tip="Close this message")
        self.close_button.setIconSize(QSize(_SIGN_SIZE - 4, _SIGN_SIZE - 4))
        self.close_button.clicked.connect(self.clear)
        self.offers: list[QToolButton] = []  # what can be done about the message
        self._offers = fill(QHBoxLayout(), spacing=6)
        parts = self._sign, (self.label, 1), self._offers, self.close_button
        fill(QHBoxLayout(self), *parts, margins=(8, 0, 2, 0), spacing=6)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.clear)
        self.clear()

    @property
    def text(self) -> str:
        """The message that is shown, or nothing."""
        return "" if self.isHidden() else self.label.text()

    def tell(
        self,
        sentence: str,
        severity: Severity = "error",
        *,
        stays: bool = False,
        offers: Sequence[Offer] = (),
    ) -> None:
        """Show ``sentence``; one that ``stays`` is shown until another one comes.

        ``offers`` are buttons behind it. One that is pressed takes the message away.
        """
        self._show_offers(offers)
        first = sentence.partition(" ")[0]
        # Names of files, colonies and parameters are spelled as they are.
        self.label.setText(sentence[:1].upper() + sentence[1:] if first.isalpha() else sentence)
        announce(self, self.label.text())
        self._severity, self._stays = severity, stays
        self.setProperty("severity", severity)
        restyle([self])
        self.apply_theme(self._theme)
        self._place()
        self.show()
        self.raise_()
        self._timer.stop()
        if severity in ("info", "done") and not stays:
            self._timer.start(_SHORT)

    def _show_offers(self, offers: Sequence[Offer]) -> None:
        for former in self.offers:
            self._offers.removeWidget(former)
            former.hide()
            former.deleteLater()
        self.offers = []
        for offer in offers:
            accept = partial(self._accept, offer)
            button = make_button("offer", offer.text, offer.tip, accept)
            self.offers.append(button)
            self._offers.addWidget(button)

    def _accept(self, offer: Offer, _: bool = False) -> None:
        self.clear()
        offer.accept()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay over the room when it moves, and make it as high as the window needs it."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            if watched is self._window:
                self._make_room()
            if not self.isHidden():
                self._place()
        return False

    def _width_of(self, text: str) -> int:
        """Return how wide the banner is with ``text`` in one line."""
        around = self.sizeHint().width() - self.label.sizeHint().width()
        return self.label.fontMetrics().horizontalAdvance(text) + around + _WINDOW_EDGE

    def _make_room(self) -> None:
        height = self.heightForWidth(_ANY_WIDTH)
        if self._width_of(_USUAL_MESSAGE) > self._window.width() - 2 * _WINDOW_EDGE:
            border = self.height() - self.contentsRect().height()
            height = max(height, 2 * self.label.fontMetrics().lineSpacing() + border)
        self._usual = height
        if self.isHidden():
            self.room.setFixedHeight(height)

    def _place(self) -> None:
        window = self._window
        room = max(0, window.width() - 2 * _WINDOW_EDGE)  # however narrow the window is
        width = min(room, self._width_of(self.label.text()))
        needed = self.heightForWidth(width)
        self.room.setFixedSize(
            width + _WINDOW_EDGE, max(needed, self._usual) if self._stays else self._usual
        )
        height = max(needed, self.room.height())
        lowest = self.room.mapTo(window, self.room.rect().bottomLeft()).y() + 1
        self.setGeometry(window.width() - width - _WINDOW_EDGE, lowest - height, width, height)

    def clear(self) -> None:
        """Remove the message."""
        self._timer.stop()
        self.hide()
        self.room.setFixedSize(0, self._usual)

    def apply_theme(self, theme: Theme) -> None:
        """Change colours."""
        self._theme = theme
        name, role = _ICONS[self._severity]
        self._sign.setPixmap(icon(name, theme, role).pixmap(_SIGN_SIZE, _SIGN_SIZE))
        self.close_button.setIcon(icon("close", theme, "muted"))
        for part in (self, self.label, self.close_button):
            part.ensurePolished()  # else its font is not set yet
        self._make_room()
        if not self.isHidden():
            self._place()  # the type may be larger now
