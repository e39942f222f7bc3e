"""A family from outside the program is served wherever the program's own are."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

import gpu.timing.comparison
import gpu.timing.speedup
from app.window.application import Application
from gpu import catalog
from gpu.core.errors import WrongSolutionError
from gpu.races.race import LaneBudget, Race
from gpu.races.race_file import read_race, text_of
from gpu.races.race_standings import LaneRecord
from gpu.run.frames.past import Past
from gpu.run.log.recorded import recorded_of
from gpu.run.log.recorder import Recorder
from gpu.run.log.run_log import read_log
from gpu.run.run import Run
from gpu.run.session import new_session
from gpu.run.stopping import StopSettings
from tests import colonies
from tests.app.conftest import Command, inside, opened
from tests.app.in_window import limit, open_, run_to_the_end, state, use_device
from tests.colonies import some_cities
from tests.hands import choose
from tests.toy.routes import TwoRoutes, TwoRoutesColony
from tests.toy.systems import SYSTEMS

__all__ = ["inside", "opened"]


@pytest.fixture(autouse=True)
def _one_line_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "CATALOG", (*catalog.CATALOG, *SYSTEMS))
    for module, name, value in (
        (gpu.timing.speedup, "RUN_WARMING", 0.0),
        (gpu.timing.comparison, "OPTION_WARMING", 0.0),
        (gpu.timing.comparison, "OPTION_SAMPLE", 0.02),
    ):
        monkeypatch.setattr(module, name, value)


def test_the_command_line_lists_and_solves_with_it(inside: Command, tmp_path: Path) -> None:
    listed = json.loads(inside("colonies", "--json").stdout)
    assert "toy-ants" in [row["name"] for row in listed]
    done = inside(
        "solve", "ring-50", "--colony", "toy", "--device", "cpu:1", "--iterations", "20", "--go-on",
        "--seed", "1", "--set", "deposit=all", "--out", tmp_path, "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert (found["colony"], found["iterations"]) == ("toy-ants", 20)
    assert found["parameters"] == {"ants": 10, "rho": 0.1, "deposit": "all"}
    assert sorted(found["tour"]) == list(range(1, 51))
    wrong = inside("solve", "ring-50", "--colony", "toy", "--device", "cpu:1", "--set", "rho=2")
    assert wrong.returncode == 2
    assert "rho = 2 must be in (0, 1]" in wrong.stderr


def test_its_speedup_is_measured(inside: Command) -> None:
    done = inside(
        "speedup", "ring-50", "--colony", "toy", "--repeats", "1", "--iterations", "2",
        "--budget", "0", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "toy-ants" in done.stdout


def test_its_options_are_compared(inside: Command) -> None:
    done = inside(
        "compare", "ring-50", "--colony", "toy-ants", "--device", "cpu:1", "--repeats", "1",
        "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert {"best", "all"} <= {row["option"] for row in rows if row["group"] == "deposit"}


def test_the_window_solves_with_it(qtbot: QtBot, opened: Application) -> None:
    open_(qtbot, opened)
    use_device(opened, "cpu:1")
    setup = opened.window.setup
    choose(setup.colony.families, "Toy ants")
    assert list(setup.parameters.fields) == ["ants", "rho", "deposit"]
    limit(opened, iterations=15)
    opened.window.setFocus(Qt.FocusReason.OtherFocusReason)
    outcome = run_to_the_end(qtbot, opened)
    assert outcome.state.iteration == 15
    assert state(opened).best_cost == outcome.state.best_cost


def test_solutions_of_another_length_are_recorded_and_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = TwoRoutes.of(some_cities(40))
    name = colonies.install(monkeypatch, TwoRoutesColony)
    session = new_session(instance, colony=name, seed=3, stop=StopSettings(iterations=300))
    recorder = Recorder(tmp_path / "run.jsonl", session, instance, pytest.fail, frames_mb=0.02)
    outcome = Run(instance, session, recorder=recorder).finish()
    best, cost = outcome.state.best_solution, outcome.state.best_cost
    assert best is not None
    assert cost is not None
    assert best.shape == (41,)
    shown = recorded_of(read_log(recorder.path), instance)
    assert not shown.warning
    assert shown.state is not None
    assert np.array_equal(shown.state.best_solution, best)
    past = Past(tmp_path / "run.frames", instance)
    past.refresh()
    assert np.array_equal(past.at(outcome.state.elapsed).state.best_solution, best)
    race = Race((session, session), LaneBudget("iterations", 300), False)
    path = tmp_path / "a.race.json"
    path.write_text(text_of(race, [LaneRecord(cost=cost, solution=best)] * 2, instance))
    for record in read_race(path).with_solutions(instance):
        assert np.array_equal(record.solution, best)
    instance.write(tmp_path / "a.routes", best)
    with pytest.raises(WrongSolutionError, match="has not two routes"):
        instance.checked(best[:-1], cost)
