"""The command that plays a demonstration in the window: present."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from gpu.core.errors import FormicariumError


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
def present(file: Path | None) -> int:
    """Play the script FILE (.toml) in the window, as a presentation; by default an example.

    Page Down, or a click on the text, goes on; Page Up goes back; B is a black screen; Esc leaves.
    """
    from app.files.scripts import example, load_script

    path = file or example()
    load_script(path)  # what is wrong with it is said before a window opens
    need_display("a presentation needs one")

    from app.window.launch import open_window

    return open_window(None, script=path)


def need_display(advice: str) -> None:
    """Raise an error that ends with ``advice`` where no window can be opened."""
    places = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform == "linux" and not any(os.environ.get(place) for place in places):
        # Qt would abort the process
        raise FormicariumError(f"there is no display to open a window on: {advice}")
