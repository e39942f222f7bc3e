from __future__ import annotations

from pathlib import Path

import pytest

from gpu.run.log.names import LONGEST_NAME, default_log_path, free_path, named, stem
from gpu.run.session import new_session
from tests.colonies import some_cities

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
