"""What the window shows of each problem: its views, its words, its facts. One row a problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpu.core.instance import Instance
from gpu.core.problem import Problem
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.tsp.instance import TspInstance
from views.widgets.formats import significant, whole

FILES = (
    "TSPLIB instances and DIMACS graphs (*.tsp *.atsp *.col *.col.b);;"
    "Runs and sessions (*.jsonl *.json);;All files (*)"
)
"""Filter of the dialog that asks for an instance."""

OPEN_TIP = "Open a TSPLIB instance or a DIMACS graph (Ctrl+O), or drop one on the window"
DROP_HERE = "Drop a TSPLIB or DIMACS file anywhere on this window."

Panes = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
"""Keys of the views in the large pane, the upper and the lower one."""


@dataclass(frozen=True, slots=True)
class Face:
    """One problem in the window.

    Attributes
    ----------
    panes : tuple of tuple of str
        Which views it has, and where.
    exports : tuple of str
        Names in ``EXPORTS`` that no other problem has.
    best, best_tip, gap_tip, rate, rate_tip : str
        Headings and tips of the large numbers.
    cost_axis : str
        What the costs of solutions are measured in.
    best_curve, latest_curve, mean_curve, optimum_curve : str
        Tips of the curves of costs.
    cost_limit, cost_limit_tip : str
        Name and tip of the limit that is a cost.
    order : str
        Order of rows and columns of the pheromone.
    trails_tip : str
        What these rows and columns are.
    branching : bool
        Whether its colonies have a branching factor.
    whole_costs : bool
        Whether costs are so few that only whole numbers should stand at their axis.
    """

    panes: Panes
    exports: tuple[str, ...]
    best: str
    best_tip: str
    gap_tip: str
    rate: str
    rate_tip: str
    cost_axis: str
    best_curve: str
    latest_curve: str
    mean_curve: str
    optimum_curve: str
    cost_limit: str
    cost_limit_tip: str
    order: str
    trails_tip: str
    branching: bool
    whole_costs: bool


FACES: Mapping[Problem, Face] = {
    Problem.TSP: Face(
        panes=(
            ("tour", "decision"),
            ("convergence", "hit-rates", "device"),
            ("pheromone", "speedup", "comparison", "log"),
        ),
        exports=("tour",),
        best="BEST LENGTH",
        best_tip="Exact length of the best tour so far",
        gap_tip="How far the best tour lies above the best known length",
        rate="TOURS / S",
        rate_tip="Tours built a second, over the last two seconds",
        cost_axis="tour length",
        best_curve="The best tour so far",
        latest_curve="The best tour of each iteration",
        mean_curve="The mean tour of each iteration",
        optimum_curve="The best known length",
        cost_limit="Length",
        cost_limit_tip="Stop at a tour of this length or shorter",
        order="order of the best tour",
        trails_tip="Rows and columns are the cities in the order of the best tour",
        branching=True,
        whole_costs=False,
    ),
    Problem.COLORING: Face(
        panes=(
            ("graph", "adjacency"),
            ("convergence", "classes", "device"),
            ("pheromone", "speedup", "comparison", "log"),
        ),
        exports=("coloring",),
        best="FEWEST COLORS",
        best_tip="Colors of the best coloring so far, which is checked to be proper",
        gap_tip="How far the best coloring lies above the fewest known colors",
        rate="COLORINGS / S",
        rate_tip="Colorings built a second, over the last two seconds",
        cost_axis="colors",
        best_curve="The best coloring so far",
        latest_curve="The best coloring of each iteration",
        mean_curve="The mean coloring of each iteration",
        optimum_curve="The fewest known colors",
        cost_limit="Colors",
        cost_limit_tip="Stop at a coloring with so many colors or fewer",
        order="order of the best coloring's classes",
        trails_tip="Rows and columns are the vertices in the order of the best coloring's "
        "classes. Neighbours have no trail between them",
        branching=False,
        whole_costs=True,
    ),
}


def face_of(instance: Instance | None) -> Face:
    """Return the face of the problem of ``instance``; the tours' while there is none."""
    return FACES[Problem.TSP if instance is None else instance.problem]


def facts_of(instance: Instance) -> str:
    """Describe ``instance`` in two lines."""
    if isinstance(instance, TspInstance):
        kind = "directed " if instance.directed else ""
        optimum = instance.optimum
        known = f"best known length {whole(optimum)}" if optimum else "no best known length"
        return f"{whole(instance.n)} {kind}cities, {instance.metric}\n{known}"
    if isinstance(instance, GraphInstance):
        density = significant(instance.density, 2)
        optimum = instance.optimum
        known = f"fewest known colors {whole(optimum)}" if optimum else "fewest colors unknown"
        edges = f"{whole(instance.n)} vertices, {whole(len(instance.edges))} edges"
        return f"{edges}\ndensity {density}, {known}"
    return instance.size


def names_of(instance: Instance | None, count: int) -> list[str]:
    """Return what each of ``count`` places of ``instance`` is called: city 7, vertex 3."""
    place = "city" if instance is None else instance.problem.words.place
    if isinstance(instance, TspInstance):
        return [f"{place} {number}" for number in instance.city_ids]
    return [f"{place} {number + 1}" for number in range(count)]
