"""The problems that are solved here, and what each calls that which all of them have."""

from __future__ import annotations

import enum
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one problem.

    Attributes
    ----------
    instance : str
        What is loaded.
    cost : str
        What is to be least.
    solution, solutions : str
        What an ant makes.
    place, places : str
        What an ant visits.
    colony : str
        The short name of the colony for whoever chooses none.
    """

    instance: str
    cost: str
    solution: str
    solutions: str
    place: str
    places: str
    colony: str


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
    ),
    Problem.COLORING: Words(
        instance="graph to color",
        cost="colors",
        solution="coloring",
        solutions="colorings",
        place="vertex",
        places="vertices",
        colony="coloring",
    ),
}
