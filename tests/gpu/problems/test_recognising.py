"""What a file is taken for; what is not sure is refused in a sentence that says what was seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu.core.errors import InstanceError
from gpu.problems.loading import load_instance
from gpu.problems.recognising import Kind, recognise

MATRIX = ["0 29 80 44", "29 0 55 46", "80 55 0 66", "44 46 66 0"]
TOWNS = ["Aach", "Bonn", "Celle", "Delft"]
EDGES = ["0 1", "0 3", "1 2", "2 3", "2 0"]


def rows(lines: list[str], separator: str = ",") -> str:
    return "\n".join(line.replace(" ", separator) for line in lines) + "\n"


def with_names(separator: str, corner: str = "") -> str:
    named = [f"{town} {line}" for town, line in zip(TOWNS, MATRIX, strict=True)]
    return rows([" ".join([corner, *TOWNS]), *named], separator)


FILES = {
    "TSPLIB": ("NAME: x\nTYPE: TSP\n", Kind.TSPLIB, ""),
    "DIMACS": ("p edge 3 1\ne 1 2\n", Kind.GRAPH, ""),
    "matrix": (rows(MATRIX), Kind.MATRIX, "a table of 4 × 4 distances"),
    "matrix, blanks": (rows(MATRIX, "  "), Kind.MATRIX, "a table of 4 × 4 distances"),
    "matrix, directed": (rows([*MATRIX[:3], "1 2 3 0"]), Kind.MATRIX, "a table of 4 × 4 distances"),
    "matrix, no diagonal": (rows(MATRIX).replace(",0,", ",,"), Kind.MATRIX, "4 × 4 distances"),
    "matrix, a loop's sign": (
        rows(MATRIX).replace(",0,", ",-1,").replace("0,29,80", "-1,29,80").replace("66,0", "66,-1"),
        Kind.MATRIX,
        "4 × 4 distances",
    ),
    "matrix, a missing one": (rows(MATRIX).replace("66", "inf"), Kind.MATRIX, "4 × 4 distances"),
    "matrix, header": (
        rows([" ".join(TOWNS), *MATRIX], ";"), Kind.MATRIX, "a table of 4 × 4 distances",
    ),
    "matrix, names": (with_names(","), Kind.MATRIX, "a table of 4 × 4 distances, with names"),
    "matrix, tabs": (with_names("\t", "to"), Kind.MATRIX, "4 × 4 distances, with names"),
    "matrix, decimal commas": (
        with_names(";").replace("29", "2,9"), Kind.MATRIX, "4 × 4 distances, with names",
    ),
    "matrix, units": (with_names(",").replace("29", "29 km"), Kind.MATRIX, "with names"),
    "matrix, numbers as names": (
        rows(["id 1 2 3 4", *(f"{at} {line}" for at, line in enumerate(MATRIX, 1))]),
        Kind.MATRIX,
        "a table of 4 × 4 distances, with names",
    ),
    "matrix, cities x and y": (
        rows([" x y z", "x 0 1 2", "y 1 0 3", "z 2 3 0"]), Kind.MATRIX, "3 × 3 distances, with",
    ),
    "adjacency": (
        rows(["0 1 1", "1 0 0", "1 0 0"]), Kind.MATRIX, "3 × 3 0 and 1 (a graph, or distances)",
    ),
    "edges": (
        rows(EDGES), Kind.EDGES,
        "the same few numbers again and again in column 1 and column 2, as a list of edges has",
    ),
    "edges, blanks": (rows(EDGES, " "), Kind.EDGES, "the same few numbers"),
    "edges, tabs, comments": (
        "# Nodes: 4 Edges: 5\n# FromNodeId\tToNodeId\n" + rows(EDGES, "\t"),
        Kind.EDGES,
        "edges from column 1 (FromNodeId) to column 2 (ToNodeId)",
    ),
    "edges, a loop": (rows([*EDGES, "3 3"]), Kind.EDGES, "the same few numbers"),
    "edges, sizes first": (rows(["4 5", *EDGES], " "), Kind.EDGES, "the same few numbers"),
    "edges, header": (
        rows(["from to weight", *(f"{one} 7" for one in EDGES)]),
        Kind.EDGES,
        "edges from column 1 (from) to column 2 (to)",
    ),
    "edges, ids": (
        "origin_id,destination_id,duration\n100,101,29\n101,100,28\n",
        Kind.EDGES,
        "edges from column 1 (origin_id) to column 2 (destination_id)",
    ),
    "edges, weights": (
        rows([f"{one} 7" for one in EDGES]), Kind.EDGES, "the same few numbers again and again",
    ),
    "a ring": (rows(["0 1 5", "1 2 7", "2 3 1", "3 0 9"]), Kind.EDGES, "the same few numbers"),
    "edges, letters": (
        rows(["a b", "b c", "c a", "a d"]), Kind.EDGES, "the same few names again and again",
    ),
    "places": (rows(["12 7", "88 15", "45 60", "93 72"]), Kind.PLACES, ""),
    "places, blanks": (rows(["12 7", "88 15", "45 60"], "  "), Kind.PLACES, ""),
    "places, numbered": (rows(["1 565 575", "2 25 185", "3 345 750"], " "), Kind.PLACES, ""),
    "places, a square": (rows(["1 0 5", "2 7 7", "3 4 0"]), Kind.PLACES, ""),
    "places in few rows": (rows(["x y", "0 1", "0 2", "1 2", "2 1"]), Kind.PLACES, ""),
    "towns in countries": (
        rows(["DE Berlin 52 13", "DE Hamburg 53 10", "IT Rome 41 12"]), Kind.PLACES, "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_what_a_file_is(tmp_path: Path, name: str) -> None:
    text, kind, saw = FILES[name]
    seen = recognise(tmp_path / "x", text.encode())
    assert seen.kind is kind
    assert saw in seen.saw if saw else not seen.saw
    path = tmp_path / "x.csv"
    if kind in (Kind.MATRIX, Kind.EDGES):
        with pytest.raises(InstanceError) as why:
            load_instance(path, text.encode())
        assert str(why.value).startswith(f"{path}: it has {seen.saw}; that is not read: write ")


def test_the_user_goes_before_what_was_seen(tmp_path: Path) -> None:
    assert load_instance(tmp_path / "x.csv", rows(EDGES).encode(), "plane 1,2").n == 5
    assert load_instance(tmp_path / "x.csv", rows(MATRIX).encode(), "plane 2,3").n == 4


ROWS = st.lists(
    st.lists(st.sampled_from([*"01247", "a", "b", "", "inf", "-", "2.5", "from", "to", "x"])),
    min_size=1,
    max_size=7,
)


@settings(max_examples=500)
@given(rows=ROWS, separator=st.sampled_from(",;\t "), end=st.sampled_from(["", "\n", "\r\n"]))
def test_any_table_is_loaded_or_refused_in_a_sentence(
    rows: list[list[str]], separator: str, end: str
) -> None:
    text = (end or "\n").join(separator.join(row) for row in rows) + end
    try:
        instance = load_instance("t.csv", text.encode())
    except InstanceError as error:
        refused = str(error)
        assert refused.startswith("t.csv: ")
        assert "\n" not in refused
        assert len(refused) < 330
    else:
        assert instance.n >= 3
        assert instance.seen
