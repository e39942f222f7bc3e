"""Every view of the window, one row a view. A new view is its file and a row here."""

from __future__ import annotations

from dataclasses import dataclass

from gpu.core.problem import Problem
from views.batch.comparison_view import ComparisonView
from views.batch.race_view import RaceView
from views.batch.speedup_view import SpeedupView
from views.batch.study_view import StudyView
from views.decision.coloring_decision_view import ColoringDecisionView
from views.decision.decision_view import DecisionView
from views.graph.adjacency_view import AdjacencyView
from views.graph.classes_view import ClassesView
from views.graph.graph_view import GraphView
from views.plots.convergence_view import ConvergenceView
from views.plots.hit_rate_view import HitRateView
from views.plots.pheromone_view import PheromoneView
from views.run.device_view import DeviceView
from views.run.log_view import LogView
from views.runs.runs_view import RunsView
from views.tour.tour_view import TourView
from views.widgets.view import View

LARGE, UPPER, LOWER = range(3)  # the panes: a large one at the left, two smaller ones at the right


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
    ViewRow(TourView, LARGE, (Problem.TSP,)),
    ViewRow(DecisionView, LARGE, (Problem.TSP,)),
    ViewRow(GraphView, LARGE, (Problem.COLORING,)),
    ViewRow(ColoringDecisionView, LARGE, (Problem.COLORING,)),
    ViewRow(RunsView, LARGE),
    ViewRow(RaceView, LARGE),
    ViewRow(StudyView, LARGE),
    ViewRow(ConvergenceView, UPPER),
    ViewRow(ClassesView, UPPER, (Problem.COLORING,)),
    ViewRow(AdjacencyView, UPPER, (Problem.COLORING,)),
    ViewRow(HitRateView, UPPER, (Problem.TSP,)),
    ViewRow(DeviceView, UPPER),
    ViewRow(PheromoneView, LOWER),
    ViewRow(SpeedupView, LOWER),
    ViewRow(ComparisonView, LOWER),
    ViewRow(LogView, LOWER),
]
