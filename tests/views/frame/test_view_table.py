"""Every view: its row, its keys, its place, and what its "?" says."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLabel, QVBoxLayout
from pytestqt.qtbot import QtBot

from gpu.core.problem import Problem
from gpu.core.snapshot import RunState, Wanted
from tests.graphs import queens
from tests.hands import click, press, settle
from tests.views.scenes import in_sight, snapshot, uniform
from views.film import filmed_views
from views.frame.dashboard import Pane
from views.frame.main_window import MainWindow
from views.frame.settings import Settings
from views.frame.view_table import EXPLANATIONS, LOWER_PANE, VIEWS, ViewRow
from views.plots.convergence_view import ConvergenceView
from views.widgets.labels import ExplanationCard
from views.widgets.theme import DARK
from views.widgets.view import View

TOURS = uniform(30)


class IterationView(View):
    """Says how far the run is."""

    key = "iteration"
    title = "Iteration"

    def __init__(self) -> None:
        super().__init__()
        self.label = QLabel()
        self._iteration = 0
        QVBoxLayout(self).addWidget(self.label)

    @property
    def wanted(self) -> Wanted:
        return Wanted.BRANCHING

    def take_in(self, snapshot: RunState) -> None:
        self._iteration = snapshot.iteration

    def draw(self) -> None:
        self.label.setText(str(self._iteration))


@pytest.fixture
def window(qtbot: QtBot, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    """A window with one view more."""
    monkeypatch.setattr(
        "views.frame.dashboard.VIEWS", [*VIEWS, ViewRow(IterationView, LOWER_PANE, (Problem.TSP,))]
    )
    made = MainWindow(settings)
    made.show_instance(TOURS)
    in_sight(qtbot, made)
    qtbot.waitUntil(lambda: not made.pages.shows_gallery)  # the views come a moment later
    return made


def test_a_new_view_is_shown_and_fed_like_any_other(window: MainWindow) -> None:
    view = window.view(IterationView)
    assert Wanted.BRANCHING not in window.wanted
    window.actions_.views["iteration"].trigger()
    assert view.isVisible()
    assert window.dashboard.panes[2].tabs.tabText(4) == "Iteration"
    assert Wanted.BRANCHING in window.wanted
    window.show_snapshot(snapshot(TOURS, 7))
    window.dashboard.queue.finish()
    assert view.label.text() == "7"


def test_a_view_is_there_for_its_problem_alone(window: MainWindow) -> None:
    window.show_instance(queens(4))
    assert "iteration" not in window.dashboard.views
    assert not window.actions_.views["iteration"].isVisible()


def test_numbers_show_the_views_that_have_no_key_of_their_own(window: MainWindow) -> None:
    numbered = [view for view in window.dashboard.views.values() if not view.shortcut]
    for key, view in ((Qt.Key.Key_1, numbered[0]), (Qt.Key.Key_9, numbered[8])):
        press(window, key)
        assert view.isVisible()


@pytest.mark.parametrize("problem", Problem)
def test_commands_and_scripts_call_a_view_what_its_tab_says(problem: Problem) -> None:
    rows = [row for row in VIEWS if problem in row.problems]
    assert len({row.view.name() for row in rows}) == len(rows)
    for key, title in filmed_views(problem).items():
        assert key == title.lower()


class _Texts(View):
    """A view with a text that is higher where there is less room for it."""

    asked = 0  # how often somebody wanted to know its height

    def __init__(self) -> None:
        super().__init__()
        QVBoxLayout(self).addWidget(QLabel("ants " * 100, wordWrap=True))

    def heightForWidth(self, width: int) -> int:
        self.asked += 1
        return super().heightForWidth(width)


def test_a_hidden_view_is_not_laid_out_when_the_pane_changes_its_size(qtbot: QtBot) -> None:
    pane, front, hidden = Pane(), _Texts(), _Texts()
    qtbot.addWidget(pane)
    pane.apply_theme(DARK)
    pane.show_views([front, hidden])
    pane.resize(400, 300)
    with qtbot.waitExposed(pane):
        pane.show()
    hidden.asked = 0
    for width in (420, 440, 460):
        pane.resize(width, 300)
        settle()
    assert front.width() > 440
    assert hidden.asked == 0


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
