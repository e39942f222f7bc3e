"""A picture for print, from the key that asks for it to the file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.window.application import Application
from tests.app.in_window import open_, written
from tests.hands import choose, click, press, write
from tests.views.measure.test_speedup_view import report
from views.measure.speedup_view import SpeedupView


def test_a_picture_is_asked_for_seen_and_written(
    qtbot: QtBot, opened: Application, tmp_path: Path
) -> None:
    open_(qtbot, opened)
    window = opened.window
    window.view(SpeedupView).show_reports([report(500)])
    press(window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    dialog = window.dialogs.picture
    assert dialog is not None
    qtbot.waitUntil(lambda: "pixels" in dialog.facts.text())
    assert dialog.key == "tour"  # the view in front
    assert not dialog.preview.pixmap().isNull()
    write(dialog.width_box, "8")
    choose(dialog.themes, "Dark")
    click(dialog.legend)
    qtbot.waitUntil(lambda: dialog.facts.text().startswith("945 × "))
    choose(dialog.unit, "px")
    assert dialog.width_box.value() == 945
    write(dialog.dpi, "1200")
    write(dialog.width_box, "64")
    assert "another size" in dialog.facts.text()
    assert not dialog.save_button.isEnabled()
    write(dialog.dpi, "100")
    write(dialog.width_box, "1200")
    choose(dialog.views, "Speedup")
    choose(dialog.form, "PDF, lines and texts")
    look = dialog.look
    click(dialog.save_button)
    asked = dialog.findChild(QFileDialog)
    assert asked is not None
    # Of what was measured, not of what is loaded
    assert Path(asked.selectedFiles()[0]).name == "uniform-500-acs-1-speedup.pdf"
    asked.selectFile(str(tmp_path / "a.pdf"))
    asked.accept()
    assert written(qtbot, opened, tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    click(dialog.close_button)
    assert not dialog.isVisible()
    assert window.dialogs.look == look  # remembered
