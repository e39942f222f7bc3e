"""What is chosen for whoever chooses no colony."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import numpy as np
import pytest

from gpu import aims, catalog
from gpu.aims import CORES_DIRECTED, Aim
from gpu.core.errors import ParameterError
from gpu.core.instance import Instance
from gpu.core.machine import devices
from gpu.core.machine.devices import Device, Survey
from gpu.core.problem import Problem
from gpu.core.system import place_of
from gpu.crossing.parameters import CUDA_MOST_CROSSED, MOST_CROSSED
from gpu.problems.tsp.instance import TspInstance
from gpu.run.session import new_session
from tests.colonies import some_cities
from tests.gpu.rlf.literal import random_graph

GPU = Device("cuda:0", "cuda", 0, 132, "some GPU", 80 << 30)
CORES = Device("cpu", "cpu", 0, 4, "some CPU", 64 << 30)
CORE = Device("cpu:1", "cpu", 0, 1, "some CPU", 64 << 30)


def many_cities(n: int) -> TspInstance:
    places = np.zeros((n, 2))
    return dataclasses.replace(some_cities(5), coordinates=places, display=places)


@pytest.mark.parametrize(
    ("device", "n", "colony", "ants"),
    [
        (GPU, 200, "mmas-rwm-bt-cl", 800),
        (CORES, 200, "mmas-cores", 32),
        (CORE, 200, "mmas-seq", 32),
    ],
)
def test_small_instances_are_for_colonies_with_a_matrix(
    device: Device, n: int, colony: str, ants: int
) -> None:
    chosen = aims.choice(Aim.BEST, many_cities(n), device)
    assert (chosen.system.name, chosen.parameters["ants"]) == (colony, ants)
    assert chosen.parameters["local_search"] == "2opt+oropt"
    assert chosen.why


@pytest.mark.parametrize(
    ("device", "n", "colony", "ants"),
    [
        (GPU, 25_000, "acs-gpu-alt", 256),
        (dataclasses.replace(GPU, memory=1 << 30), 25_000, "acs-gpu-spm", 256),
        (CORES, 25_000, "acs-gpu", 8),
        (CORES, 50_000, "acs-cores-spm", 16),
        (dataclasses.replace(CORES, memory=1 << 30), 25_000, "acs-cores-spm", 16),
        (CORE, 25_000, "acs-seq", 8),
        (CORE, 50_000, "acs-seq-spm", 16),
    ],
)
def test_the_focused_colony_is_for_larger_symmetric_instances(
    device: Device, n: int, colony: str, ants: int
) -> None:
    cities = many_cities(n)
    focused = aims.choice(Aim.BEST, cities, device)
    crossed = n <= (CUDA_MOST_CROSSED if device.kind == "cuda" else MOST_CROSSED)
    assert focused.system.alias == ("crossing" if crossed else "focused")
    assert not focused.parameters
    chosen = aims.choice(Aim.BEST, dataclasses.replace(cities, directed=True), device)
    assert (chosen.system.name, chosen.parameters["ants"]) == (colony, ants)


@pytest.mark.parametrize("device", [GPU, CORES, CORE])
def test_the_focused_colony_is_for_directed_instances(device: Device) -> None:
    for n in (5, 200, 1000, 20_000):
        chosen = aims.choice(Aim.BEST, dataclasses.replace(many_cities(n), directed=True), device)
        assert (chosen.system.alias, chosen.parameters) == ("focused", {})


def test_a_small_directed_instance_goes_to_cores_unless_the_gpu_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(devices, "survey", lambda: Survey((GPU, CORES, CORE), ""))
    cities = many_cities(CORES_DIRECTED)
    directed = dataclasses.replace(cities, directed=True)
    found = [new_session(one).device for one in (cities, directed)]
    assert found == ["cuda:0", "cpu"]
    larger, large = (
        dataclasses.replace(many_cities(n), directed=True) for n in (CORES_DIRECTED + 1, 20_001)
    )
    for aim, one in ((Aim.BEST, larger), (Aim.BEST, large), (Aim.PAPER, directed)):
        assert aims.device_for(aim, one, (GPU, CORES, CORE)) is GPU
    advice = "; the device cpu has a better one for so few directed cities"
    assert aims.choice(Aim.BEST, directed, GPU).why.endswith(advice)
    for device, one in ((GPU, cities), (GPU, larger), (GPU, large), (CORES, directed)):
        assert advice not in aims.choice(Aim.BEST, one, device).why


def long_distances(n: int) -> TspInstance:
    """Cities of a map projection in millimetres."""
    places = np.random.default_rng(n).integers(0, 10**9, (n, 2)).astype(float)
    return dataclasses.replace(some_cities(5), coordinates=places, display=places)


@pytest.mark.parametrize("n", [300, 5000])
def test_an_aim_chooses_no_kernels_that_cannot_add_up_such_long_distances(n: int) -> None:
    cities = long_distances(n)
    for name in ("crossing-gpu", "focused-gpu"):
        limit = (
            f"{name} takes distances of up to 134,217,728, .* choose the colony {name[:-3]}cores"
        )
        with pytest.raises(ParameterError, match=limit):
            catalog.find(name, GPU).takes(cities)
    chosen = aims.choice(Aim.BEST, cities, GPU)
    assert chosen.system.name == ("mmas-rwm-bt-cl" if n == 300 else "acs-gpu-alt")
    assert chosen.why.endswith("; the device cpu has a better one for such long distances")
    assert aims.device_for(Aim.BEST, cities, (GPU, CORES, CORE)) is CORES
    assert aims.choice(Aim.BEST, cities, CORES).system.name == "crossing-cores"
    assert aims.device_for(Aim.BEST, many_cities(n), (GPU, CORES, CORE)) is GPU


def test_a_given_tour_is_improved_where_the_user_says_if_a_colony_there_can() -> None:
    cities = many_cities(300)
    for device, name in ((GPU, "crossing-gpu"), (CORES, "crossing-cores"), (CORE, "crossing-seq")):
        place, chosen = aims.choice_to_improve(cities, device)
        assert (place, chosen.system.name) == (device, name)
    place, chosen = aims.choice_to_improve(dataclasses.replace(cities, directed=True), GPU)
    assert (place, chosen.system.name) == (GPU, "focused-gpu")
    place, chosen = aims.choice_to_improve(long_distances(300), GPU)
    assert (place.name, chosen.system.name) == ("cpu", "crossing-cores")
    place, chosen = aims.choice_to_improve(random_graph(20, 0.5, 1), CORES)
    assert (place, chosen.system.name) == (CORES, "gpx-cores")


@pytest.mark.parametrize("aim", list(Aim))
@pytest.mark.parametrize(
    "instance",
    [
        long_distances(300),
        some_cities(3),
        some_cities(5),
        some_cities(100),
        many_cities(200_000),
        dataclasses.replace(some_cities(50), directed=True),
        random_graph(20, 0.5, 1),
    ],
    ids=lambda one: f"{one.problem}-{one.n}",
)
def test_every_choice_is_possible_wherever_it_is_made(aim: Aim, instance: Instance) -> None:
    for device, memory in itertools.product((GPU, CORES, CORE), (0, 1 << 30, 80 << 30)):
        chosen = aims.choice(aim, instance, dataclasses.replace(device, memory=memory))
        assert chosen.system.runs_on(device)
        assert chosen.system.problem is instance.problem
        values = chosen.system.parameters.from_mapping(chosen.parameters)
        values.check(instance)
        values.resolved(instance.n)


def test_directed_tours_are_improved_by_what_turns_nothing_around() -> None:
    directed = dataclasses.replace(many_cities(25_000), directed=True)
    assert aims.choice(Aim.BEST, directed, GPU).parameters["local_search"] == "oropt"


def test_graphs_have_the_colony_that_crosses_colorings_and_the_paper_is_there() -> None:
    graph = random_graph(20, 0.5, 1)
    for device in (GPU, CORES, CORE):
        assert aims.choice(Aim.BEST, graph, device).system.alias == "gpx"
        paper = aims.choice(Aim.PAPER, graph, device)
        assert (paper.system.alias, paper.parameters) == ("coloring", {})


def test_a_session_without_a_colony_has_what_its_aim_chose() -> None:
    session = new_session(some_cities(100), device="cpu", parameters={"ants": 20})
    assert (session.aim, session.colony) == ("best", "mmas-cores")
    values = session.parameters.to_dict()
    assert (values["ants"], values["rho"], values["local_search"]) == (20, 0.5, "2opt+oropt")
    paper = new_session(some_cities(100), aim="paper", device="cpu")
    assert (paper.aim, paper.colony) == ("paper", "acs-gpu")
    assert (
        paper.parameters == new_session(some_cities(100), colony="acs-gpu", device="cpu").parameters
    )
    assert new_session(some_cities(), colony="acs", device="cpu").aim == ""


def test_an_aim_that_does_not_go_with_the_rest_is_refused() -> None:
    with pytest.raises(ParameterError, match="there is no aim 'worst': choose best, paper, watch"):
        new_session(some_cities(), aim="worst")
    with pytest.raises(ParameterError, match="the aim best chooses a colony: give it or acs"):
        new_session(some_cities(), aim="best", colony="acs")
    with pytest.raises(ParameterError, match=r"'q0' here.*the aim best chose mmas-cores"):
        new_session(some_cities(), device="cpu", parameters={"q0": 0.9})


def test_the_page_shows_the_table_that_is_used(measurements: Any) -> None:
    lines = measurements("page_defaults").chosen().splitlines()
    assert "| GPU | up to 10,000,000, symmetric | crossing-gpu |  |" in lines
    assert "| one core | more, or where the matrix is too large | acs-seq-spm | ants 16 |" in lines
    rows = [row for row in aims.AIM_ROWS if (row.aim, row.problem) == (Aim.BEST, Problem.TSP)]
    assert len(lines) == 2 + len(rows)


@pytest.mark.parametrize("device", [GPU, CORES, CORE])
@pytest.mark.parametrize("n", [50, 1000, 60_000])
def test_a_tour_to_begin_with_gets_a_colony_that_can(device: Device, n: int) -> None:
    picked = aims.choice(Aim.BEST, many_cities(n), device, starts=True)
    assert place_of(device) in picked.system.starters
    if n > 200:  # it is the one that is chosen anyway
        assert picked == aims.choice(Aim.BEST, many_cities(n), device)
