"""Tables as spreadsheets write them, and as people type them: rows of cells.

What separates columns is the first of tab, semicolon, bar and comma that stands in each of the
first two rows; else it is blanks. Lines at the beginning that start with # are comments.
"""

from __future__ import annotations

import abc
import csv
import io
import itertools
import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import InstanceError
from gpu.problems.binary_tables import binary_rows, is_binary_table
from gpu.problems.document import ROW_LONGEST, has_line_beyond, plain_name, shortened
from gpu.problems.input_file import InputFile
from gpu.problems.reading import AS_FOUND, SEPARATOR_NAMES, ReadAs

TABLE_SUFFIXES = (".csv", ".tsv")
SIGNS = "\t;|,"  # between columns
_DECIMAL_COMMAS = re.compile(r"\s*[-+]?[0-9]+,[0-9]+(?:\s+[-+]?[0-9]+(?:,[0-9]+)?)+\s*")
_COMMA_NUMBER = re.compile(r"[-+]?[0-9]+,[0-9]+")
_MINUS = re.compile("−(?=[0-9.,])")  # as typesetters write it
_COUNT = re.compile(  # in a line of its own, once or twice
    r"\s*([0-9]{1,9})(?:[ \t]+\1)?[ \t]*(?:\r\n?|\n)"
)
_NUMBERS_AT_ONCE = 1 << 18  # characters of lines whose numbers are read without a pause
_FLOAT_EXACT = 1e15  # below it a whole number is written without an exponent
_MOST_COLUMNS = 1 << 16
_HEAD_ROWS = 20  # rows that tell what a column has
_COMMENTS = re.compile(r"(?:#[^\r\n]*[\r\n]+)*#([^\r\n]*)(?:[\r\n]+|\Z)")
_BREAK = re.compile(r"\r\n?|\n")
_LINE_LONGEST = 1 << 20  # characters of a line that are looked at
_SEPARATOR_HINT = re.compile(r"sep=.[\r\n]+")  # for spreadsheets
_MARKDOWN = re.compile(  # the line below the headings of a table in Markdown
    r"(\s*\|[^\r\n]*\r?\n)[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*(?:\r?\n|\Z)"
)
_LEAST_NAMED = 3  # cities of such a matrix
_BLANK_CELL_BYTES = re.compile(rb'"[^"\r\n]*"|\S+')
_BLANK_CELL = re.compile(r'"[^"\r\n]*"|\S+')
_COUNT_BYTES = re.compile(rb"\s*[0-9]{1,9}[ \t]*\r?\n")
_ENDS_IN_NUMBERS = re.compile(rb"(?:[ \t]{1,40}[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?){2}\s*\Z")
_NOT_ZERO = re.compile(r"[^0., \t]")
_BORDERS = re.compile(r"^\s*\||\|\s*$")
_FINE = re.compile(r"[-+]?[0-9]{1,3}[.,][0-9]{3,}")
_CELL_NUMBER = re.compile(r"[-+]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][-+]?[0-9]{1,3})?")
GROUPED = re.compile(r"[-+]?[1-9][0-9]{0,2}(?:,[0-9]{3})+|[-+]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
"""A number whose comma, or whose point, may separate thousands."""
_BEGINS_WITH_KEYWORD = re.compile(rb"\s*[A-Z][A-Z0-9_]*\s*(:|\r?\n|\Z)")
_LOOKED_AT = 10_000  # bytes that tell whether it is a table
_LINE_OF_PLACE = 200  # bytes of a line that are looked at for a name and two numbers
_NAMED_PLACE = re.compile(  # such as ULM: 48.4011, 9.9876
    rb"\s*(?!NAME|COMMENT|TYPE|DIMENSION|CAPACITY)\w+\s*:\s*[(NSEW]*\s*[-+]?[0-9]{1,3}[.,\xb0\xc2]"
    rb"[^\r\n]*?[,;\s][-+NSEW\s]*[0-9]{1,3}[.,\xb0\xc2]"
)
_NAME_AND_TWO = re.compile(  # such as New York 40.71 -74.01
    rb"[^\r\n]{0,80}?[A-Za-z\x80-\xff][^\r\n]{0,80}?(?:[ \t]+[-+]?[0-9]{1,3}[.,][0-9]+){2}\s*"
)
_LETTERED_PLACE = re.compile(  # such as N52.52 E13.405
    rb"\s*[NS] ?[0-9]{1,2}[.,\xb0\xc2 ][^\r\n]{0,80}?[,; \t][EWO] ?[0-9]{1,3}[^\r\n]{0,80}"
)
_COMMENTED = re.compile(rb"(?:\s*#[^\r\n]*(?=[\r\n]))*")
_FIRST_NUMBER = re.compile(rb"[-+]?[0-9.]+[ \t]*\r?\n")
_TWO_NUMBERS = re.compile(rb"\s*[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?[ \t]+[-+]?[0-9.]")


def is_number(cell: str) -> bool:
    """Whether ``cell`` writes a number, with a point or a comma before its decimals."""
    return (_CELL_NUMBER.fullmatch(cell) or GROUPED.fullmatch(cell)) is not None


def is_whole_number(cell: str) -> bool:
    """Whether ``cell`` writes a whole number of no enormous length, without a sign."""
    return cell.isascii() and cell.isdigit() and len(cell) < 19


def has_decimal_commas(table: Table) -> bool:
    """Whether commas stand before the decimals of the first numbers in ``table``, not points."""
    numbers = [cell for row in table.sample for cell in row if is_number(cell)]
    commas = sum(map(bool, map(_COMMA_NUMBER.fullmatch, numbers)))
    return commas > sum("." in cell for cell in numbers)


def begins_with_keyword(data: bytes) -> bool:
    """Whether the file ``data`` begins as TSPLIB's do."""
    return _BEGINS_WITH_KEYWORD.match(data) is not None


def is_table(file: InputFile) -> bool:
    """Whether ``file`` is a table, or means to be one."""
    if is_binary_table(file.data):
        return True
    if file.value is not None:
        return rows_of(file) is not None
    if file.edge_lines is not None:
        return True
    if plain_name(file.path).lower().endswith(TABLE_SUFFIXES) or file.read_as.separator:
        return True
    comments = _COMMENTED.match(file.data)
    text = file.data[comments.end() if comments else 0 :].lstrip()
    if begins_with_keyword(text) and not _NAMED_PLACE.match(text[:_LINE_OF_PLACE]):
        return False
    # It may be the number of the rows below, or the first row of a triangle.
    if count := _FIRST_NUMBER.match(text, 0, _LOOKED_AT):
        text = text[count.end() :]
    first = text.split(b"\n", 1)[0][:10_000]
    lines = [line[:_LINE_OF_PLACE] for line in text[:10_000].split(b"\n")[:2]]
    if b"\xb0" in first or _LETTERED_PLACE.match(first):
        return True
    if any(map(_NAME_AND_TWO.fullmatch, lines)):
        return True  # a sign of degrees, or names and numbers, perhaps below a header
    if any(ord(one) in first for one in SIGNS) or _TWO_NUMBERS.match(text, 0, _LOOKED_AT):
        return True
    return _is_named_square(file.data)


def _is_named_square(data: bytes) -> bool:
    """Whether the text ``data`` has a matrix below a line of names, with blanks between them.

    Their number may stand before it, and a name before each of its rows.
    """
    count = _COUNT_BYTES.match(data)
    begin = count.end() if count else 0
    below = data[begin : begin + _LINE_LONGEST].strip().split(b"\n", 2)
    if len(below) < 3 or not _ENDS_IN_NUMBERS.search(below[1]):
        return False
    lines = [line for line in data[begin:].splitlines() if line.strip()]
    rows = [len(_BLANK_CELL_BYTES.findall(line)) for line in lines[:4]]
    n = len(lines) - 1
    if n < _LEAST_NAMED or rows[0] not in (n, n + 1) or not {*rows[1:]} <= {n, n + 1}:
        return False
    return all(_ENDS_IN_NUMBERS.search(line) for line in lines[1:4])


@dataclass(frozen=True)
class Table(abc.ABC):
    """The rows of one file, which is named in errors; what its user has said goes before all."""

    path: Path
    read_as: ReadAs = field(default=AS_FOUND, kw_only=True)
    separator: str = field(default="", kw_only=True)  # of columns; empty for blanks, or for none

    @classmethod
    def of(cls, file: InputFile) -> Table:
        """Take ``file`` for a table; InstanceError if it is none."""
        if (rows := rows_of(file)) is not None:
            return ListTable(file.path, rows, read_as=file.read_as)
        return TextTable.of_text(file.path, file.text_for_sure(), file.read_as)

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
        return [cells for _, cells in itertools.islice(self.rows(), _HEAD_ROWS)]

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
        text = _MINUS.sub("-", text)
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
            below = text[begin : begin + _LINE_LONGEST].splitlines()[:1]
            widths = {len(one.split(separator or None)) for one in (comments[1], *below)}
            if len(widths) == 1:
                begin = comments.start(1)
        if count := _COUNT.match(text, begin):
            below = text[count.end() : count.end() + _LINE_LONGEST].splitlines()[:1]
            cells = re.split(r"[\s,;|]+", below[0].strip()) if below else []
            rows = sum(map(bool, map(str.strip, io.StringIO(text[count.end() :], newline=None))))
            headed = not any(map(is_number, cells))
            if len(cells) > 1 and rows - headed == int(count[1]):
                begin = count.end()
        rest = _in_rows(text[begin:])
        separator = _separator(rest, read_as)
        skipped = len(_BREAK.findall(text[:begin]))
        return cls(path, rest, skipped, separator=separator, read_as=read_as)

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield number of the line and stripped cells of each row; see :class:`Table`."""
        if not self.separator:
            for number, line in enumerate(io.StringIO(self.text, newline=None), 1 + self.skipped):
                if line.strip():
                    yield number, _blank_cells(line)
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
        lines = filter(str.strip, io.StringIO(self.text, newline=None))
        for line in itertools.islice(lines, skipped, None):
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
        return sum(1 for line in io.StringIO(self.text, newline=None) if line.strip(empty))


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


def _check_size(path: Path, text: str) -> None:
    """Raise InstanceError if a line of ``text`` is too long for a row, or has too many cells."""
    if has_line_beyond(text, ROW_LONGEST):
        raise InstanceError(
            f"{path}: it is no table: a line in it has more than {ROW_LONGEST:,} characters"
        )
    for line in itertools.islice(io.StringIO(text, newline=None), _HEAD_ROWS):
        most = max(map(line.count, (*SIGNS, " ")))
        if most > _MOST_COLUMNS and len(line.split()) + sum(map(line.count, SIGNS)) > _MOST_COLUMNS:
            raise InstanceError(
                f"{path}: it is no table: it has more than {_MOST_COLUMNS:,} columns"
            )


def _in_rows(text: str) -> str:
    """Return ``text``; if it is one line of all numbers of a matrix, with a line for each row."""
    line = text.strip()
    if len(line) > _LINE_LONGEST or "\n" in line or "\r" in line:
        return text
    sign = next((one for one in SIGNS if one in line), None)
    cells = line.split(sign)
    n = math.isqrt(len(cells))
    if len(cells) == n * n + 1 and cells[0].strip() == str(n):
        del cells[0]
    if n < _LEAST_NAMED or len(cells) != n * n or any(map(_NOT_ZERO.search, cells[:: n + 1])):
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
        return np.loadtxt(lines, delimiter=sign or None, ndmin=2, comments=None)
    except ValueError:
        return np.empty(0)


def _cell(value: Any) -> str:
    """Return what the cell says that holds ``value``."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < _FLOAT_EXACT:
        return str(int(value))
    return _MINUS.sub("-", str(value).strip())


def rows_of(file: InputFile) -> Sequence[Sequence[Any]] | NDArray[Any] | None:
    """Return the rows in a ``file`` of arrays, or of JSON or Python, with a header if it has names.

    So are lines that each write an edge in a way of their own. A value is rows if it is a list of
    lists, of objects with the same names, or a name for each of such lists. None if it is something
    else.
    """
    if is_binary_table(file.data):
        return binary_rows(file)
    value = file.value
    if value is None and not file.read_as.separator:
        return file.edge_lines
    if isinstance(value, dict) and value:
        lists = list(value.values())
        if all(isinstance(one, list | tuple) for one in lists):
            value = [[name, *one] for name, one in value.items()]
    if not isinstance(value, list | tuple) or not value:
        return None
    if all(isinstance(one, dict) for one in value):
        names = list(dict.fromkeys(name for one in value for name in one))
        rows: list[Sequence[Any]] = [names, *([one.get(name) for name in names] for one in value)]
    elif all(isinstance(one, list | tuple) for one in value):
        rows = list(value)
    else:
        return None
    return rows if all(_is_cell(cell) for row in rows for cell in row) else None


def _is_cell(value: Any) -> bool:
    return value is None or isinstance(value, int | float | str)


def _separator(text: str, read_as: ReadAs) -> str:
    """Return what separates the columns of ``text``: its user knows, or else its first rows."""
    if read_as.separator:
        return SEPARATOR_NAMES.get(read_as.separator, read_as.separator)
    full: Iterator[str] = filter(str.strip, io.StringIO(text, newline=None))
    start: Sequence[str] = [line.strip("\r\n") for line in itertools.islice(full, 3)]
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


LATITUDES = {
    *("lat", "latitude", "latitud", "latitudine", "breite", "breitengrad", "breedtegraad"),
    *("breddegrad", "breddgrad", "enlem", "szélesség", "intptlat", "lattitude", "phi", "φ"),
    *("szerokość", "широта", "纬度", "緯度", "위도"),
}
LONGITUDES = {
    *("lon", "lng", "long", "longitude", "longitud", "longitudine", "länge", "längengrad"),
    *("lengtegraad", "lengdegrad", "længdegrad", "längdgrad", "boylam", "hosszúság", "intptlong"),
    *("intptlon", "longtitude", "lambda", "λ", "długość", "долгота", "经度", "経度", "경도"),
}
_X = {"x", "xcoord", "coordx", "xcoordinate", "xpos", "posx"}
_Y = {"y", "ycoord", "coordy", "ycoordinate", "ypos", "posy"}
_Z = {"z", "zcoord", "coordz", "zcoordinate", "zpos", "posz"}
_EASTINGS = {"easting", "east", "rechtswert"}
_NORTHINGS = {"northing", "north", "hochwert"}
LATITUDE, X, EASTING = "latitude", "x", "easting"
_PAIRS = (
    (LATITUDE, LATITUDES, LONGITUDES),
    (X, _X, _Y),
    (EASTING, _EASTINGS, _NORTHINGS),
)
_BESIDE_NAMES = {
    *("gps", "geo", "stop", "city", "node", "place", "point", "location", "loc", "map", "centroid"),
    *("coord", "coordinate", "coordinates", "pos", "position", "deg", "degree", "degrees", "dd"),
    *("geogr", "geographische", "geographischer", "dezimal", "grad", "degré", "degrés", "grados"),
    *("decimal", "wgs84", "wgs", "utm", "m", "km", "ft", "mm", "px", "in", "n", "e", "geographic"),
}
"""Words that may stand beside such a word in a header: gps_lat, stop_lon, x coordinate."""

_NAME_COLUMNS = (
    *("name", "title", "label", "place", "town", "city", "ort", "stadt", "nom", "ville"),
    *("id", "key", "number", "num", "no", "nr", "n", "index", "order"),
)
"""Of several such columns, the first in this order has the names."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Where in a row is what, from 0."""

    first: int  # x, or latitude
    second: int
    name: int | None
    means: str = ""  # what header or user call the first one: LATITUDE, X, EASTING, or nothing
    ordered: bool = False  # whether it is said which one comes first
    names_said: bool = False  # whether the user has said where names are
    third: int | None = None  # z, if the header has it beside x and y

    def said(self) -> str:
        """Return the columns as ``--columns`` takes them, from 1: that of names if it was said."""
        both = f"{self.first + 1},{self.second + 1}"
        return f"{both},{self.name + 1}" if self.names_said and self.name is not None else both

    @property
    def turned(self) -> Columns:
        """The same with the other one first."""
        return replace(self, first=self.second, second=self.first)


def words_of(cell: str) -> set[str]:
    """Return the words in the cell of a header, and all of them as one, in lower case."""
    plain = re.sub(r"\(.*?\)|\[.*?\]", " ", cell)
    parts = re.findall(r"[^\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", plain))
    words = [part.casefold() for part in parts]
    return {*words, "".join(words)}


def _means(cell: str, names: Collection[str]) -> bool:
    """Whether the cell of a header is one of ``names``, with nothing but neutral words beside."""
    words = words_of(cell)
    whole = max(words, key=len, default="")
    if whole in names:
        return True
    return bool(words & {*names}) and words - {whole} <= {*names} | _BESIDE_NAMES


def named_coordinates(table: Table) -> Columns | None:
    """Return the columns that the header of ``table`` calls coordinates; None if it has no such.

    InstanceError if two of them mean the same.
    """
    if not table.header:
        return None
    for means, *names in _PAIRS:
        first, second = (_one_of(table, one) for one in names)
        if first is not None and second is not None:
            third = _one_of(table, _Z) if means == X else None
            taken = [at for at in (first, second, third) if at is not None]
            name = _name_column(table, taken)
            return Columns(first, second, name, means, ordered=True, third=third)
    return None


def _one_of(table: Table, names: Collection[str]) -> int | None:
    """Return the column that has one of ``names``; two of them are refused."""
    found = [at for at, cell in enumerate(table.header) if _means(cell, names)]
    if len(found) > 1:
        both = " and ".join(shortened(table.header[at]) for at in found[:2])
        raise table.error(
            f"its columns {both} mean the same; keep one, or say --columns with the two that count"
        )
    return found[0] if found else None


def _name_column(table: Table, taken: Sequence[int]) -> int | None:
    words = ["".join(re.findall(r"[^\W_]+", cell)).casefold() for cell in table.header]
    called = [words.index(name) for name in _NAME_COLUMNS if name in words]
    texts = [at for at in called if at not in table.numeric]  # a number is a name for want of one
    return next((at for at in [*texts, *table.texts, *called] if at not in taken), None)


def columns_of(table: Table, wanted: str = "") -> Columns:
    """Return the columns of ``table`` that the user ``wanted``, or else those that are sure.

    ``wanted`` has two columns, by name or number from 1: of x and y, or of latitude and longitude;
    the header's own names go before this order. InstanceError if two columns cannot be told.
    """
    if not table.sample:
        what = "a header but no places" if table.header else "no rows"
        raise table.error(f"it has {what}; a table of places has a row for each place")
    if wanted:
        return _wanted(table, wanted)
    if found := named_coordinates(table):
        return found
    numeric = _without_count(table)
    if len(numeric) < 2:
        lacks = "it has no two columns of numbers"
        if not numeric and len(table.texts) == 2:
            lacks = (
                "it has two columns of names, and no coordinates: say --read-as edges if they are "
                "the edges of a graph; a geocoding service finds the coordinates of addresses"
            )
        elif not numeric:
            lacks = "it has names or addresses, but no coordinates: a geocoding service finds those"
        raise table.error(
            f"{lacks}; a table of places has a column for each coordinate, called x and y, or "
            "latitude and longitude"
        )
    if table.header:
        some = ", ".join(map(shortened, table.header[:4])) + (", …" * (len(table.header) > 4))
        raise table.error(
            f"none of its columns is called x and y, or latitude and longitude: it has {some[:160]}"
            "; name two of them so, or say --columns with the two that count"
        )
    if len(numeric) > 2 and (fine := _with_decimals(table, numeric)):
        numeric = fine
    if len(numeric) > 2:
        raise table.error(
            f"it has {len(numeric):,} columns of numbers, and no header that says which are "
            "coordinates; add one with x and y, or latitude and longitude, or say --columns with "
            "the numbers of two columns"
        )
    first, second = numeric
    return Columns(first, second, _name_column(table, numeric))


def _with_decimals(table: Table, numeric: list[int]) -> list[int]:
    """Return the only two columns with at least three decimals if they are neighbours, or none.

    Where others have whole numbers, as a dump of a gazetteer has, they are the coordinates.
    """
    some = range(len(table.sample))
    fine = [
        at
        for at in numeric
        if 2 * sum(1 for row in some if _FINE.fullmatch(_cell_at(table, row, at))) > len(some)
    ]
    return fine if len(fine) == 2 and fine[1] - fine[0] == 1 else []


def _cell_at(table: Table, row: int, at: int) -> str:
    cells = table.sample[row]
    return cells[at] if at < len(cells) else ""


def _without_count(table: Table) -> list[int]:
    """Return the columns of numbers, without one of three that only numbers the rows."""
    numeric = table.numeric
    if len(numeric) != 3 or table.header:
        return numeric
    for at in (0, -1):
        cells = [row[numeric[at]] if numeric[at] < len(row) else "" for row in table.sample]
        if not all(cell.isascii() and cell.isdigit() and len(cell) < 19 for cell in cells):
            continue
        steps = {int(after) - int(one) for one, after in itertools.pairwise(cells)}
        if steps <= {1} or (at == 0 and min(steps) > 0):
            return [one for one in numeric if one != numeric[at]]
    return numeric


def _wanted(table: Table, wanted: str) -> Columns:
    parts = [part.strip() for part in wanted.split(",")]
    found = [at for part in parts if (at := _column(table, part)) is not None]
    width = max(map(len, table.sample))
    count = len(parts)
    if count not in (2, 3) or len({*found}) != count or max(found) >= width:
        raise table.error(
            f"--columns {shortened(wanted)} does not name two of its {width:,} columns, or a third "
            "one with names; say their names or numbers, as in --columns 2,3"
        )
    first, second = found[:2]
    name = found[2] if count == 3 else _name_column(table, found)
    named = Columns(first, second, name, ordered=True, names_said=count == 3)
    header = [table.header[at] if at < len(table.header) else "" for at in found[:2]]
    for means, *names in _PAIRS:
        for order, cells in ((named, header), (named.turned, header[::-1])):
            if all(_means(cell, one) for cell, one in zip(cells, names, strict=True)):
                return replace(order, means=means)
    return named


def _column(table: Table, part: str) -> int | None:
    """Return the column with this name or number, from 0."""
    if part in table.header:
        return table.header.index(part)
    is_number = part.isascii() and part.isdigit() and len(part) < 10 and int(part) > 0
    return int(part) - 1 if is_number else None
