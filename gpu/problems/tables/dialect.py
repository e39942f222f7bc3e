"""The dialect of a table: what separates its columns, its decimals, its encoding, its headings.

Who gave a table gets tables back that the same program opens as it opened theirs.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import Path

from gpu.core.errors import InstanceError
from gpu.problems.document import encoding_of, in_utf8, read_bytes
from gpu.problems.input_file import InputFile
from gpu.problems.reading import ReadAs
from gpu.problems.tables.cells import is_number
from gpu.problems.tables.columns import EASTING, LATITUDE, X, named_coordinates
from gpu.problems.tables.table import Table
from gpu.problems.tables.table_files import is_table, table_of
from gpu.problems.tables.text_table import SIGNS, TextTable

_COMMA_NUMBER = re.compile(r"[-+]?[0-9]+,[0-9]+")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a table is written; by default as most programs write theirs."""

    separator: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    line_end: str = "\n"
    name: str = "name"  # the heading of names
    globe: tuple[str, str] = ("latitude", "longitude")  # of coordinates, where they are degrees
    plane: tuple[str, str] = ("x", "y")  # the same of plain numbers

    def bytes_of(self, text: str) -> bytes:
        """Return ``text`` as bytes of a file, in UTF-8 if its encoding lacks a character."""
        lines = text.replace("\n", self.line_end)
        try:
            return lines.encode(self.encoding)
        except UnicodeEncodeError:
            return lines.encode("utf-8-sig")

    def number(self, value: object) -> str:
        """Return how a number is written."""
        return str(value).replace(".", self.decimal)


USUAL = Dialect()


def dialect_of(path: Path | None, read_as: str = "") -> Dialect:
    """Return the dialect of the table at ``path``, read as was said; the usual one if it is none.

    It is looked at anew: that costs little, and nothing needs to be kept until somebody exports.
    """
    if path is None:
        return USUAL
    try:
        raw, how = read_bytes(path), ReadAs.parse(read_as)
        file = InputFile(path, in_utf8(path, raw, how.encoding), how)
        if file.value is not None or not is_table(file):
            return USUAL
        table = table_of(file)
        if not isinstance(table, TextTable) or not table.length:
            return USUAL
        return _of_table(table, how.encoding or _encoding(path, raw), raw)
    except InstanceError:  # it is gone, or of another kind by now
        return USUAL


def _encoding(path: Path, data: bytes) -> str:
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    found = encoding_of(path, data)
    return "utf-8" if found == "utf-8-sig" else found


def has_decimal_commas(table: Table) -> bool:
    """Whether commas stand before the decimals of the first numbers in ``table``, not points."""
    numbers = [cell for row in table.sample for cell in row if is_number(cell)]
    commas = sum(map(bool, map(_COMMA_NUMBER.fullmatch, numbers)))
    return commas > sum("." in cell for cell in numbers)


def _of_table(table: TextTable, encoding: str, data: bytes) -> Dialect:
    separator = table.separator if table.separator in SIGNS else USUAL.separator
    decimal = table.read_as.decimal or ("," if has_decimal_commas(table) else USUAL.decimal)
    if decimal == separator:  # no program could tell them apart
        separator = ";"
    found = named_coordinates(table)
    heads = (
        (table.header[found.first], table.header[found.second])
        if found is not None
        else USUAL.globe
    )
    named = found is not None and found.name is not None and found.name < len(table.header)
    return Dialect(
        separator,
        decimal,
        encoding,
        "\r\n" if b"\r\n" in data[:100_000] else "\n",
        name=table.header[found.name] if named and found and found.name is not None else USUAL.name,
        globe=heads if found is not None and found.means == LATITUDE else USUAL.globe,
        plane=heads if found is not None and found.means in (X, EASTING) else USUAL.plane,
    )
