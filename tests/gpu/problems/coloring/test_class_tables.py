"""Colorings as tables, there and back, in any dialect."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.files.classes import CLASS_WRITERS
from gpu.core.errors import InstanceError
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.loading import load_instance
from tests.gpu.problems.texts import is_one_sentence

PAIRS = (
    "Kurs;Konflikt\r\nMathe;Physik\r\nPhysik;Französisch\r\nFranzösisch;Kunst\r\nKunst;Mathe\r\n"
)
COLORING = np.array([0, 1, 0, 1], np.int32)


@pytest.fixture
def graph(tmp_path: Path) -> GraphInstance:
    path = tmp_path / "kurse.csv"
    path.write_bytes(PAIRS.encode("latin-1"))
    found = load_instance(path)
    assert isinstance(found, GraphInstance)
    return found


@pytest.mark.parametrize("form", CLASS_WRITERS)
def test_a_coloring_is_written_like_its_table_and_read_again(
    form: str, graph: GraphInstance, tmp_path: Path
) -> None:
    path = tmp_path / "out.csv"
    CLASS_WRITERS[form](path, graph, COLORING)
    data = path.read_bytes()
    assert data.count(b"\r\n") == data.count(b"\n") > 0
    assert "Französisch" in data.decode("cp1252")
    assert graph.is_solution(path, data)
    assert np.array_equal(graph.load_solution(path), COLORING)
    assert not graph.is_solution(path, (tmp_path / "kurse.csv").read_bytes())


@pytest.mark.parametrize(
    ("text", "colors"),
    [
        (
            "course,slot\nMathe,Monday\nPhysik,Tuesday\nFranzösisch,Monday\nKunst,Tuesday\n",
            [0, 1, 0, 1],
        ),
        ("2,Mathe\n1,Physik\n2,Französisch\n1,Kunst\n", [1, 0, 1, 0]),
        ("Monday\tTuesday\nMathe\tPhysik\nFranzösisch\tKunst\n", [0, 1, 0, 1]),
        ("vertex,room,class\nMathe,7,a\nPhysik,8,b\nFranzösisch,9,a\nKunst,9,b\n", [0, 1, 0, 1]),
    ],
)
def test_tables_by_hand(text: str, colors: list[int], graph: GraphInstance) -> None:
    found = graph.load_solution("x.csv", text.encode())
    assert found.tolist() == colors


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("vertex,class\nMathe,1\nPhysik,2\nKunst,2\n", "'Französisch' has no class"),
        ("vertex,class\nMathe,1\nMathe,2\nPhysik,2\nKunst,2\n", "'Mathe' has two classes"),
        ("vertex,class\nMathe,1\nPhysik,2\nKunst,2\nSport,1\n", "no vertex 'Sport'"),
        (
            "vertex,class\nMathe,1\nPhysik,1\nFranzösisch,2\nKunst,2\n",
            "neighbours Mathe and Physik",
        ),
        ("a,b,c\n1,2,3\n", "gives no vertices of this graph a class"),
    ],
)
def test_what_is_refused(text: str, said: str, graph: GraphInstance) -> None:
    with pytest.raises(InstanceError) as caught:
        graph.load_solution("x.csv", text.encode())
    assert said in is_one_sentence("x.csv", str(caught.value))
