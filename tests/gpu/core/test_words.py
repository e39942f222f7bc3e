"""Words and sentences: short, whole, and harmless."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from gpu.core import words
from gpu.core.errors import LONGEST_END, FormicariumError, sentence_for
from gpu.core.problem import Problem
from gpu.core.words import shown
from gpu.run.log.run_log import read_log
from gpu.run.session import SessionError
from tests.golden import Golden
from tests.logs import written


def test_words(golden: Golden) -> None:
    units = {"COLORS": Problem.COLORING.words, "LENGTH": Problem.TSP.words}
    names = {**vars(words), **units, "FormicariumError": FormicariumError}

    def told(line: str) -> str:
        text = eval(line, names)
        if line.startswith("without_secrets"):
            given = ast.literal_eval(line.removeprefix("without_secrets"))
            assert str(FormicariumError(given)) == text
            assert text in sentence_for(ValueError(given))
        return str(text)

    golden.table("words", told)


@pytest.mark.parametrize(
    "text", ["", "one\ntwo\r\x00", "\u202egpj.exe\u2028\ud83d", "\x1b[2J\x07\x7f\x9b31m"]
)
def test_what_is_not_printed_is_an_escape_once(text: str) -> None:
    expected = shown(text)
    assert all(letter.isprintable() or letter == "\n" for letter in expected)
    assert shown(expected) == expected
    assert str(FormicariumError(text)) == expected.replace("\n", " ")
    assert sentence_for(OSError(5, "broken", text)).startswith(expected)
    assert len(shown("\x1b" * 10, 10)) == 10


def test_a_message_is_never_long() -> None:
    said = str(FormicariumError(f"a.tsp: {'x' * 10**6}; what to do"))
    assert len(said) < 2 * LONGEST_END + 10
    assert said.startswith("a.tsp: xxx")
    assert said.endswith("xxx; what to do")


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
