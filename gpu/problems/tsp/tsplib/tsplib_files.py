"""From a TSPLIB file to an instance. What its numbers say is checked, and what it lacks is said.

Weight types that stand in no version of TSPLIB are read, too, as LKH and Concorde have them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.errors import InstanceError, SolutionError
from gpu.core.files import exists
from gpu.core.words import counted
from gpu.problems.bundled import best_known_length
from gpu.problems.document import comment_of, in_memory, name_of, read_bytes, shortened, stem_of
from gpu.problems.reading import AS_FOUND, FileKind, ReadAs
from gpu.problems.tsp import distances
from gpu.problems.tsp.distances import (
    GEO_UNIT,
    LARGEST_DISTANCE,
    Metric,
    Reals,
)
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.layout import laid_out
from gpu.problems.tsp.matrices.given_distances import as_far
from gpu.problems.tsp.routes.closed_tours import hamiltonian, restricted, without
from gpu.problems.tsp.routes.route_instance import RouteInstance
from gpu.problems.tsp.tsplib.edge_sections import EDGES, FIXED, edges_of
from gpu.problems.tsp.tsplib.explicit import (
    MATRIX,
    check_memory,
    counts_of_matrix,
    read_matrix,
)
from gpu.problems.tsp.tsplib.numbers import TSPLIB_NUMBER, Numbers, Points, points_of
from gpu.problems.tsp.tsplib.tabled import LARGEST_TABLE, ON_GLOBE, TABLED, TORUS_SIDE, table_of
from gpu.problems.tsp.tsplib_document import Document, document_of

PLACES, SHOWN = "NODE_COORD_SECTION", "DISPLAY_DATA_SECTION"
_KINDS = ("TSP", "ATSP", "HCP", "HPP")

_PROBLEMS = {  # what else TYPE can be, in words
    "CVRP": "a vehicle routing problem",
    "CVRPTW": "a vehicle routing problem with time windows",
    "ACVRP": "a directed vehicle routing problem",
    "OVRP": "an open vehicle routing problem",
    "SOP": "a sequential ordering problem: a tour in which some cities must come before others",
    "TSPTW": "a tour with time windows",
    "TSPPD": "a tour with pickup and delivery",
    "TSPDL": "a tour with draft limits",
    "PDTSP": "a tour with pickup and delivery",
    "PDPTW": "a problem of vehicles with pickup and delivery",
    "GTSP": "a tour through one city of each group",
    "AGTSP": "a directed tour through one city of each group",
    "CTSP": "a tour of several salesmen with cities of their own",
    "BWTSP": "a tour of black and white cities",
    "MLP": "a problem of least waiting",
    "TRP": "a problem of least waiting",
    "STTSP": "a tour on a graph that need not visit each place",
    "RCTVRP": "a vehicle routing problem of cash transports",
    "TOUR": "a tour, not an instance",
}
DEPOT = "DEPOT_SECTION"
_OF_OTHERS = {  # sections of other problems, and what they say
    "DEMAND_SECTION": "demands",
    DEPOT: "depots",
    "TIME_WINDOW_SECTION": "time windows",
    "SERVICE_TIME_SECTION": "service times",
    "STANDTIME_SECTION": "service times",
    "PICKUP_AND_DELIVERY_SECTION": "pickups and deliveries",
    "BACKHAUL_SECTION": "backhauls",
    "DRAFT_LIMIT_SECTION": "draft limits",
    "GTSP_SET_SECTION": "groups of cities",
    "CTSP_SET_SECTION": "cities of single salesmen",
    "REQUIRED_NODES_SECTION": "cities that must be visited",
}

GEO_MINUTES = 0.6 + 1e-6
"""Most that stands behind the point in GEO's coordinates, where two digits are minutes."""

_FEWEST = 2  # cities
_POLE = 90.0  # degrees
_LARGEST_SCALE = 1e9
_EXACT_SCALE = 1000.0
"""What EXACT_2D and EXACT_3D count in one unit, unless the file has a SCALE (as in LKH)."""


class _Weights(NamedTuple):
    """How distances follow from a file."""

    name: str  # its EDGE_WEIGHT_TYPE
    metric: Metric  # by which colonies compute them; EXPLICIT if they get a matrix
    space: int  # coordinates of a city; 0 if none are needed


_WEIGHTS = {
    **{metric.value: (metric, distances.space_of(metric)) for metric in Metric},
    "EXACT_2D": (Metric.EUC_2D, 2),
    "EXACT_3D": (Metric.EUC_3D, 3),
    **{name: (Metric.EXPLICIT, 3 if name.endswith("3D") else 2) for name in TABLED},
}
"""EDGE_WEIGHT_TYPEs that are read, with metric and space."""

_SCALED = ("EUC_", "CEIL_", "FLOOR_", "MAN_", "MAX_", "EXACT_")
"""Beginnings of those whose distances grow with a SCALE."""


_COARSE = (
    "{} rounds distances to whole numbers, and its cities lie so near that good tours cannot be "
    "told from bad ones: {}"
)
_IN_TABLE = "put them in a table (.csv)"
TOUR = "TOUR_SECTION"
_TOO_FAR = f"its cities lie too far apart: distances may exceed {LARGEST_DISTANCE}; scale it down"


def load(path: str | Path, data: bytes | None = None, read_as: ReadAs = AS_FOUND) -> TspInstance:
    """Load the travelling-salesman instance in the TSPLIB file at ``path``.

    Its ``data`` are read unless they are given. Cities are sorted by their number in the file.
    Beside a file ``NAME.tsp``, the tour in ``NAME.opt.tour`` becomes ``optimal_tour``, unless a
    shorter one is known. ``read_as`` can say that GEO's coordinates are decimal "degrees".

    Raises
    ------
    InstanceError
        If the file is missing, is of another problem, contradicts itself, or has distances by a
        rule that is not known.
    """
    path = Path(path)
    data = read_bytes(path) if data is None else data
    with in_memory(path):
        document = document_of(path, data)
        instance = _instance(document, read_as)
        document.forget_lines()
        return _with_optimum(instance)


def _instance(document: Document, read_as: ReadAs) -> TspInstance:
    kind = _kind(document)
    if kind == "HCP" or (kind == "HPP" and not {PLACES, MATRIX} & document.sections.keys()):
        return _hamiltonian(document, closed=kind == "HCP")
    weights = _weights(document)
    matrix = read_matrix(document) if weights.space == 0 else None
    places = points_of(document, PLACES, weights.space or 2)
    shown = points_of(document, SHOWN, 2)
    _check_count(document, {MATRIX: matrix, PLACES: places, SHOWN: shown})
    if places and shown and not np.array_equal(places.ids, shown.ids):
        raise document.error("its coordinates and its display data number the cities differently")
    measured = _by_matrix(document, matrix) if matrix is not None else None
    if measured is None:
        if places is None:
            raise document.error(f"it has no {PLACES}, which {weights.name} needs")
        measured = _by_places(document, weights, places.values, read_as)
    named = places or shown
    if shown is None and measured.degrees is not None:
        display = measured.degrees[:, ::-1].copy()
    elif drawn := shown or places:
        display = drawn.values[:, :2].copy()
    else:
        assert measured.matrix is not None
        display = laid_out(as_far(measured.matrix, measured.none))
    ids = named.ids if named else np.arange(1, len(display) + 1)
    for array in (measured.coordinates, measured.matrix, display, ids):
        if array is not None:
            frozen(array)
    base = TspInstance(
        name=_name(document),
        comment=comment_of(document.comments),
        metric=measured.metric,
        coordinates=measured.coordinates,
        matrix=measured.matrix,
        display=display,
        computed_layout=named is None,
        directed=measured.directed,
        ids=None if np.array_equal(ids, np.arange(1, len(ids) + 1)) else ids,
        names=named.names if named else (),
        geographic=measured.degrees is not None and shown is None,
        unit=measured.unit,
        decimals=measured.decimals,
        path=document.path,
        sha256=document.sha256,
        read_as=measured.read_as,
    )
    fixed, there = edges_of(document, FIXED, ids), edges_of(document, EDGES, ids)
    none = measured.none
    if there is not None:
        none = without(base.n, there, directed=base.directed) | (False if none is None else none)
    made = base
    if kind == "HPP" or fixed is not None or none is not None:
        with _named(document, base.name):
            made = restricted(
                base,
                closed=kind != "HPP",
                fixed=[] if fixed is None else fixed.tolist(),
                forbidden=none,
            )
    return replace(made, note="; ".join(filter(None, (made.note, *document.notes))))


def _name(document: Document) -> str:
    """Return the name of the instance."""
    name = document.specification.get("NAME", "")
    for ending in (".tsp", ".atsp", ".hcp", ".hpp"):  # as some files of the library have it
        name = name.removesuffix(ending)
    return name_of(name or stem_of(document.path))


def _hamiltonian(document: Document, *, closed: bool) -> TspInstance:
    """Return the problem of a Hamiltonian cycle, or path, of the graph in ``document``."""
    edges = edges_of(document, EDGES, None)
    if edges is None:
        raise document.error(f"it has no {EDGES}, which its TYPE {document.word('TYPE')} needs")
    if FIXED in document.sections:
        raise document.error(f"it has a {FIXED}, which is read with distances alone")
    n = document.dimension() or int(edges.max(initial=0)) + 1
    name = _name(document)
    shown = points_of(document, SHOWN, 2) or points_of(document, PLACES, 2)
    _check_count(document, {SHOWN: shown})
    with _named(document, name):
        made = hamiltonian(
            name,
            n,
            edges,
            comment=comment_of(document.comments),
            closed=closed,
            display=None if shown is None else frozen(shown.values[:, :2].copy()),
        )
    what = "a closed tour" if closed else "a path"
    return replace(
        made,
        path=document.path,
        sha256=document.sha256,
        seen=f"a graph of {counted(len(edges), 'edge')}, of which {what} takes each vertex once",
        note="; ".join(document.notes),
    )


@contextmanager
def _named(document: Document, name: str) -> Iterator[None]:
    """Let errors that name an instance name its file."""
    try:
        yield
    except InstanceError as error:
        raise document.error(str(error).removeprefix(f"{name}: ")) from error


class _Measured(NamedTuple):
    """What distances are computed from."""

    metric: Metric
    coordinates: Reals | None = None
    matrix: NDArray[np.int32] | None = None
    directed: bool = False
    unit: str = ""
    decimals: int = 0
    none: NDArray[np.bool_] | None = None  # (n, n): where there is no way; None if there are all
    degrees: Reals | None = None  # (n, 2): latitudes and longitudes, of places on the globe
    read_as: str = ""


def _kind(document: Document) -> str:
    """Return the TYPE; InstanceError says of what the file is, if it is of no tours alone."""
    kind = document.word("TYPE")
    if kind and kind not in _KINDS:
        what = _PROBLEMS.get(re.sub("^(M1?|1)-", "", kind), "no type of TSPLIB that is known")
        raise document.error(f"its TYPE is {shortened(kind)}, {what}; read are {', '.join(_KINDS)}")
    for keyword in ("SALESMEN", "VEHICLES"):
        if (number := document.word(keyword)) not in ("", "1"):
            raise document.error(f"it has {shortened(number)} {keyword}; a tour here is of one")
    if TOUR in document.sections and kind in ("", "TSP", "ATSP"):
        del document.sections[TOUR]
        document.notes.append(f"its {TOUR} is not used: a file of its own can be a start")
    _leave_out_depot(document)
    for keyword in document.sections:
        if keyword in _OF_OTHERS:
            raise document.error(
                f"its {keyword} has {_OF_OTHERS[keyword]}, which a tour alone does not "
                "take into account; with the sections of places or distances alone it is a "
                "travelling-salesman problem"
            )
        if keyword not in (PLACES, SHOWN, MATRIX, EDGES, FIXED):
            raise document.error(
                f"{shortened(keyword)} is no part of a travelling-salesman problem"
            )
    return kind


def _leave_out_depot(document: Document) -> None:
    """Leave out a single depot, if nothing else says that it is another problem."""
    if DEPOT not in document.sections or len(_OF_OTHERS.keys() & document.sections.keys()) > 1:
        return
    words = " ".join(document.sections[DEPOT]).split()
    cities = [word for word in words if word != "-1"]
    if len(cities) == 1:
        del document.sections[DEPOT]
        city = shortened(cities[0])[1:-1]
        document.notes.append(
            f"its {DEPOT} names {city}, a city of the tour like others: --from {city} begins there"
        )


def _weights(document: Document) -> _Weights:
    name = document.word("EDGE_WEIGHT_TYPE")
    if not name:
        if MATRIX in document.sections:
            name = Metric.EXPLICIT.value
        elif PLACES in document.sections:
            name = Metric.EUC_2D.value
        else:
            raise document.error("it has neither EDGE_WEIGHT_TYPE nor places or distances")
        document.notes.append(f"it says no EDGE_WEIGHT_TYPE: taken for {name}")
    if name == "SPECIAL":
        raise document.error(
            "its EDGE_WEIGHT_TYPE is SPECIAL: its distances follow from a rule that stands "
            "elsewhere; write them as EDGE_WEIGHT_TYPE: EXPLICIT"
        )
    if name not in _WEIGHTS:
        raise document.error(
            f"its EDGE_WEIGHT_TYPE is {shortened(name)}; known are {', '.join(_WEIGHTS)}"
        )
    metric, space = _WEIGHTS[name]
    if space and MATRIX in document.sections:
        raise document.error(f"it has an {MATRIX}, but its EDGE_WEIGHT_TYPE is {name}")
    return _Weights(name, metric, space)


def _check_count(document: Document, listed: Mapping[str, Points | Numbers | None]) -> None:
    """Compare what is there with what is announced; a file need not say how many cities it has."""
    n = document.dimension()
    counts = {
        keyword: len(one if isinstance(one, np.ndarray) else one.ids)
        for keyword, one in listed.items()
        if one is not None
    }
    if n is None and counts:
        n = next(iter(counts.values()))
        if MATRIX not in counts:
            document.notes.append(f"it says no DIMENSION: {counted(n, 'city')} counted")
    for keyword, count in counts.items():
        if count != n:
            raise document.error(
                f"DIMENSION is {n}, but {keyword} lists {counted(count, 'city')}; is the file "
                "whole?"
            )
    if n is not None and n < _FEWEST:
        raise document.error(f"it has DIMENSION {n}; a tour needs at least {_FEWEST} cities")


def _by_matrix(document: Document, matrix: Numbers) -> _Measured:
    says, counts = document.word("TYPE"), counts_of_matrix(document, matrix)
    directed = says == "ATSP" or counts.directed
    if counts.directed and says not in ("", "ATSP"):
        i, j = np.argwhere((matrix != matrix.T) & ~np.eye(len(matrix), dtype=np.bool_))[0]
        raise document.error(
            f"it says TYPE: {says}, but from city {i + 1} to {j + 1} is {matrix[i, j]:.12g} and "
            f"back {matrix[j, i]:.12g}; a directed problem says TYPE: ATSP"
        )
    if not says:
        shape = "not symmetric" if directed else "symmetric"
        kind = "ATSP" if directed else "TSP"
        document.notes.append(f"it says no TYPE: taken for {kind}, as its matrix is {shape}")
    document.notes.extend(counts.notes)
    return _Measured(
        Metric.EXPLICIT, None, counts.matrix, directed, "", counts.decimals, counts.none
    )


def _by_places(document: Document, weights: _Weights, places: Reals, read_as: ReadAs) -> _Measured:
    # Between places it is as far there as back, whatever the file says.
    name, metric = weights.name, weights.metric
    if not document.word("TYPE"):
        document.notes.append("it says no TYPE: taken for TSP")
    if places.shape[1] != weights.space:
        raise document.error(
            f"{name} needs {weights.space} coordinates a city, but it has {places.shape[1]}"
        )
    if metric is Metric.GEO or name in ON_GLOBE:
        return _on_globe(document, name, places, read_as)
    if read_as.coordinates not in ("", "plane"):
        raise document.error(f"--coordinates {read_as.coordinates} does not fit: it says {name}")
    if metric is Metric.EXPLICIT:
        return _Measured(metric, None, _table(document, name, places))
    scale = _scale(document, name, places)
    places = places * scale if scale != 1.0 else places
    decimals = round(math.log10(scale))
    if not math.isclose(10.0**decimals, scale):
        decimals = 0
        document.notes.append(f"lengths are multiplied by its SCALE, {scale:g}")
    _check_spread(document, metric, places)
    if distances.is_coarse(metric, places):
        document.notes.append(
            _COARSE.format(
                metric, "multiply its coordinates by 1000, or put them in a table (.csv)"
            )
        )
    return _Measured(metric, places, decimals=decimals)


def _scale(document: Document, name: str, places: Reals) -> float:
    """Return by what coordinates are multiplied: what SCALE says, or what EXACT is counted in."""
    exact = name.startswith("EXACT_")
    text = document.specification.get("SCALE", "")
    if not text and not exact:
        return 1.0
    if not text:
        # Smaller where distances would be beyond the largest one otherwise.
        most = LARGEST_DISTANCE / max(1.0, float(np.linalg.norm(np.ptp(places, axis=0)) + 1.0))
        return float(min(_EXACT_SCALE, 10.0 ** math.floor(math.log10(max(most, 1.0)))))
    if not TSPLIB_NUMBER.fullmatch(text) or not 0.0 < float(text) <= _LARGEST_SCALE:
        raise document.error(f"SCALE {shortened(text)} is not a number that distances grow by")
    if not name.startswith(_SCALED):
        raise document.error(f"it has a SCALE, which {name} does not take")
    return float(text)


def _table(document: Document, name: str, places: Reals) -> NDArray[np.int32]:
    """Compute all distances by a rule that no colony computes."""
    n = len(places)
    if n > LARGEST_TABLE:
        raise document.error(
            f"{name} is computed as a matrix of all distances, of up to {LARGEST_TABLE:,} cities, "
            f"and it has {n:,}"
        )
    check_memory(document, n * n, n)
    side = TORUS_SIDE
    if name.startswith("TOR_"):
        text = document.specification.get("GRID_SIZE", "")
        if text and not (TSPLIB_NUMBER.fullmatch(text) and float(text) > 0.0):
            raise document.error(f"GRID_SIZE {shortened(text)} is not the side of a torus")
        side = float(text) if text else side
        if np.ptp(places, axis=0).max() > side:
            raise document.error(f"its places lie farther apart than its torus is wide, {side:g}")
        if not text:
            document.notes.append(f"it says no GRID_SIZE: its torus is {side:,.0f} wide")
        if side > LARGEST_DISTANCE:
            raise document.error(_TOO_FAR)
    return frozen(table_of(name, places, side))


def _on_globe(document: Document, name: str, places: Reals, read_as: ReadAs) -> _Measured:
    """Take ``places`` for latitudes and longitudes, in TSPLIB's degrees and minutes or decimal."""
    decimal, said = name.startswith("GEOM"), read_as.coordinates
    if said == "plane" or (said == "geo" and decimal):
        raise document.error(f"--coordinates {said} does not fit: it says {name}")
    if (beyond := np.abs(places[:, 0]) > _POLE).any():
        raise document.error(
            f"the latitude {places[beyond.argmax(), 0]:g} is beyond 90 degrees; {name} has the "
            "latitude before the longitude"
        )
    if nowhere := int((~places.any(axis=1)).sum()):
        some = counted(nowhere, "city")
        document.notes.append(f"{some} at latitude 0, longitude 0, where unknown ones end up")
    degrees = places if decimal or said == "degrees" else distances.degrees(places)
    if said == "degrees" and not decimal:
        places = distances.in_minutes(places)
    elif not decimal and not said:
        _note_minutes(document, name, places)
    read = str(ReadAs(FileKind.TSPLIB, said)) if said else ""
    if name != Metric.GEO:
        matrix = _table(document, name, places)
        return _Measured(
            Metric.EXPLICIT, None, matrix, unit=ON_GLOBE[name], degrees=degrees, read_as=read
        )
    if distances.is_coarse(Metric.GEO, places):
        document.notes.append(_COARSE.format(name, _IN_TABLE))
    return _Measured(Metric.GEO, places, unit=GEO_UNIT, degrees=degrees, read_as=read)


def _note_minutes(document: Document, name: str, places: Reals) -> None:
    """Note where the two digits of minutes are more than an hour has."""
    minutes = np.abs(np.modf(places)[0])
    if (minutes > GEO_MINUTES).any():
        worst = places.flat[minutes.argmax()]
        document.notes.append(
            f"{name} takes {worst:g} for {int(worst)} degrees and {100 * minutes.max():.0f} "
            "minutes: if its coordinates are decimal degrees, say --coordinates degrees"
        )


def _check_spread(document: Document, metric: Metric, coordinates: Reals) -> None:
    """Raise InstanceError if distances are all 0, or too long."""
    spans = np.ptp(coordinates, axis=0)
    rounded = metric not in distances.MOTOR_SPEEDS and spans.any()
    if rounded and not distances.pairwise(metric, spans, np.zeros_like(spans)):
        raise document.error(
            f"all its distances are 0, because {metric} rounds them to whole numbers: multiply its "
            "coordinates by 1000 or more, or put them in a table (.csv) with x and y"
        )
    if distances.longest_possible(metric, coordinates) > LARGEST_DISTANCE:
        raise document.error(_TOO_FAR)


def _with_optimum(instance: TspInstance) -> TspInstance:
    """Add the best-known length and tour, where known for just this problem."""
    assert instance.path is not None
    known = instance.optimum
    if not isinstance(instance, RouteInstance):  # those of other routes are other ones
        known = best_known_length(instance.name, instance.n, instance.metric.value)
    sibling = instance.path.with_name(f"{stem_of(instance.path)}.opt.tour")
    if not exists(sibling) and exists(packed := sibling.with_name(f"{sibling.name}.gz")):
        sibling = packed
    try:
        tour = instance.load_solution(sibling)
        found = instance.cost_of(tour)
    except (InstanceError, SolutionError) as error:
        # The instance is whole without it, and the tour may be some other problem's.
        unused = "" if isinstance(error.__cause__, OSError) else f"not used: {error}"
        return replace(instance, optimum=known, note=_both(instance.note, unused))
    if known is not None and found > known:
        unused = f"not used: {sibling}: its tour is longer than the best known, {found} > {known}"
        return replace(instance, optimum=known, note=_both(instance.note, unused))
    return replace(instance, optimum=found, optimal_tour=frozen(tour))


def _both(note: str, other: str) -> str:
    return "; ".join(filter(None, (note, other)))
