"""Labels, tool tips and explanations: plain text, wherever it comes from."""

from __future__ import annotations

import sys
import textwrap
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from PySide6.QtCore import QPoint, QSize
from PySide6.QtGui import QPainter, QPaintEvent, Qt, QTextDocumentFragment
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QSizePolicy,
    QStyle,
    QStyleOption,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from gpu.core.words import shown
from views.widgets.guide_asked import ask_guide
from views.widgets.layouts import fill
from views.widgets.styling import restyle

LONGEST_LABEL = 2_000  # characters that a label or a tool tip shows
_TIP_LINE = 110  # characters in a line of a tool tip


_MAC_KEYS = {"Ctrl+": "⌘", "Shift+": "⇧", "Alt+": "⌥"}  # what Qt makes of them on macOS


def native_keys(text: str) -> str:
    """Return ``text`` with keys as this system writes them: Ctrl+O, or ⌘O on macOS."""
    if sys.platform == "darwin":
        for name, sign in _MAC_KEYS.items():
            text = text.replace(name, sign)
    return text


def show_tip(text: str, at: QPoint, of: QWidget) -> None:
    """Show ``text`` as a tip at a place of the screen; it goes when the mouse leaves ``of``."""
    QToolTip.showText(at, plain_tip(text), of)


@lru_cache(maxsize=2048)  # to break lines is slow, and the tips of a form are made again and again
def plain_tip(text: str) -> str:
    """Return what ``setToolTip`` needs to show ``text`` as it is, even if it has tags in it.

    Keys in it are written as the system does.
    """
    lines = shown(native_keys(text), LONGEST_LABEL).split("\n")
    broken = "\n".join(
        textwrap.fill(line, _TIP_LINE) if len(line) > _TIP_LINE else line for line in lines
    )
    return Qt.convertFromPlainText(broken) if Qt.mightBeRichText(broken) else broken


def plain_item(text: str, most: int = LONGEST_LABEL) -> str:
    """Return what menus and buttons need to show ``text`` as it is, even with a "&" in it."""
    return shown(text, most).replace("&", "&&")


def window_title(name: str) -> str:
    """Return the title of a window that shows what ``name`` says.

    Qt takes a single "[*]" for the place of its mark of unsaved changes, and leaves it out.
    """
    return f"{shown(name, LONGEST_LABEL).replace('[*]', '[*][*]')} – Formicarium"


def show_markup(widget: QWidget, html: str) -> None:
    """Give ``widget`` a tool tip in rich text; screen readers say the words alone.

    Nothing in it comes from a file or from the user.
    """
    widget.setToolTip(html)
    words = QTextDocumentFragment.fromHtml(html).toPlainText().split("\n")
    widget.setAccessibleDescription(" ".join(words))


class Label(QLabel):
    """A label of plain text, with control characters as escapes."""

    def __init__(self, text: str = "", parent: QWidget | None = None, **properties: Any) -> None:
        super().__init__(parent, textFormat=Qt.TextFormat.PlainText, **properties)
        if text:
            self.setText(text)

    def setText(self, text: str) -> None:
        """Show ``text``, cut if it is very long."""
        super().setText(shown(text, LONGEST_LABEL))


def make_link(address: str, title: str) -> QLabel:
    """Return a link for mouse and keyboard. Nothing in it comes from a file or from the user."""
    link = QLabel(f'<a href="{address}">{title}</a>', wordWrap=True)
    link.setTextFormat(Qt.TextFormat.RichText)
    link.setOpenExternalLinks(True)
    flag = Qt.TextInteractionFlag
    link.setTextInteractionFlags(flag.LinksAccessibleByMouse | flag.LinksAccessibleByKeyboard)
    link.setToolTip(plain_tip(address))
    return link


def make_label(role: str, text: str = "", *, wrap: bool = False, markup: bool = False) -> Label:
    """Return a label. ``role`` is its style in ``resources/style/window.qss``, say "heading".

    With ``markup``, its text is HTML. Nothing in it comes from a file or from the user.
    """
    result = Label(text, wordWrap=wrap)
    if markup:
        result.setTextFormat(Qt.TextFormat.RichText)
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


_CARD_WIDTH = 380  # pixels at scale 1


@dataclass(frozen=True, slots=True)
class Paper:
    """A publication."""

    title: str  # authors, title and year
    doi: str

    @property
    def link(self) -> str:
        """Where it is found."""
        return f"https://doi.org/{quote(self.doi)}"


@dataclass(frozen=True, slots=True)
class ViewExplanation:
    """What a view or a plot shows."""

    text: str
    guide: str  # the passage of the guides about it, such as watch#trails
    paper: Paper | None = None  # to read more,
    another: Paper | None = None  # and about another problem


class ExplanationCard(QFrame):
    """A card beside a button. A click elsewhere or Esc closes it."""

    def __init__(self, parent: QWidget, title: str, explanation: ViewExplanation) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("role", "explanation")
        self.setAccessibleName(f"What {title} shows")
        self.text = make_label("", explanation.text, wrap=True)
        parts: list[QLabel] = [make_label("heading", title, wrap=True), self.text]
        self.link: QLabel | None = None
        for paper in filter(None, (explanation.paper, explanation.another)):
            link = make_link(paper.link, paper.title)
            link.setAccessibleName(f"Paper: {paper.title}")
            parts.append(link)
            self.link = self.link or link
        self.more = make_link("guide", "More in the guide")
        self.more.setToolTip("")
        self.more.setOpenExternalLinks(False)
        self.more.linkActivated.connect(lambda _: self._ask(explanation.guide))
        parts.append(self.more)
        self._layout = fill(QVBoxLayout(self), *parts, margins=(14, 10, 14, 12), spacing=8)

    def open_below(self, button: QWidget, scale: float) -> None:
        """Open below ``button``, within its window; its link gets the focus, if it has one."""
        width = round(_CARD_WIDTH * scale)
        self.resize(width, self._layout.heightForWidth(width))
        window = button.window()
        corner = button.mapToGlobal(QPoint(button.width(), button.height()))
        left = max(window.mapToGlobal(QPoint(4, 0)).x(), corner.x() - width)
        lowest = window.mapToGlobal(QPoint(0, window.height())).y() - self.height() - 4
        self.move(left, max(0, min(corner.y() + 2, lowest)))
        self.show()
        (self.link or self.more).setFocus(Qt.FocusReason.PopupFocusReason)

    def _ask(self, target: str) -> None:
        around = self.parentWidget()
        self.close()
        ask_guide(around, target)
