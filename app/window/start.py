"""Measures how long the window takes from the start of its process until the gallery is there."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gpu.core.errors import FormicariumError

if TYPE_CHECKING:
    from app.window.gallery_first import GalleryFirst

PATIENCE = 120.0  # seconds after which a window that does not come is given up
LOOK = 5  # milliseconds between two looks at the gallery


@dataclass(frozen=True, slots=True)
class Moment:
    """When something is there: in seconds since the process was started."""

    seconds: float
    work: float  # seconds that the process has worked until then, in all of its threads


@dataclass(frozen=True, slots=True)
class GalleryStart:
    """When the gallery is there in a window that opens."""

    tiles: Moment  # every instance is painted, with its name
    pictures: Moment  # and all that have a picture show it
    answers: Moment  # and the window does what the user wants


class StartError(FormicariumError):
    """The window could not be opened; the message says why."""


def measure_gallery() -> GalleryStart:
    """Open the window in a process of its own, with no settings, and close it again.

    It opens where windows do; without a display, where nobody sees it. Raises StartError.
    """
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "app.window.start", folder, repr(time.time())]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired as error:
            raise StartError(f"the window did not open within {PATIENCE:.0f} s") from error
    try:
        found = json.loads(done.stdout.splitlines()[-1])
    except (ValueError, IndexError):
        raise StartError(f"the window did not open: {done.stderr.strip()[-500:]}") from None
    return GalleryStart(*(Moment(**found[name]) for name in ("tiles", "pictures", "answers")))


def _open(folder: Path, began: float) -> None:
    """Open the window, and print when its gallery was there."""
    from app.window.launch import open_window

    def watch(first: GalleryFirst) -> None:
        from PySide6.QtCore import QTimer

        moments = {"tiles": _now(began)}
        window = first.parts.window
        looking = QTimer(window, interval=LOOK)

        def look() -> None:
            there = {"pictures": first.gallery.idle, "answers": window.has_views}
            for name in [name for name, is_there in there.items() if is_there]:
                if name not in moments:
                    window.repaint()  # paints what was told before this
                    moments[name] = _now(began)
            if len(moments) > len(there):
                looking.stop()
                print(json.dumps(asdict(GalleryStart(**moments))), flush=True)
                window.close()

        looking.timeout.connect(look)
        looking.start()

    open_window(None, opened=watch, settings_file=folder / "window.json")


def _now(began: float) -> Moment:
    return Moment(time.time() - began, time.process_time())


if __name__ == "__main__":
    _open(Path(sys.argv[1]), float(sys.argv[2]))
