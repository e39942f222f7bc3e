"""Seeded generators of cities, some with a tour that is provably optimal.

The same files come out on every machine: uniform random numbers, arithmetic that IEEE 754 rounds
correctly, and results rounded far above the error of the few sines and cosines.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import ParameterError
from gpu.core.random import checked_seed
from gpu.problems.document import text_of_cities
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.neighbours import nearest_neighbours
from gpu.problems.tsp.tsplib.tsplib_files import load

Points = NDArray[np.float64]
Layout = tuple[Points, NDArray[np.int64] | None]
"""Points, shape (n, 2), and an optimal tour where the layout has a provable one."""

CITIES_MOST = 10_000_000  # cities that are made at once
TYPICAL = 0.7124
"""Length of the shortest tour of very many cities, spread evenly, as a multiple of √(n·area)."""

PLACES_AT_ONCE = 1 << 18  # places that are tried at a time
GRID_STEP = 100  # distance between neighbours on a grid or a ring


def uniform(random: np.random.Generator, n: int) -> Layout:
    """Spread ``n`` cities evenly over a square."""
    side = 100 * math.isqrt(n) + 1
    return _first_distinct(lambda count: random.integers(0, side, (count, 2)), n), None


def clustered(random: np.random.Generator, n: int) -> Layout:
    """Gather ``n`` cities in round clusters of about 60, some tight and some loose."""
    side = 100.0 * math.sqrt(n)
    clusters = max(4, n // 60)
    centres = random.random((clusters, 2)) * side
    spread = side * (0.01 + 0.04 * random.random(clusters))

    def draw(count: int) -> Points:
        home = random.integers(0, clusters, count)
        points: Points = centres[home] + _bell(random, count) * spread[home, None]
        return points

    return _first_distinct(draw, n), None


def board(random: np.random.Generator, n: int) -> Layout:
    """Place ``n`` drill holes on a circuit board: rows of pins, two-legged parts and vias."""
    pitch, cell = 100, 1000
    columns = math.isqrt(n // 14) + 2
    holes: list[Points] = []
    for place in _shuffled(random, columns * columns):
        corner = np.array([place % columns, place // columns]) * cell
        kind = random.random()
        if kind < 0.5:  # Two rows of pins, 300 apart.
            pins = np.arange(int(random.integers(4, 9)))
            part = np.array([[x, y] for y in (0, 3) for x in pins])
        elif kind < 0.7:  # One row.
            part = np.array([[x, 0] for x in range(int(random.integers(3, 9)))])
        else:  # Resistors side by side.
            part = np.array([[x, y] for y in range(int(random.integers(2, 5))) for x in (0, 4)])
        if random.random() < 0.3:
            part = part[:, ::-1]
        shift = random.integers(0, 3, 2) * (pitch // 2)
        holes.append(corner + shift + part * pitch)
    parts = np.concatenate(holes)[: n * 4 // 5]
    extent = columns * cell // (pitch // 2)
    vias = random.integers(0, extent, (n * 4, 2)) * (pitch // 2)
    return _first_distinct(lambda count: np.concatenate([parts, vias]), n), None


def ring(random: np.random.Generator, n: int) -> Layout:
    """Place ``n`` cities in convex position, on a circle, ``GRID_STEP`` apart.

    No two cities are closer than neighbours on the ring, so going around it is optimal.
    """
    radius = GRID_STEP / (2.0 * np.sin(np.pi / n))
    order = _shuffled(random, n)
    angle = order * (2.0 * np.pi / n)
    points = radius * (1.0 + np.column_stack((np.cos(angle), np.sin(angle))))
    return points.round(2), np.argsort(order)


def grid(random: np.random.Generator, n: int) -> Layout:
    """Place n = s² cities, s even, on a square grid with ``GRID_STEP`` between neighbours.

    No two cities are closer than ``GRID_STEP``, and a tour of n such steps exists: up and down the
    columns, without the bottom row, which is the way back.
    """
    side = math.isqrt(n)
    if side * side != n or side % 2:
        raise ValueError(f"n = {n} must be the square of an even number")
    snake = [
        (x, 1 + (y if x % 2 == 0 else side - 2 - y)) for x in range(side) for y in range(side - 1)
    ]
    path = np.array(snake + [(x, 0) for x in reversed(range(side))])
    order = _shuffled(random, n)
    points = np.empty((n, 2))
    points[order] = path * GRID_STEP
    return points, order


def country(random: np.random.Generator, n: int) -> Layout:
    """Settle ``n`` towns on an island: around a few big cities, along roads, and far out."""
    side = 150.0 * math.sqrt(n)
    centre = 0.3 + 0.4 * random.random((9, 2))
    radius = 0.1 + 0.15 * random.random(9)
    bays = random.random((4, 2))

    def on_land(points: Points) -> NDArray[np.bool_]:
        inside = np.empty(len(points), np.bool_)
        for first in range(0, len(points), PLACES_AT_ONCE):
            some = slice(first, first + PLACES_AT_ONCE)
            land = ((points[some, None] - centre) ** 2).sum(axis=-1) < radius**2
            water = ((points[some, None] - bays) ** 2).sum(axis=-1) < 0.12**2
            inside[some] = land.any(axis=1) & ~water.any(axis=1)
        return inside

    def place(count: int) -> Points:
        found: list[Points] = []
        for first in range(0, count * 20, PLACES_AT_ONCE):
            points: Points = random.random((min(PLACES_AT_ONCE, count * 20 - first), 2))
            if sum(map(len, found)) < count:  # else draw on, as if all were looked at
                found.append(points[on_land(points)])
        return np.concatenate(found)[:count]

    cities = place(max(5, n // 100))
    size = 1.0 / np.arange(1, len(cities) + 1)
    share = np.cumsum(size)
    share /= share[-1]

    def draw(count: int) -> Points:
        home = np.searchsorted(share, random.random(count))
        other = np.searchsorted(share, random.random(count))
        around = cities[home] + _bell(random, count) * 0.1 * np.sqrt(size[home, None])
        along = cities[home] + (cities[other] - cities[home]) * random.random((count, 1))
        along += 0.004 * _bell(random, count)
        kind = random.random(count)
        points = np.where(kind[:, None] < 0.5, around, along)
        far = place(count)[: (kind > 0.75).sum()]
        points[np.flatnonzero(kind > 0.75)[: len(far)]] = far
        settled: Points = points[on_land(points)] * side
        return settled

    return _first_distinct(draw, n), None


def _bell(random: np.random.Generator, count: int) -> Points:
    """Deviates of mean 0 and deviation 1, nearly normal, from sums alone; shape (count, 2)."""
    # Python's sum adds from left to right; NumPy's own order depends on the processor.
    draws = (random.random((count, 2)) for _ in range(12))
    total: Points = sum(draws, np.full((count, 2), -6.0))
    return total


def _shuffled(random: np.random.Generator, n: int) -> NDArray[np.int64]:
    return np.argsort(random.random(n), kind="stable")


def _first_distinct(draw: Callable[[int], NDArray[np.number]], n: int) -> Points:
    """First ``n`` different points, rounded to integers, of those that ``draw`` makes."""
    points = np.rint(np.asarray(draw(2 * n), np.float64))
    x, y = (points - points.min(axis=0)).astype(np.int64).T
    _, first = np.unique(x * (y.max() + 1) + y, return_index=True)
    points = points[np.sort(first)[:n]]
    if len(points) < n:
        raise ValueError(f"only {len(points)} different points for {n} cities")
    result: Points = points - points.min(axis=0)
    return result


@dataclass(frozen=True, slots=True)
class CityRecipe:
    """How one bundled instance is made; ``seed`` decides it."""

    name: str
    kind: str
    layout: Callable[[np.random.Generator, int], Layout]
    n: int
    seed: int


_LAYOUTS = (
    ("ring", ring, "Cities on a circle: the way around is provably optimal.", (50, 200)),
    ("grid", grid, "Cities on a square grid, where many tours are provably optimal.", (100, 1024)),
    ("uniform", uniform, "Cities spread evenly over a square.", (100, 1000, 10000)),
    ("clustered", clustered, "Cities in round clusters.", (500, 2500)),
    ("board", board, "Holes to be drilled in a circuit board.", (400, 2000)),
    ("map", country, "Towns of an island: big cities, roads and countryside.", (1000, 5000)),
)
_seeds = itertools.count(1)
RECIPES = tuple(
    CityRecipe(f"{name}-{n}", kind, layout, n, next(_seeds))
    for name, layout, kind, sizes in _LAYOUTS
    for n in sizes
)


def lower_bound(instance: TspInstance) -> int:
    """Bound below every tour of a symmetric instance: half of each city's two shortest edges."""
    cities = np.arange(instance.n)
    ends = instance.distances(cities[:, None], nearest_neighbours(instance, 2))
    return -(-int(ends.sum()) // 2)


CITY_LAYOUTS = ("uniform", "clustered", "board", "ring", "map")
"""Names of the layouts of any size; their cities follow from a seed."""


def text_of(kind: str) -> str:
    """Say what a layout looks like, in a sentence."""
    return next(text for name, _, text, _ in _LAYOUTS if name == kind)


def random_points(kind: str, n: int, seed: int) -> Points:
    """Lay out ``n`` cities, up to ``CITIES_MOST``, in one of ``CITY_LAYOUTS``.

    ParameterError if the layout has not as many different places.
    """
    layout = next(layout for name, layout, _, _ in _LAYOUTS if name == kind)
    try:
        return layout(_random(checked_seed(seed)), n)[0]
    except ValueError as error:
        raise ParameterError(f"{kind}: {error}") from error


def about(kind: str, points: Points) -> int | None:
    """Return about how long the shortest tour is, where it is known: of cities spread evenly."""
    if kind != "uniform":
        return None
    return round(TYPICAL * math.sqrt(len(points) * np.ptp(points, axis=0).prod()))


def write_points(path: Path, name: str, kind: str, points: Points) -> None:
    """Write cities that were laid out in one of ``CITY_LAYOUTS`` as an instance ``name``."""
    _write(path, name, text_of(kind), points)


def write(recipe: CityRecipe, directory: Path) -> int | None:
    """Write a bundled instance, and its tour if it has a provable one; return that one's length.

    ValueError if it is longer than the lower bound, and so is not proved to be optimal.
    """
    points, tour = recipe.layout(_random(recipe.seed), recipe.n)
    path = directory / f"{recipe.name}.tsp"
    _write(path, recipe.name, recipe.kind, points)
    if tour is None:
        return None
    instance = load(path)
    length = instance.tour_length(tour)
    if length != lower_bound(instance):
        raise ValueError(f"{recipe.name}: the tour of length {length} is not provably optimal")
    comment = f"Length = {length}, which no tour can be shorter than"
    instance.write(path.with_suffix(".opt.tour"), tour, comment)
    return length


def _random(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def _write(path: Path, name: str, comment: str, points: Points) -> None:
    decimals = 0 if np.array_equal(points, points.round()) else 2
    text = text_of_cities(name, comment, points, decimals)
    path.write_text(text, encoding="utf-8", newline="\n")
