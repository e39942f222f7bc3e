"""Labels and tool tips: what they show is plain text, wherever it comes from."""

from __future__ import annotations

import textwrap
from functools import lru_cache
from typing import Any

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyle, QStyleOption, QWidget

from gpu.core.words import shown
from views.widgets.styling import restyle

LONGEST = 2_000  # characters that a label or a tool tip shows
_TIP_LINE = 110  # characters in a line of a tool tip


@lru_cache(maxsize=2048)  # to break lines is slow, and the tips of a form are made again and again
def plain_tip(text: str) -> str:
    """Return what ``setToolTip`` needs to show ``text`` as it is, even if it has tags in it."""
    lines = shown(text, LONGEST).split("\n")
    broken = "\n".join(textwrap.fill(line, _TIP_LINE) for line in lines)
    return Qt.convertFromPlainText(broken) if Qt.mightBeRichText(broken) else broken


def plain_item(text: str, most: int = LONGEST) -> str:
    """Return what menus and buttons need to show ``text`` as it is, even with a "&" in it."""
    return shown(text, most).replace("&", "&&")


def window_title(name: str) -> str:
    """Return the title of a window that shows what ``name`` says.

    Qt takes a single "[*]" for the place of its mark of unsaved changes, and leaves it out.
    """
    return f"{shown(name, LONGEST).replace('[*]', '[*][*]')} – Formicarium"


def markup_tip(html: str) -> str:
    """Mark a tool tip as rich text. Nothing in it comes from a file or from the user."""
    return html


class Label(QLabel):
    """A label of plain text, with control characters as escapes."""

    def __init__(self, text: str = "", parent: QWidget | None = None, **properties: Any) -> None:
        super().__init__(parent, textFormat=Qt.TextFormat.PlainText, **properties)
        if text:
            self.setText(text)

    def setText(self, text: str) -> None:
        """Show ``text``, cut if it is very long."""
        super().setText(shown(text, LONGEST))


def make_link(address: str, title: str) -> QLabel:
    """Return a link for mouse and keyboard. Nothing in it comes from a file or from the user."""
    link = QLabel(f'<a href="{address}">{title}</a>', wordWrap=True)
    link.setTextFormat(Qt.TextFormat.RichText)
    link.setOpenExternalLinks(True)
    flag = Qt.TextInteractionFlag
    link.setTextInteractionFlags(flag.LinksAccessibleByMouse | flag.LinksAccessibleByKeyboard)
    link.setToolTip(plain_tip(address))
    return link


def make_label(role: str, text: str = "", *, wrap: bool = False) -> Label:
    """Return a label. ``role`` is its style in ``resources/style/window.qss``, say "heading"."""
    result = Label(text, wordWrap=wrap)
    result.setProperty("role", role)
    return result


def set_role(label: QLabel, role: str) -> None:
    """Give ``label`` another style."""
    if label.property("role") != role:
        label.setProperty("role", role)
        restyle([label])


class ElidedLabel(Label):
    """One line, which ends with an ellipsis if there is no room for all of it."""

    def __init__(self, role: str = "") -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setProperty("role", role)

    def minimumSizeHint(self) -> QSize:
        """Return room for a few letters."""
        return QSize(24, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw as much as there is room for."""
        option = QStyleOption()
        option.initFrom(self)
        area = self.contentsRect()
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, area.width())
        look = int(self.alignment()), option.palette, self.isEnabled(), text, self.foregroundRole()
        with QPainter(self) as painter:
            self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
            self.style().drawItemText(painter, area, *look)
