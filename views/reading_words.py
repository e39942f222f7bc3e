"""What the window calls what can be said of a file, in lists and in sentences of readers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gpu.problems.reading import BEGIN_WITH_IT, OPTION_NAMES, FileKind

KIND_NAMES: Mapping[FileKind, str] = {
    FileKind.PLACES: "Places",
    FileKind.MATRIX: "Distances",
    FileKind.EDGES: "Edges of a graph",
    FileKind.ADJACENCY: "Neighbours in a graph",
    FileKind.TSPLIB: "TSPLIB file",
    FileKind.DIMACS: "DIMACS graph",
    FileKind.GRAPH: "Graph file",
}
COORDINATE_NAMES = {
    "plane": "Plain numbers, x and y",
    "degrees": "Latitude and longitude",
    "geo": "The same, in whole km (GEO)",
}
HEADER_NAMES = {"yes": "Names of columns", "no": "Values"}
READING_TITLES = {  # of the fields of ReadAs, in the order of the import sheet
    "kind": "Read as",
    "coordinates": "Numbers are",
    "columns": "",
    "unit": "Unit",
    "header": "First row",
    "separator": "Separator",
    "decimal": "Decimal sign",
    "encoding": "Encoding",
    "sheet": "Sheet",
}

_COLUMNS = "the lists of columns"
_VALUES: Mapping[str, Mapping[str, str]] = {
    "kind": {str(kind): name for kind, name in KIND_NAMES.items()},
    "coordinates": COORDINATE_NAMES,
    "header": HEADER_NAMES,
}
_ROUTE_TITLES = {"route_from": "Start", "route_to": "End"}  # in the panel
_TITLES = READING_TITLES | _ROUTE_TITLES
_FIELDS = {OPTION_NAMES.get(name, name): name for name in _TITLES}
_WORDS = "|".join(sorted({*_VALUES["kind"], *COORDINATE_NAMES, *HEADER_NAMES}, key=len)[::-1])
_OPTION = re.compile(
    rf"--({'|'.join(_FIELDS)})\b(?: ((?:{_WORDS})\b|\d+(?:,\d+)*|'[^']*'|\"[^\"]*\"))?"
)


def in_window(sentence: str) -> str:
    """Return a reader's sentence with what to choose in the import sheet, where it has options."""
    sentence = re.sub(r" \(in Python [^)]*\)", "", sentence)
    sentence = sentence.replace(BEGIN_WITH_IT, "open its instance first, and then this file")
    return _OPTION.sub(_chosen, re.sub(r"\b([Ss])ay (?=--)", _choose, sentence))


def _choose(found: re.Match[str]) -> str:
    return "Choose " if found[1] == "S" else "choose "


def _chosen(found: re.Match[str]) -> str:
    name, value = _FIELDS[found[1]], (found[2] or "").strip("'\"")
    if name == "columns":
        *some, last = value.split(",")
        return f"columns {', '.join(some)} and {last}" if some else last or _COLUMNS
    title = _TITLES[name]
    return f"“{title}: {_VALUES.get(name, {}).get(value, value)}”" if value else f"“{title}”"
