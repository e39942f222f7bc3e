"""Coastlines, of files like those of the package that has them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from tests.hands import click
from tests.views.scenes import in_sight
from tests.views.tour.test_stops_view import towns
from views.tour import coast_layer
from views.tour.tour_view import TourView

ISLAND = np.array([[5.0, 44.0], [12.0, 44.0], [12.0, 56.0], [5.0, 56.0], [5.0, 44.0]], "<f4")
BORDER = np.array([[8.0, 44.0], [8.0, 56.0]], "<f4")


@pytest.fixture
def coasts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with one island, and a border across it."""
    for name, line in (("gshhs", ISLAND), ("countries", BORDER)):
        for detail in "li":
            (tmp_path / f"{name}_{detail}.dat").write_bytes(line.tobytes())
            row = f"1 900.0 {len(line)} 44.0 56.0 0 {line.nbytes}\n"
            (tmp_path / f"{name}meta_{detail}.dat").write_text(row)
    for module in ("coast_layer", "tour_view"):
        monkeypatch.setattr(f"views.tour.{module}.outline_folder", lambda: tmp_path)
    coast_layer.outlines.cache_clear()
    yield tmp_path
    coast_layer.outlines.cache_clear()


def test_coasts_and_borders_are_read_once_and_drawn(qtbot: QtBot, coasts: Path) -> None:
    found = coast_layer.outlines("gshhs", "i")
    assert found.starts.tolist() == [0, 5]
    assert found.boxes.tolist() == [[5.0, 44.0, 12.0, 56.0]]
    assert coast_layer.outlines("gshhs", "i") is found
    view = TourView()
    view.show_instance(towns())
    in_sight(qtbot, view, 500, 400)
    layer = view.layers["coasts"]
    view.graphics.grab()
    qtbot.waitUntil(lambda: layer.ready)
    with_coasts = picture(view)
    assert view.chips["coasts"].isVisible()
    click(view.chips["coasts"])
    assert picture(view) != with_coasts


def test_without_the_package_nothing_is_offered(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("views.tour.tour_view.outline_folder", lambda: None)
    view = TourView()
    view.show_instance(towns())
    in_sight(qtbot, view, 500, 400)
    assert not view.chips["coasts"].isVisible()
    assert view.layers["coasts"].empty


def picture(view: TourView) -> QImage:
    image: QImage = view.graphics.grab().toImage()
    return image
