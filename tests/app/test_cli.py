"""The command line as a process, as users and scripts run it."""

from __future__ import annotations

import csv
import json
import os
import pty
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import app
from app.cli import main
from app.run_log import read_log
from gpu.instances import load, load_tour
from gpu.instances.bundled import bundled
from tests.app.processes import command, environment, refused, run, start

RING = "ring-50"
FOLDER = bundled()[0].path.parent
INSTANCE = load(FOLDER / f"{RING}.tsp")


def result(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The JSON object that was printed last, checked against the instance."""
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    tour = np.array(found["tour"]) - 1
    assert sorted(tour) == list(range(INSTANCE.n))
    assert INSTANCE.tour_length(tour) == found["best_length"]
    return found


def started(*arguments: object, log: Path) -> subprocess.Popen[str]:
    """Start a run, and wait until its log has lines of progress."""
    process = start(*arguments)
    deadline = time.monotonic() + 90
    while not log.exists() or log.read_text().count("\n") < 3:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return process


def test_the_version_is_quick_and_imports_nothing_heavy() -> None:
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        done = run("--version")
        times.append(time.perf_counter() - begin)
    assert done.stdout == f"formicarium {app.__version__}\n"
    assert min(times) < 0.3
    code = "import sys, app.cli; print([name for name in sys.modules if name in sys.argv])"
    heavy = ["numpy", "numba", "scipy", "PySide6", "tsplib95", "cupy"]
    done = subprocess.run(
        [sys.executable, "-c", code, *heavy], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_local_search_is_a_parameter_with_an_option_of_its_own() -> None:
    options = ("--colony", "mmas", "--device", "cpu:1", "--ants", 4, "--iterations", 3, "--json")
    kind = "2opt+oropt"
    short = result(run("solve", RING, "--seed", 3, *options, "--local-search", kind))
    assert short["colony"] == "mmas-seq"
    assert short["parameters"]["local_search"] == kind
    assert short["best_length"] == short["optimum"]
    long = result(run("solve", RING, "--seed", 3, *options, "--set", f"local_search={kind}"))
    assert long["tour"] == short["tour"]


@pytest.mark.parametrize("device", ["cpu", "cpu:1"])
def test_solve_prints_one_json_object_last(device: str) -> None:
    options = ("--iterations", 20, "--seed", 3, "--ants", 16, "--set", "beta=2", "--json")
    done = run("solve", RING, "--device", device, *options)
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
    again = result(run("solve", RING, "--device", device, *options))
    assert again["tour"] == found["tour"]


def test_solve_takes_a_file_and_leaves_log_table_and_tour(tmp_path: Path) -> None:
    path = tmp_path / "my cities.tsp"
    for ending in (".tsp", ".opt.tour"):
        shutil.copyfile(FOLDER / f"{RING}{ending}", path.with_suffix(ending))
    out = tmp_path / "new" / "out"
    arguments = ("solve", path, "--target-gap", 5, "--iterations", 500, "--seed", 1, "--out", out)
    done = run(*arguments, "--device", "cpu:1")
    assert done.returncode == 0, done.stderr
    assert "acs-seq on cpu:1, seed 1" in done.stdout
    assert "finished: the target gap of 5 % is reached" in done.stdout
    names = [f"{RING}-acs-seq-1.{ending}" for ending in ("csv", "jsonl", "tour")]
    assert sorted(file.name for file in out.iterdir()) == names
    log = read_log(out / names[1])
    assert log.outcome is not None
    tour = load_tour(out / names[2], INSTANCE)
    assert (tour + 1).tolist() == log.outcome["tour"]
    assert INSTANCE.tour_length(tour) == log.outcome["best"] <= 5250
    run(*arguments, "--device", "cpu:1")
    assert len(list(out.iterdir())) == 6  # nothing is overwritten


def test_without_out_nothing_is_written(tmp_path: Path) -> None:
    done = run("solve", RING, "--iterations", 2, "--device", "cpu:1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []
    assert not any(Path(os.environ["XDG_STATE_HOME"]).iterdir())
    assert not any(Path(os.environ["XDG_DATA_HOME"]).iterdir())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["solve", "none.tsp"], "none.tsp: there is no such file"),
        (["solve", "eil51.tsp"], "formicarium download eil51 fetches it"),
        (["eil51"], "formicarium download eil51 fetches it"),
        (["solve", "."], ".: "),
        (["solve", "odd.tsp"], "odd.tsp: "),
        (["solve"], "Missing argument 'FILE'"),
        (["solve", RING, "--colony", "beetles"], "no colony 'beetles'"),
        (["solve", RING, "--device", "abacus"], "no device 'abacus'"),
        (["solve", RING, "--colony", "acs-seq", "--device", "cpu"], "not on cpu"),
        (["solve", RING, "--iterations", "0"], "iterations = 0 must be greater than 0"),
        (["solve", RING, "--iterations", "many"], "'many' is not a valid integer"),
        (["solve", RING, "--seconds", "nan"], "seconds = nan is not a finite number"),
        (["solve", RING, "--seed", "-1"], "seed = -1 must be at least 0"),
        (["solve", RING, "--ants", "0"], "ants = 0 must be in [1, 1000000]"),
        (["solve", RING, "--set", "beta"], "--set beta: write it as NAME=VALUE"),
        (["solve", RING, "--set", "gamma=1"], "no parameter 'gamma'"),
        (["solve", RING, "--ants", "5", "--set", "ants=6"], "ants is given twice"),
        (["solve", RING, "--set", "beta=x"], "beta = 'x' is not a number"),
        (
            ["solve", RING, "--colony", "mmas", "--device", "cpu", "--local-search", "3opt"],
            "local_search = '3opt' must be one of none, 2opt",
        ),
        (["solve", "uniform-100", "--target-gap", "1"], "uniform-100 has none"),
        (["solve", RING, "--colony", "acs-sqe"], "did you mean acs-seq"),
        (["solve", RING, "--out", ""], "name a folder"),
        (["demo", "--out", ""], "name a folder"),
        (["solve", RING, "--out", "odd.tsp"], "'odd.tsp' is a file"),
        (["solve", RING, "--out", "odd.tsp/out"], "odd.tsp/out: cannot be made"),
        (["solve", RING, "--nonsense"], "No such option"),
        (["frobnicate"], "frobnicate: there is no such file, bundled instance or command"),
        ([RING], "there is no display"),
        ([], "there is no display"),
        (["replay", "none.jsonl"], "none.jsonl: No such file"),
        (["replay", "odd.tsp"], "odd.tsp: "),
        (["download", "atlantis"], "atlantis: no checksum is known"),
        (["download", "eil51", "--from", "http://127.0.0.1:9"], "cannot be downloaded"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    (tmp_path / "odd.tsp").write_text("NAME: odd\nTYPE: TSP\nEDGE_WEIGHT_TYPE: SPECIAL\n")
    monkeypatch.chdir(tmp_path)
    for name in set(os.environ) - set(environment()):
        monkeypatch.delenv(name)
    monkeypatch.setattr(sys, "argv", ["formicarium", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    stdout, stderr = capsys.readouterr()
    line = refused(
        subprocess.CompletedProcess(arguments, int(left.value.code or 0), stdout, stderr)
    )
    assert said in line


def test_a_bad_file_is_one_line_and_status_2_for_a_process_too(tmp_path: Path) -> None:
    path = tmp_path / "odd.tsp"
    path.write_text("NAME: odd\nTYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: SPECIAL\n")
    assert f"{path}: " in refused(run("solve", path))


def test_a_missing_gpu_is_said_once_where_auto_falls_back() -> None:
    from gpu.devices import survey

    reason = survey().without_cuda
    if not reason:
        pytest.skip("there is a GPU")
    done = run("solve", RING, "--iterations", 1, "--json")
    assert done.returncode == 0
    assert done.stderr == f"formicarium: no GPU: {reason}; solving on cpu\n"
    assert run("solve", RING, "--iterations", 1, "--device", "cpu").stderr == ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run_with_its_best_tour(tmp_path: Path, number: int) -> None:
    arguments = ("solve", RING, "--device", "cpu:1", "--seed", 1, "--json", "--out", tmp_path)
    log = tmp_path / f"{RING}-acs-seq-1.jsonl"
    process = started(*arguments, log=log)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert stderr == ""
    found = json.loads(stdout)
    assert found["ending"] == "cancelled"
    outcome = read_log(log).outcome
    assert outcome is not None
    assert outcome["tour"] == found["tour"]
    assert outcome["iteration"] == found["iterations"]
    assert INSTANCE.tour_length(np.array(found["tour"]) - 1) == found["best_length"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_run_leaves_a_readable_log_that_can_be_replayed(tmp_path: Path) -> None:
    log = tmp_path / f"{RING}-acs-seq-5.jsonl"
    arguments = ("solve", RING, "--device", "cpu:1", "--seed", 5, "--out", tmp_path)
    process = started(*arguments, log=log)
    process.kill()
    process.communicate()
    found = read_log(log)
    assert found.outcome is None
    assert found.session.seed == 5
    assert found.last is not None
    # A log may end anywhere in a line.
    log.write_bytes(log.read_bytes() + b'{"kind": "progr')
    done = run("replay", log)
    assert done.returncode == 0, done.stderr
    assert f"the same length as recorded: {found.last['best']}" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_a_full_disk_is_said_once_and_the_run_goes_on(tmp_path: Path) -> None:
    arguments = ("solve", RING, "--device", "cpu:1", "--seconds", 3, "--seed", 1, "--ants", 1)
    whole = command(*arguments, "--no-improvement", 10**9, "--out", tmp_path, "--json")
    done = subprocess.run(
        ["bash", "-c", 'ulimit -f 4; exec "$@"', "bash", *whole],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert "the run's log cannot be written" in line
    assert "the run goes on without it" in line
    assert result(done)["seconds"] >= 3
    log = read_log(tmp_path / f"{RING}-acs-seq-1.jsonl")
    assert log.records
    assert log.outcome is None
    assert load_tour(tmp_path / f"{RING}-acs-seq-1.tour", INSTANCE) is not None


def test_replay_gives_the_same_result_or_says_that_it_does_not(tmp_path: Path) -> None:
    options = ("--device", "cpu", "--seed", 8, "--iterations", 30, "--out", tmp_path)
    assert run("solve", RING, *options).returncode == 0
    log = tmp_path / f"{RING}-acs-gpu-8.jsonl"
    done = run("replay", log, "--json")
    assert done.returncode == 0, done.stderr
    assert "the same tour as recorded" in done.stderr
    assert result(done)["iterations"] == 30
    lines = log.read_text().splitlines()
    outcome = json.loads(lines[-1])
    outcome["best"] -= 1
    log.write_text("\n".join([*lines[:-1], json.dumps(outcome)]) + "\n")
    done = run("replay", log)
    assert done.returncode == 1
    assert "must give the same tour for the same seed" in done.stderr
    header = json.loads(lines[0])
    header["session"]["instance"]["sha256"] = "0" * 64
    log.write_text("\n".join([json.dumps(header), *lines[1:]]) + "\n")
    assert "the file has changed" in refused(run("replay", log))


def test_a_choice_is_set_recorded_and_repeated(tmp_path: Path) -> None:
    options = ("--device", "cpu:1", "--seed", 8, "--iterations", 10, "--ants", 8)
    arguments = ("solve", RING, "--colony", "as", *options, "--set", "selection=i-roulette")
    done = run(*arguments, "--out", tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    found = result(done)
    assert found["parameters"]["selection"] == "i-roulette"
    log = tmp_path / f"{RING}-as-seq-8.jsonl"
    assert read_log(log).session.parameters.to_dict()["selection"] == "i-roulette"
    with log.with_suffix(".csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {"choice_info_ms", "construction_ms", "update_ms"} <= set(rows[0])
    again = run("replay", log, "--json")
    assert again.returncode == 0, again.stderr
    assert result(again)["tour"] == found["tour"]


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("selection=by-lot", "selection = 'by-lot' must be one of roulette, stc-roulette"),
        ("selection=auto", "selection must be set; it must be one of roulette"),
        ("update=gather", "no parameter 'update'"),
    ],
)
def test_a_choice_that_there_is_not_is_refused(setting: str, said: str) -> None:
    arguments = ("solve", RING, "--colony", "as", "--device", "cpu:1", "--set", setting)
    assert said in refused(run(*arguments))


def test_the_lists_can_be_read_by_programs_and_people() -> None:
    colonies = json.loads(run("colonies", "--json").stdout)
    row = next(row for row in colonies if row["name"] == "as-seq")
    options = {one["name"]: one["options"] for one in row["parameters"]}
    assert list(options["selection"])[:3] == ["roulette", "stc-roulette", "i-roulette"]
    assert options["ants"] is None
    assert "  stc-roulette: roulette wheel over the tour list" in run("colonies").stdout
    assert [row["name"] for row in colonies][:2] == ["acs-gpu-alt", "acs-gpu-spm"]
    assert {row["name"] for row in colonies[1]["parameters"]} >= {"memory", "q0", "beta"}
    devices = json.loads(run("devices", "--json").stdout)
    assert [row["name"] for row in devices["devices"]][-2:] == ["cpu", "cpu:1"]
    instances = json.loads(run("instances", "--json").stdout)
    row = next(row for row in instances["bundled"] if row["name"] == RING)
    assert (row["n"], row["optimum"], row["problem"]) == (INSTANCE.n, 5000, "tsp")
    assert load(Path(row["path"])).n == INSTANCE.n
    assert instances["downloaded"] == []
    for name, word in [
        ("colonies", "acs-gpu-spm"),
        ("devices", "cpu:1"),
        ("instances", RING),
        ("download", "berlin52"),
        ("--help", "solve"),
    ]:
        done = run(name)
        assert done.returncode == 0
        assert word in done.stdout


@pytest.mark.parametrize("width", [80, 140])
def test_lists_for_people_are_as_wide_as_the_terminal(width: int) -> None:
    from app import report

    for text_of in (report.colonies_text, report.instances_text):
        lines = text_of(width).splitlines()
        assert max(map(len, lines)) <= width
        assert len(lines) < len(text_of(70).splitlines())


@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_a_closed_stream_is_no_error(closed: str) -> None:
    line = shlex.join(command("solve", "ring-50", "--iterations", 1)) + f" {closed}"
    done = subprocess.run(
        ["sh", "-c", line], check=False, timeout=100, capture_output=True, env=environment()
    )
    assert done.returncode == 0, done.stderr


def test_a_reader_that_leaves_is_no_error() -> None:
    process = subprocess.Popen(
        command("colonies", "--json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.wait(timeout=60)
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_shows_the_progress_on_one_line() -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command("solve", RING, "--device", "cpu:1", "--seconds", "0.6"),
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=environment(),
    )
    os.close(theirs)
    shown = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                shown += os.read(ours, 4096)
            except OSError:  # Linux says so at the end
                break
    process.communicate()
    os.close(ours)
    assert process.returncode == 0
    assert b"\n" not in shown
    assert b"building the colony" in shown
    assert b"% done" in shown
    assert b"gap" in shown
    assert shown.endswith(b"\r\x1b[K")
