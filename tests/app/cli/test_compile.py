"""The command compile, as a process. What it leaves is tried by .ci/installation.py."""

from __future__ import annotations

import subprocess
import sys

from app.files.compiling import families
from gpu import catalog
from tests.processes import environment


def test_a_name_that_no_colony_has_is_told() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "app.cli.main", "compile", "no-such"],
        env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "no-such" in done.stderr


def test_each_colony_of_one_core_is_in_one_group() -> None:
    groups = families()
    named = [name for group in groups for name in group]
    assert sorted(named) == sorted(
        system.name for system in catalog.CATALOG if "cpu:1" in system.builders
    )
    assert families(["acs", "mmas-seq"]) == [["acs-seq"], ["mmas-seq"]]
