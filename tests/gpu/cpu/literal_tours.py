"""What literal transcriptions of colonies that build tours have in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class LiteralTours:
    """Lengths and the nearest-neighbour tour, from all distances."""

    n: int
    d: NDArray[np.int64]

    def nearest_neighbour_tour(self) -> list[int]:
        tour = [0]
        while len(tour) < self.n:
            left = [v for v in range(self.n) if v not in tour]
            tour.append(min(left, key=lambda v: (self.d[tour[-1], v], v)))
        return tour

    def length(self, tour: list[int]) -> int:
        return sum(int(self.d[u, v]) for u, v in zip(tour, tour[1:] + tour[:1], strict=True))
