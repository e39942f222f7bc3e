from __future__ import annotations

import numpy as np
import pytest

from gpu.core.history import KEPT, joined, of_ring
from tests.progress import progress_of


@pytest.mark.parametrize("last", [0, 1, 2, KEPT - 1, KEPT, KEPT + 1, 3 * KEPT + 7])
def test_a_ring_keeps_the_last_iterations_in_their_order(last: int) -> None:
    ring = np.full((KEPT, 2), -1)
    for iteration in range(1, last + 1):
        ring[iteration % KEPT] = iteration, 10 * iteration
    history = of_ring(ring.view(np.uint64), last, 4)
    kept = np.arange(max(last - KEPT, 0) + 1, last + 1)
    assert history.last == last
    assert history.best.tolist() == kept.tolist()
    assert history.mean.tolist() == (2.5 * kept).tolist()
    assert [array.dtype for array in (history.best, history.mean)] == ["int64", "float64"]
    assert not history.best.flags.writeable


def test_parts_are_joined_in_their_order() -> None:
    parts = [progress_of(1, 0.5, 90, 95.0, [(1, 90)]), progress_of(2, 0.75, 80, 97.0, [(2, 80)])]
    whole = joined(parts)
    assert (whole.last, whole.iterations, whole.iteration_best) == (2, 2, 80)
    assert whole.iteration_mean == 96.0
    assert [one.cost for one in whole.improvements] == [90, 80]
    assert whole.seconds.tolist() == [0.5, 0.75]
    nothing = joined([])
    assert (nothing.last, nothing.iterations, nothing.improvements) == (0, 0, ())
