"""The tours along which the ants of an iteration have walked, for those who watch them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.core.arrays import frozen
from gpu.core.errors import WrongSolutionError
from gpu.core.snapshot import MOST_WALKED, MOST_WALKERS, Walks
from gpu.problems.tsp.instance import TspInstance


def walks_of(
    instance: TspInstance,
    tours: NDArray[np.integer],
    ants: int | None = None,
    source: NDArray[np.integer] | None = None,
) -> Walks | None:
    """Return a checked copy of the first ``tours``, (k, n), and how long they are.

    None for an instance of more than ``MOST_WALKED`` cities.

    Parameters
    ----------
    instance : TspInstance
        What is solved.
    tours : numpy.ndarray
        The tours that are kept, shape (k, n).
    ants : int, optional
        All ants of the iteration; by default k.
    source : numpy.ndarray, optional
        The tour that the ants have changed, shape (n,); by default they have changed none.

    Raises
    ------
    WrongSolutionError
        If one of them is no tour.
    """
    if instance.n > MOST_WALKED:
        return None
    shown = np.array(tours[:MOST_WALKERS], np.int32)
    if not np.array_equal(np.sort(shown, axis=1), np.tile(np.arange(instance.n), (len(shown), 1))):
        raise WrongSolutionError("an ant has not visited every city once")
    costs = instance.distances(shown, np.roll(shown, -1, axis=1)).sum(axis=1)
    changed = None
    if source is not None:
        place = np.empty(instance.n, np.int64)
        place[source] = np.arange(instance.n)
        apart = np.abs(place[shown] - place[np.roll(shown, -1, axis=1)])
        changed = frozen((apart != 1) & (apart != instance.n - 1))
    return Walks(frozen(shown), frozen(costs), ants or len(tours), changed=changed)
