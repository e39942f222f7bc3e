"""Matrices in TSPLIB's files: whole, or a triangle by rows or columns, with a diagonal or without.

What a file does not say is found out where the numbers leave one way to read them.
"""

from __future__ import annotations

import math
import re

import numpy as np

from gpu.core.errors import InstanceError
from gpu.core.machine.processors import SPARE, free_memory
from gpu.problems.document import shortened
from gpu.problems.tsp.distances import LARGEST_DISTANCE
from gpu.problems.tsp.matrices.given_distances import Counts, counts_of
from gpu.problems.tsp.tsplib.numbers import Numbers, numbers_of
from gpu.problems.tsp.tsplib_document import Document

MATRIX = "EDGE_WEIGHT_SECTION"
FULL = "FULL_MATRIX"
_TRIANGLE = re.compile("(UPPER|LOWER)_(DIAG_)?(ROW|COL)")
_A_NUMBER = 24  # bytes of a number with its text, while it is read
_AN_ENTRY = 12  # bytes of an entry of the matrix, and of what is computed of it at a time


def read_matrix(document: Document) -> Numbers:
    """Return the matrix of ``document``, shape (n, n), as its file has it, diagonal and all.

    Numbers are int32 if all of them can be. InstanceError if there are not as many as the file
    says, or if there are several ways to read them.
    """
    lines = document.sections.get(MATRIX)
    if lines is None:
        raise document.error(f"it has no {MATRIX}, which EXPLICIT needs")
    n, form = document.dimension(), document.word("EDGE_WEIGHT_FORMAT")
    form = re.sub("[ -]", "_", form)
    if form and form != FULL and not _TRIANGLE.fullmatch(form):
        raise document.error(f"its EDGE_WEIGHT_FORMAT {shortened(form)} is none of TSPLIB's")
    if n is not None and form:
        if _entries(n, form) > sum(len(line) + 1 for line in lines):
            raise _wrong_count(document, sum(len(line.split()) for line in lines), n, form)
        check_memory(document, _entries(n, form), n)
    numbers = numbers_of(document, MATRIX)
    if n is None:
        n = _counted(document, len(numbers), form)
    form = form or _found_out(document, numbers, n)
    if len(numbers) != _entries(n, form):
        raise _wrong_count(document, len(numbers), n, form)
    return numbers.reshape(n, n) if form == FULL else _whole(numbers, form, n)


def _wrong_count(document: Document, count: int, n: int, form: str) -> InstanceError:
    forms = (FULL, "UPPER_DIAG_ROW", "UPPER_ROW")
    fits = next((one for one in forms if _entries(n, one) == count), "")
    other = f"; so many has {fits}" if fits else "; is the file whole?"
    return document.error(
        f"{MATRIX} has {count} numbers; {n} cities in {form} are {_entries(n, form)}{other}"
    )


def _entries(n: int, form: str) -> int:
    """Count the numbers of a matrix in ``form``."""
    if form == FULL:
        return n * n
    return n * (n + 1) // 2 if "DIAG" in form else n * (n - 1) // 2


def check_memory(document: Document, entries: int, n: int) -> None:
    """Raise InstanceError if the matrix, and its numbers while they are read, are not free."""
    needed, free = entries * _A_NUMBER + n * n * _AN_ENTRY, free_memory()
    if needed > free - SPARE:
        raise document.error(
            f"its {n:,} × {n:,} distances need {needed / 2**30:,.1f} GiB of memory while they are "
            f"read, but only {max(free - SPARE, 0) / 2**30:,.1f} GiB are free: close other "
            "programs, or choose an instance with coordinates, whose distances are computed"
        )


def _counted(document: Document, count: int, form: str) -> int:
    """Return the number of cities whose matrix has ``count`` numbers."""
    around = math.isqrt(count if form in (FULL, "") else 2 * count)
    for n in (around, around + 1):
        if _entries(n, form or FULL) == count:
            document.notes.append(f"it says no DIMENSION: {count} numbers are those of {n} cities")
            return n
    raise document.error(
        f"it has no DIMENSION, and {count} numbers are no matrix in {form or FULL}"
    )


def _found_out(document: Document, numbers: Numbers, n: int) -> str:
    """Return the form of a matrix whose file does not say it."""
    possible = [FULL] if len(numbers) == n * n else []
    if len(numbers) == n * (n + 1) // 2 and n > 1:
        for form in ("UPPER_DIAG_ROW", "LOWER_DIAG_ROW"):
            diagonal = _whole(numbers, form, n).diagonal()
            possible += [form] if (diagonal == diagonal[0]).all() else []
    elif len(numbers) == n * (n - 1) // 2:
        possible = ["UPPER_ROW", "LOWER_ROW"]
        upper, lower = (_whole(numbers, form, n) for form in possible)
        widths = [len(line.split()) for line in document.sections[MATRIX]]
        if np.array_equal(upper, lower) or widths == [*range(n - 1, 0, -1)]:
            possible.pop()  # so few cities that both are the same, or a line for each row
        elif widths == [*range(1, n)]:
            possible.pop(0)
    if len(possible) == 1:
        document.notes.append(
            f"it says no EDGE_WEIGHT_FORMAT: its numbers are taken for {possible[0]}"
        )
        return possible[0]
    ways = f"it can be {' or '.join(possible)}" if possible else "none has so many"
    raise document.error(
        f"it has no EDGE_WEIGHT_FORMAT, and of its {len(numbers)} numbers for {n} cities {ways}: "
        "write it above them"
    )


def _whole(numbers: Numbers, form: str, n: int) -> Numbers:
    """Return the matrix of which ``numbers`` are a triangle."""
    # A triangle stored by columns is, in a symmetric matrix, the other one stored by rows.
    upper = form.startswith("UPPER") == form.endswith("ROW")
    offset = 0 if "DIAG" in form else 1
    cities = np.arange(n)
    there = cities[:, None] + offset <= cities if upper else cities[:, None] - offset >= cities
    result = np.zeros((n, n), numbers.dtype)
    result[there] = numbers
    result.T[there] = numbers
    return result


def counts_of_matrix(document: Document, matrix: Numbers) -> Counts:
    """Return ``matrix`` as a colony gets it; InstanceError if something in it is no distance.

    Whole numbers are taken as they are. Fractions are counted in a decimal, and other signs mean
    that there is no way, as in a table. What stands on the diagonal is no way between two cities.
    """
    plain, diagonal = matrix, np.arange(len(matrix))
    if matrix.dtype != np.int32 or (matrix.diagonal() < 0).any():
        plain = matrix.copy()
        plain[diagonal, diagonal] = 0
    if not ((plain >= 0) & (plain <= LARGEST_DISTANCE) & (plain == np.floor(plain))).all():
        return counts_of(matrix.astype(np.float64), where=f"{document.path}: ")
    whole = plain.astype(np.int32, copy=False)
    return Counts(whole, None, not np.array_equal(whole, whole.T), 0, [])
