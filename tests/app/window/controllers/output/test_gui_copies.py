"""The command and the picture that the window puts on the clipboard."""

from __future__ import annotations

import json
import shlex
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.window.application import Application
from gpu.core.stop_limits import STOP_LIMITS
from gpu.run.session import new_session
from gpu.run.stopping import StopSettings
from tests.app.in_window import open_, use_device
from tests.hands import press, write
from tests.processes import RING, run
from views.frame.main_window import MainWindow

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier


def test_the_copied_command_does_the_same(
    qtbot: QtBot, opened: Application, tmp_path: Path
) -> None:
    window, setup = opened.window, opened.window.setup
    use_device(opened, "cpu:1")
    assert not window.actions_["copy-command"].isEnabled()
    open_(qtbot, opened)
    qtbot.wait(1)
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
    assert words[:3] == ["formicarium", "solve", RING]
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
