from __future__ import annotations

import dataclasses
import threading

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from gpu.core.snapshot import MovesMade, Trails, Wanted
from gpu.problems.memory import open_route
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import RouteOrder, TspInstance
from tests.hands import click, double_click, move
from tests.views.scenes import in_sight, pixel_of, show_state, snapshot, uniform
from views.tour.tour_layers import near_edge
from views.tour.tour_view import TourView
from views.widgets.graphics import take_sizes
from views.widgets.theme import DARK
from views.widgets.view import NOTHING, Pointed

SQUARE = np.array([[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]])
AROUND = np.array([0, 1, 2, 3], dtype=np.int32)


def square(*, computed_layout: bool = False, directed: bool = False) -> TspInstance:
    return dataclasses.replace(
        uniform(4),
        name="square",
        display=SQUARE,
        coordinates=SQUARE,
        optimum=40,
        optimal_tour=AROUND,
        computed_layout=computed_layout,
        directed=directed,
    )


@pytest.fixture
def view(qtbot: QtBot) -> TourView:
    made = TourView()
    made.show_instance(square())
    return in_sight(qtbot, made, 500, 500)


def colour_at(view: TourView, x: float, y: float) -> QColor:
    """The brightest pixel within two pixels of a place on the map."""
    take_sizes(view)
    picture: QImage = view.graphics.grab().toImage()
    centre = pixel_of(view, x, y)
    around = [
        picture.pixelColor(centre + QPoint(dx, dy)) for dx in range(-2, 3) for dy in range(-2, 3)
    ]
    return max(around, key=lambda colour: colour.value())


def near(colour: QColor, role: str, tolerance: int = 90) -> bool:
    wanted = DARK.colour(role)
    return (
        abs(colour.red() - wanted.red())
        + abs(colour.green() - wanted.green())
        + abs(colour.blue() - wanted.blue())
        < tolerance
    )


def test_y_points_up_and_both_axes_have_one_scale(view: TourView) -> None:
    bottom, top = pixel_of(view, 0, 0), pixel_of(view, 0, 10)
    right = pixel_of(view, 10, 0)
    assert top.y() < bottom.y()
    assert abs((bottom.y() - top.y()) - (right.x() - bottom.x())) <= 1


def test_each_layer_is_drawn_and_can_be_switched_off(qtbot: QtBot, view: TourView) -> None:
    crossed = np.array([0, 2, 1, 3], dtype=np.int32)
    state = dataclasses.replace(
        snapshot(square(), 5),
        best_solution=AROUND,
        iteration_solution=crossed,
        trails=Trails(np.array([[1, 3], [0, 1]], np.int32), np.array([1.0, 0.2], np.float32)),
    )
    assert near(colour_at(view, 0, 0), "city")
    show_state(view, state)
    assert near(colour_at(view, 5, 0), "best")
    assert near(colour_at(view, 3, 3), "latest")
    assert colour_at(view, 7, 3).green() > 100  # the trail from city 1 to city 3
    for name, place in (("best", (5, 0)), ("latest", (3, 3)), ("trails", (7, 3))):
        click(view.chips[name])
        assert not view.chips[name].isChecked()
        role = {"trails": "trail"}.get(name, name)
        assert not near(colour_at(view, *place), role)
    # Now nothing hides the dashes, which may lie between two rows of pixels.
    assert near(colour_at(view, 2, 0), "optimum", 150)
    click(view.chips["cities"])
    click(view.chips["optimum"])
    assert colour_at(view, 0, 0) == DARK.colour("panel")


def test_trails_of_one_strength_are_drawn_too(view: TourView) -> None:
    """A colony that has come to rest has its best tour's trails alone, all of them at the top."""
    trails = Trails(np.array([[1, 3], [0, 1]], np.int32), np.ones(2, np.float32))
    state = snapshot(square(), 5, wanted=Wanted.NUMBERS)
    show_state(view, dataclasses.replace(state, trails=trails))
    assert colour_at(view, 7, 3).green() > 100


def test_tours_before_and_after_local_search(qtbot: QtBot, view: TourView) -> None:
    chip = view.chips["improved"]
    assert chip.isHidden()
    built = np.array([0, 2, 1, 3], dtype=np.int32)
    state = dataclasses.replace(
        snapshot(square(), 5, wanted=Wanted.NUMBERS),
        iteration_solution=AROUND,
        built_solution=built,
        moves=MovesMade(1, 0),
    )
    show_state(view, state)
    assert chip.isVisible()
    assert Wanted.BUILT_SOLUTION not in view.wanted
    view.chips["latest"].setChecked(False)
    view.chips["optimum"].setChecked(False)
    with qtbot.waitSignal(view.wanted_changed):
        click(chip)
    assert view.wanted & Wanted.BUILT_SOLUTION
    assert view.wanted & Wanted.ITERATION_SOLUTION
    assert "48 → 40 (−16.67\u202f%)" in view.caption.text()
    assert near(colour_at(view, 5, 0), "latest")  # gained: from city 0 to city 1
    assert near(colour_at(view, 10, 5), "mean", 150)  # kept: thin, and so never quite opaque
    picture = view.graphics.grab().toImage()
    along = [picture.pixelColor(pixel_of(view, at, at)) for at in np.linspace(0.5, 9.5, 120)]
    dashed = [near(colour, "gap") for colour in along]  # given up: from city 0 to city 2
    assert 30 < sum(dashed) < 90
    show_state(view, dataclasses.replace(state, built_solution=AROUND))
    assert "local search left 40 as it was" in view.caption.text()
    view.begin_run()
    assert chip.isHidden()
    assert colour_at(view, 5, 0) == DARK.colour("panel")
    assert "local search" not in view.caption.text()


def test_what_is_switched_off_is_not_asked_for(qtbot: QtBot, view: TourView) -> None:
    assert view.wanted == Wanted.SOLUTION | Wanted.ITERATION_SOLUTION | Wanted.TRAILS
    with qtbot.waitSignal(view.wanted_changed):
        click(view.chips["trails"])
    assert view.wanted == Wanted.SOLUTION | Wanted.ITERATION_SOLUTION


def test_a_state_without_a_tour_leaves_the_last_in_sight(view: TourView) -> None:
    show_state(view, dataclasses.replace(snapshot(square(), 5), best_solution=AROUND))
    show_state(view, snapshot(square(), 6, wanted=Wanted.NUMBERS))
    assert near(colour_at(view, 5, 0), "best")
    view.begin_run()
    assert not near(colour_at(view, 5, 0), "best")


def test_the_mouse_names_cities(qtbot: QtBot, view: TourView) -> None:
    move(view.graphics.viewport(), pixel_of(view, 10, 10))
    qtbot.waitUntil(lambda: view.hover.text() == "city 3 at (10, 10)")
    move(view.graphics.viewport(), pixel_of(view, 5, 5))
    qtbot.waitUntil(lambda: view.hover.text() == "")


def test_a_double_click_shows_the_whole_map_again(qtbot: QtBot, view: TourView) -> None:
    view.box.scaleBy((0.1, 0.1))
    zoomed = view.box.viewRect().width()
    viewport = view.graphics.viewport()
    double_click(viewport)
    assert view.box.viewRect().width() > 5 * zoomed


def test_captions_say_what_is_special(qtbot: QtBot, view: TourView) -> None:
    assert "best known 40" in view.caption.text()
    view.show_instance(square(computed_layout=True, directed=True))
    assert "computed layout" in view.caption.text()
    assert "directed" in view.caption.text()
    view.show_instance(None)
    assert view.welcome.isVisible()
    assert view.caption.text() == ""


@pytest.mark.parametrize("n", [3, 5000, 30_000])
def test_any_size_is_drawn(qtbot: QtBot, view: TourView, n: int) -> None:
    instance = uniform(n)
    view.show_instance(instance)
    show_state(view, snapshot(instance, 9))

    def drawn() -> bool:
        picture = view.graphics.grab().toImage()
        colours = {picture.pixelColor(x, 250).name() for x in range(picture.width())}
        return len(colours) > 3

    def idle() -> bool:  # the thread that draws many cities, and compiles what it needs for that
        return all(thread.name != "pictures" for thread in threading.enumerate())

    qtbot.waitUntil(drawn)
    qtbot.waitUntil(idle)


def test_cities_at_one_place_or_in_one_line_are_no_error(view: TourView) -> None:
    for places in (np.zeros((4, 2)), SQUARE * [1.0, 0.0]):
        instance = dataclasses.replace(square(), display=places)
        view.show_instance(instance)
        show_state(view, dataclasses.replace(snapshot(square(), 5), best_solution=AROUND))
        assert not view.graphics.grab().isNull()


def test_directed_tours_have_heads_of_arrows_at_every_zoom(qtbot: QtBot, view: TourView) -> None:
    def head(x: float, y: float) -> bool:
        """Whether the best tour's colour is some pixels above and below a place on its edge."""
        picture, at = view.graphics.grab().toImage(), pixel_of(view, x, y)
        best = QColor(DARK["best"])
        return any(
            all(picture.pixelColor(at + QPoint(dx, dy)) == best for dy in (-3, 3))
            for dx in (-6, -5, -4)
        )

    shown = dataclasses.replace(snapshot(uniform(4), 3), best_solution=AROUND, trails=None)
    for name in ("optimum", "latest", "trails"):
        view.chips[name].setChecked(False)
    view.show_instance(square(directed=True))
    show_state(view, shown)
    qtbot.waitUntil(lambda: head(5.0, 0.0))  # in the middle of the edge from city 1 to city 2
    view.box.setRange(xRange=(6.0, 8.0), yRange=(-1.0, 1.0), padding=0)
    x = sum(view.box.viewRange()[0]) / 2  # the middle of what is seen of the edge
    assert head(min(x, (10 + view.box.viewRange()[0][0]) / 2), 0.0)
    view.box.setRange(xRange=(-300.0, 300.0), yRange=(-300.0, 300.0), padding=0)
    assert not head(5.0, 0.0)  # the edge is shorter than a head
    view.show_instance(square())
    show_state(view, shown)
    assert not head(5.0, 0.0)


CORNERS = np.array([[0.0, 0.0], [100.0, 0.0], [100.0, 100.0], [0.0, 100.0]])
ROUND = np.array([2, 3, 0, 1], np.int32)  # begins in the middle: its last edge is found, too


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ((50.0, 3.0), Pointed(places=(0, 1))),
        ((103.0, 60.0), Pointed(places=(1, 2))),
        ((50.0, 95.0), Pointed(places=(2, 3))),
        ((50.0, 50.0), NOTHING),
        ((110.0, 50.0), NOTHING),
    ],
)
def test_the_nearest_edge_is_found(place: tuple[float, float], found: Pointed) -> None:
    assert near_edge(CORNERS, RouteOrder(ROUND, closed=True), QPointF(*place), (1.0, 1.0)) == found


def test_no_edge_is_nearer_than_the_one_that_is_found() -> None:
    rng = np.random.default_rng(1)
    cities, tour = rng.random((60, 2)), rng.permutation(60).astype(np.int32)
    starts, ends = cities[tour], cities[np.roll(tour, -1)]
    along = np.linspace(0, 1, 2001)[:, None, None]
    for place in rng.random((40, 2)):
        apart = np.linalg.norm(starts + along * (ends - starts) - place, axis=2).min(axis=0)
        found = near_edge(cities, RouteOrder(tour, closed=True), QPointF(*place), (0.01, 0.01))
        assert (found != NOTHING) == (apart.min() <= 6 * 0.01)
        if found != NOTHING:
            edge = int(np.flatnonzero(tour == found.places[0])[0])
            assert found.places[1] == tour[(edge + 1) % 60]
            assert apart[edge] == pytest.approx(apart.min(), abs=1e-3)


def test_an_open_route_is_drawn_without_the_way_back(qtbot: QtBot) -> None:
    corners = np.array([[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]])
    square = TspInstance("square", "", Metric.EUC_2D, corners, None, corners)
    route = open_route(square, 0, 3)
    view = TourView()
    qtbot.addWidget(view)
    view.show_instance(route)
    tour = route.solution_from([0, 1, 2, 3])
    view.layers["best"].show_part(tour)
    order = route.route_of(tour)
    assert (order.cities.tolist(), order.closed) == ([0, 1, 2, 3], False)
    assert len(view.layers["cities"].cities) == 4 < route.n
    on_way, on_way_back = QPointF(5.0, 0.1), QPointF(0.1, 5.0)
    assert near_edge(corners, order, on_way, (0.1, 0.1)) == Pointed(places=(0, 1))
    assert near_edge(corners, order, on_way_back, (0.1, 0.1)) == NOTHING
    assert "an open route from city 1 to city 4" in view.caption.text()
