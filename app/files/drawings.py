"""Keeps drawn instances as files, where logs and sessions find them again."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.files.exports import write_whole
from gpu import APPLICATION
from gpu.core.errors import InstanceError
from gpu.core.files import exists, read_regular
from gpu.core.instance import EDITED, Instance
from gpu.problems.tsp.drawing import text_of_drawing
from gpu.run.log.names import named


def folder() -> Path:
    """Return the folder of drawn instances."""
    import platformdirs

    return platformdirs.user_data_path(APPLICATION, appauthor=False) / "drawings"


def save(path: Path, points: NDArray[np.float64], *, globe: bool = False) -> Path:
    """Write the drawing ``points``, shape (n, 2), to ``path``, and return it.

    On the ``globe`` they are longitude and latitude in degrees. ExportError or InstanceError if
    that fails.
    """
    return _write(path, text_of_drawing(named(path.stem), points, globe=globe))


def keep(name: str, points: NDArray[np.float64], *, globe: bool = False) -> Path:
    """Write the drawing ``points``, shape (n, 2), to the folder of drawings; return its file.

    Logs refer to older drawings of this ``name``: they stay, and the new one gets a number behind
    its name. A drawing that is there already is not written again.
    """
    return _keep(name, lambda path: text_of_drawing(named(path.stem), points, globe=globe))


def with_file(instance: Instance) -> Instance:
    """Return ``instance`` with a file, so that logs can refer to it: an edited one has none yet.

    It is kept in the folder of drawings, as :func:`keep` does it.
    """
    if instance.path is not None or not instance.name.endswith(EDITED) or instance.why_not_editable:
        return instance
    text = instance.text()
    return replace(instance, path=_keep(instance.name, lambda _: text))


def save_edited(path: Path, instance: Instance) -> Path:
    """Write an instance whose cities can be edited to ``path``, and return that."""
    return _write(path, instance.text())


def _write(path: Path, text: str) -> Path:
    write_whole(path, lambda part: part.write_text(text, "utf-8", newline="\n"))
    return path


def _keep(name: str, text_for: Callable[[Path], str]) -> Path:
    """Write a file of this ``name``, with a number behind it if there is another; return it."""
    start = named(name)
    for number in itertools.count(1):
        path = folder() / f"{start}{'' if number == 1 else f'-{number}'}.tsp"
        text = text_for(path)
        if not exists(path):
            return _write(path, text)
        with suppress(InstanceError):  # it cannot be read, so it is another one
            if read_regular(path, InstanceError) == text.encode():
                return path
    raise AssertionError("counting has no end")
