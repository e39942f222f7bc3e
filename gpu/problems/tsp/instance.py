"""Instances: what every colony, view and export is given."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from gpu.core.arguments import described, numbers_in, path_of
from gpu.core.arrays import frozen
from gpu.core.errors import InstanceError, SolutionError
from gpu.core.formats import whole
from gpu.core.instance import EDITED, MOST_EDITS, CityEdit, Edited, Instance, chosen_evenly
from gpu.core.legacy import NEW
from gpu.core.machine.blocks import taken
from gpu.core.machine.processors import usable_cores
from gpu.core.problem import Problem
from gpu.core.words import counted
from gpu.problems.document import text_of_cities
from gpu.problems.tsp.distances import (
    LARGEST_COORDINATE,
    LARGEST_DISTANCE,
    SHORTEST,
    Metric,
    blocks,
    longest_possible,
    pairwise,
)
from gpu.problems.tsp.tours import read_tour

_ON_THE_MAP = (
    Metric.EUC_2D, Metric.CEIL_2D, Metric.FLOOR_2D, Metric.MAN_2D, Metric.MAX_2D, Metric.ATT
)  # fmt: skip
EDITED_MOST = 1_000_000  # cities of an instance that can be edited on its map
_NUMBERS_AT_ONCE = 20_000  # numbers of a tour that are listed without a pause
_EDGES_AT_ONCE = 1 << 17  # that a core measures, of tours of twice as many cities or more


class CityWords(NamedTuple):
    """What cities are called in sentences: by their numbers in the file.

    Auxiliary ones, which come last, are none of the file's: they are called what they stand for.
    """

    real: int  # how many cities the file has
    ids: NDArray[np.int64] | None = None  # their numbers in the file; None: from 1 on
    auxiliary: Sequence[str] = ()
    penalty: int = 0  # the length of forbidden edges; 0 where there is none

    def length(self, length: int) -> str:
        """Return the length of an edge; a forbidden one has none."""
        return "forbidden" if self.penalty and length == self.penalty else whole(length)

    def short(self, city: int) -> str:
        """Return it as short as it can be: 7, or the way back."""
        if city < self.real:
            return str(city + 1 if self.ids is None else self.ids[city])
        return self.auxiliary[city - self.real]

    def called(self, city: int) -> str:
        """Return it within a sentence: city 7, or the way back."""
        return f"city {self.short(city)}" if city < self.real else self.short(city)


class RouteOrder(NamedTuple):
    """What a tour is to its user: cities in their order, and whether the last leads to the first.

    Whatever draws, lists or writes a tour does it by this.
    """

    cities: NDArray[np.integer]  # (real_n,): from 0; none of them is auxiliary
    closed: bool

    @property
    def path(self) -> NDArray[np.integer]:
        """The cities, and if it is closed the first once more: each leg is between two of them."""
        return np.append(self.cities, self.cities[:1]) if self.closed else self.cities


@dataclass(frozen=True, slots=True, eq=False)
class TspInstance(Instance):
    """A travelling-salesman instance; arrays are read-only."""

    problem: ClassVar[Problem] = Problem.TSP
    fewest: ClassVar[int] = 3

    metric: Metric  # rule of the distances
    # (n, 2) or (n, 3): what the metric measures between; None for EXPLICIT
    coordinates: NDArray[np.float64] | None
    matrix: NDArray[np.int32] | None  # (n, n): the distances of an EXPLICIT instance, row to column
    display: NDArray[np.float64]  # (n, 2): where to draw each city, y up
    computed_layout: bool = False  # whether ``display`` was computed, as the file has no places
    directed: bool = False  # ATSP: the distances from i to j and from j to i may differ
    # (n,): a tour as long as ``optimum``, 0-based, where known
    optimal_tour: NDArray[np.int32] | None = None
    # (n,): the cities' numbers in the file, ascending; None where they are 1 to n
    ids: NDArray[np.int64] | None = None
    names: tuple[str, ...] = ()  # of the cities, some of them empty; () where the file has none
    # what runs begin with; None where the nearest neighbours make a tour
    first_tour: NDArray[np.int32] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        self.check_fields()
        if not isinstance(self.metric, str) or self.metric not in Metric.__members__:
            raise InstanceError(f"metric = {described(self.metric)} is none of {', '.join(Metric)}")
        object.__setattr__(self, "metric", Metric(self.metric))
        object.__setattr__(self, "display", _places("display", self.display, (2,)))
        object.__setattr__(self, "n", len(self.display))
        if not self.n:
            raise InstanceError("it has no cities")
        if self.metric is Metric.EXPLICIT:
            if self.matrix is None:
                raise InstanceError("the metric EXPLICIT needs a matrix")
            object.__setattr__(self, "matrix", _whole(self.matrix, self.n))
        elif self.matrix is not None:
            raise InstanceError(f"it has a matrix, but its metric is {self.metric}")
        else:
            places = _places("coordinates", self.coordinates, (2, 3))
            object.__setattr__(self, "coordinates", places)
            if longest_possible(self.metric, places) > LARGEST_DISTANCE:
                raise InstanceError(f"distances may exceed {LARGEST_DISTANCE}; scale it down")
            if len(places) != self.n:
                raise InstanceError(f"coordinates has {len(places)} places, and display {self.n}")
        for what in ("ids", "optimal_tour"):
            value = getattr(self, what)
            if value is not None and not (
                isinstance(value, np.ndarray) and value.shape == (self.n,)
            ):
                raise InstanceError(f"{what} is not an array of shape ({self.n},)")
        if not isinstance(self.names, tuple) or len(self.names) not in (0, self.n):
            raise InstanceError(f"names is not a tuple of {self.n} names, or an empty one")

    @property
    def size(self) -> str:
        """How large it is, in words."""
        return counted(self.n, "city", f"{self.n:,}")

    @property
    def shortest(self) -> float:
        """Length that stands for 0 in η = 1/d; distances from 1 on stand for themselves."""
        return SHORTEST

    @property
    def measured(self) -> Metric:
        """The metric of the user's cities, whatever their distances are kept as."""
        return self.metric

    @property
    def city_ids(self) -> NDArray[np.int64]:
        """Number of each city in the file, as tours are written; int64, shape (n,)."""
        return np.arange(1, self.n + 1) if self.ids is None else self.ids

    @property
    def edges_wanted(self) -> str:
        """What is wanted of the edges of its routes, in words; mostly empty."""
        return ""

    @property
    def city_words(self) -> CityWords:
        """What its cities are called in sentences: auxiliary ones by what they stand for."""
        return CityWords(self.real_n, self.ids)

    def on_route(self, edges: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return whether a route can have each of the ``edges`` (k, 2), from 0."""
        return np.ones(len(edges), np.bool_)

    @property
    def known_solution(self) -> NDArray[np.int32] | None:
        """The tour that came with it."""
        return self.optimal_tour

    @property
    def map_places(self) -> NDArray[np.float64]:
        """Where to draw the cities."""
        return self.display

    def route_of(self, solution: NDArray[np.integer]) -> RouteOrder:
        """Return what of a tour is drawn, listed and written, in its order."""
        return RouteOrder(solution, closed=True)

    def distances(self, a: NDArray[np.integer], b: NDArray[np.integer]) -> NDArray[np.int64]:
        """Distances from cities ``a`` to cities ``b`` (arrays that broadcast), exact int64.

        They equal ``tsplib95``'s own function, pair by pair, also from a city to itself (where GEO
        gives 1, and a matrix whatever stands on its diagonal).
        """
        if self.matrix is not None:
            entries: NDArray[np.int32] = self.matrix[a, b]
            return entries.astype(np.int64)
        assert self.coordinates is not None
        return pairwise(self.metric, self.coordinates[a], self.coordinates[b])

    def all_distances(self) -> NDArray[np.int32]:
        """All distances, row to column, computed in blocks of rows; int32, shape (n, n)."""
        if self.matrix is not None:
            return self.matrix
        everyone = np.arange(self.n)
        result = np.empty((self.n, self.n), np.int32)
        for rows in blocks(self.n, self.n):
            result[rows] = self.distances(everyone[rows, None], everyone)
        return result

    def tour_length(self, tour: NDArray[np.integer]) -> int:
        """Exact length of the closed ``tour`` (0-based, shape (n,)), summed in int64."""
        following = np.roll(tour, -1)

        def total(edges: slice) -> int:
            return int(self.distances(tour[edges], following[edges]).sum(dtype=np.int64))

        if len(tour) < 2 * _EDGES_AT_ONCE:
            return total(slice(None))
        parts = [slice(at, at + _EDGES_AT_ONCE) for at in range(0, len(tour), _EDGES_AT_ONCE)]
        with ThreadPoolExecutor(min(usable_cores(), len(parts))) as pool:
            return sum(pool.map(total, parts))

    def cost_of(self, solution: NDArray[np.integer]) -> int:
        """Exact length of a closed tour, which is checked to be one; see :class:`Instance`."""
        return self.tour_length(self._tour(solution))

    def _tour(self, solution: object) -> NDArray[np.integer]:
        """Return a tour, or raise SolutionError if it is none."""
        tour, n = numbers_in(solution, "iu"), self.n
        if (
            tour is None
            or tour.shape != (n,)
            or tour.min() < 0
            or tour.max() >= n
            or not _marked(tour, n).all()
        ):
            raise SolutionError(f"a route through {self.name} does not visit each city once")
        return tour

    def with_optimum(self, cost: int) -> Self:
        """Return it with this best-known length, and with its tour if that is as long."""
        given, tour = super(TspInstance, self).with_optimum(cost), self.optimal_tour
        fits = tour is None or self.tour_length(tour) == cost
        return given if fits else replace(given, optimal_tour=None)

    @property
    def facts(self) -> Mapping[str, int | str | bool]:
        """Metric and direction, and whether the user gave the best known length."""
        given: dict[str, bool] = {"optimum_by_user": True} if self.optimum_by_user else {}
        return {"metric": self.measured.value, "directed": self.directed, **given}

    def written(self, solution: NDArray[np.integer]) -> list[int]:
        """A tour in the city numbers of the file."""
        ids, numbers = self.city_ids[solution], list[int]()
        # Piece by piece: while NumPy makes a list, no other thread of Python can work.
        for first in range(0, len(ids), _NUMBERS_AT_ONCE):
            numbers += ids[first : first + _NUMBERS_AT_ONCE].tolist()
        return numbers

    def read(self, written: Sequence[int]) -> NDArray[np.int32]:
        """A tour that is written in the city numbers of the file; see :class:`Instance`."""
        numbers, ids = self.numbers_of(written), self.city_ids
        places = np.minimum(np.searchsorted(ids, numbers), self.n - 1)
        if (ids[places] != numbers).any():
            raise SolutionError(f"what is written visits a city that {self.name} does not have")
        return frozen(self._tour(places).astype(np.int32))

    def write(self, path: Path, solution: NDArray[np.integer], comment: str = "") -> None:
        """Write a tour as a TSPLIB ``.tour`` file; see :class:`Instance`."""
        path, tour = path_of(path, SolutionError, "name the file to write"), self._tour(solution)
        lines = [f"NAME: {' '.join(self.name.split())}.tour"]
        lines += [f"COMMENT: {line}" for line in str(comment).splitlines()]
        lines += ["TYPE: TOUR", f"DIMENSION: {self.n}", "TOUR_SECTION"]
        lines += [*map(str, self.written(tour)), "-1", "EOF", ""]
        path.write_text("\n".join(lines), encoding="utf-8", newline="\n")

    def load_solution(self, path: str | Path, data: bytes | None = None) -> NDArray[np.int32]:
        """Load a tour from a TSPLIB ``.tour`` file; see :class:`Instance`."""
        return frozen(read_tour(path, data).of(self.name, self.city_ids))

    def digest(self) -> str:
        """SHA-256 of its metric and of every number; see :class:`Instance`."""
        found = hashlib.sha256(f"{self.metric.value} {self.n} {self.directed}".encode())
        parts = ((self.city_ids, "<i8"), (self.coordinates, "<f8"), (self.matrix, "<i4"))
        for numbers, kind in parts:
            if numbers is not None:
                found.update(numbers.astype(kind).tobytes())
        return found.hexdigest()

    @property
    def why_not_editable(self) -> str:
        """Why its cities cannot be edited, in a sentence; empty if they can."""
        if self.n > EDITED_MOST:  # each edit copies all places, and a map could not keep up
            return f"Of {self.n:,} cities none can be edited: of at most {EDITED_MOST:,} some can"
        if self.metric is Metric.EXPLICIT:
            return f"The file of {self.name} lists its distances: they do not follow from places"
        if self.metric not in _ON_THE_MAP:
            return (
                f"The distances of {self.name} are {self.metric}: the places on this map are not "
                "what they are measured between"
            )
        shown, measured = self.display, self.coordinates
        assert measured is not None  # only a matrix has none
        if shown is not measured and not np.array_equal(shown, measured):
            return f"The map of {self.name} shows other places than its distances are between"
        return ""

    def edited(self, edits: Sequence[CityEdit]) -> Edited:
        """Make ``edits`` one after the other; InstanceError if one is impossible."""
        if why := self.why_not_editable:
            raise InstanceError(why)
        if len(edits) > MOST_EDITS:
            raise InstanceError(f"{len(edits)} edits at once; at most {MOST_EDITS} are made")
        points = list(map(tuple, self.display.tolist()))
        former = list(range(self.n))
        for edit in edits:
            placed = edit.kind != "remove"
            if placed and not all(abs(one) <= LARGEST_COORDINATE for one in (edit.x, edit.y)):
                raise InstanceError(f"a city cannot be at ({edit.x:g}, {edit.y:g})")
            if not 0 <= edit.city < len(points) + (edit.kind == "add"):
                raise InstanceError(f"there is no city {edit.city + 1} among {len(points)}")
            if edit.kind == "add":
                points.insert(edit.city, (edit.x, edit.y))
                former.insert(edit.city, NEW)
            elif edit.kind == "move":
                points[edit.city] = edit.x, edit.y
                former[edit.city] = NEW
            elif len(points) <= self.fewest:
                raise InstanceError(
                    f"a tour needs at least {self.fewest} cities: none can be removed"
                )
            else:
                del points[edit.city], former[edit.city]
        places = frozen(np.array(points))
        if longest_possible(self.metric, places) > LARGEST_DISTANCE:
            raise InstanceError(
                f"the cities would lie too far apart: distances may exceed {LARGEST_DISTANCE}"
            )
        name = self.name.removesuffix(EDITED)
        made = type(self)(
            name + EDITED,
            f"{name} with cities added, moved or removed",
            self.metric,
            places,
            None,
            places,
            unit=self.unit,
        )
        made = replace(made, sha256=hashlib.sha256(made.text().encode()).hexdigest())
        return Edited(made, np.array(former, np.int64))

    def text(self) -> str:
        """Return the TSPLIB file of an instance whose cities can be edited."""
        if why := self.why_not_editable:
            raise InstanceError(why)
        return text_of_cities(self.name, self.comment, self.display, metric=self.metric, exact=True)

    def repaired(
        self, solution: NDArray[np.integer], before: Instance, former: NDArray[np.int64]
    ) -> NDArray[np.int32]:
        """Return a tour of these cities that is left of one of those ``before``.

        Cities that are gone are left out. Then each one that is new or has moved, in the order of
        their numbers, comes between the two neighbours where it makes the tour longer by the least.
        """
        number = np.full(before.n, NEW, np.int64)
        there = np.flatnonzero(former != NEW)
        number[former[there]] = there
        left = number[solution]
        left = left[left != NEW]
        for new in np.flatnonzero(former == NEW):
            city = np.array(new)
            if len(left) == 0:
                left = np.array([new])
                continue
            after = np.roll(left, -1)
            apart = self.distances
            longer = apart(left, city) + apart(city, after) - apart(left, after)
            left = np.insert(left, int(longer.argmin()) + 1, new)
        return frozen(left.astype(np.int32))

    def part(self, size: int) -> Self:
        """Choose ``size`` cities evenly."""
        return self.restricted_to(chosen_evenly(self.n, size))

    def restricted_to(self, kept: NDArray[np.integer]) -> Self:
        """Return the instance of the cities ``kept``, in that order."""
        return type(self)(
            self.name,
            "",
            self.metric,
            None if self.coordinates is None else taken(self.coordinates, kept),
            None if self.matrix is None else self.matrix[np.ix_(kept, kept)],
            taken(self.display, kept),
            self.computed_layout,
            self.directed,
        )


def _marked(tour: NDArray[np.integer], n: int) -> NDArray[np.bool_]:
    """Mark the cities of a tour."""
    marked = np.zeros(n, np.bool_)
    marked[tour] = True
    return marked


def _places(what: str, given: object, spaces: tuple[int, ...]) -> NDArray[np.float64]:
    """Return places in a space of one of these dimensions; InstanceError if they are none."""
    found = numbers_in(given, "iuf")
    if found is None or found.ndim != 2 or found.shape[1] not in spaces:
        shapes = " or ".join(f"(n, {space})" for space in spaces)
        raise InstanceError(f"{what} is not an array of numbers, shape {shapes}")
    if not np.isfinite(found).all():
        raise InstanceError(f"{what} has a number that is not finite")
    return found.astype(np.float64, copy=False)


def _whole(matrix: object, n: int) -> NDArray[np.int32]:
    """Return a matrix of distances, shape (n, n), as int32; InstanceError if it is none."""
    given = numbers_in(matrix, "iuf")
    if given is None:
        raise InstanceError(f"matrix = {described(matrix)} has not numbers alone")
    if given.shape != (n, n):
        raise InstanceError(f"a matrix of {n} cities has the shape ({n}, {n}), not {given.shape}")
    if given.dtype == np.int32 and (not n or given.min() >= 0):
        return given
    wrong = ~((given >= 0) & (given <= LARGEST_DISTANCE))
    if not wrong.any():
        wrong = given != np.floor(given)
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise InstanceError(
            f"matrix[{i}, {j}] is {given[i, j]:.12g}: distances are whole numbers from 0 to "
            f"{LARGEST_DISTANCE}; scale and round them first"
        )
    return given.astype(np.int32)
