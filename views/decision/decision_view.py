"""One decision of an ant that makes a tour: its city, those it considers, its draws, its choice."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout

from gpu.core.decision import Decision
from gpu.problems.tsp.instance import TspInstance
from views.decision.decision_bars import DecisionBars
from views.decision.decision_draws import DecisionDraws
from views.decision.decision_map import DecisionMap
from views.decision.decision_words import sentence
from views.decision.replayed_view import ReplayedView
from views.widgets.layouts import fill
from views.widgets.pointed import Pointed


class DecisionView(ReplayedView[Decision]):
    """How an ant chooses the next city of its tour."""

    key = "decision"
    title = "Decision"
    given = 1  # the city where it starts

    def __init__(self) -> None:
        super().__init__()
        self.map, self.draws, self.bars = DecisionMap(), DecisionDraws(), DecisionBars()
        for part in (self.map, self.bars):
            part.pointed.connect(self._point)
        head = fill(QHBoxLayout(), self.map.extent, 8, (self.map.legend, 1))
        self._fill(self.map, head, self.draws, self.bars)

    def show_instance(self, instance: TspInstance | None) -> None:
        """Show the cities of ``instance``."""
        self.map.show_instance(instance)
        self.refuse("One ant's decision, step by step, is shown here.")

    def show_parts(self, decision: Decision) -> None:
        """Show the map, the draws and the chances."""
        ids = self.map.layer.ids
        self.words.setText(sentence(decision, ids))
        self.map.show_decision(decision)
        self.draws.show_decision(decision, ids)
        self.bars.show_decision(decision, ids)

    def point_out(self, part: Pointed) -> None:
        """Light up a city or an edge on the map, and the rows of its cities."""
        self.map.lit.light(part)
        self.bars.point_out(part)
