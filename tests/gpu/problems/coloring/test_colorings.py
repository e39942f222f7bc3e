"""Files with a coloring: what was written is read again, and what is none is refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from gpu.core.errors import InstanceError
from gpu.problems.coloring import generators
from gpu.problems.coloring.dsatur import dsatur_coloring
from gpu.run.solving import solve
from tests.gpu.rlf.literal import graph, random_graph


def test_a_run_begins_with_a_coloring_that_was_written(tmp_path: Path) -> None:
    instance, path = random_graph(60, 0.5, seed=3), tmp_path / "found.sol"
    found = dsatur_coloring(instance)
    instance.write(path, found, "by hand")
    np.testing.assert_array_equal(instance.load_solution(path), found)
    path.write_bytes(gzip.compress(path.read_bytes()))
    np.testing.assert_array_equal(instance.load_solution(path), found)
    result = solve(instance, start=path, device="cpu:1", seed=1, iterations=1)
    assert result.session.colony == "gpx-seq"
    assert result.cost is not None
    assert result.cost <= int(found.max()) + 1


def test_a_given_coloring_that_is_not_bettered_is_no_find_of_an_iteration(tmp_path: Path) -> None:
    instance, path = generators.instance("m", "", generators.mycielski(4)), tmp_path / "four.sol"
    instance.write(path, dsatur_coloring(instance))  # four colors are needed, which no clique shows
    options = {"colony": "gpx-seq", "device": "cpu:1", "seed": 1, "iterations": 2}
    result = solve(instance, start=path, go_on=True, **options)  # type: ignore[arg-type]
    assert (result.cost, result.iterations, result.best_iteration) == (4, 2, 0)
    found = result.to_dict()
    assert (found["start"], found["best_iteration"], found["found_by"]) == (str(path), 0, None)


def test_colors_may_have_any_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.sol"
    path.write_text("c by another program\ns col 9\n\nl 2 7\nl 1 0\nl 3 0\n")
    assert graph(3, [(0, 1), (1, 2)]).load_solution(path).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    "text",
    [
        "L 1 2\nL 2 5\nL 3 2\n",
        "# by hand\n% of a program\ncby\nl 0 1\nl 1 3\nl 2 1\n",
        "1\n2\n1\n",
        "0 1 0",
        "0,1,0\n",
        "[0, 1, 0]\n",
        "\ufeff4\r\n7\r\n4\r\n",
    ],
)
def test_forms_in_which_colorings_are_found(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.sol"
    path.write_text(text)
    assert graph(3, [(0, 1), (1, 2)]).load_solution(path).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1 2\n", "it lists 2 colors; the graph has 3 vertices"),
        ("1 2 99999999999\n", "'99999999999' is no number of a color"),
        ("l 0 1\nl 1 2\nl 3 1\n", "there is no vertex '3': the graph has vertices 0 to 2"),
        ("c\n", "vertex 1 has no color, nor 2 others; the graph has 3 vertices"),
        ("TOUR_SECTION\n1 2 3 -1\n", "line 1: 'TOUR_SECTION' is no line of a coloring"),
        ("l 1 1\nl 2 x\n", "line 2: 'l 2 x' is no line of a coloring"),
        ("l 1 1\nl 4 1\n", "line 2: there is no vertex '4': the graph has vertices 1 to 3"),
        ("l 0 1\n", "vertex 1 has no color, nor 1 other; the graph has 3 vertices"),
        ("l Rome red\n", "such as 'l 7 3' for vertex 7 with color 3, both as numbers"),
        ("l 1 1\nl 1 2\n", "line 2: vertex 1 has a color already"),
        (f"l 1 {2**31}\n", "is no number of a color"),
        ("l 1 1\nl 2 2\n", "vertex 3 has no color; the graph has 3 vertices"),
        ("l 1 1\nl 2 1\nl 3 2\n", "gives the neighbours 1 and 2 the same color"),
    ],
)
def test_what_is_no_coloring_is_refused(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "a.sol"
    path.write_text(text)
    with pytest.raises(InstanceError, match=why):
        graph(3, [(0, 1)]).load_solution(path)
