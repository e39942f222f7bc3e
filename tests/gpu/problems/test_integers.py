"""Lines of whole numbers, many at once, against the words of each line."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu.problems import integers
from gpu.problems.integers import all_rows, rows_in

CELLS = st.lists(st.integers(0, 10**18 - 1).map(str), max_size=4)
GAPS = st.sampled_from([" ", "\t", ",", ";", ", ", "  "])
ENDS = st.sampled_from(["\n", "\r\n", "\r", " \n", "\n\n"])


@given(rows=st.lists(st.tuples(CELLS, GAPS)), end=ENDS, piece=st.integers(1, 40))
def test_rows_are_what_the_words_of_lines_are(
    rows: list[tuple[list[str], str]], end: str, piece: int
) -> None:
    text = "".join(gap.join(cells) + end for cells, gap in rows)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").splitlines()
    wanted = [
        [int(word) for word in line.replace(",", " ").replace(";", " ").split()] for line in lines
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(integers, "PIECE", piece)
        found = all_rows(text.encode())
    assert found is None if not text else found is not None
    if found is not None:
        assert found.values.tolist() == [number for row in wanted for number in row]
        assert found.counts.tolist() == list(map(len, wanted))


@pytest.mark.parametrize(
    "text",
    [
        "1 -2\n",
        "1 2.5\n",
        "a b\n",
        "1 2 # c\n",
        "9" * 19 + "\n",
        "١ 2\n",
        "1\0\n",
        "1,,2\n",
        ",1\n",
        "1;\n",
        "1, ;2\n",
        "1\n,2\n",
        "e 1 2\n",
    ],
)
def test_anything_else_is_none(text: str) -> None:
    assert rows_in(text.encode()) is None
    assert all_rows(text.encode()) is None


def test_lines_of_comments_are_passed_over() -> None:
    found = all_rows(b"# a\n1 2\n  % b\n\n# c\n3 4")
    assert found is not None
    assert found.counts.tolist() == [2, 0, 2]
    table = found.table(2)
    assert table is not None
    assert table.tolist() == [[1, 2], [3, 4]]
    assert found.table(3) is None


@pytest.mark.parametrize(
    "text",
    [
        "1 e 2\n",
        "e1 2\n",
        "e 1 2 e 3 4\n\n",
        "\ne 1 2 e 3 4\n",
        "e 1,2\n",
        "e 1 2\n3 4\n",
        "a 1 2\n",
    ],
)
def test_a_letter_stands_at_the_beginning_of_every_line(text: str) -> None:
    assert rows_in(text.encode(), "e") is None
    whole = rows_in(b"e 1 2\n  e\t3 4 \n", "e")
    assert whole is not None
    assert whole.values.tolist() == [1, 2, 3, 4]
    assert np.array_equal(whole.counts, [2, 2])
