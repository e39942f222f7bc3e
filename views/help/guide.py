"""The guides of ``docs``: their order, their passages, and which of these have what is sought.

A **target** names a passage: ``watch#trails`` is the section "Trails" of ``docs/guide/watch.md``,
and ``watch`` the page's beginning. Sections have the anchors that they have on the web.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

_AROUND = 60  # characters before what is sought in an excerpt,
_EXCERPT = 150  # and in all
_FENCE = "```"
_LINKS = re.compile(r"!\[[^\]]*\]\([^)]*\)|(?<=\])\([^)]*\)")  # pictures, and where links lead
_MARKS = re.compile(r"[*`\[\]]|^\s*(?:[-#>]|\d+\.) |-{3,}:?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Passage:
    """A section of a page, without those below other headings."""

    page: str  # the page's path in ``docs``, such as guide/watch.md
    anchor: str  # of its heading; empty for the first one of a page
    title: str  # of the page
    heading: str
    text: str  # without marks


def folder() -> Path:
    """Return where the pages are: in an installed program, or else in the checkout."""
    packed = Path(str(files("resources"))) / "docs"
    return packed if packed.is_dir() else packed.parents[1] / "docs"


@cache
def guides() -> tuple[str, ...]:
    """Return the guides' paths in :func:`folder`, in the order of the list of pages."""
    contents = (folder() / "README.md").read_text("utf-8")
    return tuple(dict.fromkeys(re.findall(r"\]\((guide/[\w-]+\.md)\)", contents)))


@cache
def passages(page: str) -> tuple[Passage, ...]:
    """Return the sections of a page; OSError if it is not there."""
    parts = list(_sections((folder() / page).read_text("utf-8").splitlines()))
    title = parts[0][0]
    return tuple(
        Passage(page, anchor_of(heading) if place else "", title, heading, _plain(lines))
        for place, (heading, lines) in enumerate(parts)
    )


def find(target: str) -> Passage:
    """Return the passage of ``target``; KeyError if there is none."""
    name, _, anchor = target.partition("#")
    page = f"guide/{name}.md"
    found = (one for one in passages(page) if one.anchor == anchor) if page in guides() else ()
    for passage in found:
        return passage
    raise KeyError(target)


def search(text: str) -> list[tuple[Passage, str]]:
    """Return the guides' passages that have every word of ``text``, each with an excerpt.

    First come those whose heading has all of them, then those whose page's title has; of the
    others those in which ``text`` stands most often.
    """
    words = text.casefold().split()
    ranked = []
    for passage in (one for page in guides() for one in passages(page)):
        heading, title = passage.heading.casefold(), passage.title.casefold()
        whole = f"{title} {heading} {passage.text.casefold()}"
        if words and all(word in whole for word in words):
            inside = [all(word in part for word in words) for part in (heading, title)]
            often = whole.count(" ".join(words))
            ranked.append((inside.index(True) if any(inside) else 2, -often, passage))
    ranked.sort(key=lambda found: found[:2])  # those of a rank stay in the guides' order
    return [(passage, _excerpt(passage.text, words)) for *_, passage in ranked]


def anchor_of(heading: str) -> str:
    """Return the anchor of a heading: small letters, with hyphens for spaces."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _sections(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield each heading with the lines below it."""
    heading, below, code = "", list[str](), False
    for line in lines:
        code ^= line.lstrip().startswith(_FENCE)
        if not code and (found := re.match(r"#+ (.*)", line)):
            if heading:
                yield heading, below
            heading, below = found[1].strip(), []
        elif not line.lstrip().startswith(_FENCE):
            below.append(line)
    yield heading, below


def _plain(lines: Sequence[str]) -> str:
    text = _MARKS.sub("", _LINKS.sub("", "\n".join(lines)))
    return " ".join(text.replace("|", " ").split())


def _excerpt(text: str, words: Sequence[str]) -> str:
    """Return the place of ``text`` with the first of ``words`` in it, in one line."""
    places = [place for word in words if (place := text.casefold().find(word)) >= 0]
    begin = max(0, min(places, default=0) - _AROUND)
    begin = text.find(" ", begin) + 1 if begin else 0
    part = text[begin : begin + _EXCERPT]
    if begin + _EXCERPT < len(text):
        part = f"{part.rsplit(' ', 1)[0]} …"
    return f"… {part}" if begin else part
