"""Edits the cities of the instance, in a run that goes on or in none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Slot

from app.files.own_instances import save_edited
from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task
from gpu.core.instance import CityEdit, Instance
from gpu.run.changes import Change
from views.tour.tour_view import TourView

IN_PAST = "The map shows the cities as they were: press Live (Shift+L) to edit them as they are"
NOT_NOW = "Cities can be edited once the colony is built, and not in a race"


class CityController(Controller):
    """Gives the run what the user edits on the map, and the map what became of it."""

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._map = self._window.view(TourView)
        runs, act = self._runs, self._window.actions_
        self._act, self._save_act = act["edit-cities"], act["save-cities"]
        self._act.toggled.connect(self._switch)
        self._map.editing_switched.connect(self._act.setChecked)
        self._save_act.triggered.connect(self._ask_where_to_save)
        self._map.edited.connect(self.edit)
        runs.changed.connect(self._show_change)
        for signal in (runs.state_changed, runs.ended, runs.preparing_changed):
            signal.connect(self._offer)
        runs.current_changed.connect(self._offer)
        self._window.dashboard.moments.aged.connect(self._offer)
        self._instance.changed.connect(self._offer)
        self._offer()

    @Slot()
    def _offer(self) -> None:
        """Enable what is possible now, or say why it is not."""
        instance = self._instance.value
        why = "Open an instance first" if instance is None else instance.why_not_editable
        self._save_act.setEnabled(not why)
        if not why and self._window.dashboard.moments.shows_other_cities:
            why = IN_PAST
        if why:
            self._map.edit_button.setChecked(False)
        elif self._runs.busy and self._runs.changeable is None:
            why = NOT_NOW
        self._map.offer_editing(why)
        self._act.setEnabled(not why)

    @Slot(bool)
    def _switch(self, on: bool) -> None:
        if on:
            self._window.dashboard.show_view(TourView.key)
        self._map.edit_button.setChecked(on)

    @Slot(object)
    def _show_change(self, change: Change | None) -> None:
        run = self._runs.current
        if run is None:
            return
        if change is None:
            self._forget(None)
        elif change.cities:
            self._instance.replace(run.instance)
            self._window.show_edited(run.instance)
            self._forget(len(change.cities))

    def _forget(self, count: int | None) -> None:
        """Let the map forget ``count`` edits that are made; None: all, because they are not."""
        instance = self._instance.value
        if instance is not None and (places := instance.map_places) is not None:
            self._map.forget_edits(count, places)

    @Slot(object)
    def edit(self, edits: Sequence[tuple[str, int, float, float]]) -> None:
        """Edit cities of the run that goes on, or else of the instance in sight."""
        instance, changes = self._instance.value, tuple(_edit(*one) for one in edits)
        if run := self._runs.changeable:
            run.change(Change(cities=changes))
            return
        if self._runs.busy or instance is None:
            self._forget(None)
            self._window.tell(NOT_NOW, "info")
            return

        def show(found: Instance) -> None:
            self._window.steps.after(lambda: show_now(found))  # pictures of the former cities

        def show_now(found: Instance) -> None:
            if self._instance.value is not instance or self._runs.busy:
                self._forget(None)
                return
            self._runs.clear()
            self._instance.replace(found)
            self._window.begin_run()
            self._window.show_edited(found)
            self._forget(len(changes))

        def fail(sentence: str) -> None:
            self._forget(None)
            self._window.tell(sentence)

        self._background.start(Task(lambda _: instance.edited(changes).instance, show, fail))

    @Slot()
    def _ask_where_to_save(self) -> None:
        instance = self._instance.value
        if instance is not None:
            self._window.dialogs.ask_to_save_drawing(self._window, instance.name, self.save)

    def save(self, path: Path) -> None:
        """Write the edited instance as a TSPLIB file."""
        instance = self._instance.value
        if instance is None or instance.why_not_editable:
            return

        window = self._window
        work = Task(lambda _: save_edited(path, instance), window.tell_written, window.tell)
        self._background.start(work)


def _edit(kind: str, city: int, x: float, y: float) -> CityEdit:
    match kind:
        case "add" | "move":
            return CityEdit(kind, city, x, y)
        case _:
            return CityEdit("remove", city, math.nan, math.nan)
