from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tsplib95
from hypothesis import given
from hypothesis import strategies as st

from gpu.core.errors import InstanceError, SolutionError
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.tsplib import load
from tests.gpu.problems.texts import points_text


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
