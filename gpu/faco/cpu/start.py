"""The tour with which Focused ACO begins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.geometry import Geometry
from gpu.cpu.nearest_tour import nearest_neighbour_tour
from gpu.cpu.record import record_of
from gpu.cpu.stage_loop import StageTask
from gpu.cpu.stages import EVERYTHING
from gpu.local_search.cpu.search import improve_now
from gpu.local_search.cpu.state import local_search_of, workspace_of
from gpu.problems.tsp.instance import TspInstance


def improved_start(instance: TspInstance, geometry: Geometry, neighbours: int) -> NDArray[np.int32]:
    """Return the nearest-neighbour tour, improved by 2-opt and Or-opt with lists so long."""
    search = local_search_of(instance, "2opt+oropt", 1, neighbours)
    routes: NDArray[np.int32] = nearest_neighbour_tour(instance)[None].copy()
    lengths = np.array([instance.tour_length(routes[0])], np.int64)
    task = StageTask(thread=0, threads=1, iterations=1, stages=1, begin=0, end=EVERYTHING)
    own, record = workspace_of(search, 0), record_of(instance.n)
    improve_now(search.rule, own, geometry, record, task, routes, lengths)
    improved: NDArray[np.int32] = routes[0]
    return improved
