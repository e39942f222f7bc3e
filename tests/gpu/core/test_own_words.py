"""The random words of the cities' own: many words of one block must be as good as a block each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from gpu.core.random import Purpose, key_of, philox4x32
from tests.draws import odd_share, own_words

ANTS, STEPS, CITIES = 4, 512, 512

CELLS = 256

LEAST = 1e-4
"""Chance below which words are not random."""

Words = NDArray[np.uint32]


def blocks() -> Words:
    """The keys of some ants' steps, shape (ANTS, STEPS, 1, 4)."""
    ants, steps = np.arange(ANTS)[:, None, None], np.arange(STEPS)[:, None]
    return philox4x32((steps, ants, 3, Purpose.RESERVOIR), key_of(17))


def progressions(keys: Words, cities: NDArray[np.int64]) -> Words:
    """What the words are made of, which is not random."""
    x: Words = (keys[..., 0] | np.uint32(1)) * cities.astype(np.uint32) + keys[..., 1]
    return x


@pytest.fixture(scope="module")
def words() -> Words:
    """Words of shape (ANTS, STEPS, CITIES)."""
    return own_words(blocks(), np.arange(CITIES))


def pairs_go_together(one: Words, other: Words) -> bool:
    """Whether words in the same place say something of one another, or are not uniform."""
    cells = (one.ravel() >> np.uint32(24)) * np.uint32(CELLS) + (other.ravel() >> np.uint32(24))
    chance = stats.chisquare(np.bincount(cells, minlength=CELLS**2)).pvalue
    return not LEAST < float(chance) < 1 - LEAST


def rows_are_uneven(words: Words) -> bool:
    """Whether rows fill 16 cells less evenly, or more so, than random words do."""
    cells = words.reshape(-1, words.shape[-1]) >> np.uint32(28)
    counts = np.array([np.bincount(row, minlength=16) for row in cells])
    chances = stats.chisquare(counts, axis=1).pvalue
    return bool(stats.kstest(chances, "uniform").pvalue < LEAST)


def winners_are_unfair(words: Words) -> bool:
    """Whether of 32 in a row some place wins more often, or is second more often after a first."""
    keys = words.reshape(-1, 32)
    first, second = np.argsort(keys, axis=1)[:, :2].T
    gaps = np.bincount((second - first) % 32, minlength=32)[1:]
    chances = [stats.chisquare(np.bincount(first)).pvalue, stats.chisquare(gaps).pvalue]
    return bool(min(chances) < LEAST)


def test_words_are_what_they_are_said_to_be() -> None:
    key, cities = [0x12345678, 0xFFFFFFFF, 0x9ABCDEF0, 0xDEADBEEF], [0, 1, 2391, 2**32 - 1]
    expected = []
    for city in cities:
        x = ((key[0] | 1) * city + key[1]) % 2**32
        high, low = divmod(x * 0xD2511F53, 2**32)
        expected.append(((high ^ low ^ key[2]) * 0xCD9E8D57 + key[3]) % 2**32)
    assert own_words(np.array(key, np.uint32), cities).tolist() == expected


def test_shares_are_odd_and_inside_the_interval() -> None:
    shares = odd_share(np.array([0, 2**32 - 1, 1 << 9], np.uint32)).astype(np.float64)
    np.testing.assert_array_equal(shares * 2.0**24, [1, 2**24 - 1, 3])


@pytest.mark.parametrize(
    "pair",
    [
        pytest.param(lambda w: (w[..., :-1], w[..., 1:]), id="neighbouring cities"),
        pytest.param(lambda w: (w[..., :-32], w[..., 32:]), id="cities of neighbouring rows"),
        pytest.param(lambda w: (w[:, :-1], w[:, 1:]), id="consecutive steps"),
        pytest.param(lambda w: (w[:-1], w[1:]), id="neighbouring ants"),
    ],
)
def test_pairs_are_independent(words: Words, pair: Callable[[Words], tuple[Words, Words]]) -> None:
    assert not pairs_go_together(*pair(words))


def test_three_in_a_row_are_independent(words: Words) -> None:
    """The second difference of a progression is 0."""
    bent = words[..., :-2] - 2 * words[..., 1:-1] + words[..., 2:]
    assert not pairs_go_together(bent, words[..., 1:-1])


def test_words_are_even_over_cities_and_over_steps(words: Words) -> None:
    assert not rows_are_uneven(words)
    assert not rows_are_uneven(np.moveaxis(words, -1, 1))


def test_every_place_wins_as_often(words: Words) -> None:
    assert not winners_are_unfair(words)
    assert not winners_are_unfair(~words)
