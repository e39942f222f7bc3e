"""The names of a run's files, and where its log is kept."""

from __future__ import annotations

import itertools
import os
import re
from datetime import datetime
from pathlib import Path

from gpu import APPLICATION
from gpu.run.frames import frames
from gpu.run.session import Session

LONGEST_NAME = 45  # characters of up to 4 bytes; with all the rest, a name of a file has 255 bytes


def default_log_path(session: Session) -> Path:
    """Return the path of the window's log for a run that starts now."""
    start = f"{datetime.now():%Y-%m-%d-%H%M%S}-{stem(session)}"
    return free_path(default_log_folder(), start, ".jsonl", frames.FRAMES_SUFFIX)


def default_log_folder() -> Path:
    """Return the folder of the window's logs, which may not be there yet."""
    import platformdirs

    return platformdirs.user_log_path(APPLICATION, appauthor=False) / "runs"


def stem(session: Session) -> str:
    """Return how the names of a run's files begin: instance, colony and seed."""
    return named(session.instance.name, session.colony, session.seed)


def named(instance: str, *parts: object) -> str:
    """Return an instance's name that suits a file, with ``parts`` behind it.

    It begins with no dot, which would hide the file, and no dash, which would make it an option.
    """
    name = re.sub(r"[^\w.-]+", "_", instance).lstrip(".-")[:LONGEST_NAME]
    return "-".join((name or "instance", *map(str, parts)))


def free_path(folder: Path, start: str, *endings: str) -> Path:
    """Return a path in ``folder`` with the first ending; no file has its name and any ending."""
    for number in itertools.count(1):
        name = start if number == 1 else f"{start}-{number}"
        paths = [folder / f"{name}{ending}" for ending in endings]
        if not any(os.path.lexists(path) for path in paths):  # a link that leads nowhere is there
            return paths[0]
    raise AssertionError("counting has no end")
