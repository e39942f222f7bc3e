"""The problems that are solved here, and what each calls that which all of them have."""

from __future__ import annotations

import enum
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one problem."""

    instance: str  # what is loaded
    cost: str  # what is to be least
    solution: str  # what an ant makes
    solutions: str
    place: str  # what an ant visits
    places: str
    colony: str  # the short name of the colony for whoever chooses none
    written: str  # name of a solution in results and logs, where it is a list of numbers
    suffix: str  # of files with a solution
    amount: str  # a cost in a sentence, with ``{}`` for the number
    aim: str  # a cost to be reached, likewise
    target: str  # what a cost to be reached is called
    known: str  # what the best-known cost is called


class Problem(enum.StrEnum):
    """A kind of problem."""

    TSP = "tsp"
    COLORING = "coloring"

    @property
    def words(self) -> Words:
        """The words in which people speak of it."""
        return _WORDS[self]


_WORDS = {
    Problem.TSP: Words(
        instance="travelling-salesman problem",
        cost="length",
        solution="tour",
        solutions="tours",
        place="city",
        places="cities",
        colony="acs",
        written="tour",
        suffix=".tour",
        amount="{}",
        aim="length of {}",
        target="target length",
        known="the best known length",
    ),
    Problem.COLORING: Words(
        instance="graph to color",
        cost="colors",
        solution="coloring",
        solutions="colorings",
        place="vertex",
        places="vertices",
        colony="coloring",
        written="colors",
        suffix=".sol",
        amount="{} colors",
        aim="of {} colors",
        target="target number of colors",
        known="the best known number of colors",
    ),
}
