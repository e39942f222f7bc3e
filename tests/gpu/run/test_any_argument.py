"""Whatever a script gives as an argument: a result, or one sentence that names what was given."""

from __future__ import annotations

import datetime
import io
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gpu.core.errors import InstanceError, ParameterError, SolutionError
from gpu.core.instance import Instance
from gpu.problems.coloring.instance import GraphInstance, unique_edges
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from gpu.run import FormicariumError, load_instance, solve
from tests import colonies
from tests.colonies import RandomColony
from tests.golden import Golden

nx = pytest.importorskip("networkx")  # which has no types
CITIES = colonies.some_cities()
GRAPH = GraphInstance("graph", "", 5, unique_edges([(0, 1), (1, 2)]))


class Hostile:
    """Raises whatever is asked of it."""

    __hash__ = None  # that, too

    def __repr__(self) -> str:
        raise RuntimeError("it has no text")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("it equals nothing")

    def __bool__(self) -> bool:
        raise RuntimeError("it is neither true nor false")

    def __len__(self) -> int:
        raise RuntimeError("it has no length")


def odd_things() -> list[Any]:
    return [
        None, True, False, 0, 3, -1, 2**63, 10**18 + 1, 10**5000, -(10**5000),
        0.0, 1.5, -0.5, 1e308, 5e-324, float("nan"), float("inf"), 1j, Decimal(3), Fraction(1, 2),
        "", "x", "3", "acs", "best", "auto", "a\0b", "\ud800", "x" * 10_000, b"x", bytearray(b"x"),
        [], [1, 2], (), (1,), {}, {1}, {"x": 1}, {1: 2}, range(3), iter([1]), (x for x in [1]),
        np.arange(3), np.zeros((2, 2)), np.array(3), np.array("acs"), np.array([None, 1]),
        np.bool_(True), np.float32("nan"), np.int64(3), np.uint64(2**64 - 1), np.str_("acs"),
        np.datetime64("2020"), nx.path_graph(3), io.StringIO("x"), io.BytesIO(b"x"), Path(), ...,
        object(), Exception("x"), datetime.timedelta(seconds=3), Hostile(), CITIES,
    ]  # fmt: skip


def refused(work: Callable[[], object], *kinds: type[FormicariumError]) -> str:
    """Return the sentence by which ``work`` was refused; it must be, by an error of ``kinds``."""
    with pytest.raises(kinds) as caught:
        work()
    return is_one_sentence(caught.value)


def works_or_is_refused(work: Callable[[], object]) -> None:
    try:
        work()
    except FormicariumError as error:
        is_one_sentence(error)


def is_one_sentence(error: FormicariumError) -> str:
    message = str(error)
    assert "\n" not in message
    assert "please report" not in message
    assert len(message) < 1_700  # it may name a file of any length
    return message


@pytest.fixture
def colony(monkeypatch: pytest.MonkeyPatch) -> str:
    return colonies.install(monkeypatch, RandomColony)


ARGUMENTS = (
    *("aim", "colony", "device", "parameters", "seed", "seconds", "iterations", "target_gap"),
    *("target", "no_improvement", "solutions", "go_on", "start", "progress", "cancelled"),
)


@pytest.mark.parametrize("argument", ARGUMENTS)
def test_every_argument_of_solve(colony: str, argument: str) -> None:
    for thing in odd_things():
        usual = {"device": "cpu:1", "iterations": 1, "cancelled": lambda: True}
        if argument not in ("aim", "colony"):
            usual["colony"] = colony
        given = {**usual, argument: thing}
        works_or_is_refused(lambda given=given: solve(CITIES, **given))  # type: ignore[misc]


@pytest.mark.parametrize("name", ["ants", "local_search", 3, None, "x" * 10_000, ("ants",)])
def test_every_parameter(colony: str, name: Any) -> None:
    for thing in odd_things():
        for at in ("acs", colony):
            given = {name: thing}
            works_or_is_refused(
                lambda at=at, given=given: solve(  # type: ignore[misc]
                    CITIES, colony=at, device="cpu:1", parameters=given, cancelled=lambda: True
                )
            )


def test_what_is_no_instance() -> None:
    for thing in odd_things():
        if not isinstance(thing, Instance):
            said = refused(lambda thing=thing: solve(thing, iterations=1), ParameterError)  # type: ignore[misc]
            assert "is no instance: give what load_instance returns for its file" in said


def test_every_argument_of_load_instance(tmp_path: Path) -> None:
    path = tmp_path / "places.csv"
    path.write_text("x,y\n0,0\n0,3\n4,0\n")
    for thing in odd_things():
        refused(lambda thing=thing: load_instance(thing), InstanceError)  # type: ignore[misc]
        works_or_is_refused(lambda thing=thing: load_instance(path, thing))  # type: ignore[misc]
        works_or_is_refused(lambda thing=thing: load_instance(path, None, thing))  # type: ignore[misc]
    assert load_instance(str(path)).n == load_instance(path).n == 3


def test_what_people_have_instead_of_a_file_is_named_with_what_to_do(golden: Golden) -> None:
    golden.table(
        "refused-arguments", lambda line: refused(lambda: eval(line, globals()), FormicariumError)
    )


@pytest.mark.parametrize("instance", [CITIES, GRAPH], ids=["cities", "graph"])
def test_what_is_no_solution(instance: Instance, tmp_path: Path) -> None:
    n, path = instance.n, tmp_path / "solution"
    wrong = [
        *odd_things(), np.arange(float(n)), np.full(n, np.nan), np.array(["0"] * n),
        np.array([None] * n), np.full(n, 10**13), np.full(n, 2**64 - 1, np.uint64), -np.arange(n),
        np.ones(n, bool), np.arange(n) + 1j, [[1], [1, 2]], np.zeros((n, 1), int),
        np.arange(n).astype("datetime64[s]"), np.arange(n) + 1, np.arange(n)[:-1],
        np.arange(n) % (n - 1) if n == CITIES.n else np.zeros(n, int),
    ]  # fmt: skip
    for solution in wrong:
        given: Any = solution
        refused(lambda given=given: instance.cost_of(given), SolutionError)  # type: ignore[misc]
        refused(lambda given=given: instance.write(path, given), SolutionError)  # type: ignore[misc]
        assert not path.exists()
    for whole in (np.arange(n), np.arange(n, dtype=np.uint64), list(range(n))):
        given = whole
        assert instance.cost_of(given) == instance.cost_of(np.arange(n))
        text: Any = str(path)
        instance.write(text, given)
        path.unlink()
    given = 3
    said = refused(lambda: instance.write(given, np.arange(n)), SolutionError)
    assert said == "3 is not the path of a file: name the file to write"


XY = np.arange(10.0).reshape(5, 2) ** 2
TSP: dict[str, Any] = {
    "name": "x", "comment": "", "metric": Metric.EUC_2D, "coordinates": XY, "matrix": None,
    "display": XY,
}  # fmt: skip


@pytest.mark.parametrize(
    "field", [*TSP, "optimum", "note", "unit", "path", "names", "ids", "optimal_tour"]
)
def test_every_field_of_a_tsp_instance(field: str) -> None:
    for thing in odd_things():
        works_or_is_refused(lambda thing=thing: TspInstance(**{**TSP, field: thing}).size)  # type: ignore[misc]


def test_impossible_instances(golden: Golden) -> None:
    golden.table(
        "refused-instances", lambda line: refused(lambda: eval(line, globals()), InstanceError)
    )


def test_coordinates_may_be_lists_or_whole_numbers() -> None:
    want = TspInstance(**TSP).all_distances()
    for xy in (XY.tolist(), XY.astype(int), XY.astype(np.float32)):
        found = TspInstance(**{**TSP, "coordinates": xy, "display": xy})
        assert np.array_equal(found.all_distances(), want)


@pytest.mark.parametrize("field", ["name", "n", "edges", "optimum"])
def test_every_field_of_a_graph(field: str) -> None:
    usual: dict[str, Any] = {"name": "x", "comment": "", "n": 5, "edges": GRAPH.edges}
    for thing in odd_things():
        works_or_is_refused(lambda thing=thing: GraphInstance(**{**usual, field: thing}).size)  # type: ignore[misc]
