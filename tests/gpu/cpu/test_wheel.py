"""The compiled pieces of an Ant System's draw, each against plain Python."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import chisquare

from gpu.core.random import philox4x32
from gpu.cpu import wheel
from gpu.cpu.wheel import WHEEL_BLOCK
from tests.gpu.construction.literal import turn
from tests.gpu.cpu.makers import caller

LAST_WORD = 2**32 - 1


@caller
def call_weigh_all(weights: Any, unvisited: Any, u: Any, keys: Any) -> Any:
    return wheel.weigh_all(weights, unvisited, u, keys)


@caller
def call_slot(keys: Any, largest: Any, sums: Any, word: Any) -> Any:
    scale = wheel.scale_of(largest)
    return wheel.slot_at(keys, scale, sums, wheel.spin(word, wheel.add_up(keys, scale, sums)))


@caller
def call_slots(keys: Any, largest: Any, sums: Any, words: Any, counts: Any) -> None:
    scale = wheel.scale_of(largest)
    total = wheel.add_up(keys, scale, sums)
    for word in words:
        counts[wheel.slot_at(keys, scale, sums, wheel.spin(word, total))] += 1


@caller
def call_place(keys: Any, largest: Any, sums: Any, routes: Any, step: Any, word: Any) -> Any:
    scale = wheel.scale_of(largest)
    stop = wheel.spin(word, wheel.add_up(keys, scale, sums))
    return wheel.place_at(keys, scale, routes[0], step, stop)


@caller
def call_spin(word: Any, total: Any) -> Any:
    return wheel.spin(word, total)


@caller
def call_first_of(keys: Any, largest: Any) -> Any:
    return wheel.first_of(keys, largest)


def keys_of(weighed: NDArray[np.float32]) -> tuple[NDArray[np.int32], np.int32]:
    """Weights as an ant writes them, in whole blocks, and the largest."""
    keys = np.zeros(-(-len(weighed) // WHEEL_BLOCK) * WHEEL_BLOCK, np.int32)
    keys[: len(weighed)] = weighed.view(np.int32)
    return keys, keys.max()


def sums_of(keys: NDArray[np.int32]) -> NDArray[np.uint32]:
    return np.zeros(keys.size // WHEEL_BLOCK, np.uint32)


# Any float32 that a weight can be, of like and unlike sizes, and 0 for what is visited.
weight = st.one_of(
    st.just(0.0),
    st.floats(2.0**-100, 2.0**100, width=32),
    st.floats(0.5, 2, width=32),
    st.integers(-100, 100).map(lambda exponent: 2.0**exponent),
)
row = st.lists(weight, min_size=1, max_size=200).filter(any)
word = st.one_of(st.just(0), st.just(LAST_WORD), st.integers(0, LAST_WORD))


@settings(max_examples=300)
@given(row, word)
def test_the_wheel_stops_where_whole_numbers_say(weights: list[float], word: int) -> None:
    keys, largest = keys_of(np.array(weights, np.float32))
    slot = call_slot(keys, largest, sums_of(keys), np.uint32(word))
    assert slot == turn(weights, word)
    assert weights[slot] > 0


@settings(max_examples=300)
@given(row, word, st.randoms(use_true_random=False))
def test_the_wheel_over_a_list_stops_in_the_list_s_order(
    weights: list[float], word: int, random: Any
) -> None:
    n = len(weights)
    order = random.sample(range(n), n)
    step = random.randrange(n)
    left = [weights[city] if order.index(city) >= step else 0.0 for city in range(n)]
    if not any(left):
        return
    keys, largest = keys_of(np.array(left, np.float32))
    routes = np.array([order], np.uint32)
    place = call_place(keys, largest, sums_of(keys), routes, step, np.uint32(word))
    assert place == step + turn([left[city] for city in order[step:]], word)


@given(word, st.integers(0, 2**53))
def test_a_spin_is_exact(word: int, total: int) -> None:
    assert call_spin(np.uint32(word), np.uint64(total)) == word * total >> 32


@pytest.mark.parametrize("tie", [0x3F7FFFFF, 0x3F000001, 0x3FFFFFFF])
def test_parts_are_rounded_up(tie: int) -> None:
    """A weight of 24 bits measured in 23 is half a unit off, up to the full 2^23."""
    weights = [float(np.uint32(tie).view(np.float32)), 2.0**-23, 3 * 2.0**-23]
    keys, largest = keys_of(np.array(weights, np.float32))
    for word in (0, 2**31, LAST_WORD - 1, LAST_WORD):
        assert call_slot(keys, largest, sums_of(keys), np.uint32(word)) == turn(weights, word)


@pytest.mark.parametrize("least", [2.0**-24, 2.0**-60, 2.0**-100])
def test_the_lightest_city_can_be_drawn(least: float) -> None:
    keys, largest = keys_of(np.array([2.0**100, least, 1.0], np.float32))
    last = [
        call_slot(keys, largest, sums_of(keys), np.uint32(LAST_WORD - one)) for one in (0, 1500)
    ]
    assert last == [2, 1]  # each has some 1024 of the 2^32 words


@pytest.mark.parametrize(("heavy", "reached"), [(511, True), (512, False)])
def test_the_lightest_of_all_is_drawn_if_the_wheel_has_at_most_two_to_the_32_parts(
    heavy: int, reached: bool
) -> None:
    weights = np.full(heavy + 1, np.nextafter(np.float32(2), np.float32(0)))
    weights[heavy] = 1e-9
    keys, largest = keys_of(weights)
    slot = call_slot(
        keys, largest, np.zeros(keys.size // WHEEL_BLOCK, np.uint32), np.uint32(LAST_WORD)
    )
    assert (slot == heavy) is reached


@pytest.mark.parametrize("n", [1, 63, 64, 65, 500])
def test_visited_cities_weigh_nothing(n: int) -> None:
    rng = np.random.default_rng(n)
    width = -(-n // WHEEL_BLOCK) * WHEEL_BLOCK
    weights = np.zeros((3, width), np.float32)
    weights[:, :n] = rng.random((3, n)) + 0.01
    unvisited = np.zeros(width, np.int32)
    unvisited[:n] = -rng.integers(0, 2, n)
    keys = np.ones(width, np.int32)
    largest = call_weigh_all(weights, unvisited, 1, keys)
    expected = np.where(unvisited == -1, weights[1], np.float32(0))
    np.testing.assert_array_equal(keys.view(np.float32), expected)
    assert np.int32(largest).view(np.float32) == expected.max()
    if expected.any():
        assert call_first_of(keys, largest) == expected.argmax()


def test_the_first_of_equals_wins() -> None:
    for places in ([0], [63, 64], [5, 6, 199], [130, 190]):
        weighed = np.full(200, 0.25, np.float32)
        weighed[places] = 0.5
        keys, largest = keys_of(weighed)
        assert call_first_of(keys, largest) == min(places)


@pytest.mark.parametrize("seed", range(3))
def test_draws_are_in_proportion_to_weights(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weighed = (rng.random(150) ** 3 + 0.02).astype(np.float32)
    weighed[rng.random(150) < 0.3] = 0
    keys, largest = keys_of(weighed)
    words = philox4x32((np.arange(500_000), 0, 0, 2), (seed, 4)).ravel()
    counts = np.zeros(keys.size, np.int64)
    call_slots(keys, largest, sums_of(keys), words, counts)
    held = weighed > 0
    assert not counts[: len(held)][~held].any()
    expected = words.size * weighed[held].astype(float) / weighed.sum(dtype=float)
    assert chisquare(counts[: len(held)][held], expected).pvalue > 1e-4
    # The check can fail: one part in a thousand moved from the heaviest is seen.
    moved = expected.copy()
    moved[moved.argmax()] -= words.size / 1000
    moved[moved.argmin()] += words.size / 1000
    assert chisquare(counts[: len(held)][held], moved).pvalue < 1e-4
