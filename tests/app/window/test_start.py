from __future__ import annotations

import pytest

from app.window.start import StartError, measure_gallery


def test_a_gallery_is_there_after_its_process_began(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    found = measure_gallery()
    assert 0 < found.tiles.seconds <= found.pictures.seconds
    assert 0 < found.tiles.work <= found.pictures.work


def test_a_window_that_cannot_open_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "no-such-platform")
    with pytest.raises(StartError, match="the window did not open"):
        measure_gallery()
