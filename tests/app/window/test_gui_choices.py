"""Choices that are taken back, kept under a name, and there again at the next start."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QLineEdit
from pytestqt.qtbot import QtBot

from app.notifications import Notifications
from app.window.application import Application
from gpu.aims import Aim
from tests.app.in_window import GRID, limit, open_, state, use_aim, use_colony, use_device, wait_for
from tests.colonies import RandomColony
from tests.hands import click, press, write
from views.frame.activity import Activity

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def start(qtbot: QtBot, tmp_path: Path) -> Iterator[Callable[[], Application]]:
    """Open the window as often as it is called, each time after the former one was closed."""
    made: list[Application] = []

    def close() -> None:
        for application in made:
            qtbot.waitUntil(lambda: application.background.idle, timeout=90_000)  # noqa: B023
            assert application.close()
            application.window.deleteLater()
            application.deleteLater()
        made.clear()

    def open_window() -> Application:
        close()
        application = Application(Notifications(), tmp_path / "window.json")
        made.append(application)
        application.window.show()
        colony = application.window.setup.colony
        qtbot.waitUntil(lambda: colony.device is not None)
        return application

    yield open_window
    close()


def answer(qtbot: QtBot, application: Application, text: str) -> None:
    """Write ``text`` into the dialog that asks for one, and press Enter."""
    qtbot.waitUntil(lambda: application.window.findChild(QInputDialog) is not None)
    dialog = application.window.findChild(QInputDialog)
    entry = dialog.findChild(QLineEdit)
    assert entry is not None
    write(entry, text)
    press(entry, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: application.window.findChild(QInputDialog) is None)
    application.window.activateWindow()


def names(application: Application) -> list[str]:
    return [one.text() for one in application.window.setup.preset_menu.actions() if one.text()]


def test_undo_and_presets(qtbot: QtBot, opened: Application, tmp_path: Path) -> None:
    window, setup = opened.window, opened.window.setup
    use_device(opened, "cpu:1")
    open_(qtbot, opened)
    undo, redo = window.actions_["undo"], window.actions_["redo"]
    assert not undo.isEnabled()
    setup.colony.choose("cpu:1", "acs-seq")
    fields = setup.parameters.fields
    usual = fields["ants"].text, fields["beta"].text
    begun = setup.history.stack.count()
    for name, text in (("ants", "17"), ("beta", "4.5")):
        field = fields[name].entry
        assert isinstance(field, QLineEdit)
        field.setFocus()
        write(field, text)
    assert setup.history.stack.count() == begun + 2  # a word is taken back as a whole
    assert undo.text() == "Undo beta"
    press(setup.focusWidget(), Qt.Key.Key_Z, CONTROL)
    assert (fields["ants"].text, fields["beta"].text) == ("17", usual[1])
    press(setup.focusWidget(), Qt.Key.Key_Z, CONTROL)
    assert (fields["ants"].text, fields["beta"].text) == usual
    press(setup.focusWidget(), Qt.Key.Key_Z, CONTROL | SHIFT)
    press(setup.focusWidget(), Qt.Key.Key_Z, CONTROL | SHIFT)
    assert (fields["ants"].text, fields["beta"].text) == ("17", "4.5")
    assert not redo.isEnabled()
    box = setup.stop.boxes["iterations"]
    ticked = box.isChecked()
    click(box)
    undo.trigger()
    assert box.isChecked() == ticked
    redo.trigger()

    setup.preset_menu.keep.trigger()
    answer(qtbot, opened, "  Mine & <b>yours</b>  ")
    assert "Mine && <b>yours</b>" in names(opened)
    write(fields["ants"].entry, "3")
    mine = next(one for one in setup.preset_menu.actions() if one.text().startswith("Mine"))
    mine.trigger()
    assert (fields["ants"].text, fields["beta"].text) == ("17", "4.5")
    undo.trigger()  # the preset
    assert fields["ants"].text == "3"
    kept = json.loads((tmp_path / "window.json").read_text())["presets"]
    assert json.loads(kept[0])["name"] == "Mine & <b>yours</b>"
    (delete,) = setup.preset_menu.delete_menu.actions()
    delete.trigger()
    assert "Mine && <b>yours</b>" not in names(opened)
    undo.trigger()
    assert "Mine && <b>yours</b>" in names(opened)

    use_aim(opened, Aim.BEST)
    aimed = setup.colony.colonies.currentData()
    write(setup.seed_field.entry, "77")
    press(setup.seed_field.entry, Qt.Key.Key_Z, CONTROL)
    assert (setup.aim.aim, setup.colony.colonies.currentData()) == (Aim.BEST, aimed)
    open_(qtbot, opened, GRID)
    assert not undo.isEnabled()  # what was chosen for another instance is not taken back


def test_the_next_start_has_the_last_choices(
    qtbot: QtBot, start: Callable[[], Application], tmp_path: Path
) -> None:
    first = start()
    setup = first.window.setup
    open_(qtbot, first)
    setup.colony.choose("cpu:1", "acs-seq")
    write(setup.parameters.fields["ants"].entry, "17")
    write(setup.stop.fields["iterations"].entry, "321")
    write(setup.seed_field.entry, "4711")
    setup.preset_menu.keep.trigger()
    answer(qtbot, first, "mine")

    second = start()
    for path in (None, GRID):
        if path is not None:
            open_(qtbot, second, path)
        setup = second.window.setup
        choices = setup.choices()
        assert (choices.colony, choices.device, choices.seed) == ("acs-seq", "cpu:1", 4711)
        assert choices.parameters["ants"] == "17"
        assert choices.stop["iterations"] == 321
        assert setup.aim.aim is None
    assert "mine" in names(second)
    use_aim(second, Aim.WATCH)

    file = tmp_path / "window.json"
    third = start()
    assert third.window.setup.aim.aim is Aim.WATCH
    values = json.loads(file.read_text())
    bad = {"aim": "x", "device": 7, "colony": [], "parameters": "y"}
    values["choices-tsp"] = json.dumps(bad)
    values["presets"] = ["{", "[]", '{"name": 1}', *values["presets"]]
    third.window.close()
    file.write_text(json.dumps(values))
    values["choices-tsp"] = "[" * 100_000
    fourth = start()
    assert fourth.window.setup.choices().colony
    assert "mine" in names(fourth)


def test_the_best_known_length_is_the_users(
    qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, card = opened.window, opened.window.setup.instance
    use_device(opened, "cpu:1")
    open_(qtbot, opened)
    published = opened.instance.value
    for text, shown in (("4 321", "4\u202f321 (yours)"), ("0", f"{published.optimum:,}")):
        click(card.best_known)
        with qtbot.waitSignal(opened.files.ready):
            answer(qtbot, opened, text)
        assert shown.replace(",", "\u202f") in card.facts.text()
    assert opened.instance.value.optimum == published.optimum
    click(card.best_known)
    answer(qtbot, opened, "-5")
    assert window.banner.text == (
        "'-5' is not kept: the best known length is a whole number above 0, or 0 for none"
    )

    use_colony(opened, monkeypatch, RandomColony)
    limit(opened, iterations=2)
    with qtbot.waitSignal(opened.runs.ended):
        click(window.run_bar.start)
    found = state(opened).best_cost
    click(card.best_known)
    with qtbot.waitSignal(opened.files.recorded):
        answer(qtbot, opened, "4321")
    assert opened.instance.value.optimum == 4321
    assert window.readout.values["best"].text() == f"{found:,}".replace(",", "\u202f")

    limit(opened)
    click(window.run_bar.start)
    wait_for(qtbot, opened, Activity.RUNNING)
    click(card.best_known)
    answer(qtbot, opened, "4322")
    expected = f"The best known length is kept, for when {published.name} is opened again"
    qtbot.waitUntil(lambda: window.banner.text == expected)
    assert window.activity is Activity.RUNNING
    assert opened.instance.value.optimum == 4321
