"""Files that are refused, and why."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpu.core.errors import InstanceError
from gpu.core.machine.memory import SPARE
from gpu.core.words import shown
from gpu.problems.loading import load_instance
from gpu.problems.tsp import tsplib
from gpu.problems.tsp.tours import read_tour
from gpu.problems.tsp.tsplib import load
from tests.gpu.problems.texts import HEAD, load_text, matrix_text, symmetric


def _refused(folder: Path, text: str | bytes) -> str:
    with pytest.raises(InstanceError) as caught:
        load_text(folder, text)
    message = str(caught.value)
    assert message.startswith(f"{folder / 'x.tsp'}: ")
    assert "\n" not in message
    return message.partition(": ")[2]


REFUSED = {
    "": "it is empty",
    " \n \n": "it is empty",
    "hello\n": "line 1, 'hello', is no line of a TSPLIB file",
    "<html>\n<body>404</body>\n": "it is a web page, not an instance; download the file itself",
    "<xml>\n<body/>\n": "it is XML, which is not read; write places as a table (.csv), a graph as",
    "1 12 7\n2 88 15\n": "line 1, '1 12 7', has numbers alone, and nothing says what they are; wri",
    "NAME: x\nDIMENSION\n": "line 2, 'DIMENSION', is no line",
    "NAME: x\nEOF\n": "it has no TYPE",
    "TYPE:\n": "it has no TYPE",
    "TYPE: CVRP\n": "its TYPE is 'CVRP'; only TSP and ATSP",
    "TYPE: TSP\nDIMENSION: 3\n": "it has no EDGE_WEIGHT_TYPE",
    "TYPE: TSP\nEDGE_WEIGHT_TYPE: EUC_2D\n": "it has no DIMENSION",
    "TYPE: TSP\nEDGE_WEIGHT_TYPE: GEOM\n": "its EDGE_WEIGHT_TYPE is 'GEOM'; known are EUC_2D",
    "TYPE: TSP\nEDGE_WEIGHT_TYPE: SPECIAL\n": "its EDGE_WEIGHT_TYPE is 'SPECIAL'",
    "TYPE: TSP\nEDGE_WEIGHT_TYPE: euc_2d\n": "its EDGE_WEIGHT_TYPE is 'euc_2d'",
    "TYPE: TSP\nEDGE_WEIGHT_TYPE: EUC_2D\nDIMENSION: many\n": "DIMENSION 'many' is not a number",
    "TYPE: TSP\nEDGE_WEIGHT_TYPE: EUC_2D\nDIMENSION: -5\n": "DIMENSION '-5' is not a number",
    "TYPE: TSP\nEDGE_WEIGHT_TYPE: EUC_2D\nDIMENSION: 3.5\n": "DIMENSION '3.5' is not a number",
    "TYPE: TSP\nEDGE_WEIGHT_TYPE: EUC_2D\nDIMENSION: " + "9" * 5000: "is not a number of cities",
    "TYPE: TSP\nEDGE_WEIGHT_TYPE: EUC_2D\nDIMENSION: 3\n": "no NODE_COORD_SECTION, which EUC_2D",
    "TYPE: TSP\nEDGE_WEIGHT_TYPE: EUC_2D\nDIMENSION: 2\nNODE_COORD_SECTION\n1 0 0\n2 1 1\n": (
        "it has DIMENSION 2; a tour needs at least 3"
    ),
    "TYPE: TSP\nTYPE: ATSP\n": "'TYPE' is first 'TSP', then 'ATSP'",
    HEAD: "DIMENSION is 3, but NODE_COORD_SECTION lists 0 cities",
    HEAD + "1 0 0\n2 3 0": "DIMENSION is 3, but NODE_COORD_SECTION lists 2 cities",
    HEAD + "1 0 0\n2 3 0\n3 3 4\n4 0 4": "DIMENSION is 3, but NODE_COORD_SECTION lists 4",
    HEAD + "1 0 0\n2 3 0\n3 3 4\n-1\n": "lists 4 cities",
    HEAD.replace("3", "1" + "0" * 12) + "1 0 0\n": "DIMENSION is 1000000000000, but",
    HEAD + "1 0 0\n2 3 0\n2 3 4": "lists city '2' twice",
    HEAD + "1 0 0\n2 3 0\n02 3 4": "lists 2 different cities of 3",
    HEAD + "1 0 0\n2 3 0\n-3 3 4": "has a city '-3'",
    HEAD + "1 0 0\n2 3 0\n9999999999 3 4": "has a city '9999999999'",
    HEAD + "1 0 0\n2 3 0\n3.5 3 4": "city numbers are not whole numbers",
    HEAD + "1 0 0\n2 3 0\n3 3": "cities without 2 or 3 coordinates",
    HEAD + "1 0 0\n2 3 0\n3": "has a line that cannot be read, '3'",
    HEAD + "1 0 0\n2 3 0\n3 3 4 5 6": "cities without 2 or 3 coordinates",
    HEAD + "1 0 0 0\n2 3 0 0\n3 3 4 0": "EUC_2D needs 2 coordinates a city, but it has 3",
    HEAD.replace("EUC_2D", "EUC_3D") + "1 0 0\n2 3 0\n3 3 4": "EUC_3D needs 3 coordinates",
    HEAD + "1 0 0\n2 x 0\n3 3 4": "a line that is not numbers, '2 x 0'",
    HEAD + "1 0 0\n2 nan 0\n3 3 4": "a line that is not numbers, '2 nan 0'",
    HEAD + "1 0 0\n2 1e999 0\n3 3 4": "a coordinate that is not a finite number",
    HEAD + "1 0 0\n2 " + "9" * 400 + " 0\n3 3 4": "a coordinate beyond 1e+12",
    HEAD + "1 0 0\n2 1e300 0\n3 3 4": "a coordinate beyond 1e+12",
    HEAD + "1 0 0\n2 1e10 0\n3 3 4": "distances may exceed 2147483647",
    HEAD + "1 0 0\n2 1.2.3 0\n3 3 4": "a line that cannot be read, '2 1.2.3 0'",
    HEAD + "1 0 0\n2 1_0 0\n3 3 4": "a line that is not numbers, '2 1_0 0'",
    HEAD + "1 0 0\n2 3 0\n3 3 4\nNODE_COORD_SECTION\n1 0 0\n": "two of 'NODE_COORD_SECTION'",
    HEAD + "1 0 0\n2 3 0\n3 3 4\nEDGE_WEIGHT_SECTION\n1\n": "but its metric is EUC_2D",
    HEAD + "1 0 0\n2 3 0\n3 3 4\nDEMAND_SECTION\n1 1\n": "'DEMAND_SECTION' is no part of",
    HEAD + "1 0 0\n2 3 0\n3 3 4\nDISPLAY_DATA_SECTION\n1 0 0\n2 3 0\n4 3 4\n": (
        "its coordinates and its display data number the cities differently"
    ),
    "EDGE_DATA_FORMAT: EDGE_LIST\n" + HEAD + "1 0 0\n2 3 0\n3 3 4\n": "only complete graphs",
    # tsplib95 on its own would take these words in data for fields.
    HEAD + "1 0 0\n2 3 0 EDGE_WEIGHT_TYPE: SPECIAL\n3 3 4\n": "a line that is not numbers",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: repr(text[-30:]))
def test_what_is_refused(tmp_path: Path, text: str) -> None:
    assert REFUSED[text] in _refused(tmp_path, text)


MATRIX = matrix_text("FULL_MATRIX", symmetric(3), a_line=3)
SECTION = "EDGE_WEIGHT_SECTION\n"


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        ("0 1 2 1 0 3 2 3", "EDGE_WEIGHT_SECTION has 8 numbers; 3 cities in FULL_MATRIX are 9"),
        ("0 1 2 1 0 3 2 3 0 0", "has 10 numbers"),
        ("0 1 2 1 0 3 2 4 0", "from city 2 to 3 is 3 and back 4; a directed problem says"),
        ("0 -1 2 -1 0 3 2 3 0", "the distance -1 is negative"),
        ("0 1.5 2 1.5 0 3 2 3 0", "the distance 1.5 is not a whole number"),
        ("0 1e999 2 1e999 0 3 2 3 0", "the distance inf is not a finite number"),
        ("0 2147483648 2 2147483648 0 3 2 3 0", "the distance 2147483648 is beyond 2147483647"),
        (f"0 {'9' * 400} 2 1 0 3 2 3 0", "a distance beyond 2147483647"),
        ("0 x 2 x 0 3 2 3 0", "a line that is not numbers"),
        ("0 -- 2 1 0 3 2 3 0", "a line that cannot be read"),
    ],
)
def test_what_is_refused_in_a_matrix(tmp_path: Path, numbers: str, why: str) -> None:
    head = MATRIX.partition(SECTION)[0]
    assert why in _refused(tmp_path, f"{head}{SECTION}{numbers}\nEOF\n")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("EDGE_WEIGHT_FORMAT: FULL_MATRIX\n", "", "it has no EDGE_WEIGHT_FORMAT"),
        ("FULL_MATRIX", "FUNCTION", "its EDGE_WEIGHT_FORMAT 'FUNCTION' is none of TSPLIB's"),
        ("DIMENSION: 3", "DIMENSION: 1" + "0" * 12, "has 9 numbers; 1000000000000 cities"),
        (MATRIX[MATRIX.index(SECTION) :], "EOF\n", "no EDGE_WEIGHT_SECTION, which EXPLICIT"),
    ],
)
def test_what_is_refused_around_a_matrix(tmp_path: Path, old: str, new: str, why: str) -> None:
    assert why in _refused(tmp_path, MATRIX.replace(old, new))


@pytest.mark.parametrize("data", [b"\x7fELF\0\1\2", "TYPE: TSP\n".encode("utf-16")])
def test_binary_files(tmp_path: Path, data: bytes) -> None:
    assert "binary file or UTF-16" in _refused(tmp_path, data)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"\x89PNG\r\n\x1a\n\0", "a picture"),
        (b"\xff\xd8\xff\xe0\0", "a picture"),
        (b"GIF89a\1\0", "a picture"),
        (b"RIFF\n\n\0\0WEBPVP8 ", "a picture"),
        (b"\0\0\0\x18ftypmp42\0", "a film"),
        (b"\x1aE\xdf\xa3\0", "a film"),
        (b"%PDF-1.7\n", "a PDF"),
        (b"PK\3\4\0", "a ZIP archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a ZIP archive or a spreadsheet"),
        (b"BZh91AY&SY\0", "packed by bzip2; unpack it"),
        (b"\xfd7zXZ\0", "packed by xz"),
        (b"\x28\xb5\x2f\xfd\0", "packed by zstd"),
        (b"\x1f\x9dabc", "packed by compress"),
        (b"7z\xbc\xaf\x27\x1c\0", "an archive"),
        (b"x.tsp".ljust(257, b"\0") + b"ustar\x0000", "an archive"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n", "a pointer of Git LFS"),
        (b"/annex/objects/SHA256E-s3--abc.tsp\n", "a pointer of git-annex"),
        (b"../.git/annex/objects/a/b/x.tsp", "a pointer of git-annex"),
        (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "an SVG picture"),
        (b'\xef\xbb\xbf<?xml version="1.0"?>\n<!-- made by hand -->\n<svg>', "an SVG picture"),
        (b"\n<!DOCTYPE html>\n<html lang=en>", "a web page"),
        (b"<html>\n<svg>", "a web page"),
        (b'<?xml version="1.0"?>\n<!DOCTYPE html>\n<html>', "a web page"),
        (b'<?xml version="1.0"?>\n<gpx version="1.1">', "GPX, which is not read; write its places"),
        (b"<kml><Document>", "KML, which"),
        (b'<?xml version="1.0"?>\n<!-- by hand -->\n<graphml>', "a graph as GraphML"),
        (b'<?xml version="1.0"?>\n<gexf>', "a graph as GEXF"),
        (b"<travellingSalesmanProblemInstance>", "TSPLIB's XML, which is not read; take the .tsp"),
        (b"<?xml version='1.0'?>\n<places>", "XML, which is not read; write places as a table"),
        (b"%%MatrixMarket matrix coordinate pattern\n2 2 1\n", "a Matrix Market file"),
        (b">>graph6<<JkLTAQGK?N_\n", "a graph as graph6"),
        (b"strict graph G {\n 1 -- 2;\n}", "a graph as DOT"),
        (b'Creator "x"\ngraph [\n  node [\n', "a graph as GML"),
        (b"*Vertices 3\n", "a graph as Pajek"),
        (b'{"kind": "session", "format": 2}', "the log of a run, not an instance"),
        (b'{\n  "kind": "race"}', "a race, not an instance"),
        (b'{"kind": "frames"}', "the past of a run, not an instance"),
        (b'# mine\ntitle = "Study"\n', "the design of a study, not an instance"),
        (b"PROBLEM_FILE = seven.tsp\nRUNS = 1\n", "parameters for LKH"),
        (b'{"type": "FeatureCollection", "features": []}', "GeoJSON, which is not read; write its"),
        (b'{"nodes": [{"id": 0}], "links": []}', "JSON or Python, which is not read; write places"),
        (b"[[0, 3], [3, 0]]", "JSON or Python"),
        (b"{\n  'Rome': (41.9, 12.5)}", "JSON or Python"),
        (b"cities = {\n", "JSON or Python"),
    ],
)
def test_files_of_other_kinds(tmp_path: Path, data: bytes, what: str) -> None:
    message = _refused(tmp_path, data)
    assert message.startswith((f"it is {what}", f"it holds {what}"))
    for name in ("graph.col", "table.csv", "tour.tour", "other.txt"):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(InstanceError, match=re.escape(f"{name}: {message}")):
            load_instance(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("7\n12 7\n", "line 1, '7', has numbers alone, and nothing says what they are"),
        ("404: Not Found\n", "line 1, '404: Not Found', is no line of a format that is read here"),
        ("JkLTAQGK?N_\n", "line 1, 'JkLTAQGK?N_', is no line of a format that is read here"),
        ("NAME: x\n0 1\n", "line 2, '0 1', is no line of a TSPLIB file"),
    ],
)
def test_a_text_is_no_tsplib_file_unless_something_in_it_says_so(
    tmp_path: Path, text: str, what: str
) -> None:
    path = tmp_path / "some.txt"
    path.write_text(text)
    with pytest.raises(InstanceError, match=re.escape(f"{path}: {what}")):
        load_instance(path)


@pytest.mark.parametrize("name", ["five.tour", "five.txt"])
def test_a_tour_is_no_instance_and_is_told_where_it_belongs(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    for text in ("TYPE: TOUR\nTOUR_SECTION\n1\n2\n3\n-1\n", "TOUR_SECTION\n1\n2\n3\n"):
        path.write_text(text)
        with pytest.raises(InstanceError, match=r"it is a tour, not an instance.* behind --start"):
            load_instance(path)


def test_what_is_no_tour_is_not_told_how_instances_are_written(tmp_path: Path) -> None:
    path = tmp_path / "tour.txt"
    for text in ("1\n2\n3\n", "[1, 2, 3]\n", "1,2,3\n", "first\n"):
        path.write_text(text)
        with pytest.raises(InstanceError, match="; write the tour as a TSPLIB file with a TOUR_SE"):
            read_tour(path)


def test_a_link_to_nothing_says_where_it_leads(tmp_path: Path) -> None:
    path = tmp_path / "x.tsp"
    for target, what in (("gone.tsp", ""), ("../.git/annex/objects/a/x", "; git annex get fet")):
        path.unlink(missing_ok=True)
        path.symlink_to(target)
        there = re.escape(f"it is a link to {path.readlink()}, which is not there{what}")
        with pytest.raises(InstanceError, match=there):
            load(path)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    assert "is no line of a TSPLIB file" in _refused(tmp_path, bytes(range(128, 256)))


def test_what_is_no_file(tmp_path: Path) -> None:
    for path, why in [
        (tmp_path, "it is a folder"),
        (tmp_path / "missing.tsp", "it cannot be read: No such file"),
        (tmp_path / "x.tsp" / "y.tsp", "it cannot be read"),
        (tmp_path / ("n" * 300), "it cannot be read: File name too long"),
        (tmp_path / "a\0b", "it cannot be read"),
        (Path("/dev/zero"), "it is a device or a pipe"),
    ]:
        with pytest.raises(InstanceError) as caught:
            load(path)
        assert str(caught.value).startswith(shown(f"{path}: {why}"))


@pytest.mark.parametrize("form", ["FULL_MATRIX", "UPPER_ROW"])
def test_a_matrix_that_does_not_fit_is_refused_before_its_numbers_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    text = matrix_text(form, symmetric(100))
    monkeypatch.setattr(tsplib, "free_memory", lambda: SPARE + 12 * 100**2)
    with monkeypatch.context() as patch:
        patch.setattr(tsplib, "_parse", None)
        message = _refused(tmp_path, text)
    assert message.startswith("its 100 × 100 distances need 0.0 GiB of memory")
    assert "an instance with coordinates" in message
    monkeypatch.setattr(tsplib, "free_memory", lambda: SPARE + 76 * 100**2)
    assert load_text(tmp_path, text).n == 100


def test_a_file_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.tsp"
    with path.open("wb") as file:
        file.truncate(10**12)
    with pytest.raises(InstanceError, match="it has 1000000000000 bytes; at most"):
        load(path)
