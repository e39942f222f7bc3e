"""Keeps drawn instances as files, where logs and sessions find them again."""

from __future__ import annotations

import itertools
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.files.exports import write_whole
from gpu import APPLICATION
from gpu.core.errors import InstanceError
from gpu.core.files import exists, read_regular
from gpu.problems.tsp.drawing import text_of_drawing
from gpu.run.recorder import named


def folder() -> Path:
    """Return the folder of drawn instances."""
    import platformdirs

    return platformdirs.user_data_path(APPLICATION, appauthor=False) / "drawings"


def save(path: Path, points: NDArray[np.float64]) -> Path:
    """Write the drawing ``points``, shape (n, 2), to ``path``, and return it.

    ExportError or InstanceError if that fails.
    """
    text = text_of_drawing(named(path.stem), points)
    write_whole(path, lambda part: part.write_text(text, "utf-8", newline="\n"))
    return path


def keep(name: str, points: NDArray[np.float64]) -> Path:
    """Write the drawing ``points``, shape (n, 2), to the folder of drawings; return its file.

    Logs refer to older drawings of this ``name``: they stay, and the new one gets a number behind
    its name. A drawing that is there already is not written again.
    """
    start = named(name)
    for number in itertools.count(1):
        path = folder() / f"{start}{'' if number == 1 else f'-{number}'}.tsp"
        if not exists(path):
            return save(path, points)
        text = text_of_drawing(named(path.stem), points)
        with suppress(InstanceError):  # it cannot be read, so it is another one
            if read_regular(path, InstanceError) == text.encode():
                return path
    raise AssertionError("counting has no end")
