"""Who answers the window's questions for an ant's decision: a run, the last one, or a preview."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThread, Slot

from app.window.threads.decision_answers import Preview
from app.window.threads.solver import RunState, SolverThread
from gpu import catalog
from gpu.core.instance import Instance
from gpu.run.session import system_named

if TYPE_CHECKING:
    from app.window.controller import WindowController
    from gpu.core.decision import Decision
    from gpu.core.parameters import Parameters
    from gpu.core.system import System
    from gpu.decisions.replay import Replay

AT_WORK = "The colony is at work. Pause it (Space), then look into an ant's decision."


class WindowDecisions(QObject):
    """Keeps the view of a decision supplied.

    A run answers while it is paused. When it has ended its colony is kept, with its memory, until
    something else needs the machine. Where there was no run, the first iteration is foretold of
    the run that would be started now.

    Attributes
    ----------
    threads : list of SolverThread or Preview
        Those that may still be at work, the run's own aside.
    """

    def __init__(self, controller: WindowController) -> None:
        super().__init__(controller)
        self._controller = controller
        self._view = controller.window.decision
        self._source: SolverThread | Preview | None = None
        self._last: SolverThread | None = None  # of a run that has ended
        self._previewed: object = None
        self.threads: list[SolverThread | Preview] = []
        self._view.asked.connect(self._ask)
        self._view.looked_at.connect(self.refresh)
        controller.window.setup.changed.connect(self.refresh)

    @Slot()
    def refresh(self) -> None:
        """Say in the view who answers, and about what."""
        controller, view = self._controller, self._view
        solver, run, instance = controller.solver, controller.run, controller.instance
        if instance is None:
            view.refuse("Open an instance to look into an ant's decisions.")
        elif controller.active and (solver is None or solver.state is not RunState.PAUSED):
            view.wait(AT_WORK)
        elif solver is not None or self._last is not None:
            assert run is not None
            self._offer_run(solver or self._last, run.session.system, run.session.parameters)
        elif view.isVisible():
            self._offer_preview(instance)

    def keep(self, solver: SolverThread) -> None:
        """Keep the thread of a run that has ended; it answers unless its colony failed."""
        if solver.answers:
            self._last = solver
        else:
            solver.wait()
        self._watch(solver)
        self.refresh()

    def let_go(self) -> None:
        """Have the last run's colony freed soon; what a paused run answers is not touched."""
        if self._source is not self._controller.solver:
            self._choose(None)
        self._last = None
        for thread in self.threads:
            thread.release()

    def make_room(self) -> None:
        """Free the last run's colony, because something else needs the machine."""
        self.let_go()
        self.refresh()

    def end(self, timeout: float) -> bool:
        """Let go, and wait at most so many seconds; return whether all threads have ended."""
        self.let_go()
        deadline = time.monotonic() + timeout
        ended = True
        for thread in self.threads:
            left = max(0, int(1000 * (deadline - time.monotonic())))
            ended = thread.wait(left) and ended
        self._left()
        return ended

    def _offer_run(
        self, solver: SolverThread | None, system: System, parameters: Parameters
    ) -> None:
        assert solver is not None
        if not system.rule:
            self._view.refuse(f"The decisions of {system.title} cannot be replayed.")
            return
        self._choose(solver)
        coming = solver.latest.iteration + 1
        when = (
            f"Foretold for iteration {coming} from the trails as they stand"
            if solver is self._controller.solver
            else f"The run has ended; this is how iteration {coming} would begin"
        )
        self._offer(parameters, when, coming - 1)

    def _offer_preview(self, instance: Instance) -> None:
        setup = self._controller.window.setup
        system = setup.colony.system
        if system is None or setup.problem:
            self._view.refuse(setup.problem or "Choose a colony to look into its ants' decisions.")
            return
        if not system.rule:
            self._view.refuse(f"The decisions of {system.title} cannot be replayed.")
            return
        choices = setup.choices()
        parameters = system.parameters.from_mapping(choices.parameters).resolved(instance.n)
        wanted = instance, system.name, parameters, choices.seed
        if not isinstance(self._source, Preview) or wanted != self._previewed:
            preview = Preview(_beginning(*wanted), self)
            self._watch(preview)
            self._choose(preview)
            self._previewed = wanted
            preview.start(QThread.Priority.LowPriority)
        self._offer(parameters, "Foretold for the first iteration of a run with these choices", 0)

    def _offer(self, parameters: Parameters, when: str, iteration: int) -> None:
        ants = parameters.to_dict()["ants"]
        assert isinstance(ants, int)  # resolved
        assert self._controller.instance is not None
        self._view.offer(ants, self._controller.instance.n, when, iteration)

    def _choose(self, source: SolverThread | Preview | None) -> None:
        """Listen to another thread; a preview that nobody listens to ends."""
        former = self._source
        if source is former:
            return
        if former is not None:
            former.decided.disconnect(self._decided)
            former.undecided.disconnect(self._undecided)
            if isinstance(former, Preview):
                former.release()
        self._source = source
        if source is not None:
            source.decided.connect(self._decided)
            source.undecided.connect(self._undecided)

    def _watch(self, thread: SolverThread | Preview) -> None:
        """Keep ``thread`` until it has ended."""
        self.threads.append(thread)
        thread.finished.connect(self._left)
        if thread.isFinished():
            self._left()

    @Slot(int, int)
    def _ask(self, ant: int, step: int) -> None:
        if self._source is not None:
            self._source.ask_decision(ant, step)

    @Slot(object)
    def _decided(self, decision: Decision) -> None:
        self._view.show_decision(decision)

    @Slot(str)
    def _undecided(self, reason: str) -> None:
        self._view.refuse(reason)

    @Slot()
    def _left(self) -> None:
        """Forget the threads that have ended."""
        for thread in [thread for thread in self.threads if thread.isFinished()]:
            self.threads.remove(thread)
            if thread is self._source:
                self._choose(None)
            if thread is self._last:
                self._last = None
            thread.wait()
            thread.deleteLater()


def _beginning(
    instance: Instance, name: str, parameters: Parameters, seed: int
) -> Callable[[], Replay]:
    """Return what makes a replay of the first iteration of a run that was not begun."""

    def begin() -> Replay:
        from gpu.decisions.replay import Replay
        from gpu.decisions.rule import InitialTrails

        rule = catalog.rule_of(system_named(name), instance, parameters, seed)
        return Replay(rule, instance.n, InitialTrails(instance.n), iteration=0)

    return begin
