"""The solution with which every run begins, before its colony has built one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.instance import Instance
from gpu.core.problem import Problem


def _nearest_neighbour(instance: Any) -> NDArray[np.int32]:
    from gpu.cpu.nearest_tour import nearest_neighbour_tour  # slow to import

    return nearest_neighbour_tour(instance)


_MAKERS: Mapping[Problem, Callable[[Any], NDArray[np.int32]]] = {Problem.TSP: _nearest_neighbour}


def start_of(instance: Instance) -> NDArray[np.int32] | None:
    """Return it, read-only; None for a problem whose runs begin with nothing."""
    make = _MAKERS.get(instance.problem)
    return make(instance) if make else None
