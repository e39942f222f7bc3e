from __future__ import annotations

from pathlib import Path

import pytest

from gpu.run.log.names import default_log_path, free_path, named, stem
from gpu.run.session import new_session
from tests.colonies import some_cities

SESSION = new_session(some_cities(), colony="acs-seq", seed=9)


@pytest.mark.parametrize(
    ("name", "suited"),
    [
        ("../../etc/x\\y", "_.._etc_x_y-mmas-1"),
        (".hidden", "hidden-mmas-1"),
        ("-rf", "rf-mmas-1"),
        ("...", "instance-mmas-1"),
        ("n" * 240, f"{'n' * 45}-mmas-1"),
    ],
)
def test_no_name_hides_a_file_or_makes_it_an_option(name: str, suited: str) -> None:
    assert named(name, "mmas", 1) == suited


def test_names_of_files_are_safe_and_free(tmp_path: Path) -> None:
    assert stem(SESSION) == "cities-acs-seq-9"
    assert free_path(tmp_path, "a", ".jsonl", ".tour") == tmp_path / "a.jsonl"
    (tmp_path / "a.tour").touch()
    assert free_path(tmp_path, "a", ".jsonl", ".tour") == tmp_path / "a-2.jsonl"
    (tmp_path / "a-2.jsonl").symlink_to(tmp_path / "nowhere")
    assert free_path(tmp_path, "a", ".jsonl", ".tour") == tmp_path / "a-3.jsonl"
    path = default_log_path(SESSION)
    assert path.name.endswith("-cities-acs-seq-9.jsonl")
