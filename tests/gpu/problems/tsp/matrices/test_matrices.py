"""Distances as people bring them: from each form comes the same instance."""

from __future__ import annotations

import io
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from gpu.core.errors import InstanceError
from gpu.problems.input_file import InputFile
from gpu.problems.loading import load_instance
from gpu.problems.reading import UnsureError
from gpu.problems.tables.squares import square_of
from gpu.problems.tables.table_files import table_of
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.matrices.given_distances import from_distances
from gpu.problems.tsp.routes.route_instance import RouteInstance
from tests.gpu.problems.texts import is_one_sentence, open_document, sheet

NAMES = ("Aach", "Bonn", "Celle", "Delft")
SYMMETRIC = np.array([[0, 29, 80, 44], [29, 0, 55, 46], [80, 55, 0, 66], [44, 46, 66, 0]])
DIRECTED = SYMMETRIC + np.triu(np.full((4, 4), 2), 1)


def text_of(matrix: NDArray[np.int64], separator: str = ",") -> str:
    return "".join(separator.join(map(str, row)) + "\n" for row in matrix.tolist())


def named(matrix: NDArray[np.int64], separator: str = ",", corner: str = "") -> str:
    rows = [separator.join([corner, *NAMES])]
    rows += [
        separator.join([name, *map(str, row)])
        for name, row in zip(NAMES, matrix.tolist(), strict=True)
    ]
    return "\n".join(rows)


def loaded(text: str | bytes, read_as: str = "", name: str = "m.csv") -> TspInstance:
    data = text if isinstance(text, bytes) else text.encode()
    instance = load_instance(name, data, read_as)
    assert isinstance(instance, TspInstance)
    return instance


def array(value: NDArray[np.generic]) -> bytes:
    file = io.BytesIO()
    np.save(file, value)
    return file.getvalue()


LOWER = "29\n80,55\n44,46,66\n"
WITH_DIAGONAL = "0\n29,0\n80,55,0\n44,46,66,0\n"
LISTED = "".join(
    f"{NAMES[i]},{NAMES[j]},{DIRECTED[i, j]}\n" for i, j in itertools.permutations(range(4), 2)
)
OBJECT = {"names": NAMES, "matrix": SYMMETRIC.tolist()}
GOOGLE = {
    "origin_addresses": NAMES,
    "destination_addresses": NAMES,
    "rows": [
        {"elements": [{"distance": {"text": f"{one / 1000} km", "value": one}} for one in row]}
        for row in SYMMETRIC.tolist()
    ],
}
BY_NAME = {
    name: dict(zip(NAMES, row, strict=True))
    for name, row in zip(NAMES, DIRECTED.tolist(), strict=True)
}

WAYS = [*itertools.permutations(range(4), 2)]
PAIRS = {(NAMES[i], NAMES[j]): int(DIRECTED[i, j]) for i, j in WAYS}
ROUTES: list[dict[str, Any]] = [
    {
        "originIndex": i,
        "destinationIndex": j,
        "status": {},
        "distanceMeters": int(DIRECTED[i, j]),
        "condition": "ROUTE_EXISTS",
    }
    for i, j in WAYS
]


SHEET = sheet(
    [[None, *NAMES], *([n, *row] for n, row in zip(NAMES, DIRECTED.tolist(), strict=True))]
)

FORMS: dict[str, tuple[str | bytes, NDArray[np.int64], bool]] = {
    "commas": (text_of(SYMMETRIC), SYMMETRIC, False),
    "tabs": (text_of(DIRECTED, "\t"), DIRECTED, False),
    "blanks": (text_of(SYMMETRIC, "  "), SYMMETRIC, False),
    "bars": (text_of(DIRECTED, " | "), DIRECTED, False),
    "counted": ("4\n" + text_of(DIRECTED, " "), DIRECTED, False),
    "named": (named(DIRECTED), DIRECTED, True),
    "named, a corner": (named(DIRECTED, ";", "from\\to"), DIRECTED, True),
    "header alone": (",".join(NAMES) + "\n" + text_of(DIRECTED), DIRECTED, True),
    "first column alone": (named(DIRECTED).partition("\n")[2], DIRECTED, True),
    "header of R": ("\n".join(named(DIRECTED, "\t").split("\n"))[1:], DIRECTED, True),
    "columns in another order": (
        named(DIRECTED[:, [1, 0, 2, 3]]).replace("Aach,Bonn", "Bonn,Aach", 1),
        DIRECTED,
        True,
    ),
    "empty diagonal": (
        text_of(SYMMETRIC).replace("0,29", ",29").replace("29,0", "29,"),
        SYMMETRIC,
        False,
    ),
    "several separators at the end": (text_of(DIRECTED).replace("\n", ",,,\n"), DIRECTED, False),
    "a title": ("Ways\n" + named(DIRECTED), DIRECTED, True),
    "a title in a row": ("Minutes by car,,,,\n" + named(DIRECTED), DIRECTED, True),
    "pairs with objects": (
        json.dumps({"/".join(two): {"km": one} for two, one in PAIRS.items()}),
        DIRECTED,
        True,
    ),
    "separators at the end": (text_of(DIRECTED).replace("\n", ",\n"), DIRECTED, False),
    "lower triangle": (LOWER, SYMMETRIC, False),
    "lower triangle with its diagonal": (WITH_DIAGONAL, SYMMETRIC, False),
    "upper triangle": ("29,80,44\n55,46\n66\n", SYMMETRIC, False),
    "upper triangle with its diagonal": ("0,29,80,44\n0,55,46\n0,66\n0\n", SYMMETRIC, False),
    "upper triangle, the rest empty": ("0,29,80,44\n,0,55,46\n,,0,66\n,,,0\n", SYMMETRIC, False),
    "lower triangle, the rest 0": ("0,0,0,0\n29,0,0,0\n80,55,0,0\n44,46,66,0", SYMMETRIC, False),
    "lower triangle with names": (
        "Aach\nBonn,29\nCelle,80,55\nDelft,44,46,66\n",
        SYMMETRIC,
        True,
    ),
    "JSON": (json.dumps(DIRECTED.tolist()), DIRECTED, False),
    "JSON with names": (json.dumps(OBJECT), SYMMETRIC, True),
    "JSON by names": (
        json.dumps(BY_NAME),
        DIRECTED,
        True,
    ),
    "JSON of pandas": (
        json.dumps({"columns": NAMES, "index": NAMES, "data": DIRECTED.tolist()}),
        DIRECTED,
        True,
    ),
    "VROOM": (json.dumps({"matrices": {"car": {"durations": DIRECTED.tolist()}}}), DIRECTED, False),
    "OSRM": (json.dumps({"code": "Ok", "durations": DIRECTED.tolist()}), DIRECTED, False),
    "Google": (json.dumps(GOOGLE), SYMMETRIC, True),
    "Python": (f"d = {DIRECTED.tolist()}", DIRECTED, False),
    "NumPy": (array(DIRECTED), DIRECTED, False),
    "NumPy, halves": (array(DIRECTED.astype(np.float16)), DIRECTED, False),
    "listed": (f"from,to,km\n{LISTED}", DIRECTED, True),
    "listed, one way": (
        "".join(f"{i} {j} {SYMMETRIC[i, j]}\n" for i in range(4) for j in range(i)),
        SYMMETRIC,
        False,
    ),
    "pairs in Python": (f"d = {PAIRS}", DIRECTED, True),
    "pairs in JSON": (
        json.dumps({",".join(two): one for two, one in PAIRS.items()}),
        DIRECTED,
        True,
    ),
    "pairs with arrows": (
        json.dumps({" -> ".join(two): one for two, one in PAIRS.items()}),
        DIRECTED,
        True,
    ),
    "routes of Google": (json.dumps(ROUTES), DIRECTED, False),
    "OpenDocument": (open_document(SHEET), DIRECTED, True),
    "listed in JSON": (
        json.dumps(
            [
                {"from": NAMES[i], "to": NAMES[j], "distance": int(DIRECTED[i, j])}
                for i, j in itertools.permutations(range(4), 2)
            ]
        ),
        DIRECTED,
        True,
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_the_same_matrix(form: str) -> None:
    text, matrix, has_names = FORMS[form]
    instance = loaded(text, name="m.csv" if form != "blanks" else "m.txt")
    assert np.array_equal(instance.all_distances(), matrix)
    assert instance.directed == (matrix is DIRECTED)
    assert instance.names == (NAMES if has_names else ())
    assert ("directed" if instance.directed else "symmetric") in instance.seen
    again = loaded(text, instance.read_as)
    assert again.digest() == instance.digest()


def test_what_numpy_and_scipy_keep_in_archives() -> None:
    scipy = pytest.importorskip("scipy.sparse")
    file = io.BytesIO()
    scipy.save_npz(file, scipy.csr_array(DIRECTED))
    assert np.array_equal(loaded(file.getvalue(), name="m.npz").all_distances(), DIRECTED)
    file = io.BytesIO()
    np.savez(file, d=DIRECTED, names=np.array(NAMES))
    instance = loaded(file.getvalue(), name="m.npz")
    assert instance.names == NAMES
    file = io.BytesIO()
    np.savez(file, d=DIRECTED, e=SYMMETRIC)
    with pytest.raises(InstanceError, match=r"several tables: d, e; --sheet says which"):
        loaded(file.getvalue(), name="m.npz")
    assert np.array_equal(loaded(file.getvalue(), "sheet=e").all_distances(), SYMMETRIC)
    file = io.BytesIO()
    np.savez(file, d=np.array([{}], object), allow_pickle=True)
    with pytest.raises(InstanceError, match=r"cannot be loaded|allow_pickle"):
        loaded(file.getvalue(), name="m.npz")


def test_spreadsheets() -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append([])
    sheet.append([None, None, *NAMES])
    for name, row in zip(NAMES, DIRECTED.tolist(), strict=True):
        sheet.append([None, name, *(one / 10 if one else None for one in row)])
    book.create_sheet("empty", 0)
    other = book.create_sheet("places")
    for row in (["name", "x", "y"], ["a", 0, 0], ["b", 3, 0], ["c", 3, 4]):
        other.append(row)
    file = io.BytesIO()
    book.save(file)
    instance = loaded(file.getvalue(), name="m.xlsx")
    assert np.array_equal(instance.all_distances(), DIRECTED)
    assert (instance.names, instance.decimals) == (NAMES, 1)
    places = loaded(file.getvalue(), "sheet=places", name="m.xlsx")
    assert places.names == ("a", "b", "c")
    assert loaded(file.getvalue(), places.read_as).names == places.names
    with pytest.raises(InstanceError, match="none of its sheets: empty, Sheet, places"):
        loaded(file.getvalue(), "sheet=gone", name="m.xlsx")


@pytest.mark.parametrize(
    ("cells", "unit", "decimals", "values"),
    [
        ("1.5 2.25 3", "", 2, [150, 225, 300]),
        ("1,5;2,25;3", "", 2, [150, 225, 300]),
        ("12 min;5 min;7 min", "min", 0, [12, 5, 7]),
        ("1.5 km;900 m;2 km", "m", 0, [1500, 900, 2000]),
        ("1 h 5 min;55 min;2 hours", "min", 0, [65, 55, 120]),
        ("1:05;0:55;2:00", "min", 0, [65, 55, 120]),
        ("0:01:05;0:00:55;0:02:00", "s", 0, [65, 55, 120]),
        ("1.234,5;2.345,5;900", "", 1, [12345, 23455, 9000]),
        ("€ 12.50;€ 9;€ 8.75", "€", 2, [1250, 900, 875]),
        ("12 pts;9 pts;8 pts", "pts", 0, [12, 9, 8]),
        ("5e9;6e9;7e9", "", -1, [500000000, 600000000, 700000000]),
        ("0.0239288;0.025798;0.0211959", "", 7, [239288, 257980, 211959]),
    ],
)
def test_units_and_fractions(cells: str, unit: str, decimals: int, values: list[int]) -> None:
    a, b, c = cells.split(";" if ";" in cells else " ")
    instance = loaded(f"0;{a};{b}\n{a};0;{c}\n{b};{c};0\n", name="m.txt")
    assert (instance.unit, instance.decimals) == (unit, decimals)
    assert instance.all_distances()[[0, 0, 1], [1, 2, 2]].tolist() == values


@given(
    st.lists(st.integers(0, 90_000), min_size=6, max_size=6),
    st.integers(0, 6),
)
def test_the_order_of_tours_is_exact(numbers: list[int], decimals: int) -> None:
    values = np.zeros((4, 4))
    values[np.triu_indices(4, 1)] = [one / 10**decimals for one in numbers]
    values += values.T
    if not any(numbers):
        return
    instance = from_distances(values)
    found = instance.all_distances()[np.triu_indices(4, 1)].tolist()
    assert [one * 10 ** (decimals - instance.decimals) for one in found] == numbers


def test_more_digits_than_fit_are_rounded_and_said() -> None:
    values = np.sqrt(np.arange(1.0, 17).reshape(4, 4))
    instance = from_distances(values, unit="km")
    assert "distances are rounded to 1e-07 km" in instance.note
    assert instance.all_distances()[0, 1] == round(2**0.5 * 1e7)


@pytest.mark.parametrize("sign", ["", "inf", "-", "x", "nan", "9999999999", "-1", "N/A"])
def test_ways_that_there_are_not(sign: str) -> None:
    rows = [["0", sign, "80", "44"], [sign, "0", "55", "46"]]
    rows += [["80", "55", "0", "66"], ["44", "46", "66", "0"]]
    instance = loaded("\n".join(map(",".join, rows)))
    assert isinstance(instance, RouteInstance)
    assert "1 pair without a distance: no tour takes them" in instance.note
    tours = [np.array([0, *rest]) for rest in itertools.permutations(range(1, 4))]
    lengths = {tuple(one): instance.tour_length(one) for one in tours}
    for tour, length in lengths.items():
        beside = abs(tour.index(0) - tour.index(1)) in (1, 3)
        assert instance.is_solution_at(length) == (not beside)


@pytest.mark.parametrize("sign", ["-1", "9999999999", "1e8", "5", ""])
def test_what_is_on_the_diagonal_does_not_count(sign: str) -> None:
    text = text_of(SYMMETRIC)
    rows = [row.split(",") for row in text.split()]
    for at, row in enumerate(rows):
        row[at] = sign
    instance = loaded("\n".join(map(",".join, rows)))
    assert np.array_equal(instance.all_distances(), SYMMETRIC)


def test_what_has_no_tour_is_said_at_once() -> None:
    with pytest.raises(InstanceError, match=r"m\.csv: it has no tour: only one way leads"):
        loaded("0,1,,\n1,0,2,3\n,2,0,4\n,3,4,0\n")


@pytest.mark.parametrize(
    ("text", "read_as", "why"),
    [
        ("0,-7,3\n4,0,5\n3,2,0\n", "", "the distance from city 1 to city 2 is -7, which is neg"),
        ("0,1\n2,0\n3,4\n", "matrix", "it is no matrix: it has 3 rows of 2 numbers"),
        ("a,b,c\n1,2\n", "matrix", "it is no matrix: its rows are of|it has 1 rows of 2"),
        (",A,B,C\nA,0,1,2\nB,1,0,x1\nC,2,3,0\n", "matrix", "line 3: 'x1' is no number"),
        ("0,1 km,2 h\n1 km,0,3 h\n2 h,3 h,0\n", "matrix", "different units, such as h and km"),
        ("0,,\n,0,\n,,0\n", "matrix", "it has no distances"),
        ('{"durations": [[0,1],[1,0]], "distances": [[0,2],[2,0]]}', "", "--columns 'durations'"),
        ("0,1,1\n1,0,1\n1,1,0\n", "", "say --read-as matrix if they are distances, or --read-"),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, read_as: str, why: str) -> None:
    with pytest.raises(InstanceError, match=why) as caught:
        loaded(text, read_as)
    is_one_sentence("m.csv", str(caught.value), 400)


def test_either_choice_of_a_doubt_can_be_loaded() -> None:
    text = b'{"durations": [[0,1,2],[1,0,3],[2,3,0]], "distances": [[0,2,4],[2,0,6],[4,6,0]]}'
    with pytest.raises(UnsureError) as caught:
        load_instance("m.json", text)
    doubt = caught.value.doubt
    one, other = (loaded(text, choice[1]) for choice in (doubt.taken, doubt.other))
    assert np.array_equal(other.all_distances(), 2 * one.all_distances())
    with pytest.raises(UnsureError) as caught:
        load_instance("m.csv", b"0,1,1\n1,0,1\n1,1,0\n")
    assert loaded(b"0,1,1\n1,0,1\n1,1,0\n", caught.value.doubt.taken[1]).n == 3


@pytest.mark.parametrize("sign", ["inf", "∞", "Infinity"])
@pytest.mark.parametrize("corner", [False, True])
def test_ones_beside_infinite_cells_are_distances(sign: str, corner: bool) -> None:
    rows = ["0,1,?,1", "1,0,1,?", "?,1,0,1", "1,?,1,0"]
    if corner:
        rows = [",A,B,C,D", *(f"{name},{row}" for name, row in zip("ABCD", rows, strict=True))]
    text = "\n".join(rows).replace("?", sign)
    instance = loaded(text)
    assert isinstance(instance, RouteInstance)
    assert instance.barred is not None
    assert np.argwhere(np.triu(instance.barred)).tolist() == [[0, 2], [1, 3]]


def test_thousands_between_blanks() -> None:
    text = "0;1 250;2 000\n1 250;0;987\n2 000;987;0\n"
    assert loaded(text).all_distances().tolist() == [
        [0, 1250, 2000],
        [1250, 0, 987],
        [2000, 987, 0],
    ]


def test_options() -> None:
    text = "0/1,5/2,25\n1,5/0/3\n2,25/3/0\n"
    instance = loaded(text, "matrix separator=/ decimal=, unit=hours", name="m.txt")
    assert (instance.decimals, instance.unit) == (2, "h")
    assert "3 × 3 matrix of hours" in instance.seen
    assert loaded(text, instance.read_as).digest() == instance.digest()
    numbered = "1,2,3\n0,5,6\n5,0,7\n6,7,0\n"
    assert loaded(numbered).all_distances()[0].tolist() == [0, 5, 6]
    assert loaded("10,20,30\n0,5,6\n5,0,7\n6,7,0\n", "header=yes").n == 3


def test_numbers_as_names_are_the_numbers_of_tours() -> None:
    instance = loaded(LISTED.replace("Aach", "100").replace("Bonn", "101").replace("Celle", "102")
                      .replace("Delft", "110"))  # fmt: skip
    assert instance.written(np.array([0, 1, 2, 3])) == [100, 101, 102, 110]


def test_a_large_matrix_is_read_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu.problems.tables.text_table._NUMBERS_AT_ONCE", 10_000)
    matrix = np.random.default_rng(1).integers(1, 10**6, (150, 150))
    np.fill_diagonal(matrix, 0)
    names = [f"p{at}" for at in range(150)]
    rows = [
        ",".join([name, *map(str, row)]) for name, row in zip(names, matrix.tolist(), strict=True)
    ]
    instance = loaded("\n".join([",".join(["", *names]), *rows]))
    assert np.array_equal(instance.all_distances(), matrix)
    assert instance.names == tuple(names)


SIGNS = st.sampled_from(
    [*"0123456789", "-1", "inf", "", "x", "1:30", "5 km", "7 min", "1,5", "é", "a"]
)


@settings(max_examples=300)
@given(
    rows=st.lists(st.lists(SIGNS, min_size=1, max_size=5), min_size=1, max_size=5),
    read_as=st.sampled_from(["", "matrix", "matrix header=yes", "matrix header=no decimal=,"]),
    separator=st.sampled_from([";", "\t", "|", " ", ","]),
)
def test_any_cells_are_read_or_refused(rows: list[list[str]], read_as: str, separator: str) -> None:
    text = "\n".join(separator.join(row) for row in rows)
    try:
        instance = load_instance("t.csv", text.encode(), read_as)
    except InstanceError as error:
        is_one_sentence("t.csv", str(error), 400)
    else:
        assert instance.n >= 1


VALUES = st.recursive(
    st.none() | st.integers(-3, 10**20) | st.floats() | st.sampled_from(["a", "5 km", "OK", ""]),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(["matrix", "durations", "rows", "elements", "a"]), inner),
    max_leaves=20,
)  # fmt: skip


@settings(max_examples=300)
@given(value=VALUES)
def test_any_value_is_read_or_refused(value: object) -> None:
    try:
        load_instance("t.json", json.dumps(value).encode())
    except InstanceError as error:
        is_one_sentence("t.json", str(error), 400)


BINARIES = [array(DIRECTED), array(np.zeros((2, 2, 2))), array(np.zeros((0, 5)))]
ARCHIVE = io.BytesIO()
np.savez(ARCHIVE, format=np.array(b"csr"), shape=np.array([9, 9]), data=np.ones(3))
BINARIES += [ARCHIVE.getvalue(), open_document(SHEET)]


@settings(max_examples=200)
@given(
    data=st.sampled_from(BINARIES),
    at=st.integers(0, 200),
    byte=st.integers(0, 255),
    end=st.integers(0, 400),
)
def test_broken_arrays_are_read_or_refused(data: bytes, at: int, byte: int, end: int) -> None:
    broken = bytearray(data[: len(data) - end] if end < len(data) else data)
    if at < len(broken):
        broken[at] = byte
    try:
        load_instance("t.npy", bytes(broken))
    except InstanceError as error:
        is_one_sentence("t.npy", str(error), 600)


def test_squares_know_what_they_have() -> None:
    square = square_of(table_of(InputFile(Path("x"), text_of(SYMMETRIC).encode())))
    assert not square.zero_one
    assert square.values.shape == (4, 4)


def test_what_routing_services_answer_is_a_matrix_though_it_has_places() -> None:
    places = [{"name": name, "location": [at, at]} for at, name in enumerate(NAMES)]
    value = {"code": "Ok", "durations": DIRECTED.tolist(), "sources": places}
    instance = loaded(json.dumps(value), name="m.json")
    assert instance.names == NAMES
    assert instance.unit == "s"
    assert instance.matrix is not None
    assert np.array_equal(instance.matrix, DIRECTED)


PRINTED = "[[ 0 29 80 44]\n [29  0 55 46]\n [80 55  0 66]\n [44 46 66  0]]\n"
BLANKS = named(SYMMETRIC, " ").lstrip()


@pytest.mark.parametrize(
    "text",
    [
        PRINTED,
        PRINTED.replace("0 ", "0. "),
        f"import numpy as np\nx.d = np.array({SYMMETRIC.tolist()}, dtype=float)\n",
        f"data = {{}}\ndata['distance_matrix'] = {SYMMETRIC.tolist()}\ndata['depot'] = 0\n",
        "d = " + str(SYMMETRIC.tolist()).replace("[0,", "[float('inf'),"),
        "D = [" + text_of(SYMMETRIC, " ").replace("\n", "; ") + "];",
        "4 4\n" + text_of(SYMMETRIC, " "),
        text_of(SYMMETRIC, " ").replace("\n", " "),
        "4," + text_of(SYMMETRIC).replace("\n", ",").rstrip(","),
        BLANKS,
        "4\n" + BLANKS,
        "X " + BLANKS,
        " ".join(NAMES) + "\n" + text_of(SYMMETRIC, " "),
        BLANKS.replace("Aach", '"Bad Aach"').replace("Bonn", '"Bonn"'),
        "|"
        + named(SYMMETRIC, "|").replace("\n", "|\n|").replace("\n", "\n|---|--:|--:|--:|:-:|\n", 1)
        + "|\n",
    ],
)
def test_texts_of_programs_are_matrices(text: str) -> None:
    instance = loaded(text, name="m.txt")
    assert instance.matrix is not None
    assert np.array_equal(instance.matrix, SYMMETRIC)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[[0 1 ... 2 3]\n [1 0 ... 3 2]]", "NumPy has left numbers out"),
        ("d = [f(0)]", "a part of it is computed"),
        ("d = [[0, g(1)], [1, 0]]", "a part of it is computed"),
        ("[[" + "1" * 5_000 + "]]", "too many digits"),
        (",a,b,c\na,0,yes,7\nb,yes,0,7\nc,7,7,0", "none of its columns"),
        ("1 " * 70_000, "more than 65,536 columns"),
        ("x,y\n" + "1,2" * 2_000_000, "more than 4,194,304 characters"),
    ],
)
def test_texts_that_are_no_matrix_are_refused(text: str, why: str) -> None:
    with pytest.raises(InstanceError, match=why) as refused:
        loaded(text, name="m.txt")
    is_one_sentence(Path("m.txt"), str(refused.value))


def test_enormous_numbers_and_damaged_texts_in_arrays() -> None:
    enormous = loaded("[[0, 1e308, 3], [1, 0, 2], [3, 2, 0]]", name="m.json")
    assert enormous.n == 3
    data = array(np.array([["a", "1"], ["b", "2"]]))
    with pytest.raises(InstanceError, match="its texts are damaged"):
        loaded(data[:-1] + b"\xff", name="m.npy")


def test_points_that_may_separate_thousands_are_said() -> None:
    cells = np.where(SYMMETRIC > 0, np.char.add(SYMMETRIC.astype(str), ".500"), "0")
    text = "".join(";".join(row) + "\n" for row in cells.tolist())
    assert "points in its numbers stand before decimals" in loaded(text).note


TEXTS = sorted(name for name, (text, *_) in FORMS.items() if isinstance(text, str))
HOSTILE = [
    *("", "[", "]", "{", "}", '"', ",", ":", "null", "-1", "1e999", "9" * 40, "nan", "{}", "[]"),
    *("((", '"a,b,c": 1,', '("a",): 2,', '"originIndex": {},', "\0", "\ufeff", "x", "✓", "::"),
]


@settings(max_examples=400)
@given(data=st.data())
def test_mutated_texts_are_read_or_refused(data: st.DataObject) -> None:
    text = str(FORMS[data.draw(st.sampled_from(TEXTS))][0])
    for _ in range(data.draw(st.integers(1, 3))):
        at, gone = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 8))
        text = text[:at] + data.draw(st.sampled_from(HOSTILE)) + text[at + gone :]
    try:
        load_instance("t.txt", text.encode())
    except InstanceError as error:
        is_one_sentence("t.txt", str(error), 420)


def test_ways_with_several_lengths_are_asked_about() -> None:
    listed = [{**one, "duration": f"{90 * one['distanceMeters']}s"} for one in ROUTES]
    text = json.dumps(listed)
    with pytest.raises(
        UnsureError, match="distanceMeters and duration: say --read-as matrix"
    ) as doubt:
        loaded(text, name="m.json")
    metres, seconds = (
        loaded(text, choice[1], name="m.json")
        for choice in (doubt.value.doubt.taken, doubt.value.doubt.other)
    )
    assert (metres.unit, seconds.unit) == ("m", "s")
    assert np.array_equal(metres.all_distances() * 90, seconds.all_distances())
    assert loaded(text, seconds.read_as, name="m.json").digest() == seconds.digest()


def test_columns_say_what_edges_count() -> None:
    rows = [
        f"way {at},{NAMES[i]},{9 * at},{NAMES[j]},{DIRECTED[i, j]}"
        for at, (i, j) in enumerate(WAYS)
    ]
    text = "\n".join(["way,a,rank,b,min", *rows])
    for kind in ("edges", "matrix"):
        found = loaded(text, f"{kind} columns=a,b,min")
        assert np.array_equal(found.all_distances(), DIRECTED)
        assert (found.unit, found.names) == ("min", NAMES)
        assert loaded(text, found.read_as).digest() == found.digest()
    assert np.array_equal(loaded(text, "matrix columns=2,4").all_distances(), DIRECTED)
    with pytest.raises(InstanceError, match="has no column of distances beside column 1"):
        loaded("a b\nb c\nc a\n", "matrix columns=1,2")
