"""Lets ants walk on the map or in the graph: asks for iterations, and says why there are none."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from app.window.controllers.controller import Controller, Parts
from app.window.threads.solver import SolverState
from gpu.aims import Aim
from gpu.core.formats import whole
from gpu.core.problem import Problem
from gpu.core.snapshot import MOST_WALKED
from views.graph.graph_view import GraphView
from views.tour.tour_view import TourView
from views.walks.walking import Walking

TOO_MANY = f"Ants are shown where there are at most {whole(MOST_WALKED)} {{}}."
OPEN_ROUTE = "Ants walk along closed tours: they are not shown where a route has an end."
RACES = "Ants are shown in single runs. A race goes on."
_WHY = {
    Problem.TSP: "The ants of {} change tours, they do not walk from city to city.",
    Problem.COLORING: "{} shows no ants that color the graph vertex by vertex.",
}


class WalkController(Controller):
    """Gives the views the iterations whose ants walk there."""

    step_wanted = Signal()  # a run is to make one iteration, or to begin with one
    stop_wanted = Signal()  # the run is to end, because another one is to be watched

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        window = parts.window
        self._setup = window.setup
        self._walkings = {
            Problem.TSP: window.view(TourView).walking,
            Problem.COLORING: window.view(GraphView).walking,
        }
        self._watches = (
            False  # a run that can be watched begins when the one that goes on has ended
        )
        for walking in self._walkings.values():
            walking.iteration_wanted.connect(partial(self._iterate, walking))
            walking.bar.watch_wanted.connect(self._watch)
            walking.switched.connect(self.refresh)
        self._setup.changed.connect(self.refresh)
        for signal in (
            parts.runs.preparing_changed,
            parts.runs.current_changed,
            parts.runs.state_changed,
        ):
            signal.connect(self.refresh)
        parts.runs.ended.connect(self._ended)

    @Slot()
    def refresh(self) -> None:
        """Say in the view why no ants walk there, if none do."""
        instance = self._instance.value
        walking = None if instance is None else self._walkings.get(instance.problem)
        if instance is None or walking is None:
            return
        run, system = self._runs.active, self._setup.colony.system
        if run is not None:
            system = run.session.system
        bar, words = walking.bar, instance.problem.words
        if self._runs.race.busy:
            bar.refuse(RACES)
        elif instance.n > MOST_WALKED:
            bar.refuse(TOO_MANY.format(words.places))
        elif instance.n != instance.real_n:
            bar.refuse(OPEN_ROUTE)
        elif system is not None and not system.walks:
            bar.refuse(
                _WHY[instance.problem].format(system.title),
                offer="Stop, and watch it work" if self._runs.busy else "Watch it work",
            )
        else:
            bar.refuse("")

    def _iterate(self, walking: Walking, asked: bool) -> None:
        """Have another iteration made, unless the run makes it anyway."""
        run = self._runs.active
        if run is not None:
            if run.state is SolverState.PAUSED:
                self.step_wanted.emit()
        elif asked and not self._runs.busy:
            if not walking.repeat():
                self.step_wanted.emit()
        elif not self._runs.busy:
            walking.bar.stop()

    @Slot()
    def _watch(self) -> None:
        """Choose a colony whose ants walk, and show its first iteration; end the run before it."""
        if self._runs.busy:
            self._watches = True
            self.stop_wanted.emit()
            return
        self._watches = False
        self._setup.aim.choose(Aim.WATCH)
        self._setup.aim.changed.emit()
        self.step_wanted.emit()

    @Slot()
    def _ended(self) -> None:
        self.refresh()
        if self._watches and not self._runs.busy:
            self._watch()
