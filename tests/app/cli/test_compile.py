"""The command compile, as a process: what it leaves, and what a run compiles after it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from gpu.core.machine.code_files import SUFFIX
from tests.processes import environment

COLONY = "head-seq"  # compiled in some seconds


def formicarium(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "app.cli.main", *words],
        env={**environment(), **variables}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_after_it_a_run_compiles_nothing(tmp_path: Path) -> None:
    kept = {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = formicarium("compile", COLONY, **kept)
    assert (done.returncode, done.stderr) == (0, "")
    first, last = done.stdout.splitlines()
    assert first.startswith(f"{COLONY}: ")
    (folder,) = tmp_path.iterdir()
    assert last == f"kept in {folder}"
    files = {path: path.stat().st_mtime_ns for path in folder.glob(f"*{SUFFIX}")}
    assert files
    solve = ("solve", "random-125", "--colony", COLONY, "--iterations", "1", "--json")
    done = formicarium(*solve, **kept)
    assert json.loads(done.stdout)["iterations"] == 1
    assert {path: path.stat().st_mtime_ns for path in folder.glob(f"*{SUFFIX}")} == files


def test_a_name_that_no_colony_has_is_told(tmp_path: Path) -> None:
    done = formicarium("compile", "no-such")
    assert done.returncode == 2
    assert "no-such" in done.stderr
