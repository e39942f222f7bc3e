"""The past of a run in the window: recorded, moved through and shown again from its log."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.window.application import Application
from tests.app.in_window import limit, log_of, open_, state, use_colony, use_device
from tests.colonies import RandomColony
from tests.hands import choose, click, press, press_stop, ticking
from views.plots.convergence_view import ConvergenceView
from views.tour.tour_view import TourView

SHIFT = Qt.KeyboardModifier.ShiftModifier


def check_gif(path: Path) -> None:
    """The film has its size, and all its frames."""
    with Image.open(path) as film:
        assert film.format == "GIF"
        assert film.size == (240, 160)
        assert film.n_frames == 10  # type: ignore[attr-defined]


def check_mp4(path: Path) -> None:
    """The same, and each frame is a picture of the run, read back from the file."""
    program = imageio_ffmpeg.get_ffmpeg_exe()
    raw = ("-f", "rawvideo", "-pix_fmt", "rgb24", "-")
    read = subprocess.run([program, "-i", path, *raw], capture_output=True, check=True)
    assert re.search(rb"Video: h264.* 240x160.* 5 fps", read.stderr)
    pictures = np.frombuffer(read.stdout, np.uint8).reshape(-1, 160, 240, 3)
    assert len(pictures) == 10
    assert all(np.ptp(picture) > 100 for picture in pictures)  # light lines on a dark ground
    assert not np.array_equal(pictures[0], pictures[-1])


def test_the_past_of_a_run_that_goes_on_and_of_its_log(
    qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window, replay = opened.window, opened.replay
    bar, tours = window.dashboard.replay, window.view(TourView)
    use_device(opened, "cpu:1")
    open_(qtbot, opened)
    use_colony(opened, monkeypatch, RandomColony)
    assert bar.isHidden()
    assert not window.actions_["past-back"].isEnabled()
    limit(opened)  # it goes on until it is stopped
    press(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: len(bar.moments.improvements) > 2)
    first = bar.moments.improvements[0]

    def shows(length: int) -> bool:
        window.dashboard.queue.finish()
        shown = tours.layers["best"].shown
        return isinstance(shown, np.ndarray) and tours._instance.tour_length(shown) == length

    press(bar.slider, Qt.Key.Key_Home)
    begin = replay.past.at(first).state
    qtbot.waitUntil(lambda: shows(begin.cost))
    assert tours.moment == bar.moment.text()
    assert len(window.view(ConvergenceView).curves["moment"].points) == 2
    assert not bar.live.isChecked()
    press(window, Qt.Key.Key_Period)
    second = replay.past.at(bar.moments.improvements[1]).state
    qtbot.waitUntil(lambda: shows(second.cost))
    press(window, Qt.Key.Key_Comma)
    qtbot.waitUntil(lambda: shows(begin.cost))
    before = state(opened).iteration
    qtbot.waitUntil(lambda: state(opened).iteration > before)  # the run goes on
    assert shows(begin.cost)
    press(window, Qt.Key.Key_L, SHIFT)
    qtbot.waitUntil(lambda: shows(state(opened).cost))
    assert bar.live.isChecked()
    with qtbot.waitSignal(opened.runs.ended):
        press_stop(window)

    log, end = log_of(opened), state(opened)
    open_(qtbot, opened, log)
    qtbot.waitUntil(lambda: not bar.isHidden())
    qtbot.waitUntil(lambda: shows(end.cost))
    click(bar.play)
    assert replay.seconds == first
    qtbot.waitUntil(lambda: (replay.seconds or 0.0) > first)
    press(window, Qt.Key.Key_P, SHIFT)
    rest = replay.seconds
    assert not ticking(replay)
    click(bar.back)
    assert replay.seconds is not None
    assert rest is not None
    assert replay.seconds <= rest
    click(bar.live)
    qtbot.waitUntil(lambda: shows(end.cost))

    press(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier | SHIFT)
    dialog = opened.films.dialog
    choose(dialog.right, "Convergence")
    for field, value in ((dialog.width_, 240), (dialog.height_, 160), (dialog.a_second, 5)):
        field.setValue(value)
    dialog.seconds.setValue(2)
    for form, check in (("GIF film", check_gif), ("MP4 film", check_mp4)):
        choose(dialog.form, form)
        click(dialog.make)
        (files,) = (one for one in dialog.findChildren(QFileDialog) if one.isVisible())
        stem = opened.exports.stem_of("tour")
        assert stem.startswith("ring-50-")  # with colony and seed
        assert Path(files.selectedFiles()[0]).name == f"{stem}-film.{files.defaultSuffix()}"
        path = tmp_path / f"run.{files.defaultSuffix()}"
        files.fileSelected.emit(str(path))
        files.reject()
        qtbot.waitUntil(lambda: opened.films.task is None)
        assert dialog.problem.text() == f"{path.name} is written"
        check(path)

    dialog.seconds.setValue(100)
    opened.films.make(tmp_path / "long.gif", log, replay.past.instance)
    click(dialog.close_)
    assert dialog.problem.text() == "The film was given up"
    qtbot.waitUntil(lambda: opened.background.idle)
    assert not list(tmp_path.glob("*long*"))
    click(dialog.close_)
    assert opened.films.dialog is None
