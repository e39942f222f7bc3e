"""One step of an ant or a search of the next iteration: what it may do, and what it does."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from gpu.core.decisions import Step, Unanswered
from gpu.core.instance import Instance
from gpu.core.machine.compiling import Compiled
from gpu.drawing.drawing import GraphDrawing
from views.decision.step_canvas import StepCanvas
from views.decision.step_controls import DECISION_KEYS, StepControls
from views.decision.step_parts import OptionBars, Scales
from views.problem_display import display_of
from views.widgets.controls import OptionButtons, make_button
from views.widgets.labels import Label, make_label
from views.widgets.layouts import Wrapping, fill, scrolled
from views.widgets.theme import Theme, icon
from views.widgets.view import Pointed, View, ViewSource

_STAYS = 250  # milliseconds for which a decision stays visible while the run goes on
_FOLLOWS_ANT = "Walking with the ant …"  # until the first answer is shown
_COMPILES = (
    "The code that follows the ants is being compiled, once on this machine: "
    "{} % of its functions are done."
)
_BROAD = 1.25  # least width / height with the picture beside the options instead of above them


class DecisionView(View):
    """Replays the ants of the next iteration, step by step.

    While it is visible, it asks for the step that it wants, and shows the answer when it comes.
    """

    key = "decision"
    title = "Decision"
    has_values = True
    keys = DECISION_KEYS
    asked = Signal(int, int)  # ant (from 0) and step of the decision that is wanted
    looked_at = Signal()  # the view became visible
    # The vertices of a graph need places: an Arrangement, or None for the one that suits the graph,
    # and the coloring, which is None. The result is given to :meth:`show_drawing`.
    drawing_wanted = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self._reason = ""
        self._when, self._iteration = "", 0
        self._source: ViewSource | None = None
        self._instance: Instance | None = None
        # How many ants there are, and steps of each; and the same of tabu searches.
        self._ants, self._searches = (1, 1), (0, 0)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_STAYS)
        self._patience.timeout.connect(lambda: self.refuse(self._reason))
        self.decision: Step | None = None
        self._told: tuple[int, int] | None = None  # about whose decision the last answer was
        self.controls = StepControls()
        self.controls.changed.connect(self.ask)
        self.who = OptionButtons(
            {"ants": "Ants", "searches": "Searches"}, "Whose decisions: the ants', or the searches'"
        )
        self.who.chosen.connect(self._choose_who)
        self.who.hide()
        self.words, self.hint, self.note = Label(), Label(), make_label("note", wrap=True)
        self.formula = make_label("note", wrap=True)
        for label, role in ((self.words, "words"), (self.hint, "welcome")):
            label.setProperty("role", role)
            label.setWordWrap(True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.words.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.canvas, self.scales, self.bars = StepCanvas(), Scales(), OptionBars()
        for part in (self.canvas, self.bars):
            part.pointed.connect(self._point)
        self.fit_button = make_button("plain", tip="Show the whole graph (F)")
        self.fit_button.setAccessibleName("Show the whole graph")
        self.fit_button.clicked.connect(self.fit)
        head = fill(QHBoxLayout(), self.canvas.extent, 8, (self.canvas.legend, 1), self.fit_button)
        beside, page = QWidget(), Wrapping()
        fill(QVBoxLayout(beside), self.formula, self.scales, (self.bars, 1))
        self.parts = QSplitter(Qt.Orientation.Vertical)
        self.parts.setChildrenCollapsible(False)
        self.parts.setHandleWidth(8)
        self.parts.addWidget(self.canvas)
        self.parts.addWidget(beside)
        self.parts.setSizes([500, 500])
        fill(QVBoxLayout(page), self.words, head, (self.parts, 1), self.note)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.hint)
        self.pages.addWidget(scrolled(page))  # a small window has no room for all parts
        top = fill(QVBoxLayout(), self.controls)  # always in sight
        top.addWidget(self.who, 0, Qt.AlignmentFlag.AlignLeft)
        fill(QVBoxLayout(self), top, (self.pages, 1), margins=(8, 8, 8, 6))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.apply_theme(self.theme)
        self.show_instance(None)

    @property
    def source(self) -> ViewSource | None:
        """Whose ants decide, if they are not those of the run in sight."""
        return self._source if self.decision is not None else None

    def show_instance(self, instance: Instance | None) -> None:
        """Show the cities of ``instance``, or its vertices as soon as they have places."""
        self._instance = instance
        self.canvas.show_instance(instance)
        self.fit_button.setVisible(not self.canvas.can_be_near)
        self.refuse("One ant's decision, step by step, is shown here.")
        self._ask_for_places()

    def show_drawing(self, drawing: GraphDrawing) -> None:
        """Give the vertices their places."""
        self.canvas.show_drawing(drawing)

    def refuse(self, reason: str) -> None:
        """Show ``reason`` instead of a decision, and ask for none."""
        self._patience.stop()
        self._reason, self.decision = reason, None
        self.controls.stop()
        self.controls.setEnabled(False)
        self.hint.setText(reason)
        self.pages.setCurrentIndex(0)

    def wait(self, reason: str) -> None:
        """Ask for nothing now, because of ``reason``, and show that after a moment.

        A single iteration is over before that, so that the page does not flicker.
        """
        if not self._reason:
            self._reason = reason
            self._patience.start()
        elif self._reason != reason:
            self.refuse(reason)

    def offer(
        self,
        ants: int,
        places: int,
        when: str,
        iteration: int,
        source: ViewSource | None = None,
        *,
        steps: int = 0,
        searches: int = 0,
        moves: int = 0,
    ) -> None:
        """Ask from now on, because there are answers.

        A solution has so many ``places``; an ant that changes one makes so many ``steps`` instead.
        Tabu ``searches`` with so many ``moves`` are counted on after the ants. ``when`` says what
        is replayed, as a sentence without its full stop. ``iteration`` is its number, from 0;
        answers for another one are dropped. ``source`` says whose ants decide, if they are not
        those of the run in sight.
        """
        self._patience.stop()
        self._reason, self._when, self._iteration = "", when, iteration
        self._source, self._told = source, None
        self._ants = ants, steps or places - display_of(self._instance).given
        self._searches = searches, moves
        self.who.setVisible(searches > 0)
        if not searches:
            self.who.buttons["ants"].setChecked(True)
        self._set_limits()
        self.hint.setText(_FOLLOWS_ANT)
        self.ask()

    def show_compiling(self, count: Compiled | None) -> None:
        """Show what share of the functions is compiled that the first answer needs, or None."""
        if not self._reason and self._told is None:
            self.hint.setText(_FOLLOWS_ANT if count is None else _COMPILES.format(count.percent))

    @property
    def waits(self) -> bool:
        """Whether the first answer about the offered iteration is still to come."""
        shown = self.decision
        return not self._reason and (shown is None or shown.iteration != self._iteration)

    @property
    def answered(self) -> bool:
        """Whether the chosen decision is in sight, or why there is none."""
        return not self._reason and self._told == self.chosen

    @property
    def chosen(self) -> tuple[int, int]:
        """Whose decision is wanted, searches counted on after the ants, and which step."""
        who, step = self.controls.chosen
        return (self._ants[0] + who if self._searching else who), step

    @property
    def _searching(self) -> bool:
        return self.who.value == "searches"

    def ask(self) -> None:
        """Ask for the chosen decision, if it can be answered and the view is visible."""
        if not self._reason and self.isVisible():
            self.asked.emit(*self.chosen)

    def show_decision(self, decision: Step | Unanswered) -> None:
        """Show an answer, unless it belongs to an earlier question."""
        about = decision.ant, decision.number
        if self._reason or about != self.chosen or decision.iteration != self._iteration:
            return
        self._told = about
        if isinstance(decision, Unanswered):
            self.decision = None
            self.hint.setText(decision.why)
            self.pages.setCurrentIndex(0)
            return
        self.decision = decision
        self.words.setText(decision.sentence)
        self.formula.setText(decision.formula)
        self.formula.setVisible(bool(decision.formula))
        self.note.setText(f"{self._when}. {decision.caveat}")
        self.canvas.show_picture(decision.picture)
        self.scales.show_step(decision)
        self.bars.show_step(decision)
        self.pages.setCurrentIndex(1)
        self.controls.answered()

    @Slot()
    def _choose_who(self) -> None:
        """Show the decisions of ants, or those of searches."""
        self.controls.stop()
        self._set_limits()
        self.ask()

    def _set_limits(self) -> None:
        """Let the controls choose any decision that there is."""
        self.controls.call(*(("Search", "Move") if self._searching else ("Ant", "Step")))
        self.controls.set_limits(*(self._searches if self._searching else self._ants))

    @Slot(object)
    def _point(self, part: Pointed) -> None:
        self.point_out(part)
        self.point_to(part)

    def point_out(self, part: Pointed) -> None:
        """Light up places on the map or in the graph, and their rows."""
        self.canvas.lit.light(part)
        self.bars.point_out(part)

    def fit(self) -> None:
        """Show the whole graph, or the surroundings of the ant, again."""
        self.canvas.fit()

    def apply_theme(self, theme: Theme) -> None:
        """Change colours."""
        super().apply_theme(theme)
        self.fit_button.setIcon(icon("fit", theme, "muted"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step with the keys of ``DECISION_KEYS``."""
        if not self.controls.press(event):
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the picture beside the options or above them, whichever fits the shape."""
        super().resizeEvent(event)
        broad = self.width() > _BROAD * self.height()
        way = Qt.Orientation.Horizontal if broad else Qt.Orientation.Vertical
        if way is not self.parts.orientation():
            self.parts.setOrientation(way)
            self.parts.setSizes([500, 500])

    def showEvent(self, event: QShowEvent) -> None:
        """Say that the view is visible: what can be answered may have changed."""
        super().showEvent(event)
        self._ask_for_places()
        self.looked_at.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop playing."""
        super().hideEvent(event)
        self.controls.stop()

    def _ask_for_places(self) -> None:
        """Ask for the vertices' places, which take a while to compute."""
        if self._instance is not None and not self.canvas.has_places and self.isVisible():
            self.drawing_wanted.emit(None, None)
