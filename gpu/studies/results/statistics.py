"""The tests and measures by which results of colonies are compared. Lower costs are better.

No function gives a number that means nothing: where a test is impossible, its result says why.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

SIGNIFICANCE = 0.05  # of significance; intervals have the confidence 1 - SIGNIFICANCE
FEWEST_FOR_BOOTSTRAP = 10  # values; resamples of fewer vary less than the values' source
INTERVALS_KEPT = 4096  # intervals of means that are not computed again
EQUAL = "all results are equal"  # said of a test that has nothing to order
_RESAMPLES = 9999
_MOST_SPLITS = 20_000  # ways to split tied values in two groups that are all tried
_EXACT_PRODUCT = 2500  # sizes' product up to which the exact distribution is used


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval at 95 %."""

    low: float
    high: float
    method: str  # "BCa" (bootstrap), "t" or "Newcombe"


@dataclass(frozen=True, slots=True)
class Effect:
    """Vargha and Delaney's A12: how often a run of the one is better than a run of the other."""

    a12: float  # in [0, 1]; equal results count half; 0.5: none is better
    interval: Interval

    @property
    def size(self) -> str:
        """The size in words, by the limits of Vargha and Delaney (2000)."""
        distance = abs(self.a12 - 0.5)
        for word, limit in (("large", 0.21), ("medium", 0.14), ("small", 0.06)):
            if distance > limit - 1e-12:
                return word
        return "negligible"


@dataclass(frozen=True, slots=True)
class RankSum:
    """A two-sided rank-sum test (Wilcoxon; Mann and Whitney) of two samples."""

    p: float
    method: str  # "exact", "exact with ties", "normal approximation" or EQUAL
    least_p: float  # that samples of these sizes can have

    @property
    def equal(self) -> bool:
        """Whether there was nothing to test, because all results are equal."""
        return self.method == EQUAL


@dataclass(frozen=True, slots=True)
class Friedman:
    """Friedman's test of several configurations over blocks, with Nemenyi's post-hoc test."""

    ranks: tuple[float, ...]  # mean rank of each configuration; 1 is best
    blocks: int  # how many
    statistic: float  # Friedman's, corrected for ties
    p: float  # by permutations within blocks: exact for few blocks
    chi_square_p: float  # by the distribution of many blocks, which papers use
    critical_difference: float  # of mean ranks, by Nemenyi
    pairs: NDArray[np.float64]  # (k, k): p of each pair, by Nemenyi; 1 on the diagonal

    @property
    def rejected(self) -> bool:
        """Whether some configurations differ."""
        return self.p < SIGNIFICANCE


def mean_interval(values: Sequence[float]) -> Interval | None:
    """Return the confidence interval of the mean; None for fewer than two values.

    From 10 values on it is a bias-corrected and accelerated bootstrap (BCa), which follows the
    skewed distributions of results near an optimum. Fewer values do not show their distribution;
    for them it is Student's interval. Both are the same on every call.
    """
    return _mean_interval(tuple(values))


@lru_cache(maxsize=INTERVALS_KEPT)  # pages ask for the same ones again and again
def _mean_interval(values: tuple[float, ...]) -> Interval | None:
    from scipy import stats

    sample = np.asarray(values, np.float64)
    if len(sample) < 2:
        return None
    mean = float(sample.mean())
    method = "BCa" if len(sample) >= FEWEST_FOR_BOOTSTRAP else "t"
    if np.ptp(sample) == 0:
        return Interval(mean, mean, method)
    if method == "t":
        half = float(stats.sem(sample) * stats.t.ppf(1 - SIGNIFICANCE / 2, len(sample) - 1))
        return Interval(mean - half, mean + half, method)
    found = stats.bootstrap(
        (sample,),
        np.mean,
        n_resamples=_RESAMPLES,
        confidence_level=1 - SIGNIFICANCE,
        rng=np.random.default_rng(0),
    ).confidence_interval
    return Interval(float(found.low), float(found.high), method)


def rank_sum(first: Sequence[float], second: Sequence[float]) -> RankSum:
    """Test whether one of two samples, neither empty, tends to be lower; two-sided.

    The p-value is exact for small samples, with ties too.
    """
    from scipy import stats

    together = np.concatenate([np.asarray(first, np.float64), np.asarray(second, np.float64)])
    sizes = len(first), len(second)
    splits = math.comb(sum(sizes), sizes[0])
    least = min(1.0, 2.0 / splits)
    if np.ptp(together) == 0:
        return RankSum(1.0, EQUAL, least)
    tied = len(np.unique(together)) < len(together)
    test = stats.mannwhitneyu
    if not tied and sizes[0] * sizes[1] <= _EXACT_PRODUCT:
        return RankSum(float(test(first, second, method="exact").pvalue), "exact", least)
    if splits <= _MOST_SPLITS:
        all_splits = stats.PermutationMethod(n_resamples=_MOST_SPLITS)
        p = float(test(first, second, method=all_splits).pvalue)
        return RankSum(p, "exact with ties", least)
    p = float(test(first, second, method="asymptotic").pvalue)
    return RankSum(p, "normal approximation", least)


def holm(values: Sequence[float]) -> list[float]:
    """Return the p-values corrected by Holm's step-down method, in the given order."""
    corrected, highest = [0.0] * len(values), 0.0
    for rank, place in enumerate(np.argsort(values, kind="stable")):
        highest = max(highest, min(1.0, (len(values) - rank) * values[place]))
        corrected[place] = highest
    return corrected


def effect(first: Sequence[float], second: Sequence[float]) -> Effect:
    """Return how often a value of ``first`` is lower than one of ``second``; neither is empty.

    The interval is Newcombe's (2006, method 5), which holds for samples that do not overlap, too.
    """
    a12 = share_of_wins(first, second)
    return Effect(a12, _newcombe(a12, len(first), len(second)))


def share_of_wins(first: Sequence[float], second: Sequence[float]) -> float:
    """Return how often a value of ``first`` is lower than one of ``second``; equal ones are half.

    Neither is empty.
    """
    one, other = np.asarray(first, np.float64)[:, None], np.asarray(second, np.float64)
    return float(np.mean((one < other) + 0.5 * (one == other)))


def _newcombe(a12: float, first: int, second: int) -> Interval:
    """Return the values that lie as far from ``a12`` as their own standard error allows."""
    from scipy import optimize, stats

    z = float(stats.norm.ppf(1 - SIGNIFICANCE / 2))
    others = (first + second) / 2 - 1

    def excess(true: float) -> float:
        spread = 1 + others * ((1 - true) / (2 - true) + true / (1 + true))
        return (true - a12) ** 2 - z * z * true * (1 - true) * spread / (first * second)

    inside = min(max(a12, 1e-9), 1 - 1e-9)  # at 0 and 1 itself the excess is 0
    low = optimize.brentq(excess, 0.0, inside) if a12 > 0 else 0.0
    high = optimize.brentq(excess, inside, 1.0) if a12 < 1 else 1.0
    return Interval(float(low), float(high), "Newcombe")


def friedman(costs: NDArray[np.float64], block: str = "instance") -> Friedman | str:
    """Test whether configurations differ, or say in a sentence why that is impossible.

    Parameters
    ----------
    costs
        (b, k): one row for each block, one column for each configuration.
    block
        What a block is, for the sentence.
    """
    from scipy import stats

    blocks, configurations = costs.shape
    if configurations < 3:
        return (
            "Friedman's test compares three configurations or more; "
            "for two, the rank-sum test on each instance is the one to read."
        )
    if blocks < 2:
        return f"Friedman's test needs two {block}s or more for which every configuration finished."
    ranked = stats.rankdata(costs, axis=1)
    ranks = ranked.mean(axis=0)
    if np.all(ranked == ranked[0, 0]):
        return f"All configurations are equal for every {block}, so there is nothing to test."
    found = stats.friedmanchisquare(*costs.T)
    permuted = stats.permutation_test(
        tuple(ranked.T),
        _uneven,
        permutation_type="samples",
        vectorized=True,
        alternative="greater",
        n_resamples=_RESAMPLES,
        batch=1000,
        rng=np.random.default_rng(0),
    )
    spread = math.sqrt(configurations * (configurations + 1) / (6.0 * blocks))
    range_of = stats.studentized_range(configurations, np.inf)
    critical = float(range_of.ppf(1 - SIGNIFICANCE)) / math.sqrt(2) * spread
    apart = np.abs(ranks[:, None] - ranks) / spread * math.sqrt(2)
    pairs = np.clip(np.asarray(range_of.sf(apart), np.float64), 0.0, 1.0)
    np.fill_diagonal(pairs, 1.0)
    return Friedman(
        ranks=tuple(float(rank) for rank in ranks),
        blocks=blocks,
        statistic=float(found.statistic),
        p=float(permuted.pvalue),
        chi_square_p=float(found.pvalue),
        critical_difference=critical,
        pairs=pairs,
    )


def _uneven(*ranks: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Return what rises and falls with Friedman's statistic as ranks move within blocks."""
    total: NDArray[np.float64] = np.sum([one.mean(axis=axis) ** 2 for one in ranks], axis=0)
    return total
