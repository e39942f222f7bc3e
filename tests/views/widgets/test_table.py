"""Tables of any rows: sorted, filtered and selected."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from gpu.core.tables import Column
from tests.hands import click, press
from tests.views.scenes import in_sight
from views.widgets.table import ColumnTable, TableModel

Pair = tuple[str, float | None]

COLUMNS = [
    Column[Pair]("Name", lambda row: row[0]),
    Column[Pair]("Seconds", lambda row: row[1], "{:.1f} s".format, number=True),
]
ROWS: list[Pair] = [("b", 10.0), ("C", None), ("a", 9.0)]


@pytest.fixture
def table(qtbot: QtBot) -> ColumnTable[Pair]:
    made: ColumnTable[Pair] = ColumnTable("Pairs", TableModel(lambda row: row[0]))
    made.show_rows(COLUMNS, ROWS)
    return in_sight(qtbot, made, 300, 200)


def names(table: ColumnTable[Pair]) -> str:
    return "".join(table.texts(at)[0] for at in range(len(table.content.rows)))


def click_heading(table: ColumnTable[Pair], column: int) -> None:
    header = table.horizontalHeader()
    click(header.viewport(), QPoint(header.sectionViewportPosition(column) + 12, 8))


def test_a_click_on_a_heading_sorts_by_value_and_what_is_unknown_stays_last(
    table: ColumnTable[Pair],
) -> None:
    assert names(table) == "bCa"
    click_heading(table, 1)
    assert names(table) == "abC"
    assert table.texts(2) == ["C", "–"]
    click_heading(table, 1)
    assert names(table) == "baC"
    click_heading(table, 0)
    assert names(table) == "abC"  # capitals are letters like others


def test_the_same_rows_stay_selected_in_another_order(table: ColumnTable[Pair]) -> None:
    table.setFocus()
    table.selectRow(0)
    click_heading(table, 0)
    assert table.selected == [("b", 10.0)]
    table.show_rows(COLUMNS, [("b", 1.0), ("0", 2.0)])
    assert table.selected == [("b", 1.0)]
    assert names(table) == "0b"  # sorted as before
    press(table, Qt.Key.Key_Up)
    assert table.selected == [("0", 2.0)]


def test_rows_that_do_not_match_are_hidden(table: ColumnTable[Pair]) -> None:
    table.content.filter(lambda row: row[1] is not None)
    assert names(table) == "ba"
    table.content.update_row(("b", 3.0))
    assert table.texts(0) == ["b", "3.0 s"]
    table.content.filter(lambda _: True)
    assert names(table) == "bCa"


def test_other_columns_may_come_while_a_table_is_seen(table: ColumnTable[Pair]) -> None:
    click_heading(table, 1)
    table.show_rows(COLUMNS[:1], ROWS)
    assert table.headings == ["Name"]
    assert names(table) == "bCa"
