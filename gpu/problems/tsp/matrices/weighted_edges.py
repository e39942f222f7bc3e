"""Distances listed one by one: a row with two places and how far it is from one to the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpu.core.machine.processors import SPARE, free_memory
from gpu.core.words import counted
from gpu.problems.document import name_of, shortened
from gpu.problems.input_file import InputFile
from gpu.problems.tables.cells import is_whole_number
from gpu.problems.tables.quantities import Quantities, factor, smallest, unit_in
from gpu.problems.tables.table import Table
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.matrices.given_distances import GivenDistances, instance_of

_AN_ENTRY = 24  # bytes of a distance while the matrix is made
_MOSTLY_BOTH = (
    0.5  # share of pairs with both ways from which on ways that are missing are forbidden
)


@dataclass(frozen=True, slots=True)
class EdgeColumns:
    """Where in a row is what, from 0."""

    source: int
    target: int
    weight: int | None = None
    is_distance: bool = False  # whether the header says that the weight is a distance

    def said(self, table: Table) -> str:
        """Say what each column was taken for."""
        parts = [f"from {table.called(self.source)}", f"to {table.called(self.target)}"]
        parts += [] if self.weight is None else [f"distance {table.called(self.weight)}"]
        return ", ".join(parts)


@dataclass(frozen=True, slots=True, eq=False)
class WeightedEdges:
    """The rows of such a list."""

    labels: tuple[str, ...]  # of the places: numbers ascend, others are in the order of the rows
    ends: NDArray[np.int64]  # (m, 2): the places of each row
    weights: NDArray[np.float64]  # (m,): NaN where a row has none
    unit: str
    note: str

    @property
    def pairs(self) -> int:
        """How many pairs of places have a distance, whichever way."""
        low, high = np.sort(self.ends, axis=1).T
        return len(np.unique((low * len(self.labels) + high)[low != high]))

    @property
    def share(self) -> float:
        """Which share of all pairs have a distance."""
        n = len(self.labels)
        return self.pairs / max(1, n * (n - 1) // 2)


def weighted_edges(table: Table, columns: EdgeColumns) -> WeightedEdges:
    """Read the rows of ``table``; InstanceError where one has no two places, or no number."""
    assert columns.weight is not None
    cells_of = Quantities(table.read_as.decimal, table.separator, table.read_as.unit)
    known: dict[str, int] = {}
    ends, weights, units = list[tuple[int, int]](), list[float](), list[str]()
    for line, cells in table.data_rows():
        cell = cells[columns.weight] if columns.weight < len(cells) else ""
        names = [cells[at] if at < len(cells) else "" for at in (columns.source, columns.target)]
        if not all(names):
            raise table.error(f"line {line} names no two places: an edge has one at each end")
        found = cells_of.number(cell)
        if found is None:
            raise table.error(f"line {line}: {shortened(cell)} is no distance")
        ends.append(
            (known.setdefault(names[0], len(known)), known.setdefault(names[1], len(known)))
        )
        weights.append(found[0])
        units.append(found[1])
    unit = smallest(cells_of.units) or ""
    if cells_of.units and (not unit or (cells_of.without and len(cells_of.units) > 1)):
        raise table.error("its distances have different units; write all in one")
    values = np.array(weights)
    for at, one in enumerate(units):
        if one and one != unit:
            values[at] *= float(factor(one, unit))
    if not unit and columns.weight < len(table.header):
        unit = unit_in(table.header[columns.weight])
    labels, numbers = list(known), np.array(ends, np.int64).reshape(-1, 2)
    if all(map(is_whole_number, labels)):
        order = sorted(range(len(labels)), key=lambda at: int(labels[at]))
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        labels, numbers = [labels[at] for at in order], place[numbers]
    return WeightedEdges(tuple(labels), numbers, values, unit, cells_of.note())


def load_weighted_edges(file: InputFile, table: Table, columns: EdgeColumns) -> TspInstance:
    """Load the distances that ``table`` lists; edges that it has not are forbidden."""
    found = weighted_edges(table, columns)
    n = len(found.labels)
    needed, free = n * n * _AN_ENTRY, free_memory()
    if needed > free - SPARE:
        raise table.error(
            f"the distances of {n:,} places need {needed / 2**30:,.1f} GiB of memory, but only "
            f"{max(free - SPARE, 0) / 2**30:,.1f} GiB are free"
        )
    values, notes = np.full((n, n), np.nan), [found.note] if found.note else []
    source, target = found.ends.T
    longest_first = np.argsort(-np.nan_to_num(found.weights, nan=np.inf), kind="stable")
    values[source[longest_first], target[longest_first]] = found.weights[longest_first]
    there = ~np.isnan(values)
    np.fill_diagonal(there, False)
    loops = int((source == target).sum())
    if repeated := len(source) - loops - int(there.sum()) - int(np.isnan(found.weights).sum()):
        notes.append(f"{counted(repeated, 'way')} listed again: the shortest one counts")
    both = there & there.T
    if not both.any() or both.sum() < _MOSTLY_BOTH * (there | there.T).sum():
        one_way = there & ~there.T
        values.T[one_way] = values[one_way]
        notes.append("a way that is listed in one direction alone counts in both")
    np.fill_diagonal(values, np.nan)
    return instance_of(
        file,
        GivenDistances(
            values,
            tuple(map(name_of, found.labels)),
            found.unit,
            [columns.said(table)],
            notes,
            f"{counted(len(source), 'row', f'{len(source):,}')} of {{}} between {n:,} places",
        ),
    )
