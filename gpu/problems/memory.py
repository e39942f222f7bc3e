"""Instances of what a script has in memory: coordinates, distances, edges, graphs of networkx."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpu.core.arguments import described, numbers_in
from gpu.core.arrays import frozen
from gpu.core.errors import InstanceError, SolutionError
from gpu.core.words import counted
from gpu.problems.coloring.instance import GraphInstance, unique_edges
from gpu.problems.input_file import InputFile
from gpu.problems.reading import ReadAs
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.matrices.given_distances import from_distances
from gpu.problems.tsp.places.place_instances import check_degrees, globe_instance, plane_coordinates
from gpu.problems.tsp.routes.closed_tours import city_called, restricted, with_route

_FINEST = 9  # decimals of coordinates that are kept

City = int | str
"""A city: its place from 0 in the order in which cities were given, or its name."""


def from_coordinates(
    points: ArrayLike,
    *,
    degrees: bool = False,
    metric: str = "",
    names: Iterable[object] = (),
    unit: str = "",
    name: str = "places",
) -> TspInstance:
    """Make an instance of cities at ``points``, shape (n, 2).

    Parameters
    ----------
    points
        x and y of each city; or latitude and longitude in decimal ``degrees``, from which distances
        are in metres, or between places more than 1000 km apart in kilometres.
    metric
        A metric of TSPLIB, such as ``EUC_2D`` or ``CEIL_2D``, which then rounds the distances
        to whole numbers; for ``EUC_3D`` and the like, ``points`` has the shape (n, 3). By default,
        distances between points in the plane are exact to some digits: ``instance.cost_unit`` and
        ``instance.unit`` say in what they are counted.
    names
        What the cities are called.
    unit
        Of x and y, and so of the distances; those between ``degrees`` have one of their own.

    InstanceError if these are no coordinates.
    """
    given = _reals("points", points, 2)
    if degrees and unit:
        raise InstanceError(f"{name}: unit = {unit!r} is none of degrees: leave it out")
    n, called = len(given), _names(names, len(given))
    if metric:
        if degrees or metric not in Metric.__members__ or metric == Metric.EXPLICIT:
            known = ", ".join(one for one in Metric if one is not Metric.EXPLICIT)
            raise InstanceError(f"{name}: metric = {metric!r} is none of {known}, or has degrees")
        display = frozen(given[:, :2].copy())
        base = TspInstance(
            name, "", Metric(metric), frozen(given), None, display, names=called, unit=unit
        )
        return restricted(base) if n < base.fewest else base
    if given.shape[1] != 2:
        raise InstanceError(f"{name}: points has the shape {given.shape}, not (n, 2)")
    if degrees:
        file = InputFile(Path(name), b"", ReadAs())
        check_degrees(file, given, lambda row: f"place {row + 1}")
        words = called or ("",) * n
        seen = f"{counted(n, 'place')} by latitude and longitude"
        made = globe_instance(file, given, words, lambda row: f"place {row + 1}", seen=seen)
        return replace(made, name=name, path=None, sha256="", read_as="")
    coordinates, about = plane_coordinates(given, _decimals(given))
    display = frozen(given)
    base = TspInstance(
        name,
        "",
        Metric.EUC_2D,
        frozen(coordinates),
        None,
        display,
        names=called,
        **about,
        unit=unit,
    )
    return restricted(base) if n < base.fewest else base


def from_matrix(
    distances: ArrayLike, *, names: Iterable[object] = (), unit: str = "", name: str = "matrix"
) -> TspInstance:
    """Make an instance of ``distances`` from each row's city to each column's, shape (n, n).

    They may have fractions, and differ there and back. Infinite ones, NaN and -1 mean that there is
    no way. InstanceError if these are no distances, or there can be no tour.
    """
    given = _reals("distances", distances, 2)
    if given.shape[0] != given.shape[1]:
        raise InstanceError(f"{name}: distances has the shape {given.shape}, not (n, n)")
    return from_distances(given, names=_names(names, len(given)), unit=unit, name=name)


def from_weighted_edges(
    edges: Iterable[tuple[Hashable, Hashable, float]],
    *,
    directed: bool = False,
    unit: str = "",
    name: str = "edges",
) -> TspInstance:
    """Make an instance of ``edges`` (from, to, length); there are no other ways.

    Of an edge that is there more than once the shortest counts. Cities are in the order in which
    they are first named. InstanceError if these are no such edges, or there can be no tour.
    """
    numbers: dict[Hashable, int] = {}
    lengths: dict[tuple[int, int], float] = {}
    for edge in edges:
        try:
            source, target, length = edge
            ends = [numbers.setdefault(end, len(numbers)) for end in (source, target)]
            value = float(length)
        except (TypeError, ValueError) as error:
            raise InstanceError(
                f"{name}: {described(edge)} is no edge: give (from, to, length) of each"
            ) from error
        for a, b in (ends,) if directed else (ends, ends[::-1]):
            lengths[a, b] = min(value, lengths.get((a, b), np.inf))
    values = np.full((len(numbers), len(numbers)), np.nan)
    for (a, b), value in lengths.items():
        values[a, b] = value
    what = f"{counted(len(lengths) if directed else (len(lengths) + 1) // 2, 'way')} of {{}}"
    labels = _names(numbers, len(numbers))
    return from_distances(values, names=labels, unit=unit, name=name, what=what)


def graph_from_edges(
    edges: Iterable[tuple[Hashable, Hashable]] | NDArray[np.integer],
    *,
    vertices: Iterable[Hashable] = (),
    name: str = "graph",
) -> GraphInstance:
    """Make a graph to color of ``edges``, pairs of vertices.

    An array of whole numbers, shape (m, 2), has vertices that count from 0. Else vertices are what
    is joined, be it numbers or texts, in the order in which they are first named; ``vertices``
    names those that come first, or have no edge. InstanceError if these are no edges.
    """
    if isinstance(edges, np.ndarray):
        pairs = unique_edges(edges)
        n = max(int(pairs.max(initial=-1)) + 1, len(list(vertices)))
        return GraphInstance(name, "", n, pairs)
    numbers: dict[Hashable, int] = {}
    for vertex in vertices:
        numbers.setdefault(vertex, len(numbers))
    found = list[tuple[int, int]]()
    for edge in edges:
        try:
            one, other = edge
            ends = [numbers.setdefault(end, len(numbers)) for end in (one, other)]
        except (TypeError, ValueError) as error:
            raise InstanceError(
                f"{name}: {described(edge)} is no edge: give the two vertices of each"
            ) from error
        if ends[0] != ends[1]:
            found.append((ends[0], ends[1]))
    pairs = unique_edges(np.array(found, np.int64).reshape(-1, 2))
    return GraphInstance(name, "", len(numbers), pairs, names=_names(numbers, len(numbers)))


class NetworkxGraph(Protocol):
    """What is asked of a graph of networkx."""

    @property
    def nodes(self) -> Any:
        """Its nodes."""

    @property
    def edges(self) -> Any:
        """Its edges, which can be called."""

    def is_directed(self) -> bool:
        """Whether they have a direction."""


def from_networkx(
    graph: NetworkxGraph, weight: str | None = None, *, unit: str = "", name: str = ""
) -> TspInstance | GraphInstance:
    """Make an instance of a graph of networkx: one to color, or with a ``weight`` a tour's.

    The ``weight`` is the edges' attribute with their lengths; a directed graph has directed ones.
    There are no ways but its edges. InstanceError if an edge has no such attribute, or there can be
    no tour.
    """
    called = name or str(getattr(graph, "name", "")) or "graph"
    try:
        nodes, directed = list(graph.nodes), bool(graph.is_directed())
        edges: list[tuple[Any, Any, Mapping[str, Any]]] = list(graph.edges(data=True))
    except (AttributeError, TypeError) as error:
        raise InstanceError(f"{described(graph)} is no graph of networkx") from error
    if weight is None:
        pairs = [(one, other) for one, other, _ in edges]
        return graph_from_edges(pairs, vertices=nodes, name=called)
    numbers = {node: at for at, node in enumerate(nodes)}
    values = np.full((len(nodes), len(nodes)), np.nan)
    for one, other, about in edges:
        if weight not in about:
            raise InstanceError(f"{called}: the edge {one} – {other} has no {weight}")
        a, b = numbers[one], numbers[other]
        for end, start in ((b, a),) if directed else ((b, a), (a, b)):
            values[start, end] = np.fmin(values[start, end], float(about[weight]))
    labels = _names(nodes, len(nodes))
    return from_distances(values, names=labels, unit=unit, name=called)


def open_route(
    instance: TspInstance, start: City | None = None, end: City | None = None
) -> TspInstance:
    """Return ``instance`` with routes that do not return.

    They begin at ``start`` and end at ``end``: cities from 0, or names; None for any city.
    """
    return _with_ends(instance, start, end, closed=False)


def tour_from(instance: TspInstance, start: City) -> TspInstance:
    """Return ``instance`` with tours that are written from ``start`` on, and return to it."""
    return _with_ends(instance, start, None, closed=True)


def tour_length(instance: TspInstance, cities: Sequence[City]) -> int | float:
    """Return the length of a tour through ``cities`` in this order, in the instance's unit.

    Cities count from 0, or are names. An open route's is that from the first to the last. A route
    that has a forbidden edge, or not each city once, raises SolutionError.
    """
    return instance.cost_unit.value(instance.cost_of(solution_of(instance, cities)))


def solution_of(instance: TspInstance, cities: Sequence[City]) -> NDArray[np.int32]:
    """Return the solution that goes through ``cities``, from 0 or by name, in this order."""
    found: NDArray[np.int32] = instance.solution_from([_city(instance, one) for one in cities])
    return found


def _with_ends(
    instance: TspInstance, start: City | None, end: City | None, *, closed: bool
) -> TspInstance:
    if not isinstance(instance, TspInstance):
        raise InstanceError(f"{described(instance)} has no routes: give an instance of cities")
    ends = [None if one is None else _city(instance, one) for one in (start, end)]
    return with_route(instance, *ends, closed=closed)


def _city(instance: TspInstance, city: City) -> int:
    """Return the number from 0 of a city, or raise SolutionError."""
    if isinstance(city, str):
        return city_called(instance, city)
    if not isinstance(city, int | np.integer) or not 0 <= city < instance.real_n:
        raise SolutionError(
            f"{described(city)} is no city of {instance.name}: they count from 0 to "
            f"{instance.real_n - 1}, or have names"
        )
    return int(city)


def _reals(what: str, values: ArrayLike, dimensions: int) -> NDArray[np.float64]:
    """Return ``values`` as an array of its own; InstanceError if it has other things in it."""
    found = numbers_in(values, "iufb")
    if found is None:
        try:
            found = np.asarray(values, np.float64)  # objects such as None, which is NaN
        except (TypeError, ValueError):
            why = f"{what} = {described(values)} has not numbers alone"
            with suppress(TypeError):  # rows of numbers, perhaps
                if len(lengths := sorted({len(row) for row in cast("Any", values)})) > 1:
                    why = f"the rows of {what} have {lengths[0]} to {lengths[-1]} numbers"
            raise InstanceError(why) from None
    if found.ndim != dimensions or not found.size:
        raise InstanceError(f"{what} has the shape {found.shape}, not (n, …) with a row for each")
    return np.array(found, np.float64)


def _names(names: Iterable[object], n: int) -> tuple[str, ...]:
    found = tuple(str(one) for one in names)
    if found and len(found) != n:
        raise InstanceError(f"names has {len(found)} names for {n}")
    return found


def _decimals(points: NDArray[np.float64]) -> int:
    """Return how many decimals coordinates have; the most that count, if they have more."""
    for decimals in range(_FINEST):
        if np.array_equal(np.round(points, decimals), points):
            return decimals
    return _FINEST
