"""Which files are tables, and the table in one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from numpy.typing import NDArray

from gpu.problems.document import plain_name
from gpu.problems.edge_lines import HEADER, bare
from gpu.problems.input_file import InputFile
from gpu.problems.tables.binary_tables import binary_rows, is_binary_table
from gpu.problems.tables.edge_columns import ends_in
from gpu.problems.tables.table import ListTable, Table
from gpu.problems.tables.text_table import LEAST_NAMED, LINE_LONGEST, SIGNS, TextTable

TABLE_SUFFIXES = (".csv", ".tsv")
_DEEPEST = 3  # objects within each other
_BETWEEN_NAMES = ("->", "→", "|", ";", ",", "/", "~", "–", "-", "_", " ")
_BLANK_CELL_BYTES = re.compile(rb'"[^"\r\n]*"|\S+')
_COUNT_BYTES = re.compile(rb"\s*[0-9]{1,9}[ \t]*\r?\n")
_ENDS_IN_NUMBERS = re.compile(rb"(?:[ \t]{1,40}[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?){2}\s*\Z")
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
_LETTERED_PLACE = re.compile(  # such as N52.52 E13.405, or 52.52N 13.405E
    rb"\s*[NS] ?[0-9]{1,2}[.,\xb0\xc2 ][^\r\n]{0,80}?[,; \t][EWO] ?[0-9]{1,3}[^\r\n]{0,80}"
    rb"|\s*[0-9]{1,2}[.,][0-9]{1,9} ?[NS][,; \t]+[0-9]{1,3}[.,][0-9]{1,9} ?[EWO]\b"
)
_COMMENTED = re.compile(rb"(?:\s*#[^\r\n]*(?=[\r\n]))*")
_FIRST_NUMBER = re.compile(rb"[-+]?[0-9.]+[ \t]*\r?\n")
_TWO_NUMBERS = re.compile(rb"\s*[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?[ \t]+[-+]?[0-9.]")

_Named: TypeAlias = tuple[str, Any]  # a cell with the name of its column


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
    words = first[:_LINE_OF_PLACE].decode("latin-1").split()
    if len(words) > 1 and ends_in(ListTable(file.path, [words, [""] * len(words)])):
        return True
    if any(ord(one) in first for one in SIGNS) or _TWO_NUMBERS.match(text, 0, _LOOKED_AT):
        return True
    return _is_named_square(file.data)


def _is_named_square(data: bytes) -> bool:
    """Whether the text ``data`` has a matrix below a line of names, with blanks between them.

    Their number may stand before it, and a name before each of its rows.
    """
    count = _COUNT_BYTES.match(data)
    begin = count.end() if count else 0
    below = data[begin : begin + LINE_LONGEST].strip().split(b"\n", 2)
    if len(below) < 3 or not _ENDS_IN_NUMBERS.search(below[1]):
        return False
    lines = [line for line in data[begin:].splitlines() if line.strip()]
    rows = [len(_BLANK_CELL_BYTES.findall(line)) for line in lines[:4]]
    n = len(lines) - 1
    if n < LEAST_NAMED or rows[0] not in (n, n + 1) or not {*rows[1:]} <= {n, n + 1}:
        return False
    return all(_ENDS_IN_NUMBERS.search(line) for line in lines[1:4])


def table_of(file: InputFile) -> Table:
    """Take ``file`` for a table; InstanceError if it is none."""
    if (rows := rows_of(file)) is not None:
        return ListTable(file.path, rows, read_as=file.read_as)
    return TextTable.of_text(file.path, file.text_for_sure(), file.read_as)


def rows_of(file: InputFile) -> Sequence[Sequence[Any]] | NDArray[Any] | None:
    """Return the rows in a ``file`` of arrays, or of JSON or Python, with a header if it has names.

    So are lines that each write an edge in a way of their own. None if it is something else.
    """
    if is_binary_table(file.data):
        return binary_rows(file)
    if file.value is None and not file.read_as.separator:
        return file.edge_lines
    return _rows_of_value(file.value)


def _rows_of_value(value: Any) -> Sequence[Sequence[Any]] | None:
    """Return the rows that ``value`` has; None if it has something else.

    It is a list of lists, or of objects; or an object with such a list for each name, or with a
    number for each pair of names.
    """
    if isinstance(value, dict) and value:
        if pairs := _rows_of_pairs(value):
            return pairs
        if all(isinstance(one, list | tuple) for one in value.values()):
            value = [[name, *one] for name, one in value.items()]
    if not isinstance(value, list | tuple) or not value:
        return None
    if all(isinstance(one, dict) for one in value):
        flat = [dict(_flattened(one)) for one in value]
        names = list(dict.fromkeys(name for one in flat for name in one))
        rows: list[Sequence[Any]] = [names, *([one.get(name) for name in names] for one in flat)]
    elif all(isinstance(one, list | tuple) for one in value):
        rows = list(value)
    else:
        return None
    return rows if all(_is_cell(cell) for row in rows for cell in row) else None


def _flattened(value: Mapping[Any, Any], before: str = "", depth: int = 0) -> Iterator[_Named]:
    """Yield the cells of an object, and of those in it; what is empty is left out."""
    for key, inner in value.items():
        if isinstance(inner, dict) and depth < _DEEPEST:
            yield from _flattened(inner, f"{before}{key} ", depth + 1)
        elif inner != []:
            yield f"{before}{key}", inner


def _rows_of_pairs(value: Mapping[Any, Any]) -> Sequence[Sequence[Any]] | None:
    """Return the rows of an object with a number for each pair of names; None if it is none.

    Keys are tuples, or texts with a sign between two names, the same sign in all. As few names
    occur as a list of edges has. There may be an object of numbers for each, too.
    """
    cells = [
        dict(_flattened(one)) if isinstance(one, dict) else {HEADER[2]: one}
        for one in value.values()
    ]
    if not all(one is None or type(one) in (int, float) for some in cells for one in some.values()):
        return None
    names = list(dict.fromkeys(name for some in cells for name in some))
    for sign in (None, *_BETWEEN_NAMES):
        pairs = [_pair(key, sign) for key in value]
        if not all(pairs):
            continue
        ends = [both for both in pairs if both is not None]
        if len({end for both in ends for end in both}) <= len(ends) + 1:
            rows = zip(ends, cells, strict=True)
            return [[*HEADER[:2], *names], *([*both, *map(some.get, names)] for both, some in rows)]
    return None


def _pair(key: object, sign: str | None) -> tuple[str, str] | None:
    """Return the two names in ``key``, between which ``sign`` stands if it is a text."""
    if sign is None:
        parts = list(map(str, key)) if isinstance(key, tuple) else []
    else:
        parts = key.strip("()[] ").split(sign) if isinstance(key, str) else []
    names = list(map(bare, parts))
    return (names[0], names[1]) if len(names) == len("ab") and all(names) else None


def _is_cell(value: Any) -> bool:
    return value is None or isinstance(value, int | float | str)
