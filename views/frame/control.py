"""What the buttons and keys of a run are for now, and which of them can be pressed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QObject, Slot

from gpu.core.instance import Instance
from views.batch.race_view import RaceView
from views.batch.study_view import StudyView
from views.frame.actions import Actions, Subject
from views.frame.activity import Activity, RunCommands
from views.frame.dashboard import Dashboard
from views.frame.kept_state import KeptChoices
from views.frame.run_bar import RunBar
from views.problem_display import display_of, is_on_globe
from views.setup.setup_panel import SetupPanel
from views.tour.tour_view import TourView
from views.widgets.view import View

_READY = {"run": Activity.IDLE.value, "race": "Ready to race", "study": "Ready for the study"}


class RunControl(QObject):
    """Start, pause, step and stop: of the run, or of the race or the study that is in sight."""

    def __init__(
        self,
        actions: Actions,
        dashboard: Dashboard,
        setup: SetupPanel,
        run_bar: RunBar,
        kept: KeptChoices,
    ) -> None:
        super().__init__()
        self._actions, self._dashboard, self._setup = actions, dashboard, setup
        self._run_bar, self._kept = run_bar, kept
        views = dashboard.all_views
        self._views: Sequence[View] = list(views.values())
        tour, race, study = (views[kind.key] for kind in (TourView, RaceView, StudyView))
        assert isinstance(tour, TourView)
        assert isinstance(race, RaceView)
        assert isinstance(study, StudyView)
        self._tour, self._race, self._study = tour, race, study
        self.activity = Activity.IDLE
        self.run, self.race, self.study = (RunCommands(self) for _ in range(3))
        self._racing = False  # whether the activity is that of a race
        self._instance: Instance | None = None
        # whose state is shown, to be exported: of a "run", of a "log", or of none
        self._state_of = ""
        self._holds = False  # whether nothing is enabled, because more changes
        self._blocks: dict[str, str] = {}  # why nothing can start now, by who says it
        actions.connect(
            {
                "start": lambda: self._commands.start.emit(),
                "pause": self._toggle_pause,
                "step": lambda: self._commands.step.emit(),
                "stop": lambda: self._commands.stop.emit(),
                "toggle": self._toggle,
            }
        )
        setup.changed.connect(self.enable)
        dashboard.turned.connect(self.enable)
        race.ready_changed.connect(self.enable)
        for view in self._views:
            view.exports_changed.connect(self.enable)

    @property
    def blocked(self) -> str:
        """Why nothing can start now, whatever is set up; or nothing."""
        return next(filter(None, self._blocks.values()), "")

    @property
    def problem(self) -> str:
        """Why a run cannot start now, or nothing."""
        return self.blocked or self._setup.problem

    @property
    def racing(self) -> bool:
        """Whether a race goes on."""
        return self._racing

    @property
    def studies(self) -> bool:
        """Whether a study goes on."""
        return bool(self._blocks.get("study"))

    @property
    def subject(self) -> Subject:
        """What buttons and keys are for.

        That is what goes on; else what is in sight and set up; and else the run.
        """
        idle, race, study = self.activity is Activity.IDLE, self._race, self._study
        if self._racing or (idle and race.isVisible() and race.lanes > 0):
            return "race"
        return "study" if idle and study.isVisible() and study.set_up else "run"

    def show_activity(self, activity: Activity, *, racing: bool) -> None:
        """Enable what can be pressed during ``activity``; if it is ``racing``, for the race."""
        self.activity, self._racing = activity, racing
        self._run_bar.show_activity(activity)
        self._setup.lock(locked=activity.has_run, live=not (racing or activity.builds))
        self.enable()

    def block(self, who: str, why: str) -> None:
        """Let no run start, for the reason ``why`` of ``who``; an empty one takes that back."""
        if why != self._blocks.get(who, ""):
            self._blocks[who] = why
            self.enable()

    def show_state_of(self, what: Literal["", "run", "log"]) -> None:
        """Note whose state is shown: of the run, or of one from a log; of none if empty."""
        if self._state_of != what:
            self._state_of = what
            self.enable()

    def show_instance(self, instance: Instance | None) -> None:
        """Note which instance is in sight."""
        self._instance = instance
        self.enable()

    def hold(self, *, on: bool) -> None:
        """Enable nothing while much changes, and then what can be done."""
        self._holds = on
        self.enable()

    @Slot()
    def enable(self) -> None:
        """Enable what can be done now, and say why nothing can start if that is so."""
        if self._holds:
            return
        exports = dict.fromkeys(self._actions.exports, bool(self._state_of)) | {"window": True}
        for name in ("gpx", "kml", "geojson"):
            exports[name] &= is_on_globe(self._instance)
        for view in self._views:
            exports |= view.exports
        has, subject = self._instance is not None, self.subject
        tour = bool(self._state_of) and display_of(self._instance).improvable
        problem = self._problem_of(subject)
        self._actions.enable(
            self._activity_of(subject),
            problem,
            instance=has,
            tour=tour,
            given=self._tour.has_given,
            exports=exports,
            subject=subject,
        )
        self._kept.show(locked=self.activity.has_run)
        if not self.activity.has_run:
            measures = self.activity is Activity.MEASURING
            text = self.activity.value if measures else problem or _READY[subject]
            self._run_bar.say(text)

    def _activity_of(self, subject: Subject) -> Activity:
        """What the run, the race or the study does."""
        study = self._study
        if subject != "study" or not study.busy:
            return self.activity
        found = {"stopping": Activity.STOPPING, "paused": Activity.PAUSED}
        return found.get(study.state, Activity.RUNNING)

    def _problem_of(self, subject: Subject) -> str:
        """Why what buttons and keys are for cannot start, or nothing."""
        if self.blocked or subject == "run":
            return self.problem
        return (self._race if subject == "race" else self._study).problem

    @property
    def _commands(self) -> RunCommands:
        return {"run": self.run, "race": self.race, "study": self.study}[self.subject]

    def _toggle_pause(self) -> None:
        rests = self._activity_of(self.subject).rests
        (self._commands.resume if rests else self._commands.pause).emit()

    def _toggle(self) -> None:
        """Start, pause or go on, whichever is possible."""
        for name in ("start", "pause"):
            if self._actions[name].isEnabled():
                self._actions[name].trigger()
                return
