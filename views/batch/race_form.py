"""What is set up for all lanes of a race: their budget, and whether they run at once."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from gpu.core.problem import Problem
from views.batch.lane_card import LANE_ROLES
from views.setup.fields import ChoiceBox, NumberField
from views.setup.forms import limit_problem
from views.widgets.controls import OptionButtons, make_button
from views.widgets.labels import make_label, plain_tip
from views.widgets.layouts import FlowLayout, fill

_USUAL_BUDGETS = {"seconds": "30", "iterations": "1000", "solutions": "100000"}  # by kind of budget

_HELD = "A run goes on. Stop it: then the panel offers other colonies for the next lane."


class RaceForm(QWidget):
    """Buttons and fields above the lanes."""

    add_requested = Signal()
    one_seed_chosen = Signal(bool)
    changed = Signal()  # the user changed the budget
    mode_chosen = Signal(bool)  # whether the lanes run one after the other

    def __init__(self) -> None:
        super().__init__()
        self._typed = dict(_USUAL_BUDGETS)
        self.add = make_button("", clicked=self.add_requested)
        self.one_seed = QCheckBox("One seed for all")
        self.one_seed.setToolTip("Every lane gets the seed of the first one")
        self.one_seed.toggled.connect(self.one_seed_chosen)
        tip = "What is limited: time, iterations or tours"
        self.kind = ChoiceBox(8, "What is limited", tip)
        for kind in _USUAL_BUDGETS:
            self.kind.addItem(kind, kind)
        self.kind.activated.connect(lambda _: self._choose_kind())
        self.amount = NumberField("Budget of each lane")
        self.amount.entry.setFixedWidth(64)
        self.amount.text = _USUAL_BUDGETS["seconds"]
        self.amount.changed.connect(self._edited)
        self.mode = OptionButtons(
            {"together": "At once", "turn": "In turn"},
            "Whether lanes run at the same time, or one after the other",
        )
        self.mode.chosen.connect(lambda key: self.mode_chosen.emit(key == "turn"))
        self.last = self.mode.buttons["turn"]  # that Tab reaches
        self.shared = make_label("note", wrap=True)
        self.held = make_label("note", _HELD, wrap=True)
        budget = QWidget()
        each = make_label("muted", "Each lane has")
        each.setBuddy(self.amount.entry)
        fill(QHBoxLayout(budget), each, self.amount, self.kind, spacing=6)
        self.choices = QWidget()
        lanes = QWidget()
        fill(QHBoxLayout(lanes), self.add, self.one_seed, spacing=8)
        self.choices.setLayout(FlowLayout(lanes, budget, self.mode))
        fill(QVBoxLayout(self), self.choices, self.held, self.shared, spacing=4)
        self.shared.hide()
        self.held.hide()
        self.show_change(None)

    @property
    def problem(self) -> str:
        """What is wrong with the budget, or nothing."""
        return self.amount.problem

    @property
    def budget(self) -> tuple[str, float]:
        """Kind and amount; valid only while there is no problem."""
        return str(self.kind.currentData()), float(self.amount.text)

    def show_problem(self, problem: Problem) -> None:
        """Use the words of ``problem``."""
        self.kind.setItemText(self.kind.findData("solutions"), problem.words.solutions)

    def show_budget(self, kind: str, amount: float) -> None:
        """Show another budget."""
        self.kind.setCurrentIndex(self.kind.findData(kind))
        self.amount.text = self._typed[kind] = f"{amount!r}".removesuffix(".0")
        self._check()

    def show_mode(self, *, in_turn: bool, shared: str) -> None:
        """Show whether lanes run one after the other, and what they share."""
        self.mode.buttons["turn" if in_turn else "together"].setChecked(True)
        if in_turn and shared:
            shared = f"One after the other. {shared}."
        self.shared.setText(shared)
        self.shared.setVisible(bool(shared))

    def show_change(self, lane: int | None, *, full: bool = False) -> None:
        """Say where the button puts what is set up: into ``lane``, or into a new one."""
        text = "Add as a lane" if lane is None else f"Put into lane {lane + 1}"
        where = "the next lane" if lane is None else f"lane {lane + 1}"
        tip = f"Put the panel's colony, device, parameters and seed into {where}"
        self.add.setText(text)
        self.add.setToolTip(
            plain_tip(f"A race has {len(LANE_ROLES)} lanes at most" if full else tip)
        )
        self.add.setEnabled(not full)

    def _choose_kind(self) -> None:
        self.amount.text = self._typed[str(self.kind.currentData())]
        self._edited()

    def _edited(self) -> None:
        self._typed[str(self.kind.currentData())] = self.amount.text
        self._check()
        self.changed.emit()

    def _check(self) -> None:
        self.amount.problem = limit_problem(str(self.kind.currentData()), self.amount.text)
