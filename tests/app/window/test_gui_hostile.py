"""Files of strangers in the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.window.application import Application
from tests.app.in_window import RING, limit, open_, run_to_the_end, use_colony, use_device
from tests.colonies import RandomColony
from tests.gpu.problems.texts import points_text
from tests.hands import press

IMAGE = '<img src="/dev/zero">'


def test_no_text_of_a_file_is_rich_text(
    qtbot: QtBot, opened: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "<img src=x>\x1b[31m.tsp"
    text = points_text("EUC_2D", [(0, 0), (1, 5), (3, 3), (4, 8), (2, 2)], name=IMAGE)
    path.write_text(text.replace("TYPE: TSP", f"COMMENT: {IMAGE}\nCOMMENT: \x1b[31m\nTYPE: TSP"))
    use_device(opened, "cpu:1")
    open_(qtbot, opened, path)
    use_colony(opened, monkeypatch, RandomColony)
    window = opened.window
    limit(opened, iterations=3)
    run_to_the_end(qtbot, opened)
    labels = window.findChildren(QLabel)
    assert any(IMAGE in label.text() for label in labels)
    for label in labels:
        assert "\x1b" not in label.text()
        if label.textFormat() is not Qt.TextFormat.PlainText:
            assert IMAGE not in label.text()
    tips = [widget.toolTip() for widget in window.findChildren(QWidget)]
    tips += [action.toolTip() for action in window.actions_.recent_menu.actions()]
    assert any("&lt;img" in tip for tip in tips)
    for tip in tips:
        assert "\x1b" not in tip
        assert not (GuiQt.mightBeRichText(tip) and "<img" in tip)


def test_a_graph_of_one_vertex_is_followed_by_cities(
    qtbot: QtBot, opened: Application, tmp_path: Path
) -> None:
    (tmp_path / "one.col").write_text("p edge 1 0\n")
    use_device(opened, "cpu:1")
    for path in (tmp_path / "one.col", RING, tmp_path / "one.col", RING):
        open_(qtbot, opened, path)
        assert opened.window.problem == ""


def test_a_seed_of_many_digits_is_refused_at_its_field(qtbot: QtBot, opened: Application) -> None:
    open_(qtbot, opened)
    field = opened.window.setup.seed_field
    for text in ("9" * 5_000, "9" * 21, str(2**64), "-1", "1e3"):
        field.entry.setText(text)
        field.changed.emit()
        press(opened.window, Qt.Key.Key_Up)
        assert "[0, 2⁶⁴)" in field.problem
    field.entry.setText(str(2**64 - 1))
    field.changed.emit()
    assert field.problem == ""
