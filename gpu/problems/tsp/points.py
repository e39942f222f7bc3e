"""Points in a TSPLIB file: coordinates of cities, and where the cities are drawn."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.problems.document import Document, shortened

LARGEST_COORDINATE = 1e12  # beyond it float64 no longer tells near cities apart

SECTIONS = {"NODE_COORD_SECTION": "node_coords", "DISPLAY_DATA_SECTION": "display_data"}
"""Sections of points, and what tsplib95 calls them."""

NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_ROW = rf"[0-9]{{1,15}}(?:[ \t]++(?:{NUMBER.pattern})){{%d}}+"
_AT_ONCE = 4_000  # lines of a section that are read without a pause
_PLAIN = {columns: re.compile(rf"(?>{_ROW % columns}\n)++") for columns in (2, 3)}
"""Sections whose rows are a number and so many coordinates, each with a line break behind it."""

Reals = NDArray[np.float64]
Points = tuple[NDArray[np.int64], Reals]
"""City numbers, ascending, and the cities' coordinates."""


def plain(lines: Sequence[str]) -> Points | None:
    """Read the rows of a section of points if all of them are plain; city numbers ascend then."""
    for columns, pattern in _PLAIN.items():
        parts = []
        # Piece by piece: a search holds up all other threads, and with them the window.
        for first in range(0, max(1, len(lines)), _AT_ONCE):
            text = "\n".join([*lines[first : first + _AT_ONCE], ""])
            if not pattern.fullmatch(text):
                break
            parts.append(np.fromstring(text, sep=" ").reshape(-1, 1 + columns))
        else:
            rows = np.concatenate(parts)
            order = np.argsort(rows[:, 0], kind="stable")
            ids = rows[order, 0].astype(np.int64)
            sound = np.isfinite(rows).all() and (np.diff(ids) > 0).all()
            return (ids, rows[order, 1:]) if sound else None
    return None


def parsed(document: Document, keyword: str, problem: Any, n: int) -> Points | None:
    """Take the points that tsplib95 has read; None where the section ``keyword`` is missing.

    InstanceError if a city has none or several, or not as many coordinates as the others.
    """
    if keyword not in document.sections:
        return None
    points: Mapping[int, Sequence[float]] = getattr(problem, SECTIONS[keyword])
    if len(points) != n:
        seen: set[str] = set()
        for line in document.sections[keyword]:
            number = line.split()[0]
            if number in seen:
                raise document.error(f"{keyword} lists city {shortened(number)} twice")
            seen.add(number)
        raise document.error(f"{keyword} lists {len(points)} different cities of {n}")
    numbers = sorted(points)
    _check_ids(document, keyword, numbers[0], numbers[-1])
    sizes = {len(points[number]) for number in numbers}
    if not sizes <= {2} and not sizes <= {3}:
        raise document.error(f"{keyword} has cities without 2 or 3 coordinates each")
    try:
        values = np.array([points[number] for number in numbers], np.float64)
    except OverflowError:
        raise document.error(f"{keyword} has a coordinate beyond {LARGEST_COORDINATE:g}") from None
    return np.array(numbers, np.int64), values


def _check_ids(document: Document, keyword: str, *ids: int) -> None:
    if wrong := [at for at in ids if not 0 <= at <= np.iinfo(np.int32).max]:
        raise document.error(
            f"{keyword} has a city {shortened(str(wrong[0]))}; cities count from 1"
        )


def checked(document: Document, keyword: str, points: Points | None) -> Points | None:
    """Return ``points``; InstanceError if a city's number or a coordinate cannot be."""
    if points is None:
        return None
    ids, values = points
    _check_ids(document, keyword, int(ids[0]), int(ids[-1]))
    if not np.isfinite(values).all():
        raise document.error(f"{keyword} has a coordinate that is not a finite number")
    if np.abs(values).max() > LARGEST_COORDINATE:
        raise document.error(f"{keyword} has a coordinate beyond {LARGEST_COORDINATE:g}")
    return points
