"""Axes, ticks, and the range of a plot."""

from __future__ import annotations

import itertools
import math

import pytest
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from gpu.core.formats import THIN
from tests.views.scenes import in_sight
from views.widgets.plot import (
    PlotAxis,
    PlotWidget,
    logarithmic_texts,
    logarithmic_ticks,
    tick_texts,
)
from views.widgets.theme import DARK


@pytest.fixture
def plot(qtbot: QtBot) -> PlotWidget:
    made = PlotWidget("x", "y")
    qtbot.addWidget(made)
    return made


def test_ticks_far_outside_of_all_data_are_few_and_short(plot: PlotWidget) -> None:
    plot.show_logarithmic("left", on=True)
    plot.follow((0, 1), (-4000, 1e7))  # exponents of ten
    ((_, places),) = logarithmic_ticks(-4000, 1e7, 300)
    assert 5 < len(places) <= 16
    assert logarithmic_texts([-400.0, 5000.0], 1, 1) == ["1e-400", "1e5000"]
    assert not plot.grab().isNull()


def test_a_growing_range_keeps_room_so_that_the_axes_stand_still(plot: PlotWidget) -> None:
    ranges = []
    for end in range(1, 201):
        plot.follow((0, end), (1, 2), growing=True)
        (low, high), y = plot.box.viewRange()
        assert low == 0
        assert end <= high <= 1.1 * end + 1e-9
        assert y == [1, 2]
        ranges.append(high)
    assert len(set(ranges)) < 50
    plot.follow((0, 20), (1, 2), growing=True)  # much less: a new run
    assert plot.box.viewRange()[0] == [0, 20]
    plot.follow((0, 21), (1, 2), growing=True)
    assert plot.box.viewRange()[0][1] > 22
    plot.fit()
    assert plot.box.viewRange()[0] == [0, 21]
    before = plot.box.viewRange()
    plot.follow((0, math.nan), (1, 2))
    assert plot.box.viewRange() == before


def test_an_axis_has_its_first_and_last_number(qtbot: QtBot, plot: PlotWidget) -> None:
    """In a low plot, too, where they stand near the ends of the axis."""
    plot.apply_theme(DARK)
    for side in ("left", "bottom"):
        plot.show_whole_numbers(side)
    plot.follow((1, 2), (16.95, 18.05))
    in_sight(qtbot, plot, 240, 140)
    plot.grab()
    texts = {}
    for side in ("left", "bottom"):
        image = QImage(9, 9, QImage.Format.Format_RGB32)
        with QPainter(image) as painter:
            _, _, shown = plot.axes[side].generateDrawSpecs(painter)
        texts[side] = [text for _, _, text in shown]
        frame = plot.axes[side].mapRectToScene(plot.axes[side].boundingRect())
        assert plot.widget.sceneRect().contains(frame)  # nothing is cut by the plot's edge
    assert texts == {"left": ["17", "18"], "bottom": ["1", "2"]}


def frames_of(axis: PlotAxis) -> list[QRectF]:
    """Where the texts of the ticks stand."""
    image = QImage(9, 9, QImage.Format.Format_RGB32)
    with QPainter(image) as painter:
        _, _, texts = axis.generateDrawSpecs(painter)
    return [QRectF(frame) for frame, _, _ in texts]


@pytest.mark.parametrize(("side", "size"), [("left", (260, 90)), ("bottom", (150, 300))])
def test_numbers_of_a_short_axis_stand_apart(
    qtbot: QtBot, side: str, size: tuple[int, int]
) -> None:
    plot = PlotWidget("iterations that were made", "length of tours")
    plot.widget.setMinimumHeight(44)
    plot.apply_theme(DARK.presented)
    for one in ("left", "bottom"):
        plot.show_whole_numbers(one)
    plot.follow((0, 9_600_000), (9_500, 13_500))
    in_sight(qtbot, plot, *size)
    axis = plot.axes[side]
    # The axis gets as wide as its texts only when they have been drawn.
    qtbot.waitUntil(lambda: not plot.grab().isNull() and frames_of(axis) != [])
    frames = frames_of(axis)
    assert not any(a.intersects(b) for a, b in itertools.combinations(frames, 2))
    label = axis.label.mapRectToScene(axis.label.boundingRect())
    assert axis.label.opacity() == 0 or plot.widget.sceneRect().contains(label)


def test_a_low_plot_is_not_cut_by_its_pane(qtbot: QtBot) -> None:
    """As low as a pane of a presentation on a small screen makes it."""
    plot = PlotWidget("rank", "cities")
    plot.apply_theme(DARK.presented)
    plot.follow((1, 9), (0, 100))
    in_sight(qtbot, plot, 240, 100)
    assert plot.widget.size() == plot.size() == QSize(240, 100)


def test_ticks_have_the_texts_that_people_expect() -> None:
    assert tick_texts([50000, 60000], 1, 10000) == ["50\u202f000", "60\u202f000"]
    assert tick_texts([0.1, 0.2], 1, 0.1) == ["0.1", "0.2"]
    major, minor = logarithmic_ticks(0, 2.2, 500)
    assert major[1] == [0, 1, 2]
    assert [round(10**place) for place in minor[1]] == [2, 5, 20, 50]
    assert logarithmic_texts([-1, 3], 1, 1) == ["0.1", "1\u202f000"]


@pytest.mark.parametrize("size", [40, 130, 500])
@pytest.mark.parametrize(
    ("low", "high"),
    [(2.1, 2.15), (2.38, 2.58), (1.9, 2.1), (1.62, 1.98), (-0.1, 0.15), (-3.2, -3.1), (-3, 4)],
)
def test_a_logarithmic_axis_of_any_range_has_two_ticks_or_more(
    low: float, high: float, size: float
) -> None:
    """Of one instance of 300 vertices, an axis had none: they were at 200 and 500."""
    levels = logarithmic_ticks(low, high, size)
    places = [place for _, level in levels for place in level if low <= place <= high]
    assert len(places) >= 2
    texts = logarithmic_texts(places, 1, 1)
    assert len(set(texts)) == len(texts)
    for place, text in zip(places, texts, strict=True):
        assert float(text.replace(THIN, "")) == pytest.approx(10**place)
