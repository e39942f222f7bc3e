"""Elements of a page. Every text in them is escaped, wherever it comes from."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from typing import TypeVar
from xml.etree.ElementTree import Element, tostring

from gpu.core.tables import Column
from gpu.core.words import shown

Part = Element | str
Row = TypeVar("Row")
_MARK_TAGS = {"best": "strong", "lowest": "u", "notable": "strong"}  # tags of cells that stand out
LONGEST_PART = 2000  # characters of one text; longer ones end with …


def element(tag: str, *parts: Part, **attributes: str) -> Element:
    """Return an element with ``parts`` in it; ``class_`` and the like lose their underscore."""
    made = Element(tag, {name.rstrip("_"): shown(value) for name, value in attributes.items()})
    for part in parts:
        if isinstance(part, Element):
            made.append(part)
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + shown(part, LONGEST_PART)
        else:
            made.text = (made.text or "") + shown(part, LONGEST_PART)
    return made


def table(columns: Sequence[Column[Row]], groups: Iterable[tuple[str, Iterable[Row]]]) -> Element:
    """Return a table; each group of rows has a heading of its own unless that is empty."""
    head = element("tr", *(element("th", column.title, scope="col") for column in columns))
    bodies = []
    for name, rows in groups:
        lines = [element("tr", *(_cell(column, row) for column in columns)) for row in rows]
        if name:
            title = element("th", name, colspan=str(len(columns)), scope="rowgroup")
            lines.insert(0, element("tr", title, class_="group"))
        bodies.append(element("tbody", *lines))
    made = element("table", element("thead", head), *bodies)
    return element("div", made, class_="wide", tabindex="0")


def _cell(column: Column[Row], row: Row) -> Element:
    part: Part = column.text(row, "—")
    for mark in column.mark(row).split():
        part = element(_MARK_TAGS[mark], part, class_=mark)
    return element("td", part)


def image(picture: bytes, words: str) -> Element:
    """Return an SVG picture as part of the page; ``words`` are for whoever cannot see it."""
    return element("img", src=_address("image/svg+xml", picture), alt=words)


def download(name: str, text: str, words: str) -> Element:
    """Return a link to a CSV that is part of the page."""
    return element("a", words, download=name, href=_address("text/csv", text.encode()))


def document(title: str, style: str, body: Iterable[Element], theme: str) -> str:
    """Return the whole page, which refers to nothing outside itself."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
    )
    css = Element("style")
    css.text = style
    head.append(css)
    page = element("html", head, element("body", element("main", *body)), lang="en", class_=theme)
    return "<!DOCTYPE html>\n" + tostring(page, encoding="unicode", method="html") + "\n"


def _address(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"
