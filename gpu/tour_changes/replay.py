"""What the replays of focused and crossing ants have in common: a step that changes a tour."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.colony import never
from gpu.core.decisions import (
    OPTIONS_TOLD,
    Option,
    Options,
    Picture,
    PictureMark,
    Sign,
    Step,
    Unanswered,
)
from gpu.core.formats import quantity, signed, whole
from gpu.problems.tsp.instance import CityWords, TspInstance

Pairs = NDArray[np.int32]  # (k, 2): the cities of edges
_CITIES_NAMED = 24  # most cities of a change that have a number on the map


@dataclass(frozen=True, slots=True, eq=False)
class TourEdges:
    """Some edges; where distances are directed, each leads from its first city to its second."""

    cities: Pairs
    lengths: NDArray[np.int64]  # (k,)
    trails: NDArray[np.float32]  # (k,)

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def length(self) -> int:
        """Of all together."""
        return int(self.lengths.sum())

    def options(
        self, words: CityWords, sign: Sign, said: Sequence[str], before: str = ""
    ) -> list[Option]:
        """Return the edges as rows of a table, with what is ``said`` of each."""
        rows = zip(self.cities, self.trails, self.lengths, said, strict=False)
        return [
            Option(
                (
                    f"{before}{words.short(a)} – {words.short(b)}",
                    text,
                    "",
                    quantity(trail),
                    words.length(int(length)),
                ),
                float(length),
                (int(a), int(b)),
                chosen=text in ("taken", "begins here"),
                sign=sign,
            )
            for (a, b), trail, length, text in rows
        ]


class ChangeKind(ABC):
    """What a step is, and what belongs to this kind alone: its words and its marks."""

    names: ClassVar = ("tour", "given up", "taken")  # of edges kept, given up and made
    said: ClassVar = ("given up", "taken")  # of the latter two in the table

    @abstractmethod
    def sentence(self, change: TourChange, words: CityWords) -> str:
        """Say what the ant does."""

    def formula(self, change: TourChange) -> str:
        """Return the numbers behind the step."""
        return change.difference

    def options(self, change: TourChange, words: CityWords) -> Options:
        """Return the edges that are given up, then those that come instead."""
        given, made = change.given, change.made
        rows = given.options(words, Sign.GIVEN_UP, [self.said[0]] * OPTIONS_TOLD, "− ")
        rows += made.options(words, Sign.TAKEN, [self.said[1]] * OPTIONS_TOLD, "+ ")
        return Options(EDGE_HEADS, tuple(rows), len(given) + len(made))

    def marks(self) -> list[PictureMark]:
        """Return what is marked besides the edges kept, given up and made."""
        return []


EDGE_HEADS = "edge", "", "", "τ", "length"


@dataclass(frozen=True, slots=True, eq=False)
class TourChange:
    """One step of one ant, replayed from the tour as it stands."""

    ant: int  # counted from 0
    number: int  # counted from 1
    what: ChangeKind
    kept: Pairs  # edges of the tour that the step does not change
    given: TourEdges  # edges that it gives up
    made: TourEdges  # and takes instead
    around: NDArray[np.int32]  # cities to look at

    @property
    def gain(self) -> int:
        """By how much the tour gets shorter."""
        return self.given.length - self.made.length

    @property
    def difference(self) -> str:
        """By how much the tour gets longer, as a formula."""
        if not len(self.given):
            return "Δ = 0"
        taken, given = whole(self.made.length), whole(self.given.length)
        return f"Δ = {taken} taken − {given} given up = {signed(-self.gain)}"

    def step(self, iteration: int, words: CityWords, caveat: str = "") -> Step:
        """Return the step as it is shown; ``words`` say what cities are called."""
        what, edges = self.what, (self.kept, self.given.cities, self.made.cities)
        signs = Sign.KEPT, Sign.GIVEN_UP, Sign.TAKEN
        marks = [
            PictureMark(*mark) for mark in zip(signs, edges, what.names, strict=True) if mark[2]
        ]
        marks += what.marks()
        changed = (Sign.GIVEN_UP, Sign.TAKEN) if len(self.given) else (Sign.SUBJECT,)
        begin = [mark for mark in marks if mark.sign is Sign.CHOSEN]
        named = begin + [mark for mark in marks if mark.sign in changed]
        cities = list(dict.fromkeys(int(city) for mark in named for city in mark.places.flat))
        return Step(
            self.ant,
            iteration,
            self.number,
            what.sentence(self, words),
            what.options(self, words),
            Picture(tuple(marks), np.array(cities[:_CITIES_NAMED], np.int32), self.around),
            what.formula(self),
            caveat=caveat,
        )


def than(gain: int) -> str:
    """Return "5 longer than", "5 shorter than" or "as long as"."""
    if not gain:
        return "as long as"
    return f"{whole(abs(gain))} {'shorter' if gain > 0 else 'longer'} than"


class NotBegun:
    """Says why an iteration has no ants to look at."""

    def __init__(self, iteration: int, why: str) -> None:
        self._iteration, self._why = iteration, why

    def decision(self, ant: int, step: int, cancelled: Callable[[], bool] = never) -> Unanswered:
        """Return why there is no answer; see :class:`gpu.core.decisions.Replay`."""
        return Unanswered(ant, self._iteration, step, self._why)


def edges_of(
    instance: TspInstance,
    neighbours: NDArray[np.int32],
    values: NDArray[np.float32],
    pairs: Pairs,
    halves: int = 1,
) -> TourEdges:
    """Return edges with their lengths and trails: ``values`` of candidates, 1 of all others.

    ``neighbours`` are the candidate lists, int32 (n, k), and ``values`` their trails, float32
    (n, k); ``pairs`` are int32 (e, 2). Where a city has two ``halves``, they lead from one that is
    left to one that is entered.
    """
    if halves == 2:
        pairs = np.where(pairs[:, :1] & 1, pairs, pairs[:, ::-1])
    trails = np.ones(len(pairs), np.float32)
    for one, other in ((0, 1), (1, 0)):
        rows, lanes = np.nonzero(neighbours[pairs[:, one]] == pairs[:, other, None])
        trails[rows] = values[pairs[rows, one], lanes]
    cities = np.ascontiguousarray(pairs // halves)
    lengths = instance.distances(cities[:, 0], cities[:, 1])
    return TourEdges(frozen(cities), frozen(lengths), frozen(trails))
