"""A tour file is shown beside the run, compared with its best, and is where a run goes on."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.window.application import Application
from gpu.problems.bundled import bundled
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.tsplib import load
from tests.app.in_window import (
    LONGEST,
    limit,
    lines,
    may_compile,
    open_,
    run_to_the_end,
    state,
    use_colony,
    use_device,
)
from tests.colonies import RandomColony
from tests.hands import click, press
from views.tour.tour_view import TourView
from views.widgets.formats import whole

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
