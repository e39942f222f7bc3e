"""What the user types to install something more: it fits the system, and how the program came."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import gpu

PIPX_FILE = "pipx_metadata.json"
"""In an environment that pipx has made for the program."""


def without_python() -> bool:
    """Return whether this program is a folder that runs without Python (``bundle/``)."""
    return bool(getattr(sys, "frozen", False))


def extra_command(extra: str) -> str:
    """Return the command that installs an ``extra`` of the program, such as ``cuda13``.

    In a clone with Make that is the Makefile's, which has tried versions. What pipx has installed
    is in an environment of its own, which it knows.
    """
    clone = (Path(gpu.__file__).parents[1] / "Makefile").is_file()
    if clone and extra.startswith("cuda") and sys.platform != "win32" and shutil.which("make"):
        return f"make demo GPU={extra}"
    quote = "" if sys.platform == "win32" else "'"  # a Unix shell would look for files by brackets
    pip = f"pipx runpip {gpu.APPLICATION}" if (Path(sys.prefix) / PIPX_FILE).is_file() else "pip"
    return f"{pip} install {quote}{gpu.APPLICATION}[{extra}]{quote}"
