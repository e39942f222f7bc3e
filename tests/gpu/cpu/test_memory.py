"""Structures of arrays, and whether main memory has room for them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.core.errors import DeviceMemoryError
from gpu.core.machine.processors import SPARE
from gpu.cpu import main_memory as memory
from gpu.cpu.structures import allocated


class Rows(NamedTuple):
    numbers: NDArray[np.int64]
    weights: NDArray[np.float32]
    free: NDArray[np.bool_]


def test_fields_have_their_dtypes_and_the_shapes_given() -> None:
    rows = allocated(Rows, (2, 3), weights=4)
    assert [(field.dtype.type, field.shape) for field in rows] == [
        (np.int64, (2, 3)),
        (np.float32, (4,)),
        (np.bool_, (2, 3)),
    ]
    assert not any(field.any() for field in rows)


def test_an_array_that_is_given_is_taken_as_it_is() -> None:
    given = np.ones(5, np.float32)
    assert allocated(Rows, 1, weights=given).weights is given


def test_what_fits_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: SPARE + 100)
    memory.require("it", {"a": 60, "b": 40})
    with pytest.raises(DeviceMemoryError, match="for the a, but only"):
        memory.require("it", {"a": 61, "b": 40})


MATRICES, TOURS = "matrices of trails and weights", "tours of the ants"


@pytest.mark.parametrize(
    ("needed", "count", "choice"),
    [
        ({MATRICES: 800, TOURS: 4000}, 1000, "use at most 40 ants"),
        ({MATRICES: 2000, TOURS: 4000}, 1000, f"{memory.SPM}, with at most 200 ants"),
        ({MATRICES: 2000, TOURS: 10}, 1000, memory.SPM),
        ({"pheromone matrix": 990, TOURS: 4000}, 2, memory.CLOSE_OTHERS),
        ({"matrices of all pairs": 1001, "colorings of the ants": 9}, 9, "choose a smaller graph"),
        ({"tabu searches": 3000}, 30, "use at most 9 searches, or the colony coloring, which"),
        ({"tabu searches": 3000}, 2, "choose the colony coloring, which has no tabu searches"),
        ({"distances": 3000, TOURS: 10}, 10, memory.CLOSE_OTHERS),
        ({"tours": 3000}, 1, memory.CLOSE_OTHERS),
    ],
)
def test_what_is_advised_is_not_refused_in_its_turn(
    needed: dict[str, int], count: int, choice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: SPARE + 1000)
    with pytest.raises(DeviceMemoryError) as caught:
        memory.require("it", needed, count)
    assert f" are free: {choice}" in str(caught.value)
