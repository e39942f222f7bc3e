"""The command solve."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from pytestqt.qtbot import QtBot

from app.cli.picture import draw_result
from app.files.writing import ExportError
from gpu.core.snapshot import RunState
from gpu.cpu.first_tours import nearest_neighbour_tour
from gpu.problems.bundled import bundled
from gpu.problems.tsp.tsplib.tsplib_files import load
from gpu.run.log.run_log import read_log
from gpu.run.outcome import Ending, Result, RunOutcome
from gpu.run.session import new_session
from gpu.run.stopping import StopSettings
from tests.app.conftest import Command
from tests.app.in_window import RING as RING_FILE
from tests.processes import (
    FOLDER,
    INSTANCE,
    RING,
    command,
    environment,
    refused,
    result,
    run,
    started,
)
from tests.waiting import PATIENCE


@pytest.mark.parametrize("device", ["cpu", "cpu:1"])
def test_solve_prints_one_json_object_last(inside: Command, device: str) -> None:
    options = ("--colony", "acs", "--iterations", 20, "--go-on", "--seed", 3, "--ants", 16,
               "--set", "beta=2", "--json")  # fmt: skip
    done = (run if device == "cpu" else inside)("solve", RING, "--device", device, *options)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    found = result(done)
    assert found["instance"] == RING
    assert found["n"] == 50
    assert found["device"] == device
    assert found["seed"] == 3
    assert found["iterations"] == 20
    assert found["tours_built"] == 320
    assert found["parameters"]["ants"] == 16
    assert found["parameters"]["beta"] == 2
    assert found["parameters"]["q0"] == 0.6
    assert found["optimum"] == 5000
    assert found["gap_percent"] == pytest.approx((found["best_length"] - 5000) / 50)
    assert found["seconds"] > 0
    assert found["ending"] == "finished"
    again = result(inside("solve", RING, "--device", device, *options))
    assert again["tour"] == found["tour"]


def test_solve_takes_a_file_and_leaves_log_table_and_tour(inside: Command, tmp_path: Path) -> None:
    path = tmp_path / "my cities.tsp"
    for ending in (".tsp", ".opt.tour"):
        shutil.copyfile(FOLDER / f"{RING}{ending}", path.with_suffix(ending))
    out = tmp_path / "new" / "out"
    arguments = ("solve", path, "--colony", "acs", "--device", "cpu:1", "--target-gap", 5,
                 "--iterations", 500, "--seed", 1, "--out", out)  # fmt: skip
    done = inside(*arguments)
    assert done.returncode == 0, done.stderr
    assert "acs-seq on cpu:1, seed 1" in done.stdout
    assert "finished: the target gap of 5 % is reached" in done.stdout
    names = [f"{RING}-acs-seq-1.{ending}" for ending in ("csv", "frames", "jsonl", "tour")]
    assert sorted(file.name for file in out.iterdir()) == names
    log = read_log(out / names[2])
    tour = INSTANCE.load_solution(out / names[3])
    assert (tour + 1).tolist() == log.outcome["tour"]
    assert INSTANCE.tour_length(tour) == log.outcome["best"] <= 5250
    inside(*arguments)
    assert len(list(out.iterdir())) == 8  # nothing is overwritten


def test_without_out_nothing_is_written(
    inside: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = inside("solve", RING, "--iterations", 2, "--device", "cpu:1")
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []
    assert not any(Path(os.environ["XDG_STATE_HOME"]).iterdir())
    assert not any(Path(os.environ["XDG_DATA_HOME"]).iterdir())


def test_local_search_is_a_parameter_with_an_option_of_its_own(inside: Command) -> None:
    options = ("--colony", "mmas", "--device", "cpu:1", "--ants", 4, "--iterations", 3, "--json")
    kind = "2opt+oropt"
    short = result(inside("solve", RING, "--seed", 3, *options, "--local-search", kind))
    assert short["colony"] == "mmas-seq"
    assert short["parameters"]["local_search"] == kind
    assert short["best_length"] == short["optimum"]
    long = result(inside("solve", RING, "--seed", 3, *options, "--set", f"local_search={kind}"))
    assert long["tour"] == short["tour"]


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("selection=by-lot", "selection = 'by-lot' must be one of roulette, stc-roulette"),
        ("selection=auto", "selection must be set; it must be one of roulette"),
        ("update=gather", "no parameter 'update'"),
    ],
)
def test_a_choice_that_there_is_not_is_refused(inside: Command, setting: str, said: str) -> None:
    arguments = ("solve", RING, "--colony", "as", "--device", "cpu:1", "--set", setting)
    assert said in refused(inside(*arguments))


def test_a_missing_gpu_is_said_once_where_auto_falls_back(inside: Command) -> None:
    from gpu.core.machine.devices import survey

    reason = survey().without_cuda
    if not reason:
        pytest.skip("there is a GPU")
    done = inside("solve", RING, "--colony", "acs", "--iterations", 1, "--json")
    assert done.returncode == 0
    assert done.stderr == f"formicarium: no GPU: {reason}; solving on cpu\n"
    options = ("--colony", "acs", "--device", "cpu", "--iterations", 1)
    assert inside("solve", RING, *options).stderr == ""


def test_the_first_line_says_what_an_aim_chose_and_why(inside: Command) -> None:
    done = inside("solve", RING, "--device", "cpu", "--seconds", 60, "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr == (
        "formicarium: mmas-cores with ants 32, deposit schedule, restart 250, "
        "candidates 32, local_search 2opt+oropt: it was the best colony in runs on 4 "
        "cores with instances of up to 200 cities (--aim or --colony chooses another)\n"
    )
    found = result(done)
    assert (found["aim"], found["colony"]) == ("best", "mmas-cores")
    assert found["gap_percent"] == 0
    assert found["reason"] == "it found the best known length"
    assert found["seconds"] < 60
    options = ("--aim", "paper", "--device", "cpu:1", "--iterations", 3, "--go-on", "--json")
    done = inside("solve", RING, *options)
    assert done.stderr.startswith("formicarium: acs-seq: it has the defaults of its paper")
    assert (result(done)["aim"], result(done)["iterations"]) == ("paper", 3)


def test_without_a_limit_a_run_ends_by_itself(inside: Command, tmp_path: Path) -> None:
    table = tmp_path / "places.csv"
    table.write_text("x,y\n0,0\n3,0\n0,4\n")
    done = inside("solve", table, "--colony", "acs", "--device", "cpu:1", "--json")
    assert done.returncode == 0
    assert "no limit is given: the run ends after 3 s (--seconds chooses another" in done.stderr
    assert json.loads(done.stdout)["reason"] == "the time limit of 3 s is reached"
    done = inside("solve", table, "--colony", "acs", "--device", "cpu:1", "--iterations", 2)
    assert "no limit" not in done.stderr
    done = inside("solve", table, "--no-limit", "--seconds", 3)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--no-limit is a run without --seconds: leave one of them out" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run_with_its_best_tour(tmp_path: Path, number: int) -> None:
    arguments = ("solve", RING, "--colony", "acs", "--device", "cpu:1", "--seed", 1, "--go-on",
                 "--no-limit", "--json", "--out", tmp_path)  # fmt: skip
    log = tmp_path / f"{RING}-acs-seq-1.jsonl"
    process = started(*arguments, log=log)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 128 + number
    assert stderr == ""
    found = json.loads(stdout)
    assert found["ending"] == "cancelled"
    outcome = read_log(log).outcome
    assert outcome["tour"] == found["tour"]
    assert outcome["iteration"] == found["iterations"]
    assert INSTANCE.tour_length(np.array(found["tour"]) - 1) == found["best_length"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_a_full_disk_is_said_once_and_the_run_goes_on(tmp_path: Path) -> None:
    arguments = ("solve", RING, "--colony", "acs", "--device", "cpu:1", "--seconds", 3, "--go-on",
                 "--seed", 1, "--ants", 1)  # fmt: skip
    whole = command(*arguments, "--no-improvement", 10**9, "--out", tmp_path, "--json")
    done = subprocess.run(
        ["bash", "-c", 'ulimit -f 2; exec "$@"', "bash", *whole],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    assert done.returncode == 1  # a file is not whole
    of_log, of_past = sorted(done.stderr.splitlines(), key=lambda line: "past" in line)
    assert "the run's log cannot be written" in of_log
    assert "the run goes on without it" in of_log
    assert "the past of the run is not recorded" in of_past
    assert result(done)["seconds"] >= 3
    log = read_log(tmp_path / f"{RING}-acs-seq-1.jsonl")
    assert log.records
    assert log.outcome is None
    assert INSTANCE.load_solution(tmp_path / f"{RING}-acs-seq-1.tour") is not None


@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_a_closed_stream_is_no_error(closed: str) -> None:
    options = ("--colony", "acs", "--device", "cpu:1")
    line = shlex.join(command("solve", RING, *options, "--iterations", 1)) + f" {closed}"
    done = subprocess.run(
        ["sh", "-c", line], check=False, timeout=PATIENCE, capture_output=True, env=environment()
    )
    assert done.returncode == 0, done.stderr


def test_a_terminal_shows_the_progress_on_one_line() -> None:
    pty: Any = pytest.importorskip("pty", reason="needs a pseudo-terminal")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command(
            "solve", RING, "--colony", "acs", "--device", "cpu:1", "--seconds", "0.6", "--go-on"
        ),
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=environment(),
    )
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # Linux says so at the end
        while part := os.read(ours, 4096):
            shown += part
    process.communicate()
    os.close(ours)
    assert process.returncode == 0
    assert b"\n" not in shown
    assert b"building the colony" in shown
    assert b"% done" in shown
    assert b"gap" in shown
    assert shown.endswith(b"\r\x1b[K")


def test_files_are_written_before_anything_is_printed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = ("--colony", "acs", "--device", "cpu:1", "--iterations", 5, "--seed", 1)
    arguments = ("solve", RING, *options, "--out", out)
    process = subprocess.Popen(
        command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=PATIENCE) == 1
    assert sorted(file.suffix for file in out.iterdir()) == [".csv", ".frames", ".jsonl", ".tour"]


def test_a_file_that_cannot_be_written_is_named_and_status_1(
    inside: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(path: Path, *_: object) -> None:
        raise ExportError(f"{path}: cannot be written (the disk is full)")

    monkeypatch.setattr("app.files.exports.export_solution", full)
    options = ("--colony", "acs", "--device", "cpu:1", "--iterations", 5)
    done = inside("solve", RING, *options, "--out", tmp_path)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert ".tour: cannot be written (the disk is full)" in line
    assert "finished" in done.stdout
    assert sorted(file.suffix for file in tmp_path.iterdir()) == [".csv", ".frames", ".jsonl"]


def test_a_log_that_cannot_be_written_is_status_1(
    inside: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("gpu.run.log.names.free_path", lambda *_: tmp_path / "link.jsonl")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "elsewhere")
    done = inside("solve", RING, "--device", "cpu:1", "--iterations", 5, "--out", tmp_path)
    assert done.returncode == 1
    assert "link.jsonl: the run's log cannot be written" in done.stderr
    assert sorted(file.name for file in tmp_path.iterdir()) == ["link.jsonl", "link.tour"]


NAME = "uniform-1000"


@pytest.fixture
def start(tmp_path: Path) -> Path:
    """The nearest-neighbour tour, from its middle on."""
    instance = load(next(one.path for one in bundled() if one.name == NAME))
    path = tmp_path / "start.tour"
    instance.write(path, np.roll(nearest_neighbour_tour(instance), 500))
    return path


def test_a_run_begins_with_a_given_tour_and_betters_it(
    inside: Command, start: Path, tmp_path: Path
) -> None:
    instance = load(next(one.path for one in bundled() if one.name == NAME))
    usual = instance.tour_length(nearest_neighbour_tour(instance))
    options = ("--start", start, "--colony", "focused", "--device", "cpu:1", "--seed", 2)
    out = tmp_path / "out"
    done = inside("solve", NAME, *options, "--iterations", 3, "--json", "--out", out)
    assert done.returncode == 0, done.stderr
    log = read_log(next(out.glob("*.jsonl")))
    assert log.records[0]["best"] == usual
    assert log.session.start.path == str(start)
    found = json.loads(done.stdout)
    assert found["best_length"] < usual
    other = json.loads(inside("solve", NAME, *options[2:], "--iterations", 3, "--json").stdout)
    assert other["tour"] != found["tour"]
    better = next(out.glob("*.tour"))
    more = json.loads(
        inside("solve", NAME, "--start", better, *options[2:], "--iterations", 1, "--json").stdout
    )
    assert more["best_length"] <= found["best_length"]
    again = inside("replay", log.path)
    assert again.returncode == 0, again.stderr
    start.write_text(start.read_text().replace("COMMENT", "NAME"))
    start.write_text(start.read_text() + "\n")
    assert (
        "the file has changed since the session was recorded" in inside("replay", log.path).stderr
    )


@pytest.mark.parametrize(
    ("colony", "change", "said"),
    [
        ("focused-seq", ("\n7\n", "\n8\n"), "its tour visits city 8 more than once"),
        ("focused-seq", ("\n7\n", "\n"), f"its tour has 999 cities; {NAME} has 1000"),
        ("focused-seq", ("\n7\n", "\n7000\n"), f"{NAME} has no city 7000"),
        ("focused-seq", ("DIMENSION: 1000", "DIMENSION: 9"), "it is a tour of 9 cities"),
        ("focused-seq", ("TOUR_SECTION", "SECTION"), "is no line of a TSPLIB file"),
        ("acs-seq", ("", ""), "acs-seq cannot begin with a given tour: choose focused"),
    ],
)
def test_what_is_no_tour_to_begin_with(
    inside: Command, start: Path, colony: str, change: tuple[str, str], said: str
) -> None:
    text = start.read_text()
    assert change[0] in text
    start.write_text(text.replace(*change))
    options = ("--colony", colony, "--device", "cpu:1", "--iterations", 1)
    assert said in refused(inside("solve", NAME, "--start", start, *options))


def test_without_a_colony_one_is_chosen_that_can_begin_with_a_tour(
    inside: Command, tmp_path: Path
) -> None:
    """A small instance would get another one, which cannot."""
    small = "uniform-100"
    options = ("--device", "cpu:1", "--seed", 1, "--iterations", 1, "--json")
    first = inside("solve", small, *options, "--colony", "acs-seq", "--out", tmp_path)
    start = next(tmp_path.glob("*.tour"))
    done = inside("solve", small, "--start", start, *options)
    assert done.returncode == 0, done.stderr
    assert "crossing-seq: " in done.stderr
    found = json.loads(done.stdout)
    assert found["best_length"] <= json.loads(first.stdout)["best_length"]


def test_a_tour_that_is_not_there_and_one_for_a_graph(inside: Command, start: Path) -> None:
    options = ("--colony", "focused-seq", "--device", "cpu:1", "--iterations", 1)
    assert "cannot be read" in refused(inside("solve", NAME, "--start", "none.tour", *options))
    graph = next(one.name for one in bundled() if one.path.suffix == ".col")
    options = ("--colony", "coloring", "--device", "cpu:1", "--iterations", 1)
    assert "cannot begin with a given coloring: choose gpx or head" in refused(
        inside("solve", graph, "--start", start, *options)
    )


@pytest.fixture
def log(tmp_path: Path, inside: Command) -> Path:
    """The log of a short run, recorded."""
    options = ("--colony", "acs", "--device", "cpu:1", "--seed", 1, "--iterations", 20, "--go-on")
    done = inside("solve", RING, *options, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    return next((tmp_path / "out").glob("*.jsonl"))


def test_a_film_of_two_views(tmp_path: Path, log: Path, inside: Command) -> None:
    out = tmp_path / "film.gif"
    length = ("--seconds", 0.5, "--fps", 4, "--size", "400x200", "--theme", "light")
    done = run("film", log, "--out", out, *length, "--view", "tour", "--view", "convergence")
    assert done.returncode == 0, done.stderr
    assert "2 frames" in done.stdout
    with Image.open(out) as film:
        assert film.size == (400, 200)
        film.seek(1)
        colours = film.convert("RGB").getcolors(1 << 16)
    assert len(colours) > 20  # lines, dots and words, not an empty ground
    for options, why in (
        (("--size", "400"), "a size is width x height"),
        (("--out", tmp_path / "film.avi"), "an .mp4 or a .gif"),
        (("--seconds", 0), "more than 0"),
    ):
        refused = inside("film", log, "--out", out, *options)
        assert refused.returncode == 2
        assert why in refused.stderr
    log.with_suffix(".frames").unlink()
    refused = inside("film", log, "--out", out)
    assert refused.returncode == 2
    assert "nothing of the run's past is recorded" in refused.stderr


def test_a_tour_is_drawn(qtbot: QtBot, tmp_path: Path) -> None:
    instance = load(RING_FILE)
    stop = StopSettings(iterations=1)
    session = new_session(instance, colony="as-seq", device="cpu:1", seed=3, stop=stop)
    cost = instance.tour_length(instance.optimal_tour)
    state = RunState(1, 4, cost, 1, cost, float(cost), instance.optimal_tour)
    result = Result.of(instance, session, RunOutcome(Ending.FINISHED, "done", state))
    draw_result(tmp_path / "a.svg", result)
    text = (tmp_path / "a.svg").read_text("utf-8")
    assert "ring-50  ·  " in text
    assert "seed 3" in text
    assert text.count("<polyline") + text.count("<line") + text.count("<path") > 50
    draw_result(tmp_path / "a.pdf", result)
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
