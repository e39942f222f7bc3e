from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.hands import click, press, write
from tests.views.scenes import cut_texts
from views.draw.board import Board
from views.frame.main_window import MainWindow
from views.frame.view_table import EXPLANATIONS
from views.help import guide
from views.help.guide_window import GuideWindow
from views.setup.cards import Card
from views.widgets.guide_asked import GuideButton, target_of
from views.widgets.labels import ExplanationCard
from views.widgets.theme import DARK, LIGHT


def guides_of(window: MainWindow) -> GuideWindow:
    assert window.guidance.guides is not None
    return window.guidance.guides


def test_every_question_mark_leads_to_a_passage(window: MainWindow) -> None:
    Board(window, DARK)  # the drawing board is a part of it
    parts = window.findChildren(QWidget)
    marks = [one for one in parts if isinstance(one, GuideButton)]
    targets = {one.target for one in marks} | set(map(target_of, parts))
    targets |= {one.guide for one in EXPLANATIONS.values()}
    for key in window.gallery.tabs.buttons:
        window.gallery.show_page(key)
        targets.add(window.gallery.guide_button.target)
    for target in targets - {""}:
        guide.find(target)
    cards = [one for one in parts if isinstance(one, Card)]
    assert len(cards) == 13
    assert all(len(card.findChildren(GuideButton)) == 1 for card in cards)
    names = [one.accessibleName() for one in marks]
    assert all(name.startswith("Guide: ") for name in names)
    window.resize(1000, 700)
    assert cut_texts(window.setup) == []


def test_cards_views_and_f1_open_the_passage_about_them(qtbot: QtBot, window: MainWindow) -> None:
    click(window.setup.aim.findChild(GuideButton))
    guides = guides_of(window)
    qtbot.addWidget(guides)
    assert guides.isVisible()
    assert guides.shown == ("guide/panel.md", "aim")
    assert guides.list.currentItem().text() == "Set up a run"

    window.setup.seed_field.entry.setFocus()
    press(window.setup.seed_field.entry, Qt.Key.Key_F1)
    assert guides.shown == ("guide/panel.md", "parameters")
    pane = window.dashboard.panes[0]
    click(pane.help_button)
    (card,) = pane.findChildren(ExplanationCard)
    card.more.linkActivated.emit("guide")
    assert guides.shown == ("guide/watch.md", "")
    assert not [one for one in pane.findChildren(ExplanationCard) if one.isVisible()]
    window.pages.show_gallery()
    window.gallery.show_page("papers")
    click(window.gallery.guide_button)
    assert guides.shown == ("guide/begin.md", "papers")

    qtbot.waitUntil(guides.isActiveWindow)
    press(guides, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert guides.shown == ("guide/watch.md", "")
    click(guides.forth)
    assert guides.shown == ("guide/begin.md", "papers")
    assert not guides.forth.isEnabled()
    press(guides, Qt.Key.Key_Escape)
    assert not guides.isVisible()
    window.close()
    assert window.guidance.guides is None


def test_search_links_pictures_and_both_themes(qtbot: QtBot, window: MainWindow) -> None:
    window.guidance.read("files")
    guides = guides_of(window)
    qtbot.addWidget(guides)
    qtbot.waitUntil(guides.isActiveWindow)
    write(guides.search, "selective memory")
    press(guides.search, Qt.Key.Key_Return)
    assert guides.list.count() > 1
    page, anchor = guides.shown
    assert any(one.anchor == anchor for one in guide.passages(page))
    assert guides.page.extraSelections()
    press(guides.search, Qt.Key.Key_Down)
    assert guides.list.hasFocus()
    write(guides.search, "no-such-word")
    guides.list_found()
    assert (guides.list.count(), guides.note.text()) == (0, "No guide has that")
    press(guides, Qt.Key.Key_Escape)
    assert guides.search.text() == ""
    assert guides.isVisible()

    guides.page.anchorClicked.emit(QUrl("stops.md"))
    assert guides.shown == ("guide/stops.md", "")
    guides.page.anchorClicked.emit(QUrl("../log.md#format-1"))
    assert guides.shown == ("log.md", "format-1")
    guides.page.anchorClicked.emit(QUrl("../../../pyproject.toml"))  # no page
    assert guides.shown == ("log.md", "format-1")

    window.guidance.read("begin")
    width = guides.page.viewport().width()
    assert guides.page.document().size().width() <= width
    assert guides.page.loadResource(2, QUrl("../images/guide-begin.png")) is not None
    assert guides.page.loadResource(2, QUrl("https://example.com/a.png")) is None
    assert guides.page.loadResource(2, QUrl("../../resources/icons/ant.svg")) is None
    for theme in (DARK, LIGHT, DARK.presented):
        window.guidance.apply_theme(theme)
        first = guides.page.document().begin()
        assert first.text() == "Begin"
        assert first.begin().fragment().charFormat().fontPointSize() == theme.points(1.7)
        colours = guides.page.palette().base().color()
        assert colours is not None
