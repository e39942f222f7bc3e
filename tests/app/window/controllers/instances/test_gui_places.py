"""A table of places in the window: asked about, named on the map, and its route exported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from app.window.application import Application
from gpu.problems.tsp.instance import TspInstance
from tests.app.in_window import limit, open_, use_colony, use_device, written
from tests.colonies import RandomColony
from tests.hands import click
from views.tour.tour_view import TourView

ROWS = "Berlin;52,52;13,405\nRome;41,9028;12,4964\nOslo;59,91;10,75\nParis;48,8566;2,3522\n"


def answer(opened: Application, question: str, button: str) -> None:
    boxes = [one for one in opened.window.findChildren(QMessageBox) if one.isVisible()]
    (box,) = boxes
    assert box.text().startswith(question)
    click(next(one for one in box.findChildren(QPushButton) if one.text() == button))


def test_a_table_of_places(
    qtbot: QtBot, opened: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window, view = opened.window, opened.window.view(TourView)
    use_device(opened, "cpu:1")
    table = tmp_path / "towns.csv"
    table.write_text(ROWS)
    open_(qtbot, opened, table)
    with qtbot.waitSignal(opened.files.ready):
        answer(opened, "Are the numbers in towns.csv latitudes", "Latitudes and longitudes")
    instance = opened.instance.value
    assert isinstance(instance, TspInstance)
    assert instance.display[0].tolist() == [13.405, 52.52]
    which = (
        "In towns.csv, column 2 is taken for latitude, as 52.52 in the first row. Is it column 3"
    )
    with qtbot.waitSignal(opened.files.ready):
        answer(opened, which, "Yes, column 3")
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
    assert "lengths in km" in window.setup.instance.facts.text()
    assert view.chips["names"].isVisible()
    assert view.layers["names"].shown == ("Berlin", "Rome", "Oslo", "Paris")
    view.point_at(QPointF(*instance.display[1]))
    assert view.hover.text() == "city 2 (Rome) at latitude 41.9028, longitude 12.4964"

    use_colony(opened, monkeypatch, RandomColony)
    limit(opened, iterations=2)
    assert not window.actions_.exports["geojson"].isEnabled()
    with qtbot.waitSignal(opened.runs.ended):
        window.actions_["start"].trigger()
    for name, ending in (("route", "-route.csv"), ("geojson", ".geojson")):
        assert window.actions_.exports[name].isEnabled()
        path = tmp_path / f"x{ending}"
        opened.exports.export(name, path)
        written(qtbot, opened, path)
    assert "Rome" in (tmp_path / "x-route.csv").read_text()
    assert len(json.loads((tmp_path / "x.geojson").read_text())["features"]) == 5

    open_(qtbot, opened)
    assert not window.setup.instance.seen.isVisible()
    assert not view.chips["names"].isVisible()
    assert not window.actions_.exports["geojson"].isEnabled()
