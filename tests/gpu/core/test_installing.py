"""Advice on what to install fits the system and the way the program came."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import gpu
from gpu.core.machine import code_files
from gpu.core.machine.checkout import commit, version
from gpu.core.machine.installing import extra_command


@pytest.mark.parametrize(
    ("system", "make", "clone", "command"),
    [
        ("linux", True, True, "make demo GPU=cuda13"),
        ("darwin", True, True, "make demo GPU=cuda13"),
        ("linux", False, True, "pip install 'formicarium[cuda13]'"),
        ("linux", True, False, "pip install 'formicarium[cuda13]'"),
        ("win32", True, True, "pip install formicarium[cuda13]"),
    ],
)
def test_the_command_for_a_gpu(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    system: str,
    make: bool,
    clone: bool,
    command: str,
) -> None:
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/make" if make else None)
    if clone:
        (tmp_path / "Makefile").touch()
    monkeypatch.setattr(gpu, "__file__", str(tmp_path / "gpu" / "__init__.py"))
    assert extra_command("cuda13") == command
    assert extra_command("film").startswith("pip install ")
    (tmp_path / "pipx_metadata.json").touch()
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    assert extra_command("film").startswith("pipx runpip formicarium install ")


def test_the_version_names_the_commit_where_it_is_known(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commit.cache_clear()
    monkeypatch.setenv("FORMICARIUM_COMMIT", "abc123")
    assert version() == f"{gpu.__version__} (commit abc123)"
    commit.cache_clear()
    monkeypatch.delenv("FORMICARIUM_COMMIT")
    monkeypatch.setattr("gpu.core.machine.checkout.said", lambda *_: "")  # no Git
    (tmp_path / "commit.txt").write_text("0123456789ab\n")
    for folder, found in ((tmp_path, " (commit 0123456789ab)"), (tmp_path / "none", "")):
        monkeypatch.setattr("gpu.core.machine.checkout._PACKAGE", folder)
        commit.cache_clear()
        assert version() == f"{gpu.__version__}{found}"
    commit.cache_clear()


def test_a_folder_without_python_keeps_nothing_in_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    inside = code_files.PACKAGE / "__pycache__"
    assert inside in code_files._bases()
    monkeypatch.setattr("sys.frozen", True, raising=False)
    assert inside not in code_files._bases()
