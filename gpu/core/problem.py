"""The problems that are solved here, and what each calls that which all of them have."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from gpu.core.formats import percent
from gpu.core.words import counted


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
    unit: str  # of a cost; empty if it has none
    aim: str  # a cost to be reached, with ``{}`` for the cost and its unit
    target: str  # what a cost to be reached is called
    known: str  # what the best-known cost is called
    at_least: str  # what every solution is, with ``{}`` for a cost that none is below
    none_below: str  # what no solution is

    def amount(self, cost: int, written: str = "") -> str:
        """Return a cost (as it is ``written``) in a sentence, with its unit if it has one."""
        return counted(cost, self.unit, written) if self.unit else written or str(cost)

    def excess(self, cost: int, reference: int) -> str:
        """Return how far a cost lies above another one: "1.23 %", or "2 colors" of a count."""
        if self.unit:
            return counted(cost - reference, self.unit)
        return percent(100.0 * (cost - reference) / reference if reference else None)

    def gap(self, cost: int, reference: int) -> str:
        """Return the same as a number that stands alone: "1.23 %", or "+2 colors"."""
        sign = "+" if self.unit and cost >= reference else ""
        return f"{sign}{self.excess(cost, reference)}"


class Problem(enum.StrEnum):
    """A kind of problem."""

    TSP = "tsp"
    COLORING = "coloring"

    @property
    def words(self) -> Words:
        """The words in which people speak of it."""
        return _PROBLEM_WORDS[self]


_PROBLEM_WORDS = {
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
        unit="",
        aim="length of {}",
        target="target length",
        known="the best known length",
        at_least="is at least {} long",
        none_below="is shorter than {}",
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
        unit="color",
        aim="of {}",
        target="target number of colors",
        known="the best known number of colors",
        at_least="has at least {}",
        none_below="has fewer than {}",
    ),
}
