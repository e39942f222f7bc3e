"""Distances from each city to each other one, of whatever file or array: as an instance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.errors import InstanceError
from gpu.core.words import counted
from gpu.problems.document import name_of
from gpu.problems.input_file import InputFile
from gpu.problems.reading import FileKind, ReadAs
from gpu.problems.tables.cells import is_whole_number
from gpu.problems.tables.quantities import unit_of
from gpu.problems.tables.squares import FULL, Square
from gpu.problems.tsp.distances import LARGEST_DISTANCE, Metric
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.layout import laid_out
from gpu.problems.tsp.routes.closed_tours import restricted

Reals = NDArray[np.float64]

_LARGEST_SUM = 1 << 30  # of a tour with forbidden edges, each of which costs more than all others
_ROWS_AT_ONCE = 256  # of a matrix, so that no second one is made of it
_FINEST = 9  # decimals that are kept at most
_ALIKE = 1e-9  # share by which both ways may differ if they are meant to be one
_SIGNS = (-1.0, -999.0, -9999.0, 2.0**31 - 1, 2.0**63)  # that mean nothing where they stand out
_UNITS = {  # what a matrix is of, in a sentence
    **{"s": "seconds", "min": "minutes", "h": "hours", "d": "days"},
    **{"m": "metres", "km": "kilometres", "cm": "centimetres", "mm": "millimetres"},
    **{"mi": "miles", "ft": "feet"},
}


@dataclass(frozen=True, slots=True, eq=False)
class GivenDistances:
    """Distances as they were found."""

    values: Reals  # (n, n), from row to column; NaN where there is none
    names: tuple[str, ...] = ()
    unit: str = ""
    seen: Sequence[str] = ()  # what was seen of them, beside their number
    notes: Sequence[str] = ()
    what: str = ""  # they are, in words, with {} for their unit; empty if they are a matrix


def load_matrix(file: InputFile, square: Square) -> TspInstance:
    """Load the distances in the ``square`` of ``file``; InstanceError if they are none."""
    seen = [f"the {square.form} triangle is given"] if square.form != FULL else []
    seen += [square.named_by] if square.names else []
    return instance_of(
        file,
        GivenDistances(
            square.values, square.names, square.unit, seen, [square.note] if square.note else []
        ),
    )


def instance_of(file: InputFile, found: GivenDistances) -> TspInstance:
    """Return the instance of the distances that were ``found`` in ``file``."""
    said = file.read_as
    unit = unit_of(said.unit) if said.unit else found.unit
    kept = ReadAs(
        FileKind.MATRIX, "", *(getattr(said, name) for name in ("columns", "unit", "encoding")),
        *(getattr(said, name) for name in ("separator", "decimal", "header", "sheet")),
    )  # fmt: skip
    return from_distances(
        found.values,
        names=found.names,
        unit=unit,
        name=file.stem,
        path=file.path,
        sha256=file.sha256,
        read_as=str(kept),
        seen=found.seen,
        notes=found.notes,
        what=found.what,
    )


class Counts(NamedTuple):
    """Distances as whole numbers of a decimal of their unit."""

    matrix: NDArray[np.int32]  # (n, n), read-only; 0 where there is no way, and on the diagonal
    none: NDArray[np.bool_] | None  # (n, n): where there is no way; None if there are all
    directed: bool  # whether it may be farther there than back
    decimals: int
    notes: list[str]  # what was taken for what


def counts_of(values: Reals, names: Sequence[str] = (), unit: str = "", where: str = "") -> Counts:
    """Count distances, shape (n, n), from row to column, as :func:`from_distances` says.

    It takes ``values`` over: large ones are there only once.
    """
    n, notes = len(values), list[str]()
    none = _set_unknown(values, notes)
    _check_positive(where, values, names)
    if none.sum() == n * (n - 1):
        raise InstanceError(f"{where}it has no distances")
    directed = _is_directed(values, none)
    decimals, exact = _decimals(values, float(values.max()), n)
    _scale(values, decimals)
    np.rint(values, out=values)
    if not exact:
        least = f"{10.0**-decimals:g}{f' {unit}' if unit else ''}"
        notes.append(f"distances are rounded to {least}: finer ones are too many digits")
    if forbidden := int(none.sum()):
        ways = (
            counted(forbidden, "way", f"{forbidden:,}")
            if directed
            else counted(forbidden // 2, "pair", f"{forbidden // 2:,}")
        )
        notes.append(f"{ways} without a distance: no tour takes them")
    matrix = frozen(values.astype(np.int32))
    return Counts(matrix, none if forbidden else None, directed, decimals, notes)


def from_distances(
    values: Reals,
    *,
    names: Sequence[str] = (),
    unit: str = "",
    name: str = "matrix",
    path: Path | None = None,
    sha256: str = "",
    read_as: str = "",
    seen: Sequence[str] = (),
    notes: Sequence[str] = (),
    what: str = "",
) -> TspInstance:
    """Return the instance of distances, shape (n, n), from row to column.

    NaN, and signs such as -1 or 9999999999 where they stand out, mean that there is no way; what is
    on the diagonal counts nothing. Fractions are counted in a power of ten, so that the order of
    any two tours is exact where that fits. ``values``, of float64, are taken over. InstanceError if
    they are no distances.
    """
    where = f"{path}: " if path else ""
    n = len(values)
    if n < 2:
        raise InstanceError(f"{where}it has {counted(n, 'city')}; a tour needs at least 2")
    ids = _ids(names)
    matrix, none, directed, decimals, more = counts_of(values, names, unit, where)
    parts = [
        (what or f"{n:,} × {n:,} matrix of {{}}").format(_UNITS.get(unit, unit) or "distances"),
        "directed" if directed else "symmetric",
        *seen,
    ]
    base = TspInstance(
        name=name_of(name),
        comment="",
        metric=Metric.EXPLICIT,
        coordinates=None,
        matrix=matrix,
        display=frozen(laid_out(as_far(matrix, none))),
        computed_layout=True,
        directed=directed,
        ids=ids,
        names=() if ids is not None else tuple(names),
        unit=unit,
        decimals=decimals,
        seen=", ".join(parts),
        note="; ".join([*notes, *more]),
        path=path,
        sha256=sha256,
        read_as=read_as,
    )
    if n > 2 and none is None:
        return base
    try:
        return restricted(base, forbidden=none)
    except InstanceError as error:
        why = str(error).removeprefix(f"{base.name}: ")
        raise InstanceError(f"{where}{why}") from error


def _ids(names: Sequence[str]) -> NDArray[np.int64] | None:
    """Return the names as numbers of cities, if they can be such; None if they are others."""
    if not names or not all(map(is_whole_number, names)):
        return None
    numbers = np.array([int(name) for name in names], np.int64)
    fit = all(str(int(name)) == name for name in names) and (np.diff(numbers) > 0).all()
    return frozen(numbers) if fit and numbers[-1] < 2**31 else None


def _set_unknown(values: Reals, notes: list[str]) -> NDArray[np.bool_]:
    """Set distances to 0 where there is none, and on the diagonal; return where, off that."""
    diagonal = values.diagonal().copy()
    np.fill_diagonal(values, np.nan)
    values[~np.isfinite(values)] = np.nan
    sign = diagonal[0]
    signs = {sign} if sign != 0 and (diagonal == sign).all() else set[float]()
    negative = np.unique(values[values < 0])
    if len(negative) == 1 and negative[0] in _SIGNS:
        signs.add(float(negative[0]))
    none = np.isnan(values)
    if not none.all():
        signs |= _standing_out(values)
    for sign in signs:
        if (at := values == sign).any() and (sign < 0 or _stands_out(values, sign)):
            values[at] = np.nan
            none |= at
            notes.append(f"{sign:g} is taken for no way")
    strange = diagonal[np.isfinite(diagonal) & (diagonal != 0)]
    if len(strange) and not signs & {*strange.tolist()}:
        notes.append("the ways from cities to themselves are left out")
    values[none] = 0.0
    np.fill_diagonal(none, False)
    return none


def _standing_out(known: Reals) -> set[float]:
    """Return the largest distance if it is written as signs for nothing are: in nines, or 10⁹."""
    largest = float(np.nanmax(known))
    text = f"{largest:.0f}"
    nines = len(text) > 4 and set(text) == {"9"}
    power = len(text) > 6 and text[0] == "1" and set(text[1:]) == {"0"}
    return {largest} if nines or power or largest in _SIGNS else set()


def _stands_out(known: Reals, sign: float) -> bool:
    """Whether ``sign`` is longer than a tour of all shorter ways can be."""
    longest = np.fmax.reduce(known, axis=None, where=known < sign, initial=-np.inf)
    return bool(longest > -np.inf) and sign > len(known) * float(longest)


def _check_positive(where: str, values: Reals, names: Sequence[str]) -> None:
    if (values < 0).any():
        i, j = (int(at) for at in np.argwhere(values < 0)[0])
        one, other = (f"{names[at]}" if names else f"city {at + 1}" for at in (i, j))
        raise InstanceError(
            f"{where}the distance from {one} to {other} is {values[i, j]:.12g}, which is negative; "
            "leave a cell empty where there is no way, or add the same number to all distances"
        )


def _is_directed(values: Reals, none: NDArray[np.bool_]) -> bool:
    """Whether there is a difference between the ways there and back.

    If it is no more than floats are rounded by, the distances are made the same.
    """
    if not np.array_equal(none, none.T):
        return True
    if np.array_equal(values, values.T):
        return False
    parts = [slice(at, at + _ROWS_AT_ONCE) for at in range(0, len(values), _ROWS_AT_ONCE)]
    alike = (np.allclose(values[one], values.T[one], rtol=_ALIKE, atol=0.0) for one in parts)
    if not all(alike):
        return True
    for one in parts:
        values[one, : one.start] = values.T[one, : one.start]
        among = values[one, one]
        values[one, one] = np.triu(among) + np.triu(among, 1).T
    return False


def _decimals(values: Reals, largest: float, n: int) -> tuple[int, bool]:
    """Return how many decimals are counted, and whether these are all."""
    if largest == 0.0:
        return 0, True
    most = math.floor(math.log10(LARGEST_DISTANCE / largest))
    for decimals in range(min(most, _FINEST) + 1):
        if _is_exact(values, decimals):
            return decimals, True
    fits = math.floor(math.log10(_LARGEST_SUM / largest / n))
    if fits < 0:
        fits = min(most, 0)
    return min(fits, 12), False


def _scale(values: Reals, decimals: int) -> None:
    """Count distances in so many decimals."""
    if decimals > 0:
        values *= 10.0**decimals
    elif decimals < 0:
        values /= 10.0**-decimals


def _is_exact(values: Reals, decimals: int) -> bool:
    """Whether so many decimals are all that the numbers have."""
    for rows in np.array_split(values, max(1, values.size >> 20)):
        counts = np.rint(rows * 10.0**decimals)
        if not np.array_equal(counts / 10.0**decimals, rows):
            return False
    return True


def as_far(matrix: NDArray[np.int32], none: NDArray[np.bool_] | None) -> NDArray[np.int32]:
    """Return distances to lay cities out by: where there is none, the longest."""
    return matrix if none is None else np.where(none, matrix.max(), matrix).astype(np.int32)
