"""Instances of any size, made from a seed: which kinds there are, and what each needs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

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

MOST_VERTICES = 3_000  # of a graph: all pairs are looked at


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of instance that can be made."""

    name: str  # on the command line and in names of files
    title: str  # in the window
    text: str  # what it looks like, in a sentence
    problem: Problem
    usual: int  # cities or vertices
    density: float | None = None  # the usual share of pairs that are edges; None for cities

    @property
    def least(self) -> int:
        """Fewest cities or vertices."""
        return 10

    @property
    def most(self) -> int:
        """Most cities or vertices."""
        return cities.MOST if self.problem is Problem.TSP else MOST_VERTICES

    @property
    def suffix(self) -> str:
        """How the name of its file ends."""
        return ".tsp" if self.problem is Problem.TSP else ".col"


_TITLES = {
    "uniform": "Spread evenly",
    "clustered": "In clusters",
    "board": "Circuit board",
    "ring": "Ring",
    "map": "Map",
}
_GRAPHS = (
    Kind("random", "Random graph", graphs.RANDOM, Problem.COLORING, 125, 0.5),
    Kind("geometric", "Geometric graph", graphs.GEOMETRIC, Problem.COLORING, 200, 0.1),
)
KINDS: Mapping[str, Kind] = {
    one.name: one
    for one in (
        *(
            Kind(name, _TITLES[name], cities.text_of(name), Problem.TSP, 200)
            for name in cities.KINDS
        ),
        *_GRAPHS,
    )
}
"""All kinds by their names."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What decides an instance; ParameterError if there can be none."""

    kind: str  # a name in KINDS
    n: int  # cities or vertices
    seed: int
    density: float | None = None  # of a graph, in (0, 1); None for the usual one

    def __post_init__(self) -> None:
        kind = KINDS[self.kind]
        checked_seed(self.seed)
        if not kind.least <= self.n <= kind.most:
            places = kind.problem.words.places
            raise ParameterError(
                f"{kind.name}: {self.n} {places}; choose {kind.least:,} to {kind.most:,}"
            )
        if self.density is not None and kind.density is None:
            raise ParameterError(f"{kind.name}: cities have no density; leave it out")
        if self.density is not None and not 0.0 < self.density < 1.0:
            raise ParameterError(f"density = {self.density:g} must be between 0 and 1")

    @property
    def name(self) -> str:
        """A name that no other recipe has."""
        share = "" if self.density is None else f"-{self.density:g}"
        return f"{self.kind}-{self.n}{share}-seed{self.seed}"

    @property
    def suffix(self) -> str:
        """How the name of its file ends."""
        return KINDS[self.kind].suffix


@dataclass(frozen=True, slots=True, eq=False)
class Made:
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


def make(recipe: Recipe) -> Made:
    """Make an instance, the same on every machine; ParameterError if that is impossible."""
    kind = KINDS[recipe.kind]
    if kind.problem is Problem.TSP:
        return Made(recipe, cities.random_points(recipe.kind, recipe.n, recipe.seed), None)
    density = recipe.density or kind.density or 0.0
    if recipe.kind == "random":
        layout = graphs.random(recipe.seed, recipe.n, density)
    else:
        layout = graphs.geometric(recipe.seed, recipe.n, math.sqrt(density / math.pi))
    return Made(recipe, None, graphs.instance(recipe.name, kind.text, layout))


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
