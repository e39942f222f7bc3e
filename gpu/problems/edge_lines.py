"""Lines that each write an edge in a way of their own, as rows of a table.

Read are arrows and dashes (``1 -- 2``, ``a -> b``, ``1-2``), pairs in parentheses (``(1, 2)``),
names between blanks, in quotes or not, perhaps with a number behind them (``Bonn Aach 31``), and
what networkx writes: two vertices and a dict (``1 2 {'weight': 3}``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

HEADER = ("from vertex", "to vertex", "weight")
"""What the columns of lines are called that can be nothing else than edges."""

_NAME = r"""("[^"]*"|'[^']*'|[^\s"'(),;:|{}\[\]=<>]+)"""
_NUMBER = r"([-+]?[0-9]+(?:[.,][0-9]+)?)"
_PLAIN_NUMBER = re.compile(_NUMBER)
_SIDE = r"""("[^"]*"|'[^']*'|\w[^"',;{}\[\]<>|]*?)"""
_SIGN = r"(?:-->?|->|<->|→|—|–|↔)"
_ARROW = re.compile(rf"{_SIDE}\s+{_SIGN}\s+{_SIDE}\s*;?")
_CLOSE_ARROW = re.compile(rf"(\w+){_SIGN}(\w+);?")
_DASH = re.compile(r"([^\s,;:-]+) - ([^\s,;:-]+)|([^\s,;:.-]+)-([^\s,;:.-]+)")
_DICT = re.compile(_NAME + r"\s+" + _NAME + r"\s+\{([^{}]*)\}")
_WEIGHT = re.compile(r"""["']weight["']\s*:\s*""" + _NUMBER)
_PAIR = re.compile(r"\(\s*" + _NAME + r"\s*,\s*" + _NAME + r"\s*\)\s*[,;]?")
_NAMES = re.compile(_NAME + r"\s+" + _NAME + r"(?:\s+" + _NUMBER + ")?")
_HEAD = 20  # lines that tell the form
_LONGEST = 400  # characters of a line


def _groups(pattern: re.Pattern[str]) -> Callable[[str], list[str] | None]:
    def cells(line: str) -> list[str] | None:
        match = pattern.fullmatch(line)
        return None if match is None else [bare(one) for one in match.groups() if one is not None]

    return cells


def bare(name: str) -> str:
    """Return ``name`` without the quotes around it."""
    return name.strip().strip("\"'").strip()


def _of_dict(line: str) -> list[str] | None:
    match = _DICT.fullmatch(line)
    if match is None:
        return None
    weight = _WEIGHT.search(match[3])
    return [bare(match[1]), bare(match[2]), *([weight[1]] if weight else [])]


def _of_names(line: str) -> list[str] | None:
    cells = _groups(_NAMES)(line)
    if cells is None or any(map(_PLAIN_NUMBER.fullmatch, cells[:2])):
        return None
    return cells


_FORMS = (  # how a line is taken apart, and whether it then can be nothing else than an edge
    (_of_dict, True),
    (_groups(_ARROW), True),
    (_groups(_CLOSE_ARROW), True),
    (_groups(_PAIR), False),
    (_groups(_DASH), False),
    (_of_names, False),
)


def edge_lines(text: str) -> list[list[str]] | None:
    """Return the rows of ``text`` if each of its lines writes an edge in the same way; else None.

    They begin with :data:`HEADER` where the lines can be nothing else. Lines that begin with # or
    % are comments.
    """
    head = [line for line in map(str.strip, text[:10_000].splitlines()[:_HEAD]) if _counts(line)]
    if not head:
        return None
    for form, sure in _FORMS:
        # The last line of the beginning may be cut off.
        if any(len(line) > _LONGEST or form(line) is None for line in head[: len(head) - 1 or 1]):
            continue
        rows = _rows(form, map(str.strip, text.splitlines()))
        if rows is None:
            continue
        if sure:
            return [list(HEADER[: len(rows[0])]), *rows]
        return rows if _recur(rows) else None
    return None


def _counts(line: str) -> bool:
    return bool(line) and line[0] not in "#%"


def _rows(form: Callable[[str], list[str] | None], lines: Iterable[str]) -> list[list[str]] | None:
    rows = list[list[str]]()
    for line in filter(_counts, lines):
        cells = form(line) if len(line) <= _LONGEST else None
        if cells is None or not all(cells) or (rows and len(cells) != len(rows[0])):
            return None
        rows.append(cells)
    return rows or None


def _recur(rows: list[list[str]]) -> bool:
    """Whether there are as few different names as a graph with so many edges has."""
    names = {name for row in rows for name in row[:2]}
    return len(rows) > 1 and len(names) <= len(rows) + 1
