"""Where a run takes place, so that its result can be judged: program, device, driver, versions."""

from __future__ import annotations

import functools
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import gpu
from gpu.core.machine import processes
from gpu.core.machine.devices import Device
from gpu.core.words import shown

VARIABLE = "FORMICARIUM_COMMIT"

_PACKAGE = Path(gpu.__file__).parent


def host_of(device: Device, at_once: Mapping[str, int]) -> Mapping[str, Any]:
    """Return a description of ``device`` and of what runs on it, ready for JSON.

    ``at_once`` says how many runs of the study were done at the same time, by kind of device.
    """
    return {
        "version": gpu.__version__,
        "commit": commit(),
        "device": device.name,
        "model": device.model,
        "cores": device.cores,
        "memory": device.memory,
        "detail": device.detail,
        "driver": _driver() if device.kind == "cuda" else "",
        "system": processes.machine(),
        "machine": platform.node(),
        "at_once": dict(at_once),
        "versions": processes.versions(),
    }


@functools.cache
def commit() -> str:
    """Return the commit of this checkout, "-dirty" behind it if it was changed.

    Where the program is a copy of a checkout, the variable FORMICARIUM_COMMIT of the environment
    says which. It is empty where nobody knows.
    """
    if given := os.environ.get(VARIABLE, ""):
        return shown(given, 60)
    if not _git("ls-files", "__init__.py"):  # beside the program may be another's repository
        return ""
    found = _git("rev-parse", "--short=12", "HEAD")
    return f"{found}-dirty" if found and _git("status", "--porcelain", "--", ".") else found


def _git(*words: str) -> str:
    """Ask Git, which writes nothing: whoever is killed meanwhile leaves no lock in the checkout."""
    return _said("git", "--no-optional-locks", "-C", str(_PACKAGE), *words)


@functools.cache
def _driver() -> str:
    """Return the version of NVIDIA's driver."""
    said = _said("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    return next(iter(said.split()), "")


def _said(program: str, *words: str) -> str:
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
