"""The pages of the gallery, at any width."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedWidget, QWidget
from pytestqt.qtbot import QtBot

from tests.views.scenes import cut_texts, in_sight
from views.gallery.gallery import Gallery
from views.gallery.papers_page import PaperRow, PapersPage

ROWS = [
    PaperRow(
        f"2016/table-{number}",
        "A paper",
        f"Table {number}",
        "What is compared, in a sentence that has several lines in a narrow window. " * 3,
        "runs here",
        "",
        "about 3 min",
        can_open=True,
        has_results=False,
    )
    for number in range(30)
]


def test_in_another_width_cards_come_a_few_at_a_time_and_the_page_stays_where_it_was(
    qtbot: QtBot,
) -> None:
    stack, page = QStackedWidget(), PapersPage()
    qtbot.addWidget(stack)
    stack.addWidget(page)
    stack.addWidget(QWidget())
    stack.resize(800, 400)
    stack.show()
    assert page.waits.isVisible()
    page.show_rows(ROWS)
    assert not page.waits.isVisible()
    qtbot.waitUntil(lambda: len(page.cards) == len(ROWS))
    cards, bar = list(page.cards.values()), page.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 900 and all(card.isVisible() for card in cards))
    bar.setValue(700)
    stack.setCurrentIndex(1)
    stack.setCurrentIndex(0)
    assert all(card.isVisible() for card in cards)  # in the same width at once

    stack.setCurrentIndex(1)
    stack.resize(640, 400)
    stack.setCurrentIndex(0)
    assert not any(card.isVisible() for card in cards)
    qtbot.waitUntil(lambda: all(card.isVisible() for card in cards))
    qtbot.waitUntil(lambda: bar.value() == 700)
    assert [card.row for card in page.cards.values()] == ROWS
    assert all(card.height() > card.sizeHint().height() / 2 for card in cards)

    stack.setCurrentIndex(1)
    stack.resize(700, 400)
    stack.setCurrentIndex(0)
    page.show_rows(ROWS[:5])  # others, before all had room
    qtbot.waitUntil(lambda: [card.isVisible() for card in page.cards.values()] == [True] * 5)


def test_tabs_and_buttons_are_one_below_the_other_where_both_have_no_room(qtbot: QtBot) -> None:
    gallery = in_sight(qtbot, Gallery(), 1100, 600)
    gallery.offer_back("berlin52")
    assert gallery.tabs.y() + gallery.tabs.height() > gallery.back_button.y()
    gallery.resize(620, 600)
    qtbot.waitUntil(lambda: gallery.tabs.geometry().bottom() < gallery.back_button.y())
    gallery.generate.setVisible(False)
    assert not [one for one in cut_texts(gallery) if one in ("Instances", "Make one", "Download")]
    gallery.offer_back("")
    qtbot.waitUntil(lambda: gallery.tabs.geometry().bottom() >= gallery.open_button.y())
