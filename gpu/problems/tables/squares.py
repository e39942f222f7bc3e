"""Square tables: a number from each row's place, or vertex, to each column's.

They come with or without a header, with or without a first column of names, whole or as a triangle.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import InstanceError
from gpu.core.machine.processors import SPARE, free_memory
from gpu.problems.document import name_of, shortened
from gpu.problems.tables.cells import is_whole_number
from gpu.problems.tables.columns import named_coordinates
from gpu.problems.tables.quantities import INFINITE, NOTHING, Quantities, factor, smallest
from gpu.problems.tables.table import Table

_HEAD = 20  # rows that tell the form
_MOST_TITLES = 5  # rows above a table
_AN_ENTRY = 24  # bytes of a number, while it is read and while an instance is made of it
_TRUTH = {  # whether two are neighbours
    **dict.fromkeys(("yes", "true", "ja", "wahr", "oui", "vrai", "sí", "si"), 1.0),
    **dict.fromkeys(("no", "false", "nein", "falsch", "non", "faux"), 0.0),
}
_MARKS = {"x", "*", "+", "✓", "✔", "☑", "✗", "✘", "×", "•", "●", "■"}
"""What stands between neighbours alone, where nothing else is in a table."""
FULL, LOWER, UPPER = "full", "lower", "upper"

Reals = NDArray[np.float64]


class NoSquareError(InstanceError):
    """A table that is not square, and why."""


@dataclass(frozen=True, slots=True, eq=False)
class Square:
    """The numbers of a square table."""

    values: Reals  # (n, n), from row to column; NaN where there is nothing
    names: tuple[str, ...] = ()  # of rows and columns; empty where there are none
    named_by: str = ""  # where they stand, in words
    unit: str = ""  # that stands in the cells
    form: str = FULL  # or the triangle that is given
    note: str = ""  # what is assumed of the numbers
    sure: bool = False  # whether rows and columns have the same names
    marked: bool = False  # whether neighbours were marked, so that it is a graph
    infinite: bool = False  # whether some are infinite, so that they are distances

    @property
    def zero_one(self) -> bool:
        """Whether it has nothing but 0, 1 and empty cells."""
        return not self.infinite and all(
            ((row == 0) | (row == 1) | np.isnan(row)).all() for row in self.values
        )

    @property
    def is_graph(self) -> bool:
        """Whether 0 and 1 are clearly a graph: as far there as back, and some are not neighbours.

        As distances, 0 would mean that two places are one. One half may have nothing but 0.
        """
        if self.marked or not self.zero_one:
            return self.marked
        filled = np.nan_to_num(self.values)
        edges = int(filled.sum())
        return (
            not filled.diagonal().any()
            and (np.array_equal(filled, filled.T) or _is_half(filled))
            and 0 < edges < filled.size - len(filled)
        )


def _is_half(filled: Reals) -> bool:
    """Whether one half of a square is 0."""
    return len(filled) > 2 and not (np.tril(filled, -1).any() and np.triu(filled, 1).any())


@dataclass
class _Layout:
    """Which parts of the rows are numbers."""

    header: list[str]
    skipped: int  # rows before the numbers
    index: bool  # whether the first cell of a row names it
    form: str
    n: int
    first: int  # how many numbers the first row has
    step: int = 0  # how many more each next one has
    below: int = 0  # in which row of the square the first one is


def square_of(table: Table) -> Square:
    """Read ``table`` as a square; NoSquareError says why it is none."""
    layout = _layout(table)
    n = layout.n
    if n < 2:
        raise _none(table, "it has a single row")
    needed, free = n * n * _AN_ENTRY, free_memory()
    if needed > free - SPARE:
        raise InstanceError(
            f"{table.path}: its {n:,} × {n:,} numbers need {needed / 2**30:,.1f} GiB of memory "
            f"while they are read, but only {max(free - SPARE, 0) / 2**30:,.1f} GiB are free: "
            "close other programs"
        )
    found = _Numbers(table, layout)
    found.read()
    values = _with_first(found.values, layout)
    if values.shape[0] != values.shape[1]:
        raise _none(table, f"it has {len(values)} rows and {values.shape[1]} columns")
    values, form = _whole(values, layout.form)
    names, where, same = _names(table, layout, found)
    if same is not None:  # the columns are in another order than the rows
        values = values[:, same]
    return Square(
        values,
        () if _only_counts(names) else names,
        where,
        found.unit,
        form,
        found.cells.note(),
        sure=where.startswith("names from the first row and"),
        marked=bool(found.marks),
        infinite=found.infinite,
    )


def _none(table: Table, why: str) -> NoSquareError:
    return NoSquareError(f"{table.path}: it is no matrix: {why}")


def _layout(table: Table) -> _Layout:
    head = [cells for _, cells in itertools.islice(table.rows(), _HEAD)]
    total = table.length
    if not head:
        raise _none(table, "it has no rows")
    titles = _titles(head)
    head, total = head[titles:], total - titles
    header = _header(table, head, total)
    rows, count = head[bool(header) :], total - bool(header)
    if not rows:
        raise _none(table, "it has no numbers")
    widths = [len(row) for row in rows]
    if len(set(widths)) == 1 and widths[0] > count:  # each line ends with separators
        empty = min(_empty_at_end(row) for row in rows)
        widths = [width - min(empty, width - count) for width in widths]
    index = _has_index(rows, header, count, widths)
    sizes = [width - index for width in widths]
    steps = {after - one for one, after in itertools.pairwise(sizes)}
    first = sizes[0]
    skipped = titles + bool(header)
    if steps <= {0} and first == count:
        return _Layout(header, skipped, index, FULL, count, first)
    ends = [row[-1] for row in rows]
    starts = [row[index] if len(row) > index else "" for row in rows]
    named = len(header) - index if header else 0
    if steps == {1} and first in (0, 1):
        whole = first == 1 and (named == count or (not named and all(map(_is_zero, ends))))
        below = int(first == 1 and not whole)
        return _Layout(header, skipped, index, LOWER, count + below, first, 1, below)
    if steps == {-1} and first in (count, count - 1):
        whole = named == count or (not named and all(map(_is_zero, starts)))
        n = count if whole or first == count - 1 else count + 1
        return _Layout(header, skipped, index, UPPER, n, first, -1)
    if len(steps) == 1 and steps <= {0}:
        raise _none(table, f"it has {count:,} rows of {first:,} numbers")
    raise _none(table, "its rows are of different lengths")


def _titles(head: list[list[str]]) -> int:
    """Return how many rows are above the table: with one cell that is full, which is a word."""
    for at, row in enumerate(head[:_MOST_TITLES]):
        full = list(filter(None, row))
        if len(full) != 1 or not _is_word(full[0]):
            rest = {*map(len, head[at:])}
            return at if len(rest) == 1 and rest.pop() > 2 else 0
    return 0


def _empty_at_end(row: list[str]) -> int:
    return next((at for at, cell in enumerate(reversed(row)) if cell), len(row))


def _header(table: Table, head: list[list[str]], total: int) -> list[str]:
    """Return the first row if it names columns, by words or by counting."""
    first, below = head[0], head[1:]
    if table.read_as.header == "no" or not below:
        return []
    if table.read_as.header == "yes" or any(_is_word(cell) for cell in first[1:]):
        return first
    labels = [row[0] for row in below]
    if len(first) > 3 and _counts(first[1:]) and first[1 : 1 + len(labels)] == labels:
        return first
    numbers = first[1:] if not first[0] else first
    below_width = len(below[0])
    fits = total - 1 == len(numbers) and below_width in (len(numbers), len(numbers) + 1)
    return first if fits and _counts(numbers) and len(numbers) > 2 else []


def _has_index(rows: list[list[str]], header: list[str], count: int, widths: list[int]) -> bool:
    """Whether the first cells name the rows."""
    labels = [row[0] for row in rows]
    if all(map(_is_word, labels)):
        return True
    if len({*widths}) > 1 or widths[0] != count + 1:
        return False
    if header and header[-len(labels) :] == labels[-count:] and len(labels) == count:
        return True
    if header and header[1 : 1 + len(labels)] == labels:
        return True
    if header and not header[0]:
        return True
    return _counts(labels) or all(map(_is_zero, (row[1 + at] for at, row in enumerate(rows))))


def _is_word(cell: str) -> bool:
    """Whether ``cell`` is a name, not a number, a time or a sign for nothing."""
    if cell.casefold() in NOTHING or cell.casefold() in _TRUTH or cell.casefold() in _MARKS:
        return False
    return Quantities().number(cell) is None


def _counts(cells: Sequence[str]) -> bool:
    """Whether these are whole numbers that follow each other."""
    if len(cells) < 2 or not all(map(is_whole_number, cells)):
        return False
    return all(int(after) - int(one) == 1 for one, after in itertools.pairwise(cells))


def _only_counts(names: Sequence[str]) -> bool:
    """Whether names are the numbers that cities have anyway."""
    return all(name == str(at) for at, name in enumerate(names, 1))


def _is_zero(cell: str) -> bool:
    """Whether ``cell`` can be on the diagonal of distances."""
    if cell.casefold() in NOTHING or _TRUTH.get(cell.casefold()) == 0.0:
        return True
    found = Quantities().number(cell)
    return found is not None and found[0] == 0


@dataclass
class _Numbers:
    """Reads the numbers of a square."""

    table: Table
    layout: _Layout
    unit: str = ""
    truths: bool = False  # whether a cell says yes or no
    infinite: bool = False  # whether one is infinite
    labels: list[str] = field(default_factory=list)
    marks: dict[str, list[tuple[int, int]]] = field(default_factory=dict)  # where each one stands

    def __post_init__(self) -> None:
        said = self.table.read_as
        self.cells = Quantities(said.decimal, self.table.separator, said.unit)
        self.values: Reals = np.empty((0, 0))

    def read(self) -> None:
        """Read all rows; NoSquareError where one is none of a square."""
        layout = self.layout
        if layout.form == FULL and self._read_plain():
            return
        self.values = np.full((layout.n, layout.n), np.nan)
        found = list[tuple[int, list[str]]]()
        for at, (_, cells) in enumerate(self._rows()):
            units = self._row(at, *cells)
            if units is not None:
                found.append((at, units))
        if self.cells.units:
            self._in_one_unit(dict(found))
        self._take_marks()
        if self.truths and not np.isin(self.values[~np.isnan(self.values)], (0, 1)).all():
            raise _none(self.table, "it has yes or no beside numbers")

    def _rows(self) -> itertools.islice[tuple[int, list[str]]]:
        numbered = ((line, [str(line), *cells]) for line, cells in self.table.rows())
        return itertools.islice(numbered, self.layout.skipped, None)

    def _read_plain(self) -> bool:
        """Read the rows if they have nothing but plain numbers, many at once."""
        plain = self.table.plain_numbers(self.layout.skipped, self.layout.index, self.layout.n)
        if plain is None:
            return False
        self.labels, self.values = plain
        infinite = np.isinf(self.values)
        self.infinite = bool(infinite.any())
        self.values[infinite] = np.nan
        return True

    def _row(self, at: int, line: str, *cells: str) -> list[str] | None:
        """Read one row; return its units, if it has any."""
        layout, n = self.layout, self.layout.n
        label, numbers = (cells[0], cells[1:]) if layout.index else ("", cells)
        self.labels.append(label)
        size = layout.first + layout.step * at
        if not any(numbers[size:]):
            numbers = numbers[:size]
        if at >= n or len(numbers) != size:
            raise _none(
                self.table,
                f"line {line} has {len(numbers):,} numbers, not {size:,}"
                if at < n
                else f"it has more than {n:,} rows",
            )
        begin = n - size if layout.form == UPPER else 0
        units, values = [""] * n, self.values[at + layout.below]
        for column, cell in enumerate(numbers, begin):
            found = self.cells.number(cell)
            self.infinite |= cell.casefold() in INFINITE
            if (mark := cell.casefold()) in _MARKS:
                self.marks.setdefault(mark, []).append((at + layout.below, column))
                found = math.nan, ""
            if found is None and (said := _TRUTH.get(cell.casefold())) is not None:
                found, self.truths = (said, ""), True
            if found is None:
                raise _none(self.table, f"line {line}: {shortened(cell)} is no number")
            values[column], units[column] = found
        return units if any(units) else None

    def _take_marks(self) -> None:
        """Take marks for neighbours if there is nothing else but one kind of them."""
        known = not np.isnan(self.values).all()
        if known or len(self.marks) != 1:
            strange = [one for one in self.marks if one not in NOTHING]
            if strange:
                raise _none(self.table, f"it has {shortened(strange[0])} beside other signs")
            self.marks.clear()
            return
        self.values = np.zeros_like(self.values)
        (places,) = self.marks.values()
        self.values[tuple(np.array(places).T)] = 1.0

    def _in_one_unit(self, rows: dict[int, list[str]]) -> None:
        """Count all numbers in one unit; NoSquareError if there is none for all."""
        cells = self.cells
        self.unit = smallest(cells.units) or ""
        if not self.unit or (cells.without and len(cells.units) > 1):
            some = " and ".join(sorted(cells.units)[:2])
            without = " and none" if cells.without and not self.unit else ""
            raise InstanceError(
                f"{self.table.path}: its cells have different units, such as {some}{without}; "
                "write all in one"
            )
        if len(cells.units) == 1:
            return
        for at, units in rows.items():
            row = at + self.layout.below
            for column, unit in enumerate(units):
                if unit and unit != self.unit:
                    value = Decimal(repr(float(self.values[row, column])))
                    self.values[row, column] = float(value * factor(unit, self.unit))


def _with_first(values: Reals, layout: _Layout) -> Reals:
    """Return the square with one more row, if these are the lower triangle without its diagonal."""
    there = ~np.isnan(values)
    lower = np.tri(len(values), dtype=np.bool_)
    if layout.header or layout.index or layout.form != FULL or not np.array_equal(there, lower):
        return values
    if not values.diagonal().all():
        return values
    return np.pad(values, ((1, 0), (0, 1)), constant_values=np.nan)


def _whole(values: Reals, form: str) -> tuple[Reals, str]:
    """Return the square with both triangles, if only one is given, and which one that is."""
    n = len(values)
    there = ~np.isnan(values)
    above, below = _triangles(there)
    if form == FULL and not above.any and below.all:
        form = LOWER
    elif form == FULL and not below.any and above.all:
        form = UPPER
    elif form == FULL and n > 2 and above.all and below.all:
        above, below = _triangles(values == 0)
        if below.all and not above.any:
            form = UPPER
        elif above.all and not below.any:
            form = LOWER
    if form == FULL:
        return values, form
    mirrored = values.T.copy()
    upper = np.triu(np.ones((n, n), np.bool_), 1)
    kept = upper if form == UPPER else upper.T
    mirrored[kept] = values[kept]
    diagonal = np.arange(n)
    mirrored[diagonal, diagonal] = values[diagonal, diagonal]
    return mirrored, form


class _Truths(NamedTuple):
    """What holds in a triangle of a square."""

    any: bool
    all: bool


def _triangles(truths: NDArray[np.bool_]) -> tuple[_Truths, _Truths]:
    """Return what holds above the diagonal, and below it."""
    n = len(truths)
    above = [int(np.count_nonzero(row[at:])) for at, row in enumerate(truths, 1)]
    below = [int(np.count_nonzero(row[:at])) for at, row in enumerate(truths)]
    most = n * (n - 1) // 2
    first, second = (_Truths(sum(one) > 0, sum(one) == most) for one in (above, below))
    return first, second


def _names(
    table: Table, layout: _Layout, found: _Numbers
) -> tuple[tuple[str, ...], str, NDArray[np.intp] | None]:
    """Return all names, where they stand, and the column of each row if the order differs."""
    n, header = layout.n, layout.header
    rows = [name_of(label) for label in found.labels] if layout.index else []
    columns = [name_of(cell) for cell in header]
    if len(columns) == n + 1 and (layout.index or not columns[0] or not columns[-1]):
        columns = columns[:-1] if not columns[-1] and columns[0] else columns[1:]
    if len(columns) != n:
        columns = []
    if len(rows) == n - 1 and not columns:  # a triangle that begins with the second one
        rows = ["", *rows] if layout.form == LOWER else [*rows, ""]
    if len(rows) != n:
        rows = []
    if not rows or not columns:
        where = "the first column" if rows else "the first row"
        return tuple(rows or columns), f"names from {where}" if rows or columns else "", None
    where = "names from the first row and column"
    if rows == columns:
        return tuple(rows), where, None
    if len({*rows}) == n and {*rows} == {*columns}:
        at = {name: column for column, name in enumerate(columns)}
        return tuple(rows), where, np.array([at[name] for name in rows], np.intp)
    if len({*rows} & {*columns}) * 2 < n:  # ways from places to others
        raise _none(table, "its rows and columns have different names")
    wrong = next(at for at in range(n) if rows[at] != columns[at])
    raise _none(
        table,
        f"its row {wrong + 1} is called {shortened(rows[wrong])}, but its column "
        f"{shortened(columns[wrong])}",
    )


def looks_like_distances(table: Table, square: Square) -> bool:
    """Whether it is likely that ``square`` means distances or a graph, not rows of places."""
    if square.sure:
        return True
    if named_coordinates(table) or len(square.values) < (3 if square.form == FULL else 4):
        return False
    if square.form != FULL:
        return True
    diagonal = square.values.diagonal()
    known = diagonal[~np.isnan(diagonal)]
    return bool((known == 0).all()) or (len(known) == len(diagonal) and len({*known.tolist()}) == 1)
