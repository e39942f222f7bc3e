"""Every view says on request what is seen in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from pytestqt.qtbot import QtBot

from tests.hands import click, press
from views.frame.main_window import MainWindow
from views.frame.view_table import EXPLANATIONS, VIEWS
from views.plots.convergence_view import ConvergenceView
from views.widgets.labels import ExplanationCard


def cards(window: MainWindow) -> list[ExplanationCard]:
    return [card for card in window.findChildren(ExplanationCard) if card.isVisible()]


def test_every_view_has_two_plain_sentences_and_a_paper() -> None:
    file = "views/frame/view_table.py"
    assert {row.view.key for row in VIEWS} == set(EXPLANATIONS), f"each view has a row in {file}"
    for key, explanation in EXPLANATIONS.items():
        sentences = re.split(r"(?<=\.)\s", explanation.text)
        assert len(sentences) == 2, key
        assert all(one[0].isupper() and 20 < len(one) < 220 for one in sentences), key
        assert "<" not in explanation.text, key
        assert explanation.paper is not None, key
        assert re.fullmatch(r"10\.\d{4,}/\S+", explanation.paper.doi), key
        assert re.search(r"\((1[89]|20)\d\d\)$", explanation.paper.title), key
        assert explanation.paper.link.startswith("https://doi.org/10."), key


class Browser(QObject):
    """Takes links in place of the system's browser."""

    def __init__(self) -> None:
        super().__init__()
        self.visited: list[str] = []

    @Slot(QUrl)
    def visit(self, url: QUrl) -> None:
        self.visited.append(url.toString())


@pytest.fixture
def browser() -> Iterator[Browser]:
    made = Browser()
    QDesktopServices.setUrlHandler("https", made, "visit")  # type: ignore[arg-type]  # str works
    yield made
    QDesktopServices.unsetUrlHandler("https")


def test_button_and_key_explain_the_view_in_front(
    qtbot: QtBot, window: MainWindow, browser: Browser
) -> None:
    pane = window.dashboard.panes[0]
    click(pane.help_button)
    (card,) = cards(window)
    assert card.text.text() == EXPLANATIONS["tour"].text
    assert window.geometry().contains(card.geometry())
    press(card, Qt.Key.Key_Escape)
    assert not cards(window)
    window.view(ConvergenceView).setFocus()
    window.dashboard.show_view("convergence")
    press(window, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    (card,) = cards(window)
    assert card.text.text() == EXPLANATIONS["convergence"].text
    assert card.link is not None
    press(card.link, Qt.Key.Key_Tab)  # to the link
    press(card.link, Qt.Key.Key_Return)
    paper = EXPLANATIONS["convergence"].paper
    assert browser.visited == [paper.link]
    card.close()
