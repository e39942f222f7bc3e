"""The ants of a crossing colony on the CPU, replayed: what each takes over from another tour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.colony import never
from gpu.core.decisions import OPTIONS_TOLD, Option, Options, Step, TrailSource
from gpu.core.formats import quantity, whole
from gpu.core.words import counted
from gpu.cpu.structures import allocated
from gpu.crossing.cpu import crossing as single_cross
from gpu.crossing.cpu import state as states
from gpu.crossing.cpu.state import MAKING, NEXT, READ_SIDE, SIZE_OF, CrossingState
from gpu.crossing.parameters import CROSSING_STEPS
from gpu.problems.tsp.instance import CityWords, TspInstance
from gpu.tour_changes.cpu.state import new_exchange
from gpu.tour_changes.places import NOT_REPLAYED, PlacesColony
from gpu.tour_changes.replay import (
    ChangeKind,
    NotBegun,
    Pairs,
    TourChange,
    TourEdges,
    edges_of,
    than,
)

_NO_PAIRS: Pairs = np.empty((0, 2), np.int32)
_NO_LOSS = 1e-9  # loss of entropy that counts as none
MOST_REPLAYED = 200_000  # cities: a replay takes some 400 bytes for each

MAKES_FIRST = (
    "In this iteration ants make the first tours of a population, and cross none. Make a step (N), "
    "then look at the ants."
)
TOO_MANY = f"Ants that cross tours of more than {MOST_REPLAYED:,} cities cannot be replayed."


@dataclass(frozen=True, slots=True, eq=False)
class Partner(ChangeKind):
    """Two tours of the population are compared.

    What is given up are edges of the ant's own tour alone, what is taken those of the other alone.
    """

    names = "in both tours", "its own alone", "the other alone"
    said = "own", "other"

    own: int  # the ant's tour, and
    other: int  # that with which it is crossed, numbers in the population from 0
    tours: int  # of the population
    lengths: tuple[int, int]  # of both

    def sentence(self, change: TourChange, words: CityWords) -> str:
        """Say which tours are crossed."""
        begin = (
            f"Ant {change.ant + 1} has tour {self.own + 1} of {self.tours}, and crosses it with "
            f"tour {self.other + 1}. "
        )
        if not len(change.given):
            return f"{begin}Both are the same."
        edges = counted(len(change.given), "edge")
        return f"{begin}Each of both has {edges} that the other does not have."

    def formula(self, change: TourChange) -> str:
        """Return how long both are."""
        own, other = map(whole, self.lengths)
        return f"own length {own};   the other's {other}"


@dataclass(frozen=True, slots=True, eq=False)
class Children(ChangeKind):
    """The edges that differ fall into AB-cycles; of each that is drawn, the ant makes a tour.

    What is given up and taken are the edges of the AB-cycles whose children are kept.
    """

    sizes: NDArray[np.int64]  # (c,): edges of its own tour in each AB-cycle, as they are drawn
    parts: NDArray[np.int64]  # (c,): tours into which it falls with the AB-cycle exchanged
    gains: NDArray[np.int64]  # (c,): by how much the child is shorter; 0 if there is none
    losses: NDArray[np.float64]  # (c,): of the entropy of the population's edges
    worths: NDArray[np.float64]  # (c,): by which those are compared that may be kept; else 0
    weighed: bool  # whether a worth is the gain divided by the loss; else it is the gain
    group: int  # of so many children, one is kept at most
    kept: NDArray[np.bool_]  # (c,): whether the child is kept

    def sentence(self, change: TourChange, words: CityWords) -> str:
        """Say which child is kept, and why."""
        made = len(self.sizes)
        if not made:
            return "There is no AB-cycle, so the ant makes no child: both tours are the same."
        alone = made == 1
        ab_cycles = "one AB-cycle" if alone else counted(made, "AB-cycle")
        child = "a child of it" if alone else "a child of each, in random order"
        begin = f"These edges make {ab_cycles}. The ant makes {child}, and "
        if not self.kept.any():
            return f"{begin}none is {self._better()}."
        if not self.gains[self.kept].any():
            return f"{begin}keeps one as long as its tour, as the edges of all tours gain variety."
        loss = " for the variety that is lost" if self.weighed else ""
        each = f"of each {self.group} in turn " if made > self.group else ""
        return f"{begin}{each}keeps the one with the largest gain{loss}."

    def _better(self) -> str:
        alone = "shorter than its tour"
        return f"{alone}, or as long with more variety" if self.weighed else alone

    def formula(self, change: TourChange) -> str:
        """Return what a child is worth."""
        return "worth = gain / loss of the entropy of edges" if self.weighed else "worth = gain"

    def options(self, change: TourChange, words: CityWords) -> Options:
        """Return the children: those that are kept first, then those that are worth most."""
        order = np.lexsort((-self.gains, -self.worths, ~self.kept))
        told = [
            Option(
                (
                    counted(int(self.sizes[at]), "edge"),
                    whole(int(self.gains[at])).replace("-", "−"),
                    lost(float(self.losses[at])),
                    str(self.parts[at]),
                    self._worth(int(at)),
                ),
                float(self.worths[at]),
                chosen=bool(self.kept[at]),
            )
            for at in order[:OPTIONS_TOLD]
        ]
        return Options(("child of", "gain", "loss", "parts", "worth"), tuple(told), len(order))

    def _worth(self, at: int) -> str:
        """Return what a child is worth: a gain without a loss is worth more than any other."""
        if self.worths[at] <= 0:
            return ""
        if self.weighed and self.gains[at] == 0:
            return "variety"
        if self.weighed and self.losses[at] < _NO_LOSS:
            return "no loss"
        return quantity(float(self.worths[at]))


@dataclass(frozen=True, slots=True, eq=False)
class Child(ChangeKind):
    """The child that the ant keeps instead of its tour, if there is one."""

    made: int  # children
    kept: int  # AB-cycles that lie between its tour and that child
    size: int  # edges of these; 0 if no child is kept
    parts: int  # tours that were joined, if it is one AB-cycle
    loss: float  # of entropy

    def sentence(self, change: TourChange, words: CityWords) -> str:
        """Say what becomes of the child."""
        ant = f"Ant {change.ant + 1}"
        if not self.size:
            return f"{ant} keeps its tour as it is, as no child is better."
        if self.kept > 1:
            edges, ab_cycles = counted(self.size, "edge"), counted(self.kept, "AB-cycle")
            begin = f"{ant} exchanges {edges} of {ab_cycles}, one after another"
            return f"{begin}. The child is {than(change.gain)} its tour, and takes its place."
        begin = f"{ant} exchanges {counted(self.size, 'edge')} of an AB-cycle"
        if self.parts > 1:
            begin += f", which leaves {self.parts} tours, and joins these"
        return f"{begin}. The child is {than(change.gain)} its tour, and takes its place."

    def formula(self, change: TourChange) -> str:
        """Return how much shorter the child is, and what is lost."""
        loss = f";   entropy lost: {lost(self.loss)}" if self.size else ""
        return f"{change.difference}{loss}"


def lost(entropy: float) -> str:
    """Return how much entropy is lost, or with a minus gained."""
    if abs(entropy) < _NO_LOSS:
        return "0"
    return f"{'−' if entropy < 0 else ''}{quantity(abs(entropy))}"


@runtime_checkable
class ReadableCrossingColony(Protocol):
    """A crossing colony that lets its state be read."""

    @property
    def standing(self) -> CrossingState:
        """The state as it stands, to be read alone."""

    def candidate_trails(self) -> NDArray[np.float32]:
        """Trails of the candidates' edges, (n, k)."""


class CrossingRule:
    """What the ants of a crossing colony do, told by the compiled code of the CPU colonies."""

    def __init__(self, instance: TspInstance) -> None:
        self._instance = instance
        self.caveat = ""

    def replay(
        self, trails: TrailSource, iteration: int, caveat: str = ""
    ) -> CrossingReplay | NotBegun:
        """Start to replay an iteration; see :class:`gpu.core.decisions.Rule`."""
        if isinstance(trails, PlacesColony):
            return NotBegun(iteration, NOT_REPLAYED)
        if not isinstance(trails, ReadableCrossingColony) or trails.standing.schedule[MAKING]:
            return NotBegun(iteration, MAKES_FIRST)
        if self._instance.n > MOST_REPLAYED:
            return NotBegun(iteration, TOO_MANY)
        return CrossingReplay(self._instance, trails, iteration, caveat)


class CrossingReplay:
    """Predicts what ants take over, from tours that do not change meanwhile.

    The ants of an iteration do not see each other's work, so each is replayed by itself.
    """

    def __init__(
        self,
        instance: TspInstance,
        colony: ReadableCrossingColony,
        iteration: int,
        caveat: str = "",
    ) -> None:
        self._instance, self._iteration, self._caveat = instance, iteration, caveat
        self._state, self._trails = colony.standing, colony.candidate_trails()
        n, k = self._state.lists.neighbours.shape
        self._room, self._exchange = states.new_room(n, k), new_exchange(n)
        self._children = allocated(single_cross.Offspring, n, counts=1)
        self._ant = -1  # whose children these are

    def decision(self, ant: int, step: int, cancelled: Callable[[], bool] = never) -> Step:
        """Return step ``step`` of ``ant``, from 1 to 3.

        See :class:`gpu.core.decisions.Replay`; ValueError if there is no such step.
        """
        words = self._instance.city_words
        return self.told(ant, step).step(self._iteration, words, self._caveat)

    def told(self, ant: int, step: int) -> TourChange:
        """Return what the ant takes over; see :meth:`decision`."""
        if not 1 <= step <= CROSSING_STEPS:
            raise ValueError(f"step = {step} must be in [1, {CROSSING_STEPS}]")
        population, schedule = self._state.population, self._state.schedule
        turn, size, side = int(schedule[NEXT]) + ant, int(schedule[SIZE_OF]), schedule[READ_SIDE]
        own, other = int(population.order[turn]), int(population.order[(turn + 1) % size])
        if ant != self._ant:
            room, exchange = self._room, self._exchange
            single_cross.follow(self._state, room, exchange, self._children, ant, own, other)
            self._ant = ant
        tours = [_pairs_of(links) for links in population.links[side, [own, other]]]
        result, chosen = _pairs_of(self._room.work), self._chosen()
        what: ChangeKind
        if step == 1:
            lengths = population.lengths[side]
            what = Partner(own, other, size, (int(lengths[own]), int(lengths[other])))
            given, made = _without(tours[0], tours[1]), _without(tours[1], tours[0])
        elif step == 2:
            what = self._told_children()
            given, made = self._ab_cycles(chosen)
        else:
            what = self._told_child(chosen)
            given, made = _without(tours[0], result), _without(result, tours[0])
        kept = _without(tours[0], given)
        around = np.concatenate((given, made)).ravel()
        return TourChange(
            ant=ant,
            number=step,
            what=what,
            kept=frozen(kept),
            given=self._edges(given),
            made=self._edges(made),
            around=frozen(np.unique(around if len(around) else kept)),
        )

    def _chosen(self) -> NDArray[np.intp]:
        """Return which children are kept."""
        return np.flatnonzero(self._children.kept[: int(self._children.counts[0])])

    def _told_children(self) -> Children:
        told, made = self._children, int(self._children.counts[0])
        return Children(
            sizes=frozen(told.sizes[:made].copy()),
            parts=frozen(told.parts[:made].copy()),
            gains=frozen(told.gains[:made].copy()),
            losses=frozen(told.losses[:made].copy()),
            worths=frozen(told.worths[:made].copy()),
            weighed=bool(self._state.rules.focus),
            group=int(self._state.rules.children),
            kept=frozen(told.kept[:made].copy()),
        )

    def _told_child(self, chosen: NDArray[np.intp]) -> Child:
        children = self._children
        return Child(
            made=int(children.counts[0]),
            kept=len(chosen),
            size=int(children.sizes[chosen].sum()),
            parts=int(children.parts[chosen].max(initial=0)),
            loss=float(children.losses[chosen].sum()),
        )

    def _ab_cycles(self, chosen: NDArray[np.intp]) -> tuple[Pairs, Pairs]:
        """Return the edges of the AB-cycles whose children are kept: own ones, and the other's."""
        bounds, own, other = self._room.bounds, [_NO_PAIRS], [_NO_PAIRS]
        for ab_cycle in self._children.ab_cycles[chosen]:
            cities = self._room.ab_cycles[bounds[ab_cycle] : bounds[ab_cycle + 1]]
            own.append(np.sort(cities.reshape(-1, 2), axis=1))
            other.append(np.sort(np.roll(cities, -1).reshape(-1, 2), axis=1))
        return np.concatenate(own), np.concatenate(other)

    def _edges(self, pairs: Pairs) -> TourEdges:
        return edges_of(self._instance, self._state.lists.neighbours, self._trails, pairs)


def _pairs_of(links: NDArray[np.int32]) -> Pairs:
    """Return the edges of a tour that is kept as both neighbours of each city."""
    cities = np.repeat(np.arange(len(links), dtype=np.int32), 2)
    pairs: Pairs = np.column_stack((cities, links.ravel()))
    once: Pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    return once


def _without(pairs: Pairs, others: Pairs) -> Pairs:
    """Return those ``pairs`` that are not among the ``others``."""
    keys = [each[:, 0].astype(np.int64) << 32 | each[:, 1] for each in (pairs, others)]
    left: Pairs = pairs[~np.isin(keys[0], keys[1])]
    return left
