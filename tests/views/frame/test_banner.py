from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.hands import click, press, ticking
from views.frame.banner import Offer
from views.frame.main_window import MainWindow
from views.tour.tour_view import TourView
from views.widgets.picture_export import make_due_layouts


def test_a_message_covers_nothing(shown_either_way: MainWindow) -> None:
    window = shown_either_way
    window.where.setText("a long line that tells where the run is logged " * 5)
    banner, label = window.banner, window.banner.label
    for size in ((1400, 800), (1400, 700), (1024, 700)):
        window.tell("the limit of 40 iterations is reached", "done")
        window.resize(*size)
        make_due_layouts(banner.room)
        assert banner.geometry().top() >= window.statusBar().geometry().top()
        assert banner.geometry().bottom() < window.height()
        assert banner.geometry().left() >= window.where.geometry().right()
        assert label.width() >= label.fontMetrics().horizontalAdvance(label.text())
        before = window.view(TourView).size()
        banner.clear()
        make_due_layouts(banner.room)
        assert window.view(TourView).size() == before


def test_what_a_run_says_at_its_end_covers_nothing_in_a_narrow_window(
    shown_either_way: MainWindow,
) -> None:
    window = shown_either_way
    banner, row = window.banner, window.statusBar()
    sentence = "best 10 082, 0.82 % above the best known, after 300 iterations"
    for size in ((1000, 700), (800, 800), (800, 600)):
        window.resize(*size)
        make_due_layouts(banner.room)
        before = row.height()
        window.tell(f"the limit of 300 iterations is reached: {sentence}", "done")
        make_due_layouts(banner.room)
        assert banner.geometry().top() >= row.geometry().top()
        assert banner.geometry().bottom() < window.height()
        assert banner.geometry().left() >= 0
        assert banner.label.height() >= banner.label.heightForWidth(banner.label.width())
        assert row.height() == before
        banner.clear()


def test_a_verdict_of_three_lines_covers_nothing(shown_either_way: MainWindow) -> None:
    window = shown_either_way
    banner, row = window.banner, window.statusBar()
    window.resize(1000, 700)
    make_due_layouts(banner.room)
    before = row.height()
    texts = "30 s more", "Improve", "Stop sooner next time", "Another one"
    offers = [Offer(text, text, lambda: None) for text in texts]
    sentence = "finished: the limit of 60 s is reached, nothing better for 58 s. " * 3
    window.tell(sentence, "done", stays=True, offers=offers)
    for _ in range(2):
        make_due_layouts(banner.room)
        assert banner.label.height() >= banner.label.heightForWidth(banner.label.width())
        assert banner.geometry().top() >= row.geometry().top() > 0
        assert banner.geometry().bottom() < window.height()
        assert row.height() > before
        window.resize(980, 690)
    banner.clear()
    make_due_layouts(banner.room)
    assert row.height() == before


def test_a_message_blocks_nothing_and_can_be_closed(qtbot: QtBot, window: MainWindow) -> None:
    size = window.view(TourView).size()
    window.tell("the file is missing")
    window.tell("pla85900: needs 29.5 GB and this GPU has 12.1 GB free")
    assert window.banner.text.startswith("pla85900: needs")
    assert window.banner.isVisible()
    assert window.view(TourView).size() == size
    with qtbot.waitSignal(window.run.start):
        press(window, Qt.Key.Key_Space)
    click(window.banner.close_button)
    assert window.banner.text == ""
    window.tell("done it", "done")
    assert window.banner.text == "Done it"


def test_how_a_run_ended_stays_until_there_is_another_message(window: MainWindow) -> None:
    window.tell("It is kept", "done")
    assert ticking(window.banner)
    window.tell("the limit of 40 iterations is reached", "done", stays=True)
    assert not ticking(window.banner)
    assert window.banner.text == "The limit of 40 iterations is reached"
    window.tell("It is kept", "done")
    assert ticking(window.banner)
    window.banner.clear()
