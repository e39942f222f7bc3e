"""Instances that the program brings, makes, and knows the best costs of."""

from __future__ import annotations

import importlib.resources
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from gpu.core.errors import ParameterError
from gpu.core.problem import Problem
from gpu.problems.bundled import BundledInstance, bundled
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.loading import load_instance
from gpu.problems.making import INSTANCE_KINDS, Recipe, make
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.generators import RECIPES, grid, lower_bound, ring
from gpu.problems.tsp.neighbours import nearest_neighbours
from gpu.problems.tsp.routes.closed_tours import PATH
from gpu.problems.tsp.tsplib.tsplib_files import load

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
    command = [sys.executable, "-W", "error", "-m", "gpu.problems.making", str(tmp_path)]
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
    command = [sys.executable, "-m", "gpu.problems.making"]
    root = Path(__file__).parents[3]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=root)
    assert ended.returncode == 1
    assert ended.stderr.startswith("usage:")


def _table() -> dict[str, dict[str, int]]:
    resource = importlib.resources.files("resources") / "best_known.toml"
    return tomllib.loads(resource.read_text("utf-8"))


def test_rows_have_a_size_and_lengths_by_metric() -> None:
    table = _table()
    assert len(table) > 130
    for name, row in table.items():
        lengths = {key: value for key, value in row.items() if key != "dimension"}
        assert lengths, name
        known = {*Metric, PATH}
        assert all(key in known and value > 0 for key, value in lengths.items()), name
        # TSPLIB's names have the number of cities, or of the arcs between depots.
        digits = int("".join(filter(str.isdigit, name)))
        extra = {"kro124p": -24, "mona-lisa100K": 99_900}.get(name, int(name.startswith("ftv")))
        assert row["dimension"] == digits + extra, name


def test_rows_equal_the_known_lengths(tsplib: Path) -> None:
    known = json.loads((tsplib.parent / "best_known.json").read_text())["tour_length"]
    table = _table()
    for path in tsplib.glob("*.tsp"):
        instance = load(path)
        row = table[path.stem]
        assert row["dimension"] == instance.n
        assert row[instance.metric] == known[path.stem]


@pytest.mark.parametrize("kind", INSTANCE_KINDS)
def test_every_kind_is_made_again_from_its_seed(kind: str, tmp_path: Path) -> None:
    recipe = Recipe(kind, 40, 3)
    paths = [tmp_path / f"{name}{recipe.suffix}" for name in ("one", "two")]
    for path in paths:
        make(recipe).write(path, "made")
    assert paths[0].read_bytes() == paths[1].read_bytes()
    found = load_instance(paths[0])
    assert found.n == 40
    assert found.name == ("made" if recipe.suffix == ".tsp" else "one")  # a graph's is its file's
    make(Recipe(kind, 40, 4)).write(paths[1], "made")
    assert kind == "ring" or paths[0].read_bytes() != paths[1].read_bytes()


def test_the_density_is_the_share_of_edges() -> None:
    for kind, density in (("random", 0.2), ("random", 0.8), ("geometric", 0.1)):
        graph = make(Recipe(kind, 300, 1, density)).graph
        assert isinstance(graph, GraphInstance)
        assert np.isclose(graph.density, density, rtol=0.25)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (("uniform", 9, 1), "choose 10 to 10,000,000"),
        (("random", 2_000_001, 1), "choose 10 to 2,000,000"),
        (("random", 100_000, 1, 0.1), "more than 20,000,000 edges: choose at most 0.004"),
        (("uniform", 50, 1, 0.5), "it has no density"),
        (("roads", 50, 1, 0.5), "it has no density"),
        (("random", 50, 1, 1.0), "must be between 0 and 1"),
        (("map", 50, -1), "seed = -1"),
    ],
)
def test_what_cannot_be_made_is_said(wrong: tuple[str, int, int], why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        Recipe(*wrong)


@pytest.mark.parametrize("kind", ["random", "geometric"])
def test_a_large_graph_has_ten_neighbours_a_vertex_unless_somebody_chooses(kind: str) -> None:
    graph = make(Recipe(kind, 30_000, 1)).graph
    assert np.isclose(graph.degrees.mean(), 10, rtol=0.05)
