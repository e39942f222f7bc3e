"""What the window keeps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QMargins, QRect
from PySide6.QtGui import QScreen
from pytestqt.qtbot import QtBot

from views.frame.main_window import MainWindow
from views.frame.settings import Settings


def test_values_are_kept_and_those_of_another_window_too(tmp_path: Path) -> None:
    path = tmp_path / "new" / "window.json"
    first, second = Settings(path), Settings(path)
    first.put({"theme": "dark", "recent": ["/a", "/b"]})
    second.put({"panel": False})
    found = Settings(path)
    assert found.get("theme", "system") == "dark"
    assert found.get("recent", ["x"]) == ["/a", "/b"]
    assert not found.get("panel", True)
    assert found.get("width", 7) == 7
    assert found.get("theme", 3) == 3  # of another type than is asked for
    assert [left.name for left in path.parent.iterdir()] == ["window.json"]


@pytest.mark.parametrize(
    "text",
    [
        b"[General]\ntheme=@Variant(\\0\\0\\0\\x7f)\n",
        b"\x80\x04cos\nsystem\n",
        b"[" * 100_000,
        b"9" * 100_000,
        b"[1, 2]",
        b"null",
        b"\xff\xfe",
        b"",
    ],
)
def test_a_file_that_is_none_counts_as_empty(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "window.json"
    path.write_bytes(text)
    assert Settings(path).get("theme", "system") == "system"
    Settings(path).put({"theme": "light"})
    assert Settings(path).get("theme", "system") == "light"


@pytest.mark.parametrize("value", [[1], [["a"]], [None], {"a": 1}, 1.5, None])
def test_only_plain_values_are_read(tmp_path: Path, value: object) -> None:
    path = tmp_path / "window.json"
    path.write_text(json.dumps({"recent": value, "theme": "dark"}))
    found = Settings(path)
    assert found.get("recent", ["x"]) == ["x"]
    assert found.get("theme", "system") == "dark"
    found.put({"panel": True})
    assert json.loads(path.read_text()) == {"theme": "dark", "panel": True}


def test_a_window_opens_whatever_its_settings_say(qtbot: QtBot, tmp_path: Path) -> None:
    odd = ["9" * 9, "-1", "\ud800", "٣"]
    values = {
        **dict.fromkeys(("geometry", "across", "down", "theme"), "\ud800AAAA"),
        **dict.fromkeys(("tabs-tsp", "recent"), odd[:3]),
        "tabs-coloring": {"a": 1},
        "open-folder": "/" + "x" * 5000,
        "panel": 7,
    }
    path = tmp_path / "window.json"
    path.write_text(json.dumps(values))
    window = MainWindow(Settings(path))
    qtbot.addWidget(window)
    window.show()
    assert window.dialogs.recent() == []
    window.dialogs.ask_to_open()
    assert window.close()


def test_a_folder_that_is_protected_or_missing_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    settings = Settings(tmp_path / "file" / "window.json")
    settings.put({"theme": "dark"})
    assert settings.get("theme", "system") == "dark"


FRAME = QMargins(8, 32, 8, 8)


def on_screen(monkeypatch: pytest.MonkeyPatch, width: int, height: int) -> QRect:
    """Let the screen have this size, and return where there is room within a frame."""
    screen = QRect(0, 0, width, height)
    monkeypatch.setattr(QScreen, "availableGeometry", lambda _: screen)
    return screen.marginsRemoved(FRAME)


def opened(qtbot: QtBot, settings: Settings) -> MainWindow:
    window = MainWindow(settings)
    qtbot.addWidget(window)
    return window


@pytest.mark.parametrize("screen", [(1920, 1080), (1000, 700), (960, 540), (640, 400), (500, 350)])
def test_the_first_window_is_no_larger_than_there_is_room(
    qtbot: QtBot, settings: Settings, monkeypatch: pytest.MonkeyPatch, screen: tuple[int, int]
) -> None:
    room = on_screen(monkeypatch, *screen)
    window = opened(qtbot, settings)
    assert window.size() == room.size().boundedTo(QRect(0, 0, 1280, 800).size())
    assert window.minimumSize() == window.minimumSize().boundedTo(window.size())


@pytest.mark.parametrize("place", [(10, 30, 780, 760), (90, 300, 690, 490), (2, 30, 700, 400)])
def test_a_window_that_was_kept_is_brought_within_a_smaller_screen(
    qtbot: QtBot, settings: Settings, monkeypatch: pytest.MonkeyPatch, place: tuple[int, ...]
) -> None:
    on_screen(monkeypatch, 800, 800)
    window = opened(qtbot, settings)
    window.setGeometry(*place)
    window.show()
    assert window.close()
    again = opened(qtbot, settings)
    assert again.geometry().getRect() == place  # the screen is as it was
    room = on_screen(monkeypatch, 760, 600)
    assert room.contains(opened(qtbot, settings).geometry())
