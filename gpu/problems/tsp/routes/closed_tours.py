"""Open routes, fixed and forbidden edges: as closed tours, so that no colony knows of them.

What a colony gets is a :class:`gpu.problems.tsp.routes.route_instance.RouteInstance`: a problem
whose shortest tours are the routes that are wanted, and as long. Distances are symmetric or not:

- Symmetric ones get auxiliary cities. One with the distance 0 to two ends joins them to a tour; one
  with 0 to u and to v, and no way to any other city, is in the middle of a fixed edge. Half of the
  edge's length is added to each other way of u, half to those of v: a tour has one of either. So
  ants that are at u or v see at once where to go.
- Of directed ones some distances are others: who need not return returns for nothing. Only where
  both ends are free there is an auxiliary city.

A forbidden edge costs more than a whole route, so that a tour which has one costs too much to be
any: ``forbidden_from`` says how much that is. It is also far longer than any other edge, so that
ants take it only where no other is left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.arguments import is_whole
from gpu.core.arrays import frozen
from gpu.core.errors import InstanceError
from gpu.core.machine.processors import SPARE, free_memory, usable_cores
from gpu.core.words import counted
from gpu.problems.bundled import best_known_length
from gpu.problems.document import shortened
from gpu.problems.tsp.distances import LARGEST_DISTANCE, Metric, blocks
from gpu.problems.tsp.instance import RouteOrder, TspInstance
from gpu.problems.tsp.layout import laid_out
from gpu.problems.tsp.routes.first_route import Chains, chains_of, first_route
from gpu.problems.tsp.routes.possible import NONE, why_impossible
from gpu.problems.tsp.routes.route_instance import Auxiliary, Barred, Edge, RouteInstance

PATH = "PATH"
"""What published lengths are those of, where they leave the fixed edge of a tour out."""

MOST_CITIES = 20_000  # of a route that needs a matrix
_AWAY = 3.0  # mean ways to the nearest city that a free end seems away, of 1, 3, 10, 30 and 100
_FARTHER = 1_000  # longest ways that a forbidden edge has at least, where distances allow it
_TWO = 2  # cities, all of whose routes have the edge between them
_NO_FEWER = 3  # cities of a tour, auxiliary ones among them
_AN_ENTRY = 6  # bytes of an entry of the matrix while it is made


def with_route(
    instance: TspInstance,
    start: int | None = None,
    end: int | None = None,
    *,
    closed: bool = True,
) -> TspInstance:
    """Return ``instance`` with routes that begin at ``start`` and end at ``end`` (from 0, or any).

    Where these are two cities, or there is an ``end`` alone, or it is not ``closed``, a route does
    not return to its start. Fixed and forbidden edges that the instance has, stay. InstanceError if
    no route can be so.
    """
    if start is not None and start == end and not closed:
        raise InstanceError(
            f"{instance.name}: an open route cannot begin and end at the same city: leave out that "
            "it is open, or one of both"
        )
    if isinstance(instance, RouteInstance):
        assert instance.base is not None
        return restricted(
            instance.base,
            start=start,
            end=end,
            closed=closed,
            fixed=instance.fixed,
            forbidden=instance.barred,
        )
    return restricted(instance, start=start, end=end, closed=closed)


def city_called(instance: TspInstance, text: str) -> int:
    """Return the city (from 0) with this name, or else this number as in the file.

    InstanceError if there is none, or several have that name.
    """
    names, real = instance.names[: instance.real_n], instance.real_n
    wanted = text.strip()
    for same in (str.strip, lambda name: " ".join(name.split()).casefold()):
        found = [city for city, name in enumerate(names) if name and same(name) == same(wanted)]
        if len(found) > 1:
            some = ", ".join(str(number) for number in instance.city_ids[found[:4]])
            raise InstanceError(
                f"{instance.name}: {counted(len(found), 'city')} are called {shortened(wanted)}: "
                f"give the number of one ({some}{', …' if len(found) > 4 else ''})"
            )
        if found:
            return found[0]
    ids = instance.city_ids[:real]
    if wanted.isascii() and wanted.isdigit() and len(wanted) < 19:
        at = int(np.searchsorted(ids, int(wanted)))
        if at < real and ids[at] == int(wanted):
            return at
    have = f"they have the numbers {ids[0]} to {ids[-1]}{', and names' if any(names) else ''}"
    raise InstanceError(f"{instance.name}: there is no city {shortened(wanted)}; {have}")


def calls_of(instance: TspInstance) -> list[str]:
    """Return what :func:`city_called` takes for each city: its name, or else its number."""
    numbers = [str(number) for number in instance.city_ids[: instance.real_n].tolist()]
    if not instance.names:
        return numbers
    names = [name.strip() for name in instance.names[: instance.real_n]]
    alike = [" ".join(name.split()).casefold() for name in names]
    counts = Counter(alike)
    return [
        name if name and counts[one] == 1 else number
        for name, one, number in zip(names, alike, numbers, strict=True)
    ]


def restricted(
    base: TspInstance,
    *,
    start: int | None = None,
    end: int | None = None,
    closed: bool = True,
    fixed: Iterable[Sequence[int]] = (),
    forbidden: Barred | None = None,
) -> TspInstance:
    """Return ``base`` with what is wanted of its routes; itself, if nothing is.

    Parameters
    ----------
    base
        The cities. Distances of its matrix that are forbidden may be any.
    start, end, closed
        See :func:`with_route`.
    fixed
        Edges, pairs of cities (from 0), that every route has; where distances are directed, from
        the first to the second. Their lengths count.
    forbidden
        (n, n): whether the edge from the row's city to the column's is forbidden. Where distances
        are symmetric, so must this be.

    InstanceError if no route can be so, in a sentence, or if it needs too much memory.
    """
    real = base.n
    for what, city in (("start", start), ("end", end)):
        if city is not None and not (is_whole(city) and 0 <= city < real):
            raise InstanceError(f"{base.name}: {what} = {city!r} is none of its {real} cities")
    if real < 2:
        raise InstanceError(f"{base.name}: it has one city; a route needs two")
    if end is not None and end == start:
        end = None
        closed = True
    closed = closed and end is None
    barred = _barred(base, forbidden)
    pairs = _fixed_pairs(base, fixed, barred)
    published = best_known_length(base.name, real, PATH) if len(pairs) == 1 and closed else None
    if published is not None:
        (start, end), pairs, closed = pairs[0], (), False
        path = restricted(base, start=start, end=end, forbidden=barred)
        note = f"{base.name} is taken for a path, as its published length is: its fixed edge joins"
        note = "; ".join(filter(None, (base.note, f"{note} the ends of an open route")))
        return replace(path, optimum=published, note=note)
    plain = closed and not pairs and barred is None
    if plain and real >= _NO_FEWER:
        if start is None:
            return base
        return _made(base, {"metric": base.metric, "matrix": base.matrix}, start=start)
    _check_size(base)
    if real == 2:
        pairs = ()  # every route has the edge between the two
        if not closed and base.directed and (start, end) != (None, None):
            start = 1 - int(end or 0) if start is None else start
            end = 1 - start
    chains = chains_of(base, pairs, start, end, closed=closed)
    wish: dict[str, Any] = {"start": start, "end": end, "closed": closed, "fixed": pairs}
    wish["barred"] = barred
    middles = () if base.directed else pairs
    auxiliary = _auxiliary(base, start, end, middles, closed=closed)
    if real + len(auxiliary) < _NO_FEWER:  # too few for a tour: the first way has a middle
        first = (0, 1) if start is None or end is None else (start, end)
        if barred is not None and barred[first]:
            raise InstanceError(f"{base.name}: it has no tour: its two cities have no edge")
        auxiliary = (_middle(base, first),)
    matrix = _matrix(base, barred, auxiliary)
    opens = not closed and None in (start, end)
    apart = _AWAY * _apart(matrix, real) if opens else 0.0
    if base.directed:
        _direct(matrix, start, end, pairs, closed=closed)
    else:
        _keep_inside(matrix, chains, real, auxiliary)
        if opens and not _tell_apart(matrix, chains, real, auxiliary):
            apart = 0.0
    wish["apart"] = apart
    return _with_penalty(base, matrix, auxiliary, chains, wish)


MOST_LAID_OUT = 2_000  # vertices of a graph up to which it is drawn by the lengths of its paths


def hamiltonian(
    name: str,
    n: int,
    edges: NDArray[np.integer],
    *,
    comment: str = "",
    directed: bool = False,
    closed: bool = True,
    start: int | None = None,
    end: int | None = None,
    display: NDArray[np.float64] | None = None,
    names: tuple[str, ...] = (),
) -> TspInstance:
    """Return the problem of a Hamiltonian cycle of a graph, or of a path that is not ``closed``.

    Each of its ``edges`` (m, 2), from 0, has length 1, and all others are forbidden: every cycle
    has length n, every path n - 1. InstanceError if there is none, where that shows at once.
    """
    barred = without(n, edges, directed=directed)
    ones = np.broadcast_to(np.int32(1), (n, n))
    computed = display is None
    if display is None:
        display = _graph_places(~barred)
    base = TspInstance(
        name, comment, Metric.EXPLICIT, None, ones, display, computed, directed, names=names
    )
    wanted = {"start": start, "end": end, "closed": closed}
    made = restricted(base, **wanted, forbidden=barred)  # type: ignore[arg-type]
    opened = isinstance(made, RouteInstance) and not made.closed
    return replace(made, optimum=n - opened)


def without(n: int, edges: NDArray[np.integer], *, directed: bool) -> Barred:
    """Return which edges are forbidden where only these ``edges`` (m, 2), from 0, are there."""
    barred = np.ones((n, n), np.bool_)
    first, second = np.asarray(edges, np.int64).reshape(-1, 2).T
    barred[first, second] = False
    if not directed:
        barred[second, first] = False
    np.fill_diagonal(barred, False)
    return barred


def _graph_places(joined: Barred) -> NDArray[np.float64]:
    """Lay out a graph so that places are as far apart as its paths are long; or as a circle."""
    n = len(joined)
    if n > MOST_LAID_OUT:
        return laid_out(np.zeros((n, n), np.int8))
    from scipy.sparse import csr_array  # slow to import
    from scipy.sparse.csgraph import shortest_path

    hops = shortest_path(csr_array(joined.astype(np.int8)), directed=False, unweighted=True)
    np.fill_diagonal(hops, 0.0)
    hops[np.isinf(hops)] = n
    return laid_out(hops.astype(np.int32))


def _fixed_pairs(
    base: TspInstance, fixed: Iterable[Sequence[int]], barred: Barred | None
) -> tuple[Edge, ...]:
    """Return the fixed edges, each once; InstanceError if one is none."""
    found: dict[Edge, Edge] = {}
    for edge in fixed:
        a, b = (int(city) for city in edge)
        if not (0 <= a < base.n and 0 <= b < base.n) or a == b:
            raise InstanceError(f"{base.name}: a fixed edge joins no two of its {base.n} cities")
        if barred is not None and barred[a, b]:
            ids = base.city_ids
            raise InstanceError(
                f"{base.name}: it has no tour: the edge from {ids[a]} to {ids[b]} is fixed, but "
                "there is none"
            )
        found.setdefault((a, b) if base.directed or a < b else (b, a), (a, b))
    return tuple(found.values())


def _barred(base: TspInstance, forbidden: Barred | None) -> Barred | None:
    """Return the forbidden edges; None where there is none."""
    if forbidden is None:
        return None
    given = np.array(forbidden, np.bool_)
    if given.shape != (base.n, base.n):
        raise InstanceError(f"{base.name}: forbidden is not of the shape ({base.n}, {base.n})")
    np.fill_diagonal(given, False)
    if not base.directed and not np.array_equal(given, given.T):
        raise InstanceError(f"{base.name}: an edge is forbidden there, but not back")
    return frozen(given) if given.any() else None


def _check_size(base: TspInstance) -> None:
    """Raise InstanceError if the matrix of distances would be too large."""
    n, free = base.n, free_memory()
    needed = n * n * _AN_ENTRY
    if n > MOST_CITIES:
        raise InstanceError(
            f"{base.name}: an open route, or fixed or forbidden edges, take a matrix of distances: "
            f"that is made of up to {MOST_CITIES:,} cities, and {n:,} would need "
            f"{needed / 2**30:,.1f} GiB"
        )
    if needed > free - SPARE:
        raise InstanceError(
            f"{base.name}: its {n:,} × {n:,} distances need {needed / 2**30:,.1f} GiB of memory, "
            f"but only {max(free - SPARE, 0) / 2**30:,.1f} GiB are free: close other programs"
        )


def _middle(base: TspInstance, edge: Edge) -> Auxiliary:
    a, b = edge
    length = int(base.distances(np.array(a), np.array(b)))
    ids = base.city_ids
    return Auxiliary(f"the middle of {ids[a]} – {ids[b]}", {a: 0, b: length}, edge)


def _auxiliary(
    base: TspInstance,
    start: int | None,
    end: int | None,
    middles: Sequence[Edge],
    *,
    closed: bool,
) -> tuple[Auxiliary, ...]:
    """Return the auxiliary cities: first where a route is open, then those of fixed edges."""
    real, found = base.n, list[Auxiliary]()
    anywhere = dict.fromkeys(range(real), 0)
    ends = [city for city in (start, end) if city is not None]
    if not closed and base.directed:
        if not ends:
            found = [Auxiliary("the end of the route", anywhere)]
    elif not closed and len(ends) == 2:
        found = [Auxiliary("the way back", dict.fromkeys(ends, 0))]
    elif not closed and len(ends) == 1:
        free = {city: 0 for city in anywhere if city != ends[0]}
        given = "end" if end is None else "start"
        found = [
            Auxiliary(f"the {given} of the route", {**free, real + 1: 0}),
            Auxiliary("the way back", {ends[0]: 0, real: 0}),
        ]
    elif not closed:
        found = [Auxiliary("the end of the route", anywhere)]
    return (*found, *(_middle(base, edge) for edge in middles))


def _matrix(
    base: TspInstance, barred: Barred | None, auxiliary: Sequence[Auxiliary]
) -> NDArray[np.int32]:
    """Return all distances, auxiliary cities last; NONE where there is no way."""
    real, n = base.n, base.n + len(auxiliary)
    matrix = np.full((n, n), NONE, np.int32)
    everyone = np.arange(real)

    def fill(rows: slice) -> None:
        matrix[rows.start : rows.stop, :real] = base.distances(everyone[rows, None], everyone)

    with ThreadPoolExecutor(usable_cores()) as pool:  # in blocks: no second matrix is made
        list(pool.map(fill, blocks(real, real)))
    if barred is not None:
        matrix[:real, :real][barred] = NONE
    for at, one in enumerate(auxiliary, real):
        for city, length in one.next_to.items():
            matrix[at, city] = matrix[city, at] = length
        if base.directed and one.edge is not None:
            a, b = one.edge
            matrix[at, a] = matrix[b, at] = NONE
    np.fill_diagonal(matrix, NONE)
    return matrix


def _keep_inside(
    matrix: NDArray[np.int32], chains: Chains, real: int, auxiliary: Sequence[Auxiliary]
) -> None:
    """Leave those ways alone that a route with fixed edges can have, where it is symmetric.

    Their length goes to the other ways of the two ends of each chain.
    """
    middles = [(at, one.edge) for at, one in enumerate(auxiliary, real) if one.edge]
    if real == _TWO or not middles:
        return
    for _, (a, b) in middles:
        matrix[a, b] = matrix[b, a] = NONE  # by the auxiliary city instead
    for chain in chains.paths:
        for city in chain[1:-1]:
            beside = [at for at, edge in middles if city in edge]
            kept = matrix[city, beside].copy()
            matrix[city] = NONE
            matrix[:, city] = NONE
            matrix[city, beside] = matrix[beside, city] = kept
        inside = _inside(chain, real, auxiliary)
        if not inside or chains.circle:
            continue
        length = int(matrix[np.ix_(inside, chain)].clip(min=0).sum(dtype=np.int64))
        if int(matrix.max()) + length <= LARGEST_DISTANCE:
            _set_inside(matrix, chain, inside, 0)
            _add_to_others(matrix, chain[0], inside, length // 2)
            _add_to_others(matrix, chain[-1], inside, length - length // 2)


def _inside(chain: Sequence[int], real: int, auxiliary: Sequence[Auxiliary]) -> list[int]:
    """Return the auxiliary cities in the middle of the edges of a chain."""
    return [at for at, one in enumerate(auxiliary, real) if one.edge and one.edge[0] in chain]


def _set_inside(
    matrix: NDArray[np.int32], cities: Sequence[int], beside: Sequence[int], length: int
) -> None:
    """Give the ways between ``cities`` and the auxiliary ones ``beside`` them this length."""
    ways = matrix[np.ix_(cities, beside)]
    ways[ways != NONE] = length
    matrix[np.ix_(cities, beside)] = ways
    matrix[np.ix_(beside, cities)] = ways.T


def _add_to_others(
    matrix: NDArray[np.int32], city: int, beside: Sequence[int], length: int
) -> None:
    """Add to the ways of ``city`` but those to the auxiliary cities ``beside`` it."""
    others = matrix[city] != NONE
    others[list(beside)] = False
    matrix[city, others] += length
    matrix[others, city] += length


def _tell_apart(
    matrix: NDArray[np.int32], chains: Chains, real: int, auxiliary: Sequence[Auxiliary]
) -> bool:
    """Give ways that every tour has length 1 instead of 0, which a free end is away of any city.

    So ants, to whom 0 seems far there, see what is near. What is added, other ways of the same
    city lose: no tour gets longer. Return whether these are long enough; else all stays.
    """
    changed = matrix.copy()
    for chain in chains.paths:
        inside = _inside(chain, real, auxiliary)
        if inside and (len(chain) == real or chains.circle):
            return False
        if inside:
            _set_inside(changed, chain, inside, 1)
            _add_to_others(changed, chain[0], inside, -len(inside))
            _add_to_others(changed, chain[-1], inside, -len(inside))
    back = next((at for at, one in enumerate(auxiliary, real) if real in one.next_to), None)
    if back is not None:
        (given,) = (city for city in auxiliary[back - real].next_to if city != real)
        at_end = any(given in chain and len(chain) > 1 for chain in chains.paths)
        _set_inside(changed, [real], [back], 1)
        if at_end:  # the way back is its only other one
            _set_inside(changed, [given], [back], int(changed[given, back]) - 1)
        else:
            _set_inside(changed, [given], [back], 1)
            _add_to_others(changed, given, [back], -2)
    lost = (matrix > 0) & (changed <= 0)
    lost |= (matrix == 0) & (changed < 0)
    if lost.any():
        return False
    matrix[:] = changed
    return True


def _direct(
    matrix: NDArray[np.int32],
    start: int | None,
    end: int | None,
    pairs: Sequence[Edge],
    *,
    closed: bool,
) -> None:
    """Change directed distances so that the way back is free, and fixed edges are the only ones."""
    if not closed and start is not None and end is not None:
        matrix[end, :] = matrix[:, start] = NONE
        matrix[end, start] = 0
    elif not closed and start is not None:
        matrix[:, start] = 0
        matrix[start, start] = NONE
    elif not closed and end is not None:
        matrix[end, :] = 0
        matrix[end, end] = NONE
    for a, b in pairs:
        length = matrix[a, b]
        matrix[a, :] = matrix[:, b] = NONE
        matrix[a, b] = length


def _with_penalty(
    base: TspInstance,
    matrix: NDArray[np.int32],
    auxiliary: tuple[Auxiliary, ...],
    chains: Chains,
    wish: Mapping[str, Any],
) -> TspInstance:
    """Give what is forbidden in ``matrix`` a distance, and return the instance.

    With a route at hand, whatever costs more is not worth while: a forbidden edge costs a little
    more than that route. Without one, it costs more than any route could.
    """
    made: dict[str, Any] = {"metric": Metric.EXPLICIT, "matrix": matrix, "auxiliary": auxiliary}
    made |= wish
    none = matrix < 0
    np.fill_diagonal(none, False)
    np.fill_diagonal(matrix, 0)
    if not none.any():
        return _made(base, made)
    matrix[none] = NONE
    route = first_route(matrix, base.n, chains)
    if route is None:

        def called(city: int) -> str:
            if city >= base.n:
                return auxiliary[city - base.n].name
            return (base.names and base.names[city]) or f"city {base.city_ids[city]}"

        np.fill_diagonal(matrix, NONE)
        if why := why_impossible(matrix, called, directed=base.directed):
            raise InstanceError(f"{base.name}: it has no tour: {why}")
        np.fill_diagonal(matrix, 0)
        penalty = int(matrix.max(axis=1).sum(dtype=np.int64)) + 1
    else:
        path = RouteOrder(route, chains.closed).path
        penalty = int(base.distances(path[:-1], path[1:]).sum()) + 1
    farthest = _FARTHER * int(matrix.max())
    penalty = max(penalty, farthest if farthest <= LARGEST_DISTANCE else 0)
    while (matrix == penalty).any():  # so that no other edge has this length
        penalty += 1
    if penalty > LARGEST_DISTANCE:
        raise InstanceError(
            f"{base.name}: a forbidden edge must be longer than any tour, but distances are at "
            f"most {LARGEST_DISTANCE:,}: divide its distances by {penalty // LARGEST_DISTANCE + 1}"
        )
    matrix[none] = penalty
    instance = _made(base, {**made, "penalty": penalty})
    return instance if route is None else replace(instance, first_tour=instance.tour_of(route))


def _apart(matrix: NDArray[np.int32], real: int) -> float:
    """Return the mean distance of a city to the nearest other one that is not at its place."""
    nearest = list[int]()
    for row in matrix[:real, :real]:
        lengths = row[row > 0]
        if lengths.size:
            nearest.append(int(lengths.min()))
    return float(np.mean(nearest)) if nearest else 0.0


def _made(base: TspInstance, changed: Mapping[str, Any], **wish: Any) -> RouteInstance:
    """Return an instance as ``base``, but for what is ``changed``."""
    values: dict[str, Any] = {one.name: getattr(base, one.name) for one in fields(base) if one.init}
    values |= changed
    auxiliary: Sequence[Auxiliary] = values.get("auxiliary", ())
    if values["metric"] is Metric.EXPLICIT:
        frozen(values["matrix"])
        values["coordinates"] = None
    values |= _of_all(base, auxiliary)
    if values["metric"] is Metric.EXPLICIT and "auxiliary" in changed:
        # What is known of closed tours, and is the best of them, is not known of these.
        values |= {"optimum": None, "optimum_by_user": False, "optimal_tour": None}
    return RouteInstance(**values, **wish, base=base)


def _of_all(base: TspInstance, auxiliary: Sequence[Auxiliary]) -> dict[str, Any]:
    """Return places, numbers and names of all cities, auxiliary ones last."""
    if not auxiliary:
        return {}
    count, real = len(auxiliary), base.n
    places = np.empty((count, 2))
    for at, one in enumerate(auxiliary):  # amid the cities beside it; none is drawn
        beside = [city for city in one.next_to if city < real] or [0]
        places[at] = base.display[beside].mean(axis=0)
    found: dict[str, Any] = {"display": frozen(np.vstack((base.display, places)))}
    if base.ids is not None:
        more = base.ids[-1] + 1 + np.arange(count)
        found["ids"] = frozen(np.concatenate((base.ids, more)))
    if base.names:
        found["names"] = (*base.names, *(one.name for one in auxiliary))
    return found
