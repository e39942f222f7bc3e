"""Every view of the window: a row, and what its "?" says. A new view needs both, and a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpu.core.problem import Problem
from views.batch.comparison_view import ComparisonView
from views.batch.race_view import RaceView
from views.batch.speedup_view import SpeedupView
from views.batch.study_view import StudyView
from views.decision.decision_view import DecisionView
from views.graph.adjacency_view import AdjacencyView
from views.graph.classes_view import ClassesView
from views.graph.graph_view import GraphView
from views.plots.convergence_view import ConvergenceView
from views.plots.hit_rate_view import HitRateView
from views.plots.pheromone_view import PheromoneView
from views.runs.device_view import DeviceView
from views.runs.log_view import LogView
from views.runs.runs_view import RunsView
from views.tour.stops_view import StopsView
from views.tour.tour_view import TourView
from views.widgets.labels import Paper, ViewExplanation
from views.widgets.view import View

LARGE_PANE, UPPER_PANE, LOWER_PANE = range(3)  # at the left, and at the right


@dataclass(frozen=True, slots=True)
class ViewRow:
    """One view.

    The tabs of a pane come in the order of the rows. The number keys 1 to 9, then 0, show the views
    in the order of the panes, but for those that have a key of their own.
    """

    view: type[View]  # can be made without arguments
    pane: int  # in which it is a tab
    problems: tuple[Problem, ...] = tuple(Problem)  # that it is for


VIEWS = [
    ViewRow(TourView, LARGE_PANE, (Problem.TSP,)),
    ViewRow(GraphView, LARGE_PANE, (Problem.COLORING,)),
    ViewRow(DecisionView, LARGE_PANE),
    ViewRow(RunsView, LARGE_PANE),
    ViewRow(RaceView, LARGE_PANE),
    ViewRow(StudyView, LARGE_PANE),
    ViewRow(ConvergenceView, UPPER_PANE),
    ViewRow(StopsView, UPPER_PANE, (Problem.TSP,)),
    ViewRow(ClassesView, UPPER_PANE, (Problem.COLORING,)),
    ViewRow(AdjacencyView, UPPER_PANE, (Problem.COLORING,)),
    ViewRow(HitRateView, UPPER_PANE, (Problem.TSP,)),
    ViewRow(DeviceView, UPPER_PANE),
    ViewRow(PheromoneView, LOWER_PANE),
    ViewRow(SpeedupView, LOWER_PANE),
    ViewRow(ComparisonView, LOWER_PANE),
    ViewRow(LogView, LOWER_PANE),
]


_AS_PAPER = Paper("Dorigo, Maniezzo, Colorni: Ant System (1996)", "10.1109/3477.484436")
_ACS_PAPER = Paper("Dorigo, Gambardella: Ant Colony System (1997)", "10.1109/4235.585892")
_MMAS_PAPER = Paper("Stützle, Hoos: MAX-MIN Ant System (2000)", "10.1016/S0167-739X(00)00043-1")
_SELECTIVE_PAPER = Paper(
    "Skinderowicz: The GPU-based parallel Ant Colony System (2016)", "10.1016/j.jpdc.2016.04.014"
)
_PHASES_PAPER = Paper(
    "Skinderowicz: Implementing a GPU-based parallel MAX-MIN Ant System (2020)",
    "10.48550/arXiv.2003.11902",
)
_SPEEDUP_PAPER = Paper(
    "Cecilia and others: Enhancing data parallelism for Ant Colony Optimization on GPUs (2013)",
    "10.1016/j.jpdc.2012.01.002",
)
_COLORING_PAPER = Paper(
    "Leighton: A graph coloring algorithm for large scheduling problems (1979)",
    "10.6028/jres.084.024",
)
_ANTCOL_PAPER = Paper(
    "Costa, Hertz: Ants can colour graphs (1997)", "10.1057/palgrave.jors.2600357"
)
_TSPLIB_PAPER = Paper(
    "Reinelt: TSPLIB, a traveling salesman problem library (1991)", "10.1287/ijoc.3.4.376"
)
_RANK_SUM_PAPER = Paper(
    "Wilcoxon: Individual comparisons by ranking methods (1945)", "10.2307/3001968"
)
_SPRINGS_PAPER = Paper(
    "Zheng, Pawar, Goodman: Graph drawing by stochastic gradient descent (2019)",
    "10.1109/TVCG.2018.2859997",
)
_RANDOM_PAPER = Paper(
    "Salmon and others: Parallel random numbers: as easy as 1, 2, 3 (2011)",
    "10.1145/2063384.2063405",
)

# By the key of the view.
EXPLANATIONS: Mapping[str, ViewExplanation] = {
    "tour": ViewExplanation(
        "The bold line is the shortest tour that the colony has found, the thin one the best tour "
        "of the last iteration. The green bands are the trails on which ants have left most "
        "pheromone: the wider the band, the more likely the next ants take that edge.",
        "watch",
        _AS_PAPER,
    ),
    "decision": ViewExplanation(
        "Of a tour, an ant chooses the next city by the trail to it (τ) and its nearness (η): bars "
        "show how likely each city is, or which edges of a tour a focused or crossing ant changes. "
        "Of a graph, it fills one color class after the other with vertices that no edge joins: "
        "the more excluded neighbours (d_N) and the more trail a vertex has, the likelier it is.",
        "decisions#what-you-see",
        _ACS_PAPER,
        _ANTCOL_PAPER,
    ),
    "graph": ViewExplanation(
        "Each mark is a vertex and each color or shape a class; vertices that an edge joins must "
        "be in different classes. The fewer classes the better, and an edge within a class is "
        "drawn as a conflict.",
        "watch#large-graphs",
        _SPRINGS_PAPER,
    ),
    "matrix": ViewExplanation(
        "Each dot is an edge between the vertex of its row and the vertex of its column, and the "
        "vertices of one color are together. The squares on the diagonal are the classes: in a "
        "proper coloring they are empty.",
        "watch#large-graphs",
        _COLORING_PAPER,
    ),
    "runs": ViewExplanation(
        "Each row is a run that was recorded, with its colony, its seed and what it found. The "
        "gap says by how many percent its cost exceeds the best known one.",
        "runs#the-list",
        _TSPLIB_PAPER,
    ),
    "race": ViewExplanation(
        "Each lane is a colony that works on the same instance with the same limits. The curves "
        "and the table say which one is ahead at equal time, and which needs fewer tours for an "
        "equal gap.",
        "race#read-the-numbers",
        _MMAS_PAPER,
    ),
    "study": ViewExplanation(
        "A study runs colonies on instances with many seeds, so that luck does not decide. A "
        "small p-value says that the difference between two colonies would be rare if they were "
        "equally good.",
        "studies#in-the-window",
        _RANK_SUM_PAPER,
    ),
    "convergence": ViewExplanation(
        "The bold curve is the cost of the best solution so far, which can only fall. The mean of "
        "an iteration lies above it: as long as the two are apart, ants still try different "
        "solutions.",
        "watch#how-far-from-the-optimum",
        _MMAS_PAPER,
    ),
    "stops": ViewExplanation(
        "Each row is a stop of the best route, in its order, with the way from the stop before and "
        "the way from the beginning. A click on a row shows the city on the map, and a click on a "
        "city its row.",
        "stops#the-stops",
        _TSPLIB_PAPER,
    ),
    "classes": ViewExplanation(
        "Each vertex with its color class, or a bar for each class, as high as it has vertices. "
        "Ants fill one class after the other, so that the first classes are large and the last "
        "ones small.",
        "classes",
        _COLORING_PAPER,
    ),
    "hit-rates": ViewExplanation(
        "A selective memory keeps only a few trails at each city. The curves say how often an "
        "update finds its trail there: a low rate means that the memory forgets much.",
        "speed#how-often-a-trail-is-found",
        _SELECTIVE_PAPER,
    ),
    "device": ViewExplanation(
        "The bars say where the time of an iteration goes: building solutions, improving them, "
        "updating the trails. The branching factor is the mean number of edges that ants still "
        "consider at a city: near 1 the ants have settled.",
        "speed#where-the-time-of-an-iteration-goes",
        _PHASES_PAPER,
    ),
    "pheromone": ViewExplanation(
        "The colour of each place is the trail (τ) between two cities, compared with the trail at "
        "the beginning (τ₀). The rows follow the best tour, so that a bright line shows that ants "
        "have agreed on it, and bright places beside it show where they still try other ways.",
        "watch#trails",
        _AS_PAPER,
    ),
    "speedup": ViewExplanation(
        "The curves say how many times as fast as one core of the CPU the other devices build "
        "tours. Instances, parameters and numbers of tours are the same, and the times are "
        "medians of several measurements.",
        "speed#times-as-fast-as-one-core",
        _SPEEDUP_PAPER,
    ),
    "compare": ViewExplanation(
        "The table says how long an iteration takes with each colony and each option that this "
        "device can run. It does not say how good the solutions are.",
        "speed#which-colony-and-which-option",
        _PHASES_PAPER,
    ),
    "log": ViewExplanation(
        "The log records how a run began and what it found, line by line. With the same seed most "
        "colonies find the same solutions again, because all random numbers follow from it.",
        "runs#the-log",
        _RANDOM_PAPER,
    ),
}
