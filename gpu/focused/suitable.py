"""Which instances the focused colonies take."""

from __future__ import annotations

from gpu.core.errors import ParameterError
from gpu.focused.parameters import MOST_DIRECTED
from gpu.problems.tsp.instance import TspInstance


def require_symmetric(instance: TspInstance) -> None:
    """Raise ParameterError if ``instance`` is directed: stretches of its tours cannot be turned."""
    if instance.directed:
        raise ParameterError(
            f"{instance.name} is directed: choose the colony acs, mmas or focused-cores"
        )


def require_few_directed(instance: TspInstance) -> None:
    """Raise ParameterError if ``instance`` is directed and too large."""
    if instance.directed and instance.n > MOST_DIRECTED:
        raise ParameterError(
            f"focused colonies take directed instances of up to {MOST_DIRECTED:,} cities, and "
            f"{instance.name} has {instance.n:,}: choose the colony acs or mmas"
        )
