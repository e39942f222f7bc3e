"""From a TSPLIB file to an instance. What its numbers say is checked.

NumPy reads coordinates in plain rows, a million in a second, and ``tsplib95`` all other numbers.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.errors import InstanceError
from gpu.core.files import exists
from gpu.core.machine.processors import SPARE, free_memory
from gpu.core.words import counted
from gpu.problems.bundled import best_known_length
from gpu.problems.document import (
    Document,
    comment_of,
    document_of,
    in_memory,
    name_of,
    read_bytes,
    shortened,
    stem_of,
)
from gpu.problems.tsp import distances
from gpu.problems.tsp.distances import GEO_UNIT, LARGEST_COORDINATE, LARGEST_DISTANCE, Metric
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.layout import laid_out

SECTIONS = {"NODE_COORD_SECTION": "node_coords", "DISPLAY_DATA_SECTION": "display_data"}
"""Sections of points, and what tsplib95 calls them."""

TSPLIB_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_PLAIN_ROW = rf"[0-9]{{1,15}}(?:[ \t]++(?:{TSPLIB_NUMBER.pattern})){{%d}}+"
_READ_AT_ONCE = 4_000  # lines of a section that are read without a pause
_PLAIN_ROWS = {columns: re.compile(rf"(?>{_PLAIN_ROW % columns}\n)++") for columns in (2, 3)}
"""Sections whose rows are a number and so many coordinates, each with a line break behind it."""

Reals = NDArray[np.float64]
Points = tuple[NDArray[np.int64], Reals]
"""City numbers, ascending, and the cities' coordinates."""


def _plain_points(lines: Sequence[str]) -> Points | None:
    """Read the rows of a section of points if all of them are plain; city numbers ascend then."""
    for columns, pattern in _PLAIN_ROWS.items():
        parts = []
        # Piece by piece: a search holds up all other threads, and with them the window.
        for first in range(0, max(1, len(lines)), _READ_AT_ONCE):
            text = "\n".join([*lines[first : first + _READ_AT_ONCE], ""])
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


def _parsed_points(document: Document, keyword: str, problem: Any, n: int) -> Points | None:
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


def _checked_points(document: Document, keyword: str, points: Points | None) -> Points | None:
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


def _entries_of(document: Document, n: int) -> int:
    """Count the numbers that the file's matrix format asks for."""
    form = document.required("EDGE_WEIGHT_FORMAT")
    if form == "FULL_MATRIX":
        return n * n
    if re.fullmatch("(UPPER|LOWER)_(DIAG_)?(ROW|COL)", form):
        return n * (n + 1) // 2 if "DIAG" in form else n * (n - 1) // 2
    raise document.error(f"its EDGE_WEIGHT_FORMAT {shortened(form)} is none of TSPLIB's")


def _matrix_of(
    document: Document, rows: Sequence[Sequence[float]], n: int, directed: bool
) -> NDArray[np.int32]:
    """Build the matrix from the numbers in ``rows``, of which there are :func:`_entries_of`.

    InstanceError if one is no whole number in [0, 2³¹), or an undirected matrix not symmetric.
    """
    try:
        flat = np.fromiter(itertools.chain.from_iterable(rows), np.float64)
    except OverflowError:
        raise document.error(f"it has a distance beyond {LARGEST_DISTANCE}") from None
    for wrong, why in (
        (~np.isfinite(flat), "not a finite number"),
        (flat < 0, "negative"),
        (flat > LARGEST_DISTANCE, f"beyond {LARGEST_DISTANCE}"),
        (flat != np.floor(flat), "not a whole number"),
    ):
        if wrong.any():
            raise document.error(f"the distance {flat[wrong.argmax()]:.12g} is {why}")
    form = document.specification["EDGE_WEIGHT_FORMAT"]
    values = flat.astype(np.int32)
    if form == "FULL_MATRIX":
        result = values.reshape(n, n)
        if not directed and not np.array_equal(result, result.T):
            i, j = np.argwhere(result != result.T)[0]
            raise document.error(
                f"it says TYPE: TSP, but from city {i + 1} to {j + 1} is {result[i, j]} and back "
                f"{result[j, i]}; a directed problem says TYPE: ATSP"
            )
        return result
    # A triangle stored by columns is, in a symmetric matrix, the other one stored by rows.
    upper = form.startswith("UPPER") == form.endswith("ROW")
    offset = 0 if "DIAG" in form else 1
    cities = np.arange(n)
    there = cities[:, None] + offset <= cities if upper else cities[:, None] - offset >= cities
    result = np.zeros((n, n), np.int32)
    result[there] = values
    result.T[there] = values
    return result


_TSP_TYPES = ("TSP", "ATSP")
_NUMBER_SECTIONS = (*SECTIONS, "EDGE_WEIGHT_SECTION")
_NUMERIC = re.compile(r"[-+.0-9eE\s]+")
_SOLID = (Metric.EUC_3D, Metric.MAN_3D, Metric.MAX_3D, Metric.XRAY1, Metric.XRAY2)
"""Metrics between places with 3 coordinates."""

GEO_MINUTES = 0.6 + 1e-6
"""Most that stands behind the point in GEO's coordinates, where two digits are minutes."""

_A_NUMBER = 64  # bytes of a number that tsplib95 has read, with its text, as measured
_AN_ENTRY = 12  # bytes of an entry of the matrix, and of what is computed of it at a time


def load(path: str | Path, data: bytes | None = None) -> TspInstance:
    """Load the travelling-salesman instance in the TSPLIB file at ``path``.

    Its ``data`` are read unless they are given. Cities are sorted by their number in the file.
    Beside a file ``NAME.tsp``, the tour in ``NAME.opt.tour`` becomes ``optimal_tour``, unless a
    shorter one is known.

    Raises
    ------
    InstanceError
        If the file is missing, is not a TSP or ATSP in TSPLIB's format, contradicts itself, or
        has a metric that TSPLIB 95 does not define.
    """
    path = Path(path)
    data = read_bytes(path) if data is None else data
    with in_memory(path):
        document = document_of(path, data)
        instance = _instance(document)
        document.forget_lines()
        return _with_optimum(instance)


def _instance(document: Document) -> TspInstance:
    kind, metric = _kind(document), _metric(document)
    # Between places it is as far there as back, whatever the file says.
    directed = kind == "ATSP" and metric is Metric.EXPLICIT
    n = document.dimension()
    if n < 2:
        raise document.error(f"it has DIMENSION {n}; a tour needs at least 2 cities")
    _check_sections(document, metric, n)
    if metric is Metric.EXPLICIT:
        _check_memory(document, n)
    plain = {keyword: _plain_points(document.sections.get(keyword, [])) for keyword in SECTIONS}
    left = [
        name for name in _NUMBER_SECTIONS if name in document.sections and plain.get(name) is None
    ]
    problem = _parse(document, metric, n, left) if left else None

    places, shown = (
        _checked_points(document, keyword, found or _parsed_points(document, keyword, problem, n))
        for keyword, found in plain.items()
    )
    if places and shown and not np.array_equal(places[0], shown[0]):
        raise document.error("its coordinates and its display data number the cities differently")
    ids = (places or shown or (np.arange(1, n + 1), None))[0]
    coordinates = matrix = None
    if metric is Metric.EXPLICIT:
        assert problem is not None
        matrix = _matrix_of(document, problem.edge_weights, n, directed)
    elif places:
        coordinates = places[1]
        _check_space(document, metric, coordinates)
    else:
        raise document.error(f"it has no NODE_COORD_SECTION, which {metric} needs")

    display = _display(metric, places and places[1], shown and shown[1])
    computed = display is None
    if display is None:
        assert matrix is not None
        display = laid_out(matrix)
    for array in (coordinates, matrix, display, ids):
        if array is not None:
            frozen(array)
    name = document.specification.get("NAME", "")
    return TspInstance(
        # Some files of the library have the file's name where others have the instance's.
        name=name_of(name.removesuffix(".tsp").removesuffix(".atsp") or stem_of(document.path)),
        comment=comment_of(document.comments),
        metric=metric,
        coordinates=coordinates,
        matrix=matrix,
        display=display,
        computed_layout=computed,
        directed=directed,
        ids=None if np.array_equal(ids, np.arange(1, n + 1)) else ids,
        geographic=metric is Metric.GEO and shown is None,
        unit=GEO_UNIT if metric is Metric.GEO else "",
        note="" if coordinates is None else _note_on(metric, coordinates),
        path=document.path,
        sha256=document.sha256,
    )


def _kind(document: Document) -> str:
    # Some files of the library have a name in brackets after the type.
    kind = document.required("TYPE").split()[0]
    if kind not in _TSP_TYPES:
        raise document.error(
            f"its TYPE is {shortened(kind)}; only TSP and ATSP are travelling-salesman problems"
        )
    return kind


def _metric(document: Document) -> Metric:
    name = document.required("EDGE_WEIGHT_TYPE")
    if name not in Metric.__members__:
        raise document.error(
            f"its EDGE_WEIGHT_TYPE is {shortened(name)}; known are {', '.join(Metric)}"
        )
    return Metric(name)


def _check_sections(document: Document, metric: Metric, n: int) -> None:
    """Compare what is there with what is announced, before anything of that size is made."""
    for keyword, lines in document.sections.items():
        if keyword == "FIXED_EDGES_SECTION":
            raise document.error(
                "it has fixed edges, which no colony keeps; without its FIXED_EDGES_SECTION it can "
                "be solved as the problem that has none"
            )
        if keyword not in _NUMBER_SECTIONS:
            raise document.error(
                f"{shortened(keyword)} is no part of a travelling-salesman problem"
            )
        if keyword in SECTIONS and len(lines) != n:
            listed = counted(len(lines), "city")
            raise document.error(
                f"DIMENSION is {n}, but {keyword} lists {listed}; is the file whole?"
            )
    if "EDGE_DATA_FORMAT" in document.specification:
        raise document.error("it has an EDGE_DATA_FORMAT; only complete graphs can be solved")
    numbers = document.sections.get("EDGE_WEIGHT_SECTION")
    if metric is Metric.EXPLICIT:
        if numbers is None:
            raise document.error("it has no EDGE_WEIGHT_SECTION, which EXPLICIT needs")
        expected = _entries_of(document, n)
        found = sum(len(line.split()) for line in numbers)
        if found != expected:
            raise document.error(
                f"EDGE_WEIGHT_SECTION has {found} numbers; {n} cities in "
                f"{document.specification['EDGE_WEIGHT_FORMAT']} are {expected}"
            )
    elif numbers is not None:
        raise document.error(f"it has an EDGE_WEIGHT_SECTION, but its metric is {metric}")


def _check_memory(document: Document, n: int) -> None:
    """Raise InstanceError if the matrix, and its numbers while they are read, are not free."""
    needed, free = _entries_of(document, n) * _A_NUMBER + n * n * _AN_ENTRY, free_memory()
    if needed > free - SPARE:
        raise document.error(
            f"its {n:,} × {n:,} distances need {needed / 2**30:,.1f} GiB of memory while they are "
            f"read, but only {max(free - SPARE, 0) / 2**30:,.1f} GiB are free: close other "
            "programs, or choose an instance with coordinates, whose distances are computed"
        )


def _parse(document: Document, metric: Metric, n: int, keywords: Sequence[str]) -> Any:
    """Let tsplib95 read the numbers in the sections ``keywords``.

    It gets the checked parts alone, in plain form: it takes any keyword inside a name, a comment
    or a data line for a new field, and reads a line of blanks, or an EOF without a line break,
    as data.
    """
    # Imported here because it brings networkx, which whoever loads no file should not wait for.
    import tsplib95
    from tsplib95.exceptions import TsplibError

    lines = ["TYPE: TSP", f"DIMENSION: {n}", f"EDGE_WEIGHT_TYPE: {metric}"]
    if metric is Metric.EXPLICIT:
        lines.append(f"EDGE_WEIGHT_FORMAT: {document.specification['EDGE_WEIGHT_FORMAT']}")
    for keyword in keywords:
        data = document.sections[keyword]
        for line in data:
            if not _NUMERIC.fullmatch(line):
                raise document.error(f"{keyword} has a line that is not numbers, {shortened(line)}")
        lines += [keyword, *data] if data else []
    try:
        return tsplib95.parse("\n".join([*lines, "EOF", ""]))
    except (TsplibError, ValueError, LookupError, ArithmeticError) as error:
        raise _unreadable(document) from error


def _unreadable(document: Document) -> InstanceError:
    """Find the line that tsplib95 could not read."""
    for keyword in _NUMBER_SECTIONS:
        for line in document.sections.get(keyword, []):
            words = line.split()
            too_few = keyword != "EDGE_WEIGHT_SECTION" and len(words) < 2
            if too_few or not all(map(TSPLIB_NUMBER.fullmatch, words)):
                return document.error(
                    f"{keyword} has a line that cannot be read, {shortened(line)}"
                )
    return document.error("its city numbers are not whole numbers")


def _check_space(document: Document, metric: Metric, coordinates: Reals) -> None:
    expected = 3 if metric in _SOLID else 2
    if coordinates.shape[1] != expected:
        raise document.error(
            f"{metric} needs {expected} coordinates a city, but it has {coordinates.shape[1]}"
        )
    if metric is Metric.GEO and (beyond := np.abs(coordinates[:, 0]) > 90.0).any():
        raise document.error(
            f"the latitude {coordinates[beyond.argmax(), 0]:g} is beyond 90 degrees; GEO has the "
            "latitude before the longitude"
        )
    spans = np.ptp(coordinates, axis=0)
    rounded = metric not in distances.MOTOR_SPEEDS and spans.any()
    if rounded and not distances.pairwise(metric, spans, np.zeros_like(spans)):
        raise document.error(
            f"all its distances are 0, because {metric} rounds them to whole numbers: multiply its "
            "coordinates by 1000 or more, or put them in a table (.csv) with x and y"
        )
    if distances.longest_possible(metric, coordinates) > LARGEST_DISTANCE:
        raise document.error(
            f"its cities lie too far apart: distances may exceed {LARGEST_DISTANCE}; scale it down"
        )


def _note_on(metric: Metric, coordinates: Reals) -> str:
    """What the user should know of the coordinates of all cities, or an empty text."""
    notes = []
    if metric is Metric.GEO:
        minutes = np.abs(np.modf(coordinates)[0])
        if (minutes > GEO_MINUTES).any():
            worst = coordinates.flat[minutes.argmax()]
            notes.append(
                f"GEO takes {worst:g} for {int(worst)} degrees and {100 * minutes.max():.0f} "
                "minutes: if its coordinates are decimal degrees, put them in a table (.csv) with "
                "latitude and longitude"
            )
        if nowhere := int((~coordinates.any(axis=1)).sum()):
            some = counted(nowhere, "city")
            notes.append(f"{some} at latitude 0, longitude 0, where unknown ones end up")
    if distances.is_coarse(metric, coordinates):
        table = "put them in a table (.csv)"
        notes.append(
            f"{metric} rounds distances to whole numbers, and its cities lie so near that good "
            "tours cannot be told from bad ones: "
            + (table if metric is Metric.GEO else f"multiply its coordinates by 1000, or {table}")
        )
    return "; ".join(notes)


def _display(metric: Metric, places: Reals | None, shown: Reals | None) -> Reals | None:
    if shown is not None:
        return shown[:, :2].copy()
    if places is None:
        return None
    if metric is Metric.GEO:
        return distances.degrees(places)[:, ::-1].copy()
    return places[:, :2].copy()


def _with_optimum(instance: TspInstance) -> TspInstance:
    """Add the best-known length and tour, where known for just this problem."""
    assert instance.path is not None
    known = best_known_length(instance.name, instance.n, instance.metric.value)
    sibling = instance.path.with_name(f"{stem_of(instance.path)}.opt.tour")
    if not exists(sibling) and exists(packed := sibling.with_name(f"{sibling.name}.gz")):
        sibling = packed
    try:
        tour = instance.load_solution(sibling)
    except InstanceError as error:
        # The instance is whole without it, and the tour may be some other problem's.
        unused = "" if isinstance(error.__cause__, OSError) else f"not used: {error}"
        return replace(instance, optimum=known, note=_both(instance.note, unused))
    found = instance.tour_length(tour)
    if known is not None and found > known:
        unused = f"not used: {sibling}: its tour is longer than the best known, {found} > {known}"
        return replace(instance, optimum=known, note=_both(instance.note, unused))
    return replace(instance, optimum=found, optimal_tour=frozen(tour))


def _both(note: str, other: str) -> str:
    return "; ".join(filter(None, (note, other)))
