"""A picture for print, from the key that asks for it to the file."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.window.application import Application
from tests.app.in_window import GRID, LONGEST, limit, open_, written
from tests.hands import choose, click, press, write
from tests.views.batch.test_measured_views import report
from views.batch.speedup_view import SpeedupView

T = TypeVar("T")


def test_a_picture_is_asked_for_seen_and_written(
    qtbot: QtBot, opened: Application, tmp_path: Path
) -> None:
    open_(qtbot, opened)
    window = opened.window
    window.view(SpeedupView).show_reports([report(500)])
    press(window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    dialog = window.dialogs.picture
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
    # Of what was measured, not of what is loaded
    assert Path(asked.selectedFiles()[0]).name == "uniform-500-acs-1-speedup.pdf"
    asked.selectFile(str(tmp_path / "a.pdf"))
    asked.accept()
    assert written(qtbot, opened, tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    click(dialog.close_button)
    assert not dialog.isVisible()
    assert window.dialogs.look == look  # remembered


def make_picture(
    application: Application,
    monkeypatch: pytest.MonkeyPatch,
    meanwhile: Callable[[], object],
    look: Callable[[], T],
) -> list[T]:
    """Copy a picture of the view in front; return a list that gets a ``look`` at its end."""
    window = application.window
    view, seen = window.dashboard.front, list[T]()
    plain = view.in_picture

    def in_picture(*, on: bool) -> None:
        plain(on=on)
        if on:
            meanwhile()
        else:
            seen.append(look())

    monkeypatch.setattr(view, "in_picture", in_picture)
    window.actions_["copy-picture"].trigger()
    return seen


def test_another_theme_waits_for_the_picture_that_is_made(
    qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_(qtbot, opened)
    window, view, before = opened.window, opened.window.dashboard.front, opened.window.theme
    copied = list[str]()

    def turn() -> None:
        if not copied:
            copied.append("again")
            window.actions_["theme"].trigger()
            window.actions_["copy-picture"].trigger()  # begins once all is changed

    seen = make_picture(opened, monkeypatch, turn, lambda: (view.theme, window.updatesEnabled()))
    qtbot.waitUntil(lambda: len(seen) == 2)
    assert seen == [(before, False), (window.theme, False)]
    qtbot.waitUntil(lambda: not window.steps.busy and window.updatesEnabled())
    assert view.theme == window.theme != before


def test_another_instance_waits_for_the_picture_that_is_made(
    qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_(qtbot, opened)
    before, loaded = opened.instance.value, opened.instance

    seen = make_picture(opened, monkeypatch, lambda: opened.files.open(GRID), lambda: loaded.value)
    qtbot.waitUntil(lambda: loaded.value is not before)
    assert seen == [before]
    qtbot.waitUntil(opened.window.updatesEnabled)


def test_a_run_waits_for_the_picture_that_is_made(
    qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_(qtbot, opened)
    limit(opened, iterations=2)
    seen = make_picture(opened, monkeypatch, opened.run_controller.start, lambda: runs.current)
    runs = opened.runs
    qtbot.waitUntil(lambda: runs.current is not None)
    assert seen == [None]
    qtbot.waitUntil(lambda: not runs.busy, timeout=LONGEST)


def test_another_instance_is_shown_in_rounds_of_their_own(
    qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, rounds = opened.window, itertools.count()
    done: list[tuple[str, int]] = []
    counter = QTimer(window, interval=0)  # called once a round
    now = [0]
    counter.timeout.connect(lambda: now.append(next(rounds)))

    def note(owner: object, name: str) -> None:
        plain = getattr(owner, name)

        def noted(*values: object) -> None:
            done.append((name, now[-1]))
            assert window.problem or name == "show_instance"  # no run can start meanwhile
            plain(*values)

        monkeypatch.setattr(owner, name, noted)

    open_(qtbot, opened)
    note(opened.runs, "clear")
    note(window, "arrange")
    note(window, "show_instance")
    counter.start()
    open_(qtbot, opened, GRID)
    counter.stop()
    assert [name for name, _ in done] == ["clear", "arrange", "show_instance"]
    assert len({number for _, number in done}) == 3
    assert not window.problem
