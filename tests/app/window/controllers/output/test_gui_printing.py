"""The map and the list of stops on paper."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtPrintSupport import QPrintDialog, QPrinter, QPrinterInfo
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.window.application import Application
from tests.app.in_window import GRID, limit, open_, run_to_the_end, use_colony
from tests.colonies import RandomColony
from tests.hands import click, press
from views.tour.stops_view import StopsView
from views.tour.tour_view import TourView


def on_paper(path: Path) -> QPrinter:
    """A printer that writes a PDF file."""
    printer = QPrinter()
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(path))
    return printer


def test_the_map_and_the_list_are_printed(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window = application.window
    assert not window.actions_["print"].isEnabled()
    open_(qtbot, application, GRID)
    assert not window.actions_["print"].isEnabled()
    use_colony(application, monkeypatch, RandomColony)
    limit(application, iterations=2)
    run_to_the_end(qtbot, application)
    view = window.view(TourView)
    before = {name: layer.isVisible() for name, layer in view.layers.items()}

    press(window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    dialog = window.findChild(QPrintDialog)
    assert isinstance(dialog, QPrintDialog)
    assert dialog.isVisible()
    dialog.reject()

    path = tmp_path / "route.pdf"
    application.printing.print_on(on_paper(path))
    qtbot.waitUntil(lambda: "printed" in window.banner.text)
    data = path.read_bytes()
    pages = len(re.findall(rb"/Type /Page\b(?!s)", data))
    assert window.banner.text == (
        "1 page is printed to route.pdf"
        if pages == 1
        else f"{pages} pages are printed to route.pdf"
    )
    assert pages == 2  # 101 rows in lists side by side, the first of them below the map
    assert data.endswith(b"%%EOF\n")
    assert {name: layer.isVisible() for name, layer in view.layers.items()} == before
    assert view.layers["labels"].shown is None  # on paper alone


def test_a_printer_that_takes_nothing_is_said(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    open_(qtbot, application)
    use_colony(application, monkeypatch, RandomColony)
    limit(application, iterations=1)
    run_to_the_end(qtbot, application)
    application.printing.print_on(on_paper(tmp_path / "no-folder" / "route.pdf"))
    qtbot.waitUntil(lambda: "printer" in application.window.banner.text)


def print_by_hand(qtbot: QtBot, application: Application) -> None:
    """Press Ctrl+P, and then the dialog's own button."""
    window = application.window
    press(window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    dialog = window.findChild(QPrintDialog)
    assert isinstance(dialog, QPrintDialog)
    buttons = dialog.findChildren(QPushButton)
    click(next(one for one in buttons if one.text().replace("&", "") == "Print"))
    qtbot.waitUntil(lambda: "printed" in window.banner.text)


@pytest.mark.skipif(bool(QPrinterInfo.availablePrinterNames()), reason="it would print on paper")
def test_an_open_route_is_printed_beside_its_file(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "minutes.csv"
    path.write_text(";Depot;Zoo;Inn\nDepot;0;5;9\nZoo;6;0;2\nInn;8;3;0\n", "utf-8")
    with qtbot.waitSignal(application.files.ready):
        application.files.open(path, "matrix unit=min route_from=Depot route=open")
    use_colony(application, monkeypatch, RandomColony)
    limit(application, iterations=2)
    application.window.dashboard.show_view("stops")
    run_to_the_end(qtbot, application)
    assert application.window.view(StopsView).summary.text().startswith("3 stops, 7")
    print_by_hand(qtbot, application)
    (pdf,) = tmp_path.glob("*.pdf")
    assert application.window.banner.text == f"1 page is printed to {pdf.name}"
    assert pdf.name.startswith("minutes")
    assert pdf.read_bytes().endswith(b"%%EOF\n")
