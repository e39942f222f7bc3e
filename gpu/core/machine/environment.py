"""Where a measurement or a run takes place: the system, and versions of what computes."""

from __future__ import annotations

import platform
from contextlib import suppress
from importlib import metadata

PACKAGES = ("numpy", "numba", "cupy-cuda12x", "cupy-cuda13x")


def machine() -> str:
    """Operating system and processor architecture."""
    return f"{platform.system()} {platform.release()}, {platform.machine()}"


def versions(*more: str) -> dict[str, str]:
    """Versions of Python, and of the packages ``more`` and those that decide how fast colonies are.

    What is not installed is left out.
    """
    found = {"python": platform.python_version()}
    for package in (*more, *PACKAGES):
        with suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found
