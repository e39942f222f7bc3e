"""Chips that have no room are in a menu."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from tests.hands import settle
from tests.views.scenes import snapshot, uniform
from views.frame.main_window import MainWindow
from views.tour.tour_view import TourView
from views.widgets.chip_row import ChipRow
from views.widgets.controls import Chip
from views.widgets.picture_export import as_image


def row_of(qtbot: QtBot, *texts: str) -> tuple[ChipRow, list[Chip]]:
    chips = [Chip(text, "best", "line") for text in texts]
    row = ChipRow(chips)
    qtbot.addWidget(row)
    row.show()
    return row, chips


def shown(chips: list[Chip]) -> list[str]:
    settle()
    return [chip.text() for chip in chips if chip.isVisible()]


def test_what_has_no_room_is_in_the_menu_and_comes_back(qtbot: QtBot) -> None:
    row, chips = row_of(qtbot, "Best", "Iteration", "Best known", "Trails", "Cities")
    one = chips[2].sizeHint().width()
    row.resize(10 * one, 80)
    assert shown(chips) == [chip.text() for chip in chips]
    assert not row.more.isVisible()
    row.resize(one + 30, 80)
    assert len(shown(chips)) < len(chips)
    assert row.more.isVisible()
    row.menu.aboutToShow.emit()
    (*_, last) = row.menu.actions()
    assert [action.text() for action in row.menu.actions()] == [c.text() for c in row.left_over]
    assert last.isChecked()
    last.trigger()
    assert not chips[-1].isChecked()
    chips[-1].hide()  # there are none now
    settle()
    assert chips[-1] not in row.left_over
    chips[-1].show()
    settle()
    assert chips[-1] in row.left_over
    assert not chips[-1].isVisible()
    row.resize(10 * one, 80)
    assert shown(chips) == [chip.text() for chip in chips]


def test_chips_leave_the_map_its_room(qtbot: QtBot, window: MainWindow) -> None:
    instance = uniform(120)
    view = window.view(TourView)
    window.show_snapshot(snapshot(instance, 90))
    window.resize(1000, 700)
    window.dashboard.queue.finish()
    settle()
    chips = [chip for chip in view.chips.values() if chip.isVisible()]
    assert len({chip.y() for chip in chips}) <= 2
    assert view.graphics.height() > 0.5 * view.height()
    for name, chip in view.chips.items():
        assert chip.isVisible() or not chip.offered or chip in view.chip_row.left_over, name
    before = [chip.isVisible() for chip in view.chips.values()]
    as_image(view, window.theme)  # with all of its legend
    settle()
    assert [chip.isVisible() for chip in view.chips.values()] == before
