"""Cells of tables: whether they are numbers, and the words in those of headers."""

from __future__ import annotations

import re

_CELL_NUMBER = re.compile(r"[-+]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][-+]?[0-9]{1,3})?")

GROUPED = re.compile(r"[-+]?[1-9][0-9]{0,2}(?:,[0-9]{3})+|[-+]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
"""A number whose comma, or whose point, may separate thousands."""


def is_number(cell: str) -> bool:
    """Whether ``cell`` writes a number, with a point or a comma before its decimals."""
    return (_CELL_NUMBER.fullmatch(cell) or GROUPED.fullmatch(cell)) is not None


def is_whole_number(cell: str) -> bool:
    """Whether ``cell`` writes a whole number of no enormous length, without a sign."""
    return cell.isascii() and cell.isdigit() and len(cell) < 19


def words_of(cell: str) -> set[str]:
    """Return the words in the cell of a header, and all of them as one, in lower case."""
    plain = re.sub(r"\(.*?\)|\[.*?\]", " ", cell)
    parts = re.findall(r"[^\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", plain))
    words = [part.casefold() for part in parts]
    return {*words, "".join(words)}
