"""What is said of the place where a study runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from gpu.batch import host


@pytest.mark.skipif(shutil.which("git") is None, reason="needs Git")
def test_the_commit_is_found_and_nothing_is_written_into_the_checkout(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def git(*words: str) -> str:
        author = ["-c", "user.name=A", "-c", "user.email=a@b.invalid"]
        done = subprocess.run(
            ["git", *author, "-C", str(tmp_path), *words],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        return done.stdout.strip()

    def found() -> str:
        return host.commit.__wrapped__()

    monkeypatch.delenv(host.VARIABLE, raising=False)
    monkeypatch.setattr(host, "_PACKAGE", tmp_path)
    assert found() == ""
    file = tmp_path / "__init__.py"
    file.write_text("1")
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "first")
    commit = git("rev-parse", "--short=12", "HEAD")
    os.utime(file, (1, 1))  # Git would look at it again, and note in its index that it did
    index = (tmp_path / ".git" / "index").read_bytes()
    assert found() == commit
    assert (tmp_path / ".git" / "index").read_bytes() == index
    file.write_text("2")
    assert found() == f"{commit}-dirty"
