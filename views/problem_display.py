"""How the window shows each problem: its files, its facts, its words. One row a problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.bounds import LowerBound
from gpu.core.formats import number_of, significant, whole
from gpu.core.instance import Instance
from gpu.core.problem import Problem, Words
from gpu.problems.coloring.instance import GraphInstance, class_order
from gpu.problems.tsp.instance import TspInstance


@dataclass(frozen=True, slots=True)
class ProblemDisplay:
    """One problem in the window. What its :class:`Words` say already is made from them."""

    problem: Problem
    format: str  # of its files, and what is in one, and how their names end
    content: str
    patterns: str
    solution_format: str  # what a solution is saved as, and how the name of its file ends
    best: str  # heading of the best cost
    best_tip: str
    cost_axis: str  # what the axis of costs is labelled with
    cost_limit_tip: str  # of the limit that is a cost
    row_order: str  # in words, the order of the rows and columns of the pheromone
    trails_note: str  # what else there is to say about them
    no_trail: str  # what an entry without a trail means
    branching: bool  # whether its colonies have a branching factor
    shelf: str  # what its bundled instances are headed by
    facts: Callable[[Any], str]  # takes an instance, returns two lines that describe it
    given: int = 0  # places of a solution that an ant does not choose: where it starts
    # Takes a solution, returns the places in the order of the rows of the pheromone.
    order: Callable[[NDArray[np.int32]], NDArray[np.integer]] = lambda solution: solution
    trail_forms: tuple[str, ...] = ("matrix",)  # in which its pheromone can be shown
    routes: tuple[str, ...] = ()  # further exports of a solution
    improvable: bool = False  # whether colonies can begin with a solution
    bounded: bool = False  # whether runs look for a lower bound of its costs
    # Takes an instance and a place of it (from 0), returns what it is called: 7 (Rome), Maths.
    called: Callable[[Any, int], str] = lambda one, place: str(place + 1)

    # Takes an instance, returns what says the same as short as it can be: its number in the file.
    short: Callable[[Any], Callable[[int], str]] = lambda one: lambda place: str(place + 1)

    @property
    def words(self) -> Words:
        """The problem's own words."""
        return self.problem.words

    @property
    def curve_tips(self) -> Mapping[str, str]:
        """Tips of the curves of costs, by their names."""
        solution, known = self.words.solution, self.words.known
        return {
            "best": f"The best {solution} so far",
            "latest": f"The best {solution} of iterations; in a long run, of several at a point",
            "mean": f"The mean {solution} of iterations; in a long run, of several at a point",
            "optimum": known[:1].upper() + known[1:],
        }

    def bound_tip(self, bound: LowerBound) -> str:
        """Say what no solution is better than, and why."""
        least = self.words.amount(bound.cost, whole(bound.cost))
        return f"Every {self.words.solution} {self.words.at_least.format(least)}: {bound.why}"

    def cost_axis_of(self, instance: Instance | None) -> str:
        """What the axis of costs of ``instance`` is labelled with.

        It has no room for a unit of several words, which the facts have.
        """
        unit = "" if instance is None else instance.unit
        return f"{self.cost_axis} in {unit}" if unit and " " not in unit else self.cost_axis

    @property
    def trails_tip(self) -> str:
        """What the rows and columns of the pheromone are."""
        order = f"Rows and columns are the {self.words.places} in the {self.row_order}"
        return f"{order}. {self.trails_note}" if self.trails_note else order

    def name_of(self, instance: Instance, place: int) -> str:
        """Return what ``place`` (from 0) of ``instance`` is called: city 7 (Rome), vertex 3."""
        if place >= instance.real_n:
            cities: Any = instance
            return str(cities.city_words.called(place))
        return f"{self.words.place} {self.called(instance, place)}"


def _city_called(instance: TspInstance, city: int) -> str:
    """Return the number of a city in its file, with its name if there is one."""
    name = instance.names[city] if instance.names else ""
    return f"{instance.city_words.short(city)}{f' ({name})' if name else ''}"


def _vertex_number(instance: GraphInstance) -> Callable[[int], str]:
    numbers = instance.numbers
    return lambda vertex: str((vertex if numbers is None else int(numbers[vertex])) + 1)


def measured_in_words(instance: TspInstance) -> str:
    """Return how distances are measured: by a rule of TSPLIB, or in words for other files."""
    if not instance.seen:
        return str(instance.measured)
    return "on the globe" if instance.geographic else ""


def _tour_facts(instance: TspInstance) -> str:
    kind = "directed, " if instance.directed else ""
    optimum = instance.optimum
    yours = " (yours)" if instance.optimum_by_user else ""
    known = (
        f"best known length {instance.cost_unit.text(optimum)}{yours}"
        if optimum
        else "no best known length"
    )
    unit = f", lengths in {instance.unit}" if instance.unit else ""
    # Where a route begins and ends stands below it, where it is chosen.
    cities = number_of(instance.real_n, "city")
    parts = cities, instance.edges_wanted, measured_in_words(instance)
    return f"{kind}{', '.join(filter(None, parts))}{unit}\n{known}"


_SPARSE = 0.001  # a density that is lower says less than the neighbours of a vertex, on average


def _graph_facts(instance: GraphInstance) -> str:
    density = f"density {significant(instance.density, 2)}"
    if instance.density < _SPARSE:
        density = f"mean degree {significant(2 * len(instance.edges) / instance.n)}"
    optimum = instance.optimum
    yours = " (yours)" if instance.optimum_by_user else ""
    known = (
        f"best known {number_of(optimum, 'color')}{yours}" if optimum else "no best known coloring"
    )
    edges = f"{number_of(instance.n, 'vertex')}, {number_of(len(instance.edges), 'edge')}"
    return f"{edges}\n{density}, {known}"


_DISPLAY_ROWS = (
    ProblemDisplay(
        problem=Problem.TSP,
        format="TSPLIB",
        content="instance",
        patterns="*.tsp *.atsp *.csv *.tsv *.txt *.xlsx *.npy *.npz *.json *.gpx *.kml *.kmz "
        "*.geojson *.osm *.gz *.bz2 *.xz *.zip",
        solution_format="TSPLIB tour (*.tour)",
        best="BEST LENGTH",
        best_tip="Exact length of the best tour so far",
        cost_axis="tour length",
        cost_limit_tip="Stop at a tour of this length or shorter",
        row_order="order of the ants' best tour",
        trails_note="",
        no_trail="no trail",
        branching=True,
        shelf="Cities to visit",
        trail_forms=("strip", "band", "matrix"),
        routes=("route", "gpx", "kml", "geojson"),
        improvable=True,
        facts=_tour_facts,
        given=1,
        short=lambda instance: instance.city_words.short,
        called=_city_called,
    ),
    ProblemDisplay(
        problem=Problem.COLORING,
        format="DIMACS",
        content="graph",
        patterns="*.col *.col.b *.col.gz *.col.b.gz *.mtx *.graphml *.gml *.dot *.gv *.g6",
        solution_format="DIMACS solution (*.sol)",
        best="FEWEST COLORS",
        best_tip="Colors of the best coloring so far, which is checked to be proper",
        cost_axis="colors",
        cost_limit_tip="Stop at a coloring with so many colors or fewer",
        row_order="order of the classes of the ants' best coloring",
        trails_note="Neighbours have no trail between them",
        no_trail="no trail, for it is an edge",
        branching=False,
        shelf="Graphs to color",
        routes=("classes", "class-columns"),
        improvable=True,
        facts=_graph_facts,
        order=class_order,
        short=_vertex_number,
        called=lambda instance, vertex: instance.called(vertex),
        bounded=True,
    ),
)

# The problems that the window can show, the one that it shows first at the front.
DISPLAYS: Mapping[Problem, ProblemDisplay] = {row.problem: row for row in _DISPLAY_ROWS}

# What can be opened; what to do while no instance is open; and the same on the empty map.
OPEN_TIP = "Open a file with places, distances or a graph: a table, TSPLIB, DIMACS, GPX and others"
_DROPPED = "Drop a file with places, distances or a graph"
DROP_HERE = f"{_DROPPED} anywhere on this window."
WELCOME = f"{_DROPPED} here,\nopen one with Ctrl+O,\nor choose a bundled instance."

_TABLES = "*.csv *.tsv *.txt *.xlsx *.json *.geojson *.gpx *.kml *.kmz *.gz *.zip"
STUDY_SUFFIXES = (".toml", ".sqlite")  # of the design of a study, and of its results

# Filter of the dialog that asks for an instance.
FILES = (
    f"Places, distances and graphs ({' '.join(row.patterns for row in _DISPLAY_ROWS)});;"
    + f"Tables of places ({_TABLES});;"
    + "Tours (*.tour *.tour.gz);;Runs and sessions (*.jsonl *.json);;"
    + "Studies (*.toml *.sqlite);;All files (*)"
)


def problem_of(instance: Instance | None) -> Problem:
    """Return the problem of ``instance``; while there is none, the one that is shown first."""
    return next(iter(DISPLAYS)) if instance is None else instance.problem


def display_of(instance: Instance | None) -> ProblemDisplay:
    """Return how the problem of ``instance`` is shown."""
    return DISPLAYS[problem_of(instance)]


def is_on_globe(instance: Instance | None) -> bool:
    """Whether the places of ``instance`` are longitudes and latitudes."""
    return instance is not None and instance.geographic
