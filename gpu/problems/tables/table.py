"""Tables: rows of cells, whatever file they are in."""

from __future__ import annotations

import abc
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import InstanceError
from gpu.problems.reading import AS_FOUND, ReadAs
from gpu.problems.tables.cells import is_number

MINUS = re.compile("−(?=[0-9.,])")  # as typesetters write it
_FLOAT_EXACT = 1e15  # below it a whole number is written without an exponent
HEAD_ROWS = 20  # rows that tell what a column has


@dataclass(frozen=True)
class Table(abc.ABC):
    """The rows of one file, which is named in errors; what its user has said goes before all."""

    path: Path
    read_as: ReadAs = field(default=AS_FOUND, kw_only=True)
    separator: str = field(default="", kw_only=True)  # of columns; empty for blanks, or for none

    def error(self, what: str) -> InstanceError:
        """Return the error that names this file and says ``what`` is wrong with it."""
        return InstanceError(f"{self.path}: {what}")

    @abc.abstractmethod
    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield number of the line and stripped cells of each row with something in it.

        InstanceError where a line is no row.
        """

    def plain_numbers(
        self, skipped: int, labelled: bool, width: int
    ) -> tuple[list[str], NDArray[np.float64]] | None:
        """Return the labels and numbers of rows that have nothing else, all read at once.

        ``skipped`` rows are left out. The rows have ``width`` numbers, and if they are ``labelled``
        a first cell. NaN is an empty cell. None if a row is otherwise.
        """
        return None

    @cached_property
    def length(self) -> int:
        """Number of all rows with something in them."""
        return sum(1 for _ in self.rows())

    @cached_property
    def _head(self) -> list[list[str]]:
        return [cells for _, cells in itertools.islice(self.rows(), HEAD_ROWS)]

    @cached_property
    def header(self) -> list[str]:
        """The cells of the first row, if no number is in it, or as the user says."""
        first = self._head[0] if self._head else []
        if self.read_as.header:
            return first if self.read_as.header == "yes" else []
        return [] if any(map(is_number, first)) else first

    @property
    def sample(self) -> list[list[str]]:
        """The first rows after the header."""
        return self._head[bool(self.header) :]

    def data_rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield what :meth:`rows` does, without the header."""
        return itertools.islice(self.rows(), bool(self.header), None)

    @property
    def numeric(self) -> list[int]:
        """Columns that have numbers in most of the first rows."""
        return self._kinds[0]

    @property
    def texts(self) -> list[int]:
        """Columns that have other text in most of the first rows."""
        return self._kinds[1]

    @cached_property
    def _kinds(self) -> tuple[list[int], list[int]]:
        kinds: tuple[list[int], list[int]] = [], []
        for at, column in enumerate(itertools.zip_longest(*self.sample, fillvalue="")):
            if full := list(filter(None, column)):
                kinds[2 * sum(map(is_number, full)) <= len(full)].append(at)
        return kinds

    def called(self, at: int) -> str:
        """Return how the column ``at`` is named in a sentence."""
        name = self.header[at] if at < len(self.header) else ""
        return f"column {at + 1}" + (f" ({name[:40]})" if name.isprintable() and name else "")


@dataclass(frozen=True)
class ListTable(Table):
    """A table that a program wrote as lists, or a sheet of a spreadsheet."""

    lists: Sequence[Sequence[Any]] | NDArray[Any]

    @cached_property
    def length(self) -> int:
        """Number of all rows; see :class:`Table`."""
        if isinstance(self.lists, np.ndarray):
            return len(self.lists)
        return sum(any(cell not in (None, "") for cell in row) for row in self.lists)

    def plain_numbers(
        self, skipped: int, labelled: bool, width: int
    ) -> tuple[list[str], NDArray[np.float64]] | None:
        """Return the labels and numbers of all rows; see :class:`Table`."""
        rows = self.lists[skipped:]
        if isinstance(rows, np.ndarray):
            if labelled or rows.dtype.kind not in "iuf" or rows.shape[1] != width:
                return None
            return [""] * len(rows), rows.astype(np.float64)
        labels = [_cell(row[0]) if labelled and row else "" for row in rows]
        values = np.empty((len(rows), width))
        for at, row in enumerate(rows):
            numbers = row[labelled:]
            if len(numbers) != width or not all(type(one) in (int, float) for one in numbers):
                return None
            try:
                values[at] = numbers
            except OverflowError:
                return None
        return labels, values

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield number and cells of each row; see :class:`Table`."""
        for number, row in enumerate(self.lists, 1):
            if isinstance(row, np.ndarray):
                row = row.tolist()
            cells = [_cell(value) for value in row]
            if any(cells):
                yield number, cells


def _cell(value: Any) -> str:
    """Return what the cell says that holds ``value``."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < _FLOAT_EXACT:
        return str(int(value))
    return MINUS.sub("-", str(value).strip())
