"""The list of stops, and what of it is on the map."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication, QImage, QPainter, QTransform
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gpu.core.snapshot import RunState
from gpu.problems.tsp.distances import Metric, in_minutes
from gpu.problems.tsp.instance import TspInstance
from tests.hands import NONE, click, press
from tests.views.scenes import in_sight, pixel_of, show_state, snapshot, uniform
from views.frame.main_window import MainWindow
from views.tour.label_layers import Labels, LabelsLayer, RouteEnds
from views.tour.stops_view import StopsView
from views.tour.tour_view import TourView
from views.widgets.background_layer import Sheet
from views.widgets.table import CELL_PADDING
from views.widgets.theme import DARK

TOUR = np.array([2, 0, 3, 1], np.int32)


def towns() -> TspInstance:
    """Four places on the globe, with names."""
    degrees = np.array([[52.52, 13.4], [41.9, 12.5], [59.91, 10.75], [48.86, 2.35]])
    return TspInstance(
        "towns",
        "",
        Metric.GEO,
        in_minutes(degrees),
        None,
        degrees[:, ::-1].copy(),
        names=("Berlin", "Rome", "Oslo", "Paris"),
        geographic=True,
        unit="km",
    )


def found(instance: TspInstance, tour: NDArray[np.int32] = TOUR) -> RunState:
    """A state in which ``tour`` is the best one."""
    return dataclasses.replace(snapshot(instance, 5), best_solution=tour)


@pytest.fixture
def view(qtbot: QtBot) -> StopsView:
    made = StopsView()
    made.show_instance(towns())
    return in_sight(qtbot, made, 600, 400)


def labels_of(view: TourView) -> Labels:
    shown = view.layers["labels"].shown
    assert isinstance(shown, Labels)
    return shown


def rows(view: StopsView) -> list[list[str]]:
    return [view.table.texts(at) for at in range(len(view.table.content.rows))]


def test_the_list_begins_at_the_start_and_says_ways_in_their_unit(view: StopsView) -> None:
    instance = towns()
    assert view.hint.isVisible()
    show_state(view, found(instance))
    legs = instance.distances(np.array([0, 3, 1, 2]), np.array([3, 1, 2, 0])).tolist()
    assert view.table.headings == ["Stop", "City", "Name", "Leg (km)", "Total (km)"]
    names, totals = ["Berlin", "Paris", "Rome", "Oslo", "Berlin"], np.cumsum(legs).tolist()
    listed = [[cell.replace("\u202f", " ") for cell in row] for row in rows(view)]
    assert [row[0] for row in listed] == ["1", "2", "3", "4", "1"]
    assert [row[2] for row in listed] == names
    assert [row[3] for row in listed] == ["", *(f"{one:,}".replace(",", " ") for one in legs)]
    assert listed[-1][4] == f"{totals[-1]:,}".replace(",", " ")
    assert (
        view.summary.text().replace("\u202f", " ")
        == f"4 stops, {listed[-1][4]} km as the crow flies"
    )


def test_no_name_is_cut_that_has_fewer_letters_than_another_and_is_wider(view: StopsView) -> None:
    instance = dataclasses.replace(towns(), names=("Illinii", "Mammom", "Oslo", "Paris"))
    view.show_instance(instance)
    show_state(view, found(instance))
    table = view.table
    column = [one.title for one in table.content.columns].index("Name")
    letters = QFontMetrics(table.theme.font())
    assert table.columnWidth(column) > letters.horizontalAdvance("Mammom") + 2 * CELL_PADDING


def test_no_label_is_cut_at_the_upper_edge_of_the_map(qapp: object) -> None:
    image = QImage(120, 60, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    with QPainter(image) as painter:
        sheet = Sheet(painter, QTransform(), QRectF(image.rect()), DARK)
        LabelsLayer(0).draw_part(np.array([[10.0, 6.0]]), Labels(("Delta",)), sheet)
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(60, 120) & 0xFFFFFF
    drawn = (pixels != 0xFF0000).any(axis=1)
    assert drawn.any()
    assert not drawn[:6].any()  # it is below its city


def test_a_chosen_stop_stays_chosen_while_the_route_changes(qtbot: QtBot, view: StopsView) -> None:
    instance = towns()
    show_state(view, found(instance))
    table = view.table
    with qtbot.waitSignal(view.city_chosen) as chosen:
        click(table.viewport(), table.visualRect(table.model().index(1, 2)).center())
    assert chosen.args == [3]
    with qtbot.assertNotEmitted(view.city_chosen):
        show_state(view, found(instance, np.array([0, 1, 3, 2], np.int32)))
    assert [table.texts(at)[2] for at in [row.row() for row in table.selectedIndexes()[:1]]] == [
        "Paris"
    ]
    press(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    head, row = QGuiApplication.clipboard().text().splitlines()
    assert head.split("\t")[:3] == ["Stop", "City", "Name"]
    assert row.split("\t")[:3] == ["3", "4", "Paris"]


def test_of_a_hundred_thousand_stops_another_thread_makes_the_list(qtbot: QtBot) -> None:
    instance = uniform(100_000, known=False)
    view = StopsView()
    view.show_instance(instance)
    in_sight(qtbot, view, 400, 300)
    tour = np.random.default_rng(1).permutation(instance.n).astype(np.int32)
    state = dataclasses.replace(snapshot(uniform(9), 1), best_solution=tour)
    view.take_in(state)
    view.draw()
    assert view.table.stops is None
    qtbot.waitUntil(lambda: view.table.stops is not None)
    assert len(view.table.content.rows) == instance.n + 1
    assert view.table.texts(0)[:2] == ["1", "1"]
    view.choose(int(tour[5]))
    assert view.table.currentIndex().isValid()
    assert view.table.selected == [view.table.currentIndex().row()]


def test_a_click_on_the_map_shows_the_row_and_the_other_way_round(
    qtbot: QtBot, window: MainWindow
) -> None:
    instance = towns()
    window.show_instance(instance)
    qtbot.waitUntil(lambda: not window.pages.shows_gallery)
    window.dashboard.show_view("stops")
    window.show_snapshot(found(instance))
    window.dashboard.queue.finish()
    stops, map_ = window.view(StopsView), window.view(TourView)
    assert map_.layers["labels"].shown is not None
    place = pixel_of(map_, *instance.display[2])
    viewport = map_.graphics.viewport()
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, NONE, place)
    assert [stops.table.texts(at)[2] for at in stops.table.selected] == ["Oslo"]
    with qtbot.waitSignal(map_.menu_wanted) as wanted:
        QTest.mouseClick(viewport, Qt.MouseButton.RightButton, NONE, place)
    assert wanted.args[0] == 2
    map_.box.setRange(xRange=(13.3, 13.5), yRange=(52.5, 52.6), padding=0)
    table = stops.table
    click(table.viewport(), table.visualRect(table.model().index(1, 2)).center())
    assert map_.hover.text() == "city 4 (Paris) at latitude 48.86, longitude 2.35"
    seen = map_.box.viewRect()
    assert seen.contains(*instance.display[3])


def test_numbers_and_names_are_there_where_the_instance_has_names(qtbot: QtBot) -> None:
    view = TourView()
    view.show_instance(uniform(30))
    in_sight(qtbot, view, 500, 400)
    assert not view.chips["numbers"].isChecked()
    assert not view.chips["globe"].isVisible()
    show_state(view, snapshot(uniform(30), 5))
    assert view.layers["labels"].shown is None
    click(view.chips["numbers"])
    assert labels_of(view).texts(np.array([0])) == ["1"]

    instance = towns()
    view.show_instance(instance)
    show_state(view, found(instance))
    assert view.layers["ends"].shown == RouteEnds(0, None)
    assert labels_of(view).texts(np.arange(4)) == ["1 Berlin", "3 Rome", "4 Oslo", "2 Paris"]
    click(view.chips["numbers"])
    assert labels_of(view).texts(np.array([1])) == ["Rome"]
    click(view.chips["names"])
    assert view.layers["labels"].shown is None


def test_a_map_of_the_globe_has_a_grid_and_the_same_scale_in_both_directions(
    qtbot: QtBot,
) -> None:
    view = TourView()
    view.show_instance(towns())
    in_sight(qtbot, view, 500, 400)
    across, down = view.box.viewPixelSize()
    assert across / down == pytest.approx(1 / np.cos(np.radians((41.9 + 59.91) / 2)), rel=0.01)
    place = QPoint(view.graphics.width() // 2, view.graphics.height() // 2)
    before = view.graphics.grab().toImage()
    assert view.chips["globe"].isVisible()
    click(view.chips["globe"])
    assert view.graphics.grab().toImage() != before
    assert before.rect().contains(place)
