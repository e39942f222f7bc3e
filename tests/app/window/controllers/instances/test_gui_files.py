"""Tables of places, and tours beside instances, opened in the window."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from app.window.application import Application
from gpu.core.formats import whole
from gpu.problems.bundled import bundled
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.tsplib.tsplib_files import load
from tests.app.in_window import (
    LONGEST,
    limit,
    lines,
    may_compile,
    open_,
    run_to_the_end,
    sheet_of,
    state,
    use_colony,
    use_device,
    written,
)
from tests.colonies import RandomColony
from tests.hands import click, press
from views.tour.tour_view import TourView

ROWS = "Berlin;52,52;13,405\nPotsdam;52,3906;13,0645\nErkner;52,42;13,75\nBernau;52,68;13,5871\n"


def test_a_table_of_places(
    qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window, view = opened.window, opened.window.view(TourView)
    use_device(opened, "cpu:1")
    table = tmp_path / "towns.csv"
    table.write_text(ROWS)
    opened.files.open(table)
    sheet = sheet_of(qtbot, opened)
    assert sheet.question.text() == "Are the numbers in towns.csv latitudes and longitudes?"
    click(sheet.answers[1])
    sheet = sheet_of(qtbot, opened)
    assert sheet.question.text() == (
        "In towns.csv, column 2 is taken for latitude, as 52.52 in the first row. Is it column 3, "
        "as 13.405?"
    )
    assert sheet.table.headings == ["name", "latitude", "longitude"]
    click(sheet.answers[1])
    sheet = sheet_of(qtbot, opened)
    assert not sheet.question.isVisible()
    assert sheet.table.headings == ["name", "longitude", "latitude"]
    with qtbot.waitSignal(opened.files.ready):
        click(sheet.open_button)
    instance = opened.instance.value
    assert isinstance(instance, TspInstance)
    assert instance.display[0].tolist() == [52.52, 13.405]
    seen = (
        "Read as a table of 4 places: latitude is column 3, longitude column 2, the name column 1"
    )
    assert window.setup.instance.seen.text() == seen
    assert window.setup.instance.seen.isVisible()
    with qtbot.waitSignal(opened.files.ready):
        opened.files.open(table, "degrees 2,3")
    instance = opened.instance.value
    assert isinstance(instance, TspInstance)
    assert instance.geographic
    assert "lengths in m" in window.setup.instance.facts.text()
    assert view.chips["names"].isVisible()
    assert view.layers["labels"].shown.names == ("Berlin", "Potsdam", "Erkner", "Bernau")
    view.point_at(QPointF(*instance.display[1]))
    assert view.hover.text() == "city 2 (Potsdam) at latitude 52.3906, longitude 13.0645"

    use_colony(opened, monkeypatch, RandomColony)
    limit(opened, iterations=2)
    assert not window.actions_.exports["geojson"].isEnabled()
    with qtbot.waitSignal(opened.runs.ended):
        window.actions_["start"].trigger()
    for name, ending in (("route", "-route.csv"), ("gpx", ".gpx"), ("geojson", ".geojson")):
        assert window.actions_.exports[name].isEnabled()
        assert window.dialogs.folder_of(name) == tmp_path  # beside what was read
        path = tmp_path / f"x{ending}"
        opened.exports.export(name, path)
        written(qtbot, opened, path)
    assert "Potsdam" in (tmp_path / "x-route.csv").read_text()
    assert len(json.loads((tmp_path / "x.geojson").read_text())["features"]) == 5

    for name in ("log", "session", "tour", "study"):  # a study has a file of its own
        assert window.dialogs.folder_of(name) == (None if name == "study" else tmp_path)
    open_(qtbot, opened)
    assert window.dialogs.folder_of("route") is None  # a bundled one
    assert not window.setup.instance.seen.isVisible()
    assert not view.chips["names"].isVisible()
    assert not window.actions_.exports["geojson"].isEnabled()


CLUSTERS = next(one.path for one in bundled() if one.name == "clustered-500")


@may_compile
def test_an_opened_tour(
    qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window, view = opened.window, opened.window.view(TourView)
    use_device(opened, "cpu:1")
    instance = load(CLUSTERS)
    tour = np.arange(instance.n)[::-1]
    path = tmp_path / "mine.tour"
    instance.write(path, tour)
    packed = tmp_path / "mine.tour.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    chip, improve = view.chips["given"], window.actions_["improve-given"]
    assert not improve.isEnabled()

    open_(qtbot, opened, packed)  # brings its instance with it
    length = instance.tour_length(tour)
    assert isinstance(opened.instance.value, TspInstance)
    assert opened.instance.value.path == CLUSTERS
    assert f"mine.tour.gz: length {whole(length)}" in view.caption.text()
    assert window.banner.text.startswith("Opened mine.tour.gz: length")
    assert chip.isVisible()
    assert view.layers["given"].shown is not None
    assert improve.isEnabled()
    click(chip)
    assert "mine.tour" not in view.caption.text()
    click(chip)

    use_colony(opened, monkeypatch, RandomColony)
    limit(opened, iterations=3)
    run_to_the_end(qtbot, opened)
    qtbot.waitUntil(lambda: "of 500 edges in common" in view.caption.text())
    by = abs(length - state(opened).cost)
    assert f"{whole(by)} longer than the best, " in view.caption.text()

    shown = opened.instance.value
    opened.files.open(path)  # of the instance in sight, whose run stays
    qtbot.waitUntil(lambda: "mine.tour: " in view.caption.text())
    assert opened.instance.value is shown
    assert opened.runs.current is not None
    qtbot.waitUntil(lambda: "edges in common" in view.caption.text())

    limit(opened, iterations=1)
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    with qtbot.waitSignal(opened.runs.ended, timeout=LONGEST):
        press(window, Qt.Key.Key_I, keys)
    run = opened.runs.current
    assert run.session.start.path == str(path)
    assert lines(opened)[1]["best"] == length
    assert state(opened).cost < length

    path.write_text(path.read_text().replace("\n7\n", "\n8\n"))
    opened.files.open(path)
    qtbot.waitUntil(lambda: "visits city 8 more than once" in window.banner.text)
    assert chip.isVisible()  # the former one is still there
    open_(qtbot, opened)
    assert not chip.isVisible()
    assert not improve.isEnabled()
