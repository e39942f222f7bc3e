"""When a run ends on its own: at the first of the ticked limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QWidget

from gpu.core.instance import Instance
from gpu.core.stop_limits import STOP_LIMITS
from views.problem_display import display_of
from views.setup.number_field import NumberField


@dataclass(frozen=True, slots=True)
class LimitRow:
    """One row of the form: the limit's title, its unit, its usual value and a tip."""

    title: str
    unit: str
    usual: str
    tip: str


ROWS = {
    "seconds": LimitRow("Time", "s", "60", "Stop after so many seconds of solving"),
    "iterations": LimitRow("Iterations", "", "1000", "Stop after exactly so many"),
    "target_gap": LimitRow("Gap", "%", "1", "Stop when the gap to the optimum is that small"),
    "target_length": LimitRow("Cost", "", "0", "Stop at such a cost"),
    "no_improvement": LimitRow(
        "Stagnation", "iterations", "500", "Stop when so many in a row find nothing"
    ),
}
"""The rows of the form, by the limits' names in ``STOP_LIMITS``."""


class StopForm(QWidget):
    """A check box and a number for each limit.

    Attributes
    ----------
    changed : Signal
        The user changed a limit.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.boxes: dict[str, QCheckBox] = {}
        self.fields: dict[str, NumberField] = {}
        self._impossible = ""
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(8)
        layout.setVerticalSpacing(2)
        layout.setColumnStretch(1, 1)
        for row, (name, limit) in enumerate(ROWS.items()):
            box, field, unit = QCheckBox(limit.title), NumberField(limit.title), QLabel(limit.unit)
            box.setToolTip(limit.tip)
            field.entry.setToolTip(limit.tip)
            field.text = limit.usual
            unit.setProperty("role", "note")
            box.toggled.connect(self._edited)
            field.changed.connect(lambda name=name: self._typed(name))
            self.boxes[name], self.fields[name] = box, field
            layout.addWidget(box, row, 0, Qt.AlignmentFlag.AlignVCenter)
            layout.addWidget(field, row, 1)
            layout.addWidget(unit, row, 2, Qt.AlignmentFlag.AlignVCenter)
        self.set_values({"seconds": 60.0})
        self.show_instance(None)

    def show_instance(self, instance: Instance | None) -> None:
        """Use the words of its problem, and allow a gap only if an optimum is known."""
        optimum, display = instance.optimum if instance else None, display_of(instance)
        possible = optimum or instance is None
        self._impossible = "" if possible else "No optimum is known for this instance"
        self.boxes["target_gap"].setToolTip(self._impossible or ROWS["target_gap"].tip)
        cost, field = self.boxes["target_length"], self.fields["target_length"]
        title = display.words.cost.capitalize()
        cost.setText(title)
        for widget in (cost, field.entry):
            widget.setToolTip(display.cost_limit_tip)
        field.entry.setAccessibleName(title)
        if not cost.isChecked():
            field.text = str(optimum) if optimum else ROWS["target_length"].usual
        self._check()

    def values(self) -> dict[str, float | int | None]:
        """The number of each limit; None if it is not ticked. Valid only without problems."""
        found: dict[str, float | int | None] = {}
        for name, limit in STOP_LIMITS.items():
            value = float(self.fields[name].text) if self._ticked(name) else None
            found[name] = int(value) if limit.whole and value is not None else value
        return found

    def set_values(self, values: Mapping[str, float | int | None]) -> None:
        """Tick exactly the limits of ``values``, and fill in their numbers."""
        for name, box in self.boxes.items():
            value = values.get(name)
            box.blockSignals(True)
            box.setChecked(value is not None)
            box.blockSignals(False)
            if value is not None:
                self.fields[name].text = str(value).removesuffix(".0")
        self._check()

    @property
    def problems(self) -> list[str]:
        """What is wrong, one sentence a field."""
        return [field.problem for field in self.fields.values() if field.problem]

    def _ticked(self, name: str) -> bool:
        return self.boxes[name].isChecked() and not (name == "target_gap" and self._impossible)

    def _typed(self, name: str) -> None:
        self.boxes[name].setChecked(True)
        self._edited()

    def _edited(self, _: object = None) -> None:
        self._check()
        self.changed.emit()

    def _check(self) -> None:
        self.boxes["target_gap"].setEnabled(not self._impossible)
        self.fields["target_gap"].setEnabled(not self._impossible)
        for name in ROWS:
            field = self.fields[name]
            field.problem = _problem_of(name, field.text) if self._ticked(name) else ""


def _problem_of(name: str, text: str) -> str:
    """Return what is wrong with ``text`` as a limit of this name, or nothing."""
    try:
        value = float(text)
    except ValueError:
        return f"{text!r} is not a number" if text else "must be set"
    wanted = STOP_LIMITS[name].wanted(value)
    return f"must be {wanted}" if wanted else ""
