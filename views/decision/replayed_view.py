"""The base of views that replay an ant's decisions: choosing a step, asking for it, showing it."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Generic

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from gpu.core.decisions.tabu_move import Unanswered
from gpu.core.machine.compiling import Compiled
from views.decision.decision_parts import D
from views.decision.step_controls import KEYS, StepControls
from views.widgets.labels import Label
from views.widgets.layouts import Wrapping, fill, scrolled
from views.widgets.view import Pointed, View, ViewSource

_PATIENCE = 250  # milliseconds for which a decision stays visible while the run goes on
_WALKS = "Walking with the ant …"  # until the first answer is shown
_COMPILES = (
    "The code that follows the ants is being compiled, once on this machine: "
    "{} of {} functions are done."
)
_BROAD = 1.25  # least width / height with the picture beside the chances instead of above them


class ReplayedView(View, Generic[D]):
    """Replays the ants of the next iteration, step by step.

    While it is visible, it asks for the decision that it wants, and shows the answer when it comes.
    """

    keys = KEYS
    given: ClassVar[int] = 0  # places of a solution that an ant does not choose: where it starts
    asked = Signal(int, int)  # ant (from 0) and step of the decision that is wanted
    looked_at = Signal()  # the view became visible

    def __init__(self) -> None:
        super().__init__()
        self._reason = ""
        self._when, self._iteration = "", 0
        self._source: ViewSource | None = None
        self._ants = self._choices = 1
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE)
        self._patience.timeout.connect(lambda: self.refuse(self._reason))
        self.decision: D | None = None
        self._told: tuple[int, int] | None = None  # about whose decision the last answer was
        self.controls = StepControls()
        self.words, self.note, self.hint = Label(), Label(), Label()
        for label, role in ((self.words, "words"), (self.note, "note"), (self.hint, "welcome")):
            label.setProperty("role", role)
            label.setWordWrap(True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.words.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.parts = QSplitter(Qt.Orientation.Vertical)
        self.parts.setChildrenCollapsible(False)
        self.parts.setHandleWidth(8)
        self.top = fill(QVBoxLayout(), self.controls)  # always in sight
        self.pages = QStackedWidget()
        self.pages.addWidget(self.hint)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.controls.changed.connect(self.ask)

    def _fill(self, picture: QWidget, head: QLayout, *chances: QWidget) -> None:
        """Put the ``picture`` beside the ``chances``, of which the last one grows; then begin.

        ``head`` is above both.
        """
        beside, page = QWidget(), Wrapping()
        fill(QVBoxLayout(beside), *chances[:-1], (chances[-1], 1))
        self.parts.addWidget(picture)
        self.parts.addWidget(beside)
        self.parts.setSizes([500, 500])
        fill(QVBoxLayout(page), self.words, head, (self.parts, 1), self.note)
        self.pages.addWidget(scrolled(page))  # a small window has no room for all parts
        fill(QVBoxLayout(self), self.top, (self.pages, 1), margins=(8, 8, 8, 6))
        self.apply_theme(self.theme)
        self.show_instance(None)

    @abstractmethod
    def show_parts(self, decision: D) -> None:
        """Show ``decision`` in all parts of the view, and say in words what happens."""

    @property
    def source(self) -> ViewSource | None:
        """Whose ants decide, if they are not those of the run in sight."""
        return self._source if self.decision is not None else None

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
    ) -> None:
        """Ask from now on, because there are answers.

        A solution has so many ``places``; an ant that changes one makes so many ``steps`` instead.
        ``when`` says what is replayed, as a sentence without its full stop. ``iteration`` is its
        number, from 0; answers for another one are dropped. ``source`` says whose ants decide, if
        they are not those of the run in sight.
        """
        self._patience.stop()
        self._reason, self._when, self._iteration = "", when, iteration
        self._source, self._told = source, None
        self._ants, self._choices = ants, steps or places - self.given
        self._set_limits()
        self.hint.setText(_WALKS)
        self.ask()

    def show_compiling(self, count: Compiled | None) -> None:
        """Show how many functions are compiled of those that the first answer needs, or None."""
        if not self._reason and self._told is None:
            self.hint.setText(_WALKS if count is None else _COMPILES.format(*count))

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
        """Whose decision is wanted, counted from 0, and which step."""
        return self.controls.chosen

    def _set_limits(self) -> None:
        """Let the controls choose any decision that there is."""
        self.controls.set_limits(self._ants, self._choices)

    def ask(self) -> None:
        """Ask for the chosen decision, if it can be answered and the view is visible."""
        if not self._reason and self.isVisible():
            self.asked.emit(*self.chosen)

    def show_decision(self, decision: D) -> None:
        """Show an answer, unless it belongs to an earlier question."""
        about = decision.ant, decision.step
        if self._reason or about != self.chosen or decision.iteration != self._iteration:
            return
        self._told = about
        if isinstance(decision, Unanswered):
            self.decision = None
            self.hint.setText(decision.why)
            self.pages.setCurrentIndex(0)
            return
        self.decision = decision
        self.note.setText(f"{self._when}. {decision.caveat}")
        self.show_parts(decision)
        self.pages.setCurrentIndex(1)
        self.controls.answered()

    @Slot(object)
    def _point(self, part: Pointed) -> None:
        self.point_out(part)
        self.point_to(part)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step with the keys of ``KEYS``."""
        if not self.controls.press(event):
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the picture beside the chances or above them, whichever fits the shape."""
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
