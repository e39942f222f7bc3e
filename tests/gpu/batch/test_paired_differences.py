"""Summaries, marks of the tests and measures, on results that can be judged by hand."""

from __future__ import annotations

import math

import pytest

from gpu.batch.analysis import Analysis, Quantity, ReportError, analyse, convergence, reached
from gpu.batch.statistics import Friedman
from gpu.core.cost_curve import RunAxis
from tests.study_results import failed, run, runs, study

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
