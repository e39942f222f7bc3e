"""A table is a list of columns: the window, the terminal, HTML and CSV are made from it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from gpu.core.words import shown

Row = TypeVar("Row")
_NUMBER = re.compile(r"-?[0-9]+[.,][0-9]+(?:e-?[0-9]+)?")  # with decimals: it runs nothing


@dataclass(frozen=True)  # with slots, Column[Row](...) could not be called
class Column(Generic[Row]):
    """One column: what it says of a row."""

    title: str
    value: Callable[[Row], Any]  # a number or a text; None where there is none
    format: Callable[[Any], str] = str  # the value, unless it is None, for people
    tip: Callable[[Row], str] = lambda _: ""
    number: bool = False  # aligned to the right
    mark: Callable[[Row], str] = lambda _: ""  # how the cell stands out, in words
    order: Callable[[Row], Any] | None = None  # what rows are sorted by, if not by the value
    about: str = ""  # what the column shows: a tip where a cell has none of its own

    def text(self, row: Row, unknown: str = "") -> str:
        """Return what the cell says; ``unknown`` where there is no value."""
        value = self.value(row)
        return unknown if value is None else self.format(value)

    def key(self, row: Row) -> Any:
        """Return what ``row`` is sorted by; None, as for NaN, sorts last in both directions."""
        key = self.value(row) if self.order is None else self.order(row)
        if isinstance(key, str):
            return key.casefold() or None
        return key if key == key else None


def value_order(value: object) -> tuple[bool, float, str]:
    """Return what values of several kinds are sorted by: numbers, then texts, None (automatic)."""
    number = isinstance(value, int | float)
    return not number, float(value) if isinstance(value, int | float) else 0.0, str(value)


def fields(*names: str, of: str = "") -> list[Column[Any]]:
    """Return columns of attributes under their own names; ``of`` may be a path, such as run.best.

    A cell is empty where the path leads to None before its end.
    """

    def value(row: Any, name: str) -> Any:
        for part in filter(None, (*of.split("."), name)):
            row = None if row is None else getattr(row, part)
        return row

    return [Column(name, partial(value, name=name)) for name in names]


def texts(columns: Sequence[Column[Row]], row: Row, unknown: str = "") -> list[str]:
    """Return what the cells of ``row`` say."""
    return [column.text(row, unknown) for column in columns]


def csv_of(columns: Sequence[Column[Row]], rows: Iterable[Row], separator: str = ",") -> str:
    """Return a table as CSV, with the values as they are; a cell without any is empty."""
    values = ([column.value(row) for column in columns] for row in rows)
    return csv_text([column.title for column in columns], values, separator)


def csv_text(titles: Iterable[str], rows: Iterable[Iterable[object]], separator: str = ",") -> str:
    """Return lines of values as CSV, with a ``separator`` between them; None is an empty cell.

    A text that a spreadsheet would run gets a quote. What is not printed becomes an escape; half a
    character could not be written at all. A line break becomes a blank: each row is one line.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerows(map(_cell, row) for row in (titles, *rows))
    return text.getvalue()


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    runs = value.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    text = shown(value.replace("\n", " "))
    return f"'{text}" if runs and not _NUMBER.fullmatch(text) else text
