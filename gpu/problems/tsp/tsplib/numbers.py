"""Numbers in the data sections of TSPLIB's files, as programs and people write them.

NumPy reads plain rows, a million in a second. Any others are written plainly first: exponents of
Fortran, decimal commas, commas and semicolons between numbers, city numbers with a point, comments
and names behind a row.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.problems.document import name_of, shortened
from gpu.problems.tsp.distances import LARGEST_COORDINATE
from gpu.problems.tsp.tsplib_document import Document

TSPLIB_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_PLAIN_ROW = rf"-?[0-9]{{1,15}}(?:[ \t]++(?:{TSPLIB_NUMBER.pattern})){{%d}}+"
_READ_AT_ONCE = 4_000  # lines of a section that are read without a pause
_PLAIN_ROWS = {columns: re.compile(rf"(?>{_PLAIN_ROW % columns}\n)++") for columns in (2, 3)}
"""Sections whose rows are a number and so many coordinates, each with a line break behind it."""

_PLAIN_NUMBERS = re.compile(rf"(?>[ \t\n]*+(?:{TSPLIB_NUMBER.pattern})(?=[ \t\n]))*+[ \t\n]*+")
_FORTRAN = re.compile(r"(?<=[0-9.])[dD](?=[-+]?[0-9])")
_BEHIND = re.compile(r"\s+(?:#|%|//).*")
_COMMA_AT_END = re.compile(r",(?=\s|$)")
_THOUSANDS = re.compile(r"[-+]?[1-9][0-9]{0,2}(?:,[0-9]{3})+")
_CITY_NUMBER = re.compile(r"[-+]?[0-9]{1,18}(?:\.0*)?")
_FIRST_CELL = re.compile(TSPLIB_NUMBER.pattern + "|[0-9]+[:)]")
_MOST_NUMBERS = 4  # of a row: a city's number and three coordinates
_LARGEST_INT = 2**31
# Fewer than in a table: a lone point or question mark is a damaged file.
_NO_WAY = frozenset(("-", "x", "inf", "infinity", "nan", "na", "n/a", "none", "null", "∞"))
_CHARACTERS_AT_ONCE = 1 << 17  # of a matrix that are read without a pause

Reals = NDArray[np.float64]
Numbers = NDArray[np.int32] | Reals


@dataclass(frozen=True, slots=True)
class Points:
    """The cities of a section, by their numbers, ascending."""

    ids: NDArray[np.int64]
    values: Reals  # (n, 2) or (n, 3): coordinates
    names: tuple[str, ...] = ()  # what stands behind the rows, or before them; () if nothing


def points_of(document: Document, keyword: str, space: int) -> Points | None:
    """Read the section ``keyword``; None where there is none.

    ``space`` is how many coordinates a city needs. Zeros where a plane has a third coordinate are
    left out. InstanceError if a city has none or several, or a row cannot be read.
    """
    if keyword not in document.sections:
        return None
    lines = document.sections[keyword]
    while lines and lines[-1] == "-1":  # an end as other sections have it
        lines.pop()
    if not lines:
        raise document.error(f"{keyword} is empty; is the file whole?")
    points = (
        _plain_points(lines)
        or _running_points(lines, space)
        or _other_points(document, keyword, lines, space)
    )
    ids, values = points.ids, points.values
    if not np.isfinite(values).all():
        raise document.error(f"{keyword} has a coordinate that is not a finite number")
    if np.abs(values).max() > LARGEST_COORDINATE:
        raise document.error(f"{keyword} has a coordinate beyond {LARGEST_COORDINATE:g}")
    if ids[0] < 0 or ids[-1] > np.iinfo(np.int32).max:
        beyond = ids[0] if ids[0] < 0 else ids[-1]
        document.notes.append(
            f"{keyword} has a city {beyond}: cities are numbered from 1 in the order of their "
            "numbers"
        )
        ids = np.arange(1, len(ids) + 1)
    if space == 2 and values.shape[1] == 3 and not values[:, 2].any():
        document.notes.append("the third coordinate of each city, which is 0, is left out")
        values = values[:, :2].copy()
    return Points(ids, values, points.names)


def _plain_points(lines: Sequence[str]) -> Points | None:
    """Read the rows of a section of points if all of them are plain."""
    for columns, pattern in _PLAIN_ROWS.items():
        parts = []
        # Piece by piece: a search holds up all other threads, and with them the window.
        for first in range(0, len(lines), _READ_AT_ONCE):
            text = "\n".join([*lines[first : first + _READ_AT_ONCE], ""])
            if not pattern.fullmatch(text):
                break
            parts.append(np.fromstring(text, sep=" ").reshape(-1, 1 + columns))
        else:
            rows = np.concatenate(parts)
            order = np.argsort(rows[:, 0], kind="stable")
            ids = rows[order, 0].astype(np.int64)
            return Points(ids, rows[order, 1:]) if (np.diff(ids) > 0).all() else None
    return None


def _running_points(lines: Sequence[str], space: int) -> Points | None:
    """Read cities of which a line has several; None if the lines are others."""
    text = " ".join(lines)
    if len(lines[0].split()) <= _MOST_NUMBERS or not _PLAIN_NUMBERS.fullmatch(f"{text} "):
        return None
    numbers = np.fromstring(text, sep=" ")
    if len(numbers) % (1 + space):
        return None
    rows = numbers.reshape(-1, 1 + space)
    counted = np.arange(len(rows)) + rows[0, 0]
    if rows[0, 0] not in (0.0, 1.0) or not np.array_equal(rows[:, 0], counted):
        return None
    return Points(counted.astype(np.int64), rows[:, 1:].copy())


class _Row(NamedTuple):
    """A row of any form."""

    line: str
    numbers: list[str]  # first what may be the city's number
    name: str  # what stands before or behind them


def _other_points(document: Document, keyword: str, lines: Sequence[str], space: int) -> Points:
    """Read rows of any other form."""
    cells = _cells_of(document, lines)
    rows = [_row(document, keyword, *one) for one in zip(lines, cells, strict=True)]
    width = len(rows[0].numbers)
    if any(len(row.numbers) != width for row in rows):
        raise document.error(f"{keyword} has cities without 2 or 3 coordinates each")
    firsts = [_without_exponent(row.numbers[0]) for row in rows]
    whole = all(map(_CITY_NUMBER.fullmatch, firsts))
    if width < 3 or (width == space and not (whole and len(set(firsts)) == len(firsts))):
        document.notes.append(f"{keyword} has no numbers of cities: they are counted from 1")
        ids, first = list(range(1, len(rows) + 1)), 0
    elif whole:
        ids, first = [int(one.partition(".")[0]) for one in firsts], 1
        _check_once(document, keyword, firsts, ids)
    else:
        wrong = next(one for one in firsts if not _CITY_NUMBER.fullmatch(one))
        raise document.error(
            f"{keyword} has a city {shortened(wrong)}, which is no whole number of up to 18 digits"
        )
    order = sorted(range(len(ids)), key=ids.__getitem__)
    names = tuple(rows[at].name for at in order)
    if any(names):
        document.notes.append(f"words in the rows of {keyword} are taken for names")
    values = np.array([[float(one) for one in rows[at].numbers[first:]] for at in order])
    return Points(np.array(ids, np.int64)[order], values, names if any(names) else ())


def _without_exponent(cell: str) -> str:
    """Return a city's number as such, also if a program wrote it as 1.000e+00."""
    if "e" not in cell.casefold() or not math.isfinite(number := float(cell)):
        return cell
    return str(int(number)) if number.is_integer() and abs(number) < _LARGEST_INT else cell


def _row(document: Document, keyword: str, line: str, cells: list[str]) -> _Row:
    """Take a row apart; InstanceError if it is none."""
    start = next((at for at, cell in enumerate(cells) if _FIRST_CELL.fullmatch(cell)), len(cells))
    numbers = [cells[start].rstrip(":)")] if start < len(cells) else []
    numbers += itertools.takewhile(TSPLIB_NUMBER.fullmatch, cells[start + 1 :])
    words = cells[:start] + cells[start + len(numbers) :]
    if not 2 <= len(numbers) <= _MOST_NUMBERS:
        raise document.error(f"{keyword} has a line that cannot be read, {shortened(line)}")
    return _Row(line, numbers, name_of(" ".join(words).strip("\"' ")))


def _check_once(document: Document, keyword: str, words: Sequence[str], ids: Sequence[int]) -> None:
    seen: set[int] = set()
    for word, number in zip(words, ids, strict=True):
        if number in seen:
            raise document.error(f"{keyword} lists city {shortened(word)} twice")
        seen.add(number)


def _cells_of(document: Document, lines: Sequence[str]) -> list[list[str]]:
    """Return the cells of each line; exponents in numbers are E, and decimals behind points."""
    plain = [_FORTRAN.sub("e", _BEHIND.sub("", line)) for line in lines]
    if any(";" in line for line in plain):
        plain = [line.replace(";", " ") for line in plain]
    plain = [_COMMA_AT_END.sub(" ", line) for line in plain]
    rows = [line.split() for line in plain]
    if not any("," in line for line in plain):
        return rows
    # A comma stands before decimals where there are enough numbers without it.
    enough = all(len(row) > 2 for row in rows)
    if enough or any("," in row[0] and len(row) == 2 for row in rows):
        if all(map(_THOUSANDS.fullmatch, (cell for row in rows for cell in row if "," in cell))):
            raise document.error(
                "its commas may stand before decimals or between thousands: write points, or none"
            )
        return [[cell.replace(",", ".") for cell in row] for row in rows]
    return [line.replace(",", " ").split() for line in plain]


def numbers_of(document: Document, keyword: str) -> Numbers:
    """Read all numbers of the section ``keyword``: as int32 if all are such numbers.

    NaN stands for words and signs that mean nothing.
    InstanceError where something is no number.
    """
    parts: list[Numbers] = []
    for some in _pieces(document.sections[keyword]):
        text = "\n".join([*some, ""])
        if not _PLAIN_NUMBERS.fullmatch(text):
            cells = _cells_of(document, some)
            for line, row in zip(some, cells, strict=True):
                for at, cell in enumerate(row):
                    if cell.casefold() in _NO_WAY:
                        row[at] = "nan"
                    elif not TSPLIB_NUMBER.fullmatch(cell):
                        raise document.error(
                            f"{keyword} has a line that cannot be read, {shortened(line)}"
                        )
            text = " ".join(itertools.chain.from_iterable(cells))
        part = np.fromstring(text, sep=" ")
        small = np.abs(part).max(initial=0.0) < _LARGEST_INT and not (part % 1.0).any()
        parts.append(part.astype(np.int32) if small else part)
    numbers: Numbers = np.concatenate([*parts, np.zeros(0, np.int32)])
    return numbers


def _pieces(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield so many of the ``lines`` as are read without a pause."""
    first = size = 0
    for at, line in enumerate(lines, 1):
        size += len(line)
        if size > _CHARACTERS_AT_ONCE or at == len(lines):
            yield lines[first:at]
            first, size = at, 0
