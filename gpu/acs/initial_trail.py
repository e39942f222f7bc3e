"""The initial trail τ₀ of the Ant Colony Systems: the unit in which all their trails are."""

from __future__ import annotations

from gpu.acs.parameters import TAU0_TOURS, AcsParameters
from gpu.cpu.first_tours import nearest_neighbour_length
from gpu.problems.tsp.instance import TspInstance


def inverse_initial_trail(instance: TspInstance, parameters: AcsParameters) -> float:
    """Return 1/τ₀ = n·L, L being the mean length of one or more nearest-neighbour tours.

    The deposit of the global update is α/(τ₀·L_best) in units of τ₀.
    """
    starts = range(min(TAU0_TOURS[parameters.tau0], instance.n))
    total = sum(nearest_neighbour_length(instance, start) for start in starts)
    return float(instance.n) * float(total) / len(starts)
