"""What is chosen for a film."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

from gpu.core.errors import FormicariumError

FORMS = {".mp4": "MP4 film", ".gif": "GIF film", "": "folder of PNG pictures"}
LEAST, MOST = 160, 7680  # pixels along a side
LONGEST = 600.0  # seconds
MOST_A_SECOND = 60  # frames
MOST_FRAMES = 20_000


class FilmError(FormicariumError):
    """A film that cannot be made."""


def mp4_can_be_made() -> bool:
    """Whether what encodes an MP4 is installed: the extra ``film``."""
    return importlib.util.find_spec("imageio_ffmpeg") is not None


@dataclass(frozen=True, slots=True)
class FilmChoices:
    """A film; FilmError says what is wrong with it."""

    out: Path  # a file, or the folder for pictures if its name has no ending
    views: tuple[str, ...] = ()  # keys of one or two views; none for the map
    width: int = 1280  # pixels
    height: int = 720
    seconds: float = 10.0
    a_second: int = 25  # frames
    dark: bool = True
    caption: bool = True

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise FilmError(
                f"{self.out}: a film is an .mp4 or a .gif; a name without an ending is a folder "
                "for PNG pictures"
            )
        for name, side in (("width", self.width), ("height", self.height)):
            if not LEAST <= side <= MOST:
                raise FilmError(f"the {name} of a film must be {LEAST} to {MOST} pixels")
        if self.form == ".mp4" and (self.width % 2 or self.height % 2):
            raise FilmError("width and height of an MP4 must be even numbers")
        if not 0 < self.seconds <= LONGEST:
            raise FilmError(f"a film lasts more than 0 and at most {LONGEST:g} seconds")
        if not 1 <= self.a_second <= MOST_A_SECOND:
            raise FilmError(f"a film has 1 to {MOST_A_SECOND} frames a second")
        if self.frames > MOST_FRAMES:
            raise FilmError(f"a film has at most {MOST_FRAMES} frames: make it shorter")
        if len(self.views) > 2 or len(set(self.views)) < len(self.views):
            raise FilmError("a film shows one view, or two different ones")

    @property
    def form(self) -> str:
        """The ending of the file's name, which decides the form."""
        return self.out.suffix.lower()

    @property
    def frames(self) -> int:
        """How many pictures it has."""
        return max(2, round(self.seconds * self.a_second))
