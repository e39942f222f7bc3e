"""Comparisons: what is compared, how it is timed, and what is too slow to be measured."""

from __future__ import annotations

import dataclasses
import itertools
import json

import numpy as np
import pytest

import gpu.timing.comparison
from gpu import catalog
from gpu.core.errors import ParameterError
from gpu.core.machine.devices import Device
from gpu.core.system import System
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from gpu.timing.comparison import alternatives, compare
from gpu.timing.measured import ComparisonReport, ComparisonRow
from tests.gpu.cpu import makers
from tests.gpu.timing.timed import PlainParameters, Timed, TimedParameters, install

GPU = Device("cuda:0", "cuda", 0, 132, "A GPU", 2**36, "driver 1")
CORES = Device("cpu", "cpu", 0, 2, "A CPU", 2**34)
CORE = Device("cpu:1", "cpu", 0, 1, "A CPU", 2**34, "Python")


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu.timing.comparison, "OPTION_WARMING", 0.0)
    monkeypatch.setattr(gpu.timing.comparison, "OPTION_SAMPLE", 0.02)


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> System:
    return install(monkeypatch)


def rows(report: ComparisonReport, group: str) -> dict[str, ComparisonRow]:
    return {row.option: row for row in report.rows if row.group == group}


def test_what_is_compared_follows_from_catalog_and_parameters(timed: System) -> None:
    found = alternatives(timed, CORE, {}, 100)
    assert [(one.row.group, one.row.option) for one in found] == [
        ("colony", "timed-plain"), ("colony", "timed-options"),
        ("update", "fast"), ("update", "slow"), ("update", "endless"), ("update", "broken"),
        ("workers", "auto"), ("workers", "16"), ("workers", "32"), ("workers", "64"),
    ]  # fmt: skip
    assert [one.row.option for one in found if one.row.chosen] == ["timed-options", "fast", "auto"]
    assert {one.row.group: one.row.phase for one in found} == {
        "colony": "construction", "update": "update", "workers": "construction",
    }  # fmt: skip
    assert found[3].row.meaning == "by and by"
    assert found[6].row.meaning == "by size"


def test_what_is_chosen_goes_into_every_alternative_that_knows_it(timed: System) -> None:
    given = {"ants": "20", "update": "slow", "workers": "32"}
    found = alternatives(timed, CORE, given, 100)
    assert [one.row.option for one in found if one.row.chosen] == ["timed-options", "slow", "32"]
    assert found[0].parameters == PlainParameters(ants=20)  # its update means another thing
    for one in found[1:]:
        expected = TimedParameters(20, "slow", 32)
        if one.row.group != "colony":
            kind = TimedParameters.kinds()[one.row.group]
            expected = dataclasses.replace(expected, **{one.row.group: kind(one.row.option)})  # type: ignore[arg-type]
        assert one.parameters == expected
    with pytest.raises(ParameterError, match="no parameter 'memory'"):
        alternatives(timed, CORE, {"memory": 3}, 100)


@pytest.mark.parametrize("device", [GPU, CORES, CORE])
def test_every_system_of_the_catalog_can_be_compared(device: Device) -> None:
    for system in catalog.CATALOG:
        if not system.runs_on(device):
            continue
        found = alternatives(system, device, {}, 500)
        names = [one.row.option for one in found if one.row.group == "colony"]
        assert system.name in names
        for one in found:
            assert one.system.runs_on(device)
            assert one.system.alias == system.alias
        for group in {one.row.group for one in found}:
            assert sum(one.row.chosen for one in found if one.row.group == group) == 1


def test_times_are_medians_by_phase_with_ratios_to_the_fastest(timed: System) -> None:
    report = compare(makers.uniform(100), timed, CORE, seed=5)
    assert report.complete
    assert report.seeds == (5, 6, 7)
    assert report.phases == ("construction", "update")
    updates = rows(report, "update")
    assert report.decisive(updates["fast"]).median == pytest.approx(1.01, abs=0.011)
    assert report.decisive(updates["slow"]).median == pytest.approx(3.01, abs=0.011)
    assert len(report.decisive(updates["slow"]).samples) >= 3
    assert report.decisive(updates["slow"]).lower < report.decisive(updates["slow"]).upper
    slow, fast = (report.decisive(updates[option]).median for option in ("slow", "fast"))
    assert report.ratio(updates["slow"]) == slow / fast
    assert report.ratio(updates["fast"]) == 1
    workers = rows(report, "workers")
    assert min(workers, key=lambda option: report.decisive(workers[option]).median) == "64"
    assert report.ratio(workers["16"]) == pytest.approx(4, rel=0.01)
    for row in report.rows:
        assert bool(row.iteration_ms.samples) == (row.option != "broken")
    assert Timed.open_now == 0


def test_where_one_does_without_a_phase_whole_iterations_are_compared(timed: System) -> None:
    report = compare(makers.uniform(30), timed, CORE)
    slow, fast = (rows(report, "update")[option] for option in ("slow", "fast"))
    assert report.decides(slow) == "update"
    assert report.decisive(slow) is slow.phases_ms["update"]
    spared = dataclasses.replace(fast, phases_ms={"construction": fast.phases_ms["construction"]})
    without = dataclasses.replace(
        report, rows=tuple(spared if row is fast else row for row in report.rows)
    )
    assert without.decides(slow) == without.decides(spared) == ""
    assert without.decisive(slow) is slow.iteration_ms
    assert without.ratio(slow) is not None
    assert without.decides(without.rows[0]) == "construction"


def test_they_take_turns_with_the_same_seeds_and_equals_are_measured_once(timed: System) -> None:
    compare(makers.uniform(30), timed, CORE, {"update": "slow"}, seed=9, repeats=2)
    turns = [
        (seed, [one[2:3] for one in built])
        for seed, built in itertools.groupby(Timed.built, key=lambda one: one[3])
    ]
    assert [seed for seed, _ in turns] == [9, 10]
    # plain, options, three more updates and workers; what is broken gets no second turn
    assert [len(built) for _, built in turns] == [8, 7]
    for _, built in turns:
        assert len(set(built)) == len(built)
    failed = [one for one in Timed.built if one[2].to_dict()["update"] == "broken"]
    assert len(failed) == 1


def test_what_is_estimated_to_take_too_long_is_left_out(timed: System) -> None:
    report = compare(makers.uniform(2000), timed, CORE)
    endless = rows(report, "update")["endless"]
    assert not report.decisive(endless).samples
    assert report.ratio(endless) is None
    assert endless.why_not.startswith("an iteration would take about 3")  # hundred and twenty
    assert "more than the limit of 5 s: choose fewer ants" in endless.why_not
    sizes = [n for _, n, parameters, _ in Timed.built if "endless" in parameters.to_dict().values()]
    assert sizes == [128, 256]  # and nothing larger was tried
    sizes = [n for _, n, parameters, _ in Timed.built if "slow" in parameters.to_dict().values()]
    assert sizes == [128, 256, 512, 1024, 2000, 2000, 2000]


def test_a_larger_limit_lets_it_run(timed: System) -> None:
    report = compare(makers.uniform(400), timed, CORE, limit=1000)
    endless = rows(report, "update")["endless"]
    assert endless.why_not == ""
    assert report.decisive(endless).median == pytest.approx(20_000 * 0.4**4, rel=0.01)


@pytest.mark.parametrize("make", [makers.uniform, makers.ring])
def test_parts_of_an_instance_keep_its_metric_and_its_extent(make: type) -> None:
    instance = make(700)
    small, large = gpu.timing.comparison._parts(instance)
    assert (small.n, large.n) == (128, 256)
    assert isinstance(small, TspInstance)
    assert small.metric == instance.metric
    kept = np.linspace(0, 699, 128).round().astype(int)
    a, b = np.meshgrid(np.arange(128), np.arange(128))
    assert np.array_equal(small.distances(a, b), instance.distances(kept[a], kept[b]))


def test_parts_of_a_matrix() -> None:
    matrix = np.random.default_rng(1).integers(1, 99, (300, 300)).astype(np.int32)
    instance = dataclasses.replace(
        makers.uniform(300), metric=Metric.EXPLICIT, matrix=matrix,
        coordinates=None, directed=True,
    )  # fmt: skip
    (part,) = gpu.timing.comparison._parts(instance)
    assert isinstance(part, TspInstance)
    assert part.directed
    assert (part.matrix[0, -1], part.matrix[-1, 0]) == (matrix[0, -1], matrix[-1, 0])


def test_one_that_fails_takes_only_itself_out(timed: System) -> None:
    report = compare(makers.uniform(30), timed, CORE)
    broken = rows(report, "update")["broken"]
    assert broken.why_not == "the device is out of order"
    assert report.ratio(broken) is None
    assert report.complete


@pytest.mark.parametrize("after", [0, 1, 5, 40])
def test_cancelling_keeps_what_was_measured(timed: System, after: int) -> None:
    asked = iter(range(10**9))
    seen: list[ComparisonReport] = []
    report = compare(
        makers.uniform(300), timed, CORE, cancelled=lambda: next(asked) >= after, found=seen.append
    )
    assert not report.complete
    assert next(asked) == after + 1  # it stopped asking at once
    assert len(report.rows) == 10
    assert Timed.open_now == 0
    json.dumps(report.to_dict(), allow_nan=False)


def test_progress_and_findings_are_told(timed: System) -> None:
    told: list[tuple[str, float]] = []
    found: list[ComparisonReport] = []
    report = compare(
        makers.uniform(30), timed, CORE,
        progress=lambda text, share: told.append((text, share)), found=found.append,
    )  # fmt: skip
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)
    assert any(text == "update = slow: timing" for text, _ in told)
    assert any(text.startswith("timed-plain: ") for text, _ in told)
    assert not found[0].complete
    measured = [sum(bool(row.iteration_ms.samples) for row in one.rows) for one in found]
    assert measured == sorted(measured)
    assert found[-1].rows == report.rows


def test_the_report_is_json_with_all_that_makes_it_comparable(timed: System) -> None:
    report = compare(makers.uniform(30), timed, CORE, {"ants": 20}, repeats=1)
    plain = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert plain["instance"]
    assert (plain["n"], plain["system"], plain["device"]) == (30, "timed-options", "cpu:1")
    assert (plain["model"], plain["detail"], plain["cores"]) == ("A CPU", "Python", 1)
    assert plain["seeds"] == [1]
    assert plain["versions"]["python"]
    assert plain["machine"]
    slow = next(row for row in plain["rows"] if row["option"] == "slow")
    assert slow["parameters"] == {"ants": 20, "update": "slow", "workers": None}
    assert slow["ratio"] > 2
    assert slow["phases_ms"]["update"]["samples"]
    broken = next(row for row in plain["rows"] if row["option"] == "broken")
    assert broken["iteration_ms"] is None
    assert broken["ratio"] is None


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"parameters": {"memory": 3}}, "no parameter 'memory'"),
        ({"parameters": {"update": "quick"}}, "update = 'quick' must be one of fast, slow"),
        ({"repeats": 0}, "repeats = 0"),
        ({"limit": 0.0}, "limit = 0"),
    ],
)
def test_nonsense_is_refused_before_anything_runs(
    timed: System, more: dict[str, object], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        compare(makers.uniform(30), timed, CORE, **more)  # type: ignore[arg-type]
    assert Timed.built == []


@pytest.mark.parametrize(("name", "device"), [("acs", CORES), ("acs-spm", CORE)])
def test_real_colonies_are_compared(name: str, device: Device) -> None:
    system = catalog.find(name, device)
    report = compare(makers.uniform(60), system, device, {"ants": 8}, repeats=2)
    assert report.complete
    assert rows(report, "colony")[system.name].chosen
    for row in report.rows:
        assert row.why_not == ""
        assert row.parameters["ants"] == 8
        assert all(time > 0 for time in report.decisive(row).samples)
        assert report.ratio(row) is not None
