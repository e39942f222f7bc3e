"""Keeps instances that the user has drawn, edited or made, where logs and sessions find them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import platformdirs
from numpy.typing import NDArray
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage

from app.files.writing import write_whole
from gpu import APPLICATION
from gpu.core.errors import InstanceError
from gpu.core.files import exists, read_regular
from gpu.core.formats import number_of, whole
from gpu.core.instance import EDITED, Instance
from gpu.problems.making import Recipe, make
from gpu.problems.tsp.drawing import text_of_drawing
from gpu.run.log.names import named
from views.widgets.theme import Theme


def drawings_folder() -> Path:
    """Return the folder of drawn instances."""
    return platformdirs.user_data_path(APPLICATION, appauthor=False) / "drawings"


def save_drawing(path: Path, points: NDArray[np.float64], *, globe: bool = False) -> Path:
    """Write the drawing ``points``, shape (n, 2), to ``path``, and return it.

    On the ``globe`` they are longitude and latitude in degrees. ExportError or InstanceError if
    that fails.
    """
    return _write(path, text_of_drawing(named(path.stem), points, globe=globe))


def keep_drawing(name: str, points: NDArray[np.float64], *, globe: bool = False) -> Path:
    """Write the drawing ``points``, shape (n, 2), to the folder of drawings; return its file.

    Logs refer to older drawings of this ``name``: they stay, and the new one gets a number behind
    its name. A drawing that is there already is not written again.
    """
    return _keep(name, lambda path: text_of_drawing(named(path.stem), points, globe=globe))


def with_file(instance: Instance) -> Instance:
    """Return ``instance`` with a file, so that logs can refer to it: an edited one has none yet.

    It is kept in the folder of drawings, as :func:`keep_drawing` does it.
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
        path = drawings_folder() / f"{start}{'' if number == 1 else f'-{number}'}.tsp"
        text = text_for(path)
        if not exists(path):
            return _write(path, text)
        with suppress(InstanceError):  # it cannot be read, so it is another one
            if read_regular(path, InstanceError) == text.encode():
                return path
    raise AssertionError("counting has no end")


def made_folder() -> Path:
    """Return the folder of instances that were made and opened."""
    return platformdirs.user_data_path(APPLICATION, appauthor=False) / "generated"


def preview(recipe: Recipe, theme: Theme, size: QSize, ratio: float) -> tuple[QImage, str]:
    """Return a picture of what would be made, and a sentence about it."""
    from views.gallery.thumbnail import draw_graph, draw_places  # imports pyqtgraph

    made = make(recipe)
    if made.graph is None:
        assert made.points is not None
        about = "" if made.about is None else f"The shortest tour is about {whole(made.about)} long"
        return draw_places(made.points, None, theme, ratio, size), about
    from gpu.drawing.draw import GraphArtist  # imports SciPy and Numba

    drawing = GraphArtist(made.graph).draw(None, None)
    picture = draw_graph(made.graph, drawing, theme, ratio, size)
    return picture, number_of(len(made.graph.edges), "edge")


def save_made(recipe: Recipe, path: Path) -> Path:
    """Make the instance, write it to ``path``, and return that."""
    made = make(recipe)
    write_whole(path, lambda part: made.write(part, named(path.stem)))
    return path


def keep_made(recipe: Recipe) -> Path:
    """Make the instance, keep it in :func:`made_folder`, and return its file."""
    return save_made(recipe, made_folder() / f"{recipe.name}{recipe.suffix}")
