from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from gpu import catalog
from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.core.errors import DeviceError, FormicariumError, InstanceError
from gpu.core.machine import devices
from gpu.core.machine.devices import Device, Survey
from gpu.problems.bundled import bundled
from gpu.problems.tsp.tsplib.tsplib_files import load
from gpu.run.session import Session, SessionError, choose, new_session, why_not_on_a_gpu
from gpu.run.stopping import StopSettings
from tests.colonies import some_cities
from tests.golden import Golden

CPUS = tuple(device for device in devices.survey().devices if device.kind == "cpu")
GPU = Device("cuda:0", "cuda", 0, 132, "some GPU", 1 << 33)


@pytest.fixture
def without_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "survey", lambda: Survey(CPUS, "no driver is installed"))


@pytest.fixture
def with_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "survey", lambda: Survey((GPU, *CPUS), ""))


def test_everything_automatic_is_settled_and_recorded(without_gpu: None) -> None:
    instance = some_cities(100)
    session = new_session(instance, aim="paper")
    assert session.colony == "acs-gpu"
    assert session.device == "cpu"
    assert session.parameters == AcsParameters(ants=100, q0=0.8)
    assert 0 <= session.seed < 1 << 64
    assert session.seed != new_session(instance, aim="paper").seed
    assert session.stop == StopSettings()


def test_a_session_survives_json(without_gpu: None) -> None:
    instance = load(bundled()[0].path)
    session = new_session(
        instance,
        colony="acs-spm",
        device="cpu:1",
        parameters={"memory": "4", "ants": "auto", "beta": 2},
        seed=(1 << 64) - 1,
        stop=StopSettings(iterations=5, target_gap=1),
    )
    assert session.colony == "acs-seq-spm"
    assert isinstance(session.parameters, SpmParameters)
    assert session.parameters.memory == 4
    assert Path(session.instance.path).is_absolute()
    assert len(session.instance.sha256) == 64
    assert Session.from_dict(json.loads(json.dumps(session.to_dict()))) == session


def test_a_parameter_means_what_was_so_before_it_was_one(without_gpu: None) -> None:
    """Older records have no ``greedy``: the greedy choice looked at the list alone."""
    recorded = new_session(some_cities(100), colony="acs-spm", device="cpu:1").to_dict()
    assert recorded["parameters"].pop("greedy") == "remembered"  # type: ignore[attr-defined]
    older = Session.from_dict(json.loads(json.dumps(recorded)))
    assert isinstance(older.parameters, SpmParameters)
    assert older.parameters.greedy == older.chosen.to_dict()["greedy"] == "listed"
    assert Session.from_dict(older.to_dict()) == older


def test_what_was_left_automatic_is_so_again(without_gpu: None) -> None:
    recorded = new_session(some_cities(100), aim="paper", parameters={"beta": 3}).to_dict()
    assert recorded["chosen"] == {"ants": None, "q0": None}
    read = Session.from_dict(json.loads(json.dumps(recorded)))
    assert read.parameters == AcsParameters(ants=100, q0=0.8, beta=3)  # which it is replayed with
    again = new_session(some_cities(40), aim="paper", parameters=read.chosen.to_dict())
    assert again.parameters == AcsParameters(ants=40, q0=0.5, beta=3)
    del recorded["chosen"]  # as recorded before there was a difference
    older = Session.from_dict(recorded)
    assert older.chosen == older.parameters == read.parameters


def test_impossible_choices_are_refused(without_gpu: None, golden: Golden) -> None:
    def told(line: str) -> str:
        instance = dataclasses.replace(some_cities(), directed=line.startswith("directed"))
        choices = eval(f"dict({line.removeprefix('directed, ')})", {"StopSettings": StopSettings})
        with pytest.raises(FormicariumError) as refused:
            new_session(instance, **choices)
        assert "\n" not in str(refused.value)
        return f"{type(refused.value).__name__}: {refused.value}"

    golden.table("refused-choices", told)
    directed = dataclasses.replace(some_cities(), directed=True)
    for colony, values in (("acs", {"local_search": "oropt"}), ("focused", {})):
        chosen = new_session(directed, colony=colony, parameters=values)
        assert chosen.system.alias == colony


def test_auto_takes_the_best_device_that_the_colony_runs_on(with_gpu: None) -> None:
    assert choose("acs", "auto") == (GPU, catalog.find("acs-gpu-alt", GPU))
    assert choose("acs-gpu", "auto")[0] is GPU
    assert choose("acs-seq", "auto")[0].name == "cpu:1"
    assert choose("acs-cores-spm", "auto")[0].name == "cpu"
    assert choose("acs-spm", "cpu")[1].name == "acs-cores-spm"


def test_falling_back_to_the_cpu_is_said_where_a_gpu_would_have_served(
    without_gpu: None,
) -> None:
    for colony, device, said in [
        ("acs", "auto", "no driver is installed"),
        ("acs-gpu", "auto", "no driver is installed"),
        ("acs-seq", "auto", ""),
        ("acs", "cpu", ""),
    ]:
        assert why_not_on_a_gpu(colony, device, choose(colony, device)[0]) == said


@pytest.mark.parametrize("part", ["instance", "colony", "device", "parameters", "seed", "stop"])
def test_a_damaged_session_is_refused(without_gpu: None, part: str) -> None:
    values = new_session(some_cities()).to_dict()
    with pytest.raises(SessionError, match=part):
        Session.from_dict({name: value for name, value in values.items() if name != part})
    with pytest.raises(SessionError, match=part):
        Session.from_dict({**values, part: None})


def test_another_device_must_run_the_same_system(with_gpu: None) -> None:
    session = new_session(some_cities(), colony="acs-gpu", device="cpu")
    assert session.with_device("cuda:0") == dataclasses.replace(session, device="cuda:0")
    with pytest.raises(DeviceError, match="not on cpu:1"):
        session.with_device("cpu:1")


def test_a_changed_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "cities.tsp"
    path.write_bytes(bundled()[0].path.read_bytes())
    session = new_session(load(path), device="cpu")
    session.instance.check(load(path))
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(InstanceError, match=r"cities\.tsp: the file has changed"):
        session.instance.check(load(path))
