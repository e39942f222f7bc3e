"""What readers refuse, each in one sentence that names the file, and what they note of others."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from gpu.core.errors import InstanceError
from gpu.problems.coloring.dimacs import load_graph
from gpu.problems.loading import load_instance
from gpu.problems.tsp.drawing import pasted
from gpu.problems.tsp.tsplib import load
from tests.golden import Golden
from tests.gpu.problems.texts import HEAD, load_text

READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "refused-tsplib": ("x.tsp", load),
    "refused-kinds": ("x.tsp", load_instance),
    "refused-texts": ("x.txt", load_instance),
    "refused-tours": ("x.tour", lambda path: load(path.with_name("three.tsp")).load_solution(path)),
    "refused-dimacs": ("x.col", load_graph),
    "refused-places": ("x.csv", load_instance),
    "refused-clipboard": ("clipboard", lambda path: pasted(path.read_text())),
}


def sentence(path: Path, data: bytes, read: Callable[[Path], object]) -> str:
    path.write_bytes(data)
    with pytest.raises(InstanceError) as caught:
        read(path)
    said, where = str(caught.value), path if path.name != "clipboard" else path.name
    assert said.startswith(f"{where}: ")
    assert len(said) < len(str(path)) + 400
    assert "\n" not in said
    return said.removeprefix(f"{where}: ")


@pytest.mark.parametrize("table", READERS)
def test_what_is_refused_is_one_sentence(table: str, tmp_path: Path, golden: Golden) -> None:
    load_text(tmp_path, f"{HEAD}1 0 0\n2 3 0\n3 3 4\n", "three.tsp")
    name, read = READERS[table]

    def told(line: str) -> str:
        given = ast.literal_eval(line)
        data = given if isinstance(given, bytes) else given.encode()
        said = sentence(tmp_path / name, data, read)
        if table == "refused-kinds":  # its name does not matter
            for other in ("graph.col", "table.csv", "tour.tour", "other.txt"):
                assert sentence(tmp_path / other, data, read) == said
        return said

    golden.table(table, told)


def test_what_is_said_of_files_that_are_taken(tmp_path: Path, golden: Golden) -> None:
    def told(line: str) -> str:
        name, text, *read_as = ast.literal_eval(line)
        path = tmp_path / name
        path.write_text(text)
        instance = load_instance(path, None, *read_as)
        return f"{instance.size}: {instance.note or 'nothing'}"

    golden.table("notes-of-files", told)
