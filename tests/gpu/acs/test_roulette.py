"""The wheel over candidates, on the CPU and in a kernel: whole parts, and none is 0."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from gpu.acs.cpu import choice
from gpu.core.random import philox4x32
from gpu.cuda import loader
from tests.emulation import Emulator, needs_emulation
from tests.gpu.construction.literal import turn
from tests.gpu.cpu.compiling import caller

LAST_WORD = 2**32 - 1
LIGHT = (2.0**-24, 2.0**-60, 2.0**-99)


@caller
def call_roulette(keys: Any, largest: Any, word: Any) -> Any:
    return choice.roulette(keys, largest, word)


def drawn(weighed: NDArray[np.float32], word: int) -> int:
    keys = weighed.view(np.int32)
    return int(call_roulette(keys, keys.max(), np.uint32(word)))


def spins_at_the_lightest(least: float) -> tuple[NDArray[np.float32], dict[int, int]]:
    """Two light candidates, between heavier ones and behind them; the lane by the random word."""
    weighed = np.zeros(32, np.float32)
    weighed[[3, 9, 17, 31]] = [1.0, least, 2.0**10, least]
    total = 2**12 + 1 + 2**22 + 1
    lanes: dict[int, int] = {}
    for lane, before, ahead in ((9, 2**12, 3), (31, total - 1, 17)):
        word = -(-(before << 32) // total)  # the first that stops there
        lanes |= {word: lane, word - 1: ahead}
    return weighed, lanes


def test_draws_are_in_proportion() -> None:
    rng = np.random.default_rng(0)
    weighed = np.zeros(32, np.float32)
    weighed[rng.choice(32, 9, replace=False)] = rng.random(9) + 0.2
    draws = 60_000
    words = philox4x32((np.arange(draws // 4), 0, 0, 2), (3, 4)).ravel()
    counts = np.bincount([drawn(weighed, int(word)) for word in words], minlength=32)
    expected = draws * weighed.astype(float) / weighed.sum(dtype=float)
    assert not counts[weighed == 0].any()
    held = weighed > 0
    # A chi-square of 8 degrees of freedom exceeds 26.1 once in a thousand.
    assert ((counts[held] - expected[held]) ** 2 / expected[held]).sum() < 26.1


weight = st.one_of(
    st.just(0.0), st.floats(0.5, 2, width=32), st.floats(2.0**-99, 2.0**60, width=32)
)


@settings(max_examples=300)
@given(
    st.lists(weight, min_size=1, max_size=32).filter(any),
    st.one_of(st.just(0), st.just(LAST_WORD), st.integers(0, LAST_WORD)),
)
def test_the_wheel_stops_where_whole_numbers_say(weights: list[float], word: int) -> None:
    weighed = np.zeros(32, np.float32)
    weighed[: len(weights)] = weights
    lane = drawn(weighed, word)
    assert lane == turn(weights, word)
    assert weighed[lane] > 0


@pytest.mark.parametrize("least", LIGHT)
def test_the_lightest_city_can_be_drawn(least: float) -> None:
    weighed, lanes = spins_at_the_lightest(least)
    assert {word: drawn(weighed, word) for word in lanes} == lanes


@needs_emulation
def test_a_kernel_draws_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = [(rng.random(32) * 2.0 ** rng.integers(-99, 60, 32)).astype(np.float32) for _ in "12345"]
    rows += [rng.random(32).astype(np.float32) for _ in range(5)]
    for row in rows:
        row[rng.random(32) < 0.4] = 0
    spins = [(row, int(word)) for row in rows for word in rng.integers(0, 2**32, 20)]
    spins += [(row, word) for row in rows for word in (0, LAST_WORD)]
    for least in LIGHT:
        weighed, lanes = spins_at_the_lightest(least)
        spins += [(weighed, word) for word in lanes]
    weights, words = (np.array(each) for each in zip(*spins, strict=True))
    found = np.zeros(len(spins), np.int32)
    source = tmp_path / "roulette.cu"
    source.write_text(loader.source_text("tests/gpu/acs/roulette.cu"))
    with Emulator(source, ["spins"]) as emulator:
        emulator.launch(
            "spins", grid=len(spins), block=32, args=[weights, words.astype(np.uint32), found]
        )
    assert found.tolist() == [drawn(weighed, word) for weighed, word in spins]
