"""Fixed edges as chains of cities, and a first route through them, to the nearest each time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import InstanceError
from gpu.problems.tsp.instance import TspInstance

_BEGINNINGS = 8  # cities from which a route is tried, where any can be the first
_FEW = 2_000  # cities up to which it is tried from several
_BEYOND_ALL = np.int64(np.iinfo(np.int64).max)


@dataclass(frozen=True, slots=True)
class Chains:
    """Cities that fixed edges join, each city in one chain; most are alone."""

    paths: tuple[tuple[int, ...], ...]
    first: int | None  # which begins the route, from its first city on; None if any can
    last: int | None  # which ends it, with its last city
    closed: bool
    directed: bool  # whether a chain can be passed in one direction alone
    circle: bool = False  # whether there is one chain, whose end is joined to its beginning


def chains_of(
    base: TspInstance,
    pairs: Sequence[tuple[int, int]],
    start: int | None,
    end: int | None,
    *,
    closed: bool,
) -> Chains:
    """Return the chains of fixed edges; InstanceError if no route can have them all."""
    after: dict[int, list[int]] = {}
    before: dict[int, list[int]] = {}
    for a, b in pairs:
        after.setdefault(a, []).append(b)
        (before if base.directed else after).setdefault(b, []).append(a)
    for city, others in (*after.items(), *before.items()):
        if len(others) > (1 if base.directed else 2):
            raise _impossible(base, f"too many fixed edges meet at city {base.city_ids[city]}")
    heads = [
        city
        for city in range(base.n)
        if (not before.get(city) if base.directed else len(after.get(city, ())) < 2)
    ]
    seen, paths = set[int](), list[tuple[int, ...]]()
    for head in heads:
        if head in seen:
            continue
        path = _followed(head, after)
        seen.update(path)
        paths.append(path)
    if len(seen) < base.n:  # what is left goes in circles
        rest = next(city for city in range(base.n) if city not in seen)
        circle = _followed(rest, after)
        if len(circle) < base.n or not closed:
            raise _impossible(base, "its fixed edges join some cities to a circle")
        return Chains((circle,), None, None, closed, base.directed, circle=True)
    first, last = _ends(base, paths, None if closed else start, None if closed else end)
    return Chains(tuple(paths), first, last, closed, base.directed)


def _followed(head: int, after: dict[int, list[int]]) -> tuple[int, ...]:
    """Return the chain from ``head`` on, or once around."""
    path, seen = [head], {head}
    while following := [city for city in after.get(path[-1], ()) if city not in seen]:
        path.append(following[0])
        seen.add(following[0])
    return tuple(path)


def _ends(
    base: TspInstance, paths: list[tuple[int, ...]], start: int | None, end: int | None
) -> tuple[int | None, int | None]:
    """Turn the chains of start and end so that they begin and end with them; return which."""
    found: list[int | None] = [None, None]
    for which, city in ((0, start), (-1, end)):
        if city is None:
            continue
        at = next(at for at, path in enumerate(paths) if city in path)
        path = paths[at]
        if path[which] != city and not base.directed:
            path = path[::-1]
        if path[which] != city:
            where = "begin" if which == 0 else "end"
            raise _impossible(
                base, f"no route can {where} at city {base.city_ids[city]}, for its fixed edges"
            )
        paths[at] = path
        found[which] = at
    first, last = found
    if first is not None and first == last:
        path = paths[first]
        if path[0] != start or path[-1] != end or len(path) < base.n:
            raise _impossible(base, "its fixed edges join the start to the end")
    return first, last


def _impossible(base: TspInstance, why: str) -> InstanceError:
    return InstanceError(f"{base.name}: it has no tour: {why}")


def first_route(matrix: NDArray[np.int32], real: int, chains: Chains) -> NDArray[np.int32] | None:
    """Return a route through the ``real`` cities that always goes on to the nearest; or None.

    Where the ``matrix`` is negative, there is no way. Not every route that exists is found.
    """
    best, least = None, int(_BEYOND_ALL)
    if chains.first is not None:
        beginnings = [chains.first]
    else:
        count = _BEGINNINGS if real <= _FEW else 1
        among = [at for at in range(len(chains.paths)) if at != chains.last or real == 1]
        among = among or [0]
        beginnings = among[:: max(1, len(among) // count)][:count]
    for beginning in beginnings:
        found = _nearest(matrix, real, chains, beginning)
        if found is not None and found[1] < least:
            best, least = found
    return best


def _nearest(
    matrix: NDArray[np.int32], real: int, chains: Chains, beginning: int
) -> tuple[NDArray[np.int32], int] | None:
    """Return the route that begins with this chain, and how long its ways between chains are."""
    entered = np.zeros(real, np.bool_)  # whether a chain that is left begins here
    chain_at = {}
    for at, path in enumerate(chains.paths):
        if at in (beginning, chains.last):
            continue
        for city in path[:1] if chains.directed else (path[0], path[-1]):
            entered[city] = True
            chain_at[city] = at
    route, length = list(chains.paths[beginning]), 0
    for _ in range(len(chains.paths) - 1 - (chains.last not in (None, beginning))):
        row = matrix[route[-1], :real]
        ways = np.where(entered & (row >= 0), row, _BEYOND_ALL)
        city = int(ways.argmin())
        if ways[city] == _BEYOND_ALL:
            return None
        length += int(ways[city])
        path = chains.paths[chain_at[city]]
        entered[[path[0], path[-1]]] = False
        route += path if path[0] == city else path[::-1]
    if chains.last not in (None, beginning):
        assert chains.last is not None
        path = chains.paths[chains.last]
        if matrix[route[-1], path[0]] < 0:
            return None
        length += int(matrix[route[-1], path[0]])
        route += path
    if chains.closed and not chains.circle:
        if matrix[route[-1], route[0]] < 0:
            return None
        length += int(matrix[route[-1], route[0]])
    return np.array(route, np.int32), length
