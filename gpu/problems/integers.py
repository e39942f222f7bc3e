"""Lines of whole numbers, read many at once: a million take about as long as ten thousand others.

Lists of edges, adjacency lists and the edges of DIMACS graphs are such lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

PIECE = 1 << 20  # bytes of lines that are read at once
_SHORT, _LONGEST = 9, 18  # digits of a number that fits into 32 bits, and of the longest one
_NEWLINE, _ZERO = map(ord, "\n0")
_SPACE, _DIGIT, _END, _OTHER = range(4)
_COMMENTS = re.compile(rb"(?m)^[ \t]*[#%][^\n]*(?:\n|\Z)")


class IntegerRows(NamedTuple):
    """The numbers in some lines."""

    values: NDArray[np.int64]  # all, line after line
    counts: NDArray[np.int64]  # (lines,): how many each line has

    def table(self, width: int) -> NDArray[np.int64] | None:
        """Return the numbers of all lines that have some, if each of these has ``width``."""
        full = self.counts[self.counts > 0]
        return self.values.reshape(-1, width) if (full == width).all() else None


def _kinds(separators: str) -> NDArray[np.uint8]:
    """Return of which kind each byte is."""
    kinds = np.full(256, _OTHER, np.uint8)
    kinds[[ord(letter) for letter in separators]] = _SPACE
    kinds[[ord(letter) for letter in "0123456789"]] = _DIGIT
    kinds[_NEWLINE] = _END
    return kinds


_BLANKS, _ANY = _kinds(" \t"), _kinds(" \t,;")
_IS_SIGN = np.isin(np.arange(256), list(b"\t,;"))  # between cells, of which one may be empty


def rows_in(lines: bytes, letter: str = "") -> IntegerRows | None:
    """Return the numbers in whole ``lines``; None if there is anything else in them.

    Numbers have no sign and at most 18 digits. Each line begins with the ``letter`` if one is
    given, and has nothing but blanks between numbers then; else there may be one comma, semicolon
    or tab.
    """
    if b"\r" in lines:
        lines = lines.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    text = np.frombuffer(lines if lines.endswith(b"\n") else lines + b"\n", np.uint8)
    kinds = (_BLANKS if letter else _ANY)[text]
    ends = np.flatnonzero(kinds == _END)
    if letter:
        others = np.flatnonzero(kinds == _OTHER)
        if len(others) != len(ends) or (text[others] != ord(letter)).any():
            return None
        if (kinds[others + 1] != _SPACE).any() or (others > ends).any():
            return None
    elif (kinds == _OTHER).any():
        return None
    digit = kinds == _DIGIT
    firsts, lasts = digit.copy(), digit.copy()
    firsts[1:] &= ~digit[:-1]
    lasts[:-1] &= ~digit[1:]
    begins, lasts_at = np.flatnonzero(firsts), np.flatnonzero(lasts)
    before = np.searchsorted(begins, ends)  # how many numbers there are up to each end
    if letter:
        # A letter comes after the end of the line before, and before the first number of its own.
        number = np.searchsorted(begins, others)
        if (others[1:] < ends[:-1]).any() or (number != np.concatenate(([0], before[:-1]))).any():
            return None
    elif len(signs := np.flatnonzero(_IS_SIGN[text])):
        # One stands between two numbers of a line: else a cell is empty.
        number = np.searchsorted(begins, signs)
        bounds = np.concatenate(([0], before))
        if (np.diff(number) <= 0).any() or (
            bounds[np.searchsorted(bounds, number)] == number
        ).any():
            return None
    length = lasts_at - begins + 1
    longest = int(length.max(initial=0))
    if longest > _LONGEST:
        return None
    values: NDArray[np.int64] = np.zeros(len(begins), np.int64)
    kind: type[np.int32 | np.int64] = np.int32 if longest <= _SHORT else np.int64
    for place in range(longest):
        figures: NDArray[Any] = (text[lasts_at - place] - _ZERO).astype(kind)
        figures *= 10**place
        values += figures if place == 0 else np.where(length > place, figures, 0)
    return IntegerRows(values, np.diff(before, prepend=0))


def pieces(data: bytes, begin: int = 0) -> Iterator[bytes]:
    """Yield the lines of ``data`` from the byte ``begin`` on, many at once."""
    end = begin
    while begin < len(data):
        begin, end = end, data.find(b"\n", end + PIECE) + 1 or len(data)
        if begin < end:
            yield data[begin:end]


def all_rows(data: bytes) -> IntegerRows | None:
    """Return the numbers in all lines of ``data``, without those that begin with # or %.

    None if there is anything else in them.
    """
    if b"\r" in data and b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    values, counts = [], []
    for piece in pieces(data):
        if b"#" in piece or b"%" in piece:
            piece = _COMMENTS.sub(b"", piece)
            if not piece:
                continue
        if (found := rows_in(piece)) is None:
            return None
        values.append(found.values)
        counts.append(found.counts)
    if not values:
        return None
    return IntegerRows(np.concatenate(values), np.concatenate(counts))
