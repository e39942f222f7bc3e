"""One colony of a study: its label, its name, the kind of its device, and values to try."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from gpu import catalog
from gpu.aims import Aim
from gpu.studies.design import LONGEST_ROW_LABEL, ColonyDesign, DesignError, Value
from views.setup.colony_boxes import FamilyBox, add_choice
from views.setup.fields import ChoiceBox, make_line
from views.widgets.controls import make_button
from views.widgets.labels import make_label, plain_tip
from views.widgets.layouts import fill
from views.widgets.theme import Theme, icon

EXAMPLE = "ants = 10, 25; name = value"


def parsed(text: str) -> dict[str, tuple[Value, ...]]:
    """Return the values to try of each parameter; raise ValueError with a sentence."""
    found: dict[str, list[Value]] = {}
    name = ""
    for part in filter(None, map(str.strip, re.split("[,;]", text))):
        before, sign, after = part.partition("=")
        if sign:
            name = before.strip()
            if name in found:
                raise ValueError(f"{name} is there twice: separate its values by commas")
            if not re.fullmatch(r"[A-Za-z_]\w*", name):
                raise ValueError(f"write parameters like this: {EXAMPLE}")
            found[name] = []
        if not name:
            raise ValueError(f"write parameters like this: {EXAMPLE}")
        value = after.strip() if sign else part
        if value:
            if _value(value) in found[name]:
                raise ValueError(f"{name} has the value {value} twice")
            found[name].append(_value(value))
    for name, values in found.items():
        if not values:
            raise ValueError(f"{name} has no value")
    return {name: tuple(values) for name, values in found.items()}


def written(parameters: Mapping[str, tuple[Value, ...]]) -> str:
    """Return the text that :func:`parsed` reads as these values."""
    return "; ".join(
        f"{name} = {', '.join(map(str, values))}" for name, values in parameters.items()
    )


def _value(text: str) -> Value:
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
        if math.isfinite(value):
            return value
    return text


_DEVICES = {"cpu:1": "one core", "cpu": "all cores", "cuda": "GPU"}
_BY_AIM = "aim "  # how the data of an item begins that stands for an aim


class ColonyRow(QFrame):
    """Fields of one colony."""

    changed = Signal()  # the user changed something
    remove_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._shown = ColonyDesign("")  # keeps what there is no field for: tour, instances
        self.taken: Callable[[], Collection[str]] = tuple  # what other colonies are called
        self._called = ""  # the colony or aim that the label may be named after
        self.label = make_line(
            "Label of the colony",
            "What tables and plots call it; empty: its name",
            empty="Label",
            most=LONGEST_ROW_LABEL,
        )
        self.label.setMinimumWidth(60)
        self.colony = FamilyBox(4)
        self.colony.setToolTip("Which colony, or the aim by which the program chooses one")
        self.variant = ChoiceBox(4, "Variant", "Which variant; else the first that the device runs")
        self.colony.show_families(catalog.families())
        for aim in Aim:
            self.colony.addItem(f"aim: {aim}", f"{_BY_AIM}{aim}")
        self.device = ChoiceBox(4, "Kind of device", "What each run of it gets")
        for name, text in _DEVICES.items():
            self.device.addItem(text, name)
        self.remove = make_button("plain", "", "Remove this colony", self.remove_requested)
        self.remove.setAccessibleName("Remove this colony")
        self.parameters = make_line(
            "Parameters",
            "Parameters that differ from the colony's usual ones. Several values, separated by "
            f"commas, are tried one after the other, in every combination: {EXAMPLE}",
            empty=f"As usual, or: {EXAMPLE}",
        )
        self.problem_label = make_label("problem", wrap=True)
        self.problem_label.hide()
        for entry in (self.label, self.parameters):
            entry.textEdited.connect(lambda _: self._edited())
        self.colony.activated.connect(lambda _: self._show_variants())
        for chooser in (self.colony, self.variant):
            chooser.activated.connect(lambda _: self._rename())
        for box in (self.colony, self.variant, self.device):
            box.activated.connect(lambda _: self._edited())
        rows = (
            fill(QHBoxLayout(), (self.colony, 1), self.remove, spacing=4),
            fill(QHBoxLayout(), (self.device, 1), (self.variant, 2), spacing=4),
            fill(QHBoxLayout(), (self.label, 1), (self.parameters, 2), spacing=4),
        )
        parts = *rows, self.problem_label
        fill(QVBoxLayout(self), *parts, margins=(6, 5, 6, 5), spacing=4)
        fields = self.device, self.variant, self.label, self.parameters
        self.order = self.colony, self.remove, *fields  # of Tab
        self._show_variants()

    @property
    def name(self) -> str:
        """What it is called."""
        return self.label.text().strip() or self._chosen.replace(_BY_AIM, "aim: ")

    @property
    def family(self) -> str:
        """The short name of its family, or what stands for the aim."""
        return str(self.colony.currentData() or "")

    def equals(self, other: ColonyDesign) -> bool:
        """Whether it is the same colony on the same kind of device, with the same parameters."""
        try:
            mine = self.design
        except DesignError:
            return False
        return all(
            getattr(mine, name) == getattr(other, name)
            for name in ("colony", "aim", "device", "parameters")
        )

    @property
    def _chosen(self) -> str:
        """The colony's name, short or full, or the aim."""
        return str(self.variant.currentData() or self.colony.currentData() or "")

    def _show_variants(self, chosen: str = "") -> None:
        """List the variants of the family, and choose one, or the device's."""
        self.variant.clear()
        name = self.colony.currentData()
        rows = next((those for one, those in catalog.families().items() if one.name == name), [])
        add_choice(self.variant, "variant: the device's", "")
        for system in rows:
            add_choice(self.variant, system.name, system.name, system.summary)
        self.variant.setCurrentIndex(max(self.variant.findData(chosen), 0))
        self.variant.setVisible(len(rows) > 1)

    def _rename(self) -> None:
        """Let a label that only names the colony name the one that is chosen now."""
        before, self._called = self._called, self._chosen.removeprefix(_BY_AIM)
        if re.fullmatch(rf"{re.escape(before)}( \d+)?", self.label.text().strip()):
            self.label.setText(free_label(self._called, self.taken()))
            self.label.setCursorPosition(0)

    @property
    def design(self) -> ColonyDesign:
        """What the fields say; DesignError if that is no colony."""
        chosen = self._chosen
        by_aim = chosen.startswith(_BY_AIM)
        try:
            parameters = parsed(self.parameters.text())
        except ValueError as error:
            raise DesignError(f"{self.name}: {error}") from error
        return replace(
            self._shown,
            label=" ".join(self.name.split()),
            colony="" if by_aim else chosen,
            aim=chosen.removeprefix(_BY_AIM) if by_aim else "",
            device=self.device.currentData(),
            parameters=parameters,
        )

    def show_design(self, one: ColonyDesign) -> None:
        """Show another colony."""
        chosen = one.colony or f"{_BY_AIM}{one.aim}"
        known = [catalog.family_of(row).name for row in catalog.CATALOG if row.name == chosen]
        family = next(iter((*known, chosen)))
        if self.colony.findData(family) < 0:
            self.colony.addItem(chosen, chosen)  # the plan says what is wrong with it
        self.colony.setCurrentIndex(self.colony.findData(family))
        self._show_variants(chosen)
        self.device.setCurrentIndex(self.device.findData(one.device))
        self.label.setText(one.label)
        self.parameters.setText(written(one.parameters))
        for entry in (self.label, self.parameters):
            entry.setCursorPosition(0)
        self._shown, self._called = one, self._chosen.removeprefix(_BY_AIM)
        more = [f"It begins with the tour {one.start}"] if one.start else []
        more += [f"It runs on {', '.join(one.instances)} alone"] if one.instances else []
        more += ["Nothing runs beside its runs"] if one.alone else []
        more += ["Its runs have limits of their own"] if one.budget else []
        self.setToolTip(plain_tip(". ".join(more)))
        self._check()

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and sizes."""
        self.remove.setIcon(icon("close", theme, "muted"))

    def _edited(self) -> None:
        self._check()
        self.changed.emit()

    def _check(self) -> None:
        text = ""
        try:
            parsed(self.parameters.text())
        except ValueError as error:
            text = str(error)
        self.problem_label.setText(text)
        self.problem_label.setVisible(bool(text))


def free_label(colony: str, taken: Collection[str]) -> str:
    """Return the colony's name, with a number where that is ``taken``."""
    label, number = colony, 1
    while label in taken:
        number += 1
        label = f"{colony} {number}"
    return label


def design_of(
    colony: str, device: str, parameters: Mapping[str, object], taken: Collection[str]
) -> ColonyDesign:
    """Return a colony as the setup panel has it, with a label that is not ``taken``."""
    kind = "cuda" if device.startswith("cuda") else device
    values = {
        name: ("auto" if value is None else str(value),) for name, value in parameters.items()
    }
    return ColonyDesign(
        label=free_label(colony, taken),
        colony=colony,
        device=kind,  # type: ignore[arg-type]  # it is a Place
        parameters=parsed(written(values)),
    )
