"""Recorded runs: listed, filtered, and run again."""

from __future__ import annotations

import csv
import json
import signal
from pathlib import Path

import pytest

from gpu.run.log.archive import Archive
from gpu.run.log.names import default_log_folder
from gpu.run.log.rows import Note
from gpu.run.log.run_log import read_log
from tests.app.conftest import Command
from tests.logs import line, outcome, written
from tests.processes import RING, refused, result, started


def test_replay_gives_the_same_result_or_says_that_it_does_not(
    inside: Command, tmp_path: Path
) -> None:
    options = ("--colony", "acs", "--device", "cpu", "--seed", 8, "--iterations", 30, "--go-on",
               "--out", tmp_path)  # fmt: skip
    assert inside("solve", RING, *options).returncode == 0
    log = tmp_path / f"{RING}-acs-gpu-8.jsonl"
    done = inside("replay", log, "--json")
    assert done.returncode == 0, done.stderr
    assert "the same tour as recorded" in done.stderr
    assert result(done)["iterations"] == 30
    lines = log.read_text().splitlines()
    outcome = json.loads(lines[-1])
    outcome["best"] -= 1
    log.write_text("\n".join([*lines[:-1], json.dumps(outcome)]) + "\n")
    done = inside("replay", log)
    assert done.returncode == 1
    assert "must give the same tour for the same seed" in done.stderr
    header = json.loads(lines[0])
    header["session"]["instance"]["sha256"] = "0" * 64
    log.write_text("\n".join([json.dumps(header), *lines[1:]]) + "\n")
    assert "the file has changed" in refused(inside("replay", log))


def test_a_run_that_began_with_the_best_known_tour_is_compared(
    inside: Command, tmp_path: Path
) -> None:
    options = ("--colony", "acs", "--device", "cpu:1", "--seed", 8, "--iterations", 30)
    assert inside("solve", RING, *options, "--out", tmp_path).returncode == 0
    log = tmp_path / f"{RING}-acs-seq-8.jsonl"
    outcome = json.loads(log.read_text().splitlines()[-1])
    assert (outcome["iteration"], outcome["gap_percent"]) == (0, 0.0)
    done = inside("replay", log)
    assert done.returncode == 0, done.stderr
    assert "the same tour as recorded" in done.stderr


def test_a_choice_is_set_recorded_and_repeated(inside: Command, tmp_path: Path) -> None:
    options = ("--device", "cpu:1", "--seed", 8, "--iterations", 10, "--ants", 8, "--go-on")
    arguments = ("solve", RING, "--colony", "as", *options, "--set", "selection=i-roulette")
    done = inside(*arguments, "--out", tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    found = result(done)
    assert found["parameters"]["selection"] == "i-roulette"
    log = tmp_path / f"{RING}-as-seq-8.jsonl"
    assert read_log(log).session.parameters.to_dict()["selection"] == "i-roulette"
    with log.with_suffix(".csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {"choice_info_ms", "construction_ms", "update_ms"} <= set(rows[0])
    again = inside("replay", log, "--json")
    assert again.returncode == 0, again.stderr
    assert result(again)["tour"] == found["tour"]


def test_a_session_with_neither_a_result_nor_a_limit(inside: Command, tmp_path: Path) -> None:
    options = ("--colony", "acs", "--device", "cpu:1", "--no-limit", "--out", tmp_path)
    inside("solve", RING, *options)  # ends at the best known tour
    (log,) = tmp_path.glob("*.jsonl")
    header = json.loads(log.read_text().splitlines()[0])
    session = tmp_path / "session.json"
    session.write_text(json.dumps({**header, "outcome": None}))
    done = inside("replay", session)
    assert done.returncode == 0, done.stderr
    assert f"{session}: its run has no limit: Ctrl-C ends it" in done.stderr
    header["session"]["stop"]["iterations"] = 1
    session.write_text(json.dumps({**header, "outcome": None}))
    assert "no limit" not in inside("replay", session).stderr


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_run_leaves_a_readable_log_that_can_be_replayed(
    inside: Command, tmp_path: Path
) -> None:
    log = tmp_path / f"{RING}-acs-seq-5.jsonl"
    arguments = ("solve", RING, "--colony", "acs", "--device", "cpu:1", "--seed", 5, "--go-on",
                 "--no-limit", "--out", tmp_path)  # fmt: skip
    process = started(*arguments, log=log)
    process.kill()
    process.communicate()
    found = read_log(log)
    assert found.outcome is None
    assert found.session.seed == 5
    # A log may end anywhere in a line.
    log.write_bytes(log.read_bytes() + b'{"kind": "progr')
    done = inside("replay", log)
    assert done.returncode == 0, done.stderr
    assert f"the same length as recorded: {found.last['best']}" in done.stderr


def test_runs_are_listed_and_filtered(inside: Command, tmp_path: Path) -> None:
    done = inside("runs")
    assert (done.returncode, done.stdout) == (0, "")
    assert "no run is recorded here" in done.stderr
    folder = default_log_folder()
    first = written(folder / "a.jsonl", [outcome(9, 120, gap_percent=20.0)], seed=5)
    written(folder / "b.jsonl", [line(2, 150)], seed=6, parameters={"beta": 4})
    (folder / "c.jsonl").write_text("\x1b[31mred")
    Archive([folder]).put(first, Note("best of \x1b[31mMay", starred=True))
    text = inside("runs").stdout
    head, *rows = text.splitlines()
    assert head.split()[:3] == ["STARTED", "INSTANCE", "COLONY"]
    assert len(rows) == 3
    assert "\x1b" not in text
    assert "20.00 %" in text
    (found,) = json.loads(inside("runs", "--json", "starred", "acs-seq").stdout)
    assert found["seed"] == 5
    assert found["best_length"] == 120
    assert found["tours_built"] == 90
    assert found["log"] == str(first)
    assert found["parameters"]["ants"] == 30
    (found,) = json.loads(inside("runs", "--json", "beta", "4", "not ended").stdout)
    assert (found["seed"], found["state"]) == (6, "not ended")
    (found,) = json.loads(inside("runs", "--json", "unreadable").stdout)
    assert found["instance"] is None
    assert "no run has all these words" in inside("runs", "nothing-like-this").stderr
    assert json.loads(inside("runs", "--json", "--folder", tmp_path).stdout) == []
    for name in ("none", "n" * 300):
        assert "there is no such folder" in refused(inside("runs", "--folder", tmp_path / name))
