"""The dialog for films offers first what can be made here."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpu.core.problem import Problem
from tests.hands import choose, click
from views.film import FilmDialog, FilmedAnts


@pytest.mark.parametrize(("installed", "first"), [(True, ".mp4"), (False, ".gif")])
def test_a_form_that_can_be_made_is_chosen(
    installed: bool, first: str, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = importlib.util.find_spec("json") if installed else None
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = FilmDialog(parent, Problem.TSP, "", dark=True)
    assert dialog.form.currentData() == first


def test_what_is_offered_first_can_be_sent_and_the_size_is_told(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = FilmDialog(parent, Problem.TSP, "", dark=True)
    assert (dialog.width_.value(), dialog.height_.value()) == (640, 360)
    for form, text in (("MP4 film", "0.1 to 0.6"), ("GIF film", "0.8 to 2")):
        choose(dialog.form, form)
        assert dialog.expected.text() == f"{text}\u202fMB"  # mails take 10 MB and more
    choose(dialog.size_, "1920 × 1080 pixels")
    dialog.size_.activated.emit(dialog.size_.currentIndex())
    assert dialog.expected.text() == "7 to 20\u202fMB"
    dialog.seconds.setValue(600)
    dialog.a_second.setValue(60)
    assert dialog.expected.text() == "–"  # too many frames


def test_the_dialog_says_which_ants_walk(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    ants = FilmedAnts(1000, 12.4, on=False)
    dialog = FilmDialog(parent, Problem.TSP, "", dark=True, ants=ants)
    assert not dialog.choices(Path("film.gif")).ants
    said = (
        "4 iterations from 1 to 1\u202f000, made again in about 12\u202fs, instead of the whole run"
    )
    assert dialog.walked.text() == said
    click(dialog.ants)
    assert dialog.choices(Path("film.gif")).ants
    dialog.seconds.setValue(2)
    assert dialog.walked.text() == "Iteration 1, made again, instead of the whole run"
    choose(dialog.left, "Convergence")
    assert not dialog.ants.isEnabled()
    assert dialog.walked.text() == "They do so in the view Tour"
    assert not dialog.choices(Path("film.gif")).ants
    without = FilmDialog(parent, Problem.TSP, "", dark=True)
    assert without.ants.isHidden()
