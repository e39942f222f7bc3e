"""What the views of a coloring share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.core.snapshot import RunState, Wanted


class NewestColoring:
    """The part of a view that keeps a run's newest coloring."""

    wanted = Wanted.SOLUTION
    _coloring: NDArray[np.int32] | None = None
    _news = False  # whether the coloring has not been drawn yet

    def take_in(self, snapshot: RunState) -> None:
        """Keep the best coloring."""
        best, kept = snapshot.best_solution, self._coloring
        if best is not None and (kept is None or not np.array_equal(best, kept)):
            self._coloring, self._news = best, True
