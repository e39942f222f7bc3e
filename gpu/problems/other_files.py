"""Files that people take for instances: what they are, and what to do with them.

Pictures, films, web pages, archives, pointers to files that were not fetched, and graphs, places
and distances in formats that are not read.
"""

from __future__ import annotations

import re

_START = 2_000  # bytes at the beginning of a file that tell what it is

INSTANCE = (
    "write places as a table (.csv), a graph as a DIMACS graph (.col), distances as a TSPLIB file "
    "(.tsp)"
)
"""What to give in place of a file that holds an instance, but in a format that is not read."""

TOUR = "write the tour as a TSPLIB file with a TOUR_SECTION"
"""What to give in place of one that may hold a tour."""

_GRAPH = "it is a graph as {}, which is not read; write it as a DIMACS graph (.col)"
_PLACES = (
    "it is {}, which is not read; write its places as a table (.csv) with the columns latitude "
    "and longitude"
)
_PACKED = "it is packed by {}; unpack it, or pack it by gzip"
_ROOT = rb"\s*(?:<[?!][^>]*>\s*)*<(?:\w+:)?"  # of XML: what stands before the name of its element

_BY_BYTES = (  # what matches at the beginning, and what is said of such a file
    (
        rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|II\*\x00|MM\x00\*|RIFF.{4}WEBP",
        "it is a picture, not an instance; File > Draw cities… in the window can trace it",
    ),
    (
        rb".{4}ftyp|\x1aE\xdf\xa3|RIFF.{4}AVI |\x00\x00\x01[\xb3\xba]",
        "it is a film or a sound, not an instance",
    ),
    (rb"%PDF-", "it is a PDF, not an instance"),
    (
        rb"PK\x03\x04|\xd0\xcf\x11\xe0",
        "it is a ZIP archive or a spreadsheet, not an instance; unpack it, or save the table as "
        "CSV",
    ),
    (rb"BZh[1-9]1AY&SY", _PACKED.format("bzip2")),
    (rb"\xfd7zXZ\x00", _PACKED.format("xz")),
    (rb"\x28\xb5\x2f\xfd", _PACKED.format("zstd")),
    (rb"\x1f\x9d", _PACKED.format("compress")),
    (rb"7z\xbc\xaf\x27\x1c|Rar!\x1a\x07|.{257}ustar", "it is an archive; unpack it"),
    (
        rb"\x93NUMPY|\x89HDF\r\n|\x80[\x04\x05]\x95|PAR1\x15",
        "it holds arrays or objects of a program, which are not read",
    ),
    (
        rb"SQLite format 3\x00",
        "it is an SQLite database, not an instance; formicarium report shows a study's results",
    ),
    (
        rb"version https://git-lfs\.github\.com/",
        "it is a pointer of Git LFS, not the file itself; git lfs pull fetches that",
    ),
    (
        rb"\S*/annex/objects/",
        "it is a pointer of git-annex, not the file itself; git annex get fetches that",
    ),
    (
        rb"\s*<(!doctype html|html\b|\?.*<html\b)",
        "it is a web page, not an instance; download the file itself",
    ),
    (rb"\s*<(svg\b|[?!].*<svg\b)", "it is an SVG picture, not an instance"),
    (_ROOT + rb"gpx\b", _PLACES.format("GPX")),
    (_ROOT + rb"kml\b", _PLACES.format("KML")),
    (_ROOT + rb"osm\b", _PLACES.format("OpenStreetMap XML")),
    (_ROOT + rb"graphml\b", _GRAPH.format("GraphML")),
    (_ROOT + rb"gexf\b", _GRAPH.format("GEXF")),
    (
        _ROOT + rb"travellingSalesmanProblemInstance\b",
        "it is TSPLIB's XML, which is not read; take the .tsp file of the same name",
    ),
    (rb"\s*<[?!a-z]", "it is XML, which is not read"),
    (rb"%%MatrixMarket\b", "it is a Matrix Market file, which is not read"),
    (rb">>(graph6|sparse6|digraph6)<<", _GRAPH.format("graph6 or sparse6")),
    (rb"\s*(strict\s+)?(di)?graph(\s+[\w\"]+)?\s*\{", _GRAPH.format("DOT (Graphviz)")),
    (rb"\s*((creator|version)\b[^\n]*\n\s*)*graph\s*\[", _GRAPH.format("GML")),
    (rb"\s*\*(vertices|network)\b", _GRAPH.format("Pajek")),
    (
        rb'\s*\{\s*"kind"\s*:\s*"session"',
        "it is the log of a run, not an instance; formicarium replay runs it again",
    ),
    (
        rb'\s*\{\s*"kind"\s*:\s*"frames"',
        "it is the past of a run, not an instance; formicarium film takes the log beside it",
    ),
    (
        rb'\s*\{\s*"kind"\s*:\s*"race"',
        "it is a race, not an instance; formicarium race runs it",
    ),
    (
        rb'\s*(#[^\n]*\n\s*)*(title\s*=\s*"|instances\s*=|\[budget\]|\[\[colony\]\])',
        "it is the design of a study, not an instance; formicarium study runs it",
    ),
    (
        rb"([^\n]*\n)*?\s*PROBLEM_FILE\s*=",
        "it holds parameters for LKH, not an instance; solve the file that PROBLEM_FILE names",
    ),
    (
        rb'\s*\{.*"type"\s*:\s*"(FeatureCollection|Feature|Point|MultiPoint|LineString)"',
        _PLACES.format("GeoJSON"),
    ),
    (
        rb"\s*([a-z_]\w*\s*=\s*[\[({]|[\[{]\s*[\"'\[\]{}(0-9-])",
        "it is JSON or Python, which is not read",
    ),
)
_PATTERNS = tuple((re.compile(rb"(?is)" + start), said) for start, said in _BY_BYTES)
_NUMBERS = re.compile(r"[-+.,;0-9eE\s]+")


def what_else(data: bytes, instead: str) -> str:
    """Return what to say of the file ``data`` if it is of such a kind, or nothing.

    ``instead`` says what to give in place of a format that is not read: for example INSTANCE.
    """
    start = data[:_START].removeprefix(b"\xef\xbb\xbf")
    said = next((said for pattern, said in _PATTERNS if pattern.match(start)), "")
    return f"{said}; {instead}" if said.endswith("not read") else said


def of_no_kind(line: str, instead: str) -> str:
    """Return what to say of the first ``line`` of a text that is of no known kind."""
    if only_numbers(line):
        return f"has numbers alone, and nothing says what they are; {instead}"
    return f"is no line of a format that is read here; {instead}"


def only_numbers(line: str) -> bool:
    """Whether ``line`` has numbers and nothing else."""
    return _NUMBERS.fullmatch(line) is not None
