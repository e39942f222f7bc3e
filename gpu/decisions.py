"""The decisions of ants that choose city by city: what their rules share, and their replay."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.colony import never
from gpu.core.decisions import (
    OPTIONS_NAMED,
    DrawScale,
    Option,
    Options,
    Picture,
    PictureMark,
    Sign,
    Step,
    TrailCopy,
    TrailSource,
    likeliest,
    parts_named,
)
from gpu.core.formats import apart, probability, quantity, stop_text, whole
from gpu.core.random import start_cities
from gpu.cpu.structures import widened
from gpu.problems.tsp.instance import CityWords, TspInstance
from gpu.problems.tsp.neighbours import nearest_neighbours, weights

_TO_ITSELF = np.iinfo(np.int64).max  # the distance from a city to itself, which no ant goes
_CITIES_AROUND = 9, 24  # least and most considered cities that are looked at


class CityDraw(enum.Enum):
    """How the choice of a city came about."""

    # q < q₀: the heaviest of the unvisited candidates, and perhaps of remembered cities
    GREEDY = "greedy"
    ROULETTE = "roulette"  # a spin of the wheel on which each city's part is as large as its weight
    I_ROULETTE = "i-roulette"  # the largest product of a weight and a city's own random number
    RESERVOIR = "reservoir"  # the smallest -log(r)/w, each city with a random number r of its own
    FALLBACK = "fallback"  # no candidate was left unvisited: the heaviest of all unvisited cities
    NEAREST = "nearest"  # no candidate was left unvisited: the nearest of all unvisited cities
    # the ant has made its new edges: the next unvisited city of the tour that ants leave and follow
    FOLLOW = "follow"


_THIN_BARS = {
    CityDraw.I_ROULETTE: "thin: r · weight, as drawn",
    CityDraw.RESERVOIR: "thin: weight / −log r, as drawn",
}


@dataclass(frozen=True, slots=True, eq=False)
class CityChoice:
    """Between which cities an ant chose, and how; the arrays run in the order of the wheel."""

    draw: CityDraw  # how it came about
    chosen: int  # the city, 0-based
    cities: NDArray[np.int32]  # (k,): the unvisited cities that were considered, k >= 1
    trails: NDArray[np.float32]  # (k,): τ of the edges to them, in units of the initial trail
    heuristics: NDArray[np.float32]  # (k,): η^β, in units of the nearest neighbour's
    weights: NDArray[np.float32]  # (k,): what the rule makes of both: τ·η^β, or τ^α·η^β
    # (k,): the wheel's parts as the rule forms them, in any unit; 0 for a city that only a greedy
    # choice looks at
    shares: NDArray[np.float64]
    listed: int = 0  # length of the candidate list, visited cities included; 0 if there is none
    q: float | None = None  # the draw that decides between greed and the wheel,
    q0: float | None = None  # and its threshold
    spin: float | None = None  # where on the wheel, in [0, 1), the ball fell
    draws: NDArray[np.float32] | None = None  # (k,): random numbers of the cities', in (0, 1)
    # of an ant that leaves a common tour: new edges made before, and those after which it follows
    new_edges: tuple[int, int] | None = None

    @property
    def at(self) -> int:
        """The place of the chosen city among those considered."""
        return int(np.flatnonzero(self.cities == self.chosen)[0])

    @property
    def keys(self) -> NDArray[np.float64] | None:
        """What the cities' own numbers make of the weights: the largest wins; None without."""
        if self.draws is None:
            return None
        if self.draw is CityDraw.RESERVOIR:
            return -self.weights / np.log2(self.draws.astype(np.float64))
        return self.weights.astype(np.float64) * self.draws

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """The chance of each city when it is drawn, float64 of shape (k,), in sum 1.

        If the ant takes the heaviest instead, it is what a spin of the wheel would have given.
        """
        if self.draw is CityDraw.I_ROULETTE:
            return winning_chances(self.weights)
        chances: NDArray[np.float64] = self.shares / self.shares.sum()
        return chances

    def sentence(self, words: CityWords) -> str:
        """Say how the ant chose; ``words`` say what cities are called."""
        chosen, among = words.called(self.chosen), len(self.cities)
        chance = probability(float(self.probabilities[self.at]))
        count = int(np.count_nonzero(self.shares))  # what is off the list is not on the wheel
        visited = f"All {self.listed} candidates are visited, so "
        match self.draw:
            case CityDraw.FALLBACK if count == 1:
                return f"{visited}it takes the only city left: {chosen}."
            case CityDraw.FALLBACK:
                return f"{visited}it takes the heaviest of all {whole(count)} left: {chosen}."
            case CityDraw.NEAREST:
                said = f"{visited}it takes the nearest of all {whole(among)} left: {chosen}."
            case CityDraw.FOLLOW:
                assert self.new_edges is not None
                edges = self.new_edges[1]
                return (
                    f"Its {'new edge is' if edges == 1 else f'{edges} new edges are'} made, so it "
                    f"follows the common tour: {chosen} is the next one there that is unvisited."
                )
            case CityDraw.GREEDY:
                return self._said_of_greed(chosen, chance, count)
            case CityDraw.I_ROULETTE | CityDraw.RESERVOIR if count == 1:
                return f"It takes the {self._among(count)}: {chosen}."
            case CityDraw.I_ROULETTE | CityDraw.RESERVOIR:
                what = "smallest −log(r) / weight"
                if self.draw is CityDraw.I_ROULETTE:
                    what = "largest r · weight"
                return (
                    f"Each of the {self._among(count)} draws its own r; the {what} wins: {chosen} "
                    f"(chance {chance})."
                )
            case CityDraw.ROULETTE:
                wheel = "the wheel of its" if count > 1 else "a wheel with its"
                said = (
                    f"{self._said_of_q('≥', 'spins', 'It spins')} {wheel} {self._among(count)}: it "
                    f"stops at {stop_text(self.spin)}, {chosen} (chance {chance})."
                )
        if self.new_edges is None:
            return said
        made, wanted = self.new_edges
        return (
            f"{said} Until now {made} of its edges {'is' if made == 1 else 'are'} not on the "
            f"common tour; from {wanted} on it follows that."
        )

    def _among(self, count: int) -> str:
        """Return what the ant chooses from."""
        if count == 1:
            return f"only unvisited {'candidate' if self.listed else 'city'}"
        return f"{whole(count)} unvisited {'candidates' if self.listed else 'cities'}"

    def _said_of_q(self, sign: str, verb: str, without: str) -> str:
        if self.q is None or self.q0 is None:
            return without
        q, q0 = apart(self.q, self.q0)
        return f"q = {q} {sign} q₀ = {q0}, so it {verb}"

    def _said_of_greed(self, chosen: str, chance: str, count: int) -> str:
        among, takes = self._among(count), self._said_of_q("<", "takes the", "It takes the")
        off = len(self.cities) - count
        if count == 1 and not off:
            return f"{takes} {among}: {chosen}."
        if off:
            among += f" and {off} remembered {'city' if off == 1 else 'cities'} off the list"
        how = f"{chance} of the weight" if self.shares[self.at] else "remembered, off the list"
        return f"{takes} heaviest of its {among}: {chosen} ({how})."

    def drawn(self, words: CityWords) -> tuple[DrawScale, ...]:
        """Return the scales of q and of the wheel."""
        spun, title = self.draw is CityDraw.ROULETTE, "The wheel, unrolled; it is not spun"
        if spun:
            title = f"The wheel, unrolled: it stopped at {stop_text(self.spin)}"
        elif self.draws is not None:
            title = "The weights; no wheel is spun, each city draws a number of its own"
        names = parts_named(self.shares, lambda at: words.short(self.cities[at]))
        wheel = DrawScale(title, self.shares, names, self.at if spun else -1, self.spin)
        if self.q is None or self.q0 is None:
            return (wheel,)
        q, q0 = apart(self.q, self.q0)
        halves, greedy = np.array([self.q0, 1 - self.q0]), self.q < self.q0
        named = {0: "the heaviest", 1: "the wheel"}
        return DrawScale(
            f"Draw q = {q}, q₀ = {q0}", halves, named, 0 if greedy else 1, self.q
        ), wheel

    def options(self, here: int, words: CityWords) -> Options:
        """Return the likeliest cities, and the chosen one, seen from city ``here``."""
        chances, keys = self.probabilities, self.keys
        told = [
            Option(
                (
                    words.short(self.cities[at]),
                    quantity(float(self.trails[at])),
                    quantity(float(self.heuristics[at])),
                    quantity(float(self.weights[at])),
                    probability(float(chances[at])),
                ),
                float(chances[at]),
                (here, int(self.cities[at])),
                chosen=bool(at == self.at),
                thin=float("nan") if keys is None else float(keys[at] / keys.max()),
            )
            for at in likeliest(chances, self.at)
        ]
        drawn = CityDraw.ROULETTE, CityDraw.I_ROULETTE, CityDraw.RESERVOIR
        share = "chance" if self.draw in drawn else "share"
        thin = _THIN_BARS.get(self.draw, "")
        heads = "city", "τ / τ₀", "η^β", "weight", share
        return Options(heads, tuple(told), len(chances), are_chances=True, thin=thin)

    def picture(self, tour: NDArray[np.int32]) -> Picture:
        """Return the map of an ant that has gone along ``tour``."""
        chances, (fewest, most) = self.probabilities, _CITIES_AROUND
        likely = np.argsort(-chances, kind="stable")
        shares = chances[likely[:most]]
        needed = np.cumsum(shares) - shares < 0.995
        needed[:fewest] = True
        seen = self.cities[likely[:most][needed]]
        ends = np.array([tour[-1], self.chosen], np.int32)
        marks = (
            PictureMark(Sign.START, tour[:1], "start"),
            PictureMark(Sign.VISITED, tour, "visited"),
            PictureMark(Sign.ANT, tour[-1:], "the ant"),
            PictureMark(Sign.CONSIDERED, self.cities, "considered", frozen(chances)),
            PictureMark(Sign.CHOSEN, ends[1:], "taken"),
        )
        named = np.concatenate([ends, self.cities[likely[:OPTIONS_NAMED]]])
        around = np.concatenate([seen, ends[1:], tour[-3:]])  # and where the ant came from
        return Picture(marks, frozen(named), frozen(around))


def winning_chances(weights: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the chance of each city to have the largest r·w, each r uniform in (0, 1), w > 0.

    Where c of the weights are at least x, the density of a given one of these c winning with the
    product x is x^(c-1) / Π w over the c. Its integral between two neighbouring weights a < b is
    (Π b/w - Π a/w) / c, so with the weights in order the chances are a running sum.
    """
    order = np.argsort(weights, kind="stable")
    logs = np.log(weights[order].astype(np.float64))
    above = np.arange(len(logs), 0, -1)
    products = np.cumsum(logs[::-1])[::-1]
    upper = np.exp(above * logs - products)
    lower = np.concatenate([[0.0], upper[:-1]])
    result = np.empty(len(logs))
    result[order] = np.cumsum((upper - lower) / above)
    return result


class Walk:
    """One ant's tour list (2017, Definitions 1 to 3).

    The list has all cities: first the visited ones (the tabu), in order, then the others. A city
    that is chosen changes places with the first of the others. Ants and iterations count from 0.
    """

    def __init__(self, n: int, ant: int, iteration: int, start: int) -> None:
        self.ant, self.iteration = ant, iteration
        self._n = n
        self._list = np.arange(n, dtype=np.int32)
        self._taken: list[int] = []  # the place where each city was in the list
        self.unvisited = np.ones(n, dtype=np.bool_)
        self.go_to(start)

    @property
    def step(self) -> int:
        """Number of cities visited: the next one has this position of the tour."""
        return len(self._taken)

    @property
    def city(self) -> int:
        """The city where the ant is."""
        return int(self._list[self._place_of(self.step - 1)])

    @property
    def previous(self) -> int | None:
        """The city before that; None at the start."""
        return int(self._list[self._place_of(self.step - 2)]) if self.step > 1 else None

    @property
    def tour(self) -> NDArray[np.int32]:
        """A read-only copy of the cities visited, in order; int32, shape (step,)."""
        return frozen(self._list[: self.step].copy())

    @property
    def rest(self) -> NDArray[np.int32]:
        """The unvisited cities in the order of the list; int32, shape (n - step,)."""
        return self._list[self.step :]

    def go_to(self, city: int) -> None:
        """Visit ``city``, which is unvisited."""
        place = int(np.flatnonzero(self._list == city)[0])
        self._swap(place, self._place_of(self.step))
        self._taken.append(place)
        self.unvisited[city] = False

    def go_back(self) -> None:
        """Take the last step back."""
        self.unvisited[self.city] = True
        place = self._taken.pop()
        self._swap(place, self._place_of(self.step))

    def _place_of(self, position: int) -> int:
        """Where the list has the city at this position of the tour."""
        return position

    def _swap(self, place: int, other: int) -> None:
        self._list[[place, other]] = self._list[[other, place]]


class CompressedWalk(Walk):
    """One ant's list of unvisited cities (2020, Section 4.1, LC).

    A city that is chosen changes places with the last of them, so the visited ones follow, the last
    one first.
    """

    @property
    def tour(self) -> NDArray[np.int32]:
        """A read-only copy of the cities visited, in order; int32, shape (step,)."""
        return frozen(self._list[self._n - self.step :][::-1].copy())

    @property
    def rest(self) -> NDArray[np.int32]:
        """The unvisited cities in the order of the list; int32, shape (n - step,)."""
        return self._list[: self._n - self.step]

    def _place_of(self, position: int) -> int:
        return self._n - 1 - position


@runtime_checkable
class ForgetfulSource(TrailSource, Protocol):
    """A colony with a selective pheromone memory (2016, Fig. 5)."""

    def remembered(self, city: int) -> NDArray[np.int32]:
        """The cities whose trails ``city`` remembers, int32 of shape (s,), the oldest first.

        An empty record is -1.
        """


class InitialTrails:
    """The trails of a colony before its first iteration: all at the initial level."""

    def __init__(self, n: int) -> None:
        self._n = n

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """Return 1 for each city."""
        return np.ones(self._n, np.float32)

    def remembered(self, city: int) -> NDArray[np.int32]:
        """Return one empty record."""
        return np.full(1, -1, np.int32)


class TourRule(ABC):
    """What all rules for tours share: where ants begin, and what they see from a city.

    The seed is in [0, 2**64); without candidate lists, ``candidates`` is 0.
    """

    def __init__(self, instance: TspInstance, beta: float, candidates: int, seed: int) -> None:
        self.instance, self._beta, self._seed = instance, beta, seed
        n = instance.n
        self._everyone = np.arange(n, dtype=np.int32)
        self._lists = (
            nearest_neighbours(instance, candidates) if candidates else np.empty((n, 0), np.int32)
        )
        self._neighbours = widened(self._lists, candidates)
        self.caveat = ""

    @abstractmethod
    def choose(self, walk: Walk, trails: TrailSource) -> CityChoice:
        """Return what the ant does after ``walk``, which leaves a city unvisited."""

    def replay(self, trails: TrailSource, iteration: int, caveat: str = "") -> WalkReplay:
        """Start to replay an iteration; see :class:`gpu.core.decisions.Rule`."""
        return WalkReplay(self, trails, iteration, caveat)

    def copied(self, trails: TrailSource) -> TrailCopy:
        """Copy all trails; see :class:`gpu.core.decisions.BackwardRule`."""
        return TrailCopy(trails, self.instance.n)

    def replay_made(
        self, trails: TrailCopy, iteration: int, orders: NDArray[np.integer]
    ) -> WalkReplay:
        """Replay what was made; see :class:`gpu.core.decisions.BackwardRule`."""
        return WalkReplay(self, trails, iteration, orders=orders)

    def walk(self, ant: int, iteration: int) -> Walk:
        """Return the walk of ``ant`` in the iteration, at its start."""
        return Walk(self.instance.n, ant, iteration, self.start(ant, iteration))

    def start(self, ant: int, iteration: int) -> int:
        """Return the city where ``ant`` begins the iteration, both counted from 0."""
        return int(start_cities(self._seed, iteration, ant, self.instance.n))

    def _heuristics(self, city: int) -> NDArray[np.float32]:
        """η^β of the edges from ``city`` to all cities, float32 of shape (n,); 0 to itself."""
        away = self.instance.distances(np.array(city), self._everyone)
        away[city] = _TO_ITSELF
        result = weights(away, away.min(keepdims=True), self._beta, self.instance.shortest)
        result[city] = 0
        return result


class WalkReplay:
    """Predicts the choices of ants from trails that do not change meanwhile.

    A random number depends only on what it is drawn for, so the choices of the coming iteration
    follow from the present trails. For the same ant it goes forward or back from the step of the
    last answer. The ``iteration`` is counted from 0. Each answer has the rule's own caveat and then
    this one. Where an iteration was made and the ``orders`` of its ants' visits are known, ants
    follow these, and an answer says so where the ant went elsewhere than foretold.
    """

    def __init__(
        self,
        rule: TourRule,
        trails: TrailSource,
        iteration: int,
        caveat: str = "",
        orders: NDArray[np.integer] | None = None,
    ) -> None:
        self._rule, self._trails, self._iteration = rule, trails, iteration
        self._orders = orders
        self._caveat = " ".join(filter(None, (rule.caveat, caveat)))
        self._walk: Walk | None = None

    def told(
        self, ant: int, step: int, cancelled: Callable[[], bool] = never
    ) -> tuple[NDArray[np.int32], CityChoice] | None:
        """Return the cities that ``ant`` has visited, in order, and how it chooses the next one.

        See :meth:`decision`.
        """
        n = self._rule.instance.n
        if not 1 <= step < n:
            raise ValueError(f"step = {step} must be in [1, {n})")
        walk = self._walk
        if walk is None or walk.ant != ant:
            walk = self._walk = self._rule.walk(ant, self._iteration)
        while walk.step > step:
            walk.go_back()
        while walk.step < step:
            if cancelled():
                return None
            made = self._made(ant, walk.step)
            if made is None:
                made = self._rule.choose(walk, self._trails).chosen
            walk.go_to(made)
        return walk.tour, self._rule.choose(walk, self._trails)

    def _made(self, ant: int, step: int) -> int | None:
        """Return the city that ``ant`` has gone to in this step, if that is known."""
        if self._orders is None or ant >= len(self._orders):
            return None
        return int(self._orders[ant, step])

    def decision(self, ant: int, step: int, cancelled: Callable[[], bool] = never) -> Step | None:
        """Return how ``ant`` (from 0) chooses the city at position ``step`` of its tour, in [1, n).

        ``cancelled`` is asked between two steps. Once it returns True, the result is None; the
        steps made until then are kept.

        Raises
        ------
        ValueError
            If there is no such step.
        """
        found = self.told(ant, step, cancelled)
        if found is None:
            return None
        (tour, choice), words = found, self._rule.instance.city_words
        here, made, caveat = int(tour[-1]), self._made(ant, step), self._caveat
        if made is not None:
            caveat = ""
            if made != choice.chosen:
                caveat = (
                    f"In the iteration it went to {words.called(made)}: other ants had changed "
                    "trails on its way."
                )
        return Step(
            ant,
            self._iteration,
            step,
            f"Ant {ant + 1} stands in {words.called(here)} at step {step}. "
            f"{choice.sentence(words)}",
            choice.options(here, words),
            choice.picture(tour),
            drawn=choice.drawn(words),
            caveat=caveat,
        )
