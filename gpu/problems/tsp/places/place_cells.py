"""Coordinates as people write them: 52°31'12"N, both in one cell, in brackets, behind a name.

A table with such cells becomes one of plain numbers, which is then read like any other.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from gpu.problems.tables.cells import is_number
from gpu.problems.tables.columns import LATITUDE, Columns, named_coordinates
from gpu.problems.tables.headed import headed
from gpu.problems.tables.table import Table
from gpu.problems.tables.text_table import TextTable
from gpu.problems.tsp.places.angle_pieces import gathered

_REAL = r"[0-9]{1,3}(?:[.,][0-9]+)?"
_SIXTIETH = r"[0-9]{1,2}(?:[.,][0-9]+)?"
_ANGLE = re.compile(
    rf"""
    (?P<before>[NSEWO])?\s*(?P<sign>[-+−])?\s*(?P<degrees>{_REAL})
    (?: (?P<mark>\s*(?:[°º˚]|deg\.?|d)\s*) | \s*:\s* | \s+ )?
    (?: (?<=[°º˚.gd:\s])(?P<minutes>{_SIXTIETH})
        (?: \s*['′’´m]\s* | \s*:\s* | \s+ )?
        (?: (?<=['′’´m:\s])(?P<seconds>{_SIXTIETH})\s*(?:["″”s]|''|′′|’’)? )?
    )?
    \s*(?P<after>[NSEWO])?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_LETTERS = re.compile(r"(?<![^\W\d])[NSEWO](?![^\W\d])")  # not in a word
_GROUPED_WITH_DECIMALS = re.compile(
    r"([-+]?)([0-9]{1,3}(?:\.[0-9]{3})+),([0-9]+)|([-+]?)([0-9]{1,3}(?:,[0-9]{3})+)\.([0-9]+)"
)
_GROUPED_BY_BLANKS = re.compile(r"[-+]?[0-9]{1,3}(?:[ '’\u00a0\u202f][0-9]{3})+(?:[.,][0-9]+)?")
_POINT = re.compile(
    r"(?:SRID=[0-9]+;)?\s*POINT\s*Z?\s*\(\s*([-+0-9.eE]+)\s+([-+0-9.eE]+)[^()]*\)", re.IGNORECASE
)
_TWO_WITH_LETTERS = re.compile(
    r"(.+?[NSEWO])[\s,;/]+(.+[NSEWO])|([NSEWO].+?)[\s,;/]+([NSEWO].+)", re.IGNORECASE
)
_NAMED = re.compile(
    r"(?P<name>.*?[^\W\d_].*?)\s*"
    r"(?:[:=(\[]\s*|\s(?=[-+−0-9][^\s]*[.,][0-9]{2}))"
    r"(?P<rest>[^:=(\[]+)"
)
_NAMED_BEHIND = re.compile(r"(?P<rest>[-+−]?[0-9]+[.,][0-9]{2,}°?)\s+(?P<name>[^\W\d].*)")
_BRACKETS = "()[]{} "
_LONGEST = 200  # characters of a cell that is taken apart
_QUARTER, _TURN = 90.0, 360.0  # degrees: the largest latitude, and longitude
_PAIR = 2  # numbers that a place has
_FEW = 20  # rows that tell how a column is written


@dataclass(frozen=True, slots=True)
class _Number:
    """A number that was found in a cell."""

    text: str  # as a table has it
    axis: str = ""  # "lat" or "lon" where a letter says it
    angle: bool = False  # whether a sign of degrees or a letter is there


def _number(text: str, east: str, *, sure: bool = False) -> _Number | None:
    """Return the number or the angle that ``text`` is; ``east`` is what O stands for, E or W.

    Without a sign or a letter it is an angle only if it is ``sure`` that it is one.
    """
    text = text.strip().replace("−", "-")
    if is_number(text):
        return _Number(text)
    if grouped := _GROUPED_WITH_DECIMALS.fullmatch(text):
        sign, whole, decimals = (one for one in grouped.groups() if one is not None)
        return _Number(f"{sign}{re.sub('[.,]', '', whole)}.{decimals}")
    if _GROUPED_BY_BLANKS.fullmatch(text):
        return _Number(re.sub(r"[^-+0-9.,]", "", text))
    found = _ANGLE.fullmatch(text)
    letter = (found["before"] or found["after"] or "").upper() if found else ""
    if letter == "O":
        letter = east
        if not east:  # Ost or Oeste
            return None
    if (
        found is None
        or (found["before"] and found["after"])
        or not (found["mark"] or letter or sure)
    ):
        return None
    parts = [float((found[one] or "0").replace(",", ".")) for one in _PARTS]
    whole = not (found["minutes"] and parts[0] % 1) and not (found["seconds"] and parts[1] % 1)
    whole &= parts[0] <= (_QUARTER if letter in ("N", "S") else _TURN)
    if not whole or parts[1] >= 60.0 or parts[2] >= 60.0 or (letter and found["sign"] == "-"):
        return None
    value = parts[0] + parts[1] / 60.0 + parts[2] / 3600.0
    if found["sign"] == "-" or letter in ("S", "W"):
        value = -value
    axis = "lat" if letter in ("N", "S") else "lon" if letter else ""
    return _Number(f"{value:.9f}".rstrip("0").rstrip("."), axis, angle=True)


_PARTS = ("degrees", "minutes", "seconds")


def _pair(text: str, east: str) -> list[_Number] | None:
    """Return the two numbers that ``text`` has, the latitude first where it is said."""
    if point := _POINT.fullmatch(text.strip()):
        x, y = point.groups()
        if is_number(x) and is_number(y):
            return [_Number(y, "lat", angle=True), _Number(x, "lon", angle=True)]
    text = text.strip(_BRACKETS)
    ways = [text.split(sign) for sign in (";", ", ", ",", "/")]
    if all("." in one or "," in one for one in text.split()):
        ways.append(text.split())
    if lettered := _TWO_WITH_LETTERS.fullmatch(text):
        ways.append([one for one in lettered.groups() if one])
    for way in ways:
        if len(way) != _PAIR:
            continue
        both = [found for one in way if (found := _number(one, east)) is not None]
        if len(both) == _PAIR and (both[0].axis != both[1].axis or not both[0].axis):
            return both[::-1] if both[0].axis == "lon" else both
    return None


def _taken_apart(cell: str, east: str, *, sure: bool = False) -> tuple[str, list[_Number]] | None:
    """Return the name and the numbers in a cell; None if it is a plain number, or has none."""
    if is_number(cell) or len(cell) > _LONGEST or not any(map(str.isdigit, cell)):
        return None
    if (one := _number(cell.strip(_BRACKETS), east, sure=sure)) is not None:
        return "", [one]
    if (both := _pair(cell, east)) is not None:
        return "", both
    if named := _NAMED.fullmatch(cell):
        rest = named["rest"].strip(_BRACKETS)
        if (one := _number(rest, east)) is not None:
            return named["name"].strip(), [one]
        if (both := _pair(rest, east)) is not None:
            return named["name"].strip(), both
    if (behind := _NAMED_BEHIND.fullmatch(cell)) and (one := _number(behind["rest"], east)):
        return behind["name"].strip(), [one]
    return None


@dataclass(frozen=True, slots=True)
class _Plan:
    """What becomes of one column."""

    named: bool  # whether a name stands before its numbers
    axes: tuple[str, ...]  # of its numbers: "lat", "lon" or nothing
    angle: bool

    @property
    def width(self) -> int:
        """How many columns it becomes."""
        return self.named + len(self.axes)


_GROUPED_NUMBER = _Plan(named=False, axes=("",), angle=False)


@dataclass(frozen=True)
class PlainTable(Table):
    """A table whose cells with coordinates are plain numbers, in columns of their own."""

    inner: Table
    plans: Mapping[int, _Plan]
    east: str
    sure: bool = False  # whether the header says that these are coordinates
    joined: bool = False  # whether each line is one cell: its blanks do not separate columns
    degrees: bool = False  # whether signs or letters say that they are degrees
    coordinates: Columns | None = None  # where both are known by that

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield number and cells of each row; see :class:`Table`."""
        for number, cells in self.inner.rows():
            yield number, self._changed([" ".join(cells)] if self.joined else cells)

    def _changed(self, cells: list[str]) -> list[str]:
        changed = list[str]()
        for at, cell in enumerate(cells):
            plan = self.plans.get(at)
            if plan is None:
                changed.append(cell)
                continue
            found = _taken_apart(cell, self.east, sure=self.sure)
            name, numbers = found if found is not None else ("", [])
            if len(numbers) == len(plan.axes) and (plan.named or not name):
                changed += [name] if plan.named else []
                changed += [one.text for one in numbers]
            else:  # a heading, or something wrong, which is said when it is read
                changed += [cell, *_more_headings(cell, plan)]
        return changed


def _more_headings(cell: str, plan: _Plan) -> list[str]:
    return [f"{cell} {count}" if cell else "" for count in range(2, plan.width + 1)]


@dataclass(frozen=True)
class JoinedTable(Table):
    """A table whose names have the sign between its columns in them, without quotes."""

    inner: Table
    name: int  # where they are
    width: int  # of the header

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield number and cells of each row; see :class:`Table`."""
        at, sign = self.name, f"{self.separator} "
        for number, cells in self.inner.rows():
            more = len(cells) - self.width
            if more > 0:
                cells = [*cells[:at], sign.join(cells[at : at + more + 1]), *cells[at + more + 1 :]]
            yield number, cells


def _joined(table: Table) -> Table:
    """Return ``table`` with whole names if those are in pieces, so that a number is no number."""
    named = named_coordinates(table)
    sample, width = table.sample, len(table.header)
    if named is None or named.name is None or not any(len(row) > width for row in sample):
        return table
    joined = JoinedTable(
        table.path,
        table,
        named.name,
        width,
        read_as=table.read_as,
        separator=table.separator,
    )
    fits = all(
        len(row) == width and is_number(row[named.first]) and is_number(row[named.second])
        for row in joined.sample
    )
    rest = all(
        at < len(row) and is_number(row[at]) for row in sample for at in (named.first, named.second)
    )
    return joined if fits and not rest else table


def plain_table(table: Table) -> Table:
    """Return ``table`` with plain numbers for coordinates; itself if it has no other ones."""
    table = _joined(gathered(headed(table)))
    only = _only(table)
    joined, (plans, east) = False, _plans(table, only, joined=False)
    if (
        isinstance(table, TextTable) and not table.separator
    ):  # blanks may be within a cell: 52° 31' 12" N
        lines, of_lines = _plans(table, None, joined=True)
        ragged = len({*map(len, table.sample)}) > 1  # as names of one and of two words make it
        if lines and (lines[0].angle or ragged or len(table.numeric) < _PAIR):
            joined, plans, east = True, lines, of_lines
    if not plans:
        return table
    degrees = any(plan.angle for plan in plans.values())
    changed = PlainTable(
        table.path,
        table,
        plans,
        east,
        only is not None,
        joined,
        degrees,
        read_as=table.read_as,
        separator=table.separator,
    )
    return replace(changed, coordinates=_coordinates(changed))


def notes_of(table: Table) -> list[str]:
    """Return what the user should know of how the cells of a table were read."""
    inner = table.inner if isinstance(table, PlainTable) else table
    if isinstance(inner, JoinedTable):
        return ["names with commas in them are put together; quotes around them would say so"]
    return []


def _only(table: Table) -> Collection[int] | None:
    """Return the columns that the header calls coordinates; None if it does not."""
    named = named_coordinates(table)
    return None if named is None else (named.first, named.second)


def _plans(
    table: Table, wanted: Collection[int] | None, *, joined: bool
) -> tuple[dict[int, _Plan], str]:
    """Return what must become of which column, and what the letter O stands for."""
    rows = [cells for _, cells in itertools.islice(table.data_rows(), _FEW)]
    if joined:
        rows = [[" ".join(cells)] for cells in rows]
    letters = {one for cells in rows for cell in cells for one in _LETTERS.findall(cell[:_LONGEST])}
    east = ("E" if "W" in letters else "W" if "E" in letters else "") if "O" in letters else ""
    plans: dict[int, _Plan] = {}
    for at, column in enumerate(itertools.zip_longest(*rows, fillvalue="")):
        if wanted is not None and at not in wanted:
            continue
        full = [cell for cell in column if cell]
        shapes = Counter(
            _Plan(bool(name), tuple(one.axis for one in numbers), any(n.angle for n in numbers))
            for cell in full
            if (found := _taken_apart(cell, east, sure=wanted is not None)) is not None
            for name, numbers in (found,)
        )
        best, count = shapes.most_common(1)[0] if shapes else (None, 0)
        if wanted is not None and best == _GROUPED_NUMBER:  # 3 000 beside 12
            full = [cell for cell in full if not is_number(cell)]
        if best is not None and 2 * count > len(full) and not _is_address(best, full):
            plans[at] = best
    return plans, east


def _is_address(plan: _Plan, cells: list[str]) -> bool:
    """Whether what seems to be a name and a number is something else, as a street is."""
    if not plan.named or plan.axes != ("",):
        return False
    behind = {found["name"] for one in cells if (found := _NAMED_BEHIND.fullmatch(one))}
    if len(behind) == 1 and len(cells) > 1:  # a unit
        return True
    return not all(re.search(r"[.,][0-9]", one) for one in cells)


def _coordinates(table: PlainTable) -> Columns | None:
    """Return where latitude and longitude are, if letters say it or if they were in one cell."""
    places: dict[str, list[int]] = {"lat": [], "lon": [], "": []}
    at, names = 0, list[int]()
    pair: tuple[int, int] | None = None
    width = max((len(cells) for cells in table.inner.sample), default=0)
    for column in range(1 if table.joined else width):
        plan = table.plans.get(column)
        if plan is None:
            at += 1
            continue
        if plan.named:
            names.append(at)
        first = at + plan.named
        for place, axis in enumerate(plan.axes):
            places[axis].append(first + place)
        if len(plan.axes) == _PAIR and pair is None:
            pair = first, first + 1
        at += plan.width
    if len(places["lat"]) == len(places["lon"]) == 1:
        return _with_name(table, places["lat"][0], places["lon"][0], LATITUDE, names)
    if pair is None:
        return None
    heading = table.header[pair[0]].casefold() if pair[1] < len(table.header) else ""
    latitude, longitude = heading.find("lat"), re.search("lon|lng", heading)
    if latitude >= 0 and longitude is not None:
        first, second = pair if latitude < longitude.start() else pair[::-1]
        return _with_name(table, first, second, LATITUDE, names)
    return _with_name(table, *pair, "", names)


def _with_name(table: Table, first: int, second: int, means: str, names: list[int]) -> Columns:
    others = [*names, *(at for at in table.texts if at not in (first, second))]
    return Columns(first, second, others[0] if others else None, means, ordered=bool(means))
