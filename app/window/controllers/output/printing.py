"""Prints the best solution: its picture, and the list of its stops, or of vertices and classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QPageLayout
from PySide6.QtPrintSupport import QPrintDialog, QPrinter, QPrinterInfo
from PySide6.QtWidgets import QDialog

from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task
from gpu.problems.tsp.routes.stops import stops
from views.frame.print_pages import PrintedList, PrintedPages
from views.frame.print_picture import PicturedView
from views.graph.classes_view import ClassesView, ListedClasses
from views.graph.graph_view import GraphView
from views.reading_words import in_window
from views.tour.stops_view import ListedRoute, StopsView, stop_columns, summary_of
from views.tour.tour_view import TourView
from views.widgets.steps import StepQueue, Steps


class PrintController(Controller):
    """Asks for a printer, or for a PDF file, and draws one page after the other."""

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._stops = self._window.view(StopsView)
        self._classes = self._window.view(ClassesView)
        self._pages = StepQueue(self._window)  # the window is painted between two pages
        self._window.actions_.connect({"print": self.ask})
        self._stops.has_route_changed.connect(self._offer)
        self._classes.has_coloring_changed.connect(self._offer)
        self._offer()

    @Slot()
    def _offer(self) -> None:
        """Let what is listed be printed."""
        there = self._stops.route is not None or self._classes.there
        self._window.actions_["print"].setEnabled(there)

    @Slot()
    def ask(self) -> None:
        """Let the user choose a printer; where there is none, the name of a PDF file is there."""
        printer = QPrinter()
        printer.setPageOrientation(QPageLayout.Orientation.Portrait)
        if not QPrinterInfo.availablePrinterNames():
            dialogs = self._window.dialogs
            folder = dialogs.folder_of("print") or Path.home()
            printer.setOutputFileName(str(folder / f"{dialogs.stem_of('print')}.pdf"))
        dialog = QPrintDialog(printer, self._window)
        dialog.setObjectName("print")
        dialog.finished.connect(partial(self._answer, printer))
        dialog.finished.connect(dialog.deleteLater)
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        dialog.show()

    def _answer(self, printer: QPrinter, result: int) -> None:
        if result == QDialog.DialogCode.Accepted:
            self.print_on(printer)

    def print_on(self, printer: QPrinter) -> None:
        """Print the route or the coloring in sight."""
        listed: Callable[[], PrintedList]
        view: TourView | GraphView
        if (route := self._stops.route) is not None:
            listed, view = partial(_route_on_paper, route), self._window.view(TourView)
        elif (classes := self._classes.listed()) is not None:
            listed, view = partial(_classes_on_paper, classes), self._window.view(GraphView)
        else:
            return
        self._window.tell("Printing …", "working")
        task = Task(lambda _: listed(), partial(self._print, printer, view), self._window.tell)
        self._background.start(task)

    def _print(self, printer: QPrinter, view: TourView | GraphView, listed: PrintedList) -> None:
        window = self._window
        pages = PrintedPages(printer, listed, PicturedView(view, "", window.theme))
        if not pages.begin():
            window.tell("The printer does not take it: choose another one, or a PDF file")
            return

        def draw_picture() -> Steps[None]:
            view.show_plan(on=True)
            try:
                yield from pages.picture()
            finally:
                view.show_plan(on=False)

        file = Path(printer.outputFileName()).name
        done = partial(self._done, file)
        window.steps.begin(draw_picture, lambda _: self._pages.begin(pages.list, done))

    def _done(self, file: str, count: int) -> None:
        what = "1 page is" if count == 1 else f"{count} pages are"
        self._window.tell(f"{what} printed{f' to {file}' if file else ''}", "done")


def _route_on_paper(route: ListedRoute) -> PrintedList:
    found = stops(*route)
    instance = found.instance
    about = [one for one in (summary_of(found), instance.seen, in_window(instance.note)) if one]
    return PrintedList(instance.name, about, stop_columns(found), range(len(found)))


def _classes_on_paper(classes: ListedClasses) -> PrintedList:
    """List the vertices in the order that they have on the screen."""
    graph = classes.graph
    about = [one for one in (classes.summary, graph.seen, in_window(graph.note)) if one]
    return PrintedList(graph.name, about, classes.columns, classes.rows)
