"""Structures of arrays, and whether main memory has room for them."""

from __future__ import annotations

import ast
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.core.errors import DeviceMemoryError
from gpu.core.machine.processors import SPARE
from gpu.cpu import main_memory as memory
from gpu.cpu.structures import allocated
from tests.golden import Golden


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


def test_what_is_advised_is_not_refused_in_its_turn(
    golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: SPARE + 1000)

    def told(line: str) -> str:
        with pytest.raises(DeviceMemoryError) as refused:
            memory.require("it", *ast.literal_eval(line))
        return str(refused.value)

    golden.table("advice-on-memory", told)
