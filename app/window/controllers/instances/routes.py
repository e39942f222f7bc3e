"""Lets the user say where routes begin and end: in the panel, or with a right click on a city."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QPoint, Signal, Slot

from app.files.loading import OpenedFile
from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task
from gpu.core.instance import Instance
from gpu.problems.loading import with_wanted_route
from gpu.problems.reading import ReadAs
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.routes.closed_tours import calls_of
from views.setup.route_row import MOST_LISTED
from views.tour.route_menu import RouteMenu
from views.tour.tour_view import TourView


class RouteController(Controller):
    """Makes of the instance in sight one with the routes that are wanted."""

    chosen = Signal(object)  # the OpenedFile with the other routes

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._row = self._window.setup.instance.route
        self._row.changed.connect(self.want)
        self._window.view(TourView).menu_wanted.connect(self.offer)
        for signal in (self._instance.changed, self._instance.edited):
            signal.connect(self._show)
        self._show(None)

    @property
    def wanted(self) -> ReadAs:
        """What is wanted of the routes of the instance in sight."""
        instance = self._instance.value
        return ReadAs() if instance is None else ReadAs.parse(instance.read_as).of_route

    @Slot(object)
    def _show(self, instance: Instance | None) -> None:
        cities = isinstance(instance, TspInstance)
        self._row.setVisible(cities)
        if not isinstance(instance, TspInstance):
            return
        self._row.offer(calls_of(instance) if instance.real_n <= MOST_LISTED else [])
        self._row.show_wanted(self.wanted)

    @Slot(int, object)
    def offer(self, city: int, place: QPoint) -> None:
        """Open the menu of a city."""
        instance = self._instance.value
        if isinstance(instance, TspInstance):
            menu = RouteMenu(self._window, calls_of(instance)[city], self.wanted)
            menu.chosen.connect(self.want)
            menu.open_at(place)

    @Slot(object)
    def want(self, wanted: ReadAs) -> None:
        """Show the instance in sight with other routes."""
        instance = self._instance.value
        if not isinstance(instance, TspInstance) or wanted == self.wanted:
            return

        def done(made: TspInstance) -> None:
            if self._instance.value is instance:
                self._remember(instance, wanted)
                self.chosen.emit(OpenedFile(made))
                self._row.show_wanted(self.wanted)  # a run may go on

        def failed(sentence: str) -> None:
            self._row.show_wanted(self.wanted)
            self._window.tell(sentence)

        self._background.start(Task(lambda _: with_wanted_route(instance, wanted), done, failed))

    def _remember(self, instance: TspInstance, wanted: ReadAs) -> None:
        """Keep what is wanted of the routes of a file of which is kept how it is read."""
        dialogs, path = self._window.dialogs, instance.path
        if path is not None and (said := dialogs.reading_of(path)):
            route = {name: getattr(wanted, name) for name in ("route_from", "route_to", "route")}
            dialogs.remember_reading(path, str(replace(ReadAs.parse(said), **route)))
