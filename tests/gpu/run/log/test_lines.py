"""Lines of logs, and names of their files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu.core.snapshot import RunState
from gpu.run.log import recorder
from gpu.run.log.names import LONGEST_NAME, default_log_path, free_path, named, stem
from gpu.run.log.recorder import encoded, numbers
from gpu.run.session import new_session
from tests.colonies import some_cities


def test_what_is_not_known_is_null() -> None:
    found = numbers(some_cities(), RunState(0, 0, None, 0, None, float("nan")))
    assert found["best"] is None
    assert found["gap_percent"] is None
    assert found["local_hits"] is None
    json.dumps(found, allow_nan=False)


LINE: dict[str, object] = {
    "kind": "outcome",
    "gap": None,
    "phases_ms": {"a": 1.5},
    "name": 'Q "ü" ☃',
    "none": [],
}


@pytest.mark.parametrize("cities", [0, 1, 4, 5, 6, 10, 11])
def test_a_line_is_what_json_makes_of_it(cities: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "PIECE", 5)
    line = {**LINE, "tour": list(range(cities)), "pairs": [[1, 2]] * cities}
    assert encoded(line) == json.dumps(line)


def test_no_line_has_a_number_that_json_does_not_know() -> None:
    with pytest.raises(ValueError, match="JSON"):
        encoded({"seconds": float("nan")})


def test_no_piece_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    encode = recorder._encode

    def note(value: object) -> str:
        sizes.append(len(value) if isinstance(value, list) else 1)
        return encode(value)

    monkeypatch.setattr(recorder, "_encode", note)
    tour = list(range(10 * recorder.PIECE + 1))
    assert json.loads(encoded({"tour": tour}))["tour"] == tour
    assert max(sizes) == recorder.PIECE


SESSION = new_session(some_cities(), colony="acs-seq", seed=9)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("../../x", "_.._x"), (".hidden", "hidden"), ("-rf", "rf"), ("..", "instance"),
        ("", "instance"), ("a b/c\n", "a_b_c_"), ("pr2392", "pr2392"),
        ("x" * 100, "x" * LONGEST_NAME),
    ],
)  # fmt: skip
def test_no_name_hides_a_file_or_looks_like_an_option(name: str, file: str) -> None:
    assert named(name) == file
    assert named(name, 7) == f"{file}-7"


def test_names_of_files_are_safe_and_free(tmp_path: Path) -> None:
    assert stem(SESSION) == "cities-acs-seq-9"
    assert free_path(tmp_path, "a", ".jsonl", ".tour") == tmp_path / "a.jsonl"
    (tmp_path / "a.tour").touch()
    assert free_path(tmp_path, "a", ".jsonl", ".tour") == tmp_path / "a-2.jsonl"
    (tmp_path / "a-2.jsonl").symlink_to(tmp_path / "nowhere")
    assert free_path(tmp_path, "a", ".jsonl", ".tour") == tmp_path / "a-3.jsonl"
    path = default_log_path(SESSION)
    assert path.name.endswith("-cities-acs-seq-9.jsonl")
