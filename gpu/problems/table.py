"""Tables as spreadsheets write them, and as people type them: rows of cells.

What separates columns is the first of tab, semicolon, bar and comma that stands in each of the
first two rows; else it is blanks. Lines at the beginning that start with # are comments.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gpu.core.errors import InstanceError
from gpu.problems.document import plain_name, text_of

SUFFIXES = (".csv", ".tsv")
_SEPARATORS = "\t;|,"
_HEAD = 20  # rows that tell what a column has
_COMMENTS = re.compile(r"(?:#[^\r\n]*[\r\n]+)*#([^\r\n]*)(?:[\r\n]+|\Z)")
_BREAK = re.compile(r"\r\n?|\n")
_LONGEST = 1 << 20  # characters of a line that are looked at
_HINT = re.compile(r"sep=.[\r\n]+")  # for spreadsheets
_NUMBER = re.compile(r"[-+]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][-+]?[0-9]{1,3})?")
GROUPED = re.compile(r"[-+]?[1-9][0-9]{0,2}(?:,[0-9]{3})+|[-+]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
"""A number whose comma, or whose point, may separate thousands."""
_KEYWORD = re.compile(rb"\s*[A-Z][A-Z0-9_]*\s*(:|\r?\n|\Z)")
_COMMENTED = re.compile(rb"(?:\s*#[^\r\n]*(?=[\r\n]))*")
_NUMBERS = re.compile(rb"\s*[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?[ \t]+[-+]?[0-9.]")


def is_number(cell: str) -> bool:
    """Whether ``cell`` writes a number, with a point or a comma before its decimals."""
    return (_NUMBER.fullmatch(cell) or GROUPED.fullmatch(cell)) is not None


def begins_with_keyword(data: bytes) -> bool:
    """Whether the file ``data`` begins as TSPLIB's do."""
    return _KEYWORD.match(data) is not None


def is_table(path: Path, data: bytes) -> bool:
    """Whether the file ``data`` at ``path`` is a table, or means to be one."""
    if plain_name(path).lower().endswith(SUFFIXES):
        return True
    comments = _COMMENTED.match(data)
    text = data[comments.end() if comments else 0 :].lstrip()
    if begins_with_keyword(text):
        return False
    first = text.split(b"\n", 1)[0][:10_000]
    return any(ord(one) in first for one in _SEPARATORS) or _NUMBERS.match(text) is not None


@dataclass(frozen=True)
class Table:
    """The rows of one file, which is named in errors."""

    path: Path
    text: str  # without what stands before the first row
    skipped: int  # lines before it
    separator: str  # of columns; empty for blanks

    @classmethod
    def of(cls, path: Path, data: bytes) -> Table:
        """Take the file ``data`` that was at ``path`` for a table; InstanceError if it is no text.

        The last of the comments is a header if it has the columns of the rows below.
        """
        text = text_of(path, data)
        hint, begin = _HINT.match(text), 0
        if hint:
            begin = hint.end()
        elif comments := _COMMENTS.match(text):
            begin = comments.end()
            separator = _separator(text[begin:])
            below = text[begin : begin + _LONGEST].splitlines()[:1]
            widths = {len(one.split(separator or None)) for one in (comments[1], *below)}
            if len(widths) == 1:
                begin = comments.start(1)
        rest = text[begin:]
        return cls(path, rest, len(_BREAK.findall(text[:begin])), _separator(rest))

    def error(self, what: str) -> InstanceError:
        """Return the error that names this file and says ``what`` is wrong with it."""
        return InstanceError(f"{self.path}: {what}")

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield number of the line and stripped cells of each row with something in it.

        InstanceError where a line is no row.
        """
        if not self.separator:
            for number, line in enumerate(io.StringIO(self.text, newline=None), 1 + self.skipped):
                if line.strip():
                    yield number, line.split()
            return
        source = io.StringIO(self.text, newline="")
        reader = csv.reader(source, delimiter=self.separator, strict=True, skipinitialspace=True)
        try:
            for cells in reader:
                cells = [cell.strip() for cell in cells]
                if any(cells):
                    yield reader.line_num + self.skipped, cells
        except csv.Error as error:
            at = reader.line_num + self.skipped
            raise self.error(f"line {at} is no row of a table: {error}") from error

    @cached_property
    def _head(self) -> list[list[str]]:
        return [cells for _, cells in itertools.islice(self.rows(), _HEAD)]

    @cached_property
    def header(self) -> list[str]:
        """The cells of the first row, if no number is in it."""
        first = self._head[0] if self._head else []
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


def _separator(text: str) -> str:
    full: Iterator[str] = filter(str.strip, io.StringIO(text, newline=None))
    start: Sequence[str] = list(itertools.islice(full, 2))
    return next((one for one in _SEPARATORS if all(one in line for line in start)), "")
