"""The one way from any file to the instance in it: a table of formats, and what decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from gpu.core.arguments import described, path_of
from gpu.core.errors import InstanceError
from gpu.core.files import exists
from gpu.core.instance import Instance
from gpu.problems.bundled import bundled
from gpu.problems.coloring import dimacs
from gpu.problems.coloring.graph_files import GRAPH_FORMATS, GRAPH_LISTS
from gpu.problems.coloring.matrix_market import is_matrix_market
from gpu.problems.document import GIVE_INSTANCE, in_utf8, plain, read_bytes, what_else
from gpu.problems.input_file import InputFile
from gpu.problems.reading import BEGIN_WITH_IT, OPEN, Doubt, FileKind, ReadAs, UnsureError
from gpu.problems.table_kinds import TABLE_KINDS, load_matrix_market, load_table
from gpu.problems.tables.table_files import is_table
from gpu.problems.tsp import tours
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.matrices import matrix_objects
from gpu.problems.tsp.places.geographic import MAP_FORMATS
from gpu.problems.tsp.places.json_places import is_json_places, load_json_places
from gpu.problems.tsp.places.solomon import is_solomon, load_solomon
from gpu.problems.tsp.routes.closed_tours import city_called, restricted, with_route
from gpu.problems.tsp.tsplib import tsplib_files
from gpu.problems.tsp.tsplib.tsplib_xml import is_tsplib_xml, load_tsplib_xml
from gpu.problems.tsp.tsplib_document import looks_like_tsplib


@dataclass(frozen=True, slots=True)
class Format:
    """A format of files: how it shows, and its reader."""

    kinds: tuple[FileKind, ...]  # what its files can be of
    title: str  # what such a file is, in words: "a DIMACS graph"
    looks: Callable[[InputFile], bool]  # whether a file is one, or means to be one
    load: Callable[[InputFile], Instance]  # InstanceError says what is wrong with it
    one_way: bool = False  # whether its files are always read in the same way


def _load_tsplib(file: InputFile) -> Instance:
    """Load a TSPLIB file; InstanceError says what is wrong with any other file."""
    if file.value is not None:
        raise file.error(
            "it is JSON or Python, and nothing in it is known: give the rows of a table, or a "
            "matrix, as a list of lists"
        )
    try:
        return tsplib_files.load(file.path, file.data, file.read_as)
    except InstanceError as error:
        if what_else(file.data, GIVE_INSTANCE) or not tours.is_tour(file.path, file.data):
            raise
        raise file.error(f"it is a tour, not an instance; {BEGIN_WITH_IT}") from error


FORMATS = (
    Format(
        (FileKind.MATRIX,), "a TSPLIB file in XML", is_tsplib_xml, load_tsplib_xml, one_way=True
    ),
    *(Format((FileKind.PLACES,), title, looks, load) for title, looks, load in MAP_FORMATS),
    Format((FileKind.PLACES,), "a file of vehicle routing", is_solomon, load_solomon),
    Format((FileKind.PLACES,), "JSON with places", is_json_places, load_json_places),
    Format(
        (FileKind.GRAPH, FileKind.MATRIX),
        "a Matrix Market file",
        is_matrix_market,
        load_matrix_market,
    ),
    *(Format((one.kind,), one.title, one.looks, one.load, one_way=True) for one in GRAPH_FORMATS),
    Format(
        (FileKind.TSPLIB,),
        "a TSPLIB file",
        lambda file: looks_like_tsplib(file.data),
        _load_tsplib,
        one_way=True,
    ),
    Format(
        (FileKind.DIMACS,),
        "a DIMACS graph",
        lambda file: file.value is None and dimacs.is_graph(file.path, file.data),
        lambda file: dimacs.load_graph(file.path, file.data),
        one_way=True,
    ),
    *(Format((one.kind,), one.title, one.looks, one.load) for one in GRAPH_LISTS),
    Format(
        (FileKind.MATRIX,),
        "an object with a matrix",
        matrix_objects.is_object,
        matrix_objects.load_object,
    ),
    Format(
        TABLE_KINDS,
        "a table",
        is_table,
        load_table,
    ),
    Format(
        (FileKind.TSPLIB,),
        "a TSPLIB file, or nothing that is known",
        lambda file: True,  # its reader says what is wrong with any other file
        _load_tsplib,
        one_way=True,
    ),
)
"""All formats. A file is of the first one that it looks like, of those that its user allows."""


def recognise(file: InputFile) -> Format:
    """Return the format of ``file``; InstanceError if it is none of the kind that was asked for."""
    found = next(one for one in FORMATS if one.looks(file))
    wanted = file.read_as.kind
    if wanted is None or wanted in found.kinds:
        return found
    for one in FORMATS:
        if wanted in one.kinds and one.looks(file):
            return one
    raise file.error(f"--read-as {wanted} does not fit: it is {found.title}; leave that out")


def load_instance(path: str | Path, data: bytes | None = None, read_as: str = "") -> Instance:
    """Load the instance of whatever problem in the file at ``path``, or the bundled one named so.

    The file's ``data`` are read unless they are given; either may be packed. ``read_as`` says
    what it is read as, in the words of :class:`gpu.problems.reading.ReadAs`.

    Raises
    ------
    InstanceError
        If there is no such file, or no instance in it that can be read.
    UnsureError
        If it can be read in two ways; it is an InstanceError that says how to choose.
    """
    path = path_of(
        path,
        InstanceError,
        "load_instance takes that of a TSPLIB file, a DIMACS graph or a table of places, so write "
        "what you have into such a file first",
    )
    if not isinstance(data, bytes | None):
        raise InstanceError(f"{path}: data = {described(data)} is not bytes")
    if not isinstance(read_as, str):
        raise InstanceError(f"{path}: read_as = {described(read_as)} is not a text")
    if data is None:
        path = _bundled_path(path)
    data = read_bytes(path) if data is None else plain(path, data)
    wanted = ReadAs.parse(read_as)
    file = InputFile(path, in_utf8(path, data, wanted.encoding), wanted.of_file)
    try:
        instance = recognise(file).load(file)
    except UnsureError:
        raise
    except InstanceError as error:
        if str(error).startswith(str(path)):
            raise
        raise file.error(str(error)) from error  # an instance's own check knows of no file
    if wanted.encoding and not instance.read_as:  # of a format that says all else itself
        instance = replace(instance, read_as=str(ReadAs(encoding=wanted.encoding)))
    if isinstance(instance, TspInstance) and instance.real_n < instance.fewest:
        instance = restricted(instance)
    return _with_route(file, instance, wanted) if wanted.asks_for_route else instance


def check_is_used(said: ReadAs, instance: Instance, file: str) -> None:
    """Refuse what a user has ``said`` of a ``file``, if ``instance`` needed none of it."""
    of_file = said.of_file.options()
    if of_file and not ReadAs.parse(instance.read_as).of_file.options():
        raise InstanceError(
            f"{file}: {of_file[0]} is for tables and other files that can be read in "
            "several ways: leave it out"
        )


def _bundled_path(path: Path) -> Path:
    """Return the file of the bundled instance of this name, unless there is a file at ``path``."""
    if len(path.parts) != 1 or exists(path):
        return path
    return next((one.path for one in bundled() if one.name == path.name), path)


def _with_route(file: InputFile, instance: Instance, wanted: ReadAs) -> Instance:
    """Return ``instance`` with the routes that are ``wanted``; InstanceError if none can be so."""
    if not isinstance(instance, TspInstance):
        raise file.error("it is a graph, and a route from or to somewhere is one of cities")
    return with_wanted_route(instance, wanted)


def with_wanted_route(instance: TspInstance, wanted: ReadAs) -> TspInstance:
    """Return ``instance`` with the routes that ``wanted`` asks for, instead of those of before.

    InstanceError if there is no such city, or no route can be so.
    """
    ends = wanted.route_from, wanted.route_to
    start, end = (city_called(instance, text) if text else None for text in ends)
    made = with_route(instance, start, end, closed=wanted.route != OPEN)
    read_as = replace(
        ReadAs.parse(instance.read_as),
        route_from=wanted.route_from,
        route_to=wanted.route_to,
        route=wanted.route,
    )
    return replace(made, read_as=str(read_as))


def load_likely(path: Path, data: bytes, read_as: str = "") -> tuple[Instance, Doubt | None]:
    """Load the instance as :func:`load_instance` does, or in one of two ways, with the doubt."""
    try:
        return load_instance(path, data, read_as), None
    except UnsureError as unsure:
        return load_instance(path, data, unsure.doubt.taken[1]), unsure.doubt


def is_read_one_way(path: Path, data: bytes) -> bool:
    """Whether nothing but the ``data`` of the file at ``path`` decides how they are read."""
    return recognise(InputFile(path, in_utf8(path, data))).one_way
