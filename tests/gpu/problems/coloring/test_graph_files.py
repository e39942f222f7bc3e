"""Graphs in every format: one graph written in all of them, and what is wrong with files."""

from __future__ import annotations

import json
import random
from pathlib import Path

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu.core.errors import InstanceError
from gpu.core.machine.processors import SPARE
from gpu.problems.coloring import building
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.loading import load_instance
from gpu.problems.reading import UnsureError
from gpu.problems.tsp.instance import TspInstance
from tests.gpu.problems.texts import is_one_sentence

# A wheel of five spokes and a vertex beside it: its edges from 0 on, and the names of its vertices.
EDGES = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 5), (1, 5), (2, 5), (3, 5), (4, 5), (5, 6)]
NAMES = ["Art", "Biology", "Chemistry", "Drama", "English", "French", "Greek"]
N = 7
NEIGHBOURS = [
    sorted({b for a, b in EDGES if a == v} | {a for a, b in EDGES if b == v}) for v in range(N)
]


def lines(pairs: list[tuple[object, object]], gap: str = " ") -> str:
    return "".join(f"{a}{gap}{b}\n" for a, b in pairs)


def named(pairs: list[tuple[int, int]]) -> list[tuple[object, object]]:
    return [(NAMES[a], NAMES[b]) for a, b in pairs]


def upper(row: int) -> list[str]:
    return [str(int(other in NEIGHBOURS[row])) for other in range(N)]


MATRIX = [upper(row) for row in range(N)]
FROM_ONE = [(a + 1, b + 1) for a, b in EDGES]
NX = networkx.Graph()
NX.add_edges_from(EDGES)
XML_NODES = "".join(f'<node id="{v}"><data key="d0">{NAMES[v]}</data></node>' for v in range(N))
XML_EDGES = "".join(f'<edge source="{a}" target="{b}"/>' for a, b in EDGES)
NODE_LIST = [{"id": v, "label": NAMES[v]} for v in range(N)]

# By what the file is called: its text, what its vertices are called, and a word of what was seen.
ZERO, ONE = [str(v) for v in range(N)], [str(v + 1) for v in range(N)]
NAMED = [[name] for name in NAMES]
LISTS = [[NAMES[other] for other in sorted(NEIGHBOURS[v])] for v in range(N)]
MARKS = [["x" if other in NEIGHBOURS[v] else "" for other in range(N)] for v in range(N)]


def cells(separator: str, sign: str, quote: str = "") -> str:
    rows = zip(NAMES, LISTS, strict=True)
    return "".join(f"{name}{separator}{quote}{sign.join(some)}{quote}\n" for name, some in rows)


FORMS: dict[str, tuple[str, list[str], str]] = {
    "marks.csv": (
        "\n".join(
            ",".join([one, *row]) for one, row in zip(["", *NAMES], [NAMES, *MARKS], strict=True)
        ),
        NAMES,
        "adjacency matrix",
    ),
    "conflicts.csv": ("course,conflicts\n" + cells(",", ", ", '"'), NAMES, "adjacency lists"),
    "neighbours.csv": (cells(";", ","), NAMES, "adjacency lists"),
    "neighbours.tsv": ("who\twith\n" + cells("\t", " | "), NAMES, "adjacency lists"),
    "half.csv": (
        "course,conflicts with\n"
        + "".join(
            f"{name},{' '.join(NAMES[other] for other in sorted(NEIGHBOURS[v]) if other > v)}\n"
            for v, name in enumerate(NAMES)
        ),
        NAMES,
        "adjacency lists",
    ),
    "head-blank.txt": ("source target\n" + lines(named(EDGES), " "), NAMES, "list of edges"),
    "columns.csv": ("who,1st,2nd,3rd,,,\n" + cells(",", ","), NAMES, "adjacency lists"),
    "blank.txt": (lines([*EDGES]), ZERO, "list of edges"),
    "from-one.txt": (lines([*FROM_ONE], "\t"), ONE, "list of edges"),
    "crlf.csv": (lines([*EDGES], ",").replace("\n", "\r\n"), ZERO, "list of edges"),
    "head.csv": ("source,target\n" + lines([*EDGES], ","), ZERO, "list of edges"),
    "snap.txt": (
        "# Nodes: 7 Edges: 11\n# FromNodeId\tToNodeId\n" + lines([*EDGES], "\t"),
        ZERO,
        "edges",
    ),
    "konect.out": ("% sym unweighted\n% 11 7 7\n" + lines([*FROM_ONE]), ONE, "list of edges"),
    "names.csv": (lines(named(EDGES), ";"), NAMES, "list of edges"),
    "course-pairs.csv": ("course;conflict\n" + lines(named(EDGES), ";"), NAMES, "list of edges"),
    "course1.csv": ("course1,course2\n" + lines(named(EDGES), ","), NAMES, "list of edges"),
    "networkx.edgelist": (lines([*EDGES]).replace("\n", " {}\n"), ZERO, "list of edges"),
    "networkx-weights.txt": (
        lines([*EDGES]).replace("\n", " {'weight': 1}\n"),
        ZERO,
        "list of edges",
    ),
    "tuples.txt": ("".join(f"({a}, {b})\n" for a, b in EDGES), ZERO, "list of edges"),
    "arrows.txt": (lines([*FROM_ONE], " -> "), ONE, "list of edges"),
    "dashes.txt": (lines(named(EDGES), " -- "), NAMES, "list of edges"),
    "hyphens.txt": (lines([*FROM_ONE], "-"), ONE, "list of edges"),
    "blank-names.txt": (lines(named(EDGES)), NAMES, "list of edges"),
    "quoted-names.txt": (
        "".join(f'"{a}" "{b}"\n' for a, b in named(EDGES)),
        NAMES,
        "list of edges",
    ),
    "coursera.txt": ("7 11\n" + lines([*EDGES]), ZERO, "list of edges"),
    "two-counts.txt": ("7\n11\n" + lines([*FROM_ONE]), ONE, "list of edges"),
    "counted-weights.txt": ("7 11\n" + "".join(f"{a} {b} 5\n" for a, b in EDGES), ZERO, "edges"),
    "edges.py": (f"edges = {EDGES}", ZERO, "list of edges"),
    "pairs.json": (json.dumps(named(EDGES)), NAMES, "list of edges"),
    "data.json": (
        json.dumps([{"source": a, "target": b} for a, b in named(EDGES)]),
        NAMES,
        "edges",
    ),
    "matrix.csv": ("".join(",".join(row) + "\n" for row in MATRIX), ONE, "adjacency matrix"),
    "matrix.txt": ("".join(" ".join(row) + "\n" for row in MATRIX), ONE, "adjacency matrix"),
    "compact.txt": ("".join("".join(row) + "\n" for row in MATRIX), ONE, "adjacency matrix"),
    "counted-compact.txt": (
        f"{N}\n" + "".join("".join(row) + "\n" for row in MATRIX),
        ONE,
        "adjacency matrix",
    ),
    "bools.csv": (
        "".join(",".join(str(one == "1") for one in row) + "\n" for row in MATRIX),
        ONE,
        "adjacency matrix",
    ),
    "triu.txt": (
        "".join(" ".join(["0"] * v + MATRIX[v][v:]) + "\n" for v in range(N)),
        ONE,
        "adjacency matrix",
    ),
    "neighbours.json": (json.dumps(NEIGHBOURS), ZERO, "adjacency lists"),
    "neighbours1.py": (repr([[w + 1 for w in row] for row in NEIGHBOURS]), ONE, "adjacency lists"),
    "lower.txt": ("".join("".join(MATRIX[v][: v + 1]) + "\n" for v in range(N)), ONE, "adjacency"),
    "upper.txt": (
        "".join("".join(MATRIX[v][v:]) + "\n" for v in range(N)),
        ONE,
        "adjacency matrix",
    ),
    "named-matrix.csv": (
        ","
        + ",".join(NAMES)
        + "\n"
        + "".join(f"{NAMES[v]},{','.join(MATRIX[v])}\n" for v in range(N)),
        NAMES,
        "adjacency matrix",
    ),
    "py.grpr": ("c a\n" + "".join("m " + " ".join(row) + "\n" for row in MATRIX), ONE, "matrix"),
    "lists.txt": (
        "".join(f"{NAMES[v]}: {', '.join(NAMES[w] for w in NEIGHBOURS[v])}\n" for v in range(N)),
        NAMES,
        "adjacency lists",
    ),
    "adjlist.txt": (
        "# networkx\n" + "".join(" ".join(map(str, [v, *NEIGHBOURS[v]])) + "\n" for v in range(N)),
        ZERO,
        "adjacency lists",
    ),
    "dict.json": (json.dumps({v: NEIGHBOURS[v] for v in range(N)}), ZERO, "adjacency lists"),
    "dict.py": (
        repr({NAMES[v]: {NAMES[w] for w in NEIGHBOURS[v]} for v in range(N)}),
        NAMES,
        "lists",
    ),
    "wheel.graph": (
        "% METIS\n7 11\n"
        + "".join(" ".join(str(w + 1) for w in NEIGHBOURS[v]) + "\n" for v in range(N)),
        ONE,
        "METIS",
    ),
    "weights.graph": (
        "7 11 011 1\n"
        + "".join(f"9 {' '.join(f'{w + 1} 3' for w in NEIGHBOURS[v])}\n" for v in range(N)),
        ONE,
        "METIS",
    ),
    "wheel.mtx": (
        "%%MatrixMarket matrix coordinate pattern symmetric\n% c\n7 7 11\n"
        + lines([(max(a, b) + 1, min(a, b) + 1) for a, b in EDGES]),
        ONE,
        "Matrix Market",
    ),
    "real.mtx": (
        "%%MatrixMarket matrix coordinate real general\n7 7 22\n"
        + "".join(f"{v + 1} {w + 1} 1.5\n" for v in range(N) for w in NEIGHBOURS[v]),
        ONE,
        "Matrix Market",
    ),
    "array.mtx": (
        "%%MatrixMarket matrix array integer general\n7 7\n"
        + "".join(f"{entry}\n" for row in MATRIX for entry in row),
        ONE,
        "adjacency matrix",
    ),
    "wheel.graphml": (
        '<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        '<key id="d0" for="node" attr.name="label"/><graph edgedefault="undirected">'
        f"{XML_NODES}{XML_EDGES}</graph></graphml>",
        NAMES,
        "GraphML",
    ),
    "wheel.gexf": (
        '<gexf xmlns="http://gexf.net/1.3"><graph><nodes>'
        + "".join(f'<node id="n{v}" label="{NAMES[v]}"/>' for v in range(N))
        + "</nodes><edges>"
        + "".join(f'<edge source="n{a}" target="n{b}"/>' for a, b in EDGES)
        + "</edges></graph></gexf>",
        NAMES,
        "GEXF",
    ),
    "wheel.gml": (
        'Creator "a test"\ngraph [\n  directed 0\n'
        + "".join(f'  node [ id {v} label "{NAMES[v]}" graphics [ x 1.5 ] ]\n' for v in range(N))
        + "".join(f"  edge [ source {a} target {b} ]\n" for a, b in EDGES)
        + "]\n",
        NAMES,
        "GML",
    ),
    "wheel.dot": (
        'graph "wheel" { // a comment\n node [shape=circle];\n Art -- Biology -- Chemistry\n'
        " Chemistry -- Drama\n"
        " Drama -- English -- Art; /* spokes */\n"
        " French -- { Art Biology Chemistry; subgraph s { Drama, English } };\n"
        ' "French":n -- Greek }',
        ["Art", "Biology", "Chemistry", "Drama", "English", "French", "Greek"],
        "DOT",
    ),
    "wheel.net": (
        f"*Vertices {N}\n"
        + "".join(f'{v + 1} "{NAMES[v]}" 0.1 0.2\n' for v in range(N))
        + "*Edges\n"
        + lines([*FROM_ONE]),
        NAMES,
        "Pajek",
    ),
    "wheel.tgf": (
        "".join(f"{v} {NAMES[v]}\n" for v in range(N)) + "#\n" + lines([*EDGES]),
        NAMES,
        "TGF",
    ),
    "wheel.g6": (networkx.to_graph6_bytes(NX).decode(), ZERO, "graph6"),
    "wheel.s6": (networkx.to_sparse6_bytes(NX).decode(), ZERO, "sparse6"),
    "links.json": (
        json.dumps({"nodes": NODE_LIST, "links": [{"source": a, "target": b} for a, b in EDGES]}),
        NAMES,
        "graph in JSON",
    ),
    "networkx.json": (json.dumps(networkx.node_link_data(NX)), ZERO, "graph in JSON"),
    "adjacency.json": (json.dumps(networkx.adjacency_data(NX)), ZERO, "graph in JSON"),
    "cytoscape.json": (
        json.dumps(
            {
                "elements": {
                    "nodes": [{"data": {"id": name}} for name in NAMES],
                    "edges": [{"data": {"source": a, "target": b}} for a, b in named(EDGES)],
                }
            }
        ),
        NAMES,
        "graph in JSON",
    ),
    "vis.json": (
        json.dumps({"nodes": NODE_LIST, "edges": [{"from": a, "to": b} for a, b in EDGES]}),
        NAMES,
        "graph in JSON",
    ),
}


def load(path: Path, text: str | bytes) -> GraphInstance:
    found = load_instance(path, text if isinstance(text, bytes) else text.encode())
    assert isinstance(found, GraphInstance)
    return found


@pytest.mark.parametrize("name", FORMS)
def test_each_format_gives_the_same_graph(name: str) -> None:
    text, called, seen = FORMS[name]
    graph = load(Path(name), text)
    assert seen in graph.seen
    found = {frozenset(map(graph.called, edge)) for edge in graph.edges}
    assert found == {frozenset((called[a], called[b])) for a, b in EDGES}
    assert sorted(map(graph.called, range(graph.n))) == sorted(called)
    # What it was read as gives it again.
    again = load_instance(name, text.encode(), graph.read_as)
    assert again.digest() == graph.digest()
    assert again.read_as == graph.read_as


@pytest.mark.parametrize("name", FORMS)
def test_nothing_but_a_graph_comes_of_a_broken_file(name: str) -> None:
    text, rng = FORMS[name][0], random.Random(name)
    ends = sorted({rng.randrange(len(text)) for _ in range(25)})
    for end in ends:
        try:
            found = load_instance(name, text[:end].encode())
        except InstanceError as error:
            is_one_sentence(name, str(error), 420)
        else:
            assert found.n >= 1


MM = "%%MatrixMarket matrix"
HOSTILE = [
    *(
        "",
        " ",
        "\n",
        "0",
        "1",
        "-1",
        "7",
        "9" * 12,
        "9" * 30,
        "1e9",
        "nan",
        "x",
        '"',
        "'",
        "[",
        "]",
    ),
    *("{", "}", "<", ">", "</", "--", "->", ":", ";", ",", "#", "%", "*Vertices 999999999\n", "é"),
    *("\0", "&lt;", "<!ENTITY a 'b'>", "null", "true", "999999999 999999999 1\n", "\ufeff"),
]


@settings(max_examples=600)
@given(data=st.data())
def test_mutated_files_give_a_graph_or_one_sentence(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(FORMS)))
    text = FORMS[name][0]
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        gone = data.draw(st.integers(0, 6))
        text = text[:at] + data.draw(st.sampled_from(HOSTILE)) + text[at + gone :]
    try:
        found = load_instance(name, text.encode())
    except InstanceError as error:
        is_one_sentence(name, str(error), 420)
        return
    assert found.n >= found.fewest
    if isinstance(found, GraphInstance):
        assert found.edges.max(initial=0) < found.n
        assert len({*map(found.called, range(found.n))}) == found.n


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.mtx", f"{MM} coordinate pattern general\n9 9 999999999999\n1 1\n", "file whole?"),
        ("a.mtx", f"{MM} array real general\n999999 999999\n1\n", "is it whole?"),
        ("a.mtx", f"{MM} coordinate pattern general\n3 4 1\n1 1\n", "is square"),
        ("a.graph", "999999999999 3\n1\n", "no second one"),
        ("a.graph", "60000000 3\n1\n", "announces 60,000,000 vertices, and has 1 lines"),
        ("a.net", "*Vertices 999999999\n", "has 999,999,999 vertices; graphs of 1 to"),
        ("a.s6", ":~~~~~~~~", "has 68,719,476,735 vertices"),
        ("a.g6", "~~???", "no graph in graph6"),
        ("a.json", '{"n": 99999999999, "edges": [[0, 1]]}', "announces 99999999999 nodes"),
        (
            "a.graphml",
            '<!DOCTYPE g [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><graphml>&b;</graphml>',
            "declares entities",
        ),
        (
            "a.graphml",
            '<graphml><graph><node id="1"/><edge source="1" target="2"/></graph></graphml>',
            "an edge of it ends at '2', which is none of its vertices",
        ),
        ("a.gml", "graph [" * 50_000, "brackets are closed"),
        ("a.dot", "graph {" + "{" * 50_000, "braces are closed"),
        ("a.dot", "graph { a -- }", "has no second vertex"),
        ("a.tgf", "1 a\n2 b\n", "has no line #"),
    ],
)
def test_hostile_files_are_refused_at_once(name: str, text: str, said: str) -> None:
    with pytest.raises(InstanceError) as caught:
        load_instance(name, text.encode())
    assert said in is_one_sentence(name, str(caught.value), 420)


def test_a_graph_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "free_memory", lambda: SPARE + 100)
    with pytest.raises(InstanceError, match=r"need 0\.0 MiB of memory, but only 0\.0 MiB are free"):
        load(Path("x.txt"), FORMS["blank.txt"][0])


def test_loops_directions_and_weights_are_left_out_with_a_word() -> None:
    loops = load(Path("x.csv"), lines(named([*EDGES, (3, 3), (0, 0)]), ";"))
    assert loops.note == "2 edges from a vertex to itself left out, first at Drama"
    dot = load(Path("x.dot"), "digraph { a -> b [weight=3]; b -> a; b -> c }")
    assert dot.note == (
        "its edges have directions, which are not kept; the weights of its edges are not kept"
    )
    assert len(dot.edges) == 2
    mtx = "%%MatrixMarket matrix coordinate integer general\n3 3 3\n1 2 4\n2 3 1\n3 1 1\n"
    assert load(Path("x.mtx"), mtx).note == (
        "the weights of its edges are not kept; its edges have directions, which are not kept"
    )


def test_numbers_are_kept_as_they_are_in_the_file() -> None:
    gaps = load(Path("x.csv"), "17,4\n4,23\n23,17\n23,8\n8,4\n")
    assert [gaps.called(v) for v in range(gaps.n)] == ["4", "8", "17", "23"]
    huge = load(Path("x.txt"), lines([(10**15 + a, 10**15 + b) for a, b in EDGES]))
    assert huge.called(0) == str(10**15)
    stated = load(Path("x.txt"), "9 2\n0 1\n5 1\n")
    assert (stated.n, len(stated.edges)) == (9, 2)


def test_a_header_of_names_is_told_from_an_edge() -> None:
    rows = lines(named(EDGES), ",")
    assert load(Path("a.csv"), rows).n == N
    assert load(Path("a.csv"), f"first,second\n{rows}").n == N
    assert load_instance("a.csv", f"x1,y1\n{rows}".encode(), "edges header=no").n == N + 2


def test_large_lists_are_read_many_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    pairs = np.unique(rng.integers(0, 5_000, (40_000, 2)), axis=0)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    monkeypatch.setattr(building.NamedGraph, "edge", None)  # no edge is read by itself
    for gap in (" ", "\t", ","):
        graph = load(Path("x.txt"), lines(pairs.tolist(), gap))
        assert graph.numbers is not None
        assert np.array_equal(graph.numbers[graph.edges] + 1, pairs)


@pytest.mark.parametrize(
    ("text", "edges", "note"),
    [
        ("Math,Physics\nMath,Art\n", [("Math", "Physics"), ("Math", "Art")], ""),
        ("Fach 1;Fach 2\nArt;Bio\nMath;Bio\n", [("Art", "Bio"), ("Math", "Bio")], ""),
        (
            "Art,Bio\nMath,Physics\nMath,Chem\n",
            [("Math", "Physics"), ("Math", "Chem")],
            "its first row, 'Art' and 'Bio', is a header (--header no makes it an edge)",
        ),
    ],
)
def test_pairs_of_names_that_recur_are_edges(
    text: str, edges: list[tuple[str, str]], note: str
) -> None:
    graph = load(Path("x.csv"), text)
    found = {frozenset(map(graph.called, edge)) for edge in graph.edges}
    assert found == set(map(frozenset, edges))
    assert graph.note == note


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "Math,Physics\nArt,Bio\n",
            "two columns of names, and no coordinates",
        ),
        (
            "Shop,City\nAlpha,Ulm\nBeta,Ulm\n",
            "two columns of names, and no coordinates",
        ),
    ],
)
def test_two_columns_of_names_that_are_no_graph_are_refused(text: str, said: str) -> None:
    with pytest.raises(InstanceError, match=said):
        load(Path("x.csv"), text)


def test_names_with_numbers_between_blanks_are_distances() -> None:
    found = load_instance("x.txt", b"Bonn Aach 31\nBonn Ulm 4\nUlm Aach 7\n")
    assert isinstance(found, TspInstance)
    assert found.names == ("Bonn", "Aach", "Ulm")


@pytest.mark.parametrize(
    "text",
    [
        f"{MM} array integer general\n3 3\n0\n2\n3\n4\n0\n5\n3\n7\n0\n",
        f"{MM} coordinate real symmetric\n3 3 3\n2 1 4.5\n3 1 3\n3 2 5\n",
    ],
)
def test_a_full_matrix_market_file_can_be_distances(text: str) -> None:
    with pytest.raises(UnsureError, match="--read-as matrix if they are distances"):
        load_instance("x.mtx", text.encode())
    assert load_instance("x.mtx", text.encode(), "graph").size == "3 vertices, 3 edges"
    found = load_instance("x.mtx", text.encode(), "matrix")
    assert isinstance(found, TspInstance)
    assert found.directed is ("general" in text)
    assert load_instance("x.mtx", text.encode(), found.read_as).digest() == found.digest()


def test_a_metis_file_may_lack_its_last_lines() -> None:
    graph = load(Path("x.graph"), "4 2\n2\n1 3\n2\n")
    assert graph.n == 4
    assert "it has 3 lines for 4 vertices" in graph.note


def test_tables_of_yes_and_no_are_adjacency_matrices() -> None:
    text = ",v1,v2,v3\nv1,no,yes,no\nv2,yes,no,yes\nv3,no,yes,no\n"
    for table in (text, text.replace("yes", "True").replace("no", "False")):
        graph = load_instance("g.csv", table.encode())
        assert isinstance(graph, GraphInstance)
        assert [graph.neighbours(v).tolist() for v in range(3)] == [[1], [0, 2], [1]]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("name,start,end\nA,1,5\nB,2,6\nC,7,9\n", "seem to be times"),
        ("name,start,end,room\nA,1,1.000.000,R\nB,2,6\n", "seem to be times"),
        ("name,from,to\nA,9:00,10:00\nB,9:30,11:00\n", "seem to be times"),
        ("source,target\n", "a header for edges, but no edges"),
    ],
)
def test_tables_that_only_seem_to_list_edges_are_refused(text: str, why: str) -> None:
    with pytest.raises(InstanceError, match=why):
        load_instance("g.csv", text.encode())


def test_columns_say_which_ends_edges_have() -> None:
    text = "id,from,to,weight\n" + "".join(
        f"{at},{a},{b},{at}\n" for at, (a, b) in enumerate(EDGES)
    )
    for columns in ("from,to", "2,3", "3,2"):
        graph = load_instance("x.csv", text.encode(), f"edges columns={columns}")
        assert isinstance(graph, GraphInstance)
        found = {frozenset(graph.called(end) for end in edge) for edge in graph.edges}
        assert found == {frozenset((str(a), str(b))) for a, b in EDGES}
        again = load_instance("x.csv", text.encode(), graph.read_as)
        assert again.digest() == graph.digest()
    for columns in ("from,gone", "2", "2,2", "9,1"):
        with pytest.raises(InstanceError, match="does not name two of its 4 columns") as refused:
            load_instance("x.csv", text.encode(), f"edges columns={columns}")
        is_one_sentence("x.csv", str(refused.value))


def test_conflicts_may_be_with_others_than_those_of_the_first_column() -> None:
    graph = load(Path("x.csv"), "course,conflicts\nMath,Physics;Music\nBio,Physics\n")
    assert [graph.called(v) for v in range(graph.n)] == ["Math", "Bio", "Physics", "Music"]
    assert len(graph.edges) == 3


@pytest.mark.parametrize(
    "text",
    [
        ",a,b,c\na,,x,\nb,x,,o\nc,,o,\n",  # two kinds of marks
        "a,b\nNew York,Los Angeles\nSan Jose,San Diego\n",  # blanks within names
    ],
)
def test_marks_and_lists_that_are_none(text: str) -> None:
    with pytest.raises(InstanceError):
        load(Path("x.csv"), text)


def test_vertices_that_no_edge_joins_are_not_made_by_the_million() -> None:
    with pytest.raises(InstanceError, match="60,000,000 vertices, and its edges join at most 2"):
        load(Path("x.col"), "p edge 60000000 1\ne 1 2\n")
