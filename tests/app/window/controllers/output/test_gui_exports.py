"""What is taken away from the window: files, the command line, pictures on the clipboard."""

from __future__ import annotations

import csv
import json
import shlex
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from datetime import datetime, tzinfo
from functools import partial
from pathlib import Path
from typing import Self

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.window.application import Application
from gpu.core.stop_limits import STOP_LIMITS
from gpu.problems.tsp.tsplib.tsplib_files import load
from gpu.run.log.run_log import read_log
from gpu.run.session import new_session
from gpu.run.stopping import StopSettings
from tests.app.in_window import RING, export, open_, use_device, written
from tests.hands import click, press, settle, ticking, write
from tests.processes import run
from tests.views.batch.test_measured_views import report
from views.batch.speedup_view import SpeedupView
from views.frame.main_window import MainWindow


@pytest.fixture(scope="module")
def ended(shared: Application, request: pytest.FixtureRequest) -> Application:
    """A window after a run of a selective memory."""
    qtbot = QtBot(request)
    open_(qtbot, shared)
    use_device(shared, "cpu:1")
    shared.window.setup.colony.choose_alias("acs-spm")
    shared.window.setup.stop.set_values({"iterations": 20, "go_on": True})
    with qtbot.waitSignal(shared.runs.ended, timeout=250_000):  # it may compile
        shared.run_controller.start()
    return shared


@pytest.fixture
def done(qtbot: QtBot, ended: Application) -> Iterator[Application]:
    """The same; it says nothing of an earlier test's."""
    ended.window.banner.clear()
    yield ended
    ended.window.view(SpeedupView).show_reports([])
    qtbot.waitUntil(lambda: ended.background.idle)


def test_the_tour(qtbot: QtBot, done: Application, tmp_path: Path) -> None:
    path = export(qtbot, done, "tour", tmp_path / "best.tour")
    instance = load(RING)
    tour = instance.load_solution(path)
    assert tour.tolist() == done.runs.current.snapshot.best_solution.tolist()
    assert instance.tour_length(tour) == done.runs.current.snapshot.best_cost


@pytest.mark.parametrize("system", ["linux", "win32", "darwin"])
def test_a_written_file_is_shown_in_its_folder(
    qtbot: QtBot, done: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    started: list[str] = []

    def start(program: str, arguments: list[str]) -> tuple[bool, int]:
        started.extend([program, *arguments])
        return True, 1

    def open_folder(url: QUrl) -> bool:
        started.append(url.toLocalFile())
        return bool(tmp_path.is_dir())

    monkeypatch.setattr("PySide6.QtCore.QProcess.startDetached", start)
    monkeypatch.setattr("PySide6.QtGui.QDesktopServices.openUrl", open_folder)
    path = export(qtbot, done, "tour", tmp_path / "best.tour")
    banner, offer = done.window.banner, done.window.banner.offers[0]
    assert offer.text() == "Show in folder"
    assert not ticking(banner)  # it stays until it is pressed or another one comes
    monkeypatch.setattr("sys.platform", system)
    click(offer)
    assert (
        started
        == {
            "linux": [str(tmp_path)],
            "win32": ["explorer.exe", "/select,", str(path)],
            "darwin": ["open", "-R", str(path)],
        }[system]
    )
    assert banner.text == ""


def test_the_run_as_json_lines_and_csv(qtbot: QtBot, done: Application, tmp_path: Path) -> None:
    log = read_log(export(qtbot, done, "log", tmp_path / "run-copy.jsonl"))
    with export(qtbot, done, "csv", tmp_path / "run.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows[-1]["kind"] == "outcome"
    assert int(rows[-1]["best"]) == log.outcome["best"]


def test_the_session(qtbot: QtBot, done: Application, tmp_path: Path) -> None:
    read = read_log(export(qtbot, done, "session", tmp_path / "session.json"))
    assert read.session == done.runs.current.session
    log = read_log(done.runs.current.recorder.path)
    assert read.header["started"] == log.header["started"]


def test_a_session_says_when_its_run_began(
    qtbot: QtBot, done: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = read_log(done.runs.current.recorder.path).header["started"]

    class Later(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls(2099, 1, 1, tzinfo=tz)

    monkeypatch.setattr("gpu.run.log.recorder.datetime", Later)
    read = read_log(export(qtbot, done, "session", tmp_path / "session.json"))
    assert read.header["started"] == began


def test_names_of_files_tell_what_is_in_them(
    qtbot: QtBot, done: Application, tmp_path: Path
) -> None:
    window = done.window
    run = done.runs.current
    window.view(SpeedupView).show_reports([report(500)])
    asked = []
    for action in window.actions_.exports.values():
        if not action.isVisible():
            continue
        action.setEnabled(True)
        action.trigger()
        dialog = window.findChildren(QFileDialog)[-1]
        asked.append(Path(dialog.selectedFiles()[0]).name)
        dialog.reject()
    assert len(set(asked)) == len(asked)
    own = f"ring-50-{run.session.colony}-{run.session.seed}"
    others = {name for name in asked if not name.startswith(own)}
    assert f"{own}.tour" in asked
    assert {f"{own}-run.csv", f"{own}-run.jsonl", f"{own}-session.json"} < set(asked)
    assert "uniform-500-acs-1-speedup.json" in others  # of what was measured, not of what is loaded


def test_the_window(qtbot: QtBot, done: Application, tmp_path: Path) -> None:
    path = export(qtbot, done, "window", tmp_path / "window.png")
    image = QImage(str(path))
    assert (image.width(), image.height()) == (2 * done.window.width(), 2 * done.window.height())


def test_every_view_as_png_and_svg(qtbot: QtBot, done: Application, tmp_path: Path) -> None:
    for key in done.window.dashboard.views:
        for form in ("png", "svg"):
            path = tmp_path / f"{key}.{form}"
            done.window.dialogs.to_picture.emit(key, form, path)
            written(qtbot, done, path)
            if form == "png":
                assert QImage(str(path)).width() > 400
            else:
                root = ElementTree.fromstring(path.read_bytes())
                assert "ring-50" in " ".join(e.text for e in root.iter() if e.text)


def test_a_place_that_cannot_be_written_is_one_sentence(
    qtbot: QtBot, done: Application, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "a.png"
    done.window.dialogs.to_picture.emit("tour", "png", path)
    qtbot.waitUntil(lambda: "cannot be written" in done.window.banner.text)
    assert str(path) in done.window.banner.text


def test_what_could_not_be_written_whole_is_not_given_away(
    qtbot: QtBot, done: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(type(done.runs.current.recorder), "lost", True)
    done.window.dialogs.to_export.emit("log", tmp_path / "a.jsonl")
    qtbot.waitUntil(lambda: "is incomplete" in done.window.banner.text)
    assert not (tmp_path / "a.jsonl").exists()


CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier


def test_the_copied_command_does_the_same(
    qtbot: QtBot, opened: Application, tmp_path: Path
) -> None:
    window, setup = opened.window, opened.window.setup
    use_device(opened, "cpu:1")
    assert not window.actions_["copy-command"].isEnabled()
    open_(qtbot, opened)
    settle()
    setup.colony.choose("cpu:1", "acs-seq")
    write(setup.parameters.fields["ants"].entry, "7")
    write(setup.parameters.fields["beta"].entry, "2.5")
    write(setup.seed_field.entry, "12345")
    for name in STOP_LIMITS:
        write(
            setup.stop.fields[name].entry, {"iterations": "3", "target_gap": "0"}.get(name, "900")
        )
    press(window, Qt.Key.Key_C, CONTROL | SHIFT)
    text = QGuiApplication.clipboard().text()
    assert window.banner.text == f"Copied: {text}"
    words = shlex.split(text)
    assert words[:3] == ["formicarium", "solve", RING.stem]
    choices = setup.choices()
    wanted = new_session(
        opened.instance.value,
        colony=choices.colony,
        device=choices.device,
        parameters=choices.parameters,
        seed=choices.seed,
        stop=StopSettings.from_dict(choices.stop),
    )
    done = run(*words[1:], "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    log = next((tmp_path / "out").glob("*.jsonl"))
    recorded = json.loads(log.read_text().splitlines()[0])["session"]
    same = wanted.to_dict()
    assert recorded["instance"].pop("path") == same["instance"].pop("path")  # type: ignore[attr-defined]
    assert recorded == json.loads(json.dumps(same))
    for name in STOP_LIMITS:
        setup.stop.boxes[name].setChecked(False)
    press(window, Qt.Key.Key_C, CONTROL | SHIFT)
    words = shlex.split(QGuiApplication.clipboard().text())
    assert words[-1] == "--no-limit"  # else the command would have one
    write(setup.parameters.fields["beta"].entry, "none")
    assert not window.actions_["copy-command"].isEnabled()


def test_the_picture_is_of_the_view_in_front(qtbot: QtBot, opened: Application) -> None:
    window = opened.window
    open_(qtbot, opened)
    for key in ("log", "tour"):
        view = window.dashboard.views[key]
        window.dashboard.show_view(key)
        press(window, Qt.Key.Key_C, CONTROL | ALT)
        said = f"A picture of the view {view.title} is on the clipboard"
        qtbot.waitUntil(partial(_says, window, said))
        image = QGuiApplication.clipboard().image()
        assert image.width() >= 2 * view.width() - 40
    QGuiApplication.clipboard().clear()


def _says(window: MainWindow, text: str) -> bool:
    return window.banner.text == text
