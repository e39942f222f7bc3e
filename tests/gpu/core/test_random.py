"""Philox against the authors' known answers, and the draws made from it."""

import numpy as np
import pytest

from gpu.core.random import Purpose, greedy_threshold, key_of, philox4x32, start_cities

ONES = 0xFFFFFFFF
Counter = tuple[int, int, int, int]
KNOWN_ANSWERS: list[
    tuple[Counter, tuple[int, int], str]
] = [  # Random123, kat_vectors, philox 4x32 with 10 rounds
    ((0, 0, 0, 0), (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ((ONES, ONES, ONES, ONES), (ONES, ONES), "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        "d16cfe09 94fdcceb 5001e420 24126ea1",
    ),
]


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN_ANSWERS)
def test_philox_gives_the_known_answers(
    counter: Counter, key: tuple[int, int], answer: str
) -> None:
    assert " ".join(f"{word:08x}" for word in philox4x32(counter, key)) == answer


def test_philox_of_arrays_is_philox_of_each() -> None:
    words = philox4x32((np.arange(5), 7, np.arange(3)[:, None], Purpose.ROULETTE), (11, 13))
    assert words.shape == (3, 5, 4)
    assert words.dtype == np.uint32
    for third in range(3):
        for first in range(5):
            one = philox4x32((first, 7, third, Purpose.ROULETTE), (11, 13))
            np.testing.assert_array_equal(words[third, first], one)


def test_a_seed_fills_both_words_of_the_key() -> None:
    assert key_of(0) == (0, 0)
    assert key_of(0x0123456789ABCDEF) == (0x89ABCDEF, 0x01234567)
    for bad in (-1, 2**64):
        with pytest.raises(ValueError, match="seed"):
            key_of(bad)


def test_start_cities_cover_all_cities_evenly() -> None:
    n, ants = 10, 100_000
    cities = start_cities(3, 0, np.arange(ants), n)
    counts = np.bincount(cities, minlength=n)
    assert len(counts) == n
    # A chi-square of 9 degrees of freedom exceeds 27.9 once in a thousand.
    assert ((counts - ants / n) ** 2 / (ants / n)).sum() < 27.9


def test_the_greedy_threshold_covers_both_ends() -> None:
    assert greedy_threshold(1.0) == 2**24  # above every draw
    assert greedy_threshold(0.0) == 0
    assert greedy_threshold(0.5) == 2**23
    assert greedy_threshold(2**-25) == 1  # only a draw of 0 is below it
