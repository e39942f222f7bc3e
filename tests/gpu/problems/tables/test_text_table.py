"""Numbers of tables that are read many at once, are those that are read one by one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu.problems.reading import ReadAs
from gpu.problems.tables.quantities import Quantities
from gpu.problems.tables.squares import square_of
from gpu.problems.tables.text_table import TextTable

ODD = [
    *("-0", "-0.0", ".5", "-.5", "5.", "00012", "1e5", "nan", "inf", "-", "", "+4", "-9", "1e400"),
    *("9" * 15, "9" * 16, "9" * 19, "9" * 30, "0.1234567890123456789", "1." + "0" * 30),
]
WRONG = ["--1", "1.2.3", "5-3", "0x1", "1_0", "1 2", "a", "-.", "1e", "\u0663"]
PLAIN = st.integers(-(10**6), 10**16).map(str) | st.floats(0, 1e9).map(lambda x: f"{x:.3f}")
CELLS = PLAIN | st.floats(allow_nan=False, allow_infinity=False, width=32).map(repr)


@settings(max_examples=300, deadline=None)
@given(data=st.data(), sign=st.sampled_from(",;\t"))
def test_numbers_at_once_are_those_one_by_one(data: st.DataObject, sign: str) -> None:
    cells = CELLS | st.sampled_from(ODD) if data.draw(st.booleans()) else PLAIN
    rows = [[data.draw(cells) for _ in range(3)] for _ in range(3)]
    text = "\n".join(sign.join(row) for row in rows)
    found = TextTable.of_text(Path("x.csv"), text, ReadAs(separator=sign)).plain_numbers(
        0, False, 3
    )
    if found is None:  # they are then read one by one
        return
    quantities = Quantities("", sign)
    for row, values in zip(rows, found[1], strict=True):
        for cell, value in zip(row, values.tolist(), strict=True):
            one = quantities.number(cell)
            assert one is not None
            expected = one[0] if np.isfinite(one[0]) or "e" not in cell else np.inf
            assert value == expected or not (np.isfinite(value) or np.isfinite(expected)), cell


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("sign", [",", ";", "\t", "blank"])
def test_what_is_no_number_is_not_read_at_once(wrong: str, sign: str) -> None:
    between = " " if sign == "blank" else sign
    rows = [["0", "1", "2"], ["1", "0", wrong], ["2", "3.5", "0"]]
    text = "\n".join(map(between.join, rows))
    table = TextTable.of_text(Path("x.csv"), text, ReadAs(separator=sign))
    assert table.plain_numbers(0, False, 3) is None


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_any_way(end: str) -> None:
    text = end.join(["0,1.5,2", "", "1,0,3", "2,3,0", ""])
    square = square_of(TextTable.of_text(Path("x.csv"), text))
    assert square.values.tolist() == [[0, 1.5, 2], [1, 0, 3], [2, 3, 0]]
