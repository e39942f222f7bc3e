"""Columns, and what is made from them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gpu.core.tables import Column, csv_of, fields, texts


@dataclass
class Inner:
    low: float


@dataclass
class Outer:
    name: str
    inner: Inner | None = None


COLUMNS = [
    Column[Outer]("who", lambda row: row.name),
    Column[Outer]("lowest", lambda row: row.inner and row.inner.low, "{:.1f} s".format),
]
ROWS = [Outer("=a", Inner(0.25)), Outer("b")]


def test_a_cell_has_its_value_as_people_read_it_or_a_sign_for_none() -> None:
    assert [texts(COLUMNS, row, "–") for row in ROWS] == [["=a", "0.2 s"], ["b", "–"]]


def test_csv_has_the_values_as_they_are() -> None:
    assert csv_of(COLUMNS, ROWS) == "who,lowest\n'=a,0.25\nb,\n"


def test_columns_of_attributes_have_their_names() -> None:
    columns = [*fields("name"), *fields("low", of="inner")]
    assert csv_of(columns, ROWS) == "name,low\n'=a,0.25\nb,\n"


def test_what_is_unknown_is_no_key() -> None:
    key = Column[float]("x", lambda row: row).key
    assert [key(1.5), key(math.nan)] == [1.5, None]
    assert [Column[str]("x", lambda row: row).key(row) for row in ("B", "")] == ["b", None]
    assert Column[str]("x", lambda row: row, order=len).key("abc") == 3
