"""How rows came about: the commit, the device and the command that made them, and when."""

from __future__ import annotations

import datetime
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from runs import Row

from gpu import __version__
from gpu.core.machine import devices

ROOT = Path(__file__).parents[2]
MEASURED = ("gpu", "app", "views", "resources", "docs/measurements/*.py")
"""What a figure depends on. Changed pages and rows leave a commit clean."""


def commit_here() -> str:
    """Return this checkout's commit, "-dirty" behind it if it was changed; "" outside of Git."""

    def git(*words: str) -> str:
        asked = subprocess.run(
            ["git", "--no-optional-locks", *words], cwd=ROOT, capture_output=True, text=True
        )
        return asked.stdout.strip() if asked.returncode == 0 else ""

    commit = git("rev-parse", "--short=12", "HEAD")
    return f"{commit}-dirty" if commit and git("status", "--porcelain", "--", *MEASURED) else commit


def how(experiment: str, commit: str, device: devices.Device, command: str) -> Row:
    """Return what a row refers to by the key ``made``."""
    return {
        "experiment": experiment,
        "commit": commit,
        "version": __version__,
        "device": str(device),
        "detail": device.detail + _driver(device),
        "host": str(devices.find("cpu")),
        "command": command,
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S"),
    }


def _driver(device: devices.Device) -> str:
    asking = shutil.which("nvidia-smi")
    if device.kind != "cuda" or not asking:
        return ""
    words = [asking, "--query-gpu=driver_version", "--format=csv,noheader"]
    found = subprocess.run(words, capture_output=True, text=True).stdout.split()
    return f", driver {found[device.index]}" if found else ""


def sentence(made: Iterable[Row]) -> str:
    """Say how rows were made: each command, commit and device is named once."""
    versions: dict[str, list[Row]] = {}
    for one in made:
        day = one["date"].partition(" ")[0]
        version = f"at commit {one['commit']}, version {one['version']}, {day}"
        versions.setdefault(version, []).append(one)
    parts = []
    for version, group in versions.items():
        commands = ", and by ".join(dict.fromkeys(f"`{one['command']}`" for one in group))
        places: dict[str, dict[str, None]] = {}
        for one in group:
            place, cores = _place(one)
            places.setdefault(place, {})[cores] = None
        where = "; ".join(f"{place}, {' or '.join(cores)}" for place, cores in places.items())
        parts.append(f"by {commands} {version}, on {where}")
    return "; and ".join(parts)


def _place(made: Row) -> tuple[str, str]:
    """Return the device that made a row, and the cores that it had."""
    name, *properties = made["device"].partition(": ")[2].split(", ")
    cores = made["host"].split(", ")[-2]
    if made["device"].startswith("cuda"):
        return f"{name} ({', '.join([*properties, made['detail']])})", f"with {cores} of its host"
    return f"{name} ({properties[-1]}, {made['detail']})", cores
