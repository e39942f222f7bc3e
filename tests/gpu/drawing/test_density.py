"""Which edges of very many are drawn, and how dense they look."""

from __future__ import annotations

import numpy as np
import pytest

from gpu.drawing import density
from gpu.drawing.density import EVERY_EDGE, levels_of, sample_of
from gpu.drawing.raster import count_edges, paint_points

RANDOM = np.random.default_rng(1)
WHOLE = np.array([50.0, 0.0, 0.0, -50.0, 50.0, 50.0])  # of [-1, 1] in both directions
PART = np.array([200.0, 0.0, 0.0, -200.0, 50.0, 50.0])  # a quarter as wide, in the middle
PLACES = RANDOM.random((2_000, 2)) * 2 - 1
EDGES = RANDOM.integers(0, 2_000, (20_000, 2)).astype(np.int32)
SIDE = 100  # pixels


def test_few_edges_are_all_drawn_and_listed() -> None:
    sample = sample_of(PLACES, EDGES, WHOLE, SIDE, SIDE, 30_000)
    assert sample.in_sight == sample.drawn == len(EDGES)
    assert sample.first.tolist() == list(range(len(EDGES)))
    some = sample_of(PLACES, EDGES, WHOLE, SIDE, SIDE, 7)
    assert some.first.tolist() == list(range(7))


def test_those_in_sight_are_counted() -> None:
    pixels = PLACES[EDGES] * [200, -200] + 50
    shares = np.linspace(0, 1, 500)[:, None, None]
    along = pixels[:, 0] + shares * (pixels[:, 1] - pixels[:, 0])
    met = ((along >= 0) & (along <= SIDE)).all(axis=2).any(axis=0)
    beside = ((along >= -2) & (along <= SIDE + 2)).all(axis=2).any(axis=0)
    sample = sample_of(PLACES, EDGES, PART, SIDE, SIDE, len(EDGES))
    found = np.zeros(len(EDGES), np.bool_)
    found[sample.first] = True
    assert sample.in_sight == found.sum() < len(EDGES)
    assert not (met & ~found).any()
    assert not (found & ~beside).any()


@pytest.mark.parametrize("most", [1, 300, 5_000])
def test_a_sample_has_at_most_so_many_edges(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(density, "MOST_EDGES", most)
    sample = sample_of(PLACES, EDGES, WHOLE, SIDE, SIDE, 0)
    assert sample.in_sight == len(EDGES)
    assert 0.9 * most - 3 <= sample.drawn <= most
    assert sample == sample_of(PLACES, EDGES, WHOLE, SIDE, SIDE, 0)._replace(first=sample.first)


def test_zooming_in_shows_the_same_edges_and_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(density, "MOST_EDGES", 2_000)
    whole = sample_of(PLACES, EDGES, WHOLE, SIDE, SIDE, 0)
    part = sample_of(PLACES, EDGES, PART, SIDE, SIDE, 0)
    assert part.in_sight < whole.in_sight
    assert part.parts > whole.parts  # those of the whole picture are among them
    shown = [np.zeros((SIDE, SIDE), np.uint32) for _ in range(2)]
    for counts, sample in zip(shown, (whole, part), strict=True):
        count_edges(PLACES, EDGES, PART, density._PARTS, sample.parts, counts)
    assert (shown[1] >= shown[0]).all()
    assert shown[1].sum() > 1.2 * shown[0].sum()


def test_a_sample_has_edges_of_all_regions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(density, "MOST_EDGES", 2_000)
    along = np.arange(20_000)
    places = np.column_stack([along / 10_000 - 1, np.zeros(20_000)])
    edges = np.column_stack([along[:-1], along[1:]]).astype(np.int32)
    sample = sample_of(places, edges, WHOLE, SIDE, SIDE, 0)
    counts = np.zeros((SIDE, SIDE), np.uint32)
    count_edges(places, edges, WHOLE, density._PARTS, sample.parts, counts)
    columns = counts.sum(axis=0)
    assert columns.min() > 0.8 * columns.mean()


def test_levels_follow_the_edges() -> None:
    places = np.array([[-1.0, 1.0], [1.0, 1.0], [-1.0, -1.0]])
    frame = np.array([24.5, 0.0, 0.0, -24.5, 25.0, 25.0])
    edges = np.array([[0, 1], [0, 2]], np.int32)
    levels = levels_of(places, edges, frame, (50, 50), EVERY_EDGE)
    assert (levels[0] > 0).all()  # y is up: the first two vertices lie at the top
    assert (levels[:, 0] > 0).all()
    assert levels[1:, 1:].max() == 0
    twice = np.array([[0, 1], [0, 1], [0, 2]], np.int32)
    levels = levels_of(places, twice, frame, (50, 50), EVERY_EDGE)
    assert levels[0, 25] > levels[25, 0] > 0
    away = levels_of(places, edges, np.add(frame, [0, 0, 0, 0, 500, 0]), (50, 50), EVERY_EDGE)
    assert away.max() == 0


def test_points_are_painted_in_their_order_and_one_look_in_front() -> None:
    places = np.array([[1.5, 1.5], [2.0, 1.5], [7.5, 0.0], [90.0, 1.0]])
    frame = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    looks, colours = np.array([0, 1, 1, 1], np.int32), np.array([7, 9], np.uint32)
    stamp = np.ones((3, 3), np.bool_)
    for only, there in ((-1, 9), (0, 7)):
        picture = np.zeros((4, 8), np.uint32)
        paint_points(places, looks, colours, frame, stamp, only, picture)
        assert picture[1, 1] == there
        assert picture[1, 3] == 9
        assert picture[0, 7] == 9  # cut at the edges
        assert (picture[3] == 0).all()
