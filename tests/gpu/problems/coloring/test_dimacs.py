"""DIMACS graphs, text and bits: what is in them, and what is refused in one sentence."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from gpu.core.errors import InstanceError, SolutionError
from gpu.problems import integers
from gpu.problems.coloring import dimacs
from gpu.problems.coloring.dimacs import load_graph, write_graph
from gpu.problems.coloring.instance import GraphInstance, unique_edges
from gpu.problems.document import lines_with
from gpu.problems.loading import load_instance
from gpu.problems.tsp.instance import TspInstance
from tests.gpu.problems.texts import is_one_sentence, points_text

TRIANGLE = "c three\nc of them\np edge 3 3\ne 1 2\ne 2 3\ne 3 1\n"


def bits(preamble: str, matrix: NDArray[np.bool_]) -> bytes:
    """A file with a bit for every pair of vertices of ``matrix``."""
    rows = [np.packbits(row[: u + 1]).tobytes() for u, row in enumerate(matrix)]
    return f"{len(preamble)}\n{preamble}".encode() + b"".join(rows)


def random_graph(n: int, seed: int, share: float = 0.5) -> NDArray[np.bool_]:
    upper = np.triu(np.random.default_rng(seed).random((n, n)) < share, 1)
    matrix: NDArray[np.bool_] = upper | upper.T
    return matrix


def load_text(folder: Path, text: str | bytes, name: str = "graph.col") -> GraphInstance:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    instance = load_instance(path)
    assert isinstance(instance, GraphInstance)
    return instance


def refused(folder: Path, text: str | bytes, name: str = "graph.col") -> str:
    with pytest.raises(InstanceError) as caught:
        load_text(folder, text, name)
    return is_one_sentence(folder / name, str(caught.value))


def is_whole(graph: GraphInstance) -> None:
    """What every graph is, whatever it came from."""
    edges = graph.edges
    assert (edges[:, 0] < edges[:, 1]).all()
    assert edges.size == 0 or (edges.min() >= 0 and edges.max() < graph.n)
    matrix = np.zeros((graph.n, graph.n), bool)
    matrix[edges[:, 0], edges[:, 1]] = matrix[edges[:, 1], edges[:, 0]] = True
    j = np.arange(graph.n)
    sets = graph.adjacency[:, j >> 5] >> (j & 31).astype(np.uint32) & 1
    assert np.array_equal(sets.astype(bool), matrix)
    assert np.array_equal(graph.degrees, matrix.sum(axis=1))
    for vertex, row in enumerate(matrix):
        assert graph.neighbours(vertex).tolist() == np.flatnonzero(row).tolist()
    assert matrix.sum() == 2 * len(edges)
    kept = (edges, graph.offsets, graph.adjacent, graph.degrees, graph.adjacency)
    assert not any(array.flags.writeable for array in kept)
    assert graph.adjacency is graph.adjacency


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 70])
def test_text_and_bits_are_one_graph(tmp_path: Path, n: int) -> None:
    matrix = random_graph(n, seed=n)
    edges = unique_edges(np.argwhere(matrix))
    path = tmp_path / "written.col"
    write_graph(path, GraphInstance("written", "chromatic number 1\nrandom", n, edges))
    text = load_graph(path)
    binary = load_text(tmp_path, bits(f"c bits\np edge {n} {len(edges)}\n", matrix), "x.col.b")
    for graph in (text, binary):
        is_whole(graph)
        assert np.array_equal(graph.edges, edges)
        assert (graph.n, graph.note) == (n, "")
    assert (text.name, text.comment, text.optimum) == (
        "written",
        "chromatic number 1\nrandom",
        1,
    )
    assert (binary.name, binary.comment, binary.optimum) == ("x", "bits", None if len(edges) else 1)
    assert text.sha256 != binary.sha256


@pytest.mark.parametrize("kind", ["edge", "edges", "col"])
def test_each_way_to_write_a_graph(tmp_path: Path, kind: str) -> None:
    text = f"\nc\n p  {kind} 3 4\r\ne 2 1\ne 1 2\r  e\t2 3 \ne 3 2\n\n"
    graph = load_text(tmp_path, text)
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert (graph.n, graph.note, graph.size) == (3, "", "3 vertices, 2 edges")


def test_bits_of_vertices_joined_with_themselves_are_left_out_and_told(tmp_path: Path) -> None:
    matrix = np.eye(3, dtype=bool)
    matrix[0, 1] = matrix[1, 0] = True
    graph = load_text(tmp_path, bits("p edge 3 1\n", matrix), "x.col.b")
    assert graph.edges.tolist() == [[0, 1]]
    assert graph.note == "3 edges from a vertex to itself left out, first at 1"


def test_what_it_says_decides_and_its_ending_where_it_says_nothing(tmp_path: Path) -> None:
    assert load_text(tmp_path, TRIANGLE, "triangle.txt").n == 3
    assert "no line of a DIMACS graph" in refused(tmp_path, "hello\n", "GRAPH.COL")
    square = tmp_path / "square.col"
    square.write_text(points_text("EUC_2D", [(0, 0), (0, 1), (1, 1)]))
    assert isinstance(load_instance(square), TspInstance)
    assert isinstance(load_instance(square.rename(tmp_path / "square.tsp")), TspInstance)


def test_bits_that_are_no_graph_are_refused(tmp_path: Path) -> None:
    matrix = random_graph(20, seed=1)
    whole = bits("p edge 20 9\n", matrix)
    for wrong in (whole[:-1], whole + b"\0", whole.replace(b"20", b"21")):
        assert "is the file whole?" in refused(tmp_path, wrong, "x.col.b")
    assert "both in its text and in its bits" in refused(tmp_path, bits(TRIANGLE, matrix[:3, :3]))
    assert "ends before its text" in refused(tmp_path, b"9999999\nc\n" + bytes(100))
    assert "neither a line p edge nor edges" in refused(tmp_path, b"2\nc\n" + bytes(100))
    assert "binary file" in refused(tmp_path, b"c \0\0")


def dense(folder: Path, n: int) -> Path:
    path = folder / "dense.col.b"
    path.write_bytes(bits(f"p edge {n} {n * (n - 1) // 2}\n", np.tri(n, k=-1, dtype=bool)))
    return path


def test_a_dense_graph_takes_little_more_memory_than_it_has(tmp_path: Path) -> None:
    path = dense(tmp_path, 1600)
    tracemalloc.start()
    try:
        graph = load_graph(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(graph.edges) == 1600 * 1599 // 2
    assert graph.degrees.tolist() == [1599] * 1600
    # It was 80 bytes an edge; what is computed for a part of the edges at once takes 30 MiB.
    assert peak < 2 * graph.edges.nbytes + 30 * 2**20


@pytest.mark.parametrize("form", ["text", "bits"])
def test_a_graph_that_does_not_fit_is_refused_with_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    text = "p edge 100 4950\n" + "".join(f"e {v} {u}\n" for u in range(1, 101) for v in range(1, u))
    (tmp_path / "x.col").write_text(text)
    path = dense(tmp_path, 100) if form == "bits" else tmp_path / "x.col"
    monkeypatch.setattr(dimacs, "free_memory", lambda: 2**28 + 1000)
    with pytest.raises(
        InstanceError, match=r"4,950 edges need 0\.\d MiB .* only 0\.0 MiB are free"
    ):
        load_graph(path)
    monkeypatch.setattr(dimacs, "free_memory", lambda: 2**30)
    assert len(load_graph(path).edges) == 4950


def test_a_coloring_is_checked() -> None:
    graph = GraphInstance("path", "", 3, unique_edges([(0, 1), (2, 1)]), optimum=2)
    assert graph.cost_of(np.array([0, 1, 0])) == 2
    assert graph.cost_of(np.array([2, 1, 0])) == 3
    assert graph.gap_percent(3) == 50
    assert graph.conflicts(np.array([0, 0, 0])).tolist() == [[0, 1], [1, 2]]
    for colors, what in (
        ([0, 1, 1], "gives the neighbours 2 and 3 the same color"),
        ([0, 2, 0], "skips a color"),
        ([0, -1, 0], "does not color each vertex once"),
        ([0, 1], "does not color each vertex once"),
        ([0, 9, 0], "does not color each vertex once"),
    ):
        with pytest.raises(SolutionError, match=what):
            graph.cost_of(np.array(colors))


HOSTILE = [
    "",
    " ",
    "\0",
    "p",
    "e",
    "c",
    "p edge 3 3\n",
    "-1",
    "0",
    "9" * 30,
    "1e9",
    "\ufeff",
    "n 1 1\n",
    "12\n",
    "٣",
]


@st.composite
def mutations(draw: st.DrawFn) -> bytes:
    data = draw(st.sampled_from([TRIANGLE.encode(), bits("p edge 9 9\n", random_graph(9, seed=3))]))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        cut = draw(st.integers(0, 8))
        hostile = draw(st.sampled_from(HOSTILE)).encode() + draw(st.binary(max_size=2))
        data = data[:start] + hostile + data[start + cut :]
    return data


@settings(max_examples=300)
@given(data=mutations() | st.binary(max_size=100))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.col"
    path.write_bytes(data)
    try:
        graph = load_graph(path)
    except InstanceError as error:
        is_one_sentence(path, str(error))
    else:
        if graph.n < 5000:
            is_whole(graph)


LINES = [
    *("e 1 2", "e 2 1", "e 7 3", " e\t5  6 ", "e 4 9\r", "e 8 8", "e 007 0010", "e 10 9", ""),
    *("c e 1 2", "n 3 1", "e 11 1", "e 0 1", "e1 2", "e 1 2 3", "e 1", "e 1 2\re 3 4", "1 e 2"),
    *("e 1 -2", "e 1 2e", "ee 1 2", "e 1 +2", "E 1 2", "e 1 2\x0c", "e 1 \xa02", "e 9999999999 1"),
    *("e 4294967297 2", "p edge 3 3", "hello", "e 1 \u0662", "\ufeffe 1 2"),
]


@settings(max_examples=200)
@given(
    lines=st.lists(st.sampled_from(LINES[:9]) | st.sampled_from(LINES), max_size=12),
    end=st.sampled_from(["", "\n"]),
    piece=st.sampled_from([1, 12, 1 << 20]),
)
def test_many_edges_at_once_are_what_they_are_one_by_one(
    lines: list[str], end: str, piece: int
) -> None:
    data = ("c ü\np edge 10 9\n" + "\n".join(lines) + end).encode()

    def read() -> tuple[object, ...]:
        try:
            graph = load_graph(Path("x.col"), data)
        except InstanceError as error:
            return (str(error),)
        return graph.n, graph.edges.tolist(), graph.comment, graph.note

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(integers, "PIECE", piece)
        found = read()
        patch.setattr(dimacs, "edges_in", lambda lines, n: None)
        assert read() == found


def test_edges_are_not_read_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    n, rng = 70_000, np.random.default_rng(1)
    pairs = rng.integers(1, n + 1, (200_000, 2))
    text = f"p edge {n} {len(pairs)}\n" + "".join(f"e {u} {v}\n" for u, v in pairs.tolist())
    read_singly: list[list[str]] = []
    plain = dimacs._Lines._wrong_with_edge

    def noted(found: dimacs._Lines, words: list[str]) -> str:
        read_singly.append(words)
        return plain(found, words)

    monkeypatch.setattr(dimacs._Lines, "_wrong_with_edge", noted)
    graph = load_graph(Path("x.col"), text.encode())
    assert not read_singly
    assert np.array_equal(graph.edges, unique_edges(pairs[pairs[:, 0] != pairs[:, 1]] - 1))
    # What is wrong at the end is told with its line, and all before is not read one by one.
    with pytest.raises(InstanceError, match="line 200002, 'e 1 70001', names vertex 70001"):
        load_graph(Path("x.col"), f"{text}e 1 70001\n".encode())
    assert len(read_singly) < 150_000


@pytest.mark.parametrize("rows", [[], [[0, 7]], [[1, 10], [100, 99], [0, 2**31 - 1]]])
def test_lines_are_those_that_python_writes(rows: list[list[int]]) -> None:
    written = lines_with("e", np.array(rows, np.int64).reshape(-1, 2))
    assert written.decode() == "".join(f"e {one} {other}\n" for one, other in rows)


def test_a_large_graph_and_its_coloring_are_written_and_read(tmp_path: Path) -> None:
    n, rng = 70_000, np.random.default_rng(1)
    pairs = rng.integers(0, n, (90_000, 2))
    graph = GraphInstance("large", "two\nlines", n, unique_edges(pairs[pairs[:, 0] != pairs[:, 1]]))
    write_graph(tmp_path / "large.col", graph)
    again = load_graph(tmp_path / "large.col")
    assert np.array_equal(again.edges, graph.edges)
    assert (again.comment, again.n, again.note) == (graph.comment, n, "")
    free = GraphInstance("free", "", n, unique_edges([]))
    coloring = np.arange(n) % 12
    free.write(tmp_path / "free.sol", coloring, "made")
    lines = (tmp_path / "free.sol").read_text().splitlines()
    assert lines[:4] == ["c free", "c made", "s col 12", "l 1 1"]
    assert lines[3:] == [f"l {vertex} {color + 1}" for vertex, color in enumerate(coloring, 1)]


@pytest.mark.data
def test_the_published_graphs(dimacs: Path) -> None:
    found = {path.stem: load_graph(path) for path in dimacs.glob("*.col")}
    assert {name: (g.n, len(g.edges), g.optimum) for name, g in found.items()} == {
        "DSJC1000.1": (1000, 49629, 20),
        "DSJC1000.5": (1000, 249826, 82),
        "DSJC1000.9": (1000, 449449, 222),
        "DSJC125.1": (125, 736, 5),
        "DSJC125.5": (125, 3891, 17),
        "DSJC250.5": (250, 15668, 28),
        "DSJC500.1": (500, 12458, 12),
        "DSJC500.5": (500, 62624, 47),
        "DSJC500.9": (500, 112437, 126),
        "le450_15a": (450, 8168, 15),
        "le450_25c": (450, 17343, 25),
        "myciel5": (47, 236, 6),
        "queen8_8": (64, 728, 9),
    }
    assert not any(graph.note for graph in found.values())
    for graph in found.values():
        is_whole(graph)


def test_one_color_is_the_best_known_where_nothing_is_joined(tmp_path: Path) -> None:
    path = tmp_path / "free.col"
    path.write_text("p edge 3 0\n")
    assert load_graph(path).optimum == 1
    path.write_text("p edge 3 1\ne 1 2\n")
    assert load_graph(path).optimum is None


EDGES = [(1, 2), (2, 3), (3, 4), (4, 5), (5, 1), (1, 3)]


def rewritten(data: st.DataObject) -> str:
    """The graph of :data:`EDGES`, as another program or person would have written it."""

    def pick(some: Sequence[Any]) -> Any:
        return data.draw(st.sampled_from(some))

    letter, case = pick(["e", "a", ""]), pick([str.lower, str.upper])
    problem = {"e": pick(["edge", "edges", "col"]), "a": "sp", "": pick(["tw", "td"])}[letter]
    counts = pick(["5 6", "5 12", "5 99", "5 6 4"])
    first, weight = pick([1, 0]), pick(["", " 7", " 2.5"])
    lines = [f"p {problem} {counts}"] if pick([1, 1, 0]) or not letter else []
    edges = pick([EDGES, EDGES[::-1], [(v, u) for u, v in EDGES], EDGES * 3])
    lines += [f"{letter} {u - 1 + first}  {v - 1 + first}{weight}" for u, v in edges]
    if pick([0, 1]):
        lines.append(f"{letter} {1 + first} {1 + first}")
    for _ in range(data.draw(st.integers(0, 3))):
        comment = pick(["c", "c text", "ctext", "# text", "% text", "", "  ", "c e 1 9"])
        lines.insert(data.draw(st.integers(0, len(lines))), comment)
    end = str(pick(["\n", "\r\n", "\r"]))
    return end.join(map(case, lines)) + str(pick(["", end]))


@settings(max_examples=200)
@given(data=st.data(), piece=st.sampled_from([1, 20, 1 << 20]))
def test_a_graph_in_any_dialect_is_the_same(data: st.DataObject, piece: int) -> None:
    text = rewritten(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(integers, "PIECE", piece)
        graph = load_instance(Path("x.col"), text.encode())
    assert isinstance(graph, GraphInstance)
    assert (graph.n, graph.edges.tolist()) == (5, unique_edges(np.array(EDGES) - 1).tolist())


def test_what_was_assumed_of_a_graph_is_said(tmp_path: Path) -> None:
    graph = load_text(tmp_path, "e 0 1\ne 1 2 5\n")
    assert graph.note == (
        "it does not say how many vertices it has: the highest one counts; it counts vertices "
        "from 0; its weights of edges are not kept"
    )
    assert [graph.called(vertex) for vertex in range(3)] == ["0", "1", "2"]
    assert load_text(tmp_path, "# by hand\np tw 3 2\n1 2\n2 3\n", "x.gr").n == 3
    assert "names vertex 3; there are 0 to 2" in refused(tmp_path, "p edge 3 2\ne 0 1\ne 2 3\n")


def test_the_graph_of_a_steiner_problem(tmp_path: Path) -> None:
    text = """33D32945 STP File, STP Format Version 1.0

SECTION Comment
Name    "Odd wheel"
Creator "somebody"
END

SECTION Graph
Nodes 4
Edges 3
E 1 2 10
E 2 3 10
E 1 4 1
END

SECTION Terminals
Terminals 2
T 1
T 3
END

EOF
"""
    graph = load_text(tmp_path, text, "b01.stp")
    assert (graph.n, graph.edges.tolist()) == (4, [[0, 1], [0, 3], [1, 2]])
    assert graph.note == "its weights of edges are not kept; its terminals are not kept"
