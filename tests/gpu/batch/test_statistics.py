"""Tests and measures against published examples, and against what can be counted by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from gpu.batch.statistics import (
    EQUAL,
    Friedman,
    effect,
    friedman,
    holm,
    mean_interval,
    rank_sum,
)

# Demšar (2006), Statistical comparisons of classifiers over multiple data sets, Table 6: the AUC of
# four variants of C4.5. Published: mean ranks 3.143, 2.000, 2.893, 1.964; critical difference 1.25.
# (On "voting" the paper's ranks tell apart two values that are equal in its three digits.)
AUC = """
763 768 771 798  599 591 590 569  954 971 968 967  628 661 654 657  882 888 886 898
936 931 916 931  661 668 609 685  583 583 563 625  775 838 866 875  1000 1000 1000 1000
940 962 965 962  619 666 614 669  972 981 975.1 975  957 978 946 970
"""


def test_friedman_and_nemenyi_agree_with_the_published_example() -> None:
    found = friedman(-np.array(AUC.split(), float).reshape(14, 4))
    assert isinstance(found, Friedman)
    assert found.ranks == pytest.approx((3.143, 2.000, 2.893, 1.964), abs=5e-4)
    assert found.critical_difference == pytest.approx(1.25, abs=0.005)
    # 9.28 without a correction for ties; with it, a little more. The exact p is close to 0.023.
    assert 9.28 < found.statistic < 10.6
    assert found.chi_square_p == pytest.approx(0.019, abs=0.01)
    assert found.p == pytest.approx(found.chi_square_p, abs=0.01)
    assert found.rejected
    apart = np.abs(np.subtract.outer(found.ranks, found.ranks)) > found.critical_difference
    assert np.array_equal(found.pairs < 0.05, apart)


def test_friedman_of_two_blocks_is_exact() -> None:
    found = friedman(np.array([[1.0, 2, 3], [4, 5, 6]]))
    assert isinstance(found, Friedman)
    assert found.p == pytest.approx(1 / 6)  # the second order is one of six
    assert not found.rejected  # chi-square would say 0.135


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        (np.ones((5, 2)), "three configurations or more"),
        (np.ones((1, 3)), "needs two instances"),
        (np.ones((0, 3)), "needs two instances"),
        (np.ones((0, 0)), "three configurations or more"),
        (np.ones((4, 3)), "equal for every instance"),
    ],
)
def test_friedman_says_why_it_is_impossible(costs: np.ndarray, said: str) -> None:
    found = friedman(costs)
    assert isinstance(found, str)
    assert said in found


def test_holm_corrects_step_by_step() -> None:
    # By hand: 0.005 × 4, 0.01 × 3, 0.03 × 2, and 0.04 × 1, which may not be below the one before.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([0.02]) == [0.02]
    assert holm([]) == []


def test_rank_sum_is_exact_with_ties() -> None:
    first, second = [1, 2, 2, 3], [2, 4, 5, 5]
    found = rank_sum(first, second)

    def wins(some: tuple[int, ...], others: list[int]) -> float:
        return sum((one < other) + 0.5 * (one == other) for one in some for other in others)

    together = first + second
    counted = []
    for places in itertools.combinations(range(8), 4):
        rest = [together[at] for at in range(8) if at not in places]
        counted.append(abs(wins(tuple(together[at] for at in places), rest) - 8))
    extreme = abs(wins(tuple(first), second) - 8)
    assert found.p == pytest.approx(np.mean([one >= extreme - 1e-9 for one in counted]))
    assert found.method == "exact with ties"
    assert found.least_p == pytest.approx(2 / math.comb(8, 4))


def test_rank_sum_of_small_and_of_equal_samples() -> None:
    assert rank_sum([1, 2, 3], [4, 5, 6]).p == pytest.approx(0.1)  # 2 of 20 splits
    assert rank_sum([1, 2, 3], [4, 5, 6]).method == "exact"
    assert rank_sum([7, 7], [7, 7, 7]).p == 1.0
    assert rank_sum([7, 7], [7, 7, 7]).method == EQUAL
    many = rank_sum([1] * 30 + [2] * 30, [2] * 60)
    assert many.method == "normal approximation"
    assert many.p < 1e-6


def test_effect_counts_wins_and_halves_ties() -> None:
    found = effect([1, 2, 3], [2, 3, 4])  # 6 of 9 won, 2 equal
    assert found.a12 == pytest.approx(7 / 9)
    assert found.size == "large"
    assert effect([2, 3, 4], [1, 2, 3]).a12 == pytest.approx(2 / 9)
    words = [effect([0] * 50, [1] * wins + [-1] * (50 - wins)).size for wins in (26, 28, 32, 36)]
    assert words == ["negligible", "small", "medium", "large"]


def test_interval_of_the_effect_is_honest_at_the_ends() -> None:
    for runs in (3, 10, 30):
        found = effect([0] * runs, [1] * runs)
        assert found.a12 == found.interval.high == 1.0
        assert 0.5 < found.interval.low < 1 - 0.5 / runs
        mirrored = effect([1] * runs, [0] * runs).interval
        assert (mirrored.low, mirrored.high) == pytest.approx((0, 1 - found.interval.low))
    middle = effect([1, 2, 3, 4], [1, 2, 3, 4])
    assert middle.a12 == 0.5
    assert middle.interval.low == pytest.approx(1 - middle.interval.high)


def test_interval_of_a_mean() -> None:
    assert mean_interval([]) is None
    assert mean_interval([5]) is None
    equal = mean_interval([5, 5, 5])
    assert (equal.low, equal.high) == (5, 5)
    few = mean_interval([1, 2, 3])  # 2 ± 4.303 / √3, by a table of Student's distribution
    assert (few.low, few.high) == pytest.approx((2 - 2.484, 2 + 2.484), abs=1e-3)
    assert few.method == "t"
    skewed = [0] * 8 + [1, 2, 20]
    many = mean_interval(skewed)
    assert many.method == "BCa"
    assert many.high - np.mean(skewed) > np.mean(skewed) - many.low > 0
    assert many == mean_interval(skewed)
