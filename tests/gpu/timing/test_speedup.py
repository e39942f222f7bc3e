"""Speedups: who is compared, what is timed, and what failures and cancelling leave."""

import dataclasses
import json
import math

import pytest

import gpu.timing.speedup
import gpu.timing.turns
from gpu import catalog
from gpu.acs.parameters import AcsParameters
from gpu.core.errors import DeviceError, ParameterError
from gpu.core.machine.devices import Device, Survey
from gpu.core.system import SystemOf, place_of
from gpu.problems.tsp.instance import TspInstance
from gpu.timing.measured import Spread
from gpu.timing.speedup import Contender, contenders, measure
from tests.clock import Clock
from tests.gpu.cpu import makers
from tests.gpu.timing import timed
from tests.gpu.timing.timed import FAST, SLOW, Sleeper

GPU = Device("cuda:0", "cuda", 0, 132, "A GPU", 2**36, "driver 1")
CORES = Device("cpu", "cpu", 0, 2, "A CPU", 2**34)
CORE = Device("cpu:1", "cpu", 0, 1, "A CPU", 2**34)
WITH_GPU = Survey((GPU, CORES, CORE), "")
WITHOUT = Survey((CORES, CORE), "no CUDA GPU found")


@pytest.fixture(autouse=True)
def _warm_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu.timing.speedup, "RUN_WARMING", 0.02)


@pytest.fixture
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch, gpu.timing.speedup, gpu.timing.turns, timed)


def sleeper(name: str, device: Device) -> Contender:
    build = getattr(timed, f"build_{name}")
    system = SystemOf(
        name=name,
        title=name,
        paper="",
        made_of="",
        summary="",
        deterministic=True,
        instances=TspInstance,
        parameters=AcsParameters,
        builders={place_of(device): build},
        alias="sleep",
    )
    return Contender(system, device)


FAST_ONE, SLOW_ONE = sleeper("fast", GPU), sleeper("slow", CORE)


def test_the_best_device_is_compared_with_all_cores_and_one() -> None:
    assert [one.label for one in contenders(("acs",), WITH_GPU)] == [
        "acs-gpu-alt on cuda:0", "acs-gpu on cpu", "acs-seq on cpu:1",
    ]  # fmt: skip
    assert [one.label for one in contenders(("acs",), WITHOUT)] == [
        "acs-gpu on cpu", "acs-seq on cpu:1",
    ]  # fmt: skip


def test_each_search_has_its_own_baselines_and_nobody_comes_twice() -> None:
    assert [one.label for one in contenders(("acs-gpu-spm", "acs-gpu", "acs"), WITH_GPU)] == [
        "acs-gpu-spm on cuda:0", "acs-cores-spm on cpu", "acs-seq-spm on cpu:1",
        "acs-gpu on cuda:0", "acs-gpu on cpu", "acs-seq on cpu:1", "acs-gpu-alt on cuda:0",
    ]  # fmt: skip


def test_baselines_do_the_work_of_the_system_that_they_are_measured_for() -> None:
    among = contenders(("mmas-rwm-bt-cl", "mmas"), WITH_GPU)
    assert [(one.label, one.search, one.settings) for one in among] == [
        ("mmas-rwm-bt-cl on cuda:0", "mmas-rwm-bt-cl", ()),
        ("mmas-cores on cpu", "mmas-rwm-bt-cl", (("candidates", 32),)),
        ("mmas-seq on cpu:1", "mmas-rwm-bt-cl", (("candidates", 32),)),
        ("mmas-rwm-bt on cuda:0", "mmas", ()),
        ("mmas-cores on cpu", "mmas", ()),
        ("mmas-seq on cpu:1", "mmas", ()),
    ]
    report = measure(makers.uniform(40), among[2:3], seed=1, repeats=1, iterations=1, budget=0)
    assert report.measurements[0].parameters["candidates"] == 32


def test_who_cannot_be_compared_is_named() -> None:
    with pytest.raises(ParameterError, match="no colony 'acsx'"):
        contenders(("acsx",), WITHOUT)
    with pytest.raises(DeviceError, match="acs-gpu-alt runs on cuda"):
        contenders(("acs-gpu-alt",), WITHOUT)


@pytest.mark.usefixtures("_clock")
def test_the_time_of_an_iteration_is_what_it_takes_with_nothing_left_in_flight() -> None:
    report = measure(
        makers.uniform(30), [FAST_ONE, SLOW_ONE], {"ants": 10}, repeats=3, iterations=40, budget=0
    )
    fast, slow = report.measurements
    assert report.complete
    assert report.iterations == 40
    assert fast.iteration_ms.median == pytest.approx(1e3 * FAST)
    assert slow.iteration_ms.median == pytest.approx(1e3 * SLOW)
    assert fast.solution_us.median == pytest.approx(100 * fast.iteration_ms.median)
    assert fast.ants == slow.ants == 10
    assert fast.construction_ms.samples == (0.5, 0.5, 0.5)
    # 3 warm-up iterations, then 40: both ran the same ones.
    assert fast.best_costs == slow.best_costs == (957, 957, 957)
    speedup = report.speedup(fast, "cpu:1")
    assert speedup == pytest.approx(SLOW / FAST)
    assert report.speedup(slow, "cpu:1") == 1
    assert report.speedup(fast, "cpu") is None
    assert fast.target_seconds == ()
    assert report.target_cost is None
    assert Sleeper.open_now == 0


@pytest.mark.usefixtures("_clock")
def test_the_time_to_the_same_length() -> None:
    among = [FAST_ONE, SLOW_ONE]
    report = measure(makers.uniform(30), among, repeats=3, iterations=20, budget=5)
    fast, slow = report.measurements
    assert report.target_cost == 1000 - 23  # what both had reached
    for one, period in ((fast, FAST), (slow, SLOW)):
        assert one.target_median == pytest.approx(23 * period)
    assert report.target_speedup(fast, "cpu:1") == pytest.approx(SLOW / FAST)


@pytest.mark.usefixtures("_clock")
def test_a_target_that_nobody_reaches_in_time_has_no_time() -> None:
    report = measure(
        makers.uniform(30), [SLOW_ONE], repeats=2, iterations=5, target_cost=0, budget=0.1
    )
    (slow,) = report.measurements
    assert slow.target_seconds == (None, None)
    assert slow.target_median is None
    assert report.target_speedup(slow, "cpu:1") is None
    assert report.complete


def test_a_target_reached_by_half_of_the_runs_has_no_median() -> None:
    report = measure(makers.uniform(30), [SLOW_ONE], repeats=1, iterations=1, budget=0)
    one = report.measurements[0]
    for times, median in (
        ((1.0, None, 3.0), 3.0), ((None, 1.0), None), ((1.0, None, None), None), ((), None),
    ):  # fmt: skip
        changed = dataclasses.replace(one, target_seconds=times)
        assert changed.target_median == median


def test_real_colonies_build_the_same_tours_on_any_number_of_cores() -> None:
    instance = makers.uniform(60)
    among = [
        Contender(catalog.find("acs-gpu", CORES), CORES),
        Contender(catalog.find("acs-gpu", CORES), Device("cpu", "cpu", 0, 1, "A CPU", 2**34)),
        Contender(catalog.find("acs-seq", CORE), CORE),
    ]
    report = measure(instance, among, {"ants": 60}, seed=5, repeats=2, iterations=10, budget=5)
    first, second, sequential = report.measurements
    assert first.best_costs == second.best_costs
    assert report.seeds == (5, 6)
    for one in report.measurements:
        assert not one.failure
        assert len(one.solution_us.samples) == 2
        assert one.solution_us.lower <= one.solution_us.median <= one.solution_us.upper
        assert all(time > 0 for time in one.construction_ms.samples)
    assert report.baseline(first, "cpu:1") is sequential
    assert report.optimum is None
    assert report.target_gap is None


def test_a_contender_that_fails_takes_only_itself_out() -> None:
    among = [sleeper("broken", GPU), SLOW_ONE]
    report = measure(makers.uniform(30), among, repeats=2, iterations=3, budget=1)
    broken, slow = report.measurements
    assert broken.failure == "the device is out of order"
    assert broken.solution_us.samples == ()
    assert math.isnan(broken.solution_us.median)
    assert report.speedup(broken, "cpu:1") is None
    assert len(slow.solution_us.samples) == 2
    assert report.complete
    assert report.to_dict()["measurements"][0]["solution_us"] is None


@pytest.mark.usefixtures("_clock")
def test_the_report_is_json() -> None:
    instance = makers.ring(30)
    report = measure(instance, [FAST_ONE, SLOW_ONE], repeats=2, iterations=5, target_cost=990)
    plain = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert plain["n"] == 30
    assert plain["optimum"] == instance.optimum
    assert plain["versions"]["numba"]
    assert plain["versions"]["python"]
    assert plain["machine"]
    fast = plain["measurements"][0]
    assert fast["model"] == "A GPU"
    assert fast["cores"] == 132
    assert fast["parameters"]["beta"] == 3
    assert fast["speedup_one_core"] == report.speedup(report.measurements[0], "cpu:1")
    assert fast["speedup_all_cores"] is None
    assert fast["target_speedup_one_core"] > 1
    assert len(fast["solution_us"]["samples"]) == 2


@pytest.mark.parametrize("after", [0, 1, 7, 40])
def test_cancelling_keeps_what_was_measured(after: int) -> None:
    asked = iter(range(10**9))
    report = measure(
        makers.uniform(30),
        [FAST_ONE, SLOW_ONE],
        repeats=3,
        iterations=200,
        budget=1,
        cancelled=lambda: next(asked) >= after,
    )
    assert not report.complete
    assert next(asked) <= after + 2  # it stopped asking at once
    for one in report.measurements:
        assert len(one.best_costs) == len(one.solution_us.samples)
    json.dumps(report.to_dict(), allow_nan=False)
    assert Sleeper.open_now == 0


def test_progress_names_who_works_and_grows_to_one() -> None:
    seen: list[tuple[str, float]] = []
    measure(
        makers.uniform(30),
        [FAST_ONE, SLOW_ONE],
        repeats=2,
        iterations=5,
        budget=1,
        progress=lambda text, share: seen.append((text, share)),
    )
    shares = [share for _, share in seen]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert shares[-1] == 1
    assert any(text.startswith("fast on cuda:0") for text, _ in seen)
    assert any("target" in text for text, _ in seen)


def test_parameters_reach_the_systems_that_have_them() -> None:
    among = [
        Contender(catalog.find("acs-seq", CORE), CORE),
        Contender(catalog.find("acs-seq-spm", CORE), CORE),
    ]
    given = {"ants": "7", "memory": 3}
    report = measure(makers.uniform(25), among, given, repeats=1, iterations=2, budget=0)
    plain, selective = report.measurements
    assert plain.ants == selective.ants == 7
    assert "memory" not in plain.parameters
    assert selective.parameters["memory"] == 3
    assert plain.parameters["q0"] == 0.2  # resolved: (25 - 20)/25


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"parameters": {"memory": 3}}, "no parameter 'memory'"),
        ({"parameters": {"rho": 2}}, "rho = 2"),
        ({"repeats": 0}, "repeats = 0"),
        ({"iterations": 0}, "iterations = 0"),
        ({"budget": -1.0}, "budget = -1"),
        ({"budget": float("nan")}, "budget = nan"),
        ({"contenders": []}, "no colony"),
    ],
)
def test_nonsense_is_refused_before_anything_runs(more: dict[str, object], message: str) -> None:
    arguments = {"contenders": [SLOW_ONE], **more}
    with pytest.raises(ParameterError, match=message):
        measure(makers.uniform(30), **arguments)  # type: ignore[arg-type]


@pytest.mark.usefixtures("_clock")
def test_iterations_follow_from_the_slowest() -> None:
    report = measure(makers.uniform(30), [FAST_ONE, SLOW_ONE], repeats=1, budget=0)
    assert report.iterations == pytest.approx(250, abs=1)  # a second of 4 ms each


def test_a_spread_has_median_and_quartiles() -> None:
    spread = Spread.of([5.0, 1.0, 2.0, 4.0, 3.0])
    assert (spread.lower, spread.median, spread.upper) == (2, 3, 4)
    assert spread.samples == (5, 1, 2, 4, 3)


def test_a_long_iteration_is_left_when_the_measurement_is_cancelled() -> None:
    asked = iter(range(10**9))
    report = measure(
        makers.uniform(30), [sleeper("endless", CORE)], cancelled=lambda: next(asked) >= 20
    )
    assert not report.complete
    assert Sleeper.open_now == 0
