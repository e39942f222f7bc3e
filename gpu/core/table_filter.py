"""A filter of tables that is typed: words, and values of columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_TERM = re.compile(r'(?:([^\s="]+)=)?(?:"([^"]*)"?|(\S+))')

Matches = Callable[[Mapping[str, str]], bool]
"""Whether the cells of a row match, by the names of their columns in small letters."""


def filter_of(text: str) -> Matches | None:
    """Return what the filter ``text`` lets through; None if that is everything.

    Each word is to be somewhere in a row, in small or large letters. ``name=value`` is the whole
    cell of a column. Quotes keep blanks together: ``configuration="ACS, ants 2"``.
    """
    terms = [
        (name.casefold(), " ".join((quoted or word).casefold().split()))
        for name, quoted, word in _TERM.findall(text)
    ]
    if not terms:
        return None

    def matches(cells: Mapping[str, str]) -> bool:
        return all(
            cells.get(name, "").casefold() == value
            if name in cells
            else any(_words(name, value) in cell.casefold() for cell in cells.values())
            for name, value in terms
        )

    return matches


def _words(name: str, value: str) -> str:
    return f"{name}={value}" if name else value


def term(name: str, value: str) -> str:
    """Return the filter of a column's whole cell."""
    plain = value and not re.search(r'[\s"=]', value)
    return f"{name}={value}" if plain else f'{name}="{value}"'
