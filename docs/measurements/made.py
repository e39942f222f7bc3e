"""How rows came about: the commit, the device and the command that made them, and when."""

from __future__ import annotations

import datetime
import shutil
import subprocess
from pathlib import Path

from runs import Row

from gpu import __version__
from gpu.core import devices

ROOT = Path(__file__).parents[2]
MEASURED = ("gpu", "app", "views", "resources", "docs/measurements/*.py")
"""What a figure depends on. Changed pages and rows leave a commit clean."""


def commit_here() -> str:
    """Return this checkout's commit, "-dirty" behind it if it was changed; "" outside of Git."""

    def git(*words: str) -> str:
        asked = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
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


def sentence(made: Row) -> str:
    """Say it in one line."""
    at = f"commit {made['commit']}, version {made['version']}"
    detail = f" ({made['detail']})" if made.get("detail") else ""
    where = f"{made['device'].partition(': ')[2]}{detail}"
    if made["device"].startswith("cuda"):
        where += f", with {made['host'].split(', ')[-2]} of its host"
    day = made["date"].partition(" ")[0]
    return f"`{made['command']}` on {where}, {day}, {at}"
