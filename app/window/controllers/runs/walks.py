"""Lets ants walk on the map or in the graph: asks for iterations, and says why there are none."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal, Slot

from app.window.controllers.controller import Controller, Parts
from app.window.threads.solver import SolverState
from app.window.threads.tasks import Task
from gpu.aims import Aim
from gpu.core.formats import THIN, whole
from gpu.core.history import Progress
from gpu.core.instance import Instance
from gpu.core.problem import Problem
from gpu.core.snapshot import MOST_WALKED, RunState, Wanted
from gpu.run.log.recorded import Recorded
from gpu.run.log.run_log import read_log
from gpu.run.remade import RemadeRun, ants_walk
from gpu.run.session import Session
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


_AGAIN = "Makes the run again up to there, with its seed: as long as it took"
_SHOWN = Wanted.SOLUTION | Wanted.TRAILS


class _Over(NamedTuple):
    """A run that is over."""

    log: Path
    session: Session
    begun_on: Instance
    last: int  # the last iteration that was made


class WalkController(Controller):
    """Gives the views the iterations whose ants walk there."""

    step_wanted = Signal()  # a run is to make one iteration, or to begin with one
    stop_wanted = Signal()  # the run is to end, because another one is to be watched

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        window = parts.window
        self._setup = window.setup
        self._views: dict[Problem, TourView | GraphView] = {
            Problem.TSP: window.view(TourView),
            Problem.COLORING: window.view(GraphView),
        }
        self._walkings = {problem: view.walking for problem, view in self._views.items()}
        # whether a run that can be watched begins when the one that goes on has ended
        self._watches = False
        self._recorded: Recorded | None = None  # the log that is shown instead of a run
        self._making: Task[tuple[RunState, RunState]] | None = None  # an iteration again
        for walking in self._walkings.values():
            walking.iteration_wanted.connect(partial(self._iterate, walking))
            walking.bar.watch_wanted.connect(self._do_what_was_offered)
            walking.switched.connect(self.refresh)
        self._setup.changed.connect(self.refresh)
        for signal in (
            parts.runs.preparing_changed,
            parts.runs.current_changed,
            parts.runs.state_changed,
        ):
            signal.connect(self.refresh)
        parts.runs.ended.connect(self._ended)
        parts.runs.current_changed.connect(self._forget_recorded)
        parts.instance.changed.connect(self._forget_recorded)

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
        elif self._making is None:
            over = None if walking.known or self._runs.busy else self._over
            if over is None:
                bar.refuse("")
            else:
                why = f"The ants of iteration {whole(over.last)} are not recorded."
                bar.refuse(why, offer="Make it again", tip=_AGAIN)

    @property
    def _over(self) -> _Over | None:
        """The run in sight, if it is over and its last ants can be shown once they are made."""
        run, recorded, found = self._runs.current, self._recorded, None
        if recorded is not None and recorded.state is not None:
            log, last = recorded.log, recorded.state.iteration
            found = _Over(log.path, log.session, recorded.begun_on, last)
        elif run is not None and run.outcome is not None and run.snapshot is not None:
            last = run.snapshot.iteration
            found = _Over(run.recorder.path, run.session, run.begun_on, last)
        if found is None or not found.last or not ants_walk(found.session.system, found.begun_on):
            return None
        return found

    @Slot(object)
    def show_recorded(self, recorded: Recorded) -> None:
        """Offer the last ants of a log that was opened."""
        self._recorded = recorded
        self.refresh()

    @Slot()
    def _forget_recorded(self) -> None:
        self._recorded = None
        if self._making is not None:
            self._making.cancel()
            self._making = None
        self.refresh()

    @Slot()
    def _do_what_was_offered(self) -> None:
        over = self._over
        walks = self._runs.active is None and over is not None and self._setup_walks
        if over is None or not walks:
            self._watch()
        elif self._making is None:
            self._make_again(over)

    @property
    def _setup_walks(self) -> bool:
        """Whether the ants of the colony that is chosen can be seen at work."""
        system = self._setup.colony.system
        return system is None or system.walks

    def _make_again(self, over: _Over) -> None:
        """Make the last iteration of a run again, and let its ants walk."""
        view = self._views[over.begun_on.problem]
        bar, last = view.walking.bar, over.last

        def work(task: Task[tuple[RunState, RunState]]) -> tuple[RunState, RunState]:
            def look(made: int) -> None:
                if task.cancelled:
                    raise InterruptedError
                task.report(made / last, "")

            with closing(RemadeRun(read_log(over.log), over.begun_on)) as remade:
                before = remade.at(last - 1, _SHOWN, look).state
                return before, remade.at(last, _SHOWN | Wanted.WALKS, look).state

        def done(states: tuple[RunState, RunState]) -> None:
            self._making = None
            for state in states:
                view.take_in(replace(state, progress=Progress()))
            view.catch_up()
            self.refresh()

        def failed(sentence: str) -> None:
            self._making = None
            self.refresh()
            self._window.tell(sentence)

        def progressed(share: float, _: str) -> None:
            bar.refuse(f"Iteration {whole(last)} is made again: {100 * share:.0f}{THIN}%")

        progressed(0.0, "")
        self._making = self._background.start(Task(work, done, failed, progressed))

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
