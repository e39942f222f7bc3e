"""A page of the guides, drawn in the window's colours and type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QDesktopServices,
    QFontDatabase,
    QImage,
    QResizeEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrame,
    QTextLength,
    QTextTable,
)
from PySide6.QtWidgets import QTextBrowser, QTextEdit

from views.help.guide import anchor_of, folder
from views.widgets.labels import native_keys
from views.widgets.theme import DARK, Theme

_HEADINGS = {1: (1.7, 0, 8), 2: (1.3, 20, 4), 3: (1.12, 14, 2)}  # size, gaps above and below
_LINE, _GAP, _MARGIN = 130, 7, 18  # % of a line's height; pixels below a paragraph, and around all
_RESIZED = 120  # milliseconds without another size, after which pictures are drawn anew
_MOST_MARKED = 500  # places of what was sought


class GuidePage(QTextBrowser):
    """Shows one page at a time. Links to pages that are not there are plain text."""

    page_wanted = Signal(str, str)  # a link to another page, and to a place of it, was followed

    def __init__(self) -> None:
        super().__init__()
        self.setOpenLinks(False)
        self.setAccessibleName("Guide")
        # A bar that came and went would change the width of pictures, again and again.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.page = ""  # which is shown, as a path in the folder of pages
        self._theme = DARK
        self._width = 0  # for which pictures are drawn
        self._resized = QTimer(self, singleShot=True, interval=_RESIZED)
        self._resized.timeout.connect(self._show_again)
        self.anchorClicked.connect(self._follow)

    def show_page(self, page: str, anchor: str = "", words: Sequence[str] = ()) -> None:
        """Show the passage ``anchor`` of a page, with ``words`` marked."""
        if page != self.page:
            self.page = page
            self._render()
        self._scroll_to(anchor)
        self._mark(words)

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        self._theme = theme
        self._show_again()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit pictures into another width, soon."""
        super().resizeEvent(event)
        if self.page and self._picture_width != self._width:
            self._resized.start()

    def loadResource(self, kind: int, url: QUrl | str) -> object:
        """Return a picture of a page, no wider than the page."""
        path = self._path_of(QUrl(url))
        if kind != QTextDocument.ResourceType.ImageResource.value or path is None:
            return None  # nothing is fetched from elsewhere
        picture, ratio = QImage(str(path)), self.devicePixelRatioF()
        width = min(picture.width(), round(self._width * ratio))
        picture = picture.scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)
        picture.setDevicePixelRatio(ratio if width == round(self._width * ratio) else 1.0)
        return picture

    @property
    def _picture_width(self) -> int:
        return max(1, self.viewport().width() - 2 * _MARGIN - 4)

    @property
    def _behind_code(self) -> QColor:
        """A colour that differs a little from that of the page."""
        return self._theme.colour("panel" if self._theme.dark else "window")

    def _show_again(self) -> None:
        if self.page:
            bar = self.verticalScrollBar()
            share = bar.value() / max(1, bar.maximum())
            self._render()
            bar.setValue(round(share * bar.maximum()))

    def _render(self) -> None:
        self._width = self._picture_width
        document = QTextDocument(self)
        document.setDocumentMargin(_MARGIN)
        document.setDefaultFont(self._theme.font())
        text = native_keys((folder() / self.page).read_text("utf-8"))
        document.setMarkdown(text, QTextDocument.MarkdownFeature.MarkdownDialectGitHub)
        document.setUndoRedoEnabled(False)
        whole = QTextCursor(document)
        whole.beginEditBlock()  # lines are broken once, not after each change
        for block in _blocks(document):
            self._style(block)
        for frame in _tables(document.rootFrame()):
            self._style_table(frame)
        whole.endEditBlock()
        self.setDocument(document)
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _style(self, block: QTextBlock) -> None:
        cursor, form = QTextCursor(block), block.blockFormat()
        level = form.headingLevel()
        if level:
            factor, above, below = _HEADINGS[min(level, 3)]
            form.setTopMargin(round(above * self._theme.scale))
            form.setBottomMargin(round(below * self._theme.scale))
            cursor.setBlockFormat(form)
            cursor.movePosition(
                QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor
            )
            letters = QTextCharFormat()
            letters.setFont(self._theme.font(factor, bold=True))
            cursor.mergeCharFormat(letters)
            return
        code = form.nonBreakableLines()
        if code:
            form.setBackground(QBrush(self._behind_code))
            form.setLeftMargin(8)
            more = block.next().blockFormat().nonBreakableLines()
            form.setNonBreakableLines(False)  # a page does not scroll sideways
            form.setTopMargin(0)
            form.setBottomMargin(0 if more else 2 * _GAP)
        elif any(letters.isImageFormat() for _, _, letters in _fragments(block)):
            form.setBottomMargin(_GAP)  # in a higher line it would stand above empty room
        elif cursor.currentTable() is None:
            form.setLineHeight(_LINE, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            form.setTopMargin(0)
            form.setBottomMargin(_GAP)
        cursor.setBlockFormat(form)
        for begin, end, letters in _fragments(block):
            self._style_letters(block.document(), begin, end, letters, code=code)

    def _style_letters(
        self, document: QTextDocument, begin: int, end: int, letters: QTextCharFormat, *, code: bool
    ) -> None:
        cursor = QTextCursor(document)
        cursor.setPosition(begin)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        style = QTextCharFormat()
        if code or letters.fontFixedPitch():
            style.setFontFamilies(
                QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).families()
            )
            style.setFontPointSize(self._theme.points(0.94))
            if not code:
                style.setBackground(self._behind_code)
        if letters.isAnchor():
            there = self._leads_somewhere(QUrl(letters.anchorHref()))
            style.setForeground(self._theme.colour("accent" if there else "text"))
            style.setFontUnderline(there)
            if not there:
                style.setAnchor(False)
                style.setAnchorHref("")
        cursor.mergeCharFormat(style)

    def _style_table(self, table: QTextTable) -> None:
        form = table.format()
        form.setBorder(1)
        form.setBorderBrush(QBrush(self._theme.colour("border")))
        form.setBorderCollapse(True)
        form.setCellPadding(5)
        form.setCellSpacing(0)
        form.setTopMargin(4)
        form.setBottomMargin(12)
        form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        table.setFormat(form)

    def _mark(self, words: Sequence[str]) -> None:
        marks = list[QTextEdit.ExtraSelection]()
        for word in words:
            cursor = self.document().find(word)
            while not cursor.isNull() and len(marks) < _MOST_MARKED:
                mark = QTextEdit.ExtraSelection()
                mark.cursor = cursor
                mark.format.setBackground(self._theme.colour("best", 0.35))
                marks.append(mark)
                cursor = self.document().find(word, cursor)
        self.setExtraSelections(marks)
        here = self.textCursor().position()
        places = sorted(mark.cursor.selectionStart() for mark in marks)
        if found := [place for place in places if place >= here]:
            cursor = self.textCursor()
            cursor.setPosition(found[0])
            self.setTextCursor(cursor)  # brings it into sight

    def _scroll_to(self, anchor: str) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(0)
        self.moveCursor(QTextCursor.MoveOperation.Start)
        for block in _blocks(self.document()) if anchor else ():
            if block.blockFormat().headingLevel() and anchor_of(block.text()) == anchor:
                top = self.document().documentLayout().blockBoundingRect(block).top()
                self.setTextCursor(QTextCursor(block))
                bar.setValue(round(top))
                return

    def _path_of(self, url: QUrl) -> Path | None:
        """Return the file of a link or a picture, if it is in the folder of pages."""
        path = (folder() / self.page).parent.joinpath(url.path()).resolve()
        return path if path.is_relative_to(folder().resolve()) and path.is_file() else None

    def _leads_somewhere(self, url: QUrl) -> bool:
        if url.scheme():
            return url.scheme() == "https"
        return not url.path() or (url.path().endswith(".md") and self._path_of(url) is not None)

    def _follow(self, url: QUrl) -> None:
        if url.scheme():
            QDesktopServices.openUrl(url)
        elif not url.path():
            self.page_wanted.emit(self.page, url.fragment())
        elif (path := self._path_of(url)) is not None:
            page = path.relative_to(folder().resolve()).as_posix()
            self.page_wanted.emit(page, url.fragment())


def _blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def _fragments(block: QTextBlock) -> list[tuple[int, int, QTextCharFormat]]:
    """Return where each part of a block begins and ends, and its format."""
    found, at = [], block.begin()
    while not at.atEnd():
        part = at.fragment()
        found.append((part.position(), part.position() + part.length(), part.charFormat()))
        at += 1
    return found


def _tables(frame: QTextFrame) -> Iterator[QTextTable]:
    for child in frame.childFrames():
        if isinstance(child, QTextTable):
            yield child
        yield from _tables(child)
