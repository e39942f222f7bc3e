"""The framed parts of the setup panel: the aim, the instance, colony and device."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QMenu,
    QProgressBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gpu import catalog
from gpu.aims import Aim
from gpu.core.instance import Instance
from gpu.core.machine.devices import Device, Survey
from gpu.core.problem import Problem
from gpu.core.system import Family, System
from views.problem_display import DISPLAYS, DROP_HERE, OPEN_TIP, display_of, problem_of
from views.reading_words import in_window
from views.setup.colony_boxes import FamilyBox, add_choice, add_refused
from views.setup.fields import ChoiceBox
from views.setup.route_row import RouteRow
from views.widgets.controls import make_button
from views.widgets.guide_asked import GuideButton, set_target
from views.widgets.labels import make_label, plain_tip, show_markup
from views.widgets.layouts import fill

Choice = TypeVar("Choice")


class Card(QFrame):
    """A frame with a heading, small buttons beside it, and contents below, in ``column``.

    The last button is a "?" that leads to the passage ``guide`` of the guides.
    """

    def __init__(self, title: str, guide: str) -> None:
        super().__init__()
        self.setProperty("role", "card")
        set_target(self, guide)
        self._ask = GuideButton(guide, title.capitalize())
        self.heading = make_label("heading", title)
        self._top = fill(
            QHBoxLayout(), (self.heading, 1), self._ask, margins=(10, 0, 2, 0), spacing=3
        )
        self.column = fill(QVBoxLayout(), margins=(10, 0, 10, 0), spacing=4)
        fill(QVBoxLayout(self), self._top, self.column, margins=(0, 5, 0, 7), spacing=4)

    def add_button(self, text: str, tip: str, menu: QMenu | None = None) -> QToolButton:
        """Add a small button beside the heading, which may open a menu."""
        button = make_button("segment", text, tip)
        if menu is not None:
            button.setPopupMode(button.ToolButtonPopupMode.InstantPopup)
            button.setMenu(menu)
        self._top.insertWidget(self._top.indexOf(self._ask), button)
        return button


_AIMS: dict[Aim | None, tuple[str, str]] = {
    Aim.BEST: ("Best solution", "What finds the best solutions on such a device, as measured"),
    Aim.PAPER: ("As in the paper", "The colony and the defaults of its paper"),
    Aim.WATCH: (
        "Watch it work",
        "Few ants, no local search and few iterations a second: slow, and easy to follow",
    ),
    None: ("Own choice", "Colony and parameters stay as they are"),
}


_WATCHED_PACE = 5.0  # iterations a second that can be followed


class AimCard(Card):
    """A list of the aims; the last entry says that the user chose something else."""

    changed = Signal()  # the user chose another aim

    def __init__(self) -> None:
        super().__init__("AIM", "panel#aim")
        self.aims = ChoiceBox(12)
        self.aims.setAccessibleName("Aim")
        self.aims.setToolTip("What colony and parameters are chosen for")
        for aim, (text, tip) in _AIMS.items():
            self.aims.addItem(text, aim)
            self.aims.setItemData(
                self.aims.count() - 1, plain_tip(tip), Qt.ItemDataRole.ToolTipRole
            )
        self.note = make_label("note", wrap=True)
        self.note.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.note.hide()  # there is nothing to say before an instance is there
        self.aims.activated.connect(lambda _: self.changed.emit())
        for widget in (self.aims, self.note):
            self.column.addWidget(widget)

    @property
    def aim(self) -> Aim | None:
        """The chosen aim; None if the user has made another choice."""
        chosen = self.aims.currentData()
        return Aim(chosen) if chosen else None

    @property
    def pace(self) -> float:
        """Iterations a second that suit the aim; 0 for as many as there can be."""
        return _WATCHED_PACE if self.aim is Aim.WATCH else 0.0

    def choose(self, aim: Aim | None) -> None:
        """Choose an aim without saying so."""
        self.aims.setCurrentIndex(self.aims.findData(aim) if aim else self.aims.count() - 1)

    def show_own(self) -> None:
        """Say that colony and parameters are the user's own choice.

        The text keeps its height: the field in which the choice is typed stays below the mouse.
        """
        self.aims.setCurrentIndex(self.aims.count() - 1)
        height = max(self.note.minimumHeight(), 0 if self.note.isHidden() else self.note.height())
        self.show_why(_AIMS[None][1])
        self.note.setMinimumHeight(height)

    def show_why(self, why: str) -> None:
        """Say why the aim chose what it chose."""
        self.note.setText(f"{why[:1].upper()}{why[1:]}.")
        self.note.setMinimumHeight(0)
        self.note.show()


def put_on_shelves(
    menu: QMenu,
    shelves: Mapping[Problem, Sequence[tuple[str, Choice]]],
    chosen: Callable[[Choice], object],
) -> None:
    """Offer instances, each by its text, under the heading of their problem."""
    for problem, instances in shelves.items():
        menu.addSeparator()
        menu.addAction(DISPLAYS[problem].shelf).setEnabled(False)
        for text, which in instances:
            action = menu.addAction(text)
            action.triggered.connect(lambda _=False, which=which: chosen(which))


_BEST_KNOWN_TIP = "Give the best known cost yourself: gaps are measured by it; the run is cleared"


_READING_TIP = "Change how the file is read: columns, unit, what its numbers are"


class InstanceCard(Card):
    """Name and facts of the instance."""

    open_requested = Signal()  # the user wants to choose a file
    best_known_requested = Signal()  # the user wants to give the best-known cost
    draw_requested = Signal()  # the user wants to draw one
    path_chosen = Signal(object)  # path of the bundled instance that the user chose
    reading_requested = Signal()  # the user wants to change how the file is read

    def __init__(self) -> None:
        super().__init__("INSTANCE", "panel#instance")
        self.instance: Instance | None = None
        self.loading = ""
        open_button = self.add_button("Open…", f"{OPEN_TIP} (Ctrl+O), or drop one on the window")
        open_button.clicked.connect(self.open_requested)
        self.bundled_menu = QMenu(self)
        tip = "Instances that come with the program (Ctrl+B)"
        self.bundled_button = self.add_button("Bundled ▾", tip, self.bundled_menu)
        draw_tip = "Draw cities of your own, or trace a picture (Ctrl+Shift+D)"
        self.draw_button = make_button("segment", "Draw cities…", draw_tip)
        self.draw_button.clicked.connect(self.draw_requested)
        self.name = make_label("value", wrap=True)
        self.facts, self.seen, self.warning = (make_label("note", wrap=True) for _ in range(3))
        self.best_known = make_button("segment", "Best known…", _BEST_KNOWN_TIP)
        self.best_known.clicked.connect(self.best_known_requested)
        self.reading_button = make_button("segment", "Change…", _READING_TIP)
        self.reading_button.setAccessibleName("Change how the file is read")
        self.reading_button.clicked.connect(self.reading_requested)
        self.route = RouteRow()
        self.route.hide()  # no instance has a route yet
        self.bar = QProgressBar(maximum=0, textVisible=False)
        self.bar.setAccessibleName("The instance is being read")
        for label in (self.name, self.facts, self.seen, self.warning):
            self.column.addWidget(label)
        self.column.addWidget(self.reading_button, 0, Qt.AlignmentFlag.AlignLeft)
        for widget in (self.route, self.bar):
            self.column.addWidget(widget)
        self.column.addLayout(
            fill(QHBoxLayout(), self.draw_button, self.best_known, (QWidget(), 1), spacing=4)
        )
        self.show_instance(None)

    def show_loading(self, name: str) -> None:
        """Say that the file ``name`` is being read; an empty name ends that."""
        self.loading = name
        self._describe()

    def show_instance(self, instance: Instance | None) -> None:
        """Show which instance is loaded."""
        self.instance, self.loading = instance, ""
        self._describe()

    def show_bundled(self, shelves: Mapping[Problem, Sequence[tuple[str, Path]]]) -> None:
        """Offer the instances that come with the program: (text, file), by their problem."""
        self.bundled_menu.clear()
        put_on_shelves(self.bundled_menu, shelves, self.path_chosen.emit)
        self.bundled_button.setEnabled(bool(shelves))

    def _describe(self) -> None:
        self.bar.setVisible(bool(self.loading))
        self.best_known.setVisible(self.instance is not None and not self.loading)
        instance = self.instance
        self.name.setToolTip(plain_tip(str(instance.path or "") if instance else ""))
        self.facts.setToolTip(plain_tip(instance.comment if instance else ""))
        seen, note = (
            ("", "") if instance is None or self.loading else (instance.seen, instance.note)
        )
        self.seen.setText(f"Read as {in_window(seen)}" if seen else "")
        self.seen.setVisible(bool(seen))
        self.reading_button.setVisible(bool(seen and instance and instance.path))
        self.warning.setText(f"⚠ {in_window(note)}" if note else "")
        self.warning.setVisible(bool(note))
        if self.loading:
            self.name.setText(self.loading)
            self.facts.setText("is being loaded …")
        elif instance is None:
            self.name.setText("None yet")
            self.facts.setText(DROP_HERE)
        else:
            self.name.setText(instance.name)
            self.facts.setText(display_of(instance).facts(instance))


class ColonyCard(Card):
    """Lists of devices, of families of colonies, and of the variants of the chosen one.

    The device chooses the variant. Variants that need another device come last: who chooses one of
    them gets the device too; those for which this machine has none stand below what they need.
    """

    changed = Signal()  # another device or colony was chosen

    def __init__(self) -> None:
        super().__init__("COLONY AND DEVICE", "panel#colony-and-device")
        self._survey = Survey((), "")
        self._problem = problem_of(None)
        self._runnable: list[System] = []  # colonies that run on the chosen device
        self._listed: tuple[Family, Survey, Device | None] | None = None  # of which variants
        self.devices, self.families, self.colonies = ChoiceBox(12), FamilyBox(12), ChoiceBox(12)
        self.devices.setAccessibleName("Device")
        self.devices.setToolTip("Where the colony runs")
        self.colonies.setAccessibleName("Variant")
        self.device_note, self.colony_note = (make_label("note", wrap=True) for _ in range(2))
        self.devices.activated.connect(self._device_changed)
        self.families.activated.connect(self._family_chosen)
        self.colonies.activated.connect(self._colony_chosen)
        lists = self.families, self.colonies, self.colony_note
        for widget in (self.devices, self.device_note, *lists):
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
    def _families(self) -> dict[Family, list[System]]:
        return catalog.families(self._problem)

    @property
    def _offered(self) -> list[System]:
        return [system for rows in self._families.values() for system in rows]

    def show_survey(self, survey: Survey) -> None:
        """Offer the devices that were found; if there is no GPU, say why."""
        self._survey = survey
        before = self.devices.currentData()
        self.devices.clear()
        for row, device in enumerate(survey.devices):
            self.devices.addItem(_text_of(device), device.name)
            self.devices.setItemData(row, plain_tip(str(device)), Qt.ItemDataRole.ToolTipRole)
        _select(self.devices, before)
        self.devices.setVisible(bool(survey.devices))
        note = f"No GPU: {survey.without_cuda}." if survey.without_cuda else ""
        self.device_note.setText(note if survey.devices else "Looking for devices …")
        self.device_note.setVisible(bool(self.device_note.text()))
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
        for named in [one for one in self._offered if one.name == colony]:
            if named in self._runnable:
                self._show_variants(named)
        self._colony_changed()
        system = self.system
        return system is not None and (self.devices.currentData(), system.name) == (device, colony)

    def choose_alias(self, alias: str) -> None:
        """Choose the recommended colony with this ``alias`` on the chosen device."""
        for system in [one for one in self._runnable if one.alias == alias][:1]:
            self.choose_system(system)

    def choose_system(self, system: System) -> None:
        """Choose a colony that runs on the chosen device."""
        self._show_variants(system)
        self._colony_changed()

    def _device_changed(self, _: object = None) -> None:
        before, device = self.colonies.currentData(), self.device
        self.families.show_families(self._families)
        offered = self._offered
        self._runnable = [] if device is None else [one for one in offered if one.runs_on(device)]
        wanted = next((s.alias for s in offered if s.name == before), self._problem.words.colony)
        best_first = sorted(self._runnable, key=lambda s: (s.name != before, s.alias != wanted))
        self._show_variants(next(iter((*best_first, *offered))))
        self._colony_changed()

    def _show_variants(self, system: System) -> None:
        """Choose the family of ``system``, list its variants, and choose ``system`` if it runs."""
        family = catalog.family_of(system)
        _select(self.families, family.name)
        rows = self._families[family]
        self.colonies.setVisible(len(rows) > 1 and bool(self._survey.devices))
        listed = family, self._survey, self.device
        if listed != self._listed:  # screen readers are told of each line
            self._listed = listed
            self._list_variants(rows)
        if self.colonies.currentData() != system.name:
            self.colonies.setCurrentIndex(-1)
            _select(self.colonies, system.name)

    def _list_variants(self, rows: Sequence[System]) -> None:
        self.colonies.clear()
        absent: dict[str, list[System]] = {}
        runnable = [one for one in rows if one in self._runnable]
        here = self.devices.currentData() or ""
        for one in runnable:
            add_choice(self.colonies, one.title_on(here), one.name, one.summary)
        others = [one for one in rows if one not in runnable]
        if runnable and others:
            self.colonies.insertSeparator(len(runnable))
        for one in others:
            if (place := self._place_for(one)) is None:
                absent.setdefault(_needs(one), []).append(one)
            else:
                text = f"{one.title_on(place.name)}  (on {place.name})"
                add_choice(self.colonies, text, one.name, one.summary)
        for why, those in absent.items():
            add_refused(self.colonies, why, [(one.title, one.name) for one in those])

    def _place_for(self, system: System) -> Device | None:
        """Return the first device here that ``system`` runs on."""
        return next((one for one in self._survey.devices if system.runs_on(one)), None)

    def _family_chosen(self, _: object) -> None:
        """Choose the family's first variant that runs on the device, or else on another one."""
        name = self.families.currentData()
        if (now := self.system) is not None and catalog.family_of(now).name == name:
            return
        rows = next(those for one, those in self._families.items() if one.name == name)
        for system in [one for one in rows if one in self._runnable]:
            self.choose_system(system)
            return
        for system in rows:
            if (place := self._place_for(system)) is not None:
                self.choose(place.name, system.name)
                return
        self.choose_system(rows[0])

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
            title = system.title_on(self.devices.currentData() or "")
            named = "" if title == system.title else f" ({system.title} of the paper, on CPU cores)"
            about = f"{system.paper}{named}: {system.made_of}."
            tip = f"<p><b>{title}</b>, {about}</p><p>{same}</p>"
            self.colony_note.setText(system.summary)
            for widget in (self.colony_note, self.families, self.colonies):
                show_markup(widget, tip)
        self.changed.emit()


def _select(box: QComboBox, data: object) -> None:
    index, model = box.findData(data), box.model()
    if index >= 0 and model.flags(model.index(index, 0)) & Qt.ItemFlag.ItemIsEnabled:
        box.setCurrentIndex(index)


def _needs(system: System) -> str:
    places = {"cuda": "a CUDA GPU", "cpu": "all CPU cores", "cpu:1": "one CPU core"}
    return "Needs " + " or ".join(places[place] for place in system.builders)


def _text_of(device: Device) -> str:
    if device.kind == "cuda":
        return f"{device.name}: {device.model}"
    return f"{device.name}: {'one core' if device.cores == 1 else f'{device.cores} cores'}"
