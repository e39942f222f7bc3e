"""One decision of an ant: its city, the cities it considers, its draws, and its choice."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from gpu.core.decision import Decision
from gpu.problems.tsp.instance import TspInstance
from views.decision.decision_bars import DecisionBars
from views.decision.decision_draws import DecisionDraws
from views.decision.decision_map import DecisionMap
from views.decision.decision_words import sentence
from views.decision.step_controls import KEYS, StepControls
from views.widgets.labels import Label
from views.widgets.layouts import fill
from views.widgets.pointed import Pointed
from views.widgets.view import Source, View

_PATIENCE = 250  # milliseconds for which a decision stays visible while the run goes on
_BROAD = 1.25  # least width / height with the map beside the chances instead of above them


class DecisionView(View):
    """Replays the ants of the next iteration, step by step.

    While it is visible, it asks for the decision that it wants, and shows the answer when it comes.
    """

    key = "decision"
    title = "Decision"
    keys = KEYS
    asked = Signal(int, int)  # ant (from 0) and step of the decision that is wanted
    looked_at = Signal()  # the view became visible

    def __init__(self) -> None:
        super().__init__()
        self._reason = ""
        self._when, self._iteration = "", 0
        self._source: Source | None = None
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE)
        self._patience.timeout.connect(lambda: self.refuse(self._reason))
        self.decision: Decision | None = None
        self.controls = StepControls()
        self.words, self.note, self.hint = Label(), Label(), Label()
        for label, role in ((self.words, "words"), (self.note, "note"), (self.hint, "welcome")):
            label.setProperty("role", role)
            label.setWordWrap(True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.words.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.map, self.draws, self.bars = DecisionMap(), DecisionDraws(), DecisionBars()
        chances = QWidget()
        fill(QVBoxLayout(chances), self.draws, (self.bars, 1))
        self.parts = QSplitter(Qt.Orientation.Vertical)
        self.parts.setChildrenCollapsible(False)
        self.parts.setHandleWidth(8)
        self.parts.addWidget(self.map)
        self.parts.addWidget(chances)
        self.parts.setSizes([500, 500])
        page = QWidget()
        legend = fill(QHBoxLayout(), self.map.extent, 8, (self.map.legend, 1))
        fill(QVBoxLayout(page), self.words, legend, (self.parts, 1), self.note)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.hint)
        self.pages.addWidget(page)
        fill(QVBoxLayout(self), self.controls, (self.pages, 1), margins=(8, 8, 8, 6))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.controls.changed.connect(self.ask)
        for part in (self.map, self.bars):
            part.pointed.connect(self._point)
        self.apply_theme(self.theme)
        self.show_instance(None)

    @property
    def source(self) -> Source | None:
        """Whose ants decide, if they are not those of the run in sight."""
        return self._source if self.decision is not None else None

    def show_instance(self, instance: TspInstance | None) -> None:
        """Show the cities of ``instance``."""
        self.map.show_instance(instance)
        self.refuse("One ant's decision, step by step, is shown here.")

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
        self, ants: int, cities: int, when: str, iteration: int, source: Source | None = None
    ) -> None:
        """Ask from now on, because there are answers.

        ``when`` says what is replayed, as a sentence without its full stop. ``iteration`` is its
        number, from 0; answers for another one are dropped. ``source`` says whose ants decide, if
        they are not those of the run in sight.
        """
        self._patience.stop()
        self._reason, self._when, self._iteration = "", when, iteration
        self._source = source
        self.controls.set_limits(ants, cities - 1)
        self.hint.setText("Walking with the ant …")  # until the first answer is shown
        self.ask()

    def ask(self) -> None:
        """Ask for the chosen decision, if it can be answered and the view is visible."""
        if not self._reason and self.isVisible():
            self.asked.emit(*self.controls.chosen)

    def show_decision(self, decision: Decision) -> None:
        """Show an answer, unless it belongs to an earlier question."""
        about = decision.ant, decision.step
        if self._reason or about != self.controls.chosen or decision.iteration != self._iteration:
            return
        self.decision, ids = decision, self.map.layer.ids
        self.words.setText(sentence(decision, ids))
        self.note.setText(f"{self._when}. {decision.caveat}")
        self.map.show_decision(decision)
        self.draws.show_decision(decision, ids)
        self.bars.show_decision(decision, ids)
        self.pages.setCurrentIndex(1)
        self.controls.answered()

    def point_out(self, part: Pointed) -> None:
        """Light up a city or an edge on the map, and the rows of its cities."""
        self.map.lit.light(part)
        self.bars.point_out(part)

    @Slot(object)
    def _point(self, part: Pointed) -> None:
        self.point_out(part)
        self.point_to(part)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step with the keys of ``KEYS``."""
        if not self.controls.press(event):
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the map beside the chances or above them, whichever fits the shape."""
        super().resizeEvent(event)
        broad = self.width() > _BROAD * self.height()
        way = Qt.Orientation.Horizontal if broad else Qt.Orientation.Vertical
        if way is not self.parts.orientation():
            self.parts.setOrientation(way)
            self.parts.setSizes([500, 500])

    def showEvent(self, event: QShowEvent) -> None:
        """Say that the view is visible: what can be answered may have changed."""
        super().showEvent(event)
        self.looked_at.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop playing."""
        super().hideEvent(event)
        self.controls.stop()
