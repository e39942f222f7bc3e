"""Dialogs for files, and the names that they offer."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from PySide6.QtCore import QFileInfo, QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QFileSystemModel, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from tests.hands import drop, press
from tests.views.scenes import snapshot, uniform
from views.frame.file_dialogs import LONGEST_STEM
from views.frame.main_window import MainWindow
from views.frame.settings import Settings

INSTANCE = uniform(120)


def test_a_file_can_be_dropped_anywhere(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / name)) for name in ("a.tsp", "b.tsp")])
    with qtbot.waitSignal(window.open_requested) as opened:
        drop(window, data)
    assert opened.args == [tmp_path / "a.tsp"]
    assert window.banner.text == "Only a.tsp of 2 files is opened"
    takers = [
        widget
        for widget in window.findChildren(QWidget)
        if widget.acceptDrops() and widget is not window
    ]
    assert takers == []  # a child that takes drops would keep them from the window


def test_text_that_is_dropped_is_no_file(window: MainWindow) -> None:
    data = QMimeData()
    data.setText("hello")
    event = QDragEnterEvent(
        QPoint(700, 400),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    event.ignore()
    QApplication.sendEvent(window, event)
    assert not event.isAccepted()


def test_open_asks_for_a_file_and_remembers_the_folder(
    qtbot: QtBot, window: MainWindow, settings: Settings, tmp_path: Path
) -> None:
    path = tmp_path / "b.tsp"
    path.write_text("")
    press(window, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier)
    dialog = window.findChild(QFileDialog)
    dialog.selectFile(str(path))
    with qtbot.waitSignal(window.open_requested) as opened:
        dialog.accept()
    assert opened.args == [path]
    assert settings.get("open-folder", "") == str(tmp_path)


@pytest.mark.parametrize("name", ["dark", "light"])
def test_the_arrows_of_a_file_dialog_can_be_seen(window: MainWindow, name: str) -> None:
    """Qt's own are black."""
    window.theme_choice.choose(name)
    window.dashboard.queue.finish()
    window.steps.finish()
    press(window, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier)
    dialog = window.findChild(QFileDialog)
    for button in ("backButton", "forwardButton", "toParentButton"):
        arrow = dialog.findChild(QToolButton, button)
        picture = arrow.icon().pixmap(16, 16).toImage()
        pixels = [picture.pixelColor(x, y) for x in range(16) for y in range(16)]
        darkest = min(pixel.lightness() for pixel in pixels if pixel.alpha() > 200)
        assert 100 < darkest < 180, button
    dialog.reject()


def test_recent_files_are_offered_while_they_are_there(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    for number in range(12):
        path = tmp_path / f"{number}.tsp"
        path.write_text("")
        window.show_instance(dataclasses.replace(INSTANCE, path=path))
    names = [action.text() for action in window.actions_.recent_menu.actions()]
    assert names == [f"{number}.tsp" for number in range(11, 3, -1)]
    (tmp_path / "11.tsp").unlink()
    window.show_instance(dataclasses.replace(INSTANCE, path=tmp_path / "5.tsp"))
    with qtbot.waitSignal(window.open_requested) as opened:
        window.actions_.recent_menu.actions()[0].trigger()
    assert opened.args == [tmp_path / "5.tsp"]


def test_a_recent_file_is_shown_with_all_its_letters(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "a&b\x1b.tsp"
    path.write_text("")
    window.show_instance(dataclasses.replace(INSTANCE, path=path))
    (action,) = window.actions_.recent_menu.actions()
    assert action.text() == r"a&&b\x1b.tsp"  # "&" alone would underline the b


def asked_where(window: MainWindow) -> QFileDialog:
    """The dialog that asks where to a tour shall be exported."""
    window.show_snapshot(snapshot(INSTANCE, 4))
    window.actions_.exports["tour"].trigger()
    return window.findChild(QFileDialog)


def test_exports_ask_where_to(
    qtbot: QtBot, window: MainWindow, settings: Settings, tmp_path: Path
) -> None:
    window.dialogs.stem_of = lambda what: f"uniform120-{what}"
    settings.put({"save-folder": str(tmp_path)})
    (tmp_path / "uniform120-tour.tour").touch()
    dialog = asked_where(window)
    assert dialog.selectedFiles()[0].endswith("uniform120-tour-2.tour")  # the other is kept
    dialog.selectFile(str(tmp_path / "mine.tour"))
    with qtbot.waitSignal(window.dialogs.to_export) as asked:
        dialog.accept()
    assert asked.args == ["tour", tmp_path / "mine.tour"]


@pytest.mark.parametrize(
    ("stem", "name"),
    [
        ("../../.profile", "_.._.profile.tour"),
        ("/dev/sda", "_dev_sda.tour"),
        ("a\x1b[31m<img src='x'>\n", "a_31m_img_src_x_.tour"),
        ("...", "formicarium.tour"),
        ("n" * 300, f"{'n' * LONGEST_STEM}.tour"),
    ],
)
def test_a_name_that_is_offered_leads_to_no_other_folder(
    window: MainWindow, settings: Settings, tmp_path: Path, stem: str, name: str
) -> None:
    window.dialogs.stem_of = lambda what: stem
    settings.put({"save-folder": str(tmp_path)})
    dialog = asked_where(window)
    assert dialog.selectedFiles() == [str(tmp_path / name)]


def test_a_dialog_does_not_outlive_what_it_would_write(window: MainWindow) -> None:
    dialog = asked_where(window)
    assert dialog.isVisible()
    window.show_instance(uniform(50))
    assert not dialog.isVisible()


def test_the_kind_of_a_file_is_that_of_its_name(
    qtbot: QtBot, window: MainWindow, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "b.tsp").write_text("")
    (tmp_path / "plain").write_text("")
    settings.put({"open-folder": str(tmp_path)})
    window.dialogs.ask_to_open()
    dialog = window.findChild(QFileDialog)
    kinds = dialog.iconProvider()
    assert [
        kinds.type(QFileInfo(str(tmp_path / name))) for name in ("folder", "b.tsp", "plain")
    ] == ["Folder", "TSP file", "file"]
    model = dialog.findChild(QFileSystemModel)
    qtbot.waitUntil(lambda: model.type(model.index(str(tmp_path / "b.tsp"))) == "TSP file")
    dialog.reject()
