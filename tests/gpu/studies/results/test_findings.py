"""Tests and measures against published examples, and against what can be counted by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from gpu.core.cost_curve import RunAxis
from gpu.studies.results.analysis import (
    Analysis,
    Quantity,
    ReportError,
    analyse,
    convergence,
    reached,
)
from gpu.studies.results.statistics import (
    EQUAL,
    Friedman,
    effect,
    friedman,
    holm,
    mean_interval,
    rank_sum,
)
from tests.study_results import failed, run, runs, study

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
    for size in (3, 10, 30):
        found = effect([0] * size, [1] * size)
        assert found.a12 == found.interval.high == 1.0
        assert 0.5 < found.interval.low < 1 - 0.5 / size
        mirrored = effect([1] * size, [0] * size).interval
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


GOOD, FAIR, BAD = range(101, 111), range(102, 112), range(140, 150)


def three(*instances: str) -> Analysis:
    rows = [
        one
        for name in instances
        for label, costs in (("good", GOOD), ("fair", FAIR), ("bad", BAD))
        for one in runs(name, label, costs)
    ]
    return analyse(study(rows))


def test_summary_counts_every_run() -> None:
    rows = [
        *runs("ring", "acs", [104, 101, 102, 101]),
        failed(seed=5),
        run(seed=6, best=None, curve=None),
        run(seed=7, best=None, state="waiting"),
        run(seed=8, best=None, state="running", batch=2),
        run(seed=9, best=100, batch=2),
    ]
    (one,) = analyse(study(rows)).summaries
    assert (one.done, one.lost, one.waiting, one.added) == (5, 2, 2, 2)
    assert (one.mean, one.median, one.best, one.worst) == (101.6, 101, 100, 104)
    assert one.deviation == pytest.approx(math.sqrt(2.3))
    assert one.mean_gap == pytest.approx(1.6)
    assert one.best_gap == 0
    assert one.solution_us == pytest.approx(2000)


def test_without_a_best_known_cost_gaps_are_from_the_best_of_the_study() -> None:
    rows = [*runs("a", "x", [110, 100], optimum=None), *runs("a", "y", [105, 120], optimum=None)]
    found = analyse(study(rows))
    assert not found.samples[0].reference.known
    assert [one.mean_gap for one in found.summaries] == pytest.approx([5, 12.5])
    nothing = analyse(study(runs("zero", "x", [0, 0], optimum=0)))
    assert nothing.summaries[0].mean_gap is None
    assert nothing.targets == {}
    at_a_point = [*runs("zero", "x", [0, 0], optimum=None), *runs("zero", "y", [0, 1], optimum=0)]
    assert [one.mean_gap for one in analyse(study(at_a_point)).summaries] == [None, None]


def test_marks_without_a_baseline_count_all_pairs() -> None:
    found = three("one", "two").comparisons
    assert found.tests == 6
    assert found.lowest == {("one", "good"), ("two", "good")}
    assert not found.clearly_best  # good and fair do not differ
    assert found.shown["one", "bad"].mark == "−"
    assert found.shown["one", "bad"].against == "good"
    assert found.shown["one", "fair"].mark == "≈"
    assert ("one", "good") not in found.shown
    assert found.note == ""


def test_what_beats_all_others_is_clearly_best() -> None:
    rows = [*runs("ring", "good", GOOD), *runs("ring", "bad", BAD), *runs("ring", "worse", BAD)]
    found = analyse(study(rows)).comparisons
    assert found.clearly_best == {("ring", "good")}
    rows.append(failed("ring", "unknown"))  # whether good is better than this, nobody knows
    assert not analyse(study(rows)).comparisons.clearly_best


def test_marks_with_a_baseline_go_both_ways() -> None:
    rows = [*runs("ring", "base", BAD), *runs("ring", "good", GOOD), *runs("ring", "same", BAD)]
    rows += runs("ring", "worse", range(200, 210))
    found = analyse(study(rows), "base").comparisons
    marks = {label: one.mark for (_, label), one in found.shown.items()}
    assert marks == {"good": "+", "same": "≈", "worse": "−"}
    assert found.tests == 3
    assert not found.clearly_best
    with pytest.raises(ReportError, match="no configuration of this name; it has base; good"):
        analyse(study(rows), "best")


def test_too_few_runs_are_said_to_be_too_few() -> None:
    few = [*runs("ring", "good", [1, 2, 3]), *runs("ring", "bad", [4, 5, 6])]
    found = analyse(study(few)).comparisons
    assert found.shown["ring", "bad"].mark == "≈"
    assert "need 4 seeds, and there are" in found.note
    single = analyse(study([run("ring", "good", 1), run("ring", "bad", 1, 150)])).comparisons
    assert single.tests == 0
    assert single.untested["ring", "bad"] == "fewer than two finished runs"
    no_base = analyse(study([run("ring", "base", 1), *runs("ring", "bad", BAD)]), "base")
    assert "base has fewer than two" in no_base.comparisons.untested["ring", "bad"]


def test_friedman_over_instances_leaves_out_what_is_not_whole() -> None:
    rows = [one for name in "abcdef" for one in three(name).results.rows]
    rows += [*runs("late", "good", GOOD), *[failed("late", label) for label in ("fair", "bad")]]
    found = analyse(study(rows)).comparisons
    assert isinstance(found.over_instances, Friedman)
    assert list(found.over_instances.ranks) == [1, 2, 3]
    assert found.over_instances.rejected
    assert found.left_out == ("late",)
    assert isinstance(found.by_seed["a"], Friedman)
    assert found.by_seed["a"].blocks == 10
    assert isinstance(three("one").comparisons.over_instances, str)


def test_time_to_target_counts_failed_runs_as_not_there() -> None:
    rows = [*runs("ring", "acs", [100, 110]), failed(seed=3)]
    found = analyse(study(rows), target=5.0)
    one = reached(found.samples[0], 5.0, RunAxis.ITERATIONS)
    assert list(one.moments) == [50]  # the curve falls from 150 over 120 and 105 to 100
    assert one.runs == 3
    assert one.median == math.inf
    assert reached(found.samples[0], 50.0, RunAxis.SECONDS).median == pytest.approx(0.1)
    assert list(reached(found.samples[0], 10.0, RunAxis.SOLUTIONS).moments) == [500, 900]
    with pytest.raises(ReportError, match="choose 0 or more"):
        analyse(study(rows), target=-1.0)


def test_the_target_of_an_instance_is_one_that_each_configuration_has_a_median_time_to() -> None:
    slow = runs("ring", "slow", [110, 112, 114, 116], seconds=4.0)  # two of four come to 112
    fast = runs("ring", "fast", [101, 102, 103, 104], seconds=2.0)
    found = analyse(study([*slow, *fast]))
    assert found.targets == {"ring": 14}
    (ratio,) = found.target_speedups
    assert ratio.value is not None
    assert ratio.value > 1
    lossy = [*runs("ring", "lossy", [130, 130]), failed("ring", "lossy", 3)]
    assert analyse(study([*slow, *fast, *lossy])).targets == {"ring": 30}  # two of three
    lossy.append(failed("ring", "lossy", 4))
    assert analyse(study([*slow, *fast, *lossy])).targets == {"ring": 14}
    assert analyse(study(lossy)).targets == {}


def test_mean_convergence_is_of_gaps() -> None:
    band = convergence(
        analyse(study(runs("ring", "acs", [100, 110]))).samples[0], RunAxis.ITERATIONS
    )
    assert list(band.places) == [5, 20, 50, 90, 100]
    assert list(band.mean) == pytest.approx([50, 23, 9.5, 5, 5])
    assert (band.low[-1], band.high[-1]) == (0, 10)


def test_speedups_and_their_intervals() -> None:
    slow = [run("ring", "slow", seed, seconds=4.0 + seed / 100) for seed in range(1, 6)]
    fast = [run("ring", "fast", seed, seconds=2.0 + seed / 200) for seed in range(1, 6)]
    found = analyse(study([*slow, *fast, run("other", "slow"), failed("other", "fast")]))
    ratio, unknown = found.rates
    assert ratio.value == pytest.approx(2)
    assert ratio.interval.low < 2 < ratio.interval.high
    assert unknown.value is None
    assert found.target_speedups[0].value == pytest.approx(2)


def test_effects_of_parameters_that_vary() -> None:
    rows = [
        run("ring", f"k {k} {ls}", seed, 100 + cost, parameters={"k": k, "ls": ls, "m": 10})
        for k, cost in ((16, 4), (2, 1))
        for ls in ("2opt", None)
        for seed in (1, 2)
    ]
    effects = {one.parameter: one for one in analyse(study(rows)).effects}
    assert set(effects) == {"k", "ls"}
    assert effects["k"].values == (2, 16)
    assert effects["k"].means == pytest.approx((1, 4))
    assert effects["k"].runs == (4, 4)
    assert effects["ls"].values == ("2opt", None)


def test_effects_on_the_hits_of_a_selective_memory() -> None:
    rows = [
        run("ring", f"s {s}", seed, parameters={"memory": s}, counts=counts)
        for s, hits in ((1, 2), (8, 9))
        for seed in (1, 2)
        for counts in [{"local_hits": hits + seed, "local_total": 20, "global_total": 0}]
    ]
    effects = {one.quantity: one for one in analyse(study(rows)).effects}
    assert set(effects) == {Quantity.GAP, Quantity.LOCAL_HITS}
    assert effects[Quantity.LOCAL_HITS].means == pytest.approx((17.5, 52.5))


def test_a_label_on_two_devices_is_two_configurations() -> None:
    rows = [run(device="cpu:1"), run(device="cuda")]
    assert analyse(study(rows)).labels == ("acs, cpu:1", "acs, cuda")


def test_an_empty_study_has_an_empty_analysis() -> None:
    found = analyse(study([]))
    assert found.samples == ()
    assert found.rates == ()
    assert isinstance(found.comparisons.over_instances, str)
