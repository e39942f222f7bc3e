"""Races from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.cli.race import _number
from gpu.problems.bundled import bundled
from gpu.problems.coloring.dimacs import write_graph
from gpu.problems.loading import load_instance
from gpu.races.race import LaneBudget, Race
from gpu.races.race_file import read_race, text_of
from gpu.races.race_standings import LaneRecord
from gpu.run.log.run_log import read_log
from gpu.run.session import new_session
from tests import colonies
from tests.app.conftest import Command
from tests.colonies import Failing, Idle, RandomColony
from tests.gpu.rlf.literal import graph

RING = load_instance(next(one.path for one in bundled() if one.name == "ring-50"))

TOURS = LaneBudget("solutions", 30)


def saved(folder: Path, *names: str, budget: LaneBudget = TOURS) -> Path:
    """A file of a race between these colonies that was never run."""
    sessions = [
        new_session(RING, colony=name, device="cpu:1", seed=at) for at, name in enumerate(names)
    ]
    race = Race(tuple(sessions), budget, in_turn=False)
    path = folder / "ring.race.json"
    path.write_text(text_of(race, [LaneRecord() for _ in names], RING), "utf-8")
    return path


def test_a_race_is_run_and_written(
    inside: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = colonies.install(monkeypatch, RandomColony)
    file, out = saved(tmp_path, name, name), tmp_path / "out"
    done = inside("race", file, "--json", "--out", out)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["budget"] == {"solutions": 30}
    first, second = found["lanes"]
    assert first["tours_built"] == second["tours_built"] == 30
    assert found["equal_length"] == max(first["best_length"], second["best_length"])
    assert sorted(first["tour"]) == list(range(1, 51))
    for lane in (first, second):
        log = read_log(Path(lane["log"]))
        assert log.outcome["best"] == lane["best_length"]
    again = inside("race", out / "ring-50.race.json")  # as it was written, with its results
    assert again.returncode == 0
    assert "ring-50, 50 cities: 30 tours for each lane, at the same time" in again.stdout
    assert f"equal: all lanes have reached {found['equal_length']}" in again.stdout
    assert [one.cost for one in read_race(out / "ring-50.race.json").records] == [
        first["best_length"],
        second["best_length"],
    ]


def test_a_race_says_which_lanes_are_proved(inside: Command, tmp_path: Path) -> None:
    wheel = graph(7, [*((v, (v + 1) % 6) for v in range(6)), *((v, 6) for v in range(6))])
    write_graph(tmp_path / "wheel.col", wheel)
    instance = load_instance(tmp_path / "wheel.col")
    sessions = [
        new_session(instance, colony="aco-rlf-seq", device="cpu:1", seed=at) for at in (1, 2)
    ]
    race = Race(tuple(sessions), LaneBudget("iterations", 50), in_turn=True)
    path = tmp_path / "wheel.race.json"
    path.write_text(text_of(race, [LaneRecord(), LaneRecord()], instance), "utf-8")
    done = inside("race", path, "--json")
    found = json.loads(done.stdout)
    assert (found["lower_bound"], found["lower_bound_by"]) == (3, "a clique of 3 vertices")
    assert [(one["proved"], one["best_colors"]) for one in found["lanes"]] == [(True, 3)] * 2
    told = inside("race", path).stdout
    assert [line.split()[5] for line in told.splitlines()[2:4]] == ["proved"] * 2
    assert "no coloring has fewer than 3 colors (a clique of 3 vertices)" in told
    assert "lane 2: proved optimal: 3 colors, and a clique of 3 vertices" in told


def test_a_failed_lane_and_a_bad_file_are_told(
    inside: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    names = [colonies.install(monkeypatch, kind) for kind in (Failing, RandomColony)]
    file = saved(tmp_path, *names)
    done = inside("race", file)
    assert done.returncode == 1
    assert "stopped answering" in done.stderr
    assert "lane 2: the limit of 30 tours is reached" in done.stdout
    file.write_text(file.read_text("utf-8")[:300], "utf-8")
    done = inside("race", file)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "save the race again" in done.stderr


def test_a_lane_that_is_a_thousand_times_slower_is_not_said_to_be_0_times_as_fast() -> None:
    numbers = [0.0, 0.00087, 0.014, 0.456, 1.0, 17.073]
    said = ["0.00", "0.00087", "0.014", "0.46", "1.00", "17.07"]
    assert list(map(_number, numbers)) == said


def test_a_lane_without_any_solution_says_so_by_the_status(
    inside: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    names = [colonies.install(monkeypatch, kind) for kind in (RandomColony, Idle)]
    done = inside("race", saved(tmp_path, *names, budget=LaneBudget("seconds", 0.1)), "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["lanes"][1]["best_length"] is None
