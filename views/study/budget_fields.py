"""When each run of a study ends: a field for each limit; an empty one is no limit."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from gpu.core.stop_limits import STOP_LIMITS
from gpu.run.stopping import StopSettings
from views.setup.fields import NumberField
from views.widgets.labels import make_label, plain_tip
from views.widgets.layouts import FlowLayout, fill


class BudgetFields(QWidget):
    """The first limit that is reached ends a run."""

    changed = Signal()  # the user changed something

    def __init__(self) -> None:
        super().__init__()
        self.fields: dict[str, NumberField] = {}
        groups = []
        for name, limit in STOP_LIMITS.items():
            field = NumberField(f"Limit of each run: {limit.brief}")
            field.entry.setFixedWidth(64)
            field.entry.setPlaceholderText("–")
            field.entry.setToolTip(plain_tip(f"{limit.tip}; empty: no limit"))
            field.changed.connect(self._edited)
            self.fields[name] = field
            group = QWidget()
            fill(QHBoxLayout(group), field, make_label("muted", limit.brief), spacing=4)
            groups.append(group)
        self.go_on = QCheckBox("Go on at the best known cost")
        self.go_on.setToolTip("Without this, a run ends at once where it finds the best known cost")
        self.go_on.toggled.connect(lambda _: self.changed.emit())
        flow = QWidget()
        flow.setLayout(FlowLayout(*groups, self.go_on))
        fill(QVBoxLayout(self), flow)

    @property
    def budget(self) -> StopSettings:
        """The limits; ParameterError if one is out of its range."""
        limits = {
            name: self._number(name, field.text)
            for name, field in self.fields.items()
            if field.text and not field.problem
        }
        return StopSettings.from_dict({**limits, "go_on": self.go_on.isChecked()})

    @property
    def problem(self) -> str:
        """What is wrong with a field, or nothing."""
        return next((f"{name} {one.problem}" for name, one in self._wrong), "")

    def show_budget(self, budget: StopSettings) -> None:
        """Show other limits."""
        values = budget.to_dict()
        for name, field in self.fields.items():
            value = values.get(name)
            field.text = "" if value is None else f"{value!r}".removesuffix(".0")
        self.go_on.setChecked(budget.go_on)
        self._check()

    @property
    def _wrong(self) -> list[tuple[str, NumberField]]:
        return [(STOP_LIMITS[name].brief, one) for name, one in self.fields.items() if one.problem]

    def _edited(self) -> None:
        self._check()
        self.changed.emit()

    def _check(self) -> None:
        for name, field in self.fields.items():
            wanted = ""
            if field.text:
                try:
                    wanted = STOP_LIMITS[name].wanted(self._number(name, field.text))
                except ValueError:
                    wanted = "a number"
            field.problem = f"must be {wanted}" if wanted else ""

    @staticmethod
    def _number(name: str, text: str) -> float:
        if STOP_LIMITS[name].whole:
            try:
                return int(text)
            except ValueError:
                pass
        return float(text)
