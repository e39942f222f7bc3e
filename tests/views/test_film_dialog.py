"""The dialog for films offers first what can be made here."""

from __future__ import annotations

import importlib.util

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpu.core.problem import Problem
from views.film import FilmDialog


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
