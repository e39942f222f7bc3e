from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.cli.main import main
from app.notifications import Notifications
from app.window.application import Application
from gpu.aims import Aim
from gpu.run.log.names import free_path, stem
from tests.app.in_window import await_background, limit, use_aim, use_device
from tests.app.on_the_board import CONTROL, SHIFT
from tests.hands import press
from tests.processes import environment
from tests.views.graph_scenes import compile_pictures
from views.draw.board import Board

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command as ``processes.run`` does, but in this process: for what ends at once."""
    for name in set(os.environ) - set(environment()):
        monkeypatch.delenv(name)

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        texts = [*map(str, arguments)]
        monkeypatch.setattr(sys, "argv", ["formicarium", *texts])
        with pytest.raises(SystemExit) as left:
            main()
        stdout, stderr = capsys.readouterr()
        return subprocess.CompletedProcess(texts, int(left.value.code or 0), stdout, stderr)

    return run


@pytest.fixture(scope="session", autouse=True)
def compiled_pictures() -> None:
    """What draws large graphs is compiled."""
    compile_pictures()


@pytest.fixture(scope="session", autouse=True)
def patience() -> Iterator[None]:
    """Threads have time to end on a busy machine, too; tests look at what they end with."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.window.application.RUNS_PATIENCE", 60.0)
        patch.setattr("app.window.models.run_list.BATCH_PATIENCE", 60.0)
        yield


@contextmanager
def window_in(folder: Path, qtbot: QtBot) -> Iterator[Application]:
    """The window as it opens, but for the papers' colonies, which go on at the best known cost.

    Nothing is loaded, the devices are known, its settings and logs are in ``folder``.
    """
    made = Application(
        Notifications(),
        folder / "window.json",
        lambda session: free_path(folder, stem(session), ".jsonl"),
    )
    made.window.resize(1280, 800)
    made.window.show()
    qtbot.waitUntil(lambda: made.window.setup.colony.device is not None)
    use_aim(made, Aim.PAPER)
    limit(made, seconds=60.0)
    yield made
    try:
        await_background(qtbot, made)
    finally:
        ended = made.close()
        made.window.deleteLater()
        made.deleteLater()
    assert ended


@pytest.fixture
def opened(qtbot: QtBot, tmp_path: Path) -> Iterator[Application]:
    """A window of the test's own, as it opens."""
    with window_in(tmp_path, qtbot) as made:
        yield made


@pytest.fixture
def application(opened: Application) -> Application:
    """A window of the test's own with one core chosen."""
    use_device(opened, "cpu:1")
    return opened


@pytest.fixture(scope="module")
def shared(
    qapp: QApplication, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Application]:
    """One window for all tests of a file: each of them begins with what it looks at."""
    with window_in(tmp_path_factory.mktemp("window"), QtBot(request)) as made:
        yield made


@pytest.fixture
def board(qtbot: QtBot, opened: Application) -> Board:
    """The drawing board over a window."""
    press(opened.window, Qt.Key.Key_D, CONTROL | SHIFT)
    made = opened.drawing.board
    qtbot.waitUntil(made.isActiveWindow)
    return made
