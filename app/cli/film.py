"""The command that makes a film of a recorded run."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

from app.cli.terminal import say, show_progress
from gpu.core.errors import FormicariumError
from gpu.core.words import counted


@click.command()
@click.argument("log", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="An .mp4 or a .gif; a name without an ending is a new folder for PNG pictures.",
)
@click.option("--seconds", type=float, default=10.0, show_default=True, help="How long it lasts.")
@click.option("--fps", type=int, default=25, show_default=True, help="Frames a second.")
@click.option("--size", default="640x360", show_default=True, help="Width and height in pixels.")
@click.option("--theme", type=click.Choice(["dark", "light"]), default="dark", show_default=True)
@click.option(
    "--view",
    "views",
    multiple=True,
    help="What it shows: tour, pheromone, convergence; for a graph also graph, matrix, "
    "classes. Twice for two of them side by side. By default the tour or the graph.",
)
@click.option(
    "--ants",
    is_flag=True,
    help="The ants of some iterations walk, from the first to the last, which are made again.",
)
@click.option("--no-caption", is_flag=True, help="Leave out the caption below the picture.")
def film(
    log: Path,
    out: Path,
    seconds: float,
    fps: int,
    size: str,
    theme: str,
    views: tuple[str, ...],
    ants: bool,
    no_caption: bool,
) -> int:
    """Make a film of the run in LOG (a .jsonl file with the run's .frames beside it).

    No window is opened. The recorded run is shown from its first frame to its last; with --ants,
    some iterations of it.
    """
    from app.window.qt_libraries import check_qt

    numbers = re.fullmatch(r"([0-9]{1,5})x([0-9]{1,5})", size)
    if numbers is None:
        raise FormicariumError(f"{size}: a size is width x height, such as 640x360")
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    check_qt(("offscreen",))
    from app.files.film import FilmCancelledError, FilmSource, Picture, check_film, write_film
    from app.files.walk_film import WalkSource
    from app.termination import termination_signals
    from app.window.qt_application import qt_application, settings_in
    from views.film import FilmChoices, FilmStage
    from views.frame.kept_state import kept_of_view
    from views.graph.classes_view import ClassesView
    from views.widgets.steps import finished
    from views.widgets.styling import apply
    from views.widgets.theme import DARK, LIGHT

    choices = FilmChoices(
        out,
        views,
        int(numbers[1]),
        int(numbers[2]),
        seconds=seconds,
        a_second=fps,
        dark=theme == "dark",
        caption=not no_caption,
        ants=ants,
    )
    check_film(choices)
    heard: list[int] = []

    def look() -> None:
        if heard:
            raise FilmCancelledError(f"{out}: the film was given up")

    source = WalkSource(log, after_slice=look) if ants else FilmSource(log)
    qt_application()
    stage = FilmStage(choices, source.instance, kept_of_view(settings_in(), ClassesView.key))
    apply(DARK if choices.dark else LIGHT, stage)

    def picture(number: int) -> Picture:
        scene = source.scene(number, choices, stage.keys)
        painted = stage.paint(
            scene.instance, scene.snapshot, scene.caption, scene.pictures, scene.walk
        )
        return finished(painted)

    def progress(share: float) -> None:
        show_progress(f"{100 * share:.0f} % of {counted(choices.frames, 'frame')}")

    try:
        with termination_signals(heard.append):
            write_film(choices, picture, progress, lambda: bool(heard))
    except FilmCancelledError as error:
        show_progress("")
        say(str(error))
        return 128 + heard[0]
    finally:
        show_progress("")
        source.close()
        stage.deleteLater()
    click.echo(f"{out}: {counted(choices.frames, 'frame')}, {choices.seconds:g} s")
    return 0
