"""Whether there can be a tour where some edges are forbidden: what shows that there is none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

NONE = -1  # distance where there is no way

_MOST_EDGES = 5_000_000  # ways up to which more than their number at each city is looked at
_FEW = 16  # cities up to which all tours are looked at

Called = Callable[[int], str]
"""What a city is called."""


def why_impossible(matrix: NDArray[np.int32], called: Called, *, directed: bool) -> str:
    """Return why no tour can avoid the entries NONE; an empty text where that is not shown."""
    there = matrix >= 0
    if why := _lonely(there, called, directed=directed):
        return why
    if np.count_nonzero(there) > _MOST_EDGES:
        return ""
    if why := _apart(there, called, directed=directed):
        return why
    if len(matrix) <= _FEW and not _has_tour(there):
        return "every one needs a forbidden edge"
    return ""


def _lonely(there: NDArray[np.bool_], called: Called, *, directed: bool) -> str:
    """Return that a city has too few ways."""
    away, to = there.sum(axis=1), there.sum(axis=0)
    if directed:
        for ways, where in ((away, "away from"), (to, "to")):
            if not ways.all():
                return f"no way leads {where} {called(int(ways.argmin()))}"
        return ""
    least = int(away.argmin())
    if away[least] < 2:
        ways = "no way leads" if not away[least] else "only one way leads"
        return f"{ways} to {called(least)}, and a tour needs two"
    return ""


def _apart(there: NDArray[np.bool_], called: Called, *, directed: bool) -> str:
    """Return that cities are in several parts, or that too many have the same few neighbours."""
    from scipy.sparse import csr_array  # slow to import
    from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

    ways = csr_array(there.astype(np.int8))
    count, part = connected_components(ways, directed=directed, connection="strong")
    if count > 1:
        other = int((part != part[0]).argmax())
        return f"no ways lead from {called(0)} to {called(other)} and back"
    if not directed and (cut := _cut_city(ways)) is not None:
        return f"without {called(cut)} its cities fall into parts, and a tour passes it only once"
    if (maximum_bipartite_matching(ways, perm_type="column") < 0).any():
        return "some cities have so few neighbours that not each can be followed by another one"
    return ""


def _cut_city(ways: object) -> int | None:
    """Return a city without which the others are not connected (Hopcroft and Tarjan 1973)."""
    indptr: list[int] = ways.indptr.tolist()  # type: ignore[attr-defined]
    indices: list[int] = ways.indices.tolist()  # type: ignore[attr-defined]
    n = len(indptr) - 1
    found, low, before, at = [0] * n, [0] * n, [-1] * n, list(indptr[:-1])
    found[0] = low[0] = count = 1
    path, from_first = [0], 0
    while path:
        city = path[-1]
        if at[city] < indptr[city + 1]:
            other = indices[at[city]]
            at[city] += 1
            if not found[other]:
                count += 1
                found[other] = low[other] = count
                before[other] = city
                path.append(other)
            elif other != before[city]:
                low[city] = min(low[city], found[other])
            continue
        path.pop()
        if not path:
            break
        parent = path[-1]
        low[parent] = min(low[parent], low[city])
        if parent == 0:
            from_first += 1
        elif low[city] >= found[parent]:
            return parent
    return 0 if from_first > 1 else None


def _has_tour(there: NDArray[np.bool_]) -> bool:
    """Whether there is a tour through these few cities, by all their subsets (Bellman 1962)."""
    n = len(there)
    weights = 1 << np.arange(n)
    before = (there.T * weights).sum(axis=1).tolist()  # of each city: from where ways lead to it
    ends = [0] * (1 << n)  # of each subset with city 0: at which cities a path from 0 can end
    ends[1] = 1
    for subset in range(3, 1 << n, 2):
        found = 0
        for city in range(1, n):
            bit = 1 << city
            if subset & bit and ends[subset ^ bit] & before[city]:
                found |= bit
        ends[subset] = found
    return bool(ends[-1] & before[0])
