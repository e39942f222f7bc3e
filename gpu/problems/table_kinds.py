"""Tables: what one is of, and its instance. One place decides between their kinds."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from gpu.core.instance import Instance
from gpu.problems.coloring import adjacency, edge_lists
from gpu.problems.input_file import InputFile
from gpu.problems.reading import AS_FOUND, FileKind
from gpu.problems.table import Table, is_number, named_coordinates
from gpu.problems.tsp import places

TABLE_KINDS = (FileKind.PLACES, FileKind.MATRIX, FileKind.EDGES, FileKind.ADJACENCY)
"""What a table can be of."""

_NO_DISTANCE = {"", "-", "x", "inf", "infinity", "nan", "na", "n/a", "none", "null", "∞"}
"""What stands in a matrix where there is no distance."""

_ZERO_ONE = " entries 0 and 1"
_WHOLE_NUMBER = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class SeenTable:
    """What a table is of, and how that shows."""

    kind: FileKind
    saw: str = ""  # what it has, in words, where a user must be told


def kind_of(table: Table) -> SeenTable:
    """Find out what ``table`` is of; InstanceError if a line of it is no row."""
    if saw_matrix := _matrix(table):
        is_graph = _ZERO_ONE in saw_matrix
        return SeenTable(FileKind.ADJACENCY if is_graph else FileKind.MATRIX, saw_matrix)
    if not named_coordinates(table) and (saw_edges := _edges(table)):
        return SeenTable(FileKind.EDGES, saw_edges)
    return SeenTable(FileKind.PLACES)


def load_table(file: InputFile) -> Instance:
    """Load the table ``file`` as what its user says, or else as what it is seen to be of.

    UnsureError if it can be of two kinds; InstanceError says what else is wrong with it.
    """
    table, wanted = Table.of(file), file.read_as
    seen = SeenTable(wanted.kind) if wanted.kind else kind_of(table)
    if seen.kind is FileKind.PLACES or (not wanted.kind and wanted != AS_FOUND):
        return places.load_places(file.path, file.data, wanted, table)
    if seen.kind is FileKind.EDGES and not edge_lists.is_weighted(table):
        return edge_lists.load_edges(file, table)
    if seen.kind is FileKind.ADJACENCY:
        return adjacency.load_table(file, table)
    raise file.error(f"it has {seen.saw or 'no places'}; that is not read: {_NOT_READ[seen.kind]}")


def _matrix(table: Table) -> str:
    """Return what shows that ``table`` is a matrix; an empty text if it is none."""
    sample = table.sample
    if not sample:
        return ""
    header, width = table.header, len(sample[0])
    labels = [row[0] for row in sample]
    numbered = not header and _counts(sample[0][1:]) and sample[0][1:] == _labels(table, width)
    labelled = numbered or (len(header) == width and header[1 : 1 + len(labels)] == labels)
    if not labelled and named_coordinates(table):
        return ""
    index = int(labelled or (0 in table.texts and width - 1 == len(table.numeric)))
    n, zero_one, diagonal = width - index, True, set[str]()
    if n < 3:
        return ""
    rows = 0
    for at, (_, cells) in enumerate(table.data_rows()):
        row = at - numbered
        if row < 0:
            continue
        if row >= n or len(cells) != width:
            return ""
        values = cells[index:]
        if not labelled and not all(_is_distance(cell) for cell in values):
            return ""
        zero_one &= all(cell in ("0", "1") for cell in values)
        diagonal.add(values[row].casefold())
        rows += 1
    if rows != n or not (labelled or _is_nothing(diagonal)):
        return ""
    names = ", with names" if labelled else ""
    return f"a table of {n} × {n}{_ZERO_ONE if zero_one else ' distances'}{names}"


def _labels(table: Table, most: int) -> list[str]:
    """The first cells of the rows from the second on, of so many rows at ``most``."""
    return [cells[0] for _, cells in itertools.islice(table.rows(), 1, most)]


def _counts(cells: list[str]) -> bool:
    """Whether these are numbers that follow each other."""
    if len(cells) < 3 or not all(map(_WHOLE_NUMBER.fullmatch, cells)):
        return False
    return all(int(after) - int(one) == 1 for one, after in itertools.pairwise(cells))


def _is_distance(cell: str) -> bool:
    return is_number(cell) or cell.casefold() in _NO_DISTANCE


def _is_nothing(diagonal: set[str]) -> bool:
    """Whether these can be distances from each city to itself: nothing, or the same for all."""
    return len(diagonal) == 1 or all(one in _NO_DISTANCE or _is_zero(one) for one in diagonal)


def _is_zero(cell: str) -> bool:
    return is_number(cell) and not cell.strip("+-0.,")


def _edges(table: Table) -> str:
    """Return what shows that ``table`` lists edges; an empty text if it does not."""
    if ends := edge_lists.ends_in(table):
        return f"edges from {table.called(ends[0])} to {table.called(ends[1])}"
    numeric, texts = table.numeric, table.texts
    if 2 <= len(numeric) <= 3 and not texts:
        first, second = numeric[:2]
        if _is_counted(table, first) and not _joins(table, first, second, within=True):
            return ""
        if _joins(table, first, second):
            return _alike("numbers", table, first, second)
    if len(texts) == 2 and len(numeric) <= 2 and _joins(table, *texts, whole=False):
        return _alike("names", table, *texts)
    return ""


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
    either = ends[0] | ends[1]
    return not loops and 2 * len(ends[0] & ends[1]) >= len(either) <= count + 1


def _pairs(table: Table, first: int, second: int) -> Iterator[tuple[str, str]]:
    for _, cells in table.data_rows():
        if max(first, second) < len(cells):
            yield cells[first], cells[second]


_NOT_READ = {  # what to do with a file that is recognised, but not read
    FileKind.MATRIX: "write distances as a TSPLIB file with EDGE_WEIGHT_FORMAT: FULL_MATRIX, and a "
    "graph as a DIMACS file",
    FileKind.EDGES: "write a graph as a DIMACS file, and distances as a TSPLIB file; if they are "
    "coordinates, put x and y above them, or say --columns",
}
