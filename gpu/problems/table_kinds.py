"""Tables: what one is of, and its instance. One place decides between their kinds."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gpu.core.instance import Instance
from gpu.problems.coloring import edge_lists, matrix_market
from gpu.problems.coloring.adjacency import graph_of_matrix, lists_in, load_cells
from gpu.problems.coloring.building import read_as_of
from gpu.problems.coloring.class_tables import CLASS_TITLE, VERTEX_TITLE
from gpu.problems.document import in_memory
from gpu.problems.input_file import InputFile
from gpu.problems.reading import BEGIN_WITH_IT, Doubt, FileKind, UnsureError
from gpu.problems.tables.cells import is_number, words_of
from gpu.problems.tables.columns import named_coordinates, wanted_columns
from gpu.problems.tables.edge_columns import ends_in
from gpu.problems.tables.headed import headed
from gpu.problems.tables.quantities import Quantities
from gpu.problems.tables.squares import NoSquareError, Square, looks_like_distances, square_of
from gpu.problems.tables.table import Table
from gpu.problems.tables.table_files import table_of
from gpu.problems.tsp.matrices.given_distances import load_matrix
from gpu.problems.tsp.matrices.weighted_edges import (
    EdgeColumns,
    load_weighted_edges,
    weighted_edges,
)
from gpu.problems.tsp.places import place_tables
from gpu.problems.tsp.places.angle_pieces import gathered

TABLE_KINDS = (FileKind.PLACES, FileKind.MATRIX, FileKind.EDGES, FileKind.ADJACENCY)
"""What a table can be of."""

_LOOPS = 4  # edges for each one that may join a name to itself
_CLOCK = re.compile(r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?")
_WHOLE_NUMBER = re.compile(r"[0-9]{1,18}")

_LENGTH_WORDS = {
    *("distance", "distances", "dist", "length", "km", "miles", "metres", "meters", "m"),
    *(
        "duration",
        "durations",
        "time",
        "traveltime",
        "minutes",
        "min",
        "seconds",
        "hours",
        "s",
        "h",
    ),
    *("cost", "costs", "entfernung", "distanz", "dauer", "fahrzeit", "kosten", "strecke"),
    *("distancia", "durée", "duree"),
}
_OTHER_WORDS = {
    *("name", "names", "address", "addresses", "adresse", "street", "strasse", "straße", "city"),
    *("cities", "town", "stadt", "ort", "place", "country", "land", "state", "region", "zip"),
    *("plz", "postcode", "lat", "lon", "latitude", "longitude", "x", "y", "phone", "email"),
}
"""What columns of names are called that are no ends of edges."""

_ID_WORDS = {"id", "nr", "no", "number", "index", "key", "edge"}
_ROUTE_HEADINGS, _LEG = {"order", "number"}, re.compile(r"leg\b")  # of a table of a route
_MOST_WEIGHTS = 1 << 22  # rows of weights that are looked at
_COMPLETE = 0.5  # share of all pairs from which on weights are taken for distances


@dataclass(frozen=True, slots=True)
class SeenTable:
    """What a table is of, and how that shows."""

    kind: FileKind
    saw: str = ""  # what it has, in words, where a user must be told
    square: Square | None = None  # its numbers, if it is square
    columns: EdgeColumns | None = None  # of its edges
    lists: Mapping[str, Sequence[str]] | None = None  # the neighbours of each vertex


def kind_of(table: Table) -> SeenTable:
    """Find out what ``table`` is of; InstanceError if a line of it is no row.

    UnsureError if it can be of two kinds.
    """
    try:
        square = square_of(table)
    except NoSquareError:
        square = None
    if square is not None and looks_like_distances(table, square):
        n = len(square.values)
        named = ", with names" if square.names else ""
        if not square.zero_one:
            return SeenTable(FileKind.MATRIX, f"a table of {n} × {n} distances{named}", square)
        saw = f"a table of {n} × {n} 0 and 1{named}"
        if not square.is_graph:
            raise _unsure(table, saw)
        return SeenTable(FileKind.ADJACENCY, saw, square)
    if not named_coordinates(table):
        if lists := lists_in(table):
            return SeenTable(FileKind.ADJACENCY, "a table of vertices and neighbours", lists=lists)
        if found := _edges(table):
            return found
    return SeenTable(FileKind.PLACES)


def _unsure(
    table: Table | InputFile, saw: str, graph: FileKind = FileKind.ADJACENCY
) -> UnsureError:
    """Return the refusal of what can be distances or a ``graph``."""
    name = table.path.name
    choices = [replace(table.read_as, kind=kind) for kind in (FileKind.MATRIX, graph)]
    return UnsureError(
        f"{table.path}: it is {saw}: say --read-as matrix if they are distances, or --read-as "
        f"{graph} if they are the edges of a graph to color (in Python read_as)",
        Doubt(
            f"Are the numbers in {name} distances, or edges of a graph?",
            ("Distances", str(choices[0])),
            ("Edges of a graph", str(choices[1])),
        ),
    )


def load_table(file: InputFile) -> Instance:
    """Load the table ``file`` as what its user says, or else as what it is seen to be of.

    UnsureError if it can be of two kinds; InstanceError says what else is wrong with it.
    """
    table, said = gathered(headed(table_of(file))), file.read_as
    if said.kind is FileKind.PLACES or (said.kind is None and (said.coordinates or said.columns)):
        return place_tables.load_places(file.path, file.data, said, table)
    with in_memory(file.path):
        if said.kind is None:
            _refuse_solution(table)
        seen = seen_as(table)
        if seen.kind is FileKind.PLACES:
            return place_tables.load_places(file.path, file.data, said, table)
        if seen.kind is FileKind.MATRIX:
            if seen.square is not None:
                return load_matrix(file, seen.square)
            assert seen.columns is not None
            return load_weighted_edges(file, table, seen.columns)
        if seen.square is not None:
            read_as = read_as_of(file, FileKind.ADJACENCY)
            square = seen.square
            values, names = square.values, square.names
            return graph_of_matrix(file, values, names, read_as=read_as, marked=square.marked)
        if seen.lists is not None:
            return load_cells(file, seen.lists)
        if seen.columns is None:
            raise file.error("it has no two columns with the ends of edges")
        return edge_lists.load_edges(file, table, (seen.columns.source, seen.columns.target))


def load_matrix_market(file: InputFile) -> Instance:
    """Load the Matrix Market file ``file``: as a graph, or as distances if its user says so.

    UnsureError if there is a number between each two rows: it can be of both kinds.
    """
    with in_memory(file.path):
        kind = file.read_as.kind
        if kind is FileKind.MATRIX:
            return load_matrix(file, Square(matrix_market.distances_in(file)))
        if kind is None and matrix_market.is_complete(file):
            saw = "a Matrix Market file with a number between each two rows"
            raise _unsure(file, saw, FileKind.GRAPH)
        graph = matrix_market.load_matrix_market(file)
        return replace(graph, read_as=read_as_of(file, FileKind.GRAPH)) if kind else graph


def _refuse_solution(table: Table) -> None:
    """Raise InstanceError if ``table`` is a solution without coordinates, as they are exported."""
    heads = {cell.casefold() for cell in table.header}
    what = ""
    if heads >= _ROUTE_HEADINGS and named_coordinates(table) is None:
        what = "a route"
    elif {VERTEX_TITLE, CLASS_TITLE} <= heads:
        what = "a coloring"
    if what:
        raise table.error(f"it is {what}, not an instance; {BEGIN_WITH_IT}")


def seen_as(table: Table) -> SeenTable:
    """Return what ``table`` is of, as its user says, or as it looks; see :func:`kind_of`."""
    kind = table.read_as.kind
    return _as_said(table, kind) if kind else kind_of(table)


def _as_said(table: Table, kind: FileKind) -> SeenTable:
    """Return what there is of the ``kind`` that the user says in ``table``."""
    if table.read_as.columns and kind in (FileKind.EDGES, FileKind.MATRIX):
        return _edges_in(table, kind)
    try:
        square = square_of(table)
    except NoSquareError:
        if kind is FileKind.ADJACENCY and (lists := lists_in(table)):
            return SeenTable(kind, lists=lists)
        found = _edges(table, sure=True)
        if kind is FileKind.MATRIX and (found is None or found.kind is not kind):
            raise
        if found is None or (kind is FileKind.EDGES and found.kind is FileKind.MATRIX):
            return found or SeenTable(kind)
        return replace(found, kind=kind)
    return SeenTable(kind, square=square)


def _edges_in(table: Table, kind: FileKind) -> SeenTable:
    """Return the edges in the columns of ``table`` that its user says: both ends, and a distance.

    Where they are said to be distances and no column of these is named, it is found.
    """
    said = wanted_columns(table, table.read_as.columns, "with distances")
    first, second = said[:2]
    weight = said[2] if len(said) > 2 else None
    if kind is FileKind.MATRIX and weight is None:
        weight, _ = _weight_column(table, (first, second))
        if weight is None:
            raise table.error(
                f"it has no column of distances beside {table.called(first)} and "
                f"{table.called(second)}: --columns takes it as a third one"
            )
    saw = f"edges from {table.called(first)} to {table.called(second)}"
    columns = EdgeColumns(first, second, weight)
    return SeenTable(FileKind.EDGES if weight is None else FileKind.MATRIX, saw, columns=columns)


def _edges(table: Table, *, sure: bool = False) -> SeenTable | None:
    """Return what shows that ``table`` lists edges; None if it does not.

    Edges with distances are a matrix that is listed. ``sure`` says that they are edges.
    UnsureError if their numbers can be distances, or only weights in a graph to color.
    """
    ends, saw = _ends(table)
    if ends is None and sure and max(map(len, table.sample), default=0) > 1:
        ends = 0, 1
    if ends is None:
        return None
    weight, named = _weight_column(table, ends)
    columns = EdgeColumns(*ends, weight)
    if weight is None or (not named and len({*_cells(table, weight)}) == 1):
        return SeenTable(FileKind.EDGES, saw, columns=EdgeColumns(*ends))
    if not named and not sure and weighted_edges(table, columns).share < _COMPLETE:
        raise _unsure(table, f"{saw}, with numbers")
    return SeenTable(FileKind.MATRIX, f"{saw}, with distances", columns=columns)


def _ends(table: Table) -> tuple[tuple[int, int] | None, str]:
    """Return the columns with both ends of edges, if there are such, and how that shows."""
    if both := ends_in(table):
        if not table.read_as.kind and _are_times(table, *both):
            one, other = map(table.called, both)
            raise table.error(
                f"{one} and {other} seem to be times, not ends of edges: write a row for each "
                "two rows that meet, or say --read-as edges if they are vertices"
            )
        return both, f"edges from {table.called(both[0])} to {table.called(both[1])}"
    numeric, texts = table.numeric, table.texts
    if 2 <= len(numeric) <= 3 and not texts:
        first, second = numeric[:2]
        if _is_counted(table, first) and not _joins(table, first, second, within=True):
            return None, ""
        if _joins(table, first, second):
            return (first, second), _alike("numbers", table, first, second)
    if len(texts) == 2 and not numeric and _recur(table, *texts):
        return (texts[0], texts[1]), _alike("names", table, *texts)
    if len(texts) == 2 and len(numeric) <= 2 and _joins(table, *texts, whole=False):
        return (texts[0], texts[1]), _alike("names", table, *texts)
    return None, ""


def _are_times(table: Table, first: int, second: int) -> bool:
    """Whether these columns say from when to when what another one names lasts."""
    rows = [cells for cells in table.sample if max(first, second) < len(cells)]
    times = [cells[at] for cells in rows for at in (first, second)]
    if times and all(map(_CLOCK.fullmatch, times)):
        return True
    words = words_of(table.header[first]) | words_of(table.header[second])
    names = [
        at
        for at in table.texts
        if len({"".join(cells[at : at + 1]) for cells in rows}) == len(rows) > 1
    ]
    numbers = all(map(is_number, times)) and {first, second} <= {*table.numeric}
    later = numbers and all(_value(cells[first]) < _value(cells[second]) for cells in rows)
    return bool(words & {"start", "begin"} and words & {"end"} and names and later)


def _value(cell: str) -> float:
    if sum(map(cell.count, ",.")) > 1:  # between thousands
        return float(cell.replace(",", "").replace(".", ""))
    return float(cell.replace(",", "."))


def _weight_column(table: Table, ends: tuple[int, int]) -> tuple[int | None, bool]:
    """Return the column with weights of edges, and whether its header says they are distances.

    UnsureError if several columns have some.
    """
    others = [at for at in range(max(map(len, table.sample), default=0)) if at not in ends]
    named = [
        at
        for at in others
        if at < len(table.header)
        and words_of(table.header[at]) & _LENGTH_WORDS
        and _has_quantities(table, at)
    ]
    if len(named) > 1:
        raise _of_two_lengths(table, ends, named)
    if named:
        return named[0], True
    numeric = [at for at in others if at in table.numeric and not _is_id(table, at)]
    return (numeric[0], False) if len(numeric) == 1 else (None, False)


def _has_quantities(table: Table, at: int) -> bool:
    """Whether the column ``at`` has numbers, perhaps with units, or times."""
    cells = [row[at] for row in table.sample if at < len(row)]
    return sum(Quantities().number(cell) is not None for cell in cells) * 2 > len(cells)


def _of_two_lengths(table: Table, ends: tuple[int, int], named: Sequence[int]) -> UnsureError:
    """Return the refusal of edges with several lengths, such as distances and times."""
    both = [table.header[at][:40] for at in named[:2]]
    columns = [",".join(str(one + 1) for one in (*ends, at)) for at in named[:2]]
    said = [
        str(replace(table.read_as, kind=FileKind.MATRIX, columns=columns_)) for columns_ in columns
    ]
    return UnsureError(
        f"{table.path}: its ways have {both[0]} and {both[1]}: say --read-as matrix --columns "
        f"{columns[0]}, or --columns {columns[1]} (in Python read_as)",
        Doubt(
            f"What of the ways in {table.path.name} counts?",
            (f"The column {both[0]}", said[0]),
            (f"The column {both[1]}", said[1]),
        ),
    )


def _is_id(table: Table, at: int) -> bool:
    """Whether the header says that the column ``at`` numbers the rows."""
    return at < len(table.header) and bool(words_of(table.header[at]) & _ID_WORDS)


def _cells(table: Table, at: int) -> Iterator[str]:
    for _, cells in itertools.islice(table.data_rows(), _MOST_WEIGHTS):
        yield cells[at] if at < len(cells) else ""


def _alike(what: str, table: Table, first: int, second: int) -> str:
    both = f"{table.called(first)} and {table.called(second)}"
    return f"the same few {what} again and again in {both}, as a list of edges has"


def _is_counted(table: Table, at: int) -> bool:
    """Whether the column ``at`` numbers the first rows in their order."""
    values = [row[at] for row in table.sample if at < len(row)]
    if len(table.numeric) < 3 or not all(map(_WHOLE_NUMBER.fullmatch, values)):
        return False
    return all(int(one) < int(after) for one, after in itertools.pairwise(values))


def _joins(
    table: Table, first: int, second: int, *, whole: bool = True, within: bool = False
) -> bool:
    """Whether two columns look like the ends of edges, not like coordinates.

    There are as few different values as vertices of a graph with such a number of edges, and hardly
    one is joined to itself. ``within`` is that of :func:`gpu.problems.coloring.edge_lists.joins`.
    """
    if whole:
        pairs = edge_lists.whole_pairs(table, first, second)
        return pairs is not None and edge_lists.joins(pairs, within=within)
    count = loops = 0
    ends: tuple[set[str], set[str]] = set(), set()
    for a, b in _pairs(table, first, second):
        count += 1
        loops += a == b
        ends[0].add(a)
        ends[1].add(b)
    either, both = ends[0] | ends[1], ends[0] & ends[1]
    return _LOOPS * loops <= count and bool(both) and len(either) <= count + 1


def _recur(table: Table, first: int, second: int) -> bool:
    """Whether two columns of names, with no number beside, are pairs of what occurs repeatedly.

    A header that says what else they are tells otherwise.
    """
    if max(map(len, table.sample), default=0) > 2 or any(
        words_of(one) & _OTHER_WORDS for one in table.header
    ):
        return False
    pairs = list(_pairs(table, first, second))
    if not table.read_as.header and len(table.header) > second:  # it may be an edge
        pairs.append((table.header[first], table.header[second]))
    ends = [end for pair in pairs for end in pair]
    loops = sum(one == other for one, other in pairs)
    return _LOOPS * loops <= len(pairs) and len(set(ends)) < len(ends) - 2 * loops


def _pairs(table: Table, first: int, second: int) -> Iterator[tuple[str, str]]:
    for _, cells in table.data_rows():
        if max(first, second) < len(cells):
            yield cells[first], cells[second]
