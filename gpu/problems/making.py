"""Instances of any size, made from a seed: which kinds there are, and what each needs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import ParameterError
from gpu.core.problem import Problem
from gpu.core.random import checked_seed
from gpu.problems.coloring import generators as graphs
from gpu.problems.coloring.dimacs import write_graph
from gpu.problems.coloring.generators import GRAPH_RECIPES
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.tsp import generators as cities
from gpu.problems.tsp.generators import RECIPES, write

MADE_VERTICES_MOST = 2_000_000
MADE_EDGES_MOST = 20_000_000  # on average, so that a graph is made in some seconds
_DENSE_VERTICES = 3_000  # of a graph whose usual density is the same for all sizes, at most
_USUAL_NEIGHBOURS = 10  # of each vertex on average, in larger ones


@dataclass(frozen=True, slots=True)
class Recipe:
    """What decides an instance; ParameterError if there can be none."""

    kind: str  # a name in INSTANCE_KINDS
    n: int  # cities or vertices
    seed: int
    density: float | None = None  # of a graph, in (0, 1); None for the usual one

    def __post_init__(self) -> None:
        kind = INSTANCE_KINDS[self.kind]
        checked_seed(self.seed)
        if not kind.least <= self.n <= kind.most:
            places = kind.problem.words.places
            raise ParameterError(
                f"{kind.name}: {self.n} {places}; choose {kind.least:,} to {kind.most:,}"
            )
        if self.density is not None and kind.density is None:
            raise ParameterError(f"{kind.name}: it has no density; leave it out")
        if self.density is not None and not 0.0 < self.density < 1.0:
            raise ParameterError(f"density = {self.density:g} must be between 0 and 1")
        if self.density is not None and self.density > most_density(self.n):
            raise ParameterError(
                f"density = {self.density:g} gives {self.n:,} vertices more than "
                f"{MADE_EDGES_MOST:,} edges: choose at most {most_density(self.n):.2g}"
            )

    @property
    def name(self) -> str:
        """A name that no other recipe has."""
        share = "" if self.density is None else f"-{self.density:g}"
        return f"{self.kind}-{self.n}{share}-seed{self.seed}"

    @property
    def suffix(self) -> str:
        """How the name of its file ends."""
        return INSTANCE_KINDS[self.kind].suffix

    @property
    def share(self) -> float:
        """Share of all pairs that are edges of a graph."""
        return self.density or usual_density(INSTANCE_KINDS[self.kind], self.n)


def usual_density(kind: InstanceKind, n: int) -> float:
    """Return the share of pairs that are edges of a graph of ``n`` vertices, if nobody chooses."""
    usual = kind.density or 0.0
    return usual if n <= _DENSE_VERTICES else min(usual, _USUAL_NEIGHBOURS / (n - 1))


def most_density(n: int) -> float:
    """Return the largest share of pairs that can be edges of a graph of ``n`` vertices."""
    return min(1.0, MADE_EDGES_MOST / (n * (n - 1) / 2))


@dataclass(frozen=True, slots=True, eq=False)
class MadeInstance:
    """What a recipe makes: cities or a graph."""

    recipe: Recipe
    points: NDArray[np.float64] | None  # (n, 2)
    graph: GraphInstance | None

    @property
    def about(self) -> int | None:
        """About how long the shortest tour is; None where that is not known."""
        return None if self.points is None else cities.about(self.recipe.kind, self.points)

    def write(self, path: Path, name: str) -> None:
        """Write the instance as a file; cities get this ``name``, a graph has none."""
        if self.points is not None:
            cities.write_points(path, name, self.recipe.kind, self.points)
        elif self.graph is not None:
            write_graph(path, self.graph)


@dataclass(frozen=True, slots=True)
class InstanceKind:
    """A kind of instance that can be made."""

    name: str  # on the command line and in names of files
    title: str  # in the window
    text: str  # what it looks like, in a sentence
    problem: Problem
    usual: int  # cities or vertices
    most: int
    suffix: str  # how the name of its file ends
    make: Callable[[Recipe], MadeInstance]
    # the usual share of pairs that are edges of a graph that is not large; None: nobody chooses it
    density: float | None = None

    least: ClassVar[int] = 10  # fewest cities or vertices


def _cities(recipe: Recipe) -> MadeInstance:
    return MadeInstance(recipe, cities.random_points(recipe.kind, recipe.n, recipe.seed), None)


def _random(recipe: Recipe) -> MadeInstance:
    return _graph(recipe, graphs.random(recipe.seed, recipe.n, recipe.share))


def _geometric(recipe: Recipe) -> MadeInstance:
    radius = math.sqrt(recipe.share / math.pi)
    return _graph(recipe, graphs.geometric(recipe.seed, recipe.n, radius))


def _roads(recipe: Recipe) -> MadeInstance:
    return _graph(recipe, graphs.roads(recipe.seed, recipe.n))


def _graph(recipe: Recipe, layout: graphs.Layout) -> MadeInstance:
    text = INSTANCE_KINDS[recipe.kind].text
    return MadeInstance(recipe, None, graphs.instance(recipe.name, text, layout))


def _city_kind(name: str, title: str) -> InstanceKind:
    text, most = cities.text_of(name), cities.CITIES_MOST
    return InstanceKind(name, title, text, Problem.TSP, 200, most, ".tsp", _cities)


def _graph_kind(
    name: str,
    text: str,
    usual: int,
    make: Callable[[Recipe], MadeInstance],
    density: float | None,
    title: str = "",
) -> InstanceKind:
    title, most = title or f"{name.capitalize()} graph", MADE_VERTICES_MOST
    return InstanceKind(name, title, text, Problem.COLORING, usual, most, ".col", make, density)


INSTANCE_KINDS: Mapping[str, InstanceKind] = {
    one.name: one
    for one in (
        _city_kind("uniform", "Spread evenly"),
        _city_kind("clustered", "In clusters"),
        _city_kind("board", "Circuit board"),
        _city_kind("ring", "Ring"),
        _city_kind("map", "Map"),
        _graph_kind("random", graphs.RANDOM_TEXT, 125, _random, 0.5),
        _graph_kind("geometric", graphs.GEOMETRIC_TEXT, 200, _geometric, 0.1),
        _graph_kind("roads", graphs.ROADS_TEXT, 500, _roads, None, "Map of roads"),
    )
}
"""All kinds by their names."""


def make(recipe: Recipe) -> MadeInstance:
    """Make an instance, the same on every machine; ParameterError if that is impossible."""
    return INSTANCE_KINDS[recipe.kind].make(recipe)


def generate(directory: Path) -> None:
    """Write all bundled instances, their provably optimal tours and their index."""
    directory.mkdir(parents=True, exist_ok=True)
    index = ["# Written by python -m gpu.problems.making\n"]
    for recipe in RECIPES:
        size = [f"cities = {recipe.n}"]
        index += _row(recipe.name, recipe.kind, size, write(recipe, directory))
    for graph in GRAPH_RECIPES:
        made = graph.write(directory)
        size = [f"vertices = {made.n}", f"file = {json.dumps(graph.file)}"]
        index += _row(graph.name, graph.kind, size, made.optimum)
    (directory / "index.toml").write_text("\n".join(index), encoding="ascii", newline="\n")


def _row(name: str, kind: str, size: list[str], optimum: int | None) -> list[str]:
    named = ["[[instance]]", f"name = {json.dumps(name)}", f"kind = {json.dumps(kind)}"]
    return [*named, *size, *([] if optimum is None else [f"optimum = {optimum}"]), ""]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m gpu.problems.making DIR")
    generate(Path(sys.argv[1]))
