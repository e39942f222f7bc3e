"""The local search of the CPU colonies for tours that a test gives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpu.cpu.geometry import geometry_of
from gpu.cpu.record import BEST_ITERATION, ITERATION, record_of
from gpu.cpu.stage_loop import StageTask
from gpu.cpu.stages import EVERYTHING
from gpu.local_search.cpu import EXCHANGES, SEGMENTS, improve_now, local_search_of, workspace_of
from gpu.local_search.rule import NEIGHBOURS
from gpu.problems.tsp.instance import TspInstance


@dataclass(frozen=True, slots=True, eq=False)
class Improved:
    """What a local search made of some tours.

    Attributes
    ----------
    tours : ndarray of int32, shape (ants, n)
    lengths : ndarray of int64, shape (ants,)
    exchanges, segments : int
        Moves made by 2-opt and by Or-opt.
    """

    tours: NDArray[np.int32]
    lengths: NDArray[np.int64]
    exchanges: int
    segments: int


def improve(
    instance: TspInstance,
    tours: NDArray[np.integer],
    kind: str,
    neighbours: int = NEIGHBOURS,
    best: ArrayLike | None = None,
    iteration: int = 0,
) -> Improved:
    """Improve ``tours``, permutations of shape (ants, n), on one core.

    ``best`` is the best tour so far, after so many iterations.

    Raises
    ------
    ParameterError
        As :func:`gpu.local_search.cpu.local_search_of` says.
    """
    improved = np.array(tours, np.int32, order="C")
    lengths = np.array([instance.tour_length(tour) for tour in improved], np.int64)
    search, record = local_search_of(instance, kind, 1, neighbours), record_of(instance.n)
    record.numbers[ITERATION] = iteration
    if best is not None:
        record.numbers[BEST_ITERATION] = iteration
        record.best_solution[:] = np.asarray(best)
    if search.is_used:
        task = StageTask(0, 1, 1, 0, 0, EVERYTHING)
        own, geometry = workspace_of(search, 0), geometry_of(instance, 1.0)
        improve_now(search.rule, own, geometry, record, task, improved, lengths)
    exchanges, segments = (int(search.numbers[0, which]) for which in (EXCHANGES, SEGMENTS))
    return Improved(improved, lengths, exchanges, segments)
