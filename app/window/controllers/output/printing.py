"""Prints the map and the list of what the route visits."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QPageLayout
from PySide6.QtPrintSupport import QPrintDialog, QPrinter

from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task
from gpu.problems.tsp.routes.stops import Stops, stops
from views.frame.print_pages import PrintedList, PrintedPages
from views.frame.print_picture import PicturedView
from views.tour.stops_view import StopsView, stop_columns, summary_of
from views.tour.tour_view import TourView
from views.widgets.steps import StepQueue, Steps


class PrintController(Controller):
    """Asks for a printer, or for a PDF file, and draws one page after the other."""

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._stops = self._window.view(StopsView)
        self._pages = StepQueue(self._window)  # the window is painted between two pages
        self._window.actions_.connect({"print": self.ask})
        self._stops.has_route_changed.connect(self._offer)
        self._offer()

    @Slot()
    def _offer(self) -> None:
        """Let what is listed be printed."""
        self._window.actions_["print"].setEnabled(self._stops.route is not None)

    @Slot()
    def ask(self) -> None:
        """Let the user choose a printer."""
        printer = QPrinter()
        printer.setPageOrientation(QPageLayout.Orientation.Portrait)
        dialog = QPrintDialog(printer, self._window)
        dialog.setObjectName("print")
        dialog.accepted.connect(partial(self.print_on, printer))
        dialog.finished.connect(dialog.deleteLater)
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        dialog.show()

    def print_on(self, printer: QPrinter) -> None:
        """Print the route in sight."""
        if (route := self._stops.route) is not None:
            self._window.tell("Printing …", "working")
            task = Task(lambda _: stops(*route), partial(self._print, printer), self._window.tell)
            self._background.start(task)

    def _print(self, printer: QPrinter, found: Stops) -> None:
        window, map_ = self._window, self._window.view(TourView)
        instance = found.instance
        about = [one for one in (summary_of(found), instance.seen, instance.note) if one]
        listed = PrintedList(instance.name, about, stop_columns(found), range(len(found)))
        pages = PrintedPages(printer, listed, PicturedView(map_, "", window.theme))
        if not pages.begin():
            window.tell("The printer does not take it: choose another one, or a PDF file")
            return

        def draw_map() -> Steps[None]:
            map_.show_plan(on=True)
            try:
                yield from pages.picture()
            finally:
                map_.show_plan(on=False)

        window.steps.begin(draw_map, lambda _: self._pages.begin(pages.list, self._done))

    def _done(self, count: int) -> None:
        what = "1 page is" if count == 1 else f"{count} pages are"
        self._window.tell(f"{what} printed", "done")
