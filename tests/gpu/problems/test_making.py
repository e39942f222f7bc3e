from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gpu.core.errors import ParameterError
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.loading import load_instance
from gpu.problems.making import KINDS, Recipe, make


@pytest.mark.parametrize("kind", KINDS)
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
        (("uniform", 9, 1), "choose 10 to 2,000,000"),
        (("random", 3001, 1), "choose 10 to 3,000"),
        (("uniform", 50, 1, 0.5), "cities have no density"),
        (("random", 50, 1, 1.0), "must be between 0 and 1"),
        (("map", 50, -1), "seed = -1"),
    ],
)
def test_what_cannot_be_made_is_said(wrong: tuple[str, int, int], why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        Recipe(*wrong)
