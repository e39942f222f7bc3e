"""What one ant or search decides at one step, ready to be shown, and the rules that replay it.

A family makes a :class:`Step` of whatever its ants decide: a city, a vertex, a move, or a change of
a tour. Its sentence, its options and its picture are all that a view needs.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gpu.core.colony import never
from gpu.core.formats import number_of, probability

OPTIONS_TOLD = 21  # most options that a step tells,
OPTIONS_NAMED = 14  # and most of them with a number in its picture


class Option(NamedTuple):
    """One of those between which an ant decides, or one edge that it gives up or takes."""

    # Five texts of the table: first what the option is, last that by which options are compared.
    cells: tuple[str, str, str, str, str]
    length: float  # of its bar, in the same unit for all options of the step; 0 for no bar
    places: tuple[int, ...] = ()  # the cities or vertices that light up with it
    chosen: bool = False
    sign: Sign | None = None  # that of a mark with the same colour; None for the usual colour
    thin: float = math.nan  # length of the thin bar, in [0, 1]; NaN for none


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a step: a table with bars."""

    heads: tuple[str, str, str, str, str]  # headings of the columns
    told: tuple[Option, ...]  # the best ones first, and among them each that is chosen
    count: int  # how many there are in all
    are_chances: bool = False  # whether the bars are chances, in sum 1
    thin: str = ""  # what thin bars are

    def fitting(self, most: int) -> list[Option]:
        """Return at most ``most`` options, and one for all others if there are more.

        The one that is chosen is among them; edges with different signs are equally many.
        """
        ranks, met = [], dict.fromkeys((option.sign for option in self.told), 0)
        for option in self.told:
            ranks.append(-1 if option.chosen and option.sign is None else met[option.sign])
            met[option.sign] += 1
        most = most + 1 if self.count == most + 1 else most
        best = sorted(sorted(range(len(ranks)), key=ranks.__getitem__)[:most])
        shown = [self.told[at] for at in best]
        left = self.count - len(shown)
        if not left:
            return shown
        rest = max(0.0, 1.0 - sum(option.length for option in shown))
        chance = probability(rest) if self.are_chances else ""
        return [*shown, Option((number_of(left, "other"), "", "", "", chance), 0.0)]


class DrawScale(NamedTuple):
    """A random number in [0, 1), on a scale whose parts are what it can decide."""

    title: str
    parts: NDArray[np.float64]  # (k,): how long they are, in any unit
    names: Mapping[int, str]  # of parts, by their places; small ones have none
    chosen: int  # the place of the part that was drawn; -1 if nothing was
    number: float | None  # None if there is none


class Sign(enum.Enum):
    """What a mark of a picture stands for. A view has a look for each."""

    # Edges, (k, 2):
    KEPT = enum.auto()
    GIVEN_UP = enum.auto()
    TAKEN = enum.auto()
    SUBJECT = enum.auto()  # what the step is about
    CONFLICT = enum.auto()
    # Places, (k,):
    VISITED = enum.auto()  # in the order of the visits; a line joins them
    START = enum.auto()
    ANT = enum.auto()  # where the ant stands; covers the place,
    STANDS = enum.auto()  # or leaves it in sight
    CONSIDERED = enum.auto()  # where the ant may go from there
    CHOSEN = enum.auto()
    CANDIDATE = enum.auto()
    EXCLUDED = enum.auto()
    COLORED = enum.auto()  # with the color that the picture has for it


class PictureMark(NamedTuple):
    """Edges or places that are drawn alike."""

    sign: Sign
    places: NDArray[np.integer]  # (k,) or, for edges, (k, 2)
    name: str  # what the mark means, for the legend
    chances: NDArray[np.float64] | None = None  # (k,), of the places considered


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """What a step shows on the map, or in the graph; places are counted from 0."""

    marks: tuple[PictureMark, ...]
    named: NDArray[np.integer]  # (k,): places with their numbers, the most important first
    around: NDArray[np.integer] | None = None  # places to look at; None for all
    colors: NDArray[np.int32] | None = None  # (n,): of vertices; -1 for none
    plain: NDArray[np.bool_] | None = None  # (n,): colored vertices that do not fade

    def marked(self, *signs: Sign) -> list[int]:
        """Return the places that have one of these ``signs``."""
        return [int(at) for mark in self.marks if mark.sign in signs for at in mark.places.flat]


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One step of one ant in the coming iteration, replayed from the colony as it stands."""

    ant: int  # counted from 0; searches are counted on after the ants
    iteration: int  # the coming iteration, counted from 0: as many are finished
    number: int  # of the step, counted from 1
    sentence: str  # what the ant does
    options: Options
    picture: Picture
    formula: str = ""  # the numbers behind it
    drawn: tuple[DrawScale, ...] = ()
    caveat: str = ""  # why the iteration may turn out otherwise, in one sentence


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Why there is no such step."""

    ant: int
    iteration: int
    number: int
    why: str  # a sentence


class TrailSource(Protocol):
    """Who knows the trails: a colony."""

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails that lead from ``city``; see :meth:`gpu.core.colony.Colony.trails_from`."""


class TrailCopy:
    """All trails as they stood; ``remembered`` are what a selective memory then had of each city.

    The copy takes 4 n² bytes.
    """

    def __init__(
        self, trails: TrailSource, n: int, remembered: list[NDArray[np.int32]] | None = None
    ) -> None:
        self._rows = np.stack([trails.trails_from(city) for city in range(n)])
        self._remembered = remembered

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """Return a copy of those that led from ``city``."""
        row: NDArray[np.float32] = self._rows[city].copy()
        return row

    def remembered(self, city: int) -> NDArray[np.int32]:
        """Return the cities whose trails ``city`` remembered, the oldest first."""
        known = self._remembered
        return np.full(1, -1, np.int32) if known is None else known[city].copy()


class Replay(Protocol):
    """An ant of the coming iteration, followed step by step; used from one thread at a time."""

    def decision(
        self, ant: int, step: int, cancelled: Callable[[], bool] = never
    ) -> Step | Unanswered | None:
        """Return how ``ant`` (from 0) makes its choice number ``step``, counted from 1.

        ``cancelled`` is asked between two steps. Once it returns True, the result is None; the
        steps made until then are kept. ValueError if there is no such step.
        """


class Rule(Protocol):
    """How the ants of one colony choose; made from (instance, parameters, seed)."""

    caveat: str  # why the iteration may turn out otherwise than the replay; empty if it cannot

    def replay(self, trails: TrailSource, iteration: int, caveat: str = "") -> Replay:
        """Start to replay the coming ``iteration``, counted from 0, from the present ``trails``.

        Each answer has the rule's own caveat and then this one.
        """


@runtime_checkable
class BackwardRule(Rule, Protocol):
    """A rule that can also tell of an iteration that was made."""

    def copied(self, trails: TrailSource) -> TrailCopy:
        """Copy all that an iteration's ants will read."""

    def replay_made(self, trails: TrailCopy, iteration: int, orders: NDArray[np.integer]) -> Replay:
        """Replay an iteration from the ``trails`` before it.

        Row k of ``orders`` is what ant k visited, in order; of other ants it is not known.
        """


def likeliest(chances: NDArray[np.float64], chosen: int) -> NDArray[np.intp]:
    """Return the places of the options to tell, the likeliest first; ``chosen`` is among them."""
    order = np.argsort(-chances, kind="stable")[:OPTIONS_TOLD]
    if chosen not in order:
        order[-1] = chosen
    return order


def parts_named(shares: NDArray[np.float64], names: Callable[[int], str]) -> dict[int, str]:
    """Return the names of those parts of a scale that may have room for one."""
    large = np.flatnonzero(shares >= 0.004 * shares.sum())
    return {int(at): names(int(at)) for at in large}
