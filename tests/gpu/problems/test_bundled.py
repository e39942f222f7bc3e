from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gpu.core.problem import Problem
from gpu.problems.bundled import BundledInstance, bundled
from gpu.problems.tsp.generators import RECIPES, grid, lower_bound, ring
from gpu.problems.tsp.neighbours import nearest_neighbours
from gpu.problems.tsp.tsplib import load

TOURS = [one for one in bundled() if one.problem is Problem.TSP]


@pytest.fixture(params=TOURS, ids=lambda item: item.name)
def item(request: pytest.FixtureRequest) -> BundledInstance:
    assert isinstance(request.param, BundledInstance)
    return request.param


def test_an_instance_is_what_the_index_says(item: BundledInstance) -> None:
    instance = load(item.path)
    assert (instance.name, instance.n) == (item.name, item.n)
    assert instance.comment == item.kind
    assert instance.optimum == item.optimum
    assert instance.note == ""
    assert len(np.unique(instance.display, axis=0)) == item.n


def test_an_optimum_is_provable(item: BundledInstance) -> None:
    instance = load(item.path)
    if item.optimum is None:
        assert not item.path.with_suffix(".opt.tour").exists()
        return
    # No tour can be shorter than half the sum of each city's two shortest edges.
    assert instance.tour_length(instance.optimal_tour) == item.optimum == item.n * 100
    nearest = instance.distances(np.arange(item.n)[:, None], nearest_neighbours(instance, 2))
    assert nearest.sum() == 2 * item.optimum == 2 * lower_bound(instance)


def test_a_ring_is_in_convex_position() -> None:
    points, tour = ring(np.random.default_rng(1), 200)
    around = points[tour]
    edges = np.roll(around, -1, axis=0) - around
    after = np.roll(edges, -1, axis=0)
    turns = edges[:, 0] * after[:, 1] - edges[:, 1] * after[:, 0]
    assert (turns > 0).all()


@pytest.mark.parametrize("n", [9, 25, 50])
def test_a_grid_has_an_even_side(n: int) -> None:
    with pytest.raises(ValueError, match="the square of an even number"):
        grid(np.random.default_rng(1), n)


def test_every_kind_and_size_is_there() -> None:
    assert [item.name for item in TOURS] == [recipe.name for recipe in RECIPES]
    kinds = {item.name.partition("-")[0] for item in TOURS}
    assert kinds == {"ring", "grid", "uniform", "clustered", "board", "map"}
    sizes = [item.n for item in TOURS]
    assert (min(sizes), max(sizes)) == (50, 10_000)


def test_the_command_writes_the_committed_files(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-m", "gpu.problems.generators", str(tmp_path)]
    root = Path(__file__).parents[3]
    subprocess.run(command, check=True, timeout=60, cwd=root)
    committed = bundled()[0].path.parent
    names = {path.name for path in committed.iterdir()}
    assert {path.name for path in tmp_path.iterdir()} == names
    for name in names:
        assert (tmp_path / name).read_bytes() == (committed / name).read_bytes(), name
    total = sum((committed / name).stat().st_size for name in names)
    assert total < 1_000_000
    assert (committed / "uniform-10000.tsp").stat().st_size < 250_000


def test_the_command_without_a_folder(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "gpu.problems.generators"]
    root = Path(__file__).parents[3]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=root)
    assert ended.returncode == 1
    assert ended.stderr.startswith("usage:")
