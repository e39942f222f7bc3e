"""The ants of a crossing colony on the CPU, replayed: what each takes over from another tour."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.colony import never
from gpu.core.decisions.rule import TrailSource
from gpu.core.decisions.tabu_move import Unanswered
from gpu.core.decisions.tour_change import (
    CROSSING_STEPS,
    Child,
    Children,
    Edges,
    Partner,
    Step,
    TourChange,
)
from gpu.cpu.structures import allocated
from gpu.crossing.cpu import crossing as single_cross
from gpu.crossing.cpu import state as states
from gpu.crossing.cpu.state import MAKING, NEXT, READ_SIDE, SIZE_OF, CrossingState
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.replay import NotBegun, Pairs, edges_of

MOST_REPLAYED = 200_000  # cities: a replay takes some 400 bytes for each

MAKES_FIRST = (
    "In this iteration ants make the first tours of a population, and cross none. Make a step (N), "
    "then look at the ants."
)
TOO_MANY = f"Ants that cross tours of more than {MOST_REPLAYED:,} cities cannot be replayed."


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
        """Start to replay an iteration; see :class:`gpu.core.decisions.rule.Rule`."""
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
        self._room = states.new_room(n, k)
        most = self._state.rules.children
        self._children = allocated(single_cross.Offspring, most, counts=2)
        self._ant = -1  # whose children these are

    def decision(
        self, ant: int, step: int, cancelled: Callable[[], bool] = never
    ) -> TourChange | Unanswered | None:
        """Return step ``step`` of ``ant``, from 1 to 3.

        See :class:`gpu.core.decisions.rule.Replay`; ValueError if there is no such step.
        """
        if not 1 <= step <= CROSSING_STEPS:
            raise ValueError(f"step = {step} must be in [1, {CROSSING_STEPS}]")
        population, schedule = self._state.population, self._state.schedule
        turn, size, side = int(schedule[NEXT]) + ant, int(schedule[SIZE_OF]), schedule[READ_SIDE]
        own, other = int(population.order[turn]), int(population.order[(turn + 1) % size])
        if ant != self._ant:
            single_cross.follow(self._state, self._room, self._children, ant, own, other)
            self._ant = ant
        tours = [_pairs_of(links) for links in population.links[side, [own, other]]]
        result, chosen = _pairs_of(self._room.work), self._chosen()
        what: Step
        if step == 1:
            lengths = population.lengths[side]
            what = Partner(own, other, size, (int(lengths[own]), int(lengths[other])))
            given, made = _without(tours[0], tours[1]), _without(tours[1], tours[0])
        elif step == 2:
            what = self._told_children(chosen)
            given, made = self._ab_cycle(chosen)
        else:
            what = self._told_child(chosen)
            given, made = _without(tours[0], result), _without(result, tours[0])
        kept = _without(tours[0], given)
        around = np.concatenate((given, made)).ravel()
        return TourChange(
            ant=ant,
            iteration=self._iteration,
            step=step,
            what=what,
            kept=frozen(kept),
            given=self._edges(given),
            made=self._edges(made),
            around=frozen(np.unique(around if len(around) else kept)),
            caveat=self._caveat,
        )

    def _chosen(self) -> int:
        """Return which child is kept, or -1."""
        made = int(self._children.counts[1])
        worths = self._children.worths[:made]
        return int(worths.argmax()) if made and worths.max() > 0 else -1

    def _told_children(self, chosen: int) -> Children:
        told, (found, made) = self._children, map(int, self._children.counts)
        return Children(
            ab_cycles=found,
            sizes=frozen(told.sizes[:made].copy()),
            parts=frozen(told.parts[:made].copy()),
            gains=frozen(told.gains[:made].copy()),
            losses=frozen(told.losses[:made].copy()),
            worths=frozen(told.worths[:made].copy()),
            weighed=bool(self._state.rules.focus),
            at=chosen,
        )

    def _told_child(self, chosen: int) -> Child:
        children = self._children
        made = int(children.counts[1])
        if chosen < 0:
            return Child(made, 0, 0, 0.0)
        loss = float(children.losses[chosen])
        return Child(made, int(children.sizes[chosen]), int(children.parts[chosen]), loss)

    def _ab_cycle(self, chosen: int) -> tuple[Pairs, Pairs]:
        """Return the edges of the AB-cycle whose child is kept: own ones, and the other tour's."""
        if chosen < 0:
            return np.empty((0, 2), np.int32), np.empty((0, 2), np.int32)
        ab_cycle = int(self._children.ab_cycles[chosen])
        cities = self._room.ab_cycles[self._room.bounds[ab_cycle] : self._room.bounds[ab_cycle + 1]]
        own = np.sort(cities.reshape(-1, 2), axis=1)
        return own, np.sort(np.roll(cities, -1).reshape(-1, 2), axis=1)

    def _edges(self, pairs: Pairs) -> Edges:
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
