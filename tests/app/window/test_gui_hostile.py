"""Files of strangers in the window."""

from __future__ import annotations

import csv
import json
import unicodedata
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.window.application import Application
from tests.app.in_window import RING, limit, open_, run_to_the_end, use_colony, use_device, written
from tests.colonies import RandomColony
from tests.gpu.problems.texts import points_text
from tests.hands import press
from views.frame.actions import EXPORTS

XLINK = "{http://www.w3.org/1999/xlink}"
IMAGE = '<img src="/dev/zero">'
HOSTILE = f"{IMAGE}<script>\x1b[31m\x07\x9b&amp;=1+1"
SVG = {"svg", "title", "desc", "defs", "g", "path", "polyline", "polygon", "rect", "circle", "text"}
SVG |= {"image", "linearGradient", "stop", "ellipse", "line", "clipPath", "pattern", "use"}


def run_on(
    qtbot: QtBot,
    opened: Application,
    monkeypatch: pytest.MonkeyPatch,
    path: Path,
    name: str,
    *comments: str,
) -> None:
    """Write five cities with this name and these comments to ``path``, and run on them."""
    text = points_text("EUC_2D", [(0, 0), (1, 5), (3, 3), (4, 8), (2, 2)], name=name)
    said = "".join(f"COMMENT: {one}\n" for one in comments)
    path.write_text(text.replace("TYPE: TSP", f"{said}TYPE: TSP"))
    use_device(opened, "cpu:1")
    open_(qtbot, opened, path)
    use_colony(opened, monkeypatch, RandomColony)
    limit(opened, iterations=3)
    run_to_the_end(qtbot, opened)


def test_no_text_of_a_file_is_rich_text(
    qtbot: QtBot, opened: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "<img src=x>\x1b[31m.tsp"
    window = opened.window
    run_on(qtbot, opened, monkeypatch, path, IMAGE, IMAGE, "\x1b[31m")
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


def test_nothing_of_a_hostile_file_gets_into_what_is_exported(
    qtbot: QtBot, opened: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = HOSTILE * (3 * 2**20 // len(HOSTILE))
    run_on(qtbot, opened, monkeypatch, tmp_path / "x.tsp", HOSTILE, HOSTILE, long)
    out = tmp_path / "out"
    dialogs = opened.window.dialogs
    for name in ("tour", "log", "csv", "session", "window"):
        path = out / f"all{EXPORTS[name][1]}"
        dialogs.to_export.emit(name, path)
        written(qtbot, opened, path)
    for key in opened.window.dashboard.views:
        for form in ("png", "svg"):
            path = out / f"{key}.{form}"
            dialogs.to_picture.emit(key, form, path)
            written(qtbot, opened, path)
    files = [path for path in out.iterdir() if path.suffix != ".frames"]  # pictures beside the log
    assert len(files) == 5 + 2 * len(opened.window.dashboard.views)
    for path in files:
        for text in texts_in(path):
            assert not [one for one in text if unicodedata.category(one) == "Cc" and one != "\n"]
            assert len(text) < 10_000, path  # the comment has been cut


def texts_in(path: Path) -> list[str]:
    """What can be read in an exported file, as its usual reader understands it."""
    if path.suffix == ".png":
        image = QImage(str(path))
        assert not image.isNull()
        return [image.text(key) for key in image.textKeys()]
    data = path.read_text("utf-8")
    if path.suffix == ".svg":
        elements = list(ElementTree.fromstring(data).iter())
        assert {one.tag.rpartition("}")[2] for one in elements} <= SVG
        links = [one.get(f"{XLINK}href", "data:") for one in elements]
        assert all(link.startswith("data:") for link in links)
        return [text for one in elements for text in (one.text, one.tail) if text]
    if path.suffix == ".csv":
        assert not [
            cell for row in csv.reader(data.splitlines()) for cell in row if cell[:1] == "="
        ]
    if path.suffix == ".json":
        return [*strings_in(json.loads(data))]
    if path.suffix == ".jsonl":
        return [text for line in data.splitlines() for text in strings_in(json.loads(line))]
    return [data]


def strings_in(value: object) -> Iterator[str]:
    """Yield all texts of what JSON has read, names of fields included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from strings_in([*value, *value.values()])
    elif isinstance(value, list):
        for part in value:
            yield from strings_in(part)
