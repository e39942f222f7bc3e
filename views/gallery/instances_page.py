"""The instances that there are: shelves of tiles, each with a picture and what is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetrics,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractButton, QScrollArea, QVBoxLayout, QWidget

from gpu.core.words import shown
from views.widgets.labels import make_label, plain_tip
from views.widgets.layouts import FlowLayout, fill
from views.widgets.theme import DARK, Theme

_TILE_LINE_LONGEST = 80  # characters of a line
_PAD = 6  # pixels between the edge of a tile and what is in it
_TILE_ARROWS = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down)
_TILE_LINES = (  # of the lines: size of the type, whether it is bold, and its colour
    (1.0, True, "text"),
    (0.92, False, "text"),
    (0.92, False, "muted"),
    (0.92, False, "found"),
)
_KIND_LINES = 2  # of what an instance looks like
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)

THUMBNAIL_SIZE = QSize(152, 108)  # of a picture of an instance, in pixels of the window


@dataclass(frozen=True, slots=True)
class Entry:
    """What a tile says of an instance."""

    path: Path  # its file
    name: str
    size: str = ""  # such as "100 cities"; empty while it is not known
    kind: str = ""  # what it looks like, in a sentence; may be empty
    found: str = ""  # the best solution so far, and its gap

    @property
    def kind_shown(self) -> str:
        """What the instance looks like, as a tile shows it."""
        return shown(self.kind.rstrip("."), _TILE_LINE_LONGEST)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines below the picture; what the instance looks like may need two."""
        texts = self.name, self.size, self.kind.rstrip("."), self.found
        return tuple(shown(text, _TILE_LINE_LONGEST) for text in texts)


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
        lines = (len(_TILE_LINES) + _KIND_LINES - 1) * self._line + 2 * _PAD + 4
        return THUMBNAIL_SIZE + QSize(2 * _PAD, lines + _PAD)

    @property
    def _line(self) -> int:
        return self.fontMetrics().height() + 1

    def event(self, event: QEvent) -> bool:
        """Take Enter and the arrows before a key of the window does."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() in (*_ENTER, *_TILE_ARROWS)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open, open and start, or go to another tile."""
        if event.key() in _ENTER:
            control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
            (self.started if control else self.opened).emit(self.entry.path)
        elif event.key() in _TILE_ARROWS:
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
            spot = QRect(
                (self.width() - THUMBNAIL_SIZE.width()) // 2,
                _PAD,
                THUMBNAIL_SIZE.width(),
                THUMBNAIL_SIZE.height(),
            )
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
        for line, (factor, bold, role) in zip(self.entry.lines, _TILE_LINES, strict=True):
            painter.setFont(theme.font(factor, bold=bold))
            painter.setPen(theme.colour(role))
            if line == self.entry.kind_shown:
                texts = _in_lines(line, painter.fontMetrics(), width)
            else:
                metrics, right = painter.fontMetrics(), Qt.TextElideMode.ElideRight
                texts = [metrics.elidedText(line, right, width)] if line else []
            for text in texts:
                at = QRect(_PAD + 2, y, width, self._line)
                side = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
                painter.drawText(at, side, text)
                y += self._line


def _in_lines(text: str, metrics: QFontMetrics, width: int) -> list[str]:
    """Return ``text`` in at most ``_KIND_LINES`` lines.

    Where it has no room, it ends at a colon, a comma or a semicolon: so much is said whole.
    """
    for said in (text, *(text.partition(end)[0] for end in ":;,")):
        lines = [""]
        for word in said.split():
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and metrics.horizontalAdvance(longer) > width:
                lines.append(word)
            else:
                lines[-1] = longer
        fits = all(metrics.horizontalAdvance(line) <= width for line in lines)
        if fits and len(lines) <= _KIND_LINES:
            return lines
    return [metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)]


_TILES_HINT = "Click a picture to open it, then press Start (Space). A double click does both."


@dataclass(frozen=True, slots=True)
class Shelf:
    """Instances that belong together."""

    title: str
    entries: tuple[Entry, ...]


class InstancesPage(QScrollArea):
    """Tiles by shelves. Arrow keys go from tile to tile; Tab goes by all of them at once."""

    opened = Signal(object)  # path of the instance that the user wants to see
    draw_requested = Signal()
    started = Signal(object)  # path of the one that is to be solved at once

    def __init__(self) -> None:
        super().__init__(widgetResizable=True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("Instances")
        self.tiles: dict[Path, Tile] = {}
        self._theme = DARK
        self._shelves: tuple[Shelf, ...] = ()
        self._page = QWidget()
        self._page.setProperty("role", "page")
        self._column = fill(QVBoxLayout(self._page), margins=(2, 2, 8, 8), spacing=6)
        self._column.addWidget(make_label("note", _TILES_HINT, wrap=True))
        self._column.addStretch(1)
        self._parts: list[QWidget] = []
        self.setWidget(self._page)

    @property
    def current(self) -> Tile | None:
        """The tile that Tab goes to."""
        tab = Qt.FocusPolicy.StrongFocus
        return next((tile for tile in self.tiles.values() if tile.focusPolicy() == tab), None)

    def show_shelves(self, shelves: Sequence[Shelf]) -> None:
        """Show these instances; tiles that are there already keep their pictures."""
        if self._same(shelves):
            return
        focused = self.current
        had = self.hasFocus() or (focused is not None and focused.hasFocus())
        old, self.tiles = self.tiles, {}
        for part in self._parts:
            self._column.removeWidget(part)
            part.hide()
            part.deleteLater()
        self._parts.clear()
        for shelf in shelves:
            tiles = [self._tile(entry, old) for entry in shelf.entries]
            row = QWidget()
            row.setLayout(FlowLayout(*tiles, stretch=True))
            for part in (make_label("heading", shelf.title.upper()), row):
                self._column.insertWidget(self._column.count() - 1, part)
                self._parts.append(part)
        self._shelves = tuple(shelves)
        path = None if focused is None else focused.entry.path
        first = self.tiles.get(path) if path is not None else None
        self._make_current(first or next(iter(self.tiles.values()), None))
        if had and self.current is not None:
            self.current.setFocus()

    def show_entry(self, entry: Entry, picture: QImage | None) -> None:
        """Show what has been found out about an instance."""
        if (tile := self.tiles.get(entry.path)) is not None:
            tile.show_entry(entry, picture)

    def show_waiting(self, path: Path | None) -> None:
        """Show which instance is being opened, if any."""
        for tile in self.tiles.values():
            tile.show_waiting(tile.entry.path == path)

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        self._theme = theme
        for tile in self.tiles.values():
            tile.apply_theme(theme)

    def take_focus(self) -> None:
        """Let the keys go to the current tile."""
        (self.current or self).setFocus()

    def _same(self, shelves: Sequence[Shelf]) -> bool:
        def paths(some: Sequence[Shelf]) -> list[tuple[str, list[Path]]]:
            return [(one.title, [entry.path for entry in one.entries]) for one in some]

        return paths(shelves) == paths(self._shelves)

    def _tile(self, entry: Entry, old: dict[Path, Tile]) -> Tile:
        tile = Tile(entry, self._theme)
        if (former := old.get(entry.path)) is not None:
            tile.show_entry(former.entry, former.picture)
        if entry.path == DRAW.path:
            for signal in (tile.opened, tile.started):
                signal.connect(self.draw_requested)
        else:
            tile.opened.connect(self.opened)
            tile.started.connect(self.started)
        tile.pressed.connect(lambda: self._make_current(tile))
        tile.walked.connect(lambda key: self._walk(tile, key))
        self.tiles[entry.path] = tile
        return tile

    def _make_current(self, tile: Tile | None) -> None:
        for one in self.tiles.values():
            policies = Qt.FocusPolicy
            one.setFocusPolicy(policies.StrongFocus if one is tile else policies.ClickFocus)

    def _walk(self, tile: Tile, key: Qt.Key) -> None:
        """Go to the next tile in the direction of an arrow key."""
        order = list(self.tiles.values())
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            at = order.index(tile) + (1 if key == Qt.Key.Key_Right else -1)
            following = order[at] if 0 <= at < len(order) else None
        else:
            following = self._above_or_below(tile, order, 1 if key == Qt.Key.Key_Down else -1)
        if following is not None:
            self._make_current(following)
            following.setFocus(Qt.FocusReason.TabFocusReason)
            self.ensureWidgetVisible(following, 0, 28)

    def _above_or_below(self, tile: Tile, order: list[Tile], way: int) -> Tile | None:
        here = self._place(tile)
        far = [(one, self._place(one) - here) for one in order]
        there = [(way * step.y(), abs(step.x()), one) for one, step in far if way * step.y() > 0]
        return min(there, key=lambda row: row[:2])[2] if there else None

    def _place(self, tile: Tile) -> QPoint:
        return tile.mapTo(self._page, QPoint(0, 0))
