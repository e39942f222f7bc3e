"""Work that is shared out in blocks."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from gpu.core.machine.blocks import BLOCK, in_blocks, taken


def test_blocks_come_in_order_and_leave_nothing_out() -> None:
    assert in_blocks(lambda first, end: (first, end), 7, 3) == [(0, 3), (3, 6), (6, 7)]
    assert in_blocks(lambda first, end: (first, end), 0) == []


@pytest.mark.parametrize(("n", "threads"), [(3, 8), (7, 1)])
def test_what_one_thread_does_is_done_by_the_calling_one(n: int, threads: int) -> None:
    found = in_blocks(lambda first, end: threading.get_ident(), n, 3, threads)
    assert set(found) == {threading.get_ident()}


def test_an_error_in_a_block_is_raised() -> None:
    def fail(first: int, end: int) -> None:
        raise ValueError(first)

    with pytest.raises(ValueError, match="0"):
        in_blocks(fail, 7, 3)


@pytest.mark.parametrize("n", [0, 5, 2 * BLOCK + 5])
def test_rows_are_taken_in_an_order(n: int) -> None:
    rng = np.random.default_rng(1)
    order = rng.permutation(n).astype(np.int32)
    for array in (rng.random((n, 2)), np.arange(n)):
        assert np.array_equal(taken(array, order), array[order])
