"""Words and sentences: short, whole, and harmless."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu.core.errors import LONGEST_END, FormicariumError, sentence_for
from gpu.core.problem import Problem
from gpu.core.words import counted, shown, without_folders, without_secrets
from gpu.run.log.run_log import read_log
from gpu.run.session import SessionError
from tests.logs import written


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


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("https://user:secret@host/a.gz: no answer", "https://…@host/a.gz: no answer"),
        ("(https://secret@host:80/a), then", "(https://…@host:80/a), then"),
        ("http:/user:secret@host/a.tsp: no file", "http:/…@host/a.tsp: no file"),
        ("https://user:se cret@host/a: no answer", "https://…@host/a: no answer"),
        ("s3+x://user:secret@host", "s3+x://…@host"),
        ("C:/a#b@c.tsp: no file", "C:/a#b@c.tsp: no file"),
        ("tcp://user:se/cr@et@host:8786", "tcp://…@host:8786"),
        ("https://host/a?token=secret: no answer", "https://host/a?…: no answer"),
        ("at 'https://host/a?x=y#secret'.", "at 'https://host/a?…'."),
        ("https://host/a#secret", "https://host/a?…"),
        ("https://user:se?cret@host/a", "https://…"),
        ("https://host/a?mail=x@secret", "https://…"),
        ("with url: /a?token=secret (caused by", "with url: /a?… (caused by"),
        ("https://host/@scope/a and https://b:secret@c", "https://host/@scope/a and https://…@c"),
        ("what?secret me@here 3 // 4", "what?secret me@here 3 // 4"),
    ],
)
def test_an_address_is_shown_without_secrets(text: str, left: str) -> None:
    assert without_secrets(text) == left
    assert str(FormicariumError(text)) == left
    assert left in sentence_for(ValueError(text))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("/home/me/my files/a.tsp: it is empty", "a.tsp: it is empty"),
        ("cannot read '/home/me/a.tsp' or ~/b/c.tsp.", "cannot read 'a.tsp' or c.tsp."),
        (r"C:\Users\me\a.tsp: gone; \\host\share\b.tsp", "a.tsp: gone; b.tsp"),
        ("folder/a.tsp and ../b.tsp, 3 / 4, and/or", "folder/a.tsp and ../b.tsp, 3 / 4, and/or"),
        ("https://host/a/b", "https://host/a/b"),
    ],
)
def test_absolute_paths_are_shown_by_the_files_name(text: str, left: str) -> None:
    assert without_folders(text) == left


def test_a_message_is_never_long() -> None:
    assert str(FormicariumError("a.tsp: what is wrong; what to do")) == (
        "a.tsp: what is wrong; what to do"
    )
    said = str(FormicariumError(f"a.tsp: {'x' * 10**6}; what to do"))
    assert len(said) < 2 * LONGEST_END + 10
    assert said.startswith("a.tsp: xxx")
    assert said.endswith("xxx; what to do")


def test_a_message_is_one_line() -> None:
    said = str(FormicariumError('a.sqlite: near "KEY,\n  key TEXT \r\n\n NOT NULL"\n'))
    assert said == r'a.sqlite: near "KEY, key TEXT \r NOT NULL" '


def test_what_is_said_of_an_unexpected_error_is_short_and_without_a_terminals_colours() -> None:
    """Numba's messages are pages long, with bold parts."""
    bold = "\x1b[1m{}\x1b[0m".format
    middle = f"{bold('x')} " * 10_000
    said = sentence_for(TypeError(f"{bold(bold('Failed'))} in \n{middle}at line 7"))
    assert said.startswith("an unexpected error came up (TypeError: Failed in x x x")
    assert said.endswith("x x at line 7): please report it")
    assert len(said) < 2 * LONGEST_END + 100


@pytest.mark.parametrize(
    ("part", "name"),
    [("stop", "target_length"), ("parameters", "ants"), ("parameters", "x" * 10**6)],
)
def test_a_session_with_a_long_value_is_refused_in_a_short_sentence(
    tmp_path: Path, part: str, name: str
) -> None:
    path = written(tmp_path / "a.jsonl", [])
    first = json.loads(path.read_text().splitlines()[0])
    first["session"][part][name] = "9" * 3_000_000
    path.write_text(json.dumps(first) + "\n")
    with pytest.raises(SessionError) as refused:
        read_log(path)
    assert str(refused.value).startswith(f"{path}: ")
    assert len(str(refused.value)) < 2 * LONGEST_END + 10
