"""The MAX-MIN Ant Systems on CUDA, on the emulation, against that on the CPU: tours and trails."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from typing import Any

import numpy as np
import pytest

from gpu.core.errors import DeviceMemoryError, ParameterError
from gpu.core.snapshot import Wanted
from gpu.max_min.cpu import MmasCpuColony
from gpu.max_min.cuda.colony import MMAS_CONSTRUCTIONS, MmasColony
from gpu.max_min.parameters import (
    MmasCpuParameters,
    MmasCudaParameters,
    MmasGroupParameters,
    MmasListParameters,
)
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from tests.emulation import needs_emulation
from tests.gpu.acs.emulated import explicit, scattered
from tests.gpu.ant_system.colonies import assert_same
from tests.gpu.cuda.emulated import EmulatedMachine, Refusing

pytestmark = [needs_emulation, pytest.mark.timeout(300)]


def parameters_of(name: str, values: Mapping[str, Any]) -> MmasCudaParameters:
    kind = MmasListParameters if name.endswith("-cl") else MmasGroupParameters
    return kind.from_mapping(values)


def emulated(
    name: str,
    instance: TspInstance,
    values: Mapping[str, Any],
    machine: EmulatedMachine | None = None,
    seed: int = 7,
) -> closing[MmasColony]:
    machine = machine or EmulatedMachine()
    parameters = parameters_of(name, values)
    return closing(
        MmasColony(
            instance, parameters.resolved(instance.n), machine, seed, MMAS_CONSTRUCTIONS[name]
        )
    )


def on_cpu(
    name: str, instance: TspInstance, values: Mapping[str, Any], seed: int = 7
) -> closing[MmasCpuColony]:
    selection = "wrs" if "wrs" in name else "roulette" if "bt" in name else "lc-roulette"
    listed = {"candidates": 32} if name.endswith("-cl") else {}
    common = {key: value for key, value in values.items() if key != "warps"}
    parameters = MmasCpuParameters.from_mapping({"selection": selection, **listed, **common})
    return closing(MmasCpuColony(instance, parameters.resolved(instance.n), seed, threads=1))


def compare(
    name: str,
    instance: TspInstance,
    values: Mapping[str, Any],
    count: int = 2,
    machine: EmulatedMachine | None = None,
) -> None:
    """Everything that a colony tells is what its counterpart on the CPU tells."""
    with (
        emulated(name, instance, values, machine) as ours,
        on_cpu(name, instance, values) as theirs,
    ):
        for _ in range(count):
            ours.iterate(1)
            theirs.iterate(1)
            one, other = ours.snapshot(Wanted.EVERYTHING), theirs.snapshot(Wanted.EVERYTHING)
            assert_same(one, other)
            assert one.limits == other.limits
            np.testing.assert_array_equal(ours.trails_from(1), theirs.trails_from(1))


@pytest.mark.parametrize("name", MMAS_CONSTRUCTIONS)
@pytest.mark.parametrize(
    ("instance", "values"),
    [
        pytest.param(scattered(3), {}, id="three"),
        pytest.param(scattered(70, extent=20), {"ants": 3, "rho": 0.3}, id="scattered"),
        pytest.param(explicit(40, True), {"ants": 2, "weights": "full"}, id="directed"),
    ],
)
def test_every_variant_gives_the_cpu_tours(
    instance: TspInstance, values: dict[str, Any], name: str
) -> None:
    compare(name, instance, values)


@pytest.mark.parametrize("name", ["rwm-lc", "rwm-bt", "rwm-ct", "wrs-lc", "wrs-bt", "wrs-ct"])
def test_any_number_of_warps_gives_the_same_tours(name: str) -> None:
    compare(name, scattered(280), {"ants": 2, "warps": 3}, 1)


@pytest.mark.parametrize(("n", "weights"), [(256, "half"), (1030, "half"), (520, "full")])
def test_several_tiles_a_warp(n: int, weights: str) -> None:
    compare("rwm-bt", scattered(n), {"ants": 1, "warps": 1, "weights": weights}, 1)


@pytest.mark.parametrize(
    ("name", "warps"), [("wrs-bt", 1), ("wrs-bt", 2), ("wrs-ct", 1), ("wrs-lc", 2)]
)
def test_several_rounds_a_step(name: str, warps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    few = {True: (16,), False: (16,)}  # rows of 32 cities
    monkeypatch.setattr("gpu.max_min.cuda.construction.SAMPLED_ROWS", few)
    n = 1030 if name == "wrs-lc" else 530
    compare(name, scattered(n), {"ants": 1, "warps": warps}, 1)


def test_two_warps_for_an_ant_with_many_cities(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = EmulatedMachine()
    for most, kernel in ((70, "true, 44"), (69, "false, 16")):
        monkeypatch.setattr("gpu.max_min.cuda.construction.MOST_ALONE", most)
        compare("wrs-lc", scattered(70, extent=20), {"ants": 3, "rho": 0.3}, 1, machine)
        assert any(kernel in launched for launched in machine.launched)


@pytest.mark.parametrize("name", ["rwm-lc", "rwm-ct"])
def test_a_list_of_unvisited_cities_in_global_memory(name: str) -> None:
    machine = EmulatedMachine(shared_limit=256)
    compare(name, scattered(130), {"ants": 2}, 2, machine)
    assert any("GlobalUnvisited" in kernel for kernel in machine.launched)


@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("rwm-bt", "build_tours_in_shared<WheelOfRows, 2>"),
        ("wrs-bt", "build_tours_in_shared<ReservoirOfRows, 2>"),
    ],
)
def test_weights_in_shared_memory(name: str, kernel: str) -> None:
    machine = EmulatedMachine(shared_limit=227 << 10)
    compare(name, scattered(257), {"ants": 3, "warps": 1}, 1, machine)
    assert kernel in machine.launched


@pytest.mark.parametrize(
    "values",
    [
        {"alpha": 2.0, "beta": 3.0},
        {"alpha": 0.0, "rho": 1.0},
        {"beta": 0.0, "p_best": 0.9},
        {"ants": 1, "deposit": "global-best"},
        {"weights": "full", "rho": 0.02},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["rwm-bt", "wrs-ct-cl"])
def test_every_parameter(name: str, values: dict[str, Any]) -> None:
    compare(name, scattered(45, Metric.CEIL_2D), {"ants": 5, **values}, 4)


@pytest.mark.parametrize(
    ("name", "candidates"), [("rwm-lc-cl", 64), ("rwm-bt-cl", 224), ("wrs-ct-cl", 64)]
)
def test_longer_lists(name: str, candidates: int) -> None:
    compare(name, scattered(110), {"ants": 3, "candidates": candidates}, 2)


@pytest.mark.parametrize(
    ("name", "weights", "extent"),
    [
        pytest.param("rwm-bt-cl", "full", 30, id="many cities tie"),
        pytest.param("rwm-lc-cl", "half", 30, id="many more tie"),
        pytest.param("wrs-ct-cl", "half", 900_000, id="far"),
    ],
)
def test_cities_beyond_the_backup_lists(
    name: str, weights: str, extent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpu.max_min.cuda.construction.MOST_KEPT_CITIES", 0)
    values = {"ants": 3, "weights": weights, "alpha": 2.0}
    compare(name, scattered(230, extent=extent), values, 3)


@pytest.mark.parametrize(
    ("name", "kilobytes", "where"),
    [
        ("rwm-bt-cl", 24, "PackedLists, 1, true, true"),
        ("rwm-lc-cl", 12, "PartedLists, 1, true, true"),
        ("rwm-ct-cl", 4, "PackedLists, 1, false, true"),
        ("wrs-ct-cl", 24, "SplitLists, 1, false, true"),
        ("rwm-bt", 12, ""),
    ],
)
def test_what_is_too_large_for_shared_memory(name: str, kilobytes: int, where: str) -> None:
    machine = EmulatedMachine(shared_limit=kilobytes << 10)
    compare(name, scattered(130), {"ants": 5}, 2, machine)
    assert any(where in kernel for kernel in machine.launched)


@pytest.mark.parametrize("name", ["rwm-bt", "wrs-bt", "rwm-lc"])
@pytest.mark.parametrize("instance", [scattered(90), explicit(50, False)], ids=["plane", "matrix"])
def test_what_is_not_kept_is_worked_out_anew(
    name: str, instance: TspInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpu.max_min.cuda.update.MOST_KEPT_CITIES", 0)
    compare(name, instance, {"ants": 4, "alpha": 2.0}, 2)


@pytest.mark.parametrize("name", ["rwm-bt-cl", "wrs-lc"])
def test_the_schedule_and_beginning_anew(name: str) -> None:
    values = {
        "ants": 2, "rho": 0.8, "restart": 3, "deposit": "schedule", "p_best": 0.5, "beta": 4.0,
    }  # fmt: skip
    instance = scattered(20)
    begun = 0
    with emulated(name, instance, values) as ours, on_cpu(name, instance, values) as theirs:
        for _ in range(45):
            ours.iterate(1)
            theirs.iterate(1)
            one, other = ours.trails_from(3), theirs.trails_from(3)
            np.testing.assert_array_equal(one, other)
            begun += len(set(one)) == 1
        assert_same(ours.snapshot(Wanted.EVERYTHING), theirs.snapshot(Wanted.EVERYTHING))
    assert begun > 1


@pytest.mark.parametrize("name", ["rwm-bt-cl", "wrs-lc"])
def test_deposits_of_the_published_program(name: str) -> None:
    values = {
        "ants": 2, "rho": 0.3, "restart": 10, "planned": 90, "deposit": "published", "beta": 4.0,
    }  # fmt: skip
    instance = scattered(20)
    begun = 0
    with emulated(name, instance, values) as ours, on_cpu(name, instance, values) as theirs:
        for _ in range(90):
            ours.iterate(1)
            theirs.iterate(1)
            one, other = ours.trails_from(3), theirs.trails_from(3)
            np.testing.assert_array_equal(one, other)
            begun += len(set(one)) == 1
        assert_same(ours.snapshot(Wanted.EVERYTHING), theirs.snapshot(Wanted.EVERYTHING))
    assert begun > 0


@pytest.mark.parametrize(
    ("name", "instance", "kind"),
    [
        ("rwm-bt-cl", scattered(60), "2opt+oropt"),
        ("wrs-ct", scattered(60), "2opt-all"),
        ("wrs-bt-cl", scattered(60), "2opt-largest"),
        ("rwm-bt", explicit(40, True), "oropt"),
    ],
)
def test_local_search_before_the_update(name: str, instance: TspInstance, kind: str) -> None:
    values = {"ants": 4, "local_search": kind}
    compare(name, instance, values)
    with emulated(name, instance, values) as colony:
        assert list(colony.timed_iteration()) == ["construction", "local search", "update"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("rwm-lc", 4 * 70, id="two arrays of a wheel"),
        pytest.param("rwm-ct", 2 * 70, id="one array"),
        pytest.param("wrs-lc", 4 * 70, id="two arrays"),
        pytest.param("wrs-ct", 2 * 70, id="one array for samples"),
        pytest.param("rwm-bt", 4 * 32, id="a word a lane"),
        pytest.param("wrs-bt-cl", 16, id="a bit a city"),
        pytest.param("wrs-lc-cl", 288, id="two arrays beside lists"),
    ],
)
def test_bytes_of_an_ants_tabu(name: str, expected: int) -> None:
    """Table 1 of the 2020 paper; bytes beside lists come in sixteens."""
    with emulated(name, scattered(70, extent=20), {"ants": 3, "rho": 0.3}) as colony:
        assert colony.gauges()["tabu_bytes"] == expected


def test_limits_are_shown_before_the_first_iteration() -> None:
    with (
        emulated("rwm-bt", scattered(40), {}) as ours,
        on_cpu("rwm-bt", scattered(40), {}) as theirs,
    ):
        assert ours.snapshot(Wanted.NUMBERS).limits == theirs.snapshot(Wanted.NUMBERS).limits


def test_what_does_not_fit_is_refused_in_words() -> None:
    for name, values, machine, words in (
        ("rwm-bt", {"warps": 1}, EmulatedMachine(), "warps = 1 is too few for 4000 cities"),
        ("wrs-lc", {}, EmulatedMachine(shared_limit=4096), "choose mmas-wrs-bt"),
        ("rwm-lc-cl", {}, EmulatedMachine(shared_limit=4096), "choose mmas-rwm-bt-cl"),
    ):
        given = {"ants": 1, **values}
        with (
            pytest.raises(ParameterError, match=words),
            emulated(name, scattered(4000), given, machine),
        ):
            pass
    with pytest.raises(ParameterError, match=r"candidates = 40 must be a multiple of 32 in"):
        MmasListParameters(candidates=40)


@pytest.mark.parametrize(
    ("name", "weights", "bytes_a_pair"),
    [("rwm-bt-cl", "half", 4), ("rwm-bt", "half", 6), ("wrs-ct", "half", 6), ("wrs-bt", "full", 8)],
)
def test_memory_of_large_instances(name: str, weights: str, bytes_a_pair: int) -> None:
    """18512 cities take 1.4 to 2.8 GB in this way, and fit a card of 16 GB."""
    machine, n = Refusing(), 5000
    values = {"ants": 10, "weights": weights}
    with pytest.raises(DeviceMemoryError), emulated(name, scattered(n), values, machine):
        pass
    beside = 3000 * n + 3_000_000  # candidate lists, pictures
    assert 0 <= sum(machine.declared.values()) - bytes_a_pair * n * n < beside
