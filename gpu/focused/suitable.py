"""Which instances the focused colonies take."""

from __future__ import annotations

from gpu.core.errors import ParameterError
from gpu.focused.parameters import MOST_DIRECTED
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.suitable import require_short, require_symmetric


def require_few_directed(instance: TspInstance) -> None:
    """Raise ParameterError if ``instance`` is directed and too large."""
    if instance.directed and instance.n > MOST_DIRECTED:
        raise ParameterError(
            f"focused colonies take directed instances of up to {MOST_DIRECTED:,} cities, and "
            f"{instance.name} has {instance.n:,}: choose the colony acs or mmas"
        )


def require_for_focused_cuda(instance: TspInstance) -> None:
    """Raise ParameterError if focused-gpu does not take ``instance``."""
    require_symmetric(instance)
    require_short(instance, "focused")
