from __future__ import annotations

import hashlib
import itertools
import json
import sys
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import numpy as np
import pytest
import tsplib95
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from gpu.core.errors import InstanceError, SolutionError
from gpu.local_search.kinds import Moves, moves_of
from gpu.local_search.rule import neighbour_rows
from gpu.problems.loading import load_instance
from gpu.problems.tsp import layout
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.tsplib import numbers
from gpu.problems.tsp.tsplib.tsplib_files import load
from tests.golden import Golden
from tests.gpu.problems.texts import (
    FORMATS,
    HEAD,
    PLANE,
    SOLID,
    load_text,
    matrix_text,
    points_text,
    symmetric,
)

SQUARE = [(0.0, 0.0), (0.0, 3.0), (4.0, 3.0), (4.0, 0.0)]


def test_every_file_of_the_library_loads(tsplib: Path) -> None:
    known = json.loads((tsplib.parent / "best_known.json").read_text())["tour_length"]
    for path in sorted(tsplib.glob("*.tsp")):
        instance = load(path)
        header = path.read_text().split("SECTION")[0]
        assert f"{instance.n}" in header
        assert instance.metric in header
        assert instance.name == path.stem
        assert instance.optimum == known[path.stem]
        assert (instance.optimal_tour is not None) == path.with_suffix(".opt.tour").exists()
        assert instance.note == ""
        assert instance.display.shape == (instance.n, 2)
        assert np.isfinite(instance.display).all()
        assert instance.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_explicit_files_say_whether_their_layout_is_computed(tsplib: Path) -> None:
    computed = {
        path.stem: load(path).computed_layout
        for path in tsplib.glob("*.tsp")
        if "EXPLICIT" in path.read_text()
    }
    assert computed == {
        "bays29": False, "brazil58": True, "brg180": True, "dantzig42": False, "gr17": True,
        "gr24": True, "si175": True,
    }  # fmt: skip
    assert load(tsplib / "bays29.tsp").display[0].tolist() == [1150.0, 1760.0]


@pytest.mark.parametrize("metric", [*PLANE, *SOLID])
def test_every_metric_loads(tmp_path: Path, metric: Metric) -> None:
    points = np.random.default_rng(1).integers(-50, 50, (9, 3 if metric in SOLID else 2))
    instance = load_text(tmp_path, points_text(metric, points))
    assert instance.metric is metric
    assert not instance.directed
    assert not instance.computed_layout
    assert instance.matrix is None
    assert np.array_equal(instance.coordinates, points)
    assert not instance.coordinates.flags.writeable
    assert not instance.display.flags.writeable


@pytest.mark.parametrize("form", FORMATS)
@given(n=st.integers(3, 9), seed=st.integers(0, 99), a_line=st.integers(1, 90))
def test_every_matrix_format(
    tmp_path_factory: pytest.TempPathFactory, form: str, n: int, seed: int, a_line: int
) -> None:
    expected = symmetric(n, seed)
    text = matrix_text(form, expected, a_line=a_line)
    instance = load_text(tmp_path_factory.getbasetemp(), text)
    assert instance.metric is Metric.EXPLICIT
    assert instance.coordinates is None
    assert instance.matrix.dtype == np.int32
    assert np.array_equal(instance.matrix, expected)
    problem = tsplib95.parse(text)
    assert [[problem.get_weight(i, j) for j in range(n)] for i in range(n)] == expected.tolist()


def test_the_diagonal_is_kept(tmp_path: Path) -> None:
    matrix = symmetric(5)
    np.fill_diagonal(matrix, 9999)
    for form in ("FULL_MATRIX", "UPPER_DIAG_ROW", "LOWER_DIAG_COL"):
        whole = load_text(tmp_path, matrix_text(form, matrix)).matrix
        assert whole is not None
        assert np.array_equal(whole, matrix)
    for form in ("UPPER_ROW", "LOWER_COL"):
        loaded = load_text(tmp_path, matrix_text(form, matrix)).matrix
        assert not loaded.diagonal().any()


def test_directed(tmp_path: Path) -> None:
    matrix = np.random.default_rng(3).integers(0, 99, (6, 6))
    instance = load_text(tmp_path, matrix_text("FULL_MATRIX", matrix, kind="ATSP"), "x.atsp")
    assert instance.directed
    assert instance.matrix is not None
    assert np.array_equal(instance.matrix, matrix)
    tour = np.array([3, 1, 0, 2, 5, 4])
    way = sum(int(matrix[a, b]) for a, b in zip(tour, np.roll(tour, -1), strict=True))
    assert instance.tour_length(tour) == way != instance.tour_length(tour[::-1])


def test_cities_are_ordered_by_their_number(tmp_path: Path) -> None:
    instance = load_text(tmp_path, points_text("EUC_2D", SQUARE, ids=[3, 1, 4, 2]))
    assert instance.ids is None
    assert instance.display.tolist() == [[0.0, 3.0], [4.0, 0.0], [0.0, 0.0], [4.0, 3.0]]
    assert instance.city_ids.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("ids", [[0, 1, 2, 3], [10, 20, 40, 30]])
def test_other_city_numbers_are_kept(tmp_path: Path, ids: list[int]) -> None:
    instance = load_text(tmp_path, points_text("EUC_2D", SQUARE, ids=ids))
    assert instance.city_ids.tolist() == sorted(ids)
    assert instance.display[instance.city_ids.tolist().index(ids[2])].tolist() == [4.0, 3.0]


def test_display_data_draws_an_explicit_instance(tmp_path: Path) -> None:
    tail = "DISPLAY_DATA_SECTION\n2 5.5 6\n1 1 2\n3 -1e1 0"
    instance = load_text(tmp_path, matrix_text("UPPER_ROW", symmetric(3), tail=tail))
    assert instance.display.tolist() == [[1.0, 2.0], [5.5, 6.0], [-10.0, 0.0]]
    assert not instance.computed_layout


def test_a_globe_is_drawn_with_north_up(tmp_path: Path) -> None:
    # 48.30 is 48 degrees and 30 minutes.
    instance = load_text(tmp_path, points_text("GEO", [(48.30, 16.15), (-33.45, -70.40), (0, 0)]))
    assert instance.display[0] == pytest.approx([16.25, 48.5])
    assert instance.display[1] == pytest.approx([-70 - 2 / 3, -33.75])


@pytest.mark.parametrize(("metric", "unit"), [("GEO", "km"), ("EUC_2D", ""), ("ATT", "")])
def test_lengths_have_the_unit_that_their_rule_gives_them(
    tmp_path: Path, metric: str, unit: str
) -> None:
    instance = load_text(tmp_path, points_text(metric, [(48.30, 16.15), (-33.45, -70.40), (0, 0)]))
    assert instance.unit == unit


def test_solids_are_drawn_from_above(tmp_path: Path) -> None:
    points = [(1, 2, 3), (4, 5, 6), (7, 8, 10)]
    instance = load_text(tmp_path, points_text("EUC_3D", points))
    assert instance.display.tolist() == [[1.0, 2.0], [4.0, 5.0], [7.0, 8.0]]


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "1 0 0\n2 3 0\n3 3 4\nEOF",
        HEAD + "1 0 0\n2 3 0\n3 3 4",
        HEAD + "  1\t0  0 \n\n   \n2 3 0\n3 3 4\n EOF \n\n",
        HEAD + "1 0.0 0\n2 3.0e+00 -0\n3 .3E1 +4\nEOF\nwhatever follows\n",
        HEAD.replace("\n", "\r\n") + "1 0 0\r\n2 3 0\r\n3 3 4\r\nEOF\r\n",
        HEAD.replace("\n", "\r") + "1 0 0\r2 3 0\r3 3 4\rEOF\r",
        HEAD.replace(":", "  :   ") + "1 0 0\n2 3 0\n3 3 4\nEOF\n",
        HEAD.replace("NODE_COORD_SECTION", "NODE_COORD_SECTION:") + "1 0 0\n2 3 0\n3 3 4\n",
        HEAD.replace("TSP", "TSP (M.~Hofmeister)") + "1 0 0\n2 3 0\n3 3 4\n",
        "NODE_COORD_TYPE: TWOD_COORDS\nDISPLAY_DATA_TYPE: NO_DISPLAY\nEDGE_WEIGHT_FORMAT:"
        " FUNCTION\nSOURCE: a field TSPLIB has not\n" + HEAD + "1 0 0\n2 3 0\n3 3 4\nEOF\n",
        # What tsplib95 on its own takes for fields: keywords inside names and comments.
        "COMMENT: TYPE: ATSP, DIMENSION: 7 NODE_COORD_SECTION\nCOMMENT: NAME:\n"
        + HEAD.replace("NAME:q", "NAME: EDGE_WEIGHT_TYPE: GEO") + "1 0 0\n2 3 0\n3 3 4\nEOF\n",
        "\ufeff" + HEAD + "1 0 0\n2 3 0\n3 3 4\nEOF\n",
    ],
)  # fmt: skip
def test_forms_in_which_files_are_found(tmp_path: Path, text: str) -> None:
    instance = load_text(tmp_path, text)
    assert instance.metric is Metric.EUC_2D
    assert instance.tour_length(np.array([0, 1, 2])) == 12


def test_name_and_comments(tmp_path: Path) -> None:
    text = points_text("EUC_2D", SQUARE, name="Gr\xf6tschel.tsp").replace(
        "TYPE: TSP", "COMMENT: one: two\nTYPE: TSP\nCOMMENT : na\xefve"
    )
    for data in (text.encode(), text.encode("latin-1")):
        instance = load_text(tmp_path, data)
        assert instance.name == "Gr\xf6tschel"
        assert instance.comment == "one: two\nna\xefve"
    assert load_text(tmp_path, text.replace("NAME: Gr\xf6tschel.tsp\n", "")).name == "x"


def test_names_and_comments_can_be_shown_and_written(tmp_path: Path) -> None:
    hostile = "\x1b]0;title\x07\u202e\u2028DIMENSION: 9"
    text = points_text("EUC_2D", SQUARE, name=hostile).replace(
        "TYPE: TSP", f"COMMENT: {hostile}\tend\nTYPE: TSP"
    )
    instance = load_text(tmp_path, text)
    assert instance.name == r"\x1b]0;title\x07\u202e\u2028DIMENSION: 9"
    assert instance.comment == f"{instance.name} end"
    instance.write(tmp_path / "x.tour", np.arange(4))
    assert (tmp_path / "x.tour").read_text().splitlines()[0] == f"NAME: {instance.name}.tour"
    assert np.array_equal(instance.load_solution(tmp_path / "x.tour"), np.arange(4))


def test_long_names_and_comments_are_cut(tmp_path: Path) -> None:
    text = points_text("EUC_2D", SQUARE, name="n" * 240).replace(
        "TYPE: TSP", f"COMMENT: {'c' * 3_000_000}\nTYPE: TSP"
    )
    instance = load_text(tmp_path, text)
    assert (len(instance.name), len(instance.comment)) == (80, 2000)


def test_places_have_no_directions(tmp_path: Path) -> None:
    instance = load_text(tmp_path, points_text("EUC_2D", SQUARE, kind="ATSP"))
    assert not instance.directed
    assert moves_of(instance, "2opt+oropt") == Moves(exchanges=True, segments=True, turns=True)
    assert neighbour_rows(instance).shape == (1, 4, 3, 2)


def shortest(instance: TspInstance) -> int:
    """The length of the shortest route, by all of them."""
    costs = []
    for tour in itertools.permutations(range(1, instance.real_n)):
        try:
            costs.append(instance.cost_of(instance.read(instance.city_ids[[0, *tour]].tolist())))
        except SolutionError:
            continue
    return min(costs)


def test_fixed_edges_are_on_every_route(tmp_path: Path) -> None:
    text = points_text("EUC_2D", SQUARE, ids=[0, 1, 2, 3])
    assert shortest(load_text(tmp_path, text)) == 14
    fixed = load_text(tmp_path, text.replace("EOF", "FIXED_EDGES_SECTION\n0 2\n-1\nEOF"))
    assert (fixed.size, shortest(fixed)) == ("4 cities, 1 fixed edge", 16)
    with pytest.raises(InstanceError, match="FIXED_EDGES_SECTION names city 4, which there is not"):
        load_text(tmp_path, text.replace("EOF", "FIXED_EDGES_SECTION\n0 4\n-1\nEOF"))


@pytest.mark.parametrize(
    "edges",
    [
        "EDGE_DATA_FORMAT: EDGE_LIST\nEDGE_DATA_SECTION\n1 2\n2 3\n3 4\n4 1\n1 3\n-1",
        "EDGE_DATA_FORMAT : ADJ_LIST\nEDGE_DATA_SECTION\n1 2 3 4 -1\n3 2 4 -1\n-1",
        "EDGE_DATA_SECTION\n0 1 1 2 2 3 3 0 0 2",
    ],
)
def test_a_graph_has_a_cycle_or_a_path(tmp_path: Path, edges: str) -> None:
    cycle = load_text(tmp_path, f"TYPE: HCP\nDIMENSION: 4\n{edges}\nEOF\n", "x.hcp")
    assert (cycle.real_n, shortest(cycle), cycle.optimum, cycle.name) == (4, 4, 4, "x")
    path = load_text(tmp_path, f"TYPE: HPP\nDIMENSION: 4\n{edges}\nEOF\n", "x.hpp")
    assert path.optimum == 3
    assert not path.route_of(np.arange(path.n)).closed


def test_only_edges_that_are_listed_are_taken(tmp_path: Path) -> None:
    text = points_text("EUC_2D", SQUARE)
    listed = "EDGE_DATA_FORMAT: EDGE_LIST\nEDGE_DATA_SECTION\n1 2\n2 4\n4 3\n3 1\n-1\nEOF"
    assert shortest(load_text(tmp_path, text.replace("EOF", listed))) == 16
    opened = load_text(tmp_path, text.replace("TYPE: TSP", "TYPE: HPP"))
    assert opened.size == "4 cities, an open route"


def test_signs_for_no_way_and_fractions_in_matrices(tmp_path: Path) -> None:
    head = "NAME: m\nTYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
    head += "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"
    exact = load_text(tmp_path, head + "0 1.5 2,25 1.5 0 inf 2.25 7 0\n")
    assert (exact.decimals, exact.directed) == (2, True)
    assert exact.matrix[0].tolist()[:3] == [0, 150, 225]
    assert exact.note == "1 way without a distance: no tour takes them"
    plain = load_text(tmp_path, head + "-1 1 2\n1 -1 3\n2 3 -1\n")
    assert plain.matrix.tolist() == [[0, 1, 2], [1, 0, 3], [2, 3, 0]]
    scaled = load_text(tmp_path, points_text("EXACT_2D", [(0, 0), (1, 1), (0, 0.5)]))
    assert (scaled.metric, scaled.decimals) == (Metric.EUC_2D, 3)
    assert scaled.all_distances()[0].tolist() == [0, 1414, 500]


def test_distances_that_rounding_takes_away_are_said(tmp_path: Path) -> None:
    points = np.random.default_rng(1).random((40, 2))
    note = load_text(tmp_path, points_text("EUC_2D", points)).note
    assert note.startswith("EUC_2D rounds distances to whole numbers, and its cities lie so near")
    assert "multiply its coordinates by 1000" in note
    assert load_text(tmp_path, points_text("CEIL_2D", points)).note.startswith("CEIL_2D rounds")
    for metric in ("EUC_2D", "MAN_2D", "MAX_2D"):
        with pytest.raises(
            InstanceError, match=f"all its distances are 0, because {metric} rounds"
        ):
            load_text(tmp_path, points_text(metric, points / 10))
    for fine in (points * 100, np.floor(points * 3), np.ones((4, 2)) / 3):
        assert load_text(tmp_path, points_text("EUC_2D", fine)).note == ""


def test_what_is_odd_about_geo_is_said(tmp_path: Path) -> None:
    places = [(52.31, 13.24), (41.54, 12.3), (59.55, 10.45)]
    assert load_text(tmp_path, points_text("GEO", places)).note == ""
    note = load_text(tmp_path, points_text("GEO", [*places, (48.85, 2.35)])).note
    assert "takes 48.85 for 48 degrees and 85 minutes: if its coordinates are decimal" in note
    note = load_text(tmp_path, points_text("GEO", [*places, (0, 0)])).note
    assert note == "1 city at latitude 0, longitude 0, where unknown ones end up"
    with pytest.raises(InstanceError, match=r"the latitude 134\.2 is beyond 90 degrees; GEO has"):
        load_text(tmp_path, points_text("GEO", [*places, (134.2, 58.2)]))


def test_a_matrix_from_memory_is_not_truncated(golden: Golden) -> None:
    def made(matrix: object) -> TspInstance:
        given = np.array(matrix)
        return TspInstance("m", "", Metric.EXPLICIT, None, given, np.zeros((3, 2)))

    def told(line: str) -> str:
        with pytest.raises(InstanceError) as refused:
            made(eval(line, {"np": np}))
        return str(refused.value)

    golden.table("refused-matrices", told)
    whole = made([[0, 1.0, 2], [1, 0, 3], [2, 3, 0]]).matrix
    assert whole.dtype == np.int32
    assert whole.tolist() == [[0, 1, 2], [1, 0, 3], [2, 3, 0]]


MATRIX = matrix_text("FULL_MATRIX", symmetric(3), a_line=3)
SECTION = "EDGE_WEIGHT_SECTION\n"


def test_whole_numbers_in_other_spellings(tmp_path: Path) -> None:
    head = MATRIX.partition(SECTION)[0]
    instance = load_text(tmp_path, f"{head}{SECTION}0 1.5e+03 2.0 1500 0 +3 2 3 00\nEOF\n")
    assert instance.matrix.tolist() == [[0, 1500, 2], [1500, 0, 3], [2, 3, 0]]


def test_a_tour_beside_the_file(tmp_path: Path) -> None:
    text = points_text("EUC_2D", SQUARE)
    plain = load_text(tmp_path, text)
    assert (plain.optimum, plain.optimal_tour) == (None, None)
    plain.write(tmp_path / "x.opt.tour", np.array([0, 1, 2, 3]))
    instance = load_text(tmp_path, text)
    assert instance.optimum == 14
    assert instance.optimal_tour.tolist() == [0, 1, 2, 3]
    assert not instance.optimal_tour.flags.writeable
    (tmp_path / "x.opt.tour").write_text("TOUR_SECTION\n1 2 3 3 -1\n")
    instance = load_text(tmp_path, text)
    assert (instance.optimum, instance.optimal_tour) == (None, None)
    assert "x.opt.tour: its tour visits city 3 more than once" in instance.note


def test_a_tour_beside_the_file_that_is_not_the_best(tsplib: Path, tmp_path: Path) -> None:
    text = (tsplib / "eil51.tsp").read_bytes()
    load(tsplib / "eil51.tsp").write(tmp_path / "x.opt.tour", np.arange(51))
    instance = load_text(tmp_path, text)
    assert instance.optimum == 426
    assert instance.optimal_tour is None
    assert "longer than the best known, 1308 > 426" in instance.note


def test_a_name_of_the_library_on_another_problem(tmp_path: Path) -> None:
    points = np.random.default_rng(1).integers(0, 99, (51, 2))
    assert load_text(tmp_path, points_text("EUC_2D", points, name="eil51")).optimum == 426
    assert load_text(tmp_path, points_text("MAN_2D", points, name="eil51")).optimum is None
    assert load_text(tmp_path, points_text("EUC_2D", points[:50], name="eil51")).optimum is None
    assert load_text(tmp_path, points_text("EUC_2D", points, name="mine")).optimum is None


@given(
    rows=st.lists(st.tuples(st.floats(-1e8, 1e8), st.integers(-9999, 9999)), min_size=3),
    shuffled=st.randoms(),
    blank=st.sampled_from([" ", "\t", "   "]),
)
def test_plain_rows_are_read_as_tsplib95_reads_them(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[float, int]],
    shuffled: Random,
    blank: str,
) -> None:
    rows = [*rows, (-1e6, 0), (1e6, 0)]  # not all at one place
    numbered = list(enumerate(rows, 1))
    shuffled.shuffle(numbered)
    text = HEAD.replace("3", str(len(rows)))
    text += "\n".join(f"{id_}{blank}{x!r}{blank}{y}" for id_, (x, y) in numbered) + "\nEOF\n"
    with mock.patch.object(numbers, "_other_points", side_effect=AssertionError):  # NumPy reads
        instance = load_text(tmp_path_factory.getbasetemp(), text)
    expected = tsplib95.parse(text).node_coords
    assert instance.coordinates.tolist() == [expected[id_] for id_ in sorted(expected)]


def calls_of(do: Callable[[], object]) -> int:
    """Count the calls of functions, of Python and of C, that ``do`` makes."""
    calls = 0

    def count(_frame: object, event: str, _function: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        do()
    finally:
        sys.setprofile(before)
    return calls


def test_a_file_of_a_million_cities_takes_little_time_and_memory(tmp_path: Path) -> None:
    n = 100_000  # a tenth of it
    points = np.random.default_rng(2).integers(0, 10**6, (n, 2))
    rows = "".join(f"{i} {x} {y}\n" for i, (x, y) in enumerate(points.tolist(), 1))
    path = tmp_path / "large.tsp"
    path.write_text(HEAD.replace("3", str(n)) + rows + "EOF\n")
    tracemalloc.start()
    instance = load(path)
    assert tracemalloc.get_traced_memory()[1] < 400 * n
    tracemalloc.stop()
    assert np.array_equal(instance.display, points)
    # Some 2 calls a row here, 19 in tsplib95. Calls are counted, since times of both vary.
    assert calls_of(lambda: load(path)) < calls_of(lambda: tsplib95.load(path)) / 5


def rewritten(text: str, data: st.DataObject) -> str:
    """The same instance, as another program or person would have written its file."""

    def pick(some: Sequence[Any]) -> Any:
        return data.draw(st.sampled_from(some))

    sign = pick([":", " : ", ": ", " ", "\t", " = ", ":\t"])
    case = pick([str, str.lower, str.title])
    form = pick(["plain", "commas", "decimal commas", "fortran", "floats", "semicolons"])
    lines, section = [], ""
    for line in text.splitlines():
        if line.endswith("_SECTION"):
            section = line
            lines.append(case(line) + pick(["", ":", " :", "  "]))
        elif line == "EOF":
            lines += pick([[], ["EOF"], ["eof"], [" EOF:"], ["EOF", "made by hand", "1 2"]])
        elif not section:
            keyword, _, value = line.partition(": ")
            if keyword == "TYPE" and pick([0, 1]):
                continue
            value = case(value) if keyword not in ("NAME", "COMMENT") else value
            lines.append(pick(["", " ", "\t"]) + case(keyword) + sign + value)
        else:
            lines.append(_row_in(form, line, in_places=section == "NODE_COORD_SECTION"))
        if pick([0, 0, 0, 1]):
            lines.append(pick(["", "   ", "# a comment", "% a comment", "// TYPE: CVRP"]))
    end = str(pick(["\n", "\r\n", "\r"]))
    return end.join(lines) + str(pick(["", end]))


def _row_in(form: str, line: str, *, in_places: bool) -> str:
    city, *rest = line.split() if in_places else ["", *line.split()]
    if form == "decimal commas" and in_places:
        rest = [one.replace(".", ",") for one in rest]
    if form == "fortran":
        rest = [f"{float(one):.16E}".replace("E", "D") for one in rest]
    city += ".0" if form == "floats" and city else ""
    between = {"commas": ",", "semicolons": ";"}.get(form, "  ")
    return between.join([city, *rest] if city else rest)


@settings(max_examples=200)
@given(data=st.data(), seed=st.integers(0, 99), encoding=st.sampled_from(["utf-8-sig", "utf-16"]))
def test_a_file_in_any_dialect_is_the_same_instance(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, seed: int, encoding: str
) -> None:
    rng = np.random.default_rng(seed)
    ids = rng.permutation(9)[:5] + data.draw(st.integers(0, 3))
    text = data.draw(
        st.sampled_from(
            [
                points_text("EUC_2D", rng.integers(0, 900, (5, 2)) / 4, ids=ids.tolist()),
                points_text("CEIL_2D", rng.integers(-90, 90, (5, 2)) / 2),
                points_text("FLOOR_3D", rng.integers(-90, 90, (5, 3)), ids=ids.tolist()),
                matrix_text("FULL_MATRIX", rng.integers(0, 99, (5, 5)), kind="ATSP"),
                matrix_text("LOWER_DIAG_ROW", symmetric(5, seed)),
                matrix_text("UPPER_ROW", symmetric(5, seed)),
            ]
        )
    )
    path = tmp_path_factory.getbasetemp() / "dialect.tsp"
    path.write_text(text)
    plain = load_instance(path)
    path.write_bytes(rewritten(text, data).encode(encoding))
    other = load_instance(path)
    assert isinstance(plain, TspInstance)
    assert isinstance(other, TspInstance)
    assert other.digest() == plain.digest()
    assert (other.name, other.unit) == (plain.name, plain.unit)
    assert np.array_equal(other.display, plain.display)


def _apart(points: NDArray[np.float64]) -> NDArray[np.float64]:
    across, up = (points[:, None] - points).transpose(2, 0, 1)
    distances: NDArray[np.float64] = np.hypot(across, up)
    return distances


@pytest.mark.parametrize("n", [3, 10, layout.LANDMARKS, layout.LANDMARKS + 1, 1300])
def test_a_plane_is_found_again(n: int) -> None:
    points = np.random.default_rng(n).random((n, 2)) * [10_000, 4_000]
    true = _apart(points)
    found = layout.laid_out(np.rint(true).astype(np.int32))
    assert found.shape == (n, 2)
    assert np.abs(_apart(found) - true).max() < 5


def test_the_same_matrix_gives_the_same_map() -> None:
    matrix = np.random.default_rng(2).integers(1, 100, (40, 40)).astype(np.int32)
    first = layout.laid_out(matrix)
    assert np.array_equal(first, layout.laid_out(matrix.copy()))
    assert np.isfinite(first).all()


def test_a_directed_matrix_is_drawn_by_the_mean_of_both_ways() -> None:
    matrix = np.random.default_rng(2).integers(1, 100, (40, 40))
    both = matrix + matrix.T
    np.fill_diagonal(both, 0)
    assert np.allclose(layout.laid_out(matrix) * 2, layout.laid_out(both))


@pytest.mark.parametrize("n", [3, 4, 700])
def test_cities_that_cannot_be_told_apart_lie_on_a_circle(n: int) -> None:
    found = layout.laid_out(np.zeros((n, n), np.int32))
    assert np.allclose(np.hypot(*found.T), 1.0)
    assert len(np.unique(found.round(9), axis=0)) == n


def test_a_line_and_the_largest_distances_are_finite() -> None:
    places = np.arange(5, dtype=np.int64) * (2**29 - 1)
    found = layout.laid_out(np.abs(places[:, None] - places))
    assert np.isfinite(found).all()
    assert np.allclose(np.abs(np.diff(found[:, 0])), 2**29 - 1)
    assert np.abs(found[:, 1]).max() < 100


def test_large_matrices_take_little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """All vectors of a matrix of 3000 cities would take 200 times those of the landmarks."""
    sizes: list[int] = []
    eigh = np.linalg.eigh

    def watched(matrix: NDArray[np.float64]) -> object:
        sizes.append(len(matrix))
        return eigh(matrix)

    monkeypatch.setattr(np.linalg, "eigh", watched)
    matrix = np.ones((3000, 3000), np.int32)
    assert np.isfinite(layout.laid_out(matrix)).all()
    assert sizes == [layout.LANDMARKS]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1 0 0\n2 0 3\n", "1.000000e+00 0e0 0\n2.000000e+00 0.000e+00 3\n"),
        ("NAME", "c by hand\n; and more\nNAME"),
        ("EOF", "TOUR_SECTION\n3\n1\n2\n-1\nEOF"),
    ],
)
def test_what_else_stands_in_files(tmp_path: Path, old: str, new: str) -> None:
    text = (
        "NAME: x\nTYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n"
        "1 0 0\n2 0 3\n3 4 0\nEOF\n"
    )
    plain = load_text(tmp_path, text)
    found = load_instance("x.tsp", text.replace(old, new).encode())
    assert isinstance(found, TspInstance)
    assert np.array_equal(found.city_ids, plain.city_ids)
    assert np.array_equal(found.display, plain.display)
    for more, said in (
        (f"{text}{text}", "another problem stands behind its EOF"),
        (f"SALESMEN: 2\n{text}", "has '2' SALESMEN"),
    ):
        with pytest.raises(InstanceError, match=said):
            load_instance("x.tsp", more.encode())


@pytest.mark.parametrize(("rows", "there"), [("1 2 3\n4 5\n6", 3), ("1\n2 3\n4 5 6", 4)])
def test_a_triangle_of_one_row_a_line_needs_no_format(
    tmp_path: Path, rows: str, there: int
) -> None:
    text = f"DIMENSION: 4\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_SECTION\n{rows}\nEOF\n"
    found = load_text(tmp_path, text)
    assert found.matrix is not None
    assert found.matrix[0, 3] == there


def test_fixed_edges_with_absurd_numbers_are_refused(tmp_path: Path) -> None:
    text = points_text("EUC_2D", np.array(SQUARE)).replace(
        "EOF", "FIXED_EDGES_SECTION\n1 999999999999999999994\n-1\nEOF"
    )
    with pytest.raises(InstanceError, match="FIXED_EDGES_SECTION has a number that is none"):
        load_instance(tmp_path / "x.tsp", text.encode())


def test_a_depot_alone_is_a_city_like_others(tmp_path: Path) -> None:
    text = HEAD + "1 0 0\n2 1 5\n3 4 4\nDEPOT_SECTION\n2\n-1\nEOF\n"
    instance = load_text(tmp_path, text)
    assert instance.n == 3
    assert "names 2, a city of the tour like others: --from 2 begins there" in instance.note
    for more, why in (
        ("DEPOT_SECTION\n1\n2\n-1\n", "its DEPOT_SECTION has depots"),
        ("DEPOT_SECTION\n1\n-1\nDEMAND_SECTION\n1 0\n2 1\n3 1\n", "its DEPOT_SECTION has depots"),
    ):
        with pytest.raises(InstanceError, match=why):
            load_text(tmp_path, HEAD + "1 0 0\n2 1 5\n3 4 4\n" + more)
    with pytest.raises(InstanceError, match="it has '3' VEHICLES; a tour here is of one"):
        load_text(tmp_path, text.replace("NODE_COORD", "VEHICLES: 3\nNODE_COORD"))


@pytest.mark.parametrize(
    "rows",
    ["1 0 0 2 1 5 3 4 4", "1 0 0 2 1 5\n3 4\n4", "Aach 0 0\nBonn 1 5\nCelle 4 4"],
)
def test_cities_in_one_line_and_by_names_alone(tmp_path: Path, rows: str) -> None:
    instance = load_text(tmp_path, f"{HEAD}{rows}\nEOF\n")
    assert instance.display.tolist() == [[0, 0], [1, 5], [4, 4]]
    assert instance.names == (("Aach", "Bonn", "Celle") if "Aach" in rows else ())


@pytest.mark.parametrize("rows", ["1 0 0 3 1 5 2 4 4", "1 0 0 2 1 5 3 4", "1 0 0 Bonn 1 5\n3 4 4"])
def test_rows_that_can_be_no_cities(tmp_path: Path, rows: str) -> None:
    with pytest.raises(InstanceError):
        load_text(tmp_path, f"{HEAD}{rows}\nEOF\n")
