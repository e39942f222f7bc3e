"""Sets up a race and runs it: the buttons of the window are for all of its lanes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.window.controllers.controller import SHARE_BESIDE_ALL_CORES, Controller, Parts
from app.window.models.race import NO_RACE, LogsOpened
from app.window.threads.solver import SolverState
from app.window.threads.tasks import Task
from gpu import catalog
from gpu.core.instance import Instance
from gpu.core.machine import devices
from gpu.core.snapshot import Wanted
from gpu.races.race import LANES_MOST, LaneBudget, Race, sharing_text
from gpu.races.race_file import RecordedRace
from gpu.races.race_standings import LaneRecord, Lead, bound_of_lanes, lead_of, standings_of
from gpu.run.log.recorder import Recorder
from gpu.run.outcome import Ending
from gpu.run.session import Session, new_session
from views.batch.lane_card import LaneTitle
from views.batch.race_view import RaceView
from views.frame.activity import Activity
from views.setup.presets import Choices

COMPARE_EVERY = 500  # milliseconds between two comparisons of the lanes

_RACE_ACTIVITIES = {
    SolverState.BUILDING: Activity.BUILDING,
    SolverState.RUNNING: Activity.RUNNING,
    SolverState.PAUSED: Activity.PAUSED,
    SolverState.STOPPING: Activity.STOPPING,
    SolverState.ENDED: Activity.IDLE,
}

Lanes = list[tuple[Session, LaneRecord]]


class RaceController(Controller):
    """Sets up the lanes of the window's race from the panel, and runs them by the run bar."""

    begun = Signal()  # the race wants the machine for itself

    def __init__(
        self,
        parts: Parts,
        log_path: Callable[[Session], Path],
        warn: Callable[[str], None],  # shows a sentence; called from any thread
        parent: QObject,
    ) -> None:
        super().__init__(parts, parent)
        self._log_path, self._warn = log_path, warn
        self._model, self._view = parts.runs.race, parts.window.view(RaceView)
        self._changing: int | None = None  # the lane that the next choices are for
        self._strip = parts.window.setup.lane
        self._mode_chosen = False  # whether the user has said how the lanes run
        self._cores = 0  # of this machine, once they are known
        self._timer = QTimer(self, interval=COMPARE_EVERY)
        self._timer.timeout.connect(self._compare)
        model, view, form = self._model, self._view, self._view.form
        form.add_requested.connect(self.add)
        form.one_seed_chosen.connect(self._share_seed)
        form.changed.connect(self._change_budget)
        form.mode_chosen.connect(self._choose_mode)
        view.change_requested.connect(self._change_lane)
        view.move_requested.connect(self._move_lane)
        view.remove_requested.connect(self._remove_lane)
        self._strip.put_requested.connect(self.add)
        self._strip.left.connect(lambda: self._set_changing(None))
        self._instance.changed.connect(self._forget)
        model.lane_changed.connect(self._show_lane)
        model.state_changed.connect(self._show_state)
        model.ended.connect(self._ended)
        view.table.against_chosen.connect(self._compare)
        view.lanes_shown.connect(self._draw)
        view.lanes_shown.connect(self._compare)
        for changed in (parts.runs.state_changed, parts.runs.current_changed, parts.runs.ended):
            changed.connect(self._show_held)
        self._window.race.lead(self)
        self._window.run_bar.pace.changed.connect(self._set_pace)

    @property
    def _lanes(self) -> Lanes:
        return list(zip(self._model.race.sessions, self._model.records, strict=True))

    @Slot()
    def add(self) -> None:
        """Put what is set up in the panel into a lane."""
        instance, setup, place = self._instance.value, self._window.setup, self._changing
        full = place is None and self._view.lanes == LANES_MOST
        if instance is None or self._model.busy or full:
            return
        if problem := setup.measure_problem:  # the limits do not matter here
            self._window.tell(problem)
            return
        choices = setup.choices(limited=False)

        def made(session: Session) -> None:
            if instance is self._instance.value and not self._model.busy:
                lanes = self._lanes
                at = len(lanes) if place is None else place
                lanes[at : at + 1] = [(session, LaneRecord())]
                self._change(lanes)

        task = Task(lambda _: _session(instance, choices), made, self._window.tell)
        self._background.start(task)

    def show_recorded(self, recorded: RecordedRace, records: Sequence[LaneRecord]) -> None:
        """Show a race from a file, ready to be run again."""
        self._mode_chosen = True
        self._view.form.show_budget(recorded.race.budget.kind, recorded.race.budget.amount)
        self._view.curves.show_across(recorded.race.budget.kind)
        self._show(recorded.race, records)
        self._window.dashboard.show_view(RaceView.key)

    def _change(self, lanes: Lanes) -> None:
        """Set up other lanes; those that would disturb each other run in turn, by default."""
        if lanes and self._view.form.one_seed.isChecked():
            seed = lanes[0][0].seed
            lanes = [
                (one, record) if one.seed == seed else (replace(one, seed=seed), LaneRecord())
                for one, record in lanes
            ]
        race = replace(self._model.race, sessions=tuple(session for session, _ in lanes))
        if not self._mode_chosen:
            race = replace(race, in_turn=bool(self._shared(race)))
        self._show(race, [record for _, record in lanes])

    def _shared(self, race: Race) -> str:
        self._cores = self._cores or devices.find("cpu").cores
        return sharing_text([one.device for one in race.sessions], self._cores)

    def _show(self, race: Race, records: Sequence[LaneRecord] | None = None) -> None:
        """Set up ``race`` and show it, unless one goes on: its lanes stay as they are.

        Without ``records`` its lanes have found nothing yet.
        """
        if self._model.busy:
            return
        self._set_changing(None)
        self._model.set_up(race, records or [LaneRecord() for _ in race.sessions])
        titles = [_title(session) for session in race.sessions]
        self._view.form.show_mode(in_turn=race.in_turn, shared=self._shared(race))
        self._view.show_lanes(titles, self._model.records)

    @Slot(bool)
    def _share_seed(self, shared: bool) -> None:
        if shared:
            self._change(self._lanes)

    @Slot()
    def _change_budget(self) -> None:
        """Take another budget; what was found with the former one is forgotten."""
        race, form = self._model.race, self._view.form
        if not form.problem and (budget := LaneBudget(*form.budget)) != race.budget:
            self._show(replace(race, budget=budget))

    @Slot(bool)
    def _choose_mode(self, in_turn: bool) -> None:
        self._mode_chosen = True
        if in_turn is not self._model.race.in_turn:
            self._show(replace(self._model.race, in_turn=in_turn))

    def _set_changing(self, lane: int | None) -> None:
        """Say, in the view and in the panel, which lane is changed."""
        self._changing = lane
        self._view.show_change(lane)
        self._strip.show_lane(lane)

    @Slot(int)
    def _change_lane(self, lane: int) -> None:
        """Load a lane's choices into the panel; the next ones that are added replace it."""
        if self._changing == lane:
            self._set_changing(None)
            return
        self._set_changing(lane)
        session, setup = self._model.race.sessions[lane], self._window.setup
        chosen = session.chosen.to_dict()
        choices = Choices(session.device, session.colony, chosen, session.seed, stop={})
        if missing := setup.set_choices(choices, limited=False):
            sentence = f"This machine cannot run {missing}: choose another colony or device"
            self._window.tell(sentence)
        setup.ensureWidgetVisible(self._strip)

    @Slot(int)
    def _move_lane(self, lane: int) -> None:
        lanes = self._lanes
        lanes.insert(lane - 1, lanes.pop(lane))
        self._change(lanes)

    @Slot(int)
    def _remove_lane(self, lane: int) -> None:
        lanes = self._lanes
        del lanes[lane]
        self._change(lanes)

    @Slot()
    def _forget(self) -> None:
        """Have no lanes: another instance is shown."""
        self._mode_chosen = False
        self._show(replace(NO_RACE, budget=self._model.race.budget))

    @Slot()
    def start(self, steps: int = 0) -> None:
        """Check the race, and start all lanes; with ``steps``, pause after so many iterations."""
        instance, model = self._instance.value, self._model
        if (
            instance is None
            or self._runs.busy
            or self._view.problem
            or self._window.control.blocked
        ):
            return
        self._window.banner.clear()
        self._set_changing(None)
        model.pace = self._window.run_bar.pace.value
        model.prepare()
        for _ in range(steps):
            model.step()
        self._view.show_records(model.records)
        self._draw()
        self._view.show_racing(racing=True)
        self._window.steps.after(self._show_no_run)
        self.begun.emit()
        race = model.race
        check = Task(
            lambda _: race.check(instance),
            lambda _: model.begin(instance, self._open_logs),
            self._refuse,
        )
        self._background.start(check)
        self._timer.start()

    def _open_logs(self, instance: Instance, sessions: Sequence[Session], then: LogsOpened) -> None:
        """Open the logs of lanes in another thread, because disks are slow."""

        def opened(_: object) -> list[Recorder]:
            return [  # one after the other: each takes a name that is free
                Recorder(self._log_path(one), one, instance, self._warn) for one in sessions
            ]

        self._background.start(Task(opened, then, self._refuse))

    def _refuse(self, sentence: str) -> None:
        self._model.give_up()
        self._window.tell(sentence)

    def _show_no_run(self) -> None:
        """Show no earlier run any more: what it found would be taken for what the race finds."""
        if not self._model.records:
            return  # it was shown after a picture; the race has ended meanwhile, its lanes are gone
        self._runs.clear()
        self._window.begin_run()
        source = self._view.source
        if source is not None:
            self._window.name_run(f"Race  ·  {source.text}")
        self._show_numbers()

    def _show_numbers(self) -> None:
        """Show the best that a lane has found, and what the race has taken."""
        records = self._model.records
        best = min((one.cost for one in records if one.cost is not None), default=None)
        spent = self._model.share_done()[1]
        self._window.readout.show_race(best, bound_of_lanes(records), self._lead, spent)

    @property
    def _lead(self) -> Lead | None:
        """Who is ahead; nobody before the last lane has had its turn, where they take turns."""
        model = self._model
        unfair = model.race.in_turn and not all(one.ending for one in model.records)
        return None if unfair else lead_of(model.records)

    @Slot()
    def pause(self) -> None:
        """Pause all lanes."""
        self._model.pause()
        self._show_state(self._model.state)

    @Slot()
    def resume(self) -> None:
        """Go on with all lanes."""
        self._model.resume()
        self._show_state(self._model.state)

    @Slot()
    def step(self) -> None:
        """Let every lane make one iteration, then pause; start the race if it has not begun."""
        if self._model.busy:
            self._model.step()
        else:
            self.start(steps=1)

    @Slot()
    def stop(self) -> None:
        """End all lanes."""
        self._model.stop()

    @Slot(float)
    def _set_pace(self, pace: float) -> None:
        if self._model.busy:
            self._model.pace = pace

    @Slot(int)
    def _show_lane(self, lane: int) -> None:
        self._view.take_lane(lane)
        self._draw()

    @Slot()
    def _draw(self) -> None:
        """Have the view draw what it was given, piece by piece."""
        self._window.dashboard.queue.add([self._view])

    @Slot(object)
    def _show_state(self, state: SolverState) -> None:
        activity = _RACE_ACTIVITIES[state]
        if state is SolverState.BUILDING and self._model.rests:
            activity = Activity.BUILDING_TO_PAUSE
        self._window.show_activity(activity, racing=self._model.busy)
        self._leave_time()

    @Slot()
    def _show_held(self) -> None:
        """Say why no other colony can be chosen while a single run goes on."""
        self._view.form.held.setVisible(self._runs.busy and not self._model.busy)

    def _leave_time(self) -> None:
        """Draw less often while a lane computes on all cores."""
        queue = self._window.dashboard.queue
        share = SHARE_BESIDE_ALL_CORES if self._model.takes_all_cores else math.inf
        if share != queue.throttle.share:
            queue.limit(share)

    @Slot()
    def _compare(self) -> None:
        """Show how the lanes compare, and how far the race has come."""
        model, instance = self._model, self._instance.value
        if instance is None or not model.records:
            return
        if model.busy:
            model.note_time()
        against = self._view.table.lane
        found = standings_of(model.records, instance, against, paced=model.paced)
        self._view.take_comparison(found)
        self._draw()
        if model.busy:
            share, spent = model.share_done()
            left = spent * (1 / share - 1) if share else None
            self._window.run_bar.show_progress(share, left)
            self._show_numbers()
            model.want(Wanted.SOLUTION if self._view.isVisible() else Wanted.NUMBERS)
            self._leave_time()

    @Slot()
    def _ended(self) -> None:
        self._timer.stop()
        self._view.show_racing(racing=False)
        for lane in range(len(self._model.records)):
            self._view.take_lane(lane)
        self._compare()
        self._show_numbers()
        self._view.exports_changed.emit()
        if self._instance.next is None:
            self._tell_end()

    def _tell_end(self) -> None:
        """Say how the race ended, in one sentence."""
        endings = [record.ending for record in self._model.records]
        if Ending.FAILED in endings:
            lanes = [str(at + 1) for at, one in enumerate(endings) if one is Ending.FAILED]
            which = f"lane {lanes[0]}" if len(lanes) == 1 else f"lanes {' and '.join(lanes)}"
            reason = self._model.records[int(lanes[0]) - 1].reason
            self._window.tell(f"The race has ended; {which} failed: {reason}")
        elif all(one is Ending.FINISHED for one in endings):
            instance, lead = self._instance.value, self._lead
            sentence = "The race has ended"
            if instance is not None and lead is not None:
                sentence += f": {lead.sentence(instance.problem.words)}"
                if lead.alone:
                    session = self._model.race.sessions[lead.first]
                    sentence += f" ({session.title} on {session.device})"
            self._window.tell(sentence, "done", stays=True)
        elif any(endings):
            self._window.tell("The race was stopped; the lanes' logs are kept", "info")


def _session(instance: Instance, choices: Choices) -> Session:
    """Check the choices; in a thread, because drivers are slow."""
    return new_session(
        instance,
        colony=choices.colony,
        device=choices.device,
        parameters=choices.parameters,
        seed=choices.seed,
    )


def _title(session: Session) -> LaneTitle:
    usual = session.system.parameters().to_dict()
    chosen = session.chosen.to_dict().items()
    values = ", ".join(f"{name} {value}" for name, value in chosen if value != usual[name])
    details = f"{session.colony} on {session.device}, seed {session.seed}"
    if values:
        details += f"\n{values}"
    family = catalog.family_of(session.system).title
    return LaneTitle(family, session.title, session.device, session.seed, details)
