"""Vertices with their classes on paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtPrintSupport import QPrinter, QPrinterInfo
from pytestqt.qtbot import QtBot

from app.window.application import Application
from tests.app.in_window import limit, open_, run_to_the_end, use_device
from tests.app.window.controllers.output.test_gui_printing import print_by_hand
from tests.app.window.graph_window import compiled, drawn
from views.frame.print_pages import PrintedList, PrintedPages
from views.frame.print_picture import PicturedView
from views.graph.classes_view import ClassesView
from views.graph.graph_view import GraphView

__all__ = ["compiled"]  # a fixture of this module, too


@pytest.mark.skipif(bool(QPrinterInfo.availablePrinterNames()), reason="it would print on paper")
def test_a_coloring_is_printed_in_the_order_of_its_list(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "courses.csv"
    path.write_text("course,conflict\nOptics,Algebra\nMusic,Algebra\nMusic,Optics\n", "utf-8")
    window = application.window
    view, graph = window.view(ClassesView), window.view(GraphView)
    assert not window.actions_["print"].isEnabled()
    use_device(application, "cpu:1")
    with qtbot.waitSignal(application.files.ready):
        application.files.open(path, "edges")
    drawn(qtbot, application)
    window.dashboard.show_view("classes")
    limit(application, iterations=2)
    run_to_the_end(qtbot, application)
    assert view.print_button.isEnabled()
    view.list.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    listed: list[PrintedList] = []
    real = PrintedPages.__init__

    def note(self: PrintedPages, printer: QPrinter, found: PrintedList, of: PicturedView) -> None:
        listed.append(found)
        real(self, printer, found, of)

    monkeypatch.setattr(PrintedPages, "__init__", note)
    graph.chips["names"].setChecked(False)
    print_by_hand(qtbot, application)
    names = [listed[0].columns[0].value(row) for row in listed[0].rows]
    assert names == ["Algebra", "Music", "Optics"]
    assert listed[0].about[0] == "3 classes of 1 to 1 vertices, 1.00 on average"
    assert not graph.vertices.named  # on paper alone
    (pdf,) = tmp_path.glob("*.pdf")
    assert pdf.name.startswith("courses")
    open_(qtbot, application)
    assert not window.actions_["print"].isEnabled()
