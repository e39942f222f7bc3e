"""Which instances a GPU crosses tours of."""

from __future__ import annotations

from gpu.core.errors import ParameterError
from gpu.crossing.parameters import CUDA_MOST_CROSSED
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.suitable import require_short, require_symmetric


def require_for_crossing_cuda(instance: TspInstance) -> None:
    """Raise ParameterError if crossing-gpu does not take ``instance``."""
    require_symmetric(instance)
    if instance.n > CUDA_MOST_CROSSED:
        raise ParameterError(
            f"crossing-gpu takes up to {CUDA_MOST_CROSSED:,} cities, and {instance.name} has "
            f"{instance.n:,}: choose the colony focused"
        )
    require_short(instance, "crossing")
