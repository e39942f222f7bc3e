"""How a plot of costs is scaled: what runs along each axis, and whether logarithmically."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpu.core.cost_curve import RunAxis, gap_percent
from views.widgets.canvas.layers import Points

LEAST_GAP = 0.001  # percent: smaller gaps are drawn here on a logarithmic axis, which has no 0
_LEAST = {RunAxis.ITERATIONS: 1.0, RunAxis.SOLUTIONS: 1.0, RunAxis.SECONDS: 0.001}  # likewise


@dataclass(frozen=True, slots=True)
class Scale:
    """What is drawn for a moment and a cost."""

    axis: RunAxis = RunAxis.ITERATIONS
    gap: bool = False  # gaps to the best known cost in %, instead of costs
    log_moment: bool = False
    log_cost: bool = False

    @property
    def plain(self) -> bool:
        """Whether costs are drawn as they are."""
        return not (self.gap or self.log_cost)

    def place(self, moments: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where ``moments`` are along the axis."""
        if not self.log_moment:
            return moments
        return np.asarray(np.log10(np.maximum(moments, _LEAST[self.axis])))

    def moment(self, place: float) -> float:
        """Return which moment is at ``place``."""
        return float(10.0**place) if self.log_moment else place

    def height(self, costs: NDArray[np.float64], optimum: int | None) -> NDArray[np.float64]:
        """Return where ``costs`` are; NaN for gaps without a known ``optimum``."""
        if self.gap:
            costs = np.full(len(costs), np.nan) if not optimum else gap_percent(costs, optimum)
        if not self.log_cost:
            return costs
        return np.asarray(np.log10(np.maximum(costs, LEAST_GAP)))

    def mapped(self, points: Points, optimum: int | None) -> Points:
        """Return where ``points`` are drawn: (moment, cost), float64 of shape (k, 2)."""
        return np.column_stack([self.place(points[:, 0]), self.height(points[:, 1], optimum)])
