"""Makes instances for the window, and keeps them as files. Any thread may call this."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage

from app.files.exports import write_whole
from gpu import APPLICATION
from gpu.core.formats import number_of, whole
from gpu.problems.making import KINDS, Recipe, make
from gpu.run.log.names import named
from views.gallery.generate_page import KindRow, Wish
from views.gallery.thumbnail import draw_graph, draw_places
from views.widgets.theme import Theme


def folder() -> Path:
    """Return the folder of instances that were made and opened."""
    import platformdirs

    return platformdirs.user_data_path(APPLICATION, appauthor=False) / "generated"


def kind_rows() -> list[KindRow]:
    """Return what the form offers."""
    return [
        KindRow(
            kind.name,
            kind.title,
            kind.text,
            kind.problem.words.places,
            kind.least,
            kind.most,
            kind.usual,
            kind.density,
        )
        for kind in KINDS.values()
    ]


def preview(wish: Wish, theme: Theme, size: QSize, ratio: float) -> tuple[QImage, str]:
    """Return a picture of what would be made, and a sentence about it."""
    made = make(_recipe(wish))
    if made.graph is None:
        assert made.points is not None
        about = "" if made.about is None else f"The shortest tour is about {whole(made.about)} long"
        return draw_places(made.points, None, theme, ratio, size), about
    from gpu.drawing.draw import GraphArtist  # imports SciPy and Numba

    drawing = GraphArtist(made.graph).draw(None, None)
    picture = draw_graph(made.graph, drawing, theme, ratio, size)
    return picture, number_of(len(made.graph.edges), "edge")


def name_of(wish: Wish) -> str:
    """Return a name for the file, without its ending."""
    return _recipe(wish).name


def suffix_of(wish: Wish) -> str:
    """Return how the name of the file ends."""
    return _recipe(wish).suffix


def save(wish: Wish, path: Path) -> Path:
    """Make the instance, write it to ``path``, and return that."""
    made = make(_recipe(wish))
    write_whole(path, lambda part: made.write(part, named(path.stem)))
    return path


def keep(wish: Wish) -> Path:
    """Make the instance, keep it in :func:`folder`, and return its file."""
    recipe = _recipe(wish)
    return save(wish, folder() / f"{recipe.name}{recipe.suffix}")


def _recipe(wish: Wish) -> Recipe:
    return Recipe(wish.kind, wish.n, wish.seed, wish.density)
