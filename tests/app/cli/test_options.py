from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.cli.options import make_folder
from gpu.core.errors import FormicariumError
from tests.app.conftest import Command
from tests.processes import RING, refused


def test_a_folder_for_results_is_made_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_folder(None)
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").touch()
    with pytest.raises(FormicariumError, match=r"file/b: cannot be made"):
        make_folder(tmp_path / "file" / "b")
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    with pytest.raises(FormicariumError, match="a: you may not write into this folder"):
        make_folder(tmp_path / "a")


@pytest.mark.parametrize("option", ["--out", "--picture"])
def test_a_run_does_not_begin_whose_results_cannot_be_kept(
    inside: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    what = tmp_path if option == "--out" else tmp_path / "a.png"
    done = inside("solve", RING, "--colony", "acs", "--iterations", 1, option, what)
    assert f"{tmp_path}: you may not write into this folder" in refused(done)
    assert not list(tmp_path.iterdir())
