from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tsplib95
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu.core.errors import InstanceError, SolutionError
from gpu.problems.loading import load_instance
from gpu.problems.solutions import load_solution
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.tours import TourFile, is_tour, read_tour
from gpu.problems.tsp.tsplib.tsplib_files import load
from tests.gpu.problems.texts import is_one_sentence, points_text


def _instance(folder: Path, n: int, ids: list[int] | None = None) -> TspInstance:
    path = folder / "cities.tsp"
    points = np.random.default_rng(n).integers(0, 100, (n, 2))
    path.write_text(points_text("EUC_2D", points, ids=ids, name="cities"))
    return load(path)


@given(data=st.data())
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.getbasetemp()
    ids = data.draw(st.none() | st.lists(st.integers(0, 999), min_size=3, max_size=9, unique=True))
    instance = _instance(folder, len(ids) if ids else 7, ids)
    tour = np.array(data.draw(st.permutations(range(instance.n))))
    instance.write(folder / "a.tour", tour, "best of 3 runs\nLength = 12")
    again = instance.load_solution(folder / "a.tour")
    assert again.dtype == np.int32
    assert np.array_equal(again, tour)
    (listed,) = tsplib95.load(folder / "a.tour").tours
    assert listed == instance.city_ids[tour].tolist()


def test_the_text_of_a_tour(tmp_path: Path) -> None:
    _instance(tmp_path, 3).write(tmp_path / "a.tour", np.array([2, 0, 1]), "by hand")
    assert (tmp_path / "a.tour").read_text() == (
        "NAME: cities.tour\nCOMMENT: by hand\nTYPE: TOUR\nDIMENSION: 3\nTOUR_SECTION\n"
        "3\n1\n2\n-1\nEOF\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "TOUR_SECTION\n2 3 1 -1\nEOF\n",
        "TOUR_SECTION\n2 3\n1",
        "TYPE : TOUR\nDIMENSION : 3\nTOUR_SECTION\n2\n3\n1\n-1\n-1\nEOF",
        "NAME: t\nTYPE: TOUR\nTOUR_SECTION\n2\n3\n1\nEOF\n",
        "name: t\ntype: tour\ndimension: 3\ntour_section\n2\n3\n1\n-1\neof\n",
        "NAME : cities.3.tour\nCOMMENT : Length = 12\nCOMMENT : Found by LKH\nTYPE : TOUR\n"
        "DIMENSION : 3\nTOUR_SECTION\n2\n3\n1\n-1\nEOF\n",
        "TOUR_SECTION\n1 2 0 -1\n",
        "TOUR_SECTION\n2 3 1 2 -1\n",
        "2\n3\n1\n",
        "1 2 0",
        "3\n1 2 0 \n",
        "3\n1\n2\n0\n1\n",
        "2,3,1,2\n",
        "[2, 3, 1]\n",
        "2 -> 3 -> 1 -> 2\n",
        "# by hand\n2.0\n3.0\n1.0\n",
        "3 3\n1 2 17\n2 0 5\n0 1 9\n",
        "\ufeff2\r\n3\r\n1\r\n",
        "TYPE: OPT TOUR\nDIMENSION: 3\nTOUR_SECTION\n2\n3\n1\n-1\n",
        "DIMENSION: 4\nTOUR_SECTION\n2\n3\n1\n2\n-1\n",
        "2 3\n3 1\n1 2\n",
        "1 2 17\n2 0 5\n0 1 9\n",
        "3\n1 2\n2 0\n0 1\n",
        "1 2\n2 3\n3 1\n4 2\n",
        "4\n2\n3\n1\n2\n",
        "tour = [1, 2, 0]\n",
        '{"route": [2, 3, 1], "length": 12}',
        "Tour: 2 3 1\n",
        "2.000000000000000000e+00\n3.000000000000000000e+00\n1.000000000000000000e+00\n",
    ],
)
def test_forms_in_which_tours_are_found(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.tour").write_text(text)
    assert _instance(tmp_path, 3).load_solution(tmp_path / "a.tour").tolist() == [1, 2, 0]


def test_a_missing_tour(tmp_path: Path) -> None:
    with pytest.raises(InstanceError, match="cannot be read: No such file"):
        _instance(tmp_path, 3).load_solution(tmp_path / "none.tour")


@pytest.mark.parametrize("tour", [[0, 1], [0, 1, 1], [0, 1, 3], [1, 2, 3]])
def test_only_permutations_are_written(tmp_path: Path, tour: list[int]) -> None:
    with pytest.raises(SolutionError, match="does not visit each city once"):
        _instance(tmp_path, 3).write(tmp_path / "a.tour", np.array(tour))
    assert not (tmp_path / "a.tour").exists()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("4 4\n0 1 5\n1 2 5\n2 3 5\n3 1 5\n", "a city has another number of them than two"),
        ("1 2\n", "its tour has 2 cities; cities has 3"),
        ("1 2 4\n", "cities has no city 4"),
        ("1 2 2\n", "its tour visits city 2 more than once"),
        ("1 2 3 -1 3 2 1 -1\n", "it has several tours; keep one"),
        ("1 2\n2 3\n3 4\n4 1\n", "cities has 3"),
        ("1 3\n2 1\n3 2\n", "its rows can be edges, or cities with a number before each"),
        ("1 2 three\n", "it has something other than city numbers; write the tour"),
    ],
)
def test_lists_that_are_no_tour(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(InstanceError, match=why):
        _instance(tmp_path, 3).load_solution(tmp_path / "a.txt")


def test_what_is_listed_may_say_of_which_instance_it_is(tmp_path: Path) -> None:
    for name, text, n in (("a.cyc", "4\n3 1 2 0\n", 4), ("b.sol", "0 2 1 3", 4)):
        (tmp_path / name).write_text(text)
        assert is_tour(tmp_path / name, text.encode())
        found = read_tour(tmp_path / name)
        assert (found.names, found.n) == ([name[0]], n)
    assert not is_tour(tmp_path / "c.sol", b"s col 3\nl 1 1\n")
    two = TourFile(
        tmp_path,
        "",
        None,
        np.zeros(0, np.int64),
        np.array([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]),
    )
    with pytest.raises(InstanceError, match="its edges are several tours, one of 3 cities"):
        two.of("six", np.arange(6))
    for said in ("/tours/six.tour", r"C:\tours\six.tour"):  # by a program of whichever system
        assert replace(two, said=said).names[0] == "six"


@pytest.mark.parametrize("text", ["order,city\n1,2\n2,3\n3,1\n", "city\n2\n3\n1\n"])
def test_tables_of_cities(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    assert load_solution(_instance(tmp_path, 3), tmp_path / "a.csv").tolist() == [1, 2, 0]


NAMED = "name,x,y\nBonn,0,0\nKöln,1,9\nNew York,7,7\nAachen,8,0\n"


@pytest.mark.parametrize(
    "text",
    [
        "Köln\nBonn\nNew York\nAachen\n",
        "city\nköln\nBonn\nNew  York\nAachen\n",
        "1. Köln\n2. Bonn\n3. New York\n4. Aachen\n5. Köln\n",
        "Köln -> Bonn -> New York -> Aachen -> Köln\n",
        "Köln, Bonn, New York, Aachen",
        '["Köln", "Bonn", "New York", "Aachen"]',
        "['Köln', 'Bonn', 'New York', 'Aachen', 'Köln']",
    ],
)
def test_tours_by_the_names_of_cities(tmp_path: Path, text: str) -> None:
    instance = load_instance(tmp_path / "x.csv", NAMED.encode())
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    assert load_solution(instance, tmp_path / "a.txt").tolist() == [1, 0, 2, 3]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Köln\nBonn\nNew York\nParis\n", "x has no city 'paris'"),
        ("Köln\nBonn\nNew York\n", "its route has 3 cities; x has 4"),
        ("Köln\nBonn\nNew York\nBonn\n", "x has no place 'bonn', or it is twice"),
        ("Paris\nRome\nOslo\n", "is no line of a format that is read here"),
    ],
)
def test_names_that_are_no_tour(tmp_path: Path, text: str, why: str) -> None:
    instance = load_instance(tmp_path / "x.csv", NAMED.encode())
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    with pytest.raises(InstanceError, match=why):
        load_solution(instance, tmp_path / "a.txt")


@settings(max_examples=200)
@given(at=st.integers(0, 60), gone=st.integers(0, 9), more=st.text(max_size=3))
def test_mutated_lists_of_names(
    tmp_path_factory: pytest.TempPathFactory, at: int, gone: int, more: str
) -> None:
    folder = tmp_path_factory.getbasetemp()
    instance = load_instance(folder / "x.csv", NAMED.encode())
    text = "Köln -> Bonn -> New York -> Aachen -> Köln\n"
    broken = (text[:at] + more + text[at + gone :]).encode("utf-8", "surrogatepass")
    path = folder / "a.txt"
    path.write_bytes(broken)
    try:
        assert sorted(load_solution(instance, path).tolist()) == [0, 1, 2, 3]
    except InstanceError as error:
        is_one_sentence(path, str(error))
