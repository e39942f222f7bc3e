"""Pixels of lines and points, against plain ones."""

from __future__ import annotations

import numpy as np
import pytest

from gpu.drawing.raster import lines_within, mark_lines, mark_points, points_within

RANDOM = np.random.default_rng(1)
WIDTH, HEIGHT = 90, 60
FRAMES = {
    "as they are": (1.0, 0.0, 0.0, 1.0, 0.0, 0.0),
    "y up": (0.9, 0.0, 0.0, -0.5, 3.0, 58.0),
    "near": (10.0, 0.0, 0.0, -10.0, -450.0, 500.0),
    "turned": (0.5, 0.3, -0.3, 0.5, 30.0, 5.0),
    "far away": (1.0, 0.0, 0.0, 1.0, 5000.0, 0.0),
}


def pixels_of(places: np.ndarray, frame: np.ndarray) -> np.ndarray:
    return np.asarray(places @ frame[:4].reshape(2, 2) + frame[4:])


def widened(marked: np.ndarray) -> np.ndarray:
    around = np.pad(marked, 1)
    shifted = [around[y : y + HEIGHT, x : x + WIDTH] for y in range(3) for x in range(3)]
    return np.asarray(np.any(shifted, axis=0))


@pytest.mark.parametrize("name", FRAMES)
def test_points(name: str) -> None:
    frame, places = np.array(FRAMES[name]), RANDOM.random((3000, 2)) * 100
    pixels = pixels_of(places, frame)
    inside = (pixels >= 0).all(axis=1) & (pixels < (WIDTH, HEIGHT)).all(axis=1)
    found = np.full(4000, -1, np.int32)
    count = points_within(places, frame, WIDTH, HEIGHT, found)
    assert np.array_equal(found[:count], np.flatnonzero(inside))
    few = found[:5].copy()
    assert points_within(places, frame, WIDTH, HEIGHT, few[:2]) == min(count, 3)
    assert np.array_equal(few, found[:5])
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    mark_points(places, frame, mask)
    expected = np.zeros_like(mask)
    expected[tuple(pixels[inside].astype(int).T[::-1])] = 255
    assert np.array_equal(mask, expected)


@pytest.mark.parametrize("name", FRAMES)
def test_lines(name: str) -> None:
    frame, places = np.array(FRAMES[name]), RANDOM.random((60, 2)) * 100
    path = RANDOM.permutation(60).astype(np.int32)
    ends = pixels_of(places[path], frame)
    others = np.roll(ends, -1, axis=0)
    low, high = np.minimum(ends, others), np.maximum(ends, others)
    touching = (high >= 0).all(axis=1) & (low <= (WIDTH, HEIGHT)).all(axis=1)
    found = np.full(60, -1, np.int32)
    count = lines_within(places, path, frame, WIDTH, HEIGHT, found)
    assert np.array_equal(np.sort(found[:count]), np.flatnonzero(touching))
    few = found[:5].copy()
    assert lines_within(places, path, frame, WIDTH, HEIGHT, few[:2]) == min(count, 3)
    assert np.array_equal(few, found[:5])
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    mark_lines(places, path, frame, mask)
    shares = np.linspace(0, 1, 20_000)[:, None]
    fine = np.zeros(mask.shape, bool)
    for begin, end in zip(ends, others, strict=True):
        way = np.floor(begin + shares * (end - begin)).astype(int)
        way = way[(way >= 0).all(axis=1) & (way < (WIDTH, HEIGHT)).all(axis=1)]
        fine[way[:, 1], way[:, 0]] = True
    assert set(np.unique(mask)) <= {0, 255}
    marked = mask > 0
    assert not (marked & ~widened(fine)).any()  # nothing beside a line
    assert not (fine & ~widened(marked)).any()  # and no gap in it
    assert (marked & ~fine).sum() <= 0.01 * fine.sum()  # but where it passes a corner
    assert marked.any() == (name != "far away")
