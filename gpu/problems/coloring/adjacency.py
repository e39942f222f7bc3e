"""Graphs by what is adjacent: matrices of 0 and 1, and the neighbours of each vertex.

A matrix may be one triangle, with or without its diagonal, and its entries need nothing between
them. Of lists of neighbours there are those with a colon or without, METIS' format, an object of
JSON or a dict of Python, and pyclustering's ``.grpr``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.words import counted
from gpu.problems.coloring.building import NO_WEIGHTS, NamedGraph, made_graph, read_as_of
from gpu.problems.coloring.edge_lists import is_counted
from gpu.problems.coloring.instance import LARGEST_GRAPH, GraphInstance
from gpu.problems.document import each_line, plain_name, shortened
from gpu.problems.input_file import InputFile
from gpu.problems.integers import rows_in
from gpu.problems.reading import FileKind
from gpu.problems.tables.cells import is_number, words_of
from gpu.problems.tables.table import Table

_LARGEST_TEXT_MATRIX = 1 << 15  # rows
_ONE_WAY = "only one triangle of the matrix is filled in part: an edge is what one of both has"
_LOOKED_AT, _LETTERS_LOOKED_AT = 200, 1 << 18  # lines, and letters in them


# Matrices


def is_adjacency(matrix: NDArray[np.integer]) -> bool:
    """Whether a square ``matrix`` can be one of adjacency: 0 and 1, and not 1 alone."""
    return bool(((matrix == 0) | (matrix == 1)).all() and (matrix == 0).any())


def graph_of_matrix(
    file: InputFile,
    matrix: NDArray[Any],
    names: Sequence[str] = (),
    *,
    read_as: str = "",
    marked: bool = False,
) -> GraphInstance:
    """Return the graph whose edges are where ``matrix``, shape (n, n), is not 0.

    Its vertices have ``names``, if any are given. Where edges were ``marked``, it has no numbers
    that could be distances.
    """
    if len(set(names)) < len(names):
        raise file.error("two of its vertices have the same name")
    entries = np.nan_to_num(matrix)
    there = entries != 0
    one_way = bool((there & ~there.T).any())
    below, above = np.tril(there, -1).any(), np.triu(there, 1).any()
    notes = [_ONE_WAY] if one_way and below and above else []
    if not np.isin(entries, (0, 1)).all():
        notes.append(NO_WEIGHTS)
    return made_graph(
        file,
        f"an adjacency matrix{', with names' if names else ''}"
        + (" (--read-as matrix takes it for distances)" if read_as and not marked else ""),
        len(there),
        np.argwhere(there),
        called=list(names) or None,
        notes=notes,
        read_as=read_as,
    )


def _matrix_of(file: InputFile) -> NDArray[np.int64] | None:
    """Return the matrix of 0 and 1, with nothing between them, that ``file`` is.

    Before it may stand how many rows it has.
    A triangle gets the other one's entries.
    """
    data = file.data.strip()
    first = data[: data.find(b"\n") + 1].strip()
    if first.isdigit() and len(first) < 10 and int(first) == data.count(b"\n"):  # of rows
        data = data[data.find(b"\n") + 1 :]
        first = data[: data.find(b"\n") + 1].strip()
    if not first or first.strip(b"01") or data.count(b"\n") >= _LARGEST_TEXT_MATRIX:
        return None
    lines = data.split()
    text = np.frombuffer(b"".join(lines), np.uint8)
    if ((text != ord("0")) & (text != ord("1"))).any():
        return None
    counts, values = np.array(list(map(len, lines))), (text - ord("0")).astype(np.int64)
    return _whole_matrix(counts, values) if is_adjacency(values) else None


def _whole_matrix(counts: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return the square matrix of rows with ``counts`` of ``values``; None if it is none."""
    rows = len(counts)
    if rows > _LARGEST_TEXT_MATRIX:
        return None
    if (counts == rows).all():
        return values.reshape(rows, rows)
    steps = np.arange(rows)
    for size, low in ((steps + 1, True), (rows - steps, False)):
        if not np.array_equal(counts, size):
            continue
        corner = values[np.cumsum(counts) - (1 if low else counts)]
        # A triangle has its diagonal, which is 0, or begins with the second vertex.
        n, shift = (rows, 0) if not corner.any() else (rows + 1, 1)
        matrix = np.zeros((n, n), np.int64)
        where = np.tril_indices(n, -shift) if low else np.triu_indices(n, shift)
        matrix[where] = values
        return matrix | matrix.T
    return None


def is_matrix(file: InputFile) -> bool:
    """Whether ``file`` is a matrix of 0 and 1 with nothing between them."""
    return _matrix_of(file) is not None


def load_matrix(file: InputFile) -> GraphInstance:
    """Load the matrix of 0 and 1 ``file``, with nothing between them."""
    matrix = _matrix_of(file)
    if matrix is None:
        raise file.error("it is no square matrix of 0 and 1")
    return graph_of_matrix(file, matrix, read_as=read_as_of(file, FileKind.ADJACENCY))


_GRPR = re.compile(rb"\s*(?:[cp][^\n]*\n\s*)*[mv](?:[ \t]+[0-9]+)*[ \t\r]*(?:\n|\Z)")


def is_grpr(file: InputFile) -> bool:
    """Whether ``file`` is a graph as pyclustering writes it."""
    return _GRPR.match(file.start) is not None


def load_grpr(file: InputFile) -> GraphInstance:
    """Load pyclustering's ``.grpr``: rows of a matrix, or of neighbours counted from 0."""
    lines = [line for line in re.split(rb"[\r\n]+", file.data) if line.strip()]
    rows = [line for line in lines if line.lstrip()[:1] in b"mv"]
    what = "a graph as pyclustering writes it"
    kinds = {line.lstrip()[:1].decode() for line in rows}
    found = rows_in(b"\n".join(rows), kinds.pop()) if len(kinds) == 1 else None
    others = [line for line in lines if line.lstrip()[:1] not in b"mvcpr"]
    if found is None or others:
        wrong = shortened((others or rows)[0].decode("latin-1").strip())
        raise file.error(f"it is {what}, but not whole: such as {wrong}")
    n = len(rows)
    if rows[0].lstrip()[:1] == b"m":
        matrix = found.table(n)
        if matrix is None or len(matrix) < n:
            raise file.error(f"it is {what}, but its {n} rows have not {n} entries each")
        return graph_of_matrix(file, matrix)
    ends = _lists(file, found.counts, found.values, n)
    return made_graph(file, what, n, ends)


# Lists of neighbours


def _lists(
    file: InputFile, counts: NDArray[np.int64], values: NDArray[np.int64], n: int, first: int = 0
) -> NDArray[np.int64]:
    """Return the edges of ``n`` vertices with so many ``counts`` of neighbours in ``values``."""
    if values.min(initial=first) < first or values.max(initial=first) >= n + first:
        wrong = values[(values < first) | (values >= n + first)][0]
        raise file.error(
            f"it names vertex {wrong}, but has {counted(n, 'vertex')}: {first} to {n + first - 1}"
        )
    return np.column_stack((np.repeat(np.arange(n), counts), values - first))


class _Metis(NamedTuple):
    """What a METIS file has."""

    n: int
    announced: int  # edges
    flags: str  # whether there are sizes and weights of vertices, and weights of edges
    weights: int  # of a vertex, as many numbers
    counts: NDArray[np.int64]  # of numbers in the line of each vertex; there may be other lines
    values: NDArray[np.int64]  # all of these numbers

    @property
    def before(self) -> int:
        """Numbers in each line before the neighbours."""
        return int(self.flags[0]) + self.weights

    @property
    def step(self) -> int:
        """Numbers for each neighbour."""
        return 1 + int(self.flags[2])

    @property
    def as_announced(self) -> bool:
        """Whether it has lines for all its vertices, and for no more, with each edge twice."""
        entries = int(self.counts.sum()) - self.before * self.n
        no_more = not self.counts[self.n :].any()
        return no_more and entries == 2 * self.announced * self.step

    def ends(self) -> NDArray[np.int64] | None:
        """Return both ends of each neighbour that is listed, 0-based; None if weights lack."""
        counts = self.counts
        owner = np.repeat(np.arange(len(counts)), counts)
        values = self.values
        if self.before or self.step > 1:
            if (counts < self.before).any() or ((counts - self.before) % self.step).any():
                return None
            place = np.arange(len(values)) - np.repeat(np.cumsum(counts) - counts, counts)
            kept = (place >= self.before) & ((place - self.before) % self.step == 0)
            owner, values = owner[kept], values[kept]
        return np.column_stack((owner, values - 1))


def _metis(file: InputFile) -> _Metis | None:
    """Take ``file`` apart; None if it does not begin with the numbers of vertices and edges."""
    rows = file.integers
    full = None if rows is None else np.flatnonzero(rows.counts)
    if rows is None or full is None or not len(full) or not 2 <= rows.counts[full[0]] <= 4:
        return None
    width = int(rows.counts[full[0]])
    numbers = rows.values[:width].tolist()
    flags = f"{numbers[2]:03}" if width > 2 else "000"
    if not re.fullmatch("[01]{3}", flags) or not 0 < numbers[0] <= LARGEST_GRAPH:
        return None
    weights = (numbers[3] if width > 3 else 1) * int(flags[1])
    counts, values = rows.counts[full[0] + 1 :], rows.values[width:]
    return _Metis(numbers[0], numbers[1], flags, weights, counts, values)


def is_metis(file: InputFile) -> bool:
    """Whether ``file`` is a graph in METIS' format, or is called so.

    If it is not called so, its numbers must be right, and each edge be there from both ends.
    """
    found = _metis(file)
    if found is None:
        return False
    if plain_name(file.path).lower().endswith((".graph", ".metis")):
        return not is_counted(file) or found.as_announced
    if not (found.as_announced and found.announced):
        return False
    ends, n = found.ends(), found.n
    if ends is None or ends.min() < 0 or ends.max() >= n:
        return False
    return np.array_equal(np.sort(ends @ [n, 1]), np.sort(ends @ [1, n]))


def load_metis(file: InputFile) -> GraphInstance:
    """Load a graph in METIS' format: a line with its sizes, and the neighbours of each vertex."""
    found = _metis(file)
    if found is None:
        raise file.error("it does not begin as a METIS file does: with its vertices and edges")
    n, flags, lines = found.n, found.flags, len(found.counts)
    # Blank lines at the end, of vertices without neighbours, may be missing.
    if found.counts[n:].any() or (lines < n and not found.as_announced):
        raise file.error(f"it announces {n:,} vertices, and has {lines:,} lines for them")
    ends = found.ends()
    if ends is None:
        raise file.error(f"a line of it lacks a weight, which its flags {flags} announce")
    if ends.min(initial=0) < 0 or ends.max(initial=0) >= n:
        wrong = ends[:, 1][(ends[:, 1] < 0) | (ends[:, 1] >= n)][0] + 1
        raise file.error(f"it names vertex {wrong}, but its vertices are 1 to {n:,}")
    notes = ["the weights of its vertices are not kept"] if "1" in flags[:2] else []
    notes += [NO_WEIGHTS] if flags[2] == "1" else []
    if lines < n:
        notes.append(f"it has {lines:,} lines for {n:,} vertices: the last have no neighbours")
    if len(ends) != 2 * found.announced:
        notes.append(
            f"it announces {found.announced:,} edges and lists {len(ends):,} neighbours, not twice "
            "as many; is the file whole?"
        )
    read_as = read_as_of(file, FileKind.ADJACENCY)
    return made_graph(file, "a METIS graph", n, ends, notes=notes, read_as=read_as)


_NEIGHBOURS = {
    *("conflict", "conflicts", "neighbour", "neighbours", "neighbor", "neighbors", "adjacent"),
    *("adjacency", "incompatible", "clash", "clashes", "overlaps", "konflikte", "konflikt"),
    *("nachbarn", "nachbar", "conflits", "conflictos", "voisins", "vecinos", "connections"),
}
"""What a column with neighbours is called."""

_IN_CELLS = (" ", ";", "|", ",", "/", "\n", "+", None)  # what may stand between names in a cell
_BOTH = 2  # columns: of vertices, and of their neighbours
_COLON = re.compile(r"\s*(?:->|→|:)\s*")


class _NeighbourLines(NamedTuple):
    """Lines that each have a vertex and its neighbours."""

    rows: list[tuple[str, list[str]]]
    marked: bool  # whether a colon or an arrow stands between both


def _neighbour_lines(file: InputFile) -> _NeighbourLines | None:
    """Take the text ``file`` apart; None if its lines do not begin as such lines do.

    Those without a colon have different numbers of words, or it is a table.
    """
    text = file.text
    if text is None or b"_SECTION" in file.start:
        return None
    lines = map(str.strip, each_line(text))
    kept = (line for line in lines if line and line[0] not in "#%")
    sample, letters = list[str](), 0
    while len(sample) < _LOOKED_AT and letters < _LETTERS_LOOKED_AT and (line := next(kept, "")):
        sample.append(line)
        letters += len(line)
    if len(sample) < 2:
        return None
    marked = all(_COLON.search(line) for line in sample)
    behind = [_COLON.split(line, maxsplit=1)[-1] if marked else line for line in sample]
    separator = next((one for one in ";,\t" if any(one in line for line in behind)), None)

    def told(line: str) -> tuple[str, list[str]]:
        head, rest = "", line
        if marked:
            head, *others = _COLON.split(line, maxsplit=1)
            rest = others[0] if others else ""
        rest = rest.strip().strip("[]{}()")
        words = rest.split(separator) if separator else rest.split()
        words = [word.strip().strip("\"'") for word in words if word.strip()]
        if not marked and words:
            head, *words = words
        return head.strip("\"'"), words

    rows = list(map(told, sample))
    widths = [len(words) for _, words in rows]
    if not marked and (len(set(widths)) == 1 or _is_triangle(widths)):
        return None
    if len({head for head, _ in rows}) < len(rows):
        return None
    return _NeighbourLines([*rows, *map(told, kept)], marked)


def _is_triangle(widths: Sequence[int]) -> bool:
    """Whether rows of so many cells get longer, or shorter, one by one: as those of a matrix."""
    return {after - one for one, after in itertools.pairwise(widths)} in ({1}, {-1})


def is_lists(file: InputFile) -> bool:
    """Whether each line of the text ``file`` has a vertex and its neighbours.

    Each neighbour begins a line of its own, and no vertex begins two. With a colon behind the
    vertices, half of the neighbours suffice.
    """
    found = _neighbour_lines(file)
    if found is None:
        return False
    heads = {head for head, _ in found.rows}
    if len(heads) < len(found.rows) or "" in heads:
        return False
    others = [word for _, words in found.rows for word in words]
    known = sum(map(heads.__contains__, others))
    return known > 0 and (2 * known >= len(others) if found.marked else known == len(others))


def load_lists(file: InputFile) -> GraphInstance:
    """Load lists of neighbours: a line for each vertex, which its neighbours follow."""
    found = _neighbour_lines(file)
    if found is None:
        raise file.error("it has no lines of a vertex and its neighbours, such as 'a: b, c'")
    return _listed(file, dict(found.rows)).graph(read_as=read_as_of(file, FileKind.ADJACENCY))


def _listed(file: InputFile, lists: Mapping[str, Iterable[str]]) -> NamedGraph:
    """Return the graph in which vertices have these lists of neighbours."""
    found = NamedGraph(file, "adjacency lists")
    for head in lists:
        found.vertex(head)
    for head, others in lists.items():
        for other in others:
            found.edge(head, other)
    return found


def neighbours_of(value: Any) -> dict[str, list[str]] | None:
    """Return the neighbours of each vertex that the ``value`` of a file has; None if it has none.

    It is an object whose keys are vertices, and whose values are their neighbours: a list, or an
    object of them. Or it is a list of such lists of numbers, which are then there from both ends.
    """
    if isinstance(value, list | tuple):
        value = _numbered_lists(value)
    if not isinstance(value, Mapping) or len(value) < 2:
        return None
    found = {}
    for key, others in value.items():
        if not isinstance(others, list | tuple | set | frozenset | dict):
            return None
        if any(isinstance(one, list | tuple | set | dict) or one is None for one in others):
            return None
        found[str(key)] = list(
            map(str, sorted(others, key=str) if isinstance(others, set) else others)
        )
    known = [other in found for others in found.values() for other in others]
    return found if known and 2 * sum(known) >= len(known) else None


def _numbered_lists(value: Sequence[Any]) -> dict[int, list[int]] | None:
    """Return the lists in ``value`` by the numbers of vertices, from 0 or 1; None if they differ.

    All edges are there from both ends, and none twice: as neither a matrix nor places have them.
    """
    if len(value) < 3 or not all(isinstance(one, list | tuple) for one in value):
        return None
    if not all(type(other) is int for one in value for other in one):
        return None
    if len({*map(len, value)}) == 1 and len(value[0]) in (0, len(value)):  # a matrix
        return None
    for first in (0, 1):
        pairs = [(vertex, other) for vertex, one in enumerate(value, first) for other in one]
        known = {*pairs}
        if len(known) == len(pairs) and all((b, a) in known and a != b for a, b in pairs):
            return {vertex: [*one] for vertex, one in enumerate(value, first)}
    return None


def is_value(file: InputFile) -> bool:
    """Whether ``file`` has the neighbours of each vertex in JSON or in Python."""
    value: Any = file.value
    if (found := neighbours_of(value)) is None:
        return False
    complete = all(len(others) >= len(found) - 1 for others in found.values())
    weighted = isinstance(value, Mapping) and all(
        isinstance(others, dict) and others for others in value.values()
    )
    return not (complete and weighted)  # these are distances


def load_value(file: InputFile) -> GraphInstance:
    """Load the neighbours of each vertex that ``file`` has in JSON or in Python."""
    value: Any = file.value
    lists = neighbours_of(value)
    if lists is None:
        raise file.error("it is no object with the neighbours of each vertex")
    found = _listed(file, lists)
    found.weighted = isinstance(value, Mapping) and any(
        isinstance(one, dict) and any(isinstance(v, int | float) for v in one.values())
        for one in value.values()
    )
    return found.graph(read_as=read_as_of(file, FileKind.ADJACENCY))


# Tables with neighbours in cells


def lists_in(table: Table) -> dict[str, list[str]] | None:
    """Return the neighbours of each vertex in the rows of ``table``; None if it has no such.

    The first cell is a vertex, and the others its neighbours, several in one cell or each in one
    of its own. All of them are first cells of other rows, unless the header calls them neighbours.
    """
    called = any(words_of(cell) & _NEIGHBOURS for cell in table.header[1:])
    sample = [cells for _, cells in itertools.islice(table.rows(), _LOOKED_AT)]
    signs = [one for one in _IN_CELLS if called or _many(sample, one)]
    if not signs:  # a million edges, as a rule
        return None
    every = [cells for _, cells in table.rows()]
    below = every[bool(table.header) :]
    for sign, rows in itertools.product(signs, (below,) if called else (every, below)):
        lists = {cells[0]: _names_in(cells[1:], sign) for cells in rows}
        if "" in lists or len(lists) < max(2, len(rows)):
            continue
        others = [name for names in lists.values() for name in names]
        known = sum(map(lists.__contains__, others))
        if known and known == len(others):
            return lists
        # They may be none of the first column's, but not words of what is no name.
        if called and sign != " " and (_several(rows) if sign is None else _has(rows, sign)):
            return lists
    return None


def _several(rows: Sequence[Sequence[str]]) -> bool:
    """Whether a row has several names in cells of their own."""
    return any(sum(map(bool, row[1:])) > 1 for row in rows)


def _has(rows: Sequence[Sequence[str]], sign: str) -> bool:
    return any(sign in cell for row in rows for cell in row[1:])


def _many(rows: Sequence[Sequence[str]], sign: str | None) -> bool:
    """Whether some rows have several names, and the form is no other one's."""
    if sign is None:  # names in cells of their own: numbers would rather be a matrix, or places
        return _several(rows) and not any(is_number(cell) for row in rows for cell in row)
    return all(len(row) <= _BOTH for row in rows) and _has(rows, sign)


def _names_in(cells: Sequence[str], sign: str | None) -> list[str]:
    parts = cells if sign is None else [part for cell in cells for part in cell.split(sign)]
    return [name for part in parts if (name := part.strip("[]{}()\"' \t\n"))]


def load_cells(file: InputFile, lists: Mapping[str, Iterable[str]]) -> GraphInstance:
    """Load such a table, of which the lists are known."""
    return _listed(file, lists).graph(read_as=read_as_of(file, FileKind.ADJACENCY))
