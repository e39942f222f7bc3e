"""An instance whose routes are open, or have fixed or forbidden edges: what a user sees of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gpu.core.arguments import path_of
from gpu.core.arrays import frozen
from gpu.core.errors import InstanceError, SolutionError
from gpu.core.instance import chosen_evenly
from gpu.core.words import counted
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import CityWords, RouteOrder, TspInstance

Barred = NDArray[np.bool_]
"""Whether the edge from the row's city to the column's is forbidden."""

Edge = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Auxiliary:
    """A city that is none of the file's: only those it is ``next_to`` are beside it on a tour."""

    name: str  # what it stands for
    next_to: Mapping[int, int]  # distances to the cities that may be beside it; there are no others
    edge: Edge | None = None  # in the middle of which edge it is; None: at an end of the route


@dataclass(frozen=True, slots=True, eq=False)
class RouteInstance(TspInstance):
    """A problem whose routes begin or end where the user says, or have fixed or forbidden edges.

    The first ``real_n`` cities are those of ``base``; any others are auxiliary.
    """

    base: TspInstance | None = field(default=None, kw_only=True)  # with the real cities alone
    start: int | None = field(default=None, kw_only=True)  # from 0; None where it may be any city
    end: int | None = field(default=None, kw_only=True)  # of an open route
    closed: bool = field(default=True, kw_only=True)  # whether it returns to its start
    fixed: tuple[Edge, ...] = field(default=(), kw_only=True)  # edges that every route has
    # (real_n, real_n): whether an edge is forbidden; None where none is
    barred: Barred | None = field(default=None, kw_only=True)
    auxiliary: tuple[Auxiliary, ...] = field(default=(), kw_only=True)
    # distance of a forbidden edge, more than a whole route has; 0 where there is none
    penalty: int = field(default=0, kw_only=True)
    # mean distance of cities that are neighbours, where an end is free; else 0
    apart: float = field(default=0.0, kw_only=True)

    @property
    def real_n(self) -> int:
        """How many cities are the user's."""
        return self.n - len(self.auxiliary)

    @property
    def measured(self) -> Metric:
        """The metric of the real cities."""
        return self.metric if self.base is None else self.base.metric

    @property
    def size(self) -> str:
        """How large it is, and what is wanted of its routes, in words."""
        wish = self.wish
        return f"{counted(self.real_n, 'city', f'{self.real_n:,}')}{f', {wish}' if wish else ''}"

    @property
    def wish(self) -> str:
        """What is wanted of its routes, in words."""
        parts = []
        if not self.closed:
            parts.append("an open route")
        if self.start is not None:
            parts.append(f"from {self._called(self.start)}")
        if self.end is not None:
            parts.append(f"to {self._called(self.end)}")
        return ", ".join(filter(None, (" ".join(parts), self.edges_wanted)))

    @property
    def edges_wanted(self) -> str:
        """What is wanted of the edges of its routes, in words."""
        fixed = counted(len(self.fixed), "fixed edge") if self.fixed else ""
        return ", ".join(filter(None, (fixed, "" if self.barred is None else "forbidden edges")))

    @property
    def said(self) -> list[str]:
        """What a user should be told of it, and what is wanted of its routes."""
        return [*super(RouteInstance, self).said, *([self.wish] if self.wish else [])]

    def _called(self, city: int) -> str:
        """Return the name of a city, or its number where it has none."""
        name = self.names[city] if self.names else ""
        return name or self.city_words.called(city)

    @property
    def shortest(self) -> float:
        """Length that stands for 0 in η: where a free end is everywhere near, more than usual.

        An ant would else leave off at once, wherever it began.
        """
        return self.apart or super(RouteInstance, self).shortest

    @property
    def forbidden_from(self) -> int | None:
        """The least length of a tour with a forbidden edge, which is no route."""
        return self.penalty or None

    @property
    def nothing_found(self) -> str:
        """What is said of a run that has no route at its end."""
        if not self.penalty:
            return super(RouteInstance, self).nothing_found
        return "no tour without a forbidden edge was found"

    @property
    def facts(self) -> Mapping[str, int | str | bool]:
        """What an ordinary instance has, and what is wanted."""
        return {**super(RouteInstance, self).facts, "route": self.wish}

    @property
    def _gap(self) -> int | None:
        """The auxiliary city where an open route begins or ends at will; None without one."""
        opens = not self.closed and bool(self.auxiliary) and self.auxiliary[0].edge is None
        return self.real_n if opens else None

    @property
    def city_words(self) -> CityWords:
        """What its cities are called in sentences."""
        auxiliary = [one.name for one in self.auxiliary]
        return CityWords(self.real_n, self.ids, auxiliary, self.penalty)

    def on_route(self, edges: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return whether a route can have each of the ``edges`` (k, 2), from 0.

        It has none that is forbidden, none to an auxiliary city, and not the way back, which of a
        directed open route costs nothing.
        """
        first, second = edges.T
        found: NDArray[np.bool_] = np.asarray((edges < self.real_n).all(axis=1))
        if self.penalty and self.matrix is not None:
            found &= self.matrix[first, second] != self.penalty
        if self.directed and not self.closed:
            found &= second != (-1 if self.start is None else self.start)
            found &= first != (-1 if self.end is None else self.end)
        return found

    def route_of(self, solution: NDArray[np.integer]) -> RouteOrder:
        """Return the real cities of a tour, in their order from the start, or to the end."""
        tour, gap, start, end = solution, self._gap, self.start, self.end
        if gap is not None:
            tour = _from(tour, gap)
        tour = tour[tour < self.real_n]
        if gap is None:
            if start is not None:
                tour = _from(tour, start)
            elif end is not None:
                tour = _from(tour, end, after=1)
        elif not self.directed and (
            (start is not None and tour[0] != start) or (end is not None and tour[-1] != end)
        ):
            tour = tour[::-1]
        return RouteOrder(tour, self.closed)

    def tour_of(self, cities: NDArray[np.integer], *, turned: bool = False) -> NDArray[np.int32]:
        """Return the tour of a route through ``cities``; SolutionError if it is not as wanted.

        With ``turned`` they are those of a closed tour, of which a route leaves an edge out.
        """
        if not (turned or self.closed):
            self._check_ends(cities)
        tour = self._turned(cities).tolist()
        middles = {one.edge: self.real_n + at for at, one in enumerate(self.auxiliary) if one.edge}
        if middles:
            between = list[int]()
            for a, b in zip(tour, tour[1:] + tour[:1], strict=True):
                between.append(a)
                middle = middles.pop((a, b), None)
                if middle is None and not self.directed:
                    middle = middles.pop((b, a), None)
                between += [] if middle is None else [middle]
            tour = between
        open_ = [self.real_n + at for at, one in enumerate(self.auxiliary) if one.edge is None]
        # The gap is beside the end that is free, and the way back beside the other one.
        tour += open_[::-1] if self.end is not None and self.start is None else open_
        found = np.array(tour, np.int32)
        if middles:
            raise SolutionError(f"a route through {self.name} misses a fixed edge")
        return self._checked(frozen(found))

    def _check_ends(self, cities: NDArray[np.integer]) -> None:
        """Raise SolutionError if a route does not begin and end as wanted."""
        ways = [(cities[0], cities[-1])] if self.directed else [(cities[0], cities[-1])] * 2
        if not self.directed:
            ways[1] = ways[1][::-1]
        for first, last in ways:
            if self.start in (None, first) and self.end in (None, last):
                return
        raise SolutionError(f"a route through {self.name} is not {self.wish}")

    def _turned(self, cities: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return ``cities`` from the start, or to the end."""
        start, end = self.start, self.end
        for one in (cities,) if self.directed else (cities, cities[::-1]):
            turned = one
            if start is not None:
                turned = _from(one, start)
            elif end is not None:
                turned = _from(one, end, after=1)
            if end is None or turned[-1] == end:
                return turned
        assert end is not None
        raise SolutionError(f"a route through {self.name} does not end at {self._called(end)}")

    def written(self, solution: NDArray[np.integer]) -> list[int]:
        """A route in the city numbers of the file, from its start."""
        assert self.base is not None
        return self.base.written(self.route_of(solution).cities)

    def read(self, written: Sequence[int]) -> NDArray[np.int32]:
        """A route that is written in the city numbers of the file; see :class:`Instance`."""
        assert self.base is not None
        return self.tour_of(self.base.read(written))

    def solution_from(self, given: Sequence[int] | NDArray[Any]) -> NDArray[np.int32]:
        """Return the tour of a route through real cities; or a tour, with auxiliary ones."""
        if self.auxiliary and len(given) == self.n:
            return self._checked(super(RouteInstance, self).solution_from(given))
        assert self.base is not None
        return self.tour_of(self.base.solution_from(given))

    def _checked(self, tour: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return ``tour``; SolutionError if it has a forbidden edge."""
        legs = self.distances(tour, np.roll(tour, -1))
        if self.penalty and (legs == self.penalty).any():
            raise SolutionError(f"a route through {self.name} has a forbidden edge")
        return tour

    def write(self, path: Path, solution: NDArray[np.integer], comment: str = "") -> None:
        """Write a route as a TSPLIB ``.tour`` file, in its order; see :class:`Instance`."""
        assert self.base is not None
        self.cost_of(solution)
        path = path_of(path, SolutionError, "name the file to write")
        said = [str(comment)] if comment else []
        said += [] if self.closed else ["an open route: it does not return to its start"]
        self.base.write(path, self.route_of(solution).cities, "\n".join(said))

    def load_solution(self, path: str | Path, data: bytes | None = None) -> NDArray[np.int32]:
        """Load a route from a TSPLIB ``.tour`` file; see :class:`Instance`."""
        assert self.base is not None
        cities = self.base.load_solution(path, data)
        try:
            return self.tour_of(cities, turned=True)
        except SolutionError as error:
            raise InstanceError(f"{path}: {error}") from error

    def digest(self) -> str:
        """SHA-256 of the real cities and of what is wanted; see :class:`Instance`."""
        assert self.base is not None
        wanted = f"{self.start} {self.end} {self.closed} {self.fixed}"
        found = hashlib.sha256(f"{self.base.digest()} {wanted}".encode())
        if self.barred is not None:
            found.update(np.packbits(self.barred).tobytes())
        return found.hexdigest()

    @property
    def why_not_editable(self) -> str:
        """Why its cities cannot be edited."""
        return f"{self.name} has a route that is wanted ({self.wish}): its cities stay as they are"

    def with_optimum(self, cost: int) -> Self:
        """Return it with this best-known length."""
        return replace(self, optimum=cost, optimum_by_user=True, optimal_tour=None)

    def part(self, size: int) -> Self:
        """Choose ``size`` cities evenly, auxiliary ones among them where there are some."""
        assert self.base is not None
        return self.restricted_to(chosen_evenly(self.n, size))

    def restricted_to(self, kept: NDArray[np.integer]) -> Self:
        """Return the instance of the cities ``kept``, in that order: as measurements need it.

        It is of the same distances, and none of its tours is shown: they need no ends.
        """
        part = TspInstance.restricted_to(self, kept)
        return replace(part, base=part)


def _from(tour: NDArray[np.integer], city: int, after: int = 0) -> NDArray[np.integer]:
    """Return ``tour`` from ``city`` on, or from so many places ``after`` it."""
    return np.roll(tour, -int(np.flatnonzero(tour == city)[0]) - after)
