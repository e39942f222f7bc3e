"""The choice of a device, and of a colony that can run on it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QComboBox

from gpu import catalog
from gpu.core.machine.devices import Device, Survey
from gpu.core.problem import Problem
from gpu.core.system import System
from views.problem_display import problem_of
from views.setup.card import Card
from views.setup.fields import ChoiceBox
from views.widgets.labels import make_label, markup_tip, plain_tip


class ColonyCard(Card):
    """Two lists. Colonies that need another device than the chosen one come last.

    Who chooses one of them gets the device too; where this machine has none, it says what it needs.
    """

    changed = Signal()  # another device or colony was chosen

    def __init__(self) -> None:
        super().__init__("COLONY AND DEVICE")
        self._survey = Survey((), "")
        self._problem = problem_of(None)
        self._runnable: list[System] = []  # colonies that run on the chosen device
        self.devices, self.colonies = ChoiceBox(12), ChoiceBox(12)
        self.devices.setAccessibleName("Device")
        self.devices.setToolTip("Where the colony runs")
        self.colonies.setAccessibleName("Colony")
        self.device_note, self.colony_note = (make_label("note", wrap=True) for _ in range(2))
        self.devices.activated.connect(self._device_changed)
        self.colonies.activated.connect(self._colony_chosen)
        for widget in (self.devices, self.device_note, self.colonies, self.colony_note):
            self.column.addWidget(widget)
        self.show_survey(self._survey)

    @property
    def device(self) -> Device | None:
        """The chosen device."""
        return next((d for d in self._survey.devices if d.name == self.devices.currentData()), None)

    @property
    def system(self) -> System | None:
        """The chosen catalog row, if it runs on the chosen device."""
        return next((s for s in self._runnable if s.name == self.colonies.currentData()), None)

    @property
    def _offered(self) -> list[System]:
        return [system for system in catalog.CATALOG if system.problem is self._problem]

    def show_survey(self, survey: Survey) -> None:
        """Offer the devices that were found; if there is no GPU, say why."""
        self._survey = survey
        before = self.devices.currentData()
        self.devices.clear()
        for row, device in enumerate(survey.devices):
            self.devices.addItem(_text_of(device), device.name)
            self.devices.setItemData(row, plain_tip(str(device)), Qt.ItemDataRole.ToolTipRole)
        _select(self.devices, before)
        self.device_note.setText(f"No GPU: {survey.without_cuda}." if survey.without_cuda else "")
        self.device_note.setVisible(bool(survey.without_cuda))
        self._device_changed()

    def show_problem(self, problem: Problem) -> None:
        """Offer the colonies that solve ``problem``."""
        if problem is not self._problem:
            self._problem = problem
            self._device_changed()

    def choose(self, device: str, colony: str) -> bool:
        """Choose both by name; return whether this machine can run the colony on the device.

        If it cannot, the nearest possible choice is shown.
        """
        before = self.device
        _select(self.devices, device)
        if self.device != before:
            self._device_changed()
        _select(self.colonies, colony)
        self._colony_changed()
        system = self.system
        return system is not None and (self.devices.currentData(), system.name) == (device, colony)

    def choose_search(self, alias: str) -> None:
        """Choose the recommended colony of the search ``alias`` on the chosen device."""
        for system in [one for one in self._runnable if one.alias == alias][:1]:
            self.choose_system(system)

    def choose_system(self, system: System) -> None:
        """Choose a colony that runs on the chosen device."""
        _select(self.colonies, system.name)
        self._colony_changed()

    def _device_changed(self, _: object = None) -> None:
        before = self.colonies.currentData()
        self.colonies.clear()
        model = self.colonies.model()
        assert isinstance(model, QStandardItemModel)  # QComboBox makes one
        offered, device = self._offered, self.device
        runnable = [] if device is None else [one for one in offered if one.runs_on(device)]
        self._runnable = runnable
        others = [system for system in offered if system not in runnable]
        for system in (*runnable, *others):
            place = device if system in runnable else self._place_for(system)
            where = _needs(system) if place is None else f"on {place.name}"
            item = QStandardItem(
                system.title if system in runnable else f"{system.title}  ({where})"
            )
            item.setData(system.name, Qt.ItemDataRole.UserRole)
            tip = f"{system.title} {where}." if place is None else system.summary
            item.setToolTip(plain_tip(tip))
            item.setEnabled(place is not None)
            model.appendRow(item)
        if runnable and others:
            self.colonies.insertSeparator(len(runnable))
        wanted = next((s.alias for s in offered if s.name == before), self._problem.words.colony)
        best_first = sorted(runnable, key=lambda s: (s.name != before, s.alias != wanted))
        if best_first:
            _select(self.colonies, best_first[0].name)
        self._colony_changed()

    def _place_for(self, system: System) -> Device | None:
        """Return the first device here that ``system`` runs on."""
        return next((one for one in self._survey.devices if system.runs_on(one)), None)

    def _colony_chosen(self, _: object) -> None:
        """Choose the device too if the chosen colony needs another one."""
        name = self.colonies.currentData()
        system = next(one for one in self._offered if one.name == name)
        if system not in self._runnable and (place := self._place_for(system)) is not None:
            self.choose(place.name, name)
        else:
            self._colony_changed()

    def _colony_changed(self) -> None:
        system = self.system
        if system is not None:
            solutions = self._problem.words.solutions
            same = (
                f"The same seed gives the same {solutions}."
                if system.deterministic
                else f"Its updates race: the same seed may give other {solutions}."
            )
            tip = f"<p><b>{system.title}</b>, {system.paper}: {system.made_of}.</p><p>{same}</p>"
            self.colony_note.setText(system.summary)
            for widget in (self.colony_note, self.colonies):
                widget.setToolTip(markup_tip(tip))
        self.changed.emit()


def _select(box: QComboBox, data: object) -> None:
    index, model = box.findData(data), box.model()
    if index >= 0 and model.flags(model.index(index, 0)) & Qt.ItemFlag.ItemIsEnabled:
        box.setCurrentIndex(index)


def _needs(system: System) -> str:
    places = {"cuda": "a CUDA GPU", "cpu": "all CPU cores", "cpu:1": "one CPU core"}
    return "needs " + " or ".join(places[place] for place in system.builders)


def _text_of(device: Device) -> str:
    if device.kind == "cuda":
        return f"{device.name}: {device.model}"
    return f"{device.name}: {'one core' if device.cores == 1 else f'{device.cores} cores'}"
