"""Tables: rows of any kind, as a list of columns has it; they are sorted, filtered and copied."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QTableView,
)

from gpu.core.tables import Column, texts
from views.widgets.labels import plain_tip
from views.widgets.theme import DARK, Theme

Row = TypeVar("Row")
Index = QModelIndex | QPersistentModelIndex

CELL_PADDING = 9  # pixels at the left and at the right of a text
_TEXT_WIDTH, _BAR_WIDTH = 64, 90  # of a cell with a bar
_NO_PARENT = QModelIndex()
# Looked up once: a table asks for thousands of cells, and an enumeration is slow to ask.
_DISPLAY, _EDIT = int(Qt.ItemDataRole.DisplayRole), int(Qt.ItemDataRole.EditRole)
_TIP, _ALIGNMENT = (int(Qt.ItemDataRole.ToolTipRole), int(Qt.ItemDataRole.TextAlignmentRole))
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ELIDED = Qt.TextElideMode.ElideRight
_CELL_SELECTED, _CELL_FOCUSED = QStyle.StateFlag.State_Selected, QStyle.StateFlag.State_HasFocus


@dataclass(frozen=True)
class BarColumn(Column[Row]):
    """A column with a bar beside each number; it takes the room that others leave."""

    bar: Callable[[Row], float] = lambda _: 0.0  # its length, in [0, 1]; with 0, the text is alone
    role: Callable[[Row], str] = lambda _: "latest"  # the theme's colour of the bar


@dataclass(frozen=True)
class MarkColumn(Column[Row]):
    """A column with a drawn mark before each text, which is aligned to the left."""

    # Draws the mark of a row around a place, so many pixels wide.
    draw: Callable[[QPainter, QPointF, Row, float], object] = lambda *_: None


class TableModel(QAbstractTableModel, Generic[Row]):
    """The rows that match a filter, in the order of one column.

    It sorts by itself: QSortFilterProxyModel would ask Python for each comparison of two rows.
    """

    def __init__(self, key: Callable[[Row], Hashable], unknown: str = "–") -> None:
        super().__init__()
        self.columns: Sequence[Column[Row]] = ()
        self.key = key  # tells rows apart: which are selected is kept while they change
        self.all: Sequence[Row] = ()
        self.rows: Sequence[Row] = ()  # those that are shown, in their order
        self._unknown = unknown  # what a cell with no value says
        self._matches: Callable[[Row], bool] | None = None
        self._column, self._order = -1, Qt.SortOrder.AscendingOrder
        self._theme = DARK
        self._colours: dict[str, QColor] = {}
        # Texts and marks of rows, by their keys, made once: painting asks often.
        self._made: dict[Hashable, tuple[list[str], list[list[str]]]] = {}

    def texts(self, row: Row) -> list[str]:
        """Return what the cells of a row say."""
        return self._known(row)[0]

    def marks(self, row: Row) -> list[list[str]]:
        """Return how the cells of a row stand out: bold, or in a colour of the theme."""
        return self._known(row)[1]

    def _known(self, row: Row) -> tuple[list[str], list[list[str]]]:
        key = self.key(row)
        known = self._made.get(key)
        if known is None:
            marks = [self.mark(row, column).split() for column in self.columns]
            known = self._made[key] = texts(self.columns, row, self._unknown), marks
        return known

    def mark(self, row: Row, column: Column[Row]) -> str:
        """Return how a cell stands out, in words."""
        return column.mark(row)

    def tip(self, row: Row, place: int) -> str:
        """Return what a cell says on demand."""
        return self.columns[place].tip(row) or self.columns[place].about

    def colour(self, name: str) -> QColor:
        """Return a colour of the theme."""
        if name not in self._colours:
            self._colours[name] = self._theme.colour(name)
        return self._colours[name]

    def apply_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        self._colours.clear()

    def show_rows(self, rows: Sequence[Row], columns: Sequence[Column[Row]] | None = None) -> None:
        """Show other rows, and other columns if they are given.

        A range is kept as it is: of a million rows, only those in sight are made.
        """
        is_range = isinstance(rows, range)
        kept: Sequence[Row] = rows if is_range else list(rows)
        self.beginResetModel()
        self.take(kept, columns)
        self.endResetModel()

    def take(self, rows: Sequence[Row], columns: Sequence[Column[Row]] | None) -> None:
        """Have other rows, while the model is reset."""
        self.all = rows
        self.columns = self.columns if columns is None else columns
        self._made.clear()
        self._order_rows()

    def update_row(self, row: Row) -> None:
        """Show the new state of a row where it is now; add one that is new at the top."""
        key = self.key(row)
        place = next((at for at, one in enumerate(self.all) if self.key(one) == key), None)
        if place is None:
            self.show_rows([row, *self.all])
            return
        self._made.pop(key, None)
        self.all = [*self.all[:place], row, *self.all[place + 1 :]]
        if (at := self.place_of(key)) is not None:
            self.rows = [*self.rows[:at], row, *self.rows[at + 1 :]]
            self.dataChanged.emit(self.index(at, 0), self.index(at, len(self.columns) - 1))

    def filter(self, matches: Callable[[Row], bool] | None) -> None:
        """Show only rows that match, or all."""
        self._matches = matches
        self._arrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order the rows by ``column``."""
        if (column, order) != (self._column, self._order):
            self._column, self._order = column, order
            self._arrange()

    def place_of(self, key: Hashable) -> int | None:
        """Return where a row is, if it is shown."""
        return next((at for at, row in enumerate(self.rows) if self.key(row) == key), None)

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        """Return how many rows are shown."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _NO_PARENT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        """Return what a cell says; the delegate asks for the rest by itself."""
        if role in (_DISPLAY, _EDIT):
            return self.texts(self.rows[index.row()])[index.column()]
        if role == _TIP:
            return plain_tip(self.tip(self.rows[index.row()], index.column()))
        if role == _ALIGNMENT and self.columns[index.column()].number:
            return _RIGHT
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        """Return the heading of a column."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == _TIP:
            return plain_tip(self.columns[section].about) or None
        column = self.columns[section]
        if role == _ALIGNMENT and column.number and not isinstance(column, BarColumn):
            return _RIGHT
        return column.title if role == _DISPLAY else None

    def _arrange(self) -> None:
        self.beginResetModel()
        self._order_rows()
        self.endResetModel()

    def _order_rows(self) -> None:
        """Filter and sort anew."""
        self.rows = self._sorted(self._matching())

    def _matching(self) -> Sequence[Row]:
        matches = self._matches
        return self.all if matches is None else [row for row in self.all if matches(row)]

    def _sorted(self, rows: Sequence[Row]) -> Sequence[Row]:
        if 0 <= self._column < len(self.columns):
            keyed = [(self.columns[self._column].key(row), row) for row in rows]
            known = [pair for pair in keyed if pair[0] is not None]
            backwards = self._order is Qt.SortOrder.DescendingOrder
            known.sort(key=lambda pair: pair[0], reverse=backwards)
            rows = [row for _, row in known] + [row for key, row in keyed if key is None]
        return rows


class ColumnTable(QTableView, Generic[Row]):
    """Shows a :class:`TableModel`. Columns that matter less are hidden if there is no room."""

    fitted = Signal()  # other columns may be hidden, or other rows shown
    entered = Signal()  # Enter was pressed
    chosen = Signal()  # other rows are selected, or the same ones elsewhere

    def __init__(self, name: str, model: TableModel[Row]) -> None:
        super().__init__()
        self.theme = DARK
        self.content = model
        self.spare: Sequence[Sequence[str]] = ()  # headings that are hidden first, in groups
        self.copied_from = 0  # the first column that is copied
        self.stretched = False  # whether all columns are as wide, and fill the table
        self._rooms: list[int] = []  # the width that each column needs
        self._kept: list[Hashable] = []  # the keys of the selected rows, and of the current one
        self._at: Hashable = None
        model.setParent(self)
        self._header = header = _Header(Qt.Orientation.Horizontal)
        self.setHorizontalHeader(header)
        self.setModel(model)
        self._cells = _Cells(self)
        self.setItemDelegate(self._cells)
        self.setAccessibleName(name)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setAlternatingRowColors(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setTabKeyNavigation(False)  # else Tab would never leave it
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        # Cells are measured when they change, for Qt would do so whenever the window is laid out.
        for one in (header, self.verticalHeader()):
            one.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionsClickable(True)
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setToolTip("Click to sort")
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        header.sectionClicked.connect(lambda _: self.measure())  # another heading has the arrow now
        model.modelAboutToBeReset.connect(self._remember)
        model.modelReset.connect(self._restore)
        model.dataChanged.connect(lambda *_: self.measure())

    @property
    def selected(self) -> list[Row]:
        """The selected rows, from top to bottom."""
        chosen = self.selectionModel().selection()  # selectedRows asks for the flags of each cell
        ranges = [chosen.at(number) for number in range(chosen.count())]
        places = {at for one in ranges for at in range(one.top(), one.bottom() + 1)}
        return [self.content.rows[at] for at in sorted(places)]

    @property
    def headings(self) -> list[str]:
        """The headings of the columns."""
        return [column.title for column in self.content.columns]

    @property
    def unseen(self) -> list[int]:
        """The hidden columns."""
        return [at for at in range(len(self.content.columns)) if self.isColumnHidden(at)]

    @property
    def overflow(self) -> QSize:
        """By how much all rows and columns are larger than their visible part."""
        whole = QSize(sum(self._rooms), self.verticalHeader().length())
        bars = QSize(0, 0)
        if self.horizontalScrollBar().isVisible():
            bars.setHeight(self.horizontalScrollBar().height())
        return (whole - self.viewport().size() - bars).expandedTo(QSize(0, 0))

    def show_rows(self, columns: Sequence[Column[Row]], rows: Sequence[Row]) -> None:
        """Show other rows, sorted as the user has chosen, unless there are other columns."""
        if self.headings != [column.title for column in columns]:
            self._header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.content.show_rows(rows, columns)

    def texts(self, at: int) -> list[str]:
        """Return the texts of a row, as sorted now."""
        return self.content.texts(self.content.rows[at])

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        self.theme = theme
        self._cells.apply_theme(theme)
        self.content.apply_theme(theme)
        self.measure()
        self.viewport().update()

    def copy(self) -> None:
        """Copy the selected rows, or all if none is selected, as lines with tabs."""
        rows = self.selected or self.content.rows
        lines = [self.headings, *map(self.content.texts, rows)]
        texts = ("\t".join(line[self.copied_from :]) for line in lines)
        QGuiApplication.clipboard().setText("\n".join(texts))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy, or tell of Enter."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many columns as fit."""
        super().resizeEvent(event)
        self.fit()

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """Tell that other rows are selected."""
        super().selectionChanged(selected, deselected)
        self.chosen.emit()

    def _remember(self) -> None:
        """Keep which rows are selected while rows come, go or change their order."""
        key, rows, at = self.content.key, self.content.rows, self.currentIndex().row()
        self._kept = list(map(key, self.selected))
        self._at = key(rows[at]) if 0 <= at < len(rows) else None

    def _restore(self) -> None:
        model, flags = self.selectionModel(), QItemSelectionModel.SelectionFlag
        kept = bool(self._kept) or self._at is not None
        rows = self.content.rows if kept else ()
        places = {self.content.key(row): at for at, row in enumerate(rows)}
        chosen, last = QItemSelection(), len(self.content.columns) - 1
        for key in self._kept:
            if (at := places.get(key)) is not None:
                chosen.select(self.content.index(at, 0), self.content.index(at, last))
        if (at := places.get(self._at)) is not None:
            model.setCurrentIndex(self.content.index(at, 0), flags.NoUpdate)
        model.select(chosen, flags.ClearAndSelect)
        self.measure()
        self.chosen.emit()

    def measure(self) -> None:
        """Find the size of the cells, and show as many columns as fit."""
        self._rooms = [
            max(self.sizeHintForColumn(at), self._header.room(at))
            for at in range(len(self.content.columns))
        ]
        self.fit_height()
        self.fit()

    def fit_height(self) -> None:
        """Make rows as high as their text."""
        height = self._cells.height
        self.verticalHeader().setMinimumSectionSize(min(height, 16))
        self.verticalHeader().setDefaultSectionSize(height)

    def fit(self) -> None:
        """Hide columns until the others fit; those with bars fill the rest."""
        room, columns, spare = self.viewport().width(), self.content.columns, list(self.spare)
        if len(self._rooms) != len(columns):  # there are other columns, which are measured soon
            return
        bars = [isinstance(column, BarColumn) for column in columns]
        numbers = round(_TEXT_WIDTH * self.theme.scale) + 4  # is enough for a column with bars
        least = [
            max(numbers, self._header.room(at)) if bars[at] else self._rooms[at]
            for at in range(len(self._rooms))
        ]
        shown, needed = list(range(len(columns))), sum(least)
        while needed > room and spare:
            gone = spare.pop(0)
            shown = [at for at in shown if columns[at].title not in gone]
            needed = sum(least[at] for at in shown)
        modes = QHeaderView.ResizeMode
        for at in range(len(columns)):
            stretched = self.stretched or (needed <= room and bars[at])
            self._header.setSectionResizeMode(at, modes.Stretch if stretched else modes.Fixed)
            self.setColumnHidden(at, at not in shown)
            if not stretched:
                self._header.resizeSection(at, self._rooms[at])
        self._header.viewport().update()  # where columns were, Qt leaves a hole
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


class _Cells(QStyledItemDelegate):
    """Draws the cells itself, one line of text each: a style sheet takes several times as long."""

    def __init__(self, table: ColumnTable[Any]) -> None:
        super().__init__(table)
        self._table = table
        self._lines: dict[tuple[str, int, bool], tuple[str, int]] = {}  # what fits, and its width
        self.apply_theme(table.theme)

    def apply_theme(self, theme: Theme) -> None:
        """Measure all texts anew: the type is another one."""
        self._lines.clear()
        self._fonts = theme.font(), theme.font(bold=True)
        self._metrics = tuple(map(QFontMetrics, self._fonts))

    @property
    def height(self) -> int:
        """The height of a cell."""
        return round(QFontMetricsF(self._fonts[0]).height() * 1.5)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one cell; the table has drawn what is below it."""
        model, at, place = self._table.content, index.row(), index.column()
        row, column = model.rows[at], model.columns[place]
        text, marks = model.texts(row)[place], model.marks(row)[place]
        area: QRect = option.rect
        bold = "bold" in marks
        painter.setFont(self._fonts[bold])
        if option.state & _CELL_SELECTED:
            painter.fillRect(area, option.palette.highlight())
            painter.setPen(option.palette.color(QPalette.ColorRole.HighlightedText))
        else:
            painter.setPen(model.colour(next((one for one in marks if one != "bold"), "text")))
        if option.state & _CELL_FOCUSED:
            painter.drawRect(area.adjusted(0, 0, -1, -1))
        width, room, number = area.width(), area.width() - 2 * CELL_PADDING, column.number
        if isinstance(column, BarColumn):
            number = bool(length := column.bar(row))
            if number:
                width = round(_TEXT_WIDTH * self._table.theme.scale)
                room = width - CELL_PADDING
                self._draw_bar(painter, area, width, length, column.role(row))
        metrics, mark = self._metrics[bold], 0
        if isinstance(column, MarkColumn):
            mark = area.height()
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            centre = QPointF(area.x() + mark / 2 + 2, area.y() + area.height() / 2)
            column.draw(painter, centre, row, 0.5 * mark)
            painter.restore()
            room -= mark
        line, advance = self._line(text, room, bold)
        if line:
            left = area.x() + (width - CELL_PADDING - advance if number else CELL_PADDING + mark)
            baseline = (area.height() + metrics.ascent() - metrics.descent()) // 2
            painter.drawText(left, area.y() + baseline, line)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return room for the text and the bar."""
        model, at, place = self._table.content, index.row(), index.column()
        row, column = model.rows[at], model.columns[place]
        metrics = self._metrics["bold" in model.marks(row)[place]]
        text = model.texts(row)[place]
        width = metrics.horizontalAdvance(text) + 2 * CELL_PADDING + 2  # the first is rounded
        if isinstance(column, MarkColumn):
            width += self.height
        if isinstance(column, BarColumn):
            barred = round((_TEXT_WIDTH + _BAR_WIDTH) * self._table.theme.scale)
            width = barred if column.bar(row) else max(width, barred)
        return QSize(width, self.height)

    def _draw_bar(
        self, painter: QPainter, area: QRect, left: int, length: float, role: str
    ) -> None:
        room, height = max(0.0, area.width() - left - 10.0), area.height() * 0.46
        top = area.y() + (area.height() - height) / 2
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._table.theme.colour(role, 0.85))
        painter.drawRoundedRect(QRectF(area.x() + left, top, max(2.0, room * length), height), 3, 3)
        painter.restore()

    def _line(self, text: str, room: int, bold: bool) -> tuple[str, int]:
        """Return as much of ``text`` as fits into ``room``, and how wide it is."""
        known = self._lines.get((text, room, bold))
        if known is None:
            line = self._metrics[bold].elidedText(text, _ELIDED, room)
            advance = self._metrics[bold].horizontalAdvance(line)
            known = self._lines[text, room, bold] = line, advance
        return known
