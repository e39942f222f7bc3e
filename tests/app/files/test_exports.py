from __future__ import annotations

import csv
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from app.files.exports import export_csv, export_log, export_session, export_solution
from app.files.writing import ExportError, write_whole
from gpu.core.snapshot import RunState
from gpu.core.tables import csv_text
from gpu.core.words import shown
from gpu.problems.bundled import bundled
from gpu.problems.tsp.tsplib.tsplib_files import load
from gpu.run.log.recorder import Recorder, header, outcome_line
from gpu.run.log.run_log import read_log
from gpu.run.outcome import Ending, RunOutcome
from gpu.run.session import new_session
from tests.colonies import progress_of
from tests.logs import line, written
from tests.systems import make_pipe

pytestmark = pytest.mark.usefixtures("windows_files")

ROOT = Path(__file__).parents[3]
INSTANCE = load(bundled()[0].path)
SESSION = new_session(INSTANCE, colony="acs-seq", seed=9)
HEADER = header(SESSION, INSTANCE)
TOUR = np.random.default_rng(1).permutation(INSTANCE.n).astype(np.int32)
LENGTH = INSTANCE.tour_length(TOUR)
STATE = RunState(
    3,
    90,
    LENGTH,
    2,
    LENGTH,
    float(LENGTH),
    best_solution=TOUR,
    phases={"update": 0.5},
    progress=progress_of(3, 0.2, LENGTH, LENGTH + 0.5, [(2, LENGTH)]),
)
OUTCOME = RunOutcome(Ending.FINISHED, "done, at last", STATE)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "run.jsonl"
    recorder = Recorder(path, SESSION, INSTANCE, pytest.fail)
    recorder.record(STATE)
    recorder.finish(OUTCOME)
    return path


def test_a_pipe_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    make_pipe(pipe)
    with pytest.raises(ExportError, match="device or a pipe"):
        write_whole(pipe, lambda part: part.write_text("all"))
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.mark.parametrize("text", ["=1+1+cmd|calc", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"])
def test_no_cell_of_a_table_is_run_by_a_spreadsheet(text: str) -> None:
    (row,) = csv.reader(csv_text([text], []).splitlines(True))
    assert row == [f"'{shown(text)}".replace("\n", " ")]
    assert csv_text(["u1060"], [[5], [-1.5], [None, 1]]) == "u1060\n5\n-1.5\n,1\n"


def test_a_tour_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "best.tour"
    export_solution(path, INSTANCE, TOUR, "by hand")
    assert np.array_equal(INSTANCE.load_solution(path), TOUR)
    assert "by hand" in path.read_text()
    assert list(tmp_path.iterdir()) == [path]


def test_a_log_is_copied(tmp_path: Path, log: Path) -> None:
    export_log(tmp_path / "copy.jsonl", log)
    assert (tmp_path / "copy.jsonl").read_bytes() == log.read_bytes()
    assert not (tmp_path / "copy.frames").exists()
    log.with_suffix(".frames").write_bytes(b"the past of the run")
    export_log(tmp_path / "copy.jsonl", log)
    assert (tmp_path / "copy.frames").read_bytes() == b"the past of the run"


def test_the_numbers_become_a_table(tmp_path: Path, log: Path) -> None:
    path = tmp_path / "run.csv"
    export_csv(path, read_log(log))
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["kind"] for row in rows] == ["improvement", "progress", "outcome"]
    assert [row["update_ms"] for row in rows] == ["", "0.5", "0.5"]
    assert [row["iterations"] for row in rows] == ["", "1", ""]
    assert [row["iteration_mean"] for row in rows] == [*[str(LENGTH + 0.5)] * 2, ""]
    for row in rows:
        assert row["best"] == str(LENGTH)
        assert row["local_hits"] == ""
        assert None not in row


def test_a_session_file_is_json_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    export_session(path, HEADER)
    assert json.loads(path.read_text())["outcome"] is None
    assert read_log(path).session == SESSION
    assert read_log(path).last is None
    export_session(path, HEADER, outcome_line(INSTANCE, OUTCOME))
    log = read_log(path)
    assert log.outcome["tour"] == (TOUR + 1).tolist()
    assert log.outcome["iteration"] == 3


def test_a_session_with_an_infinite_number_is_not_written(tmp_path: Path) -> None:
    for first in ({**HEADER, "device": {"memory": math.inf}}, {**HEADER, "n": math.nan}):
        with pytest.raises(ExportError, match="a number in the log is infinite"):
            export_session(tmp_path / "session.json", first)
    assert list(tmp_path.iterdir()) == []


def test_the_table_of_a_log_runs_nothing_and_can_be_written(tmp_path: Path) -> None:
    odd = line(1, 100, phases_ms={"=1+1": 2.0, "half a character \ud800": "=2+2"})
    path = tmp_path / "run.csv"
    export_csv(path, read_log(written(tmp_path / "run.jsonl", [odd])))
    header, row = csv.reader(path.read_text("utf-8").splitlines())
    assert header[-2:] == ["'=1+1_ms", r"half_a_character_\ud800_ms"]
    assert row[-2:] == ["2.0", "'=2+2"]


def test_a_name_that_is_a_folder_is_refused() -> None:
    for name in ("", ".", "/"):
        with pytest.raises(ExportError, match="it is a folder; name a file in it"):
            export_solution(Path(name), INSTANCE, TOUR)


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("taken/file.tour", "cannot be written ({}/taken is no folder); "),
        ("taken/new/file.tour", "cannot be written (Not a directory); "),
        ("folder", "cannot be written (Is a directory); "),
    ],
)
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, place: str, why: str) -> None:
    (tmp_path / "taken").touch()
    (tmp_path / "folder").mkdir()
    path = tmp_path / place
    with pytest.raises(ExportError) as refused:
        export_solution(path, INSTANCE, TOUR)
    assert str(refused.value) == f"{path}: {why.format(tmp_path)}choose another place"
    assert "\n" not in str(refused.value)
    assert sorted(left.name for left in tmp_path.rglob("*")) == ["folder", "taken"]


def test_a_failure_leaves_the_old_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_text("old")

    def half(part: Path) -> None:
        part.write_text("ne")
        raise OSError(28, "No space left on device", str(part))

    with pytest.raises(ExportError, match=r"old: cannot be written \(the disk is full\)"):
        write_whole(path, half)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("folder", [False, True])
def test_what_a_killed_process_has_left_is_removed_and_nothing_else(
    tmp_path: Path, folder: bool
) -> None:
    program = f"""
import os
from pathlib import Path
from app.files.writing import write_whole

def half(part):
    if {folder}:
        part.mkdir()
        part = part / "1.png"
    part.write_text("ha")
    os._exit(9)

write_whole(Path({str(tmp_path / "best.tour")!r}), half)
"""
    killed = subprocess.run([sys.executable, "-c", program], check=False, cwd=ROOT)
    assert killed.returncode == 9
    (left,) = tmp_path.iterdir()
    assert left.suffix == ".part"
    number = left.name.split("-")[2]
    elsewhere = left.with_name(re.sub("formicarium-[0-9a-f]{8}", "formicarium-00000000", left.name))
    of_a_namesake = left.with_name(left.name.replace(f"-{number}-", f"-{os.getpid()}-"))
    alive = left.with_name(left.name.replace(f"-{number}-", f"-{os.getppid()}-"))
    theirs = [tmp_path / name for name in (".best.tour.999999.part", "a.part", ".formicarium.part")]
    for one in (elsewhere, of_a_namesake, alive, *theirs):
        one.touch()
    new = tmp_path / "new"
    write_whole(new, lambda part: part.write_text("all"))
    assert set(tmp_path.iterdir()) == {new, elsewhere, alive, *theirs}


def test_two_files_are_written_at_once(tmp_path: Path) -> None:
    def outer(part: Path) -> None:
        part.write_text("outer")
        write_whole(tmp_path / "inner", lambda part: part.write_text("inner"))

    write_whole(tmp_path / ("n" * 250), outer)  # the longest of names too
    assert sorted(one.read_text() for one in tmp_path.iterdir()) == ["inner", "outer"]
