"""What the window calls what can be said of a file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from gpu.problems import reading
from gpu.problems.reading import FileKind, ReadAs
from views.reading_words import KIND_NAMES, READING_TITLES, in_window

READERS = Path(reading.__file__).parent


@pytest.mark.parametrize(
    ("said", "worded"),
    [
        (
            "say --read-as matrix if they are distances, or --read-as edges if not (in Python x)",
            "choose “Read as: Distances” if they are distances, or “Read as: Edges of a graph” "
            "if not",
        ),
        (
            "a header (--header no makes it an edge)",
            "a header (“First row: Values” makes it an edge)",
        ),
        ("say --columns 3,2 or --columns 2,3,4", "choose columns 3 and 2 or columns 2, 3 and 4"),
        ("say with --columns which two count", "say with the lists of columns which two count"),
        ("--sheet 'May 1' is none", "“Sheet: May 1” is none"),
        ("Say --columns 'time' now", "Choose time now"),
        (
            "a city like others: --from 12 begins there",
            "a city like others: “Start: 12” begins there",
        ),
        ("leave --coordinates out", "leave “Numbers are” out"),
        (
            f"it is a route; {reading.BEGIN_WITH_IT}",
            "it is a route; open its instance first, and then this file",
        ),
        ("a -- b, --no-such-thing", "a -- b, --no-such-thing"),
    ],
)
def test_options_become_what_the_sheet_calls_them(said: str, worded: str) -> None:
    assert in_window(said) == worded


def test_every_field_and_kind_has_a_name() -> None:
    route = {"route_from", "route_to", "route"}  # are wanted elsewhere in the window
    assert set(READING_TITLES) == {field.name for field in fields(ReadAs)} - route
    assert set(KIND_NAMES) == set(FileKind)


def texts_of_readers() -> Iterator[str]:
    """The texts in the sources of readers that name an option; what is filled in is X."""
    for path in sorted(READERS.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        documented = {
            node.body[0].value
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        parts = {
            part
            for node in ast.walk(tree)
            if isinstance(node, ast.JoinedStr)
            for part in node.values
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                yield "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "'X'"
                    for part in node.values
                )
            elif isinstance(node, ast.Constant) and node not in parts | documented:
                yield str(node.value)


def test_no_option_of_the_command_line_is_left_in_a_sentence() -> None:
    named = [text for text in texts_of_readers() if re.search(r"--[a-z]", text)]
    named = [text for text in named if "\n" not in text]  # else it is said of a constant
    assert len(named) > 15
    assert [text for text in named if re.search(r"--[a-z]", in_window(text))] == []
