"""Shelves of tiles: the instances that there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from views.gallery.tile import DRAW, Entry, Tile
from views.widgets.labels import make_label
from views.widgets.layouts import FlowLayout, fill
from views.widgets.theme import DARK, Theme

_HINT = "Click a picture to open it, then press Start (Space). A double click does both."


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
        self._column.addWidget(make_label("note", _HINT, wrap=True))
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
            row.setLayout(FlowLayout(*tiles))
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
