"""Everything that decides a run: instance, device, colony, parameters, seed and limits."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from gpu import aims
from gpu.aims import Aim
from gpu.catalog import CATALOG, check_solves
from gpu.core.errors import ParameterError
from gpu.core.instance import Instance
from gpu.core.machine.devices import Device
from gpu.core.random import SEEDS
from views.problem_display import problem_of
from views.setup.cards import AimCard, Card, ColonyCard, InstanceCard
from views.setup.fields import NumberField
from views.setup.forms import ParameterForm, StopForm
from views.setup.history import ChoiceHistory, PanelState
from views.setup.lane_strip import LaneStrip
from views.setup.origins import Origin, basis_of
from views.setup.presets import OWN, Choices, Preset, PresetMenu
from views.widgets.controls import make_button
from views.widgets.labels import make_label
from views.widgets.layouts import fill, put_in_order
from views.widgets.steps import StepQueue, Steps
from views.widgets.theme import DARK, Theme, icon

_ORIGINS = {Aim.BEST: Origin.TUNED, Aim.PAPER: Origin.PAPER, Aim.WATCH: Origin.WATCH}


class SetupPanel(QScrollArea):
    """The panel at the left."""

    changed = Signal()  # the user changed a choice, or what can be chosen has changed
    committed = Signal()  # the user has finished changing a parameter or a limit

    def __init__(self) -> None:
        super().__init__(widgetResizable=True)
        self.setAccessibleName("Setup")
        self._locked = self._quiet = False  # the second: the user has not made the change
        self._recalled: dict[str, PanelState] = {}  # last choices of the user, by problem
        self.history = ChoiceHistory(self._restore, self)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # Where the aim chose, or will choose: it needs both.
        self._aimed_at: tuple[Instance | None, Device | None] | None = None
        self._aimed: tuple[str, Mapping[str, object]] | None = None  # what: colony and parameters
        self._origin = Origin.TUNED  # of values that nobody has changed
        self.lane = LaneStrip()
        self.aim = AimCard()
        self.instance = InstanceCard()
        self.colony = ColonyCard()
        self.parameters = ParameterForm()
        self.seed_field = NumberField("seed")
        self.stop = StopForm()
        self._parameter_card = self._make_parameter_card()
        self._stop_card = Card("STOP AT THE FIRST OF", "panel#where-a-run-ends")
        self._stop_card.column.addWidget(self.stop)
        page = QWidget()
        page.setProperty("role", "page")
        cards = (
            *(self.lane, self.aim, self.instance, self.colony),
            *(self._parameter_card, self._stop_card),
        )
        column = fill(QVBoxLayout(page), *cards, margins=(8, 8, 4, 4), spacing=6)
        column.addStretch(1)
        self.setWidget(page)
        self.aim.changed.connect(self._aim_changed)
        self.colony.changed.connect(self._colony_changed)
        self.parameters.origin_wanted.connect(self._choose_origin)
        for part in (self.parameters, self.seed_field, self.stop):
            part.changed.connect(self._edited)
        for form in (self.parameters, self.stop):
            form.committed.connect(self.committed)
        self._ahead = StepQueue(self)  # of what colonies need that are chosen later
        self._ahead.begin(self._make_rows, lambda _: None)
        self.show_instance(None)
        self.apply_theme(DARK)

    @property
    def problem(self) -> str:
        """Why a run cannot start with these choices, or nothing."""
        return self.measure_problem or next(iter(self.stop.problems), "")

    @property
    def measure_problem(self) -> str:
        """Why nothing can be measured with these choices, whose limits do not matter then."""
        if self.instance.loading:
            return f"{self.instance.loading} is being loaded"
        if self.instance.instance is None:
            return "Open an instance first"
        if self.colony.device is None:
            return "The devices are still being looked for"
        if self.colony.system is None:
            return "Choose a colony that runs on this device"
        try:
            check_solves(self.colony.system, self.instance.instance)
        except ParameterError as error:
            return str(error)
        return next(iter(self.parameters.problems), self.seed_field.problem)

    @property
    def seed(self) -> int:
        """The chosen seed; valid only while there is no problem."""
        return int(self.seed_field.text)

    def choices(self, *, limited: bool = True) -> Choices:
        """Return what is chosen, the limits too if ``limited``; valid while there is no problem."""
        return Choices(
            device=self.colony.devices.currentData(),
            colony=self.colony.colonies.currentData(),
            parameters=self.parameters.values(),
            seed=self.seed,
            stop=self.stop.values() if limited else {},
        )

    def set_choices(self, choices: Choices, *, limited: bool = True) -> str:
        """Show ``choices``, the limits too if ``limited``.

        If this machine cannot run their colony, return what it cannot run.
        """
        found = self.colony.choose(choices.device, choices.colony)
        self.parameters.set_values(choices.parameters, "as in the run")
        self.seed_field.text = str(choices.seed)
        if limited:
            self.stop.set_values(choices.stop)
        self._edited()
        self.history.begin(self.chosen)
        return "" if found else f"{choices.colony} on {choices.device}"

    @property
    def chosen(self) -> PanelState:
        """All that the fields show, right or wrong."""
        return PanelState(
            aim=self.aim.aim or "",
            device=self.colony.devices.currentData() or "",
            colony=self.colony.colonies.currentData() or "",
            parameters=self.parameters.values(),
            seed=self.seed_field.text,
            stop=self.stop.state(),
            basis=self._origin,
        )

    def recall(self, last: Mapping[str, PanelState]) -> None:
        """Show what the user chose ``last`` for each problem, as soon as it can be shown."""
        self._recalled = dict(last)
        self.show_recalled()

    def show_loading(self, name: str) -> None:
        """Say that the file ``name`` is being read; an empty name ends that."""
        self.instance.show_loading(name)
        self.changed.emit()

    def show_instance(self, instance: Instance | None) -> None:
        """Show which instance is loaded."""
        self.instance.show_instance(instance)
        self.parameters.show_instance(None)  # until they are of a colony for its problem
        if instance is not None:
            with QSignalBlocker(self.colony):  # the aim may choose another one of its colonies
                self.colony.show_problem(instance.problem)
            if self.aim.aim is None:
                self._show_system()
            else:
                self._follow_aim()
        self.parameters.show_instance(instance)
        self.stop.show_instance(instance)
        self.stop.follow(instance)
        self._edited()
        self.show_recalled()
        self.history.begin(self.chosen)

    def show_edited(self, instance: Instance) -> None:
        """Show the instance after its cities were edited; all choices stay."""
        self._quiet = True
        for part in (self.instance, self.parameters, self.stop):
            part.show_instance(instance)
        self._aimed_at = instance, self.colony.device  # the aim has chosen already
        self._quiet = False
        self._edited()

    def show_run(self, chosen: Mapping[str, object], stop: Mapping[str, Any]) -> None:
        """Show what a run works with, which may be other than what the fields say."""
        self._quiet = True
        self.parameters.set_values(chosen, "as in the run")
        self.stop.set_values(stop)
        self._quiet = False
        self._edited()

    def show_presets(self, presets: Sequence[Preset]) -> None:
        """Offer those of ``presets`` that are for the chosen colony."""
        self.preset_menu.show_bundled(presets)

    def draw_seed(self) -> None:
        """Draw another seed."""
        if not self._locked:
            self.seed_field.text = str(secrets.randbelow(1_000_000))
            self._edited()

    def lock(self, *, locked: bool, live: bool = False) -> None:
        """Disable the choices while a run goes on; not all of them if it can change ``live``."""
        self._locked = locked
        for fixed in (self.aim, self.colony, self.preset_button, self.seed_field, self.dice):
            fixed.setEnabled(not locked)
        self._stop_card.setEnabled(not locked or live)
        self.parameters.show_live(only=locked, locked=locked and not live)

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        self.dice.setIcon(icon("dice", theme, "muted"))
        self.setFixedWidth(round(292 * theme.scale))

    def _make_parameter_card(self) -> Card:
        card = Card("PARAMETERS", "panel#parameters")
        card.column.setContentsMargins(10, 0, 4, 0)  # marks stand in the margin
        self.preset_menu = PresetMenu(self, self.history, self._as_preset)
        self.preset_menu.chosen.connect(self._apply_preset)
        tip = "Fill in a known setting"
        self.preset_button = card.add_button("Presets ▾", tip, self.preset_menu)
        self.seed_field.entry.setToolTip("The seed decides a run: the same seed, the same ants")
        self.seed_field.text = "1"
        self.dice = make_button("plain", tip="Draw another seed (Ctrl+D)")
        self.dice.clicked.connect(self.draw_seed)
        label = make_label("muted", "seed")
        label.setContentsMargins(0, 4, 0, 0)
        row = QHBoxLayout()
        row.addWidget(label, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.seed_field, 1)
        row.addWidget(self.dice, 0, Qt.AlignmentFlag.AlignTop)
        card.column.addWidget(self.parameters)
        card.column.addLayout(row)
        return card

    def _make_rows(self) -> Steps[None]:
        return self.parameters.make_rows(system.parameters for system in CATALOG)

    def _aim_changed(self) -> None:
        self._aimed_at = None
        self._edited()

    def _follow_aim(self) -> None:
        """Choose for another instance or device what the aim has there; all else is own choice."""
        aim, instance, device = self.aim.aim, self.instance.instance, self.colony.device
        if aim is None:
            self.aim.show_own()
            return
        if self._aimed_at != (instance, device):
            self._aimed_at = instance, device
            if instance is not None and device is not None:
                choice = aims.choice(aim, instance, device)
                self.aim.show_why(choice.why)
                with QSignalBlocker(self.colony):
                    self.colony.choose_system(choice.system)
                self._origin = _ORIGINS[aim]
                self._show_system()
                self.parameters.set_values(choice.parameters)
            self._aimed = self._chosen
        elif self._aimed != self._chosen:
            self.aim.show_own()

    @property
    def _chosen(self) -> tuple[str, Mapping[str, object]]:
        return self.colony.colonies.currentData(), self.parameters.values()

    def _colony_changed(self) -> None:
        if self._origin is Origin.WATCH:  # is for the aim alone
            self._origin = Origin.TUNED
        self._show_system()
        self._edited()

    def _show_system(self) -> None:
        """Show the parameters and the presets of the chosen colony."""
        system, instance = self.colony.system, self.instance.instance
        if system is not None:
            basis = basis_of(self._origin, system, instance, self.colony.device)
            self.parameters.show_kind(system.parameters, basis)
            self.parameters.show_instance(instance)
            # Fields are made when they are first needed; Tab would reach them last.
            fields, marks = self.parameters.fields, self.parameters.marks
            beside = [part for name in fields for part in (fields[name], marks[name])]
            around = [self.preset_button, *self.parameters.origin.order, *beside, self.seed_field]
            put_in_order(*around)
        self.preset_menu.show_alias(system.alias if system is not None else "")

    def _choose_origin(self, origin: str) -> None:
        """Let values that nobody has changed come from somewhere else."""
        self._origin = Origin(origin)
        self.history.call_next("parameters")
        self._show_system()
        self._edited()

    def _as_preset(self, name: str) -> Preset | None:
        """Return parameters and limits as a preset; None while they are not valid."""
        system = self.colony.system
        if system is None or self.parameters.problems or self.stop.problems:
            return None
        chosen = self.parameters.values().items()
        parameters = {key: "auto" if value is None else value for key, value in chosen}
        return Preset(name, OWN, parameters, self.stop.values(), (system.alias,))

    def show_recalled(self) -> None:
        """Show what was chosen last for the present problem, once the devices are known."""
        problem = problem_of(self.instance.instance)
        if self.colony.device is None or problem not in self._recalled:
            return
        last = self._recalled.pop(problem)
        if last.aim:  # it chooses anew, for this instance and this machine
            now = self.chosen
            last = replace(last, colony=now.colony, parameters=now.parameters)
        self._restore(last)
        if last.aim:
            self._aim_changed()
        self.history.begin(self.chosen)

    def _restore(self, chosen: PanelState) -> None:
        """Show ``chosen`` again."""
        self._quiet = True
        with QSignalBlocker(self.colony):
            self.colony.choose(chosen.device, chosen.colony)
        self._origin = Origin(chosen.basis) if chosen.basis in tuple(Origin) else Origin.TUNED
        self._show_system()
        self.parameters.set_values(chosen.parameters)
        self.seed_field.text = chosen.seed
        self.stop.restore(chosen.stop)
        aim = Aim(chosen.aim) if chosen.aim in tuple(Aim) else None
        self.aim.choose(aim)
        instance, device = self.instance.instance, self.colony.device
        self._aimed_at, self._aimed = (instance, device), self._chosen
        if aim is not None and instance is not None and device is not None:
            self.aim.show_why(aims.choice(aim, instance, device).why)
        self._quiet = False
        self._edited()

    def _apply_preset(self, preset: Preset) -> None:
        self.history.call_next(f"preset {preset.name}")
        self.parameters.set_values(preset.parameters, f"from the preset {preset.name}")
        if preset.stop is not None:
            self.stop.set_values(preset.stop)
        self._edited()

    def _edited(self) -> None:
        self._follow_aim()
        text = self.seed_field.text
        valid = text.isascii() and text.isdecimal() and len(text) <= 20 and int(text) < SEEDS
        self.seed_field.problem = "" if valid else "seed must be a whole number in [0, 2⁶⁴)"
        if self._quiet:
            return
        self.history.note(self.chosen)
        self.changed.emit()
