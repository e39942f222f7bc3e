"""OpenDocument spreadsheets (.ods): the values of each sheet's cells, as their XML has them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gpu.problems.input_file import InputFile
from gpu.problems.xml_reader import XmlReader

_TIME = re.compile(r"PT([0-9]{1,6})H([0-9]{1,2})M([0-9]{1,2})(?:[.,][0-9]+)?S")
_NUMBER_KINDS = ("float", "percentage", "currency")
_MOST_REPEATED = 1 << 20  # cells that one stands for
_LONGEST = 10_000  # characters of a cell that are kept


class Sheets(XmlReader):
    """The rows of each sheet by its name."""

    def __init__(self, file: InputFile, most: int) -> None:
        super().__init__(file)
        self.rows: dict[str, list[list[Any]]] = {}
        self._most = self._left = most  # cells
        self._sheet: list[list[Any]] = []
        self._row: list[tuple[Any, int]] = []  # values, and how often each stands there
        self._attributes: dict[str, str] = {}  # of the cell that is open
        self._repeated = 1
        self._cell: list[str] = []  # its text

    def begin(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take in the beginning of a sheet, a row, a cell or a paragraph."""
        plain = {name.rpartition(":")[2]: value for name, value in attributes.items()}
        if tag == "table":
            self._sheet = self.rows.setdefault(plain.get("name", ""), [])
        elif tag == "table-row":
            self._row, self._repeated = [], _times(plain.get("number-rows-repeated"))
        elif tag in ("table-cell", "covered-table-cell"):
            self._attributes, self._cell = plain, []
        elif tag == "p" and self._cell:
            self._cell.append("\n")

    def end(self, tag: str, text: str) -> None:
        """Take in the end of one; what is repeated at the end of a row or a sheet is nothing."""
        if tag in ("table-cell", "covered-table-cell"):
            value = self._value() if tag == "table-cell" else None
            times = _times(self._attributes.get("number-columns-repeated"))
            self._take(times if value is not None else 0, times)
            self._row += [(value, times)]
        elif tag == "table-row" and "table" in self.path:
            while self._row and self._row[-1][0] is None:
                self._row.pop()
            width = sum(times for _, times in self._row)
            self._take(width * self._repeated, self._repeated)
            cells = [value for value, times in self._row for _ in range(times)]
            self._sheet += [list(cells) for _ in range(self._repeated if cells else 0)]

    def _take(self, cells: int, times: int) -> None:
        """Count cells, of which a small file can have very many if each stands there often."""
        self._left -= cells
        if self._left < 0 or (times > 1 and cells > _MOST_REPEATED):
            most = _MOST_REPEATED if self._left >= 0 else self._most
            raise self.file.error(f"it has more than {most:,} cells")

    def _characters(self, text: str) -> None:
        if "p" in self.path and "annotation" not in self.path:
            self._cell.append(text[:_LONGEST])

    def _value(self) -> Any:
        kind, about = self._attributes.get("value-type", ""), self._attributes
        if kind in _NUMBER_KINDS:
            try:
                value = float(about["value"])
            except (KeyError, ValueError):
                return "".join(self._cell).strip() or None
            return int(value) if value.is_integer() and abs(value) < 2**53 else value
        if kind == "time" and (time := _TIME.fullmatch(about.get("time-value", ""))):
            hours, minutes, seconds = map(int, time.groups())
            return f"{hours}:{minutes:02}" + (f":{seconds:02}" if seconds else "")
        if kind == "boolean":
            return int(about.get("boolean-value") == "true")
        return "".join(self._cell).strip()[:_LONGEST] or about.get("date-value") or None


def _times(text: str | None) -> int:
    """Return how often a cell or a row stands there; one if that is not said."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else 1
