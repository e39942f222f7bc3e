"""Sets up a race: its lanes, their budget, and whether they run at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Slot

from app.window.controllers.controller import Controller, Parts
from app.window.models.race import NOTHING
from app.window.threads.tasks import Task
from gpu.core.errors import FormicariumError
from gpu.core.instance import Instance
from gpu.core.machine import devices
from gpu.run.race.race import Budget, Race, sharing_text
from gpu.run.race.race_file import RecordedRace
from gpu.run.race.race_records import LaneRecord
from gpu.run.session import Session, new_session
from views.race.lane_card import LaneTitle
from views.race.race_view import MOST, RaceView
from views.setup.choices import Choices


class LaneController(Controller):
    """Puts what is chosen in the panel into lanes, and changes, moves and removes them."""

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parts, parent)
        self._model, self._view = parts.runs.race, parts.window.view(RaceView)
        self._changing: int | None = None  # the lane that the next choices are for
        self._mode_chosen = False  # whether the user has said how the lanes run
        self._cores = 0  # of this machine, once they are known
        view, form = self._view, self._view.form
        form.add_requested.connect(self.add)
        form.one_seed_chosen.connect(self._share_seed)
        form.changed.connect(self._change_budget)
        form.mode_chosen.connect(self._choose_mode)
        view.change_requested.connect(self._change_lane)
        view.move_requested.connect(self._move_lane)
        view.remove_requested.connect(self._remove_lane)
        self._instance.changed.connect(self._forget)

    @Slot()
    def add(self) -> None:
        """Put what is set up in the panel into a lane."""
        instance, setup, place = self._instance.value, self._window.setup, self._changing
        if instance is None or self._model.busy or (place is None and self._view.lanes == MOST):
            return
        if problem := setup.measure_problem:  # the limits do not matter here
            self._window.tell(problem)
            return
        choices = setup.choices(limited=False)

        def made(session: Session) -> None:
            if instance is self._instance.value and not self._model.busy:
                self._put(session, place)

        task = Task(lambda _: _session(instance, choices), made, self._window.tell)
        self._background.start(task)

    def show_recorded(self, recorded: RecordedRace, records: Sequence[LaneRecord]) -> None:
        """Show a race from a file, ready to be run again."""
        self._mode_chosen = True
        self._view.form.show_budget(recorded.race.budget.kind, recorded.race.budget.amount)
        self._view.curves.show_across(recorded.race.budget.kind)
        self._show(recorded.race, records)
        self._window.dashboard.show_view(RaceView.key)

    def _put(self, session: Session, place: int | None) -> None:
        """Put ``session`` into the lane ``place``, or into a new one."""
        sessions, records = list(self._model.race.sessions), list(self._model.records)
        if sessions and self._view.form.one_seed.isChecked():
            session = replace(session, seed=sessions[0].seed)
        if place is None or place >= len(sessions):
            sessions.append(session)
            records.append(LaneRecord())
        else:
            sessions[place], records[place] = session, LaneRecord()
        self._change(sessions, records)

    def _change(self, sessions: Sequence[Session], records: Sequence[LaneRecord]) -> None:
        """Set up other lanes."""
        race = replace(self._model.race, sessions=tuple(sessions))
        self._show(self._with_mode(race), records)
        if self._view.form.one_seed.isChecked():
            self._share_seed(True)

    def _with_mode(self, race: Race) -> Race:
        """Let lanes that would disturb each other run one after the other, by default."""
        return race if self._mode_chosen else replace(race, in_turn=bool(self._shared(race)))

    def _shared(self, race: Race) -> str:
        self._cores = self._cores or devices.find("cpu").cores
        return sharing_text([one.device for one in race.sessions], self._cores)

    def _show(self, race: Race, records: Sequence[LaneRecord]) -> None:
        """Set up ``race`` and show it, unless one goes on: its lanes stay as they are."""
        if self._model.busy:
            return
        self._changing = None
        self._model.set_up(race, records)
        titles = [_title(session) for session in race.sessions]
        self._view.form.show_mode(in_turn=race.in_turn, shared=self._shared(race))
        self._view.show_lanes(titles, self._model.records)

    @Slot(bool)
    def _share_seed(self, shared: bool) -> None:
        sessions = self._model.race.sessions
        if not shared or self._model.busy or len({one.seed for one in sessions}) < 2:
            return
        seed = sessions[0].seed
        records = [
            record if one.seed == seed else LaneRecord()
            for one, record in zip(sessions, self._model.records, strict=True)
        ]
        self._change([replace(one, seed=seed) for one in sessions], records)

    @Slot()
    def _change_budget(self) -> None:
        """Take another budget; what was found with the former one is forgotten."""
        if self._view.form.problem or self._model.busy:
            return
        try:
            budget = Budget(*self._view.form.budget)
        except FormicariumError as error:  # the form has let it pass
            self._window.tell(str(error))
            return
        if budget != self._model.race.budget:
            race = replace(self._model.race, budget=budget)
            self._show(race, [LaneRecord() for _ in race.sessions])

    @Slot(bool)
    def _choose_mode(self, in_turn: bool) -> None:
        self._mode_chosen = True
        if in_turn is not self._model.race.in_turn and not self._model.busy:
            race = replace(self._model.race, in_turn=in_turn)
            self._show(race, [LaneRecord() for _ in race.sessions])

    @Slot(int)
    def _change_lane(self, lane: int) -> None:
        """Load a lane's choices into the panel; the next ones that are added replace it."""
        self._changing = None if self._changing == lane else lane
        self._view.show_change(self._changing)
        if self._changing is None:
            return
        session, setup = self._model.race.sessions[lane], self._window.setup
        chosen = session.chosen.to_dict()
        choices = Choices(session.device, session.colony, chosen, session.seed, stop={})
        if missing := setup.set_choices(choices, limited=False):
            sentence = f"This machine cannot run {missing}: choose another colony or device"
            self._window.tell(sentence)

    @Slot(int)
    def _move_lane(self, lane: int) -> None:
        sessions, records = list(self._model.race.sessions), list(self._model.records)
        sessions.insert(lane - 1, sessions.pop(lane))
        records.insert(lane - 1, records.pop(lane))
        self._change(sessions, records)

    @Slot(int)
    def _remove_lane(self, lane: int) -> None:
        sessions, records = list(self._model.race.sessions), list(self._model.records)
        del sessions[lane], records[lane]
        self._change(sessions, records)

    @Slot()
    def _forget(self) -> None:
        """Have no lanes: another instance is shown."""
        self._mode_chosen = False
        self._show(replace(NOTHING, budget=self._model.race.budget), [])


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
    return LaneTitle(session.system.title, session.device, session.seed, details)
