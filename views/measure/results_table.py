"""A table of measured numbers that can be sorted and copied, with bars and optional columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence, QPainter, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
)

from views.widgets.labels import plain_tip
from views.widgets.theme import DARK, Theme

_LENGTH = Qt.ItemDataRole.UserRole
_ROLE = Qt.ItemDataRole.UserRole + 1
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_TEXT_WIDTH = 64
_BAR_WIDTH = 90


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell."""

    text: str
    order: float | str  # by which rows are sorted
    tip: str = ""
    number: bool = False  # aligned to the right
    bold: bool = False
    muted: bool = False
    # Length of a bar beside the text, in [0, 1]; with 0 the text takes its place, with None the
    # column has no bars.
    bar: float | None = None
    role: str = "latest"  # the theme's colour of the bar


class ResultsTable(QTableWidget):
    """Rows of :class:`Cell`. Columns that matter less are hidden if there is no room."""

    fitted = Signal()  # other columns may be hidden, or other rows shown

    def __init__(self, name: str) -> None:
        super().__init__()
        self.theme = DARK
        self._spare: tuple[Sequence[int], ...] = ()
        self._rooms: list[int] = []  # the width that each column needs
        self._header = header = _Header(Qt.Orientation.Horizontal)
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self._measure)  # another heading has the arrow now
        self.setHorizontalHeader(header)
        self.setAccessibleName(name)
        self.verticalHeader().hide()
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setAlternatingRowColors(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setTabKeyNavigation(False)  # else Tab would never leave it
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setItemDelegate(_Bars(self))
        # Cells are measured when they change, for Qt would do so whenever the window is laid out.
        for one in (header, self.verticalHeader()):
            one.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setMinimumSectionSize(16)
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        header.setToolTip("Click to sort")
        shortcut = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self)
        shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
        shortcut.activated.connect(self.copy)

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        self.theme = theme
        for row in range(self.rowCount()):
            for column in self._columns:
                item = self.item(row, column)
                if isinstance(item, _Item):
                    item.dress(theme)
        self._measure()
        self.viewport().update()

    def show_rows(
        self,
        headings: Sequence[str],
        rows: Sequence[Sequence[Cell]],
        spare: Sequence[Sequence[int]] = (),
    ) -> None:
        """Show other rows, sorted as the user has chosen.

        ``spare`` has groups of columns that may be hidden; the first group is hidden first.
        """
        self._spare = tuple(spare)
        self.setSortingEnabled(False)
        if self.headings != list(headings):
            self.clear()
            self._rooms = [0] * len(headings)
            self.setColumnCount(len(headings))
            self.setHorizontalHeaderLabels(list(headings))
            self._header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        self.setRowCount(len(rows))
        for at, row in enumerate(rows):
            for column, cell in enumerate(row):
                item = _Item(cell)
                item.dress(self.theme)
                self.setItem(at, column, item)
        self.setSortingEnabled(True)
        self._measure()

    @property
    def overflow(self) -> QSize:
        """By how much all rows and columns are larger than their visible part."""
        whole = QSize(sum(self._rooms), self.verticalHeader().length())
        bars = QSize(0, 0)
        if self.horizontalScrollBar().isVisible():
            bars.setHeight(self.horizontalScrollBar().height())
        return (whole - self.viewport().size() - bars).expandedTo(QSize(0, 0))

    @property
    def headings(self) -> list[str]:
        """The headings of the columns."""
        items = (self.horizontalHeaderItem(column) for column in self._columns)
        return [item.text() for item in items if item is not None]

    @property
    def unseen(self) -> list[int]:
        """The hidden columns."""
        return [column for column in self._columns if self.isColumnHidden(column)]

    def texts(self, row: int) -> list[str]:
        """Return the texts of a row, as sorted now."""
        items = (self.item(row, column) for column in self._columns)
        return ["" if item is None else item.text() for item in items]

    def copy(self) -> None:
        """Copy the selected rows, or all if none is selected, as lines with tabs."""
        chosen = sorted({index.row() for index in self.selectedIndexes()})
        rows = chosen or range(self.rowCount())
        lines = [self.headings, *(self.texts(row) for row in rows)]
        QGuiApplication.clipboard().setText("\n".join("\t".join(line) for line in lines))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many columns as fit."""
        super().resizeEvent(event)
        self._fit()

    @property
    def _columns(self) -> range:
        return range(self.columnCount())

    @Slot()
    def _measure(self) -> None:
        """Find the size of the cells, and show as many columns as fit."""
        self._rooms = [
            max(self.sizeHintForColumn(column), self._header.room(column))
            for column in self._columns
        ]
        if self.rowCount():
            self.verticalHeader().setDefaultSectionSize(self.sizeHintForRow(0))
        self._fit()

    def _least_room(self, column: int) -> int:
        """Return the least width of a column; in a column with bars, that of its numbers."""
        if not self._has_bars(column):
            return self._rooms[column]
        return max(round(_TEXT_WIDTH * self.theme.scale) + 4, self._header.room(column))

    def _has_bars(self, column: int) -> bool:
        items = (self.item(row, column) for row in range(self.rowCount()))
        return any(item is not None and item.data(_LENGTH) is not None for item in items)

    def _fit(self) -> None:
        """Hide columns until the others fit; bars fill the rest."""
        room, columns = self.viewport().width(), list(self._columns)
        spare = list(self._spare)
        while (needed := sum(map(self._least_room, columns))) > room and spare:
            gone = spare.pop(0)
            columns = [column for column in columns if column not in gone]
        modes = QHeaderView.ResizeMode
        for column in self._columns:
            stretched = needed <= room and self._has_bars(column)
            self._header.setSectionResizeMode(column, modes.Stretch if stretched else modes.Fixed)
            self.setColumnHidden(column, column not in columns)
            if not stretched:
                self._header.resizeSection(column, self._rooms[column])
        self.fitted.emit()


class _Header(QHeaderView):
    """Headings. Only the one by which rows are sorted has room for an arrow."""

    def room(self, section: int) -> int:
        """Return the width that the heading needs."""
        return self.sectionSizeFromContents(section).width()

    def sectionSizeFromContents(self, section: int) -> QSize:
        """Return the size that the heading needs."""
        if section == self.sortIndicatorSection():
            return super().sectionSizeFromContents(section)
        option = QStyleOptionHeader()
        self.initStyleOption(option)
        option.section = section
        option.text = str(self.model().headerData(section, self.orientation()) or "")
        kind = QStyle.ContentsType.CT_HeaderSection
        return self.style().sizeFromContents(kind, option, QSize(), self)


class _Item(QTableWidgetItem):
    """A cell that is sorted by its value, and knows its font and colour in any theme."""

    def __init__(self, cell: Cell) -> None:
        super().__init__(cell.text)
        self._cell = cell
        self.setToolTip(plain_tip(cell.tip))
        self.setData(_LENGTH, cell.bar)
        self.setData(_ROLE, cell.role)
        if cell.number:
            self.setTextAlignment(_RIGHT)

    def dress(self, theme: Theme) -> None:
        self.setFont(theme.font(bold=self._cell.bold))
        self.setForeground(theme.colour("muted" if self._cell.muted else "text"))

    def __lt__(self, other: QTableWidgetItem) -> bool:
        if not isinstance(other, _Item):
            return super().__lt__(other)
        mine, its = self._cell.order, other._cell.order
        if isinstance(mine, str) or isinstance(its, str):
            return str(mine) < str(its)
        return mine < its


class _Bars(QStyledItemDelegate):
    """Draws a bar beside the text of cells that have one."""

    def __init__(self, table: ResultsTable) -> None:
        super().__init__(table)
        self._table = table

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draw the cell, with the bar at its right."""
        length = index.data(_LENGTH)
        if not length:
            super().paint(painter, option, index)
            return
        whole = QRectF(option.rect)
        text = QStyleOptionViewItem(option)
        self.initStyleOption(text, index)
        text.text = ""
        control = QStyle.ControlElement.CE_ItemViewItem
        self._table.style().drawControl(control, text, painter, self._table)
        theme = self._table.theme
        width = _TEXT_WIDTH * theme.scale
        room = max(0.0, whole.width() - width - 10)
        height = whole.height() * 0.46
        left, top = whole.left() + width, whole.center().y() - height / 2
        bar = QRectF(left, top, max(2.0, room * float(length)), height)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(index.data(Qt.ItemDataRole.FontRole))
        painter.setPen(theme.colour("text"))
        place = QRectF(whole.left(), whole.top(), width - 8, whole.height())
        painter.drawText(place, _RIGHT, str(index.data()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(str(index.data(_ROLE)), 0.85))
        painter.drawRoundedRect(bar, 3, 3)
        painter.restore()

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return room for text and bar."""
        size = super().sizeHint(option, index)
        if (length := index.data(_LENGTH)) is not None:
            width = round((_TEXT_WIDTH + _BAR_WIDTH) * self._table.theme.scale)
            return QSize(width if length else max(width, size.width()), size.height())
        return size
