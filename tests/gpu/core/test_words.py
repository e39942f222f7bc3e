"""Texts from elsewhere, as they can be shown."""

from __future__ import annotations

import pytest

from gpu.core.errors import FormicariumError, sentence_for
from gpu.core.problem import Problem
from gpu.core.words import counted, shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Grötschel, 漢字 → 5", "Grötschel, 漢字 → 5"),
        ("13\u202f081\xa0km", "13\u202f081\xa0km"),
        ("\x1b[2J\x07\x7f\x9b31m", r"\x1b[2J\x07\x7f\x9b31m"),
        ("\u202egpj.exe\u2028\ud83d", r"\u202egpj.exe\u2028\ud83d"),
        ("one\ntwo\r\x00", "one\ntwo\\r\\x00"),
        ("", ""),
    ],
)
def test_what_is_not_printed_is_an_escape(text: str, expected: str) -> None:
    assert shown(text) == expected
    assert shown(expected) == expected
    assert str(FormicariumError(text)) == expected.replace("\n", " ")
    assert sentence_for(OSError(5, "broken", text)).startswith(expected)


def test_what_is_too_long_is_cut() -> None:
    assert shown("x" * 10, 10) == "x" * 10
    assert shown("x" * 11, 10) == "x" * 9 + "…"
    assert len(shown("\x1b" * 10, 10)) == 10


@pytest.mark.parametrize(
    ("number", "noun", "expected"),
    [
        (1, "city", "1 city"),
        (3, "city", "3 cities"),
        (0, "run", "0 runs"),
        (2, "batch", "2 batches"),
        (2, "day", "2 days"),
        (2, "vertex", "2 vertices"),
        (2, "class", "2 classes"),
    ],
)
def test_nouns_have_their_plural(number: int, noun: str, expected: str) -> None:
    assert counted(number, noun) == expected


def test_a_cost_agrees_with_its_unit() -> None:
    colors, length = Problem.COLORING.words, Problem.TSP.words
    assert [colors.amount(1), colors.amount(2), colors.amount(1000, "1 000")] == [
        "1 color",
        "2 colors",
        "1 000 colors",
    ]
    assert [length.amount(1), length.amount(1000, "1 000")] == ["1", "1 000"]
