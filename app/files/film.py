"""Makes films of recorded runs: the scenes of their frames, and MP4, GIF and PNG files."""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from app.files.library import find_again
from app.files.writing import write_whole
from gpu.core.colony import never
from gpu.core.errors import FormicariumError
from gpu.core.files import exists, is_full
from gpu.core.formats import duration, whole
from gpu.core.history import Progress, between
from gpu.core.instance import Instance
from gpu.core.machine.installing import extra_command
from gpu.core.snapshot import RunState
from gpu.run.frames.frames import FRAMES_SUFFIX, FramesError
from gpu.run.frames.past import Past
from gpu.run.log.recorded import recorded_of
from gpu.run.log.run_log import RunLog, read_log
from views.film import FilmChoices, FilmError, WalkFrame, mp4_can_be_made

if TYPE_CHECKING:
    from gpu.drawing.draw import GraphArtist


Picture = NDArray[np.uint8]  # (height, width, 3): red, green, blue
_LARGEST_GIF = 600_000_000  # pixels of all frames, which are in memory at once
_GIF_COLOURS = 256  # of a frame of a GIF

# Else imageio-ffmpeg starts its program by a fork, which first waits for the threads of NumPy's
# BLAS library, and may do so for ever while another thread multiplies matrices. Ctrl-C then reaches
# that program, too.
os.environ["IMAGEIO_FFMPEG_NO_PREVENT_SIGINT"] = "1"


class FilmCancelledError(FilmError):
    """The user does not want the film any more; nothing of it is left."""


def check_film(choices: FilmChoices) -> None:
    """Raise FilmError if such a film cannot be written here."""
    if choices.form == ".mp4" and not mp4_can_be_made():
        raise FilmError(
            "an MP4 needs imageio-ffmpeg, which is not installed: "
            f"{extra_command('film')}, or name a .gif"
        )
    if not choices.form and exists(choices.out):
        raise FilmError(f"{choices.out}: it is there already; name a new folder for the pictures")
    if choices.form == ".gif" and choices.frames * choices.width * choices.height > _LARGEST_GIF:
        raise FilmError("a GIF of this size would be enormous: make it smaller, or name an .mp4")


def write_film(
    choices: FilmChoices,
    picture: Callable[[int], Picture],
    progress: Callable[[float], object] = lambda _: None,
    cancelled: Callable[[], bool] = never,
) -> None:
    """Write the film whose frames are ``picture(0)``, ``picture(1)``, ...

    The file, or the folder, is there when it is complete, or not at all. ``progress`` gets the
    share that is done. Raises FilmCancelledError once ``cancelled`` says so, ExportError if the
    film cannot be written.
    """
    check_film(choices)

    given_up = FilmCancelledError(f"{choices.out}: the film was given up")

    def frames() -> Iterator[Picture]:
        for number in range(choices.frames):
            if cancelled():
                raise given_up
            yield picture(number)
            progress((number + 1) / choices.frames)

    if not choices.form:
        write_whole(choices.out, lambda part: _write_folder(part, choices.out.name, frames()))
    elif choices.form == ".gif":
        write_whole(choices.out, lambda part: _write_gif(part, choices, frames()))
    else:
        try:
            write_whole(choices.out, lambda part: _write_mp4(part, choices, frames()))
        except FormicariumError as error:
            if error is not given_up and cancelled():  # its program was ended, too
                raise given_up from error
            raise


def _write_folder(part: Path, name: str, frames: Iterator[Picture]) -> None:
    """Write the pictures, whose names begin with ``name``, to a new folder."""
    from PIL import Image

    part.mkdir()
    for number, frame in enumerate(frames, 1):
        Image.fromarray(frame).save(part / f"{name}-{number:05}.png")


def _write_gif(part: Path, choices: FilmChoices, frames: Iterator[Picture]) -> None:
    from PIL import Image

    images = (
        Image.fromarray(frame).quantize(_GIF_COLOURS, dither=Image.Dither.NONE) for frame in frames
    )
    milliseconds = 10 * max(2, round(100 / choices.a_second))  # it counts hundredths of a second
    with part.open("wb") as file:
        first = next(images)
        first.save(file, "GIF", save_all=True, append_images=images, duration=milliseconds, loop=0)


def _write_mp4(part: Path, choices: FilmChoices, frames: Iterator[Picture]) -> None:
    part.touch()  # else nobody would learn why the other program cannot write it
    try:
        film = _begun_mp4(part, choices)
        try:
            for frame in frames:
                film.send(np.ascontiguousarray(frame))
        finally:
            film.close()  # ends the other process
    except OSError as error:  # it ended before its time
        raise _failure(part, choices.out) from error
    if not exists(part) or not _is_whole(part):  # its exit status is not known
        raise _failure(part, choices.out)


def _begun_mp4(part: Path, choices: FilmChoices) -> Generator[None, Picture, None]:
    """Start the program that makes an MP4; it can be sent the frames. FilmError if it is no use."""
    import imageio_ffmpeg

    film: Generator[None, Picture, None] = imageio_ffmpeg.write_frames(
        str(part),
        (choices.width, choices.height),
        fps=choices.a_second,
        quality=8,
        macro_block_size=2,
        ffmpeg_log_level="quiet",  # what it has failed in, it says in no words for users
        output_params=["-f", "mp4", "-movflags", "+faststart"],
    )
    try:
        next(film)
    except RuntimeError as error:  # there is no program for this machine
        why = str(error)
    except (LookupError, ValueError):  # of the list of encoders, which is not as FFmpeg prints it
        why = "the program that makes films does not say what it can encode: is it FFmpeg?"
    else:
        return film
    raise FilmError(f"the MP4 cannot be made ({why}); name a .gif instead")


def _failure(part: Path, out: Path) -> Exception:
    """Return what is so where the program that writes ``part`` has failed."""
    if not part.parent.is_dir():
        return OSError(errno.ENOENT, "its folder is gone")
    if is_full(part.parent):
        return OSError(errno.ENOSPC, "the disk is full")
    return FilmError(f"{out}: the program that makes the film has failed; name a .gif instead")


def _is_whole(film: Path) -> bool:
    """Whether the boxes of an MP4 file fill it, and the one that says where all is is there."""
    kinds: set[bytes] = set()
    at, size = 0, film.stat().st_size
    with film.open("rb") as file:
        while at < size:
            file.seek(at)
            length, kind, long = struct.unpack(">I4sQ", file.read(16).ljust(16, b"\0"))
            length = long if length == 1 else length
            if length < 8:
                return False
            kinds.add(kind)
            at += length
    return b"moov" in kinds and at == size


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What one frame shows."""

    instance: Instance  # what was solved then; another object once cities have changed
    snapshot: RunState  # with what has happened since the scene before as its progress
    caption: str
    pictures: Mapping[str, Any] = field(default_factory=dict)  # of a graph, by the key of its view
    walk: WalkFrame | None = None  # the ants that are at work, where they are to be seen


class FilmSource:
    """A recorded run as scenes, which come in their order. Any thread may call it.

    Its log may be that of a run which goes on: the film ends with what was recorded until now.
    """

    def __init__(self, log_path: Path, instance: Instance | None = None) -> None:
        self.log: RunLog = read_log(log_path)
        self.instance = instance or find_again(self.log.session.instance, beside=log_path)
        recorded = recorded_of(self.log, self.instance)
        self._progress = Progress() if recorded.state is None else recorded.state.progress
        self._past = Past(log_path.with_suffix(FRAMES_SUFFIX), self.instance)
        self._moments = self._past.refresh()
        if not self._moments.improvements:
            raise FramesError(f"{self._past.path}: nothing of the run's past is recorded yet")
        self._begin, self._end = self._moments.improvements[0], self._moments.length
        self._until = -1.0  # seconds of the last scene
        self._artist: GraphArtist | None = None
        self._drawn: tuple[NDArray[np.int32], dict[str, Any]] | None = None

    def scene(self, number: int, choices: FilmChoices, keys: Sequence[str]) -> Scene:
        """Return what the frame ``number`` shows, for the views of these keys."""
        share = number / (choices.frames - 1)
        seconds = self._begin + share * (self._end - self._begin)
        instance, state = self._past.at(seconds)
        new = between(self._progress, self._until, seconds)
        self._until = seconds
        caption = self._caption(instance, state, state.iteration)
        return Scene(instance, replace(state, progress=new), caption, self._draw(state, keys))

    def close(self) -> None:
        """Free what scenes were made with."""

    def _caption(self, instance: Instance, state: RunState, iteration: int) -> str:
        session = self.log.session
        best = instance.cost_unit.amount(state.cost)
        known = instance.optimum
        above = f" ({instance.problem.words.gap(state.cost, known)})" if known else ""
        parts = [
            instance.name,
            f"{session.title} on {session.device}",
            duration(state.elapsed),
            f"iteration {whole(iteration)}",
            f"best {best}{above}",
        ]
        return "  ·  ".join(parts)

    def _draw(self, state: RunState, keys: Sequence[str]) -> dict[str, Any]:
        """Draw a graph for the views that cannot do that themselves, unless it is as before."""
        coloring = state.best_solution
        graph: Any = self.instance  # views of these keys are of graphs alone
        wanted = {"graph", "matrix"} & set(keys)
        if not wanted or coloring is None:
            return {}
        if self._drawn is None or not np.array_equal(self._drawn[0], coloring):
            from gpu.drawing.draw import GraphArtist  # imports SciPy and Numba

            artist = self._artist = self._artist or GraphArtist(graph)
            pictures: dict[str, Any] = {}
            if "graph" in wanted:
                artist.settle(None)
                pictures["graph"] = artist.draw(None, coloring)
            if "matrix" in wanted:
                pictures["matrix"] = artist.adjacency(coloring)
            self._drawn = coloring, pictures
        return self._drawn[1]
