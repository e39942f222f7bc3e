"""One step of an ant that changes a tour which it has, instead of building one."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

STEPS = 4  # of a focused ant
CROSSING_STEPS = 3  # of a crossing ant


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Some edges; where distances are directed, each leads from its first city to its second."""

    cities: NDArray[np.int32]  # (k, 2)
    lengths: NDArray[np.int64]  # (k,)
    trails: NDArray[np.float32]  # (k,)

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def length(self) -> int:
        """Of all together."""
        return int(self.lengths.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Two places are drawn, and the ant begins at the one with the weaker trail."""

    cities: NDArray[np.int32]  # (k,): one or two, those that are drawn
    behind: Edges  # k, by which the iteration's first tour leaves them
    at: int  # which of them the ant takes

    @property
    def taken(self) -> int:
        """The city behind which the ant wants to begin."""
        return int(self.cities[self.at])


@dataclass(frozen=True, slots=True, eq=False)
class DoubleBridge:
    """Three neighbouring stretches of the tour change places: the last comes first.

    It is a double bridge (Martin, Otto and Felten 1991) within a few cities.
    """

    drawn: int  # the city behind which the ant wanted to begin,
    start: int  # and that behind which it does: an earlier one near the end of a cell's cities
    stretches: tuple[
        NDArray[np.int32], ...
    ]  # their cities, in the order before; none: no double bridge


@dataclass(frozen=True, slots=True, eq=False)
class Repair:
    """The local search mends what the double bridge made worse."""

    bridged: int  # by how much the double bridge made the tour shorter
    back: bool  # whether the tour is again the one that the ant found


class Fate(enum.Enum):
    """What becomes of an ant's tour."""

    UNCHANGED = "unchanged"  # it is the tour that the ant found
    KEPT = "kept"
    TOO_LONG = "too long"  # taken back, because it is longer
    NO_ROOM = "no room"  # taken back, because the log of changes is full


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """The ant's tour is kept, or taken back."""

    fate: Fate
    heat: float  # temperature in units of
    unit: float  # which is a length
    draw: float  # a longer tour is kept if this is below the probability
    cells: int  # whose ants work side by side; with one, what is kept stays as it is

    @property
    def temperature(self) -> float:
        """T, a length."""
        return self.heat * self.unit

    def probability(self, gain: int) -> float:
        """Return e^(-Δ/T), with which a tour is kept that is longer by Δ, -``gain``."""
        if gain >= 0:
            return 1.0
        return float(np.exp(gain / self.temperature)) if self.temperature > 0 else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Partner:
    """Two tours of the population are compared.

    What is given up are edges of the ant's own tour alone, what is taken those of the other alone.
    """

    own: int  # the ant's tour, and
    other: int  # that with which it is crossed, numbers in the population from 0
    tours: int  # of the population
    lengths: tuple[int, int]  # of both


@dataclass(frozen=True, slots=True, eq=False)
class Children:
    """The edges that differ fall into AB-cycles; of each that is drawn, the ant makes a tour.

    What is given up and taken are the edges of the AB-cycle whose child is kept.
    """

    ab_cycles: int  # that there are
    sizes: NDArray[np.int64]  # (c,): edges of its own tour in each AB-cycle that is drawn
    parts: NDArray[np.int64]  # (c,): tours into which it falls with the AB-cycle exchanged
    gains: NDArray[np.int64]  # (c,): by how much the child is shorter; 0 if there is none
    losses: NDArray[np.float64]  # (c,): of the entropy of the population's edges
    worths: NDArray[np.float64]  # (c,): by which those are compared that are shorter; else 0
    weighed: bool  # whether a worth is the gain divided by the loss; else it is the gain
    at: int  # the child that is kept, or -1


@dataclass(frozen=True, slots=True, eq=False)
class Child:
    """The child that the ant keeps instead of its tour, if there is one."""

    made: int  # children
    size: int  # edges of its AB-cycle; 0 if no child is shorter
    parts: int  # tours that were joined
    loss: float  # of entropy


Step = Places | DoubleBridge | Repair | Verdict | Partner | Children | Child


@dataclass(frozen=True, slots=True, eq=False)
class TourChange:
    """One step of one ant in the coming iteration, replayed from the tour as it stands."""

    ant: int  # counted from 0
    iteration: int  # the coming iteration, counted from 0: as many are finished
    step: int  # counted from 1
    what: Step
    kept: NDArray[np.int32]  # (k, 2): edges of the tour that the step does not change
    given: Edges  # edges that it gives up
    made: Edges  # and takes instead
    around: NDArray[np.int32]  # cities to look at
    caveat: str = ""  # why the iteration may turn out otherwise, in one sentence
    generation: int = 0  # the run of the session; set by the run, stale ones are dropped

    @property
    def gain(self) -> int:
        """By how much the tour gets shorter."""
        return self.given.length - self.made.length
