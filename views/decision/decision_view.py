"""One decision of an ant that makes a tour, or one step of an ant that changes one."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from gpu.core.decisions.decision import Decision
from gpu.core.decisions.tabu_move import Unanswered
from gpu.core.decisions.tour_change import TourChange
from gpu.problems.tsp.instance import TspInstance
from views.decision import change_words
from views.decision.change_bars import ChangeBars
from views.decision.decision_bars import DecisionBars
from views.decision.decision_draws import DecisionDraws
from views.decision.decision_map import DecisionMap
from views.decision.decision_words import sentence
from views.decision.replayed_view import ReplayedView
from views.widgets.labels import make_label
from views.widgets.layouts import fill
from views.widgets.view import Pointed


class DecisionView(ReplayedView[Decision | TourChange | Unanswered]):
    """How an ant chooses the next city of its tour, or changes the tour that it has."""

    key = "decision"
    title = "Decision"
    given = 1  # the city where it starts

    def __init__(self) -> None:
        super().__init__()
        self.map, self.draws, self.bars = DecisionMap(), DecisionDraws(), DecisionBars()
        self.changes, self.formula = ChangeBars(), make_label("note", wrap=True)
        for part in (self.map, self.bars, self.changes):
            part.pointed.connect(self._point)
        head = fill(QHBoxLayout(), self.map.extent, 8, (self.map.legend, 1))
        choice, change, self._pages_of = QWidget(), QWidget(), QStackedWidget()
        fill(QVBoxLayout(choice), self.draws, (self.bars, 1))
        fill(QVBoxLayout(change), self.formula, (self.changes, 1))
        for page in (choice, change):
            self._pages_of.addWidget(page)
        self._fill(self.map, head, self._pages_of)

    def show_instance(self, instance: TspInstance | None) -> None:
        """Show the cities of ``instance``."""
        self.map.show_instance(instance)
        self.refuse("One ant's decision, step by step, is shown here.")

    def show_parts(self, decision: Decision | TourChange | Unanswered) -> None:
        """Show the map, and the draws and the chances, or what is changed."""
        ids = self.map.layer.ids
        if isinstance(decision, Decision):
            self.words.setText(sentence(decision, ids))
            self.draws.show_decision(decision, ids)
            self.bars.show_decision(decision, ids)
            self._pages_of.setCurrentIndex(0)
            self.map.show_decision(decision)
        elif isinstance(decision, TourChange):
            self.words.setText(change_words.sentence(decision, ids))
            self.formula.setText(change_words.formula(decision))
            self.changes.show_decision(decision, ids)
            self._pages_of.setCurrentIndex(1)
            self.map.show_decision(decision)

    def point_out(self, part: Pointed) -> None:
        """Light up a city or an edge on the map, and the rows of its cities."""
        self.map.lit.light(part)
        self.bars.point_out(part)
        self.changes.point_out(part)
