"""An iteration can be left in the midst of the local search of one tour."""

from __future__ import annotations

import numpy as np
import pytest

from gpu.acs.cpu.colony import AcsCpuColony
from gpu.acs.parameters import AcsParameters
from gpu.core.snapshot import Wanted
from gpu.local_search.cpu.search import ANT, OPEN
from tests.gpu.cpu import makers


def test_a_tour_s_search_can_be_left_and_gone_on_with(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = makers.uniform(600)
    parameters = AcsParameters(ants=2, local_search="2opt+oropt")
    at_once = AcsCpuColony(instance, parameters, 5, threads=1, stepwise=True)
    at_once.iterate(2)
    expected = at_once.snapshot(Wanted.EVERYTHING)
    at_once.close()
    monkeypatch.setattr("gpu.cpu.stages.SLICE", 0.0)  # a unit a slice
    colony = AcsCpuColony(instance, parameters, 5, threads=1, stepwise=True)
    within = set()
    for _ in range(100_000):
        colony.iterate(1, lambda: True)
        numbers = colony._search.numbers[0]
        if numbers[OPEN]:
            within.add(int(numbers[ANT]))
            assert colony.expected_seconds() > 0
        if colony.snapshot(Wanted.NUMBERS).iteration == 2:
            break
    found = colony.snapshot(Wanted.EVERYTHING)
    colony.close()
    assert within == {0, 1}
    assert found.iteration == 2
    assert found.improvements == expected.improvements
    np.testing.assert_array_equal(found.best_solution, expected.best_solution)
    np.testing.assert_array_equal(found.built_solution, expected.built_solution)
