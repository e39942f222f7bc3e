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

_PACKAGE = Path(gpu.__file__).parent


@functools.cache
def commit() -> str:
    """Return the commit of this checkout, "-dirty" behind it if it was changed.

    Where the program is a copy of a checkout, the variable FORMICARIUM_COMMIT of the environment
    says which. Where pip has installed it from a repository, pip has written down which. It is
    empty where nobody knows.
    """
    if given := os.environ.get(VARIABLE, ""):
        return shown(given, 60)
    if not _git("ls-files", "__init__.py"):  # beside the program may be another's repository
        return _installed()
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


def _installed() -> str:
    """Return the commit that pip has installed (PEP 610); empty if it was no repository's."""
    import json
    from importlib import metadata

    with suppress(metadata.PackageNotFoundError, ValueError, KeyError, TypeError, AttributeError):
        told = metadata.distribution(gpu.APPLICATION).read_text("direct_url.json") or "{}"
        return shown(str(json.loads(told)["vcs_info"]["commit_id"])[:12], 60)
    return ""


def _git(*words: str) -> str:
    """Ask Git, which writes nothing: whoever is killed meanwhile leaves no lock in the checkout."""
    return said("git", "--no-optional-locks", "-C", str(_PACKAGE), *words)
