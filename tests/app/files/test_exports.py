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

from app.files.exports import (
    ExportError,
    export_csv,
    export_geojson,
    export_log,
    export_route,
    export_session,
    export_solution,
    write_whole,
)
from gpu.core.snapshot import RunState
from gpu.core.tables import csv_text
from gpu.core.words import shown
from gpu.problems.bundled import bundled
from gpu.problems.tsp.places import load_places
from gpu.problems.tsp.tsplib import load
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
from app.files.exports import write_whole

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


CITIES = load_places(
    "c.csv",
    b'name,lat,lon\n=1+1,52.52,13.405\n"Rome, Italy",41.9028,12.4964\nOslo,59.91,10.75\n',
)
ROUTE = np.array([2, 0, 1])


def test_a_table_has_a_row_for_each_stop(tmp_path: Path) -> None:
    path = tmp_path / "route.csv"
    export_route(path, CITIES, ROUTE)
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [*rows[0]] == ["order", "city", "name", "latitude", "longitude", "leg_length"]
    assert [row["name"] for row in rows] == ["Oslo", "'=1+1", "Rome, Italy"]
    assert (rows[0]["latitude"], rows[0]["longitude"]) == ("59.91", "10.75")
    assert sum(int(row["leg_length"]) for row in rows) == CITIES.tour_length(ROUTE)
    again = load_places(path, path.read_bytes())  # what was written can be read
    assert again.geographic
    assert again.names[0] == "Oslo"


@pytest.mark.parametrize(
    "name", ["Bad\nIschl", "Bad\r\nIschl", "Bad\tIschl", 'a "b"; c, d', "\x07"]
)
def test_every_row_is_a_line_whatever_a_place_is_called(tmp_path: Path, name: str) -> None:
    path = tmp_path / "bad\nname.csv"
    quoted = name.replace('"', '""')
    table = f'name,lat,lon\nRome,41.9,12.5\n"{quoted}",47.7,13.6\nOslo,59.9,10.7\n'
    cities = load_places(path, table.encode())
    export_route(tmp_path / "route.csv", cities, ROUTE)
    assert len((tmp_path / "route.csv").read_bytes().splitlines()) == 4
    export_geojson(tmp_path / "route.geojson", cities, ROUTE)
    places = json.loads((tmp_path / "route.geojson").read_text("utf-8"))["features"][1:]
    with (tmp_path / "route.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == [one["properties"]["name"] for one in places]
    assert "\n" not in rows[2]["name"]
    cities.write(tmp_path / "best.tour", ROUTE)
    assert np.array_equal(cities.load_solution(tmp_path / "best.tour"), ROUTE)
    assert (tmp_path / "best.tour").read_text().splitlines()[0] == "NAME: bad name.tour"


def test_the_table_of_any_other_instance(tmp_path: Path) -> None:
    grid = load(next(one.path for one in bundled() if one.name == "grid-100"))
    export_route(tmp_path / "grid.csv", grid, np.arange(100))
    lines = (tmp_path / "grid.csv").read_text().splitlines()
    assert lines[0] == "order,city,x,y,leg_length"
    x, y = grid.display[0]
    assert lines[1].startswith(f"1,1,{x},{y},")
    with pytest.raises(ExportError, match="no places on the globe; export CSV instead"):
        export_geojson(tmp_path / "grid.geojson", grid, np.arange(100))
    assert not (tmp_path / "grid.geojson").exists()


def test_geojson_has_a_closed_line_and_its_places(tmp_path: Path) -> None:
    path = tmp_path / "route.geojson"
    export_geojson(path, CITIES, ROUTE)
    whole = json.loads(path.read_text("utf-8"))
    assert whole["type"] == "FeatureCollection"
    line, *places = whole["features"]
    assert line["geometry"]["type"] == "LineString"
    assert line["geometry"]["coordinates"][0] == [10.75, 59.91]  # the longitude comes first
    assert line["geometry"]["coordinates"][0] == line["geometry"]["coordinates"][-1]
    assert len(line["geometry"]["coordinates"]) == 4
    length = CITIES.tour_length(ROUTE)
    assert line["properties"] == {"name": "c", "length": length, "unit": "km"}
    assert [one["properties"]["name"] for one in places] == ["Oslo", "=1+1", "Rome, Italy"]
    assert [one["properties"]["order"] for one in places] == [1, 2, 3]


@pytest.mark.parametrize(
    ("places", "parts"),
    [
        (  # Suva, Apia and Auckland: 178.4, -171.8 and 174.8 degrees
            [(-18, 178), (-14, -172), (-37, 175)],
            [
                [[178, -18], [180, -17.2]],
                [[-180, -17.2], [-172, -14], [-180, pytest.approx(-28.153846)]],
                [[180, pytest.approx(-28.153846)], [175, -37], [178, -18]],
            ],
        ),
        (  # places on the meridian itself
            [(0, 180), (10, -170), (20, -180)],
            [[[-180, 0], [-170, 10], [-180, 20]], [[180, 20], [180, 0]]],
        ),
        (
            [(0, -180), (10, 180), (20, 180)],
            [[[180, 0], [180, 10], [180, 20]], [[-180, 20], [-180, 0]]],
        ),
    ],
)
def test_a_line_is_cut_where_it_crosses_the_date_line(
    tmp_path: Path, places: list[tuple[float, float]], parts: list[list[list[float]]]
) -> None:
    rows = "".join(f"{latitude},{longitude}\n" for latitude, longitude in places)
    cities = load_places("c.csv", f"lat,lon\n{rows}".encode())
    export_geojson(tmp_path / "route.geojson", cities, np.arange(3))
    line, *_ = json.loads((tmp_path / "route.geojson").read_text("utf-8"))["features"]
    assert line["geometry"] == {"type": "MultiLineString", "coordinates": parts}


def test_longitudes_beyond_180_degrees_are_counted_from_the_other_side(tmp_path: Path) -> None:
    path = tmp_path / "pacific.tsp"
    rows = "1 10.30 190.30\n2 20.00 200.00\n3 15.00 -190.00\nEOF\n"
    head = "NAME: pacific\nTYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: GEO\nNODE_COORD_SECTION\n"
    path.write_text(head + rows)
    export_geojson(tmp_path / "route.geojson", load(path), np.arange(3))
    line, *cities = json.loads((tmp_path / "route.geojson").read_text("utf-8"))["features"]
    found = [one["geometry"]["coordinates"][0] for one in cities]
    assert found == pytest.approx([-169.5, -160, 170])
    assert line["geometry"]["type"] == "MultiLineString"
