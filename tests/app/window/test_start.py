from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.notifications import Notifications
from app.window.application import Application
from app.window.gallery_first import GalleryFirst
from app.window.start import StartError, measure_gallery
from views.frame.settings import Settings


def test_a_gallery_is_there_after_its_process_began(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    found = measure_gallery()
    assert 0 < found.tiles.seconds <= min(found.pictures.seconds, found.answers.seconds)
    assert 0 < found.tiles.work <= min(found.pictures.work, found.answers.work)


def test_the_gallery_is_there_before_the_views(qtbot: QtBot, tmp_path: Path) -> None:
    first = GalleryFirst(Settings(tmp_path / "window.json"))
    window = first.parts.window
    qtbot.addWidget(window)
    first.show()
    assert window.gallery.instances.tiles
    assert not window.has_views
    window.close()  # it would leave half a window behind
    assert window.isVisible()
    application = Application(Notifications(), first=first)
    assert application.window is window
    qtbot.waitUntil(lambda: not window.isVisible())
    assert application.close()


def test_a_window_that_cannot_open_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "no-such-platform")
    with pytest.raises(StartError, match="the window did not open"):
        measure_gallery()
