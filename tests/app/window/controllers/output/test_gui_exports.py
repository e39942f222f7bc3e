"""Everything that can be taken away from the window, written and read back."""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Self

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.files.exports import ExportError
from app.window.application import Application
from app.window.controllers.output import exports
from gpu.problems.tsp.tsplib import load
from gpu.run.log.run_log import read_log
from tests.app.in_window import RING, export, open_, use_device, written
from tests.views.batch.test_speedup_view import report
from views.batch.speedup_view import SpeedupView


@pytest.fixture(scope="module")
def ended(shared: Application, request: pytest.FixtureRequest) -> Application:
    """A window after a run of a selective memory."""
    qtbot = QtBot(request)
    open_(qtbot, shared)
    use_device(shared, "cpu:1")
    shared.window.setup.colony.choose_search("acs-spm")
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

    monkeypatch.setattr("gpu.run.log.lines.datetime", Later)
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
    done: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(type(done.runs.current.recorder), "lost", True)
    with pytest.raises(ExportError, match="is incomplete"):
        exports._writer_of("log", exports._ExportedRun.of(done.runs.current), tmp_path / "a.jsonl")
