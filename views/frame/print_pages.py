"""Pages on paper: a picture of a view, and below it a list, over as many pages as it needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtPrintSupport import QPrinter

from gpu.core.tables import Column, texts
from views.frame.picture_look import CM_PER_INCH, PictureLook
from views.frame.print_picture import PicturedView, as_image, onto
from views.widgets.steps import Steps
from views.widgets.table import MarkColumn

MOST_PRINTED = 20_000  # rows of a list that are printed; hundreds of pages
_PICTURE_SHARE = 0.5  # of the height of the first page
_IMAGE_DPI = 300  # of a picture for a printer that does not take lines as they are
_POINTS = 9.0  # size of the type on paper
_GUTTER = 14.0  # points between two columns of cells, and twice as many between two lists
_LINE = 1.45  # height of a row, in sizes of its type
_MOST_BESIDE = 4  # lists side by side on a page
_LONGEST_CELL = 34  # characters
_ROWS_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class PrintedList:
    """What is printed beside the picture."""

    title: str  # at the top of the first page
    about: Sequence[str]  # lines below it
    columns: Sequence[Column[Any]]
    rows: Sequence[Any]


class PrintedPages:
    """One job of a printer. First :meth:`picture` is drawn, then :meth:`list`."""

    def __init__(self, printer: QPrinter, listed: PrintedList, of: PicturedView) -> None:
        self._printer, self._listed, self._of = printer, listed, of
        # In the units of the screen, views are drawn as they are, as lines and letters.
        printer.setResolution(of.view.logicalDpiX())
        printer.setDocName(listed.title)
        printer.setCreator("Formicarium")
        self._dots = printer.resolution() / 72  # of a point
        area = printer.pageRect(QPrinter.Unit.DevicePixel)
        self._wide, self._high = area.width(), area.height()
        self._painter = QPainter()
        self._y = 0.0
        self._page = 1
        self._lists = self._layout()

    def begin(self) -> bool:
        """Return whether the printer takes the job."""
        return self._painter.begin(self._printer)

    def picture(self) -> Steps[None]:
        """Draw title and picture on the first page."""
        self._y = self._text(self._listed.title, 0.0, 1.5, bold=True)
        for line in self._listed.about:
            self._y = self._text(line, self._y, 1.0)
        self._y += 6 * self._dots
        rows = math.ceil(len(self._listed.rows) / len(self._lists)) + 1
        free = self._bottom - self._y
        high = max(free * _PICTURE_SHARE, free - (rows + 1) * self._line)
        place = QRectF(0, self._y, self._wide, high)
        inch = self._dots * 72
        size = place.width() / inch * CM_PER_INCH, place.height() / inch * CM_PER_INCH
        look = PictureLook(*size, dpi=_IMAGE_DPI, points=_POINTS, title=False, legend=False)
        if self._printer.resolution() == self._of.view.logicalDpiX():
            yield from onto(self._painter, self._of, look, place)
        else:
            image = yield from as_image(self._of, look)
            self._painter.drawImage(place, image)
        self._y = place.bottom() + 8 * self._dots

    def list(self) -> Steps[int]:
        """Draw the rows, and return how many pages there are; the job is complete then."""
        rows = self._listed.rows[:MOST_PRINTED]
        at = 0
        while at < len(rows):
            room = int((self._bottom - self._y - self._line) / self._line)
            if room < 3 and self._y > 0:
                self._turn()
                continue
            # The last page has lists of equal length.
            each = min(room, math.ceil((len(rows) - at) / len(self._lists)))
            top = self._y
            for left, widths in self._lists:
                some = rows[at : at + each]
                if not some:
                    break
                self._y = top
                self._draw_rows(some, left, widths)
                at += len(some)
                yield
            self._y = top + (each + 1) * self._line + 4 * self._dots
            if at < len(rows):
                self._turn()
        if len(rows) < len(self._listed.rows):
            left_out = len(self._listed.rows) - len(rows)
            self._text(f"… and {left_out:,} more: saved as a file, all are there", self._y, 1.0)
        self._foot()
        self._painter.end()
        return self._page

    def cancel(self) -> None:
        """Give the job up."""
        if self._painter.isActive():
            self._printer.abort()
            self._painter.end()

    @property
    def _line(self) -> float:
        return _POINTS * _LINE * self._dots

    @property
    def _bottom(self) -> float:
        return self._high - 1.6 * self._line  # below it is the number of the page

    def _font(self, factor: float = 1.0, *, bold: bool = False) -> QFont:
        font = QFont()
        font.setPixelSize(max(1, round(_POINTS * factor * self._dots)))
        font.setBold(bold)
        return font

    def _layout(self) -> Sequence[tuple[float, Sequence[float]]]:
        """Return, of each list side by side, where it begins, and how wide its columns are."""
        metrics = QFontMetricsF(self._font(bold=True), self._printer)
        gutter, columns = _GUTTER * self._dots, self._listed.columns
        rows = self._listed.rows[:MOST_PRINTED]
        widths = [metrics.horizontalAdvance(column.title) for column in columns]
        longest = [""] * len(columns)
        for row in rows:
            for place, text in enumerate(_texts(columns, row)):
                if len(text) > len(longest[place]):
                    longest[place] = text
        widths = [
            max(width, metrics.horizontalAdvance(text) + self._mark_room(column))
            for column, width, text in zip(columns, widths, longest, strict=True)
        ]
        whole = sum(widths) + gutter * (len(widths) - 1)
        if whole > self._wide:
            widths = [width * self._wide / whole for width in widths]
            return [(0.0, widths)]
        beside = int((self._wide + 2 * gutter) / (whole + 2 * gutter))
        beside = max(1, min(beside, _MOST_BESIDE, math.ceil(len(rows) / 8)))
        return [(place * (whole + 2 * gutter), widths) for place in range(beside)]

    def _draw_rows(self, rows: Sequence[Any], left: float, widths: Sequence[float]) -> None:
        columns, painter = self._listed.columns, self._painter
        right = left + sum(widths) + _GUTTER * self._dots * (len(widths) - 1)
        self._cells([column.title for column in columns], left, widths, bold=True)
        painter.setPen(QPen(Qt.GlobalColor.black, 0.8 * self._dots))
        painter.drawLine(*map(round, (left, self._y, right, self._y)))
        painter.setPen(QPen(Qt.GlobalColor.lightGray, 0.4 * self._dots))
        for row in rows:
            self._draw_marks(row, left, widths)
            self._cells(_texts(columns, row), left, widths, marked=True)
            painter.setPen(QPen(Qt.GlobalColor.lightGray, 0.4 * self._dots))
            painter.drawLine(*map(round, (left, self._y, right, self._y)))

    def _cells(
        self,
        cells: Sequence[str],
        left: float,
        widths: Sequence[float],
        *,
        bold: bool = False,
        marked: bool = False,  # whether there are marks before them
    ) -> None:
        font = self._font(bold=bold)
        metrics = QFontMetricsF(font, self._printer)
        self._painter.setFont(font)
        self._painter.setPen(Qt.GlobalColor.black)
        for column, text, width in zip(self._listed.columns, cells, widths, strict=True):
            side = Qt.AlignmentFlag.AlignRight if column.number else Qt.AlignmentFlag.AlignLeft
            room = self._mark_room(column) if marked else 0.0
            box = QRectF(left + room, self._y, width - room, self._line)
            line = metrics.elidedText(text, Qt.TextElideMode.ElideRight, box.width() + self._dots)
            flags = side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip
            self._painter.drawText(box, flags, line)
            left += width + _GUTTER * self._dots
        self._y += self._line

    def _mark_room(self, column: Column[Any]) -> float:
        """Return how wide the mark before a text is, with what is free behind it."""
        return self._line if isinstance(column, MarkColumn) else 0.0

    def _draw_marks(self, row: Any, left: float, widths: Sequence[float]) -> None:
        for column, width in zip(self._listed.columns, widths, strict=True):
            if isinstance(column, MarkColumn):
                centre = QPointF(left + self._line * 0.4, self._y + self._line / 2)
                column.draw(self._painter, centre, row, self._line * 0.62)
            left += width + _GUTTER * self._dots

    def _text(self, text: str, top: float, factor: float, *, bold: bool = False) -> float:
        """Draw a paragraph; return where it ends."""
        self._painter.setFont(self._font(factor, bold=bold))
        self._painter.setPen(Qt.GlobalColor.black)
        room = QRectF(0, top, self._wide, self._high)
        flags = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap
        box = self._painter.boundingRect(room, flags, text)
        self._painter.drawText(room, flags, text)
        return float(box.bottom() + 2 * self._dots)

    def _turn(self) -> None:
        """Begin with another page."""
        self._foot()
        self._printer.newPage()
        self._page, self._y = self._page + 1, 0.0

    def _foot(self) -> None:
        self._painter.setFont(self._font(0.85))
        self._painter.setPen(Qt.GlobalColor.darkGray)
        box = QRectF(0, self._high - self._line, self._wide, self._line)
        bottom = Qt.AlignmentFlag.AlignBottom
        self._painter.drawText(box, Qt.AlignmentFlag.AlignLeft | bottom, self._listed.title)
        page = f"page {self._page}"
        self._painter.drawText(box, Qt.AlignmentFlag.AlignRight | bottom, page)


def _texts(columns: Sequence[Column[Any]], row: Any) -> list[str]:
    return [
        text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 1]}…"
        for text in texts(columns, row)
    ]
