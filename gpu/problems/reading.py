"""How a file is read: what the user has said of it, and what a reader asks where it cannot tell."""

from __future__ import annotations

import enum
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

from gpu.core.errors import InstanceError
from gpu.core.words import shown

COORDINATES = ("plane", "degrees", "geo")
"""What the numbers of places can be; see ``load_places`` in gpu/problems/tsp/places."""

SEPARATOR_NAMES = {"blank": "", "tab": "\t", "comma": ",", "semicolon": ";", "bar": "|"}
"""Words for what separates columns; blanks of any number are one separator."""


OPEN = "open"
"""What is said of a route that does not return to its start."""

OPTION_NAMES = {"kind": "read-as", "route_from": "from", "route_to": "to", "route": OPEN}
"""Options of the command line that have another name than what they say.

A reader's sentences name what the user can say as these options: ``--read-as matrix``, ``--columns
2,3``, ``--sheet 'May'``. A front end without a command line words them anew.
"""

BEGIN_WITH_IT = "name its instance, and this file behind --start (or as start in Python)"
"""What to do with a file that has a solution in it."""


class FileKind(enum.StrEnum):
    """What a file can be; ``--read-as`` takes these words."""

    TSPLIB = "tsplib"  # a file with TSPLIB's keywords
    DIMACS = "dimacs"  # a graph with DIMACS' lines
    PLACES = "places"  # a row, or another element, for each place
    MATRIX = "matrix"  # distances from each place to each other one
    EDGES = "edges"  # a list of edges: of a graph, or with distances between places
    ADJACENCY = "adjacency"  # of a graph: a matrix of 0 and 1, or the neighbours of each vertex
    GRAPH = "graph"  # a graph as programs write it: GraphML, GML, DOT, Matrix Market and others


@dataclass(frozen=True, slots=True)
class ReadAs:
    """What a file is read as; what is empty is found out.

    Its text is short and can be kept in a log: ``places degrees columns=3,2``.
    """

    kind: FileKind | None = None
    coordinates: str = ""  # one of :data:`COORDINATES`
    # names or numbers from 1, with commas: of places x, y, perhaps names; of edges both ends,
    # perhaps distances; of an object the matrix that counts
    columns: str = ""
    unit: str = ""  # of the costs, as the user calls it
    encoding: str = ""  # of the text, as Python calls it
    separator: str = ""  # of columns: a character, or one of :data:`SEPARATOR_NAMES`
    decimal: str = ""  # a point or a comma, before decimals
    header: str = ""  # whether the first row names the columns: yes or no
    sheet: str = ""  # of a spreadsheet: its name
    # the cities where a route begins and ends, by their names or numbers, and whether it is open
    route_from: str = ""
    route_to: str = ""
    route: str = ""  # open, or empty

    def __post_init__(self) -> None:
        """Raise InstanceError if something can mean nothing in any file."""
        for name, can in (
            ("coordinates", ("", *COORDINATES)),
            ("decimal", ("", ".", ",")),
            ("header", ("", "yes", "no")),
            ("route", ("", OPEN)),
        ):
            if (value := getattr(self, name)) not in can:
                known = ", ".join(filter(None, can))
                raise InstanceError(f"{name} = {value!r} is none of {known}")
        one = SEPARATOR_NAMES.get(self.separator, self.separator)
        if len(one) > 1 or one.isalnum() or one in ("-", "+", ".", '"', "\n", "\r"):
            known = ", ".join(SEPARATOR_NAMES)
            raise InstanceError(
                f"separator = {self.separator!r} is no sign between columns and none of {known}"
            )
        if one and one == self.decimal:
            raise InstanceError(f"{one} cannot stand both between columns and before decimals")
        try:
            b"".decode(self.encoding or "utf-8")
        except (LookupError, ValueError) as error:
            raise InstanceError(f"encoding = {self.encoding!r} is none that is known") from error

    @property
    def asks_for_route(self) -> bool:
        """Whether anything is said of the routes that are wanted."""
        return bool(self.route_from or self.route_to or self.route)

    @property
    def of_file(self) -> ReadAs:
        """What is said of the file alone, and not of the routes that are wanted."""
        return replace(self, route_from="", route_to="", route="")

    @property
    def of_route(self) -> ReadAs:
        """What is wanted of routes alone."""
        return ReadAs(route_from=self.route_from, route_to=self.route_to, route=self.route)

    @property
    def only_kind(self) -> bool:
        """Whether nothing but the kind is said, or nothing at all."""
        return self == ReadAs(self.kind)

    @classmethod
    def parse(cls, text: str) -> ReadAs:
        """Return what ``text`` says; InstanceError if a word of it means nothing."""
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise InstanceError(f"read_as = {text!r} cannot be taken apart: {error}") from error
        found: dict[str, str] = {}
        kind: FileKind | None = None
        names = {field.name for field in fields(cls)} - {"kind"}
        for word in words:
            name, equals, value = word.partition("=")
            if equals and name in names:
                found[name] = value
            elif word in tuple(FileKind):
                kind = FileKind(word)
            elif word in COORDINATES:
                found["coordinates"] = word
            elif "," in word and "columns" not in found:  # as logs before 1.0 have it
                found["columns"] = word
            else:
                known = ", ".join((*FileKind, *COORDINATES, *(f"{one}=…" for one in sorted(names))))
                raise InstanceError(f"read_as = {text!r}: {word!r} is none of {known}")
        return cls(kind, **found)

    @classmethod
    def of_table(cls, table: Mapping[str, object]) -> ReadAs:
        """Return what a table of TOML says, whose keys are options of the command line.

        InstanceError if a key, or its value, means nothing.
        """
        fields_of = {_key_of(field.name): field.name for field in fields(cls)}
        found: dict[str, str] = {}
        kind: FileKind | None = None
        for key, value in table.items():
            if key not in fields_of:
                raise InstanceError(f"{shown(key)!r} is none of {', '.join(fields_of)}")
            if key == OPEN:
                if not isinstance(value, bool):
                    raise InstanceError(f"{OPEN} must be true or false")
                found[fields_of[key]] = OPEN if value else ""
            elif not isinstance(value, str):
                raise InstanceError(f"{key} must be a text in quotation marks")
            elif fields_of[key] != "kind":
                found[fields_of[key]] = value
            elif value in tuple(FileKind):
                kind = FileKind(value)
            else:
                known = ", ".join(FileKind)
                raise InstanceError(f"{key} = {shown(value)!r} is none of {known}")
        return cls(kind, **found)

    def to_table(self) -> dict[str, str | bool]:
        """Return the table that :meth:`of_table` reads as this."""
        said = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            _key_of(name): value == OPEN if name == "route" else str(value)
            for name, value in said.items()
            if value
        }

    def __str__(self) -> str:
        words = [self.kind.value] if self.kind else []
        words += [self.coordinates] if self.coordinates else []
        for field in fields(self)[2:]:
            if value := getattr(self, field.name):
                words.append(shlex.quote(f"{field.name}={value}"))
        return " ".join(words)

    def options(self) -> Sequence[str]:
        """Return the options of the command line that say the same."""
        words: list[str] = []
        for field in fields(self):
            if value := getattr(self, field.name):
                name = OPTION_NAMES.get(field.name, field.name)
                words += [f"--{name}", str(value)] if name != OPEN else [f"--{name}"]
        return words


def _key_of(field: str) -> str:
    """Return what tables of TOML call a field: as its option, with _ where that has -."""
    return OPTION_NAMES.get(field, field).replace("-", "_")


AS_FOUND = ReadAs()
"""Nothing is said: all is found out."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A file can be read in two ways, and neither is clearly right."""

    question: str  # whether the other way is right
    taken: tuple[str, str]  # how it is read until the user has said it, in words and as read_as
    other: tuple[str, str]


class UnsureError(InstanceError):
    """A file that can be read in two ways."""

    def __init__(self, message: str, doubt: Doubt) -> None:
        super().__init__(message)
        self.doubt = doubt
