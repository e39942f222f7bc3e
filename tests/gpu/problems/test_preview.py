"""What is shown of a file of places before it is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu.problems.preview import preview


@pytest.mark.parametrize(
    ("text", "first", "taken"),
    [
        ("name,lat,lon\nA,1,2\nB,3,4\n", ["A", "1", "2"], ["name", "latitude", "longitude"]),
        (
            "name;position\nA;52°30'N 13°15'E\nB;48°N 2°E\n",
            ["A", "52.5", "13.25"],
            ["name", "latitude", "longitude"],
        ),
        ("A: 1.25, 2.5\nB: 3.5, 4.25\n", ["A", "1.25", "2.5"], ["name", "x", "y"]),
    ],
)
def test_columns_are_shown_as_they_are_read(text: str, first: list[str], taken: list[str]) -> None:
    found = preview(Path("p.csv"), text.encode())
    assert first in found.rows
    assert found.roles == taken
    assert {"separator", "decimal", "columns"} <= found.settings


@pytest.mark.parametrize(
    ("text", "encoding", "decimal"),
    [
        ("name;x;y\nA;1,5;2\nB;3;4\nÖ;5;6,25\n", "utf-8", ","),
        ("name;x;y\nA;1.5;2\nB;3;4\nÖ;5;6.25\n", "cp1252", "."),
        ("name;x;y\nA;1;2\nB;3;4\nÖ;5;6\n", "utf-16", ""),
    ],
)
def test_decimal_sign_and_encoding_are_found(text: str, encoding: str, decimal: str) -> None:
    found = preview(Path("places.csv"), text.encode(encoding))
    assert (found.decimal, found.encoding[: len(encoding)]) == (decimal, encoding)
