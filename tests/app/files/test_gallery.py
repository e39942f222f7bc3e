"""What the gallery says of an instance: the best that earlier runs have found for it."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.files import gallery
from app.files.gallery import Look, Runs, Thumbnail, keep_thumbnail, look_at, runs_by_instance
from gpu.problems.loading import load_instance
from gpu.run.log.archive import summary_of_log
from gpu.run.log.recorded import recorded_of
from gpu.run.log.rows import RunRow
from gpu.run.log.run_log import read_log
from tests.logs import line, outcome, written
from views.gallery.instances_page import Entry
from views.widgets.theme import DARK

TOWNS = (
    "name,latitude,longitude\nBerlin,52.5,13.4\nRome,41.9,12.5\nOslo,59.9,10.7\nParis,48.9,2.4\n"
)
ADDED = {"edit": "add", "city": 5, "x": 30.0, "y": 40.0}


@pytest.fixture(autouse=True)
def pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    monkeypatch.setattr(gallery, "thumbnail_folder", lambda: tmp_path / "pictures")


def runs_of(*logs: Path) -> Runs:
    return runs_by_instance([RunRow(summary_of_log(log)) for log in logs])


def looked_at(path: Path, runs: Runs) -> Look:
    return look_at(Entry(path, path.stem), runs, DARK, 1.0)


def test_the_best_tour_through_a_table_of_places(tmp_path: Path) -> None:
    table = tmp_path / "towns.csv"
    table.write_text(TOWNS)
    towns = load_instance(table)
    length = towns.cost_of(np.arange(4, dtype=np.int32))
    end = outcome(1, length, tour=[1, 2, 3, 4])
    without, with_tour = (
        looked_at(table, {}),
        looked_at(table, runs_of(written(tmp_path / "a.jsonl", [end], instance=towns))),
    )
    assert without.entry.found == ""
    assert with_tour.entry.found.startswith("best ")
    assert with_tour.picture != without.picture


def test_a_run_whose_cities_changed_says_nothing_of_what_it_began_with(tmp_path: Path) -> None:
    path = tmp_path / "square.tsp"
    cities = "1 0 0\n2 0 90\n3 90 90\n4 90 0"
    path.write_text(
        "NAME: square\nTYPE: TSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EUC_2D\n"
        f"NODE_COORD_SECTION\n{cities}\nEOF\n"
    )
    square = load_instance(path)
    change = line(1, None, "change", cities=[ADDED])
    end = outcome(2, 300, tour=[1, 2, 3, 4, 5], changes=1)
    logs = [
        written(tmp_path / f"{name}.jsonl", [change, {**end, **more}], instance=square)
        for name, more in (("older", {}), ("newer", {"changes_of_cities": 1}))
    ]
    assert runs_of(*logs) == {}
    assert recorded_of(read_log(logs[0]), square).instance.n == 5

    untrue = written(
        tmp_path / "untrue.jsonl", [change, {**end, "changes_of_cities": 0}], instance=square
    )
    assert looked_at(path, runs_of(untrue)).picture == looked_at(path, {}).picture

    parameters = line(1, None, "change", parameters={"beta": 5.0})
    kept = outcome(2, 360, tour=[1, 2, 3, 4], changes=1, changes_of_cities=0)
    log = written(tmp_path / "kept.jsonl", [parameters, kept], instance=square)
    assert looked_at(path, runs_of(log)).entry.found == "best 360"


SMALL = Thumbnail(QImage(2, 2, QImage.Format.Format_RGB32), "x", "5 cities", None)


def test_old_pictures_go_and_other_files_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gallery, "thumbnail_folder", lambda: tmp_path)
    monkeypatch.setattr(gallery, "MOST_THUMBNAILS", 2)
    for number, name in enumerate(("holiday", "1" * 40, "2" * 40)):
        path = tmp_path / f"{name}.png"
        path.write_bytes(b"x")
        os.utime(path, (number, number))
    keep_thumbnail("3" * 40, SMALL)
    found = {path.stem for path in tmp_path.iterdir()}
    assert found == {"holiday", "2" * 40, "3" * 40}
