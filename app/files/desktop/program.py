"""What a desktop has to know of the program: its command, and the types of its files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from app.files.writing import ExportError
from gpu import APPLICATION
from gpu.core.errors import sentence_for
from gpu.core.machine.installing import without_python

TITLE = "Formicarium"
ABOUT = "Watch ant colonies solve travelling-salesman and graph-coloring instances"
TOOL_PATIENCE = 30  # most seconds that one of the desktop's own tools may take


class FileType(NamedTuple):
    """A type of files that the program opens."""

    mime: str  # its name among MIME types
    title: str
    endings: tuple[str, ...]  # of the names of such files


FILE_TYPES = (
    FileType("application/x-tsplib", "TSPLIB instance", (".tsp", ".atsp", ".tsp.gz", ".atsp.gz")),
    FileType("application/x-tsplib-tour", "TSPLIB tour", (".tour", ".tour.gz")),
    FileType("application/x-dimacs-graph", "DIMACS graph", (".col", ".col.b", ".col.gz")),
)


def command() -> list[str]:
    """Return the command that starts this program from any folder."""
    if without_python():
        return [str(_without_console(Path(sys.executable)))]
    script = _without_console(Path(sys.executable).with_name(_executable(APPLICATION)))
    if script.is_file():
        return [str(script)]
    if found := shutil.which(APPLICATION):
        return [found]
    return [sys.executable, "-m", "app.cli.main"]


def _without_console(program: Path) -> Path:
    """Return the program beside this one that opens no console on Windows, if it is there."""
    quiet = program.with_name(_executable(f"{APPLICATION}-gui"))
    return quiet if sys.platform == "win32" and quiet.is_file() else program


def _executable(name: str) -> str:
    return f"{name}.exe" if sys.platform == "win32" else name


def remove_files(paths: Iterable[Path]) -> list[str]:
    """Remove those of the files that are there; return a sentence for each.

    Raises
    ------
    ExportError
        If one cannot be removed.
    """
    said = []
    for path in paths:
        if not os.path.lexists(path):
            continue
        try:
            path.unlink()
        except OSError as error:
            error.filename = None
            raise ExportError(f"{path}: cannot be removed ({sentence_for(error)})") from error
        said.append(f"{path} is removed")
    return said


def tool_works(words: Sequence[str], environment: dict[str, str] | None = None) -> bool:
    """Run one of the desktop's own tools; return whether it did what it should."""
    try:
        done = subprocess.run(
            words,
            capture_output=True,
            timeout=TOOL_PATIENCE,
            check=False,
            env=environment,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # of Windows
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
