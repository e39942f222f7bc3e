"""Lets ants walk on the map: asks for iterations, and says when there are no walks to see."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from app.window.controllers.controller import Controller, Parts
from app.window.threads.solver import SolverState
from gpu.aims import Aim
from gpu.core.formats import whole
from gpu.core.system import System
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.walks import MOST_WALKED
from views.tour.tour_view import TourView

TOO_MANY = f"Ants are shown on maps of at most {whole(MOST_WALKED)} cities."
OPEN_ROUTE = "Ants walk along closed tours: they are not shown where a route has an end."
RACES = "Ants are shown in single runs. A race goes on."


class WalkController(Controller):
    """Gives the map the iterations whose ants walk there."""

    step_wanted = Signal()  # a run is to make one iteration, or to begin with one

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._view = parts.window.view(TourView)
        self._setup = parts.window.setup
        self._view.iteration_wanted.connect(self._iterate)
        self._view.watch_wanted.connect(self._watch)
        self._view.walking_switched.connect(self.refresh)
        self._setup.changed.connect(self.refresh)
        for signal in (
            parts.runs.preparing_changed,
            parts.runs.current_changed,
            parts.runs.state_changed,
            parts.runs.ended,
        ):
            signal.connect(self.refresh)

    @Slot()
    def refresh(self) -> None:
        """Say on the map why no ants walk there, if none do."""
        instance, busy = self._instance.value, self._runs.busy
        if not isinstance(instance, TspInstance):
            return
        run, system = self._runs.active, self._setup.colony.system
        if run is not None:
            system = run.session.system
        if self._runs.race.busy:
            self._view.refuse_walks(RACES)
        elif instance.n > MOST_WALKED:
            self._view.refuse_walks(TOO_MANY)
        elif instance.n != instance.real_n:
            self._view.refuse_walks(OPEN_ROUTE)
        elif system is not None and not system.walks:
            self._view.refuse_walks(_why(system, busy=busy), offers=not busy)
        else:
            self._view.refuse_walks("")

    @Slot(bool)
    def _iterate(self, asked: bool) -> None:
        """Have another iteration made, unless the run makes it anyway."""
        run = self._runs.active
        if run is not None:
            if run.state is SolverState.PAUSED:
                self.step_wanted.emit()
        elif asked and not self._runs.busy:
            self.step_wanted.emit()
        elif not self._runs.busy:
            self._view.walking.bar.stop()

    @Slot()
    def _watch(self) -> None:
        """Choose a colony whose ants walk."""
        self._setup.aim.choose(Aim.WATCH)
        self._setup.aim.changed.emit()


def _why(system: System, *, busy: bool) -> str:
    more = "After this run, choose the aim Watch it work" if busy else "Watch it work chooses some"
    return f"The ants of {system.title} change tours, they do not walk from city to city. {more}."
