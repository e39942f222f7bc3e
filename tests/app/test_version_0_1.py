"""What version 0.1.0 has written, as of 2026-11-23, is read: a log, and the window's settings."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from pytestqt.qtbot import QtBot

from app.notifications import Notifications
from app.window.application import Application
from gpu.problems.bundled import bundled
from gpu.run.log.run_log import read_log
from tests.app.conftest import Command
from tests.app.in_window import open_

WRITTEN = Path(__file__).parents[1] / "written-by-0.1"
UNIFORM = next(one.path for one in bundled() if one.name == "uniform-100")


def test_a_log_is_opened_and_repeated(inside: Command, tmp_path: Path) -> None:
    text = next(WRITTEN.glob("*.jsonl")).read_text("utf-8")
    path = tmp_path / "old.jsonl"
    path.write_text(text.replace("/home/user/uniform-100.tsp", UNIFORM.as_posix()), "utf-8")
    log = read_log(path)
    assert log.session.version == "0.1.0"
    assert [line["best"] for line in log.records if line["kind"] == "improvement"][-1] == 8689
    assert log.outcome is not None
    again = inside("replay", path, "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["tour"] == log.outcome["tour"]


def test_settings_are_taken_over(qtbot: QtBot, tmp_path: Path) -> None:
    shutil.copy(WRITTEN / "window.json", tmp_path)
    made = Application(Notifications(), tmp_path / "window.json", lambda _: tmp_path / "log.jsonl")
    made.window.show()
    setup = made.window.setup
    qtbot.waitUntil(lambda: setup.colony.device is not None)
    open_(qtbot, made, UNIFORM)
    chosen = setup.choices()
    assert (chosen.device, chosen.colony, chosen.seed) == ("cpu:1", "acs-seq-spm", 42)
    wanted = {"ants": "25", "rho": "0.05", "local_search": "2opt", "q0": None}
    assert wanted.items() <= dict(chosen.parameters).items()
    assert chosen.stop["seconds"] == 30.0
    qtbot.waitUntil(lambda: made.background.idle, timeout=100_000)
    ended = made.close()
    made.window.deleteLater()
    made.deleteLater()
    assert ended
