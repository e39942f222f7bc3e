"""What colonies that turn stretches of a tour ask of an instance."""

from __future__ import annotations

from gpu.core.errors import ParameterError
from gpu.problems.tsp.instance import TspInstance


def require_symmetric(instance: TspInstance) -> None:
    """Raise ParameterError if ``instance`` is directed."""
    if instance.directed:
        raise ParameterError(
            f"this colony turns stretches of a tour, and {instance.name} is directed: "
            "choose the colony acs, mmas or focused-cores"
        )
