"""A tile of the gallery: the picture of an instance, and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton

from gpu.core.words import shown
from views.gallery.thumbnail import SIZE
from views.widgets.labels import plain_tip
from views.widgets.theme import Theme

_LONGEST = 80  # characters of a line
_PAD = 6  # pixels between the edge of a tile and what is in it
_ARROWS = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down)
_LOOKS = (  # of the lines: size of the type, whether it is bold, and its colour
    (1.0, True, "text"),
    (0.92, False, "text"),
    (0.92, False, "muted"),
    (0.92, False, "best"),
)
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


@dataclass(frozen=True, slots=True)
class Entry:
    """What a tile says of an instance."""

    path: Path  # its file
    name: str
    size: str = ""  # such as "100 cities"; empty while it is not known
    kind: str = ""  # what it looks like, in a sentence; may be empty
    found: str = ""  # the best solution so far, and its gap

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines below the picture."""
        texts = self.name, self.size, self.kind.rstrip("."), self.found
        return tuple(shown(text, _LONGEST) for text in texts)


DRAW = Entry(
    Path("draw"), "Draw your own", "As many as you like", "Place cities, or trace a picture"
)
"""A tile that leads to the drawing board."""


class Tile(QAbstractButton):
    """A click or Enter opens the instance; a double click or Ctrl+Enter solves it as well."""

    opened = Signal(object)  # its path
    started = Signal(object)  # its path
    walked = Signal(object)  # the arrow key that was pressed

    def __init__(self, entry: Entry, theme: Theme) -> None:
        super().__init__()
        self.entry, self._theme = entry, theme
        self.picture: QImage | None = None
        self._waits = False  # whether it is being opened
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.clicked.connect(lambda: self.opened.emit(self.entry.path))
        self.show_entry(entry)

    def show_entry(self, entry: Entry, picture: QImage | None = None) -> None:
        """Show what is known of the instance now; without a ``picture`` the former one stays."""
        self.entry = entry
        self.picture = picture or self.picture
        self.setAccessibleName(", ".join(filter(None, entry.lines)))
        self.setAccessibleDescription("Enter opens it; Ctrl+Enter opens and starts it")
        tip = "\n".join(filter(None, (entry.name, entry.size, entry.kind, entry.found)))
        self.setToolTip(plain_tip(tip if entry.path == DRAW.path else f"{tip}\n{entry.path}"))
        self.update()

    def show_waiting(self, waits: bool) -> None:
        """Show whether the instance is being opened."""
        self._waits = waits
        self.update()

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type; the picture follows when it is drawn anew."""
        self._theme = theme
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return room for the picture and the lines."""
        self.ensurePolished()
        lines = len(_LOOKS) * self._line + 2 * _PAD + 4
        return SIZE + QSize(2 * _PAD, lines + _PAD)

    @property
    def _line(self) -> int:
        return self.fontMetrics().height() + 1

    def event(self, event: QEvent) -> bool:
        """Take Enter and the arrows before a key of the window does."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() in (*_ENTER, *_ARROWS)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open, open and start, or go to another tile."""
        if event.key() in _ENTER:
            control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
            (self.started if control else self.opened).emit(self.entry.path)
        elif event.key() in _ARROWS:
            self.walked.emit(Qt.Key(event.key()))
        else:
            super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open and start; the first click has opened it already."""
        if event.button() is Qt.MouseButton.LeftButton:
            self.started.emit(self.entry.path)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keys go."""
        super().focusInEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the frame, the picture and the lines."""
        theme = self._theme
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            focus = self.hasFocus()
            edge = theme.colour("accent" if focus or self.underMouse() else "border")
            painter.setPen(QPen(edge, 2.0 if focus else 1.0))
            painter.setBrush(theme.colour("field"))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 8, 8)
            spot = QRect((self.width() - SIZE.width()) // 2, _PAD, SIZE.width(), SIZE.height())
            if self.picture is not None:
                painter.setOpacity(0.4 if self._waits else 1.0)
                painter.drawImage(QRectF(spot), self.picture)
                painter.setOpacity(1.0)
            if self._waits or self.picture is None:
                painter.setPen(theme.colour("muted"))
                text = "is being opened …" if self._waits else "…"
                painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, text)
            self._write(painter, spot.bottom() + _PAD)

    def _write(self, painter: QPainter, y: int) -> None:
        theme, width = self._theme, self.width() - 2 * _PAD - 4
        for line, (factor, bold, role) in zip(self.entry.lines, _LOOKS, strict=True):
            painter.setFont(theme.font(factor, bold=bold))
            painter.setPen(theme.colour(role))
            text = painter.fontMetrics().elidedText(line, Qt.TextElideMode.ElideRight, width)
            at = QRect(_PAD + 2, y, width, self._line)
            painter.drawText(at, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
            y += self._line
