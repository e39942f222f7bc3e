"""Of which commit the program is."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import gpu
from gpu.core.words import shown

VARIABLE = "FORMICARIUM_COMMIT"
KEPT = "commit.txt"  # beside gpu/__init__.py where the program was built (setup.py); in no checkout

_PACKAGE = Path(gpu.__file__).parent


@functools.cache
def commit() -> str:
    """Return the commit of this checkout, "-dirty" behind it if it was changed.

    Where the program is a copy of a checkout, the variable FORMICARIUM_COMMIT of the environment
    says which. What was built from a checkout has its commit in a file. It is empty where nobody
    knows.
    """
    if given := os.environ.get(VARIABLE, ""):
        return shown(given, 60)
    if not _git("ls-files", "__init__.py"):  # beside the program may be another's repository
        return _kept()
    found = _git("rev-parse", "--short=12", "HEAD")
    return f"{found}-dirty" if found and _git("status", "--porcelain", "--", ".") else found


def version() -> str:
    """Return the program's version, with its commit where that is known."""
    found = commit()
    return f"{gpu.__version__} (commit {found})" if found else gpu.__version__


def said(program: str, *words: str) -> str:
    """Return what a program prints; an empty text if it is not there or fails."""
    with suppress(OSError, subprocess.SubprocessError):
        if path := shutil.which(program):
            done = subprocess.run(
                [path, *words],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=20,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # of Windows
            )
            return done.stdout.strip() if done.returncode == 0 else ""
    return ""


def _kept() -> str:
    """Return the commit that was written down when the program was built; empty if none was."""
    with suppress(OSError, UnicodeDecodeError):
        return shown((_PACKAGE / KEPT).read_text("utf-8").strip(), 60)
    return ""


def _git(*words: str) -> str:
    """Ask Git, which writes nothing: whoever is killed meanwhile leaves no lock in the checkout."""
    return said("git", "--no-optional-locks", "-C", str(_PACKAGE), *words)
