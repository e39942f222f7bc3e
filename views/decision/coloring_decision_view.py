"""One decision of an ant that colors a graph: the class it fills, who may join it, its choice."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget

from gpu.core.decisions.coloring_decision import ColoringDecision
from gpu.core.decisions.tabu_move import TabuMove, Unanswered
from gpu.drawing.drawing import GraphDrawing
from gpu.problems.coloring.instance import GraphInstance
from views.decision import coloring_words, move_words
from views.decision.coloring_chances import ColoringBars, ColoringDraws, MoveBars
from views.decision.decision_graph import DecisionGraph
from views.decision.replayed_view import ReplayedView
from views.widgets.controls import OptionButtons, make_button
from views.widgets.labels import make_label
from views.widgets.layouts import fill
from views.widgets.theme import Theme, icon
from views.widgets.view import Pointed

_ROOM_FOR_WHEEL = 520  # least height of the view in pixels


class ColoringDecisionView(ReplayedView[ColoringDecision | TabuMove | Unanswered]):
    """How an ant chooses the next vertex of a color class, or a tabu search its next move."""

    key = "coloring-decision"
    title = "Decision"
    # The vertices need places: an Arrangement, or None for the one that suits the graph, and the
    # coloring, which is None. The result is given to :meth:`show_drawing`.
    drawing_wanted = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self._graph: GraphInstance | None = None
        self.graph, self.draws, self.bars = DecisionGraph(), ColoringDraws(), ColoringBars()
        self.moves = MoveBars()
        # How many tabu searches there are, and how many moves each makes in an iteration.
        self._searches, self._moves = 0, 0
        self.who = OptionButtons(
            {"ants": "Ants", "searches": "Searches"}, "Whose decisions: the ants', or the searches'"
        )
        self.who.chosen.connect(self._choose_who)
        self.who.hide()
        self.formula = make_label("note", wrap=True)
        for part in (self.graph, self.bars, self.moves):
            part.pointed.connect(self._point)
        self.fit_button = make_button("plain", tip="Show the whole graph (F)")
        self.fit_button.setAccessibleName("Show the whole graph")
        self.fit_button.clicked.connect(self.fit)
        head = fill(QHBoxLayout(), (self.graph.legend, 1), self.fit_button)
        tables = QStackedWidget()
        tables.addWidget(self.bars)
        tables.addWidget(self.moves)
        self._tables = tables
        self._fill(self.graph, head, self.formula, self.draws, tables)
        self.top.addWidget(self.who, 0, Qt.AlignmentFlag.AlignLeft)

    def show_instance(self, instance: GraphInstance | None) -> None:
        """Show the vertices of ``instance`` as soon as they have places."""
        self._graph = instance
        self.graph.show_instance(instance)
        self.refuse("One ant's decision, step by step, is shown here.")
        self._ask_for_places()

    def show_drawing(self, drawing: GraphDrawing) -> None:
        """Give the vertices their places."""
        self.graph.show_drawing(drawing)

    def offer_searches(self, searches: int, moves: int) -> None:
        """Offer so many tabu searches with so many moves, too; the next :meth:`offer` does it."""
        self._searches, self._moves = searches, moves
        self.who.setVisible(searches > 0)
        if not searches and self._searching:
            self.who.buttons["ants"].setChecked(True)
            self._call()

    @property
    def chosen(self) -> tuple[int, int]:
        """Whose decision is wanted, searches counted on after the ants, and which step."""
        who, step = self.controls.chosen
        return (self._ants + who if self._searching else who), step

    def show_parts(self, decision: ColoringDecision | TabuMove | Unanswered) -> None:
        """Show the graph, and the wheel and the chances, or the moves."""
        if isinstance(decision, ColoringDecision):
            self.words.setText(coloring_words.sentence(decision))
            self.formula.setText(coloring_words.formula(decision))
            self.draws.show_decision(decision, ())
            self.bars.show_decision(decision, ())
            self.graph.layer.show_step(decision)
        elif isinstance(decision, TabuMove):
            self.words.setText(move_words.sentence(decision))
            self.formula.setText(move_words.formula(decision))
            self.moves.show_decision(decision, ())
            self.graph.layer.show_step(decision)

    def point_out(self, part: Pointed) -> None:
        """Light up vertices in the graph, and their rows."""
        self.graph.point_out(part)
        self.bars.point_out(part)
        self.moves.point_out(part)

    def fit(self) -> None:
        """Show the whole graph."""
        self.graph.fit()

    def apply_theme(self, theme: Theme) -> None:
        """Change colours."""
        super().apply_theme(theme)
        self.graph.explain(search=self._searching)
        self.fit_button.setIcon(icon("fit", theme, "muted"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the wheel out where there is little room: words and table say what it shows."""
        super().resizeEvent(event)
        self._show_wheel()

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for the vertices' places, which take a while to compute."""
        super().showEvent(event)
        self._ask_for_places()

    @property
    def _searching(self) -> bool:
        return self.who.value == "searches"

    def _set_limits(self) -> None:
        if self._searching:
            self.controls.set_limits(self._searches, self._moves)
        else:
            super()._set_limits()

    @Slot()
    def _choose_who(self) -> None:
        """Show the decisions of ants, or those of searches."""
        self.controls.stop()
        self._call()
        self._set_limits()
        self.ask()

    def _call(self) -> None:
        self.controls.call(*(("Search", "Move") if self._searching else ("Ant", "Step")))
        self._tables.setCurrentIndex(1 if self._searching else 0)
        self.graph.explain(search=self._searching)
        self._show_wheel()

    def _show_wheel(self) -> None:
        room = self.height() >= _ROOM_FOR_WHEEL
        self.draws.setVisible(room and not self._searching)

    def _ask_for_places(self) -> None:
        if self._graph is not None and self.graph.drawing is None and self.isVisible():
            self.drawing_wanted.emit(None, None)
