"""The focused colony on a GPU: ants change several tours, which are crossed after each cycle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.cuda.colony import State
from gpu.cuda.iterations import Phases
from gpu.cuda.machine import Machine
from gpu.focused.cpu.merge import PartitionCrossover, crossed
from gpu.focused.parameters import (
    FIRST_CYCLE,
    FULL_CYCLE,
    FocusedCudaParameters,
    require_for_focused_cuda,
)
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.cuda.cities import OrderedCities
from gpu.tour_changes.cuda.colony import SearchRules, ToursColony


class FocusedCudaColony(ToursColony):
    """The focused colony on a GPU; see :class:`gpu.core.colony.Colony`.

    After each cycle of cooling tours are crossed with each other, and the next one begins with the
    results. The first tour begins as ``start``, if that is given.

    Raises
    ------
    ParameterError
        If its distances are too long for the kernels, or it is directed and too large.
    DeviceMemoryError
        If the tours do not fit the device: some 60 bytes a city and tour, 536 an ant.
    """

    NUMBERS = frozenset({"kick", "heat", "rho", "focus"})

    def __init__(
        self,
        instance: TspInstance,
        parameters: FocusedCudaParameters,
        machine: Machine,
        seed: int,
        start: NDArray[np.int32] | None = None,
    ) -> None:
        require_for_focused_cuda(instance)
        p = parameters
        assert p.ants is not None
        assert p.tours is not None
        problem = OrderedCities.of(instance, p.candidates, p.nearness, start)
        self._parameters = p
        super().__init__(instance, machine, problem, _rules_of(p, instance), seed)
        self._crossing = PartitionCrossover(problem.instance)
        self._cycles = 0  # that are over
        self._heat, self._doubling, self._unit = p.heat, p.cooling is None, 1.0
        self._cycle, self._full = (
            max(1, round((p.cooling or ants_a_city) * problem.n / self._each))
            for ants_a_city in (FIRST_CYCLE, FULL_CYCLE)
        )
        self._given = problem.starts(p.tours, seed)  # with which the present cycle began
        self._cool(self._lengths(self._given), 0)

    def _phases_for(self, parameters: FocusedCudaParameters) -> Phases:
        return self._search(_rules_of(parameters, self._cities))

    def _adjusted(self) -> None:
        """The present cycle goes on from where it is, with the other temperature."""
        assert isinstance(self._parameters, FocusedCudaParameters)
        self._heat = self._parameters.heat
        cycle = np.array(self._machine.download(self._arrays["cycle"]))
        cycle[2] = self._first_heat()
        self._machine.upload(self._arrays["cycle"], cycle)

    def _first_heat(self) -> float:
        """The temperature with which the present cycle began: a short one is less hot."""
        return float(self._heat * self._unit * min(1.0, (self._cycle / self._full) ** 0.5))

    def _turn(self, state: State) -> None:
        """Cross all tours, and begin a cycle of cooling with the result."""
        self._cycles += 1
        if self._doubling:
            self._cycle *= 2
        found = self._present(state)
        self._given, lengths = crossed(self._crossing, self._given, found, self._cycles)
        self._cool(lengths, state.iteration)

    def _cool(self, lengths: list[int], iteration: int) -> None:
        """Begin a cycle of cooling with the tours given, which are so long."""
        if self._problem.directed:  # as on cores, where tours have twice as many cities
            self._unit = lengths[0] / (2 * self._problem.n)
        self._take_over(self._given, lengths, iteration, self._cycle, self._first_heat())


def _rules_of(p: FocusedCudaParameters, instance: TspInstance) -> SearchRules:
    assert p.ants is not None
    assert p.tours is not None
    kick = max(1, p.kick // 5) if instance.directed else p.kick
    return SearchRules(p.ants, p.tours, kick, p.rho, p.focus)
