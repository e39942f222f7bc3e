"""A real screen for tests: an X server, a window manager, the keys of a user, and the pixels."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.window.qt_libraries import MissingLibraryError, check_qt
from tests.processes import command, environment
from tests.waiting import until

TOOLS = "Xvfb", "openbox", "xdotool"
_HEADER = 25  # numbers at the beginning of an XWD file
_LENGTH, _WIDTH, _HEIGHT, _LINE, _COLORS = 0, 4, 5, 12, 19  # which of them say what
_COLOR = 12  # bytes of each color that follows them


def missing() -> str:
    """Why there can be no screen; empty where there can."""
    if lacking := [tool for tool in TOOLS if shutil.which(tool) is None]:
        return f"needs {', '.join(lacking)}: as root, make system"
    try:
        check_qt(("xcb",))
    except MissingLibraryError as error:
        return str(error)
    return ""


class Screen:
    """What is on the screen, and who uses it. Where no window is, it is white."""

    def __init__(self, display: str, file: Path) -> None:
        self.environment = {**environment(), "DISPLAY": display}
        self._file = file

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """Red, green and blue of each pixel, (height, width, 3)."""
        data = self._file.read_bytes()
        header = np.frombuffer(data, ">u4", _HEADER)
        begin = int(header[_LENGTH] + _COLOR * header[_COLORS])
        height, line = int(header[_HEIGHT]), int(header[_LINE])
        rows = np.frombuffer(data, np.uint8, height * line, begin).reshape(height, line // 4, 4)
        return rows[:, : int(header[_WIDTH]), 2::-1]

    def share(self, color: str) -> float:
        """Return on which share of the screen there is ``color``, such as #ffffff."""
        parts = np.frombuffer(bytes.fromhex(color.removeprefix("#")), np.uint8)
        return float((self.pixels == parts).all(axis=2).mean())

    @property
    def covers_edges(self) -> bool:
        """Whether a window is at any edge of the screen."""
        now = self.pixels
        edges = np.concatenate([now[0], now[-1], now[:, 0], now[:, -1]])
        return bool((edges < 255).any())

    def do(self, *words: str) -> bool:
        """Let xdotool do something, or look for it; return whether it could."""
        done = subprocess.run(
            ["xdotool", *words], env=self.environment, capture_output=True, check=False
        )
        return done.returncode == 0

    @contextmanager
    def program(self, *arguments: object, scale: int = 1) -> Iterator[None]:
        """Run the program, until its window is there and as long as it is used."""
        with _running(
            command(*arguments), {**self.environment, "QT_SCALE_FACTOR": str(scale)}
        ) as process:
            search = "search", "--onlyvisible", "--name", "Formicarium"
            until(lambda: process.poll() is not None or self.do(*search))
            assert process.poll() is None
            yield


@contextmanager
def screen_of(width: int, height: int, folder: Path) -> Iterator[Screen]:
    """A screen of this many pixels, whose own files are in ``folder``."""
    receiving, sending = os.pipe()
    server = [
        *("Xvfb", "-displayfd", str(sending), "-screen", "0", f"{width}x{height}x24"),
        *("-fbdir", str(folder), "-wr", "-noreset", "-nolisten", "tcp"),
    ]
    with ExitStack() as stack:
        stack.enter_context(_running(server, None, pass_fds=(sending,)))
        os.close(sending)
        with os.fdopen(receiving) as told:
            screen = Screen(f":{told.readline().strip()}", folder / "Xvfb_screen0")
        stack.enter_context(_running(["openbox", "--sm-disable"], screen.environment))
        until(lambda: screen.do("get_num_desktops"))  # openbox is ready
        yield screen


@contextmanager
def _running(
    words: list[str], env: dict[str, str] | None, pass_fds: tuple[int, ...] = ()
) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(words, env=env, pass_fds=pass_fds, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()
