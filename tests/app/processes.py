"""The command line as a process, for the tests that need one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import app


def command(*arguments: object) -> list[str]:
    """Return what to start."""
    return [sys.executable, "-m", "app.cli", *map(str, arguments)]


def environment() -> dict[str, str]:
    """Without a display, and with this checkout on the path wherever the command runs."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    return {**kept, "PYTHONPATH": str(Path(app.__file__).resolve().parents[1])}


def run(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        command(*arguments),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        cwd=cwd,
        env=environment(),
    )


def start(*arguments: object) -> subprocess.Popen[str]:
    """Start a command; its output is piped."""
    return subprocess.Popen(
        command(*arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """Return the one line that says why nothing was run."""
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("formicarium: ")
    return line
