from __future__ import annotations

import itertools
import shutil
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

from app.files.film import FilmCancelledError, Picture, check_film, write_film
from app.files.writing import ExportError
from gpu.core.history import between
from tests.colonies import progress_of
from views.film import FilmChoices, FilmError

pytestmark = pytest.mark.usefixtures("windows_files")


def picture(number: int) -> Picture:
    """A frame of 240 × 160 pixels whose colour tells its number."""
    return np.full((160, 240, 3), (20 * number, 100, 0), np.uint8)


def picture_after(act: Callable[[], object]) -> Callable[[int], Picture]:
    """The same, but before the third one something happens."""

    def made(number: int) -> Picture:
        if number == 3:
            act()
        return picture(number)

    return made


def choices(out: Path, **others: float) -> FilmChoices:
    return FilmChoices(out, (), 240, 160, **{"seconds": 0.5, "a_second": 10, **others})  # type: ignore[arg-type]


def test_a_folder_has_every_frame_and_a_gif_too(tmp_path: Path) -> None:
    shares: list[float] = []
    write_film(choices(tmp_path / "pictures"), picture, shares.append)
    files = sorted((tmp_path / "pictures").iterdir())
    assert [file.name for file in files] == [f"pictures-{k:05}.png" for k in range(1, 6)]
    with Image.open(files[4]) as last:
        assert last.size == (240, 160)
        assert last.getpixel((7, 9)) == (80, 100, 0)
    assert shares[-1] == 1.0
    write_film(choices(tmp_path / "film.gif"), picture)
    with Image.open(tmp_path / "film.gif") as film:
        assert film.n_frames == 5  # type: ignore[attr-defined]
        assert film.info["duration"] == 100
        film.seek(4)
        colour = np.asarray(film.convert("RGB"))[9, 7].astype(int)
        assert np.abs(colour - [80, 100, 0]).max() < 8


def test_an_mp4_has_every_frame(tmp_path: Path) -> None:
    write_film(choices(tmp_path / "film.mp4"), picture)
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(tmp_path / "film.mp4"))
    assert frames == 5
    assert seconds == pytest.approx(0.5, abs=0.11)


def test_an_mp4_that_is_not_whole_is_no_film(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The program that makes it fails, and does not say so."""
    resource: Any = pytest.importorskip("resource", reason="needs a limit on the size of files")
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, usual[1]))
    try:
        with pytest.raises(FilmError, match=r"film\.mp4: the program .* has failed; name a \.gif"):
            write_film(choices(tmp_path / "film.mp4"), picture)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr().err == ""


def test_why_an_mp4_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ExportError, match=r"^/proc/film\.mp4: cannot be written \(No such file"):
        write_film(choices(Path("/proc/film.mp4")), picture)  # which nobody can write to
    folder = tmp_path / "films"

    with pytest.raises(ExportError, match=r"film\.mp4: cannot be written \(its folder is gone\)"):
        write_film(choices(folder / "film.mp4"), picture_after(lambda: shutil.rmtree(folder)))

    def fill_the_disk() -> None:
        usage = shutil.disk_usage(tmp_path)._replace(free=4096)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
        next(tmp_path.glob(".*.part")).unlink()

    with pytest.raises(ExportError, match=r"film\.mp4: cannot be written \(the disk is full\)"):
        write_film(choices(tmp_path / "film.mp4"), picture_after(fill_the_disk))


@pytest.mark.parametrize(
    "said",
    ["", "------\nV", "------\n V..... strange H.264", "\\xff", "------\n V..... libx264 H.264"],
)
def test_a_program_in_the_place_of_ffmpeg(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    program = tmp_path / "ffmpeg"
    program.write_text(f"#!/bin/sh\nprintf '{said}'\ncase $* in *-encoders) ;; *) exit 3;; esac\n")
    program.chmod(0o755)
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(program))
    name = "imageio_ffmpeg._io.get_first_available_h264_encoder"
    monkeypatch.setattr(name, imageio_ffmpeg._io.get_first_available_h264_encoder.__wrapped__)
    with pytest.raises(FilmError, match=r"the MP4 cannot be made \(.*\); name a \.gif instead"):
        write_film(choices(tmp_path / "film.mp4"), picture)
    assert list(tmp_path.iterdir()) == [program]


@pytest.mark.parametrize("name", ["film.gif", "film.mp4", "pictures"])
def test_a_film_that_is_given_up_leaves_nothing(tmp_path: Path, name: str) -> None:
    made: list[int] = []

    def slow(number: int) -> Picture:
        made.append(number)
        return picture(number)

    with pytest.raises(FilmCancelledError):
        write_film(choices(tmp_path / name), slow, cancelled=lambda: len(made) > 2)
    assert list(tmp_path.iterdir()) == []


def test_the_program_that_makes_an_mp4_is_started_without_a_fork_and_may_end_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fork waits for the threads of a BLAS library. A signal may reach the program as well."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        assert options.get("preexec_fn") is None
        started.append(usual(*arguments, **options))
        return started[-1]

    usual = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", start)
    ended: list[int] = []

    def end() -> None:
        started[-1].kill()
        ended.append(started[-1].wait())

    interrupted = picture_after(end)
    with pytest.raises(FilmCancelledError):
        write_film(choices(tmp_path / "film.mp4"), interrupted, cancelled=lambda: bool(ended))
    with pytest.raises(FilmError, match="the program that makes the film has failed"):
        write_film(choices(tmp_path / "film.mp4"), interrupted)
    for process in started:  # what was not taken from it is still to be written
        with suppress(BrokenPipeError):
            process.stdin.close()
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_made_is_said_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {"seconds": 0.0, "a_second": 100, "width": 100, "views": ("a", "b", "c")}
    for name, value in wrong.items():
        with pytest.raises(FilmError):
            FilmChoices(tmp_path / "x.gif", **{name: value})  # type: ignore[arg-type]
    with pytest.raises(FilmError, match=r"an \.mp4 or a \.gif"):
        FilmChoices(tmp_path / "x.avi")
    with pytest.raises(FilmError, match="even numbers"):
        FilmChoices(tmp_path / "x.mp4", width=801)
    with pytest.raises(FilmError, match="there already"):
        check_film(FilmChoices(tmp_path))
    with pytest.raises(FilmError, match="make it smaller"):
        check_film(FilmChoices(tmp_path / "x.gif", width=1280, height=720, seconds=60))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(FilmError, match=r"pip install 'formicarium\[film\]'"):
        check_film(FilmChoices(tmp_path / "x.mp4"))
    (tmp_path / "file").touch()
    with pytest.raises(ExportError, match="cannot be written"):
        write_film(choices(tmp_path / "file" / "film.gif"), picture)


def test_each_scene_has_what_happened_since_the_one_before() -> None:
    whole = progress_of(8, 4.0, 10, 12.0, [(2, 30), (8, 10)])
    cuts = [-1.0, 0.7, 1.0, 3.9, 4.0]
    parts = [between(whole, *pair) for pair in itertools.pairwise(cuts)]
    assert sum(part.iterations for part in parts) == whole.iterations
    assert [one for part in parts for one in part.improvements] == list(whole.improvements)
