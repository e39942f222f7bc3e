"""Weighted reservoir sampling: its logarithm, its keys, and whom it draws."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from gpu.core.random import Purpose
from gpu.cpu import random_keys, wheel
from gpu.cpu.philox import key_of_step
from gpu.cpu.random_keys import reservoir_of_all
from gpu.cpu.wheel import WHEEL_BLOCK
from tests.draws import minus_log2
from tests.gpu.cpu.compiling import caller

ALL = np.arange(1, 2**24, 2, dtype=np.uint32)
"""Every number of 24 bits that can be drawn, over 2^24."""


RESERVOIR = np.uint32(Purpose.RESERVOIR)


@caller
def call_logs(u: Any, results: Any) -> None:
    for place in range(u.size):
        results[place] = random_keys.minus_log2(u[place])


@caller
def call_keys(weights: Any, words: Any, keys: Any) -> None:
    for place in range(words.size):
        keys[place] = random_keys.reservoir_key(weights[place], words[place])


@caller
def call_counts(weights: Any, drawn: Any, counts: Any, times: Any, seed: Any) -> None:
    for time in range(times):
        for slot in range(weights.size):
            drawn[slot] = weights[slot]
        key = key_of_step((seed, np.uint32(9)), RESERVOIR, np.uint32(5), time, 3)
        largest = reservoir_of_all(drawn, key)
        counts[wheel.first_of(drawn, largest)] += 1


def test_the_logarithm_is_close_everywhere_and_alike_on_host_and_in_compiled_code() -> None:
    u = ALL.astype(np.float32) * np.float32(2.0**-24)
    exact = -np.log2(ALL / 2.0**24)
    ours = minus_log2(u)
    assert (np.abs(ours - exact) / exact).max() < 4e-7
    assert ours.min() > 0
    compiled = np.zeros_like(u)
    call_logs(u, compiled)
    np.testing.assert_array_equal(compiled, ours)


def test_keys_order_as_their_quotients_do() -> None:
    rng = np.random.default_rng(1)
    weights = np.exp2(rng.uniform(-100, 100, 10_000)).astype(np.float32)
    weights[:2] = 2.0**-100, 2.0**100
    words = rng.integers(0, 2**32, weights.size, dtype=np.uint32)
    words[:2] = 0, 2**32 - 1
    keys = np.zeros(weights.size, np.int32)
    call_keys(weights.view(np.int32), words, keys)
    assert keys.min() > 0
    u = ((words >> 8) | 1) / 2.0**24
    quotients = -np.log2(u) / weights.astype(float)
    ranked = quotients[np.argsort(-keys, kind="stable")]
    assert (ranked[1:] > ranked[:-1] * (1 - 1e-6)).all()
    visited = np.ones(1, np.int32)
    call_keys(np.zeros(1, np.int32), words[:1], visited)
    assert visited[0] == 0


@pytest.mark.parametrize("seed", range(3))
def test_draws_are_in_proportion_to_weights(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = np.zeros(2 * WHEEL_BLOCK, np.float32)
    weights[:90] = rng.random(90) ** 3 + 0.02
    weights[rng.random(weights.size) < 0.3] = 0
    counts = np.zeros(weights.size, np.int64)
    times = 400_000
    call_counts(
        weights.view(np.int32), np.zeros(weights.size, np.int32), counts, times, np.uint32(seed)
    )
    held = weights > 0
    assert not counts[~held].any()
    expected = times * weights[held].astype(float) / weights.sum(dtype=float)
    assert chisquare(counts[held], expected).pvalue > 1e-4
    # The check can fail: one part in two hundred moved from the heaviest is seen.
    moved = expected.copy()
    moved[moved.argmax()] -= times / 200
    moved[moved.argmin()] += times / 200
    assert chisquare(counts[held], moved).pvalue < 1e-4
