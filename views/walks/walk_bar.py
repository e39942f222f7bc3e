"""The bar that lets the ants of an iteration walk: play, steps, pace, how many are shown."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSpinBox, QStackedWidget, QVBoxLayout, QWidget

from gpu.core.formats import whole
from views.widgets.controls import Slider, indented, make_button
from views.widgets.labels import ElidedLabel, Label, make_label, plain_tip
from views.widgets.layouts import fill
from views.widgets.theme import DARK, Theme, icon

STEP_PACES = 1, 2, 5, 10, 25, 60, 150
"""Steps a second."""

WALK_SECONDS = 12.0
"""A walk takes no longer than about this at the pace that is chosen for it."""

LAYING = 1.2
"""Seconds in which trails fade and are laid, after a walk."""

_TICK = 16  # milliseconds between two pictures
_LONGEST_TICK = 0.1  # seconds: after a longer wait, ants go on as if it had been so long
_PLACES = 100  # places of the slider for each step


class WalkBar(QFrame):
    """Counts the steps of a walk while it is played, and says where it is.

    A walk of n steps is at a place in [0, n], then its trails are laid, as a share in [0, 1].
    """

    moved = Signal(float, float)  # steps made, and the share of trails that is laid
    ended = Signal()  # the walk is over, and its trails are laid
    next_wanted = Signal(bool)  # another iteration; whether the user asked for it just now
    ants_changed = Signal(int)  # so many ants are to be shown
    watch_wanted = Signal()  # the user wants what was offered instead of ants

    def __init__(self, doing: str = "walk") -> None:
        """Call by one word what ants are ``doing``."""
        super().__init__()
        self.setAccessibleName("Walk of the ants")
        self._doing = doing
        self._theme = DARK
        self._steps, self._iteration = 0, 0
        self.position = self.laid = 0.0
        self._clock, self._timer = QElapsedTimer(), QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_TICK)
        self._timer.timeout.connect(self._tick)
        self.play = make_button("plain", tip=f"Let the ants {doing}, one iteration after the other")
        self.play.setCheckable(True)
        self.play.toggled.connect(self._play)
        self.step = make_button("plain", tip="One step of every ant", clicked=self.make_step)
        self.slider = Slider()
        self.slider.setMinimumWidth(60)
        self.slider.setSingleStep(_PLACES)
        self.slider.setPageStep(10 * _PLACES)
        self.slider.setAccessibleName("Steps that each ant has made")
        self.slider.setToolTip(plain_tip("Steps that each ant has made"))
        self.slider.valueChanged.connect(self._slide)
        self.pace = make_button("plain", tip="Steps a second: press for another pace")
        self.pace.clicked.connect(self._change_pace)
        self._pace = STEP_PACES[3]
        self.ants = indented(QSpinBox())
        self.ants.setAccessibleName("Ants that are shown")
        self.ants.setToolTip(plain_tip("How many of the ants are shown"))
        self.ants.setKeyboardTracking(False)
        self.ants.valueChanged.connect(self.ants_changed)
        label = Label("Ants")
        label.setBuddy(self.ants)
        self.note = ElidedLabel("note")
        self.refusal = make_label("note", wrap=True)
        self.watch = make_button("", "Watch it work", clicked=self.watch_wanted)
        self._watch_tip = f"Choose a colony whose ants {doing}, slow and easy to follow"
        walking, refused = QWidget(), QWidget()
        row = fill(QHBoxLayout(), self.play, self.step, (self.slider, 1), self.pace, spacing=4)
        for part in (label, self.ants):
            row.addWidget(part)
        fill(QVBoxLayout(walking), self.note, row, margins=(4, 0, 4, 0), spacing=0)
        fill(QHBoxLayout(refused), (self.refusal, 1), self.watch, margins=(4, 0, 4, 0))
        self._pages = QStackedWidget()
        self._pages.addWidget(walking)
        self._pages.addWidget(refused)
        fill(QVBoxLayout(self), self._pages)
        self.show_pace()
        self.forget()

    @property
    def under_way(self) -> bool:
        """Whether a walk has begun that is not over yet."""
        return self._steps > 0 and self.laid < 1.0

    @property
    def plays(self) -> bool:
        """Whether pictures follow each other now."""
        return self._timer.isActive()

    def forget(self) -> None:
        """Have no walk."""
        self._steps = 0
        self.position = self.laid = 0.0
        for part in (self.step, self.slider, self.ants):
            part.setEnabled(False)
        self.note.setText(f"Make an iteration (N), or start a run: its ants {self._doing} here")
        self._run_timer()

    def begin(self, iteration: int, steps: int, ants: int, remark: str, *, usual: int) -> None:
        """Begin a walk: the ``steps`` of so many ants of an iteration, counted from 1.

        If none have walked before, no more than ``usual`` of them are shown.
        """
        fresh = not self._steps
        self._steps, self._iteration, self._remark = steps, iteration, remark
        self.position = self.laid = 0.0
        for part in (self.step, self.slider, self.ants):
            part.setEnabled(True)
        with QSignalBlocker(self.ants), QSignalBlocker(self.slider):
            shown = self.ants.value()
            if fresh:
                shown = usual
            elif shown == self.ants.maximum():
                shown = ants
            self.ants.setRange(1, ants)
            self.ants.setValue(min(shown, ants))
            self.slider.setRange(0, steps * _PLACES)
        if fresh:
            least = steps / WALK_SECONDS
            self._pace = next((one for one in STEP_PACES if one >= least), STEP_PACES[-1])
            self.show_pace()
        self.ants_changed.emit(self.ants.value())
        self._show()

    def refuse(self, why: str, offer: str = "", tip: str = "") -> None:
        """Say why no ants walk, and ``offer`` what can be done; nothing if they do.

        Without a ``tip``, a colony is offered whose ants do.
        """
        self.refusal.setText(why)
        if offer:  # else it keeps a name while it is hidden
            self.watch.setText(offer)
        self.watch.setToolTip(plain_tip(tip or self._watch_tip))
        self.watch.setVisible(bool(offer))
        self._pages.setCurrentIndex(1 if why else 0)
        self._run_timer()

    @property
    def refused(self) -> bool:
        """Whether no ants walk now."""
        return self._pages.currentIndex() == 1

    def advance(self, seconds: float) -> None:
        """Go on by so much time of the walk."""
        if not self.under_way:
            return
        left = seconds - max(0.0, self._steps - self.position) / self._pace
        self.position = min(float(self._steps), self.position + seconds * self._pace)
        if left > 0:
            self.laid = min(1.0, self.laid + left / LAYING)
        self._show()
        if self.laid == 1.0:
            self._end()

    def go_to(self, walked: float, laid: float) -> None:
        """Show the walk when so large a share of it is ``walked``, and then so much ``laid``."""
        if self.under_way:
            self.position, self.laid = walked * self._steps, laid
            self._show()
            if laid == 1.0:
                self._end()

    def _end(self) -> None:
        self.ended.emit()
        if self.play.isChecked() and not self.under_way:
            self.next_wanted.emit(False)

    def make_step(self) -> None:
        """Let every ant come to its next city; after the last one, lay the trails."""
        self.play.setChecked(False)
        if self.position < self._steps:
            self.position = min(float(self._steps), float(int(self.position + 1e-9) + 1))
            self._show()
        else:
            self.advance(LAYING)

    def be_ready(self) -> None:
        """Play whatever walk comes, but ask for none: that is up to whoever presses play."""
        with QSignalBlocker(self.play):
            self.play.setChecked(True)
        self.apply_theme(self._theme)
        self._run_timer()

    def stop(self) -> None:
        """Play no longer."""
        self.play.setChecked(False)

    def show_pace(self) -> None:
        """Say how many steps a second there are."""
        self.pace.setText(f"{self._pace}/s")

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and sizes."""
        self._theme = theme
        side = round(16 * theme.scale)
        for button, name in ((self.play, self._play_icon), (self.step, "step")):
            button.setIcon(icon(name, theme))
            button.setIconSize(QSize(side, side))

    def showEvent(self, event: QShowEvent) -> None:
        """Go on where it was."""
        super().showEvent(event)
        self._run_timer()

    def hideEvent(self, event: QHideEvent) -> None:
        """Compute nothing that nobody sees."""
        super().hideEvent(event)
        self._run_timer()

    @property
    def _play_icon(self) -> str:
        return "pause" if self.play.isChecked() else "play"

    def _play(self, on: bool) -> None:
        self.apply_theme(self._theme)
        self._run_timer()
        if on and not self.under_way:
            self.next_wanted.emit(True)

    def _run_timer(self) -> None:
        """Let the timer run while there is something to play and somebody sees it."""
        wanted = self.play.isChecked() and self.under_way and self.isVisible() and not self.refused
        if wanted and not self._timer.isActive():
            self._clock.start()
            self._timer.start()
        elif not wanted:
            self._timer.stop()

    def _tick(self) -> None:
        self.advance(min(_LONGEST_TICK, self._clock.restart() / 1000))
        self._run_timer()

    def _slide(self, place: int) -> None:
        self.position, self.laid = place / _PLACES, 0.0
        self._show()
        self._run_timer()

    def _change_pace(self) -> None:
        self._pace = STEP_PACES[(STEP_PACES.index(self._pace) + 1) % len(STEP_PACES)]
        self.show_pace()

    def _show(self) -> None:
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(self.position * _PLACES))
        now = f"step {whole(min(int(self.position) + 1, self._steps))} of {whole(self._steps)}"
        if self.position == self._steps:
            now = (
                "trails evaporate, and new ones are laid" if self.laid < 1.0 else "trails are laid"
            )
        text = f"Iteration {whole(self._iteration)}: {now}"
        self.note.setText(f"{text}  ·  {self._remark}" if self._remark else text)
        position, laid = self.position, self.laid
        if self._theme.still:  # from city to city at once, and trails, too, come at once
            position, laid = float(int(position + 1e-9)), float(int(laid))
        self.moved.emit(position, laid)
        self._run_timer()
