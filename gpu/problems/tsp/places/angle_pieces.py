"""Angles in pieces: degrees, minutes, seconds and a letter, each in a column of its own.

A table with such columns becomes one with a whole angle in the first of them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gpu.problems.tables.cells import is_number
from gpu.problems.tables.columns import LATITUDES, LONGITUDES
from gpu.problems.tables.table import Table

_PARTS = {  # words of a heading beside that of the axis
    **dict.fromkeys(("d", "deg", "degree", "degrees", "grad", "°"), 0),
    **dict.fromkeys(("m", "min", "minute", "minutes", "minuten", "'", "′"), 1),
    **dict.fromkeys(("s", "sec", "second", "seconds", "sekunden", '"', "″"), 2),
}
_SIGNS = "°'\""  # behind degrees, minutes and seconds
_LETTERS = (
    {"n": "N", "s": "S", "north": "N", "south": "S", "nord": "N", "süd": "S"},
    {"e": "E", "w": "W", "o": "O", "east": "E", "west": "W", "ost": "E"},
)
"""What stands in a column of the half of the globe, of latitudes and of longitudes."""


@dataclass(frozen=True, slots=True)
class _Angle:
    """The columns of one angle."""

    numbers: tuple[int, ...]  # its degrees, and perhaps minutes and seconds
    letter: int | None  # its half of the globe
    axis: int  # 0 is the latitude


@dataclass(frozen=True)
class GatheredTable(Table):
    """A table with whole angles instead of their pieces; the columns of these are empty."""

    inner: Table
    angles: tuple[_Angle, ...]

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield number and cells of each row; see :class:`Table`."""
        for at, (number, cells) in enumerate(self.inner.rows()):
            for angle in self.angles:
                cells = _headings(cells, angle) if at == 0 else _gathered(cells, angle)
            yield number, cells


def gathered(table: Table) -> Table:
    """Return ``table`` with whole angles; itself if its header shows none in pieces."""
    header = table.header
    if not header or isinstance(table, GatheredTable):
        return table
    axes = [_columns_of(header, axis) for axis in (0, 1)]
    angles = [
        angle
        for axis, parts in enumerate(axes)
        if parts is not None and (angle := _angle(table, parts, axis)) is not None
    ]
    if len(angles) < len(axes) or {at for at in angles[0].numbers if at in angles[1].numbers}:
        return table
    if all(len(one.numbers) == 1 and one.letter is None for one in angles):
        return table
    return GatheredTable(
        table.path, table, tuple(angles), read_as=table.read_as, separator=table.separator
    )


def _columns_of(header: Sequence[str], axis: int) -> tuple[int, ...] | None:
    """Return the columns with degrees, minutes and seconds; None if it is not sure which."""
    words = (LATITUDES, LONGITUDES)[axis]
    found: dict[int, int] = {}
    for at, cell in enumerate(header):
        part = _part(cell, words)
        if part is None:
            continue
        if part in found:
            return None
        found[part] = at
    return tuple(found[part] for part in sorted(found)) if [*sorted(found)] in _WHOLE else None


_WHOLE = ([0], [0, 1], [0, 1, 2])


def _part(cell: str, words: set[str]) -> int | None:
    """Return which part of an angle the heading ``cell`` names: 0 for degrees, or for all of it."""
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", cell)
    parts = [one.casefold() for one in re.findall(r"[^\W_]+|[°'\"′″]", split)]
    if len(parts) == 1 and parts[0] not in words and parts[0][:-1] in words:  # latd
        parts = [parts[0][:-1], parts[0][-1]]
    if not {*parts} & words:
        return None
    others = [one for one in parts if one not in words]
    if not others:
        return 0
    return _PARTS.get(others[0]) if len(others) == 1 else None


def _angle(table: Table, columns: tuple[int, ...], axis: int) -> _Angle | None:
    """Return the angle with numbers in ``columns``, if there are any in all of them."""
    sample = table.sample
    for at in columns:
        cells = [row[at] for row in sample if at < len(row) and row[at]]
        if not cells or not all(map(is_number, cells)):
            return None
    beside = (max(columns) + 1, min(columns) - 1)
    letter = next((at for at in beside if _has_letters(sample, at, axis)), None)
    return _Angle(columns, letter, axis)


def _has_letters(sample: Sequence[Sequence[str]], at: int, axis: int) -> bool:
    cells = [row[at] for row in sample if 0 <= at < len(row) and row[at]]
    return bool(cells) and all(cell.casefold() in _LETTERS[axis] for cell in cells)


def _headings(cells: list[str], angle: _Angle) -> list[str]:
    made = list(cells)
    for at in angle.numbers[1:]:
        made[at] = ""
    if len(angle.numbers) > 1:
        made[angle.numbers[0]] = ("latitude", "longitude")[angle.axis]
    if angle.letter is not None:
        made[angle.letter] = ""
    return made


def _gathered(cells: list[str], angle: _Angle) -> list[str]:
    width = max(*angle.numbers, angle.letter or 0) + 1
    made = [*cells, *itertools.repeat("", width - len(cells))]
    parts = [made[at] for at in angle.numbers]
    letter = "" if angle.letter is None else made[angle.letter]
    if not parts[0] or (len(parts) == 1 and not letter):
        return made
    text = " ".join(one + sign for one, sign in zip(parts, _SIGNS, strict=False) if one)
    for at in angle.numbers[1:]:
        made[at] = ""
    if angle.letter is not None:
        made[angle.letter] = ""
    made[angle.numbers[0]] = f"{text} {_LETTERS[angle.axis].get(letter.casefold(), letter)}".strip()
    return made
