"""Shows the tour that was opened beside those of the run, and compares it with the best one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Slot

from app.files.loading import GivenTour
from app.window.controllers.controller import Controller, Parts
from app.window.threads.tasks import Task
from gpu.core.cost_unit import NO_UNIT, CostUnit
from gpu.core.formats import number_of, percent, whole
from gpu.core.problem import Problem
from gpu.problems.tsp.tours import edges_in_common
from views.tour.tour_view import TourView

COMPARE_EVERY = (
    500  # least milliseconds between two comparisons: the best tour may change all the time
)


class GivenTourController(Controller):
    """Compares in the background, once for each new best tour at most."""

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._task: Task[int] | None = None
        self._compared: NDArray[np.int32] | None = None  # the best tour that it was compared with
        self._timer = QTimer(self, singleShot=True, interval=COMPARE_EVERY)
        self._timer.timeout.connect(self._compare)
        self._window.closing.connect(self._timer.stop)
        self._instance.given_changed.connect(self._show)
        self._runs.current_changed.connect(self._follow)

    @Slot()
    def _show(self) -> None:
        """Show another tour, or none, and say how long it is."""
        given, view = self._instance.given, self._window.view(TourView)
        self._compared = None
        if given is not None and self._is_coloring:
            colors = number_of(given.length, "color")
            better = "Run > Improve the opened solution begins with it"
            self._window.tell(f"Opened {given.path.name}: {colors}. {better}", "info")
            return
        view.show_given(*((None, "") if given is None else (given.tour, given.path.name)))
        self._describe()
        if given is not None:
            self._window.tell(f"Opened {self._facts(given)}", "info")
            self._compare()

    @property
    def _is_coloring(self) -> bool:
        """Whether what was opened is a coloring, which no map shows beside the best one."""
        instance = self._instance.value
        return instance is not None and instance.problem is Problem.COLORING

    @Slot(object)
    def _follow(self, _: object) -> None:
        self._describe()
        if (run := self._runs.current) is not None:
            run.snapshot_changed.connect(self._compare_soon)

    @Slot()
    def _compare_soon(self) -> None:
        if self._instance.given is not None and not self._timer.isActive():
            self._timer.start()

    @Slot()
    def _compare(self) -> None:
        """Count the edges that the tour and the best one have in common."""
        given, instance, run = self._instance.given, self._instance.value, self._runs.current
        state = None if run is None else run.snapshot
        if given is None or state is None or self._task is not None or self._is_coloring:
            return
        best = state.best_solution  # the same object until there is another one
        if best is None or best is self._compared or instance is None:
            return
        self._compared = best
        directed = bool(instance.facts.get("directed"))

        def work(_: Task[int], best: NDArray[np.int32] = best) -> int:
            return edges_in_common(given.tour, best, directed=directed)

        def done(shared: int) -> None:
            if self._instance.given is given:
                common = f"{whole(shared)} of {whole(len(given.tour))} edges in common"
                beside = _beside(instance.cost_unit, given.length, state.cost)
                self._describe(f"{beside}, {common}")

        self._task = Task(work, done, self._window.tell)
        self._task.ended.connect(self._ended)
        self._background.start(self._task)

    @Slot(object)
    def _ended(self, _: object) -> None:
        self._task = None
        self._compare_soon()

    def _describe(self, comparison: str = "") -> None:
        given, view = self._instance.given, self._window.view(TourView)
        if given is None or self._is_coloring:
            view.compare_given("")
            return
        view.compare_given(", ".join(filter(None, (self._facts(given), comparison))))

    def _facts(self, given: GivenTour) -> str:
        """Return name, length and gap of the tour."""
        instance = self._instance.value
        gap = None if instance is None else instance.gap_percent(given.length)
        above = "" if gap is None else f" ({percent(gap)} above the best known)"
        unit = NO_UNIT if instance is None else instance.cost_unit
        length = unit.amount(given.length)
        return f"{given.path.name}: length {length}{above}"


def _beside(unit: CostUnit, length: int, best: int) -> str:
    """Return how the ``length`` of a tour compares with that of the best one."""
    if length == best:
        return "as long as the best tour"
    difference = unit.amount(abs(length - best))
    return f"{difference} {'longer' if length > best else 'shorter'} than the best"
