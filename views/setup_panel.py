"""Everything that decides a run: instance, device, colony, parameters, seed and limits."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QProgressBar,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gpu import catalog
from gpu.catalog import System
from gpu.devices import Device, Survey
from gpu.instances.instance import TspInstance
from views.formats import whole
from views.icons import icon
from views.number_field import NumberField
from views.parameter_form import ParameterForm
from views.preset import Preset
from views.stop_form import StopForm
from views.theme import DARK, Theme

_MOST_SEEDS = 1 << 64


@dataclass(frozen=True, slots=True)
class Choices:
    """What the user chose; names and numbers only.

    Attributes
    ----------
    device, colony : str
        Names of a device and of a catalog row.
    parameters : mapping of str to object
        Text of each parameter; None where it is automatic.
    seed : int
        0 <= seed < 2^64.
    stop : mapping of str to number or None
        The run's limits.
    """

    device: str
    colony: str
    parameters: Mapping[str, object]
    seed: int
    stop: Mapping[str, float | int | None]


class SetupPanel(QScrollArea):
    """The panel at the left.

    Attributes
    ----------
    changed : Signal
        The user changed a choice, or what can be chosen has changed.
    open_requested : Signal
        The user wants to choose a file.
    path_chosen : Signal
        Path of the bundled or recent instance that the user chose.
    """

    changed = Signal()
    open_requested = Signal()
    path_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = DARK
        self._survey = Survey((), "")
        self._instance: TspInstance | None = None
        self._loading = ""
        self._locked = False
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        page = QWidget()
        page.setProperty("role", "page")
        self._column = QVBoxLayout(page)
        self._column.setContentsMargins(8, 8, 4, 4)
        self._column.setSpacing(6)
        self._make_instance_card()
        self._make_colony_card()
        self._make_parameter_card()
        self._make_stop_card()
        self._column.addStretch(1)
        self.setWidget(page)
        self.show_instance(None)
        self.show_survey(self._survey)
        self.apply_theme(DARK)

    @property
    def problem(self) -> str:
        """Why a run cannot start with these choices, or nothing."""
        if self._loading:
            return f"{self._loading} is being loaded"
        if self._instance is None:
            return "Open an instance first"
        if self.device is None:
            return "The devices are still being looked for"
        if self.system is None:
            return "Choose a colony that runs on this device"
        found = [*self.parameters.problems, *self.stop.problems]
        if self.seed_field.problem:
            found.append(self.seed_field.problem)
        return found[0] if found else ""

    @property
    def device(self) -> Device | None:
        """The chosen device."""
        return next((d for d in self._survey.devices if d.name == self.devices.currentData()), None)

    @property
    def system(self) -> System | None:
        """The chosen catalog row, if it runs on the chosen device."""
        device, name = self.device, self.colonies.currentData()
        return next(
            (
                s
                for s in catalog.CATALOG
                if s.name == name and device is not None and s.runs_on(device)
            ),
            None,
        )

    def choices(self) -> Choices:
        """Return what is chosen; valid only while there is no problem."""
        return Choices(
            device=self.devices.currentData(),
            colony=self.colonies.currentData(),
            parameters=self.parameters.values(),
            seed=int(self.seed_field.text),
            stop=self.stop.values(),
        )

    def set_choices(self, choices: Choices) -> None:
        """Show ``choices``, as far as this machine has the device and the colony."""
        self._select(self.devices, choices.device)
        self._device_changed()
        self._select(self.colonies, choices.colony)
        self._colony_changed()
        self.parameters.set_values(choices.parameters)
        self.seed_field.text = str(choices.seed)
        self.stop.set_values(choices.stop)
        self._edited()

    def choose_search(self, alias: str) -> None:
        """Choose the recommended colony of the search ``alias`` on the chosen device."""
        device = self.device
        for system in catalog.CATALOG:
            if device is not None and system.alias == alias and system.runs_on(device):
                self._select(self.colonies, system.name)
                self._colony_changed()
                return

    def show_loading(self, name: str) -> None:
        """Say that the file ``name`` is being read; empty when that is over."""
        self._loading = name
        self.loading_bar.setVisible(bool(name))
        self._describe_instance()
        self.changed.emit()

    def show_instance(self, instance: TspInstance | None) -> None:
        """Show which instance is loaded."""
        self._instance, self._loading = instance, ""
        self.loading_bar.hide()
        self._describe_instance()
        self.parameters.show_size(instance.n if instance else None)
        self.stop.show_optimum(instance.optimum if instance else None, loaded=instance is not None)
        self.changed.emit()

    def show_survey(self, survey: Survey) -> None:
        """Offer the devices that were found, and say why there is no GPU among them."""
        self._survey = survey
        before = self.devices.currentData()
        self.devices.clear()
        for device in survey.devices:
            self.devices.addItem(_device_text(device), device.name)
            self.devices.setItemData(
                self.devices.count() - 1, str(device), Qt.ItemDataRole.ToolTipRole
            )
        self._select(self.devices, before)
        self.device_note.setText(f"No GPU: {survey.without_cuda}." if survey.without_cuda else "")
        self.device_note.setVisible(bool(survey.without_cuda))
        self._device_changed()

    def show_bundled(self, paths: Sequence[tuple[str, Path]]) -> None:
        """Offer the instances that come with the program: (text, file)."""
        self._fill(self.bundled_menu, paths)
        self.bundled_button.setEnabled(bool(paths))

    def show_presets(self, presets: Sequence[Preset]) -> None:
        """Offer ``presets``."""
        self.preset_menu.clear()
        self.preset_menu.setToolTipsVisible(True)
        for preset in presets:
            action = QAction(preset.name, self.preset_menu)
            action.setToolTip(preset.description)
            action.triggered.connect(lambda _=False, preset=preset: self._apply_preset(preset))
            self.preset_menu.addAction(action)

    def lock(self, *, locked: bool) -> None:
        """Keep the choices as they are while a run goes on."""
        self._locked = locked
        for card in (self._colony_card, self._parameter_card, self._stop_card):
            card.setEnabled(not locked)

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        self._theme = theme
        self.dice.setIcon(icon("dice", theme, "muted"))
        self.setFixedWidth(round(288 * theme.scale))

    def _make_instance_card(self) -> None:
        _, column = self._card("INSTANCE")
        self.instance_name = QLabel()
        self.instance_name.setProperty("role", "value")
        self.instance_name.setWordWrap(True)
        self.instance_facts = QLabel()
        self.instance_facts.setProperty("role", "note")
        self.instance_facts.setWordWrap(True)
        self.loading_bar = QProgressBar()
        self.loading_bar.setRange(0, 0)
        self.loading_bar.setTextVisible(False)
        self.open_button, self.bundled_button = QToolButton(), QToolButton()
        self.open_button.setText("Open…")
        self.open_button.setToolTip("Open a TSPLIB file (Ctrl+O), or drop one on the window")
        self.open_button.clicked.connect(self.open_requested)
        self.bundled_button.setText("Bundled ▾")
        self.bundled_button.setToolTip("Instances that come with the program (Ctrl+B)")
        self.bundled_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.bundled_menu = QMenu(self)
        self.bundled_button.setMenu(self.bundled_menu)
        for button in (self.open_button, self.bundled_button):
            button.setProperty("role", "segment")
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            self._headings["INSTANCE"].addWidget(button)
        column.addWidget(self.instance_name)
        column.addWidget(self.instance_facts)
        column.addWidget(self.loading_bar)

    def _make_colony_card(self) -> None:
        self._colony_card, column = self._card("COLONY AND DEVICE")
        self.devices, self.colonies = QComboBox(), QComboBox()
        self.devices.setAccessibleName("Device")
        self.devices.setToolTip("Where the colony runs")
        self.colonies.setAccessibleName("Colony")
        for box in (self.devices, self.colonies):
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            box.setMinimumContentsLength(12)
        self.device_note, self.colony_note = QLabel(), QLabel()
        for note in (self.device_note, self.colony_note):
            note.setProperty("role", "note")
            note.setWordWrap(True)
        self.devices.activated.connect(self._device_changed)
        self.colonies.activated.connect(self._colony_changed)
        column.addWidget(self.devices)
        column.addWidget(self.device_note)
        column.addWidget(self.colonies)
        column.addWidget(self.colony_note)

    def _make_parameter_card(self) -> None:
        self._parameter_card, column = self._card("PARAMETERS")
        self.preset_button = QToolButton()
        self.preset_button.setText("Presets ▾")
        self.preset_button.setProperty("role", "segment")
        self.preset_button.setToolTip("Fill in a known setting")
        self.preset_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.preset_menu = QMenu(self)
        self.preset_button.setMenu(self.preset_menu)
        self._headings["PARAMETERS"].addWidget(self.preset_button)
        self.parameters = ParameterForm()
        self.parameters.changed.connect(self._edited)
        self.seed_field = NumberField("seed")
        self.seed_field.entry.setToolTip("The seed decides a run: the same seed, the same ants")
        self.seed_field.changed.connect(self._edited)
        self.dice = QToolButton()
        self.dice.setProperty("role", "plain")
        self.dice.setToolTip("Draw another seed (Ctrl+D)")
        self.dice.clicked.connect(self.draw_seed)
        row = QHBoxLayout()
        label = QLabel("seed")
        label.setProperty("role", "muted")
        row.addWidget(label, 0, Qt.AlignmentFlag.AlignTop)
        label.setContentsMargins(0, 4, 0, 0)
        row.addWidget(self.seed_field, 1)
        row.addWidget(self.dice, 0, Qt.AlignmentFlag.AlignTop)
        column.addWidget(self.parameters)
        column.addLayout(row)
        self.seed_field.text = "1"

    def _make_stop_card(self) -> None:
        self._stop_card, column = self._card("STOP AT THE FIRST OF")
        self.stop = StopForm()
        self.stop.changed.connect(self._edited)
        column.addWidget(self.stop)

    def _card(self, title: str) -> tuple[QFrame, QVBoxLayout]:
        card = QFrame()
        card.setProperty("role", "card")
        column = QVBoxLayout(card)
        column.setContentsMargins(10, 5, 10, 7)
        column.setSpacing(4)
        heading = QLabel(title)
        heading.setProperty("role", "heading")
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(heading, 1)
        column.addLayout(row)
        if not hasattr(self, "_headings"):
            self._headings: dict[str, QHBoxLayout] = {}
        self._headings[title] = row
        self._column.addWidget(card)
        return card, column

    def draw_seed(self) -> None:
        """Draw another seed."""
        if not self._locked:
            self.seed_field.text = str(secrets.randbelow(1_000_000))
            self._edited()

    def _describe_instance(self) -> None:
        instance = self._instance
        if self._loading:
            self.instance_name.setText(self._loading)
            self.instance_facts.setText("is being loaded …")
        elif instance is None:
            self.instance_name.setText("None yet")
            self.instance_facts.setText("Drop a TSPLIB file anywhere on this window.")
        else:
            kind = "directed " if instance.directed else ""
            facts = [f"{whole(instance.n)} {kind}cities, {instance.metric}"]
            facts.append(
                f"best known length {whole(instance.optimum)}"
                if instance.optimum
                else "no best known length"
            )
            self.instance_name.setText(instance.name)
            self.instance_facts.setText("\n".join(facts))
            self.instance_name.setToolTip(str(instance.path or ""))
            self.instance_facts.setToolTip(instance.comment)

    def _device_changed(self, _: object = None) -> None:
        device = self.device
        before = self.colonies.currentData()
        self.colonies.clear()
        model = self.colonies.model()
        assert isinstance(model, QStandardItemModel)  # QComboBox makes one
        for system in catalog.CATALOG:
            runs = device is not None and system.runs_on(device)
            item = QStandardItem(system.title if runs else f"{system.title}  ({_needs(system)})")
            item.setData(system.name, Qt.ItemDataRole.UserRole)
            item.setToolTip(system.summary if runs else f"{system.title} {_needs(system)}.")
            item.setEnabled(runs)
            model.appendRow(item)
        self._select(self.colonies, before)
        if self.system is None and device is not None:
            wanted = next((s.alias for s in catalog.CATALOG if s.name == before), "acs")
            runnable = [s for s in catalog.CATALOG if s.runs_on(device)]
            best = next((s for s in runnable if s.alias == wanted), runnable[0])
            self._select(self.colonies, best.name)
        self._colony_changed()

    def _colony_changed(self, _: object = None) -> None:
        system = self.system
        if system is not None:
            self.parameters.show_kind(system.parameters)
            self.parameters.show_size(self._instance.n if self._instance else None)
            self.colony_note.setText(system.summary)
            self.colony_note.setToolTip(
                f"<p><b>{system.title}</b>, {system.paper}: {system.made_of}.</p>"
                + (
                    "<p>The same seed gives the same tours.</p>"
                    if system.deterministic
                    else "<p>Its updates race: the same seed may give other tours.</p>"
                )
            )
            self.colonies.setToolTip(self.colony_note.toolTip())
        self._edited()

    def _apply_preset(self, preset: Preset) -> None:
        self.parameters.set_values(preset.parameters)
        if preset.stop is not None:
            self.stop.set_values(preset.stop)
        self._edited()

    def _edited(self) -> None:
        text = self.seed_field.text
        valid = text.isascii() and text.isdecimal() and int(text) < _MOST_SEEDS
        self.seed_field.problem = "" if valid else "seed must be a whole number in [0, 2⁶⁴)"
        self.changed.emit()

    def _fill(self, menu: QMenu, paths: Sequence[tuple[str, Path]]) -> None:
        menu.clear()
        for text, path in paths:
            action = QAction(text, menu)
            action.triggered.connect(lambda _=False, path=path: self.path_chosen.emit(path))
            menu.addAction(action)

    def _select(self, box: QComboBox, data: object) -> None:
        index = box.findData(data)
        if index >= 0 and box.model().flags(box.model().index(index, 0, QModelIndex())) & (
            Qt.ItemFlag.ItemIsEnabled
        ):
            box.setCurrentIndex(index)


def _needs(system: System) -> str:
    places = {"cuda": "a CUDA GPU", "cpu": "all CPU cores", "cpu:1": "one CPU core"}
    return "needs " + " or ".join(places[place] for place in system.builders)


def _device_text(device: Device) -> str:
    if device.kind == "cuda":
        return f"{device.name}: {device.model}"
    return f"{device.name}: {'one core' if device.cores == 1 else f'{device.cores} cores'}"
