from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu.core.errors import LONGEST_END, FormicariumError
from gpu.run.log.run_log import read_log
from gpu.run.session import SessionError
from tests.logs import written


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
