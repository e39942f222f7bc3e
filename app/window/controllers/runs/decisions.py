"""Has the window's questions about an ant's decision answered: by a run, or by a preview."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThread, Slot

from app.window.controllers.controller import Controller, Parts
from app.window.models.run import RunModel
from app.window.threads.decision_answers import DecisionPreview
from app.window.threads.solver import SolverState
from gpu import catalog
from gpu.core.instance import Instance
from gpu.core.machine.compiling import Compiled
from views.decision.decision_view import DecisionView
from views.graph.graph_view import GraphView
from views.tour.tour_view import TourView
from views.widgets.view import ViewSource

if TYPE_CHECKING:
    from gpu.core.decisions import Replay
    from gpu.core.parameters import Parameters
    from gpu.core.system import System

AT_WORK = "The colony is at work. Pause it (Space), then look into an ant's decision."

STOPS = "The run is being stopped."

ENDED_AT_ONCE = (
    "The run ended with what it began with, before an ant did anything. To see ants at work, let "
    "it go on: Run, 30 s more."
)

RACES = "A race goes on. When it has ended, look into an ant's decision."


class DecisionController(Controller):
    """Gives the decision view its answers.

    A run answers while it is paused. After its end its colony is kept, with its memory, until
    something else needs the machine. Without such a run, a preview answers for the first iteration
    of the run that would be started now.
    """

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._view = parts.window.view(DecisionView)
        self._setup = parts.window.setup
        self._source: RunModel | DecisionPreview | None = None  # answers now
        self._previews: list[DecisionPreview] = []  # their threads have not ended yet
        self._previewed: object = None
        self._followed: tuple[int, int, int] | None = None  # ant, step and iteration, in sight
        self._made = False  # whether questions are about that iteration, not the coming one
        window = parts.window
        for walking in (window.view(TourView).walking, window.view(GraphView).walking):
            walking.followed.connect(self._follow)
        self._view.asked.connect(self._ask)
        self._view.looked_at.connect(self.refresh)
        self._setup.changed.connect(self.refresh)
        parts.runs.preparing_changed.connect(self._preparing_changed)
        parts.runs.current_changed.connect(self._let_go)
        parts.runs.state_changed.connect(self._state_changed)
        parts.runs.ended.connect(self.refresh)

    @Slot()
    def refresh(self) -> None:
        """Say in the view who answers, and about what."""
        self._made = False
        run, instance = self._runs.current, self._instance.value
        active = self._runs.active
        paused = active is not None and active.state is SolverState.PAUSED
        system = self._setup.colony.system if run is None or not active else run.session.system
        if instance is None:
            self._view.refuse("Open an instance to look into an ant's decisions.")
        elif self._runs.race.busy:
            self._view.wait(RACES)
        elif self._runs.busy and system is not None and not system.rule:
            self._refuse(system)  # a pause would not help
        elif self._runs.busy and not paused:
            stops = active is not None and active.state is SolverState.STOPPING
            self._view.wait(STOPS if stops else AT_WORK)
        elif run is not None and (paused or run.answers):
            self._offer_run(run)
        elif self._view.isVisible():
            self._offer_preview(instance)

    @Slot(object)
    def show_compiling(self, count: Compiled | None) -> None:
        """Show what share of the functions is compiled that the first answer needs, or None."""
        self._view.show_compiling(count)

    @Slot()
    def make_room(self) -> None:
        """Free the last run's colony, because something else needs the machine."""
        self._let_go()
        self.refresh()

    def shutdown(self, timeout: float) -> bool:
        """End all previews; return whether their threads ended within ``timeout`` seconds."""
        self._let_go()
        deadline = time.monotonic() + timeout
        ended = True
        for preview in self._previews:
            ended = preview.wait(max(0, int(1000 * (deadline - time.monotonic())))) and ended
        self._delete_ended()
        return ended

    @Slot()
    def _preparing_changed(self) -> None:
        if self._runs.preparing:
            self.make_room()  # the last run's colony may hold much memory
        else:
            self.refresh()

    @Slot(object)
    def _state_changed(self, state: SolverState) -> None:
        if state is not SolverState.ENDED:  # the outcome follows
            self.refresh()

    @Slot()
    def _let_go(self) -> None:
        """Have colonies freed soon, but not that of a run that goes on."""
        active = self._runs.active
        if active is None or self._source is not active:
            self._choose(None)
        self._runs.free()
        for preview in self._previews:
            preview.release()

    def _offer_run(self, run: RunModel) -> None:
        system = run.session.system
        if not system.rule:
            self._refuse(system)
            return
        if run.outcome is not None and run.latest.iteration == 0:
            self._view.refuse(ENDED_AT_ONCE)
            return
        self._choose(run)
        coming = run.latest.iteration + 1
        if self._followed is not None and self._followed[2] == run.latest.iteration:
            self._made = True
            when = f"As it was in iteration {coming - 1}, from the trails before it"
            self._offer(system, run.instance, run.now.parameters, when, coming - 2)
            return
        when = f"The run has ended; this is how iteration {coming} would begin"
        if run.outcome is None:
            when = f"Foretold for iteration {coming} from the trails as they stand"
        self._offer(system, run.instance, run.now.parameters, when, coming - 1)

    def _offer_preview(self, instance: Instance) -> None:
        setup = self._setup
        system = setup.colony.system
        if system is None or setup.problem:
            self._view.refuse(setup.problem or "Choose a colony to look into its ants' decisions.")
            return
        if not system.rule:
            self._refuse(system)
            return
        choices = setup.choices()
        parameters = system.parameters.from_mapping(choices.parameters).resolved(instance.n)
        wanted = instance, system.name, parameters, choices.seed
        if not isinstance(self._source, DecisionPreview) or wanted != self._previewed:
            preview = DecisionPreview(_first_iteration(*wanted), self)
            preview.finished.connect(self._delete_ended)
            self._previews.append(preview)
            self._choose(preview)
            self._previewed = wanted
            preview.start(QThread.Priority.LowPriority)
        when = "Foretold for the first iteration of a run with these choices"
        parts = instance.name, system.title, f"seed {choices.seed}", "a preview"
        source = ViewSource(instance.name, system.name, choices.seed, "  ·  ".join(parts))
        self._offer(system, instance, parameters, when, 0, source)

    def _refuse(self, system: System) -> None:
        why = f": {system.no_rule}" if system.no_rule else ""
        self._view.refuse(
            f"The decisions of {system.title} cannot be replayed{why}. "
            "With the aim Watch it work, there are ants whose decisions can be seen."
        )

    def _offer(
        self,
        system: System,
        instance: Instance,
        parameters: Parameters,
        when: str,
        iteration: int,
        source: ViewSource | None = None,
    ) -> None:
        chosen = parameters.to_dict()
        ants, searches = (chosen.get(name, 0) for name in ("ants", "searches"))
        # Those of ants that search are left to the colony.
        moves = chosen.get("moves", 0) if searches else 0
        # parameters are resolved
        assert isinstance(ants, int)
        assert isinstance(searches, int)
        assert isinstance(moves, int)
        self._view.offer(
            ants,
            instance.n,
            when,
            iteration,
            source,
            steps=system.steps,
            searches=searches,
            moves=moves,
        )

    def _choose(self, source: RunModel | DecisionPreview | None) -> None:
        """Listen to another source; a preview that nobody listens to ends."""
        former = self._source
        if source is former:
            return
        if former is not None:
            former.decided.disconnect(self._view.show_decision)
            former.undecided.disconnect(self._view.refuse)
            if isinstance(former, DecisionPreview):
                former.release()
        self._source = source
        if source is not None:
            source.decided.connect(self._view.show_decision)
            source.undecided.connect(self._view.refuse)

    @Slot(int, int)
    def _ask(self, ant: int, step: int) -> None:
        if self._source is not None:
            self._source.ask_decision(ant, step, made=self._made)

    @Slot(int, int, int)
    def _follow(self, ant: int, step: int, iteration: int) -> None:
        """Show what an ant that is followed chooses in this step; none any more for -1."""
        former, self._followed = self._followed, None if ant < 0 else (ant, step, iteration)
        if self._followed is None:
            self.refresh()
            return
        if former is None or former[0] != ant:
            self._window.dashboard.show_view(DecisionView.key)
        if former is None or former[2] != iteration:
            self.refresh()
        self._view.controls.choose(ant, step)

    @Slot()
    def _delete_ended(self) -> None:
        """Delete the previews whose threads have ended."""
        for preview in [preview for preview in self._previews if preview.isFinished()]:
            self._previews.remove(preview)
            if preview is self._source:
                self._choose(None)
            preview.wait()
            preview.deleteLater()


def _first_iteration(
    instance: Instance, name: str, parameters: Parameters, seed: int
) -> Callable[[], Replay]:
    """Return what makes a replay of the first iteration of a run that has not begun."""

    def begin() -> Replay:
        from gpu.decisions import InitialTrails

        rule = catalog.rule_of(catalog.named(name), instance, parameters, seed)
        return rule.replay(InitialTrails(instance.n), iteration=0)

    return begin
