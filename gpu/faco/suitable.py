"""Which instances Focused ACO takes on a GPU."""

from __future__ import annotations

from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.suitable import require_short, require_symmetric

FACO_CUDA_LONGEST = (1 << 30) - 1  # distance up to which the sum of two is a 32-bit number


def require_for_faco_cuda(instance: TspInstance) -> None:
    """Raise ParameterError if faco-gpu does not take ``instance``."""
    require_symmetric(instance)
    require_short(instance, "faco", FACO_CUDA_LONGEST)
