from __future__ import annotations

from pathlib import Path

from gpu.run.log.names import default_log_path, free_path, stem
from gpu.run.session import new_session
from tests.colonies import some_cities

SESSION = new_session(some_cities(), colony="acs-seq", seed=9)


def test_names_of_files_are_safe_and_free(tmp_path: Path) -> None:
    assert stem(SESSION) == "cities-acs-seq-9"
    assert free_path(tmp_path, "a", ".jsonl", ".tour") == tmp_path / "a.jsonl"
    (tmp_path / "a.tour").touch()
    assert free_path(tmp_path, "a", ".jsonl", ".tour") == tmp_path / "a-2.jsonl"
    (tmp_path / "a-2.jsonl").symlink_to(tmp_path / "nowhere")
    assert free_path(tmp_path, "a", ".jsonl", ".tour") == tmp_path / "a-3.jsonl"
    path = default_log_path(SESSION)
    assert path.name.endswith("-cities-acs-seq-9.jsonl")
