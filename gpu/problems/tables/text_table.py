"""Tables as spreadsheets write them, and as people type them: rows of cells.

What separates columns is the first of tab, semicolon, bar and comma that stands in each of the
first two rows; else it is blanks. Lines at the beginning that start with # are comments.
"""

from __future__ import annotations

import csv
import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import InstanceError
from gpu.problems.document import ROW_LONGEST, each_line, has_line_beyond
from gpu.problems.reading import AS_FOUND, SEPARATOR_NAMES, ReadAs
from gpu.problems.tables.cells import GROUPED, is_number
from gpu.problems.tables.table import HEAD_ROWS, MINUS, Table

SIGNS = "\t;|,"  # between columns
_DECIMAL_COMMAS = re.compile(r"\s*[-+]?[0-9]+,[0-9]+(?:\s+[-+]?[0-9]+(?:,[0-9]+)?)+\s*")
_COUNT = re.compile(  # in a line of its own, once or twice
    r"\s*([0-9]{1,9})(?:[ \t]+\1)?[ \t]*(?:\r\n?|\n)"
)
_WHOLE_BEYOND = 10**15  # whole numbers that floats may not have exactly, or int64 not at all
_LONE_SIGN = re.compile(rb"-(?!\.?[0-9])")  # NumPy would take it for 0
_MOST_DECIMALS = 22  # powers of ten up to it are exact floats
_NUMBERS_AT_ONCE = 1 << 18  # characters of lines whose numbers are read without a pause
_MOST_COLUMNS = 1 << 16
_COMMENTS = re.compile(r"(?:#[^\r\n]*[\r\n]+)*#([^\r\n]*)(?:[\r\n]+|\Z)")
LINE_LONGEST = 1 << 20  # characters of a line that are looked at
_SEPARATOR_HINT = re.compile(r"sep=.[\r\n]+")  # for spreadsheets
_MARKDOWN = re.compile(  # the line below the headings of a table in Markdown
    r"(\s*\|[^\r\n]*\r?\n)[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*(?:\r?\n|\Z)"
)
LEAST_NAMED = 3  # cities of such a matrix
_BLANK_CELL = re.compile(r'"[^"\r\n]*"|\S+')
_NOT_ZERO = re.compile(r"[^0., \t]")
_BORDERS = re.compile(r"^\s*\||\|\s*$")


@dataclass(frozen=True)
class TextTable(Table):
    """A table that is typed, or exported."""

    text: str  # without what stands before the first row
    skipped: int  # lines before it

    @classmethod
    def of_text(cls, path: Path, text: str, read_as: ReadAs = AS_FOUND) -> TextTable:
        """Take the ``text`` of the file at ``path`` for a table.

        The last of the comments is a header if it has the columns of the rows below. A number
        alone before them counts the rows.
        """
        _check_size(path, text)
        text = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
        text = MINUS.sub("-", text)
        if rule := _MARKDOWN.match(text):
            lines = [_BORDERS.sub("", line) for line in text.splitlines()]
            lines[len(rule[1].splitlines())] = ""
            text = "\n".join(lines)
        hint, begin = _SEPARATOR_HINT.match(text), 0
        if hint:
            begin = hint.end()
        elif comments := _COMMENTS.match(text):
            begin = comments.end()
            separator = _separator(text[begin:], read_as)
            below = text[begin : begin + LINE_LONGEST].splitlines()[:1]
            widths = {len(one.split(separator or None)) for one in (comments[1], *below)}
            if len(widths) == 1:
                begin = comments.start(1)
        if count := _COUNT.match(text, begin):
            below = text[count.end() : count.end() + LINE_LONGEST].splitlines()[:1]
            cells = re.split(r"[\s,;|]+", below[0].strip()) if below else []
            rows = sum(map(bool, map(str.strip, each_line(text, count.end()))))
            headed = not any(map(is_number, cells))
            if len(cells) > 1 and rows - headed == int(count[1]):
                begin = count.end()
        rest = _in_rows(text[begin:])
        separator = _separator(rest, read_as)
        skipped = text.count("\n", 0, begin)
        return cls(path, rest, skipped, separator=separator, read_as=read_as)

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield number of the line and stripped cells of each row; see :class:`Table`."""
        if not self.separator:
            for number, line in enumerate(each_line(self.text), 1 + self.skipped):
                if line.strip():
                    yield number, _blank_cells(line)
            return
        reader = csv.reader(
            each_line(self.text), delimiter=self.separator, strict=True, skipinitialspace=True
        )
        try:
            for cells in reader:
                cells = [cell.strip() for cell in cells]
                if any(cells):
                    yield reader.line_num + self.skipped, cells
        except csv.Error as error:
            at = reader.line_num + self.skipped
            raise self.error(f"line {at} is no row of a table: {error}") from error

    def plain_numbers(
        self, skipped: int, labelled: bool, width: int
    ) -> tuple[list[str], NDArray[np.float64]] | None:
        """Return the labels and numbers of all rows; see :class:`Table`."""
        sign = self.separator
        if '"' in self.text or self.read_as.decimal == "," or (sign != "," and "," in self.text):
            return None
        pointed = [cell for row in self.sample for cell in row if "." in cell]
        if sign == ";" and pointed and all(map(GROUPED.fullmatch, pointed)):
            return None  # whether these are thousands is looked at cell by cell
        labels, blocks, block, size = list[str](), list[NDArray[np.float64]](), list[str](), 0
        for line in itertools.islice(filter(str.strip, each_line(self.text)), skipped, None):
            label, rest = _parted(line, sign) if labelled else ("", line)
            labels.append(label)
            block.append(_filled(rest.strip(" \r\n"), sign))
            size += len(rest)
            if size > _NUMBERS_AT_ONCE:
                blocks.append(_numbers_in(block, sign))
                block, size = [], 0
        blocks += [_numbers_in(block, sign)] if block else []
        if not all(one.shape[1:] == (width,) for one in blocks):
            return None
        return labels, np.concatenate(blocks)

    @cached_property
    def length(self) -> int:
        """Number of all rows; see :class:`Table`."""
        if '"' in self.text:
            return sum(1 for _ in self.rows())
        empty = self.separator + " \t\r\n"
        return sum(1 for line in each_line(self.text) if line.strip(empty))


def _check_size(path: Path, text: str) -> None:
    """Raise InstanceError if a line of ``text`` is too long for a row, or has too many cells."""
    if has_line_beyond(text, ROW_LONGEST):
        raise InstanceError(
            f"{path}: it is no table: a line in it has more than {ROW_LONGEST:,} characters"
        )
    for line in itertools.islice(each_line(text), HEAD_ROWS):
        most = max(map(line.count, (*SIGNS, " ")))
        if most > _MOST_COLUMNS and len(line.split()) + sum(map(line.count, SIGNS)) > _MOST_COLUMNS:
            raise InstanceError(
                f"{path}: it is no table: it has more than {_MOST_COLUMNS:,} columns"
            )


def _in_rows(text: str) -> str:
    """Return ``text``; if it is one line of all numbers of a matrix, with a line for each row."""
    line = text.strip()
    if len(line) > LINE_LONGEST or "\n" in line or "\r" in line:
        return text
    sign = next((one for one in SIGNS if one in line), None)
    cells = line.split(sign)
    n = math.isqrt(len(cells))
    if len(cells) == n * n + 1 and cells[0].strip() == str(n):
        del cells[0]
    if n < LEAST_NAMED or len(cells) != n * n or any(map(_NOT_ZERO.search, cells[:: n + 1])):
        return text
    rows = (cells[at : at + n] for at in range(0, len(cells), n))
    return "\n".join((sign or " ").join(row) for row in rows)


def _blank_cells(line: str) -> list[str]:
    """Return the cells of ``line``, which blanks separate; there may be some within quotes."""
    if '"' not in line:
        return line.split()
    return [cell.strip('"').strip() for cell in _BLANK_CELL.findall(line)]


def _parted(line: str, sign: str) -> tuple[str, str]:
    """Return the first cell of ``line``, and the others."""
    first, *others = line.split(sign or None, 1)
    return first.strip(), others[0] if others else ""


def _filled(line: str, sign: str) -> str:
    """Return ``line`` with "nan" in its empty cells."""
    if not sign or (sign + sign not in line and line[:1] != sign and line[-1:] != sign):
        return line
    return sign.join(cell if cell.strip() else "nan" for cell in line.split(sign))


def _numbers_in(lines: list[str], sign: str) -> NDArray[np.float64]:
    """Return the numbers in ``lines``, as many in each; of no shape if something else is in one."""
    try:
        rows = list[NDArray[np.float64]]()
        for line in lines:
            if (row := _plain_row(line, sign or " ")) is None:
                return np.loadtxt(lines, delimiter=sign or None, ndmin=2, comments=None)
            rows.append(row)
        return np.array(rows)
    except (ValueError, DeprecationWarning):  # the latter where warnings are errors
        return np.empty(0)


def _plain_row(line: str, sign: str) -> NDArray[np.float64] | None:
    """Return the numbers in ``line`` if they are short and without exponents, the same but quicker.

    They are read as whole ones, and divided. None if there are others; ValueError, or fewer
    numbers, if something is wrong with them.
    """
    plain = line.encode("ascii", "replace")
    if plain.translate(None, b"0123456789-. " + sign.encode()) or _LONE_SIGN.search(plain):
        return None
    digits = plain.replace(b".", b"")
    values = np.fromstring(digits, np.int64, sep=sign)
    if not values.size or max(values.max(), -values.min()) >= _WHOLE_BEYOND:
        return None
    if len(digits) == len(plain):
        return values.astype(np.float64)
    letters = np.frombuffer(plain, np.uint8)
    ends = np.append(np.flatnonzero(letters == ord(sign)), len(letters))
    points = np.flatnonzero(letters == ord("."))
    which = np.searchsorted(ends, points)  # number each point is in
    if len(ends) != values.size or (np.diff(which) == 0).any() or (sign != " " and b" " in plain):
        return None
    decimals = np.zeros(len(ends), np.int64)
    decimals[which] = ends[which] - points - 1
    if decimals.max() > _MOST_DECIMALS:
        return None
    return values / 10.0**decimals


def _separator(text: str, read_as: ReadAs) -> str:
    """Return what separates the columns of ``text``: its user knows, or else its first rows."""
    if read_as.separator:
        return SEPARATOR_NAMES.get(read_as.separator, read_as.separator)
    full = filter(str.strip, each_line(text))
    start: Sequence[str] = [line.strip("\n") for line in itertools.islice(full, 3)]
    bare = len(start) == 3 and not any(one in start[0] for one in SIGNS)
    if bare and (len(start[0].split()) == 1 or not re.search("[0-9]", start[1])):
        start = start[1:]  # of a triangle, or below a title
    possible = [one for one in SIGNS if one != read_as.decimal]
    return next((one for one in possible if all(_separates(one, line) for line in start[:2])), "")


def _separates(sign: str, line: str) -> bool:
    """Whether ``sign`` can stand between the columns of ``line``; commas may be before decimals."""
    if sign not in line:
        return False
    return sign != "," or _DECIMAL_COMMAS.fullmatch(line) is None
