"""When a run ends on its own: at the first of the ticked limits."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QCheckBox

from gpu.aims import seconds_for
from gpu.core.instance import Instance
from gpu.core.stop_limits import STOP_LIMITS
from views.problem_display import display_of
from views.setup.fields import Form, NumberField
from views.widgets.labels import make_label, plain_tip


class StopForm(Form):
    """A check box and a number for each limit."""

    def __init__(self) -> None:
        super().__init__(wide=1)
        self.boxes: dict[str, QCheckBox] = {}
        self._impossible = ""  # why there can be no limit of the gap, or nothing
        for row, (name, limit) in enumerate(STOP_LIMITS.items()):
            box, field = QCheckBox(limit.title), NumberField(limit.title)
            unit = make_label("note", limit.unit)
            tip = limit.tip
            if name == "seconds":
                tip += "; small instances get fewer if you write none"
            for widget in (box, field.entry):
                widget.setToolTip(plain_tip(tip))
            field.text = limit.usual
            box.toggled.connect(self._edited)
            field.changed.connect(lambda name=name: self._typed(name))
            field.committed.connect(self.committed)
            box.clicked.connect(self.committed)
            self.boxes[name], self.fields[name] = box, field
            self._grid.addWidget(box, row, 0, Qt.AlignmentFlag.AlignVCenter)
            self._grid.addWidget(field, row, 1)
            self._grid.addWidget(unit, row, 2, Qt.AlignmentFlag.AlignVCenter)
        self.at_known = QCheckBox()  # whether a run ends at the best known cost
        self.at_known.toggled.connect(self._edited)
        self.at_known.clicked.connect(self.committed)
        self._grid.addWidget(self.at_known, len(STOP_LIMITS), 0, 1, 3)
        self._usual_time = STOP_LIMITS["seconds"].usual  # of the instance
        self.set_values({"seconds": 60.0})
        self._follows = True  # whether the time is the instance's usual one
        self.show_instance(None)

    def show_instance(self, instance: Instance | None) -> None:
        """Use the words of its problem, and allow a gap only if an optimum is known."""
        optimum, display = instance.optimum if instance else None, display_of(instance)
        possible = optimum or instance is None
        self._impossible = "" if possible else "There is no best known value for this instance"
        tip = self._impossible or STOP_LIMITS["target_gap"].tip
        self.boxes["target_gap"].setToolTip(plain_tip(tip))
        cost, field = self.boxes["target_length"], self.fields["target_length"]
        title = display.words.cost.capitalize()
        cost.setText(title)
        for widget in (cost, field.entry):
            widget.setToolTip(plain_tip(display.cost_limit_tip))
        field.entry.setAccessibleName(title)
        built = display.words.solutions.capitalize()
        self.boxes["solutions"].setText(built)
        self.fields["solutions"].entry.setAccessibleName(built)
        known = display.words.known
        self.at_known.setText(known.removeprefix("the ").capitalize())
        tip = f"Stop when {known} is found" if possible else self._impossible
        self.at_known.setToolTip(plain_tip(tip))
        self.at_known.setEnabled(instance is None or optimum is not None)
        if not cost.isChecked():
            field.text = str(optimum) if optimum else STOP_LIMITS["target_length"].usual
        self._check()

    def follow(self, instance: Instance | None) -> None:
        """Take the usual time of ``instance``, unless the user has written another one."""
        if instance is not None:
            self._usual_time = f"{seconds_for(instance):g}"
            if self._follows:
                self.fields["seconds"].text = self._usual_time
                self._check()

    def values(self) -> dict[str, float | int | None]:
        """The limits of a run, None where one is not ticked. Valid only without problems."""
        found: dict[str, float | int | None] = {}
        for name, limit in STOP_LIMITS.items():
            value = float(self.fields[name].text) if self._ticked(name) else None
            found[name] = int(value) if limit.whole and value is not None else value
        return {**found, "go_on": not self.at_known.isChecked()}

    def state(self) -> dict[str, object]:
        """Which limits are ticked, and their texts, right or wrong."""
        texts = {
            name: [self.boxes[name].isChecked(), one.text] for name, one in self.fields.items()
        }
        return {**texts, "go_on": not self.at_known.isChecked(), "usual_time": self._follows}

    def restore(self, state: Mapping[str, object]) -> None:
        """Show what :meth:`state` returned; what is anything else stays as it is."""
        with QSignalBlocker(self.at_known):
            self.at_known.setChecked(not state.get("go_on"))
        for name, box in self.boxes.items():
            match state.get(name):
                case [bool(ticked), str(text)]:
                    with QSignalBlocker(box):
                        box.setChecked(ticked)
                    self.fields[name].text = text[:40]
        usual = state.get("seconds") == [True, STOP_LIMITS["seconds"].usual]  # by an older version
        self._follows = state.get("usual_time", usual) is True
        if self._follows:
            self.fields["seconds"].text = self._usual_time
        self._check()

    def set_values(self, values: Mapping[str, float | int | None]) -> None:
        """Tick exactly the limits of ``values``, and fill in their numbers."""
        self._follows = False
        with QSignalBlocker(self.at_known):
            self.at_known.setChecked(not values.get("go_on"))
        for name, box in self.boxes.items():
            value = values.get(name)
            with QSignalBlocker(box):
                box.setChecked(value is not None)
            if value is not None:
                self.fields[name].text = str(value).removesuffix(".0")
        self._check()

    def _ticked(self, name: str) -> bool:
        return self.boxes[name].isChecked() and not (name == "target_gap" and self._impossible)

    def _typed(self, name: str) -> None:
        self._follows &= name != "seconds"
        self.boxes[name].setChecked(True)
        self._edited()

    def _check(self) -> None:
        for widget in (self.boxes["target_gap"], self.fields["target_gap"]):
            widget.setEnabled(not self._impossible)
        for name, field in self.fields.items():
            field.problem = limit_problem(name, field.text) if self._ticked(name) else ""


def limit_problem(name: str, text: str) -> str:
    """Return what is wrong with ``text`` as a limit of this name, or nothing."""
    try:
        value = float(text)
    except ValueError:
        return f"{text!r} is not a number" if text else "must be set"
    wanted = STOP_LIMITS[name].wanted(value)
    return f"must be {wanted}" if wanted else ""
