"""A slim bar that moves through the past of a run."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QVBoxLayout

from gpu.core.formats import duration, whole
from gpu.core.moments import Moments
from views.widgets.controls import Slider, make_button
from views.widgets.labels import ElidedLabel, plain_tip
from views.widgets.layouts import fill
from views.widgets.theme import DARK, Theme, icon

REPLAY_SPEEDS = 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0
WHOLE_RUN = 0.0  # stands for the speed at which the whole run takes ``WHOLE_SECONDS``
WHOLE_SECONDS = 10.0
_SLIDER_PLACES = 10_000  # places of the slider


class ReplayBar(QFrame):
    """Buttons, a slider over the run, the moment that is shown, speed, and the way back."""

    moved = Signal(float)  # seconds of the run that the user wants to see
    stepped = Signal(int)  # to the improvement before (-1) or after (1)
    play_wanted = Signal()  # or a pause
    live_wanted = Signal()  # the newest state
    film_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Past of the run")
        self._moments = Moments()
        self._seconds: float | None = None  # what is shown; None for the newest state
        self.back = make_button("plain", tip="The improvement before (,)")
        self.play = make_button("plain", tip="Play the run (Shift+P)")
        self.next = make_button("plain", tip="The next improvement (.)")
        self.slider = Slider()
        self.slider.setMaximum(_SLIDER_PLACES)
        self.slider.setPageStep(_SLIDER_PLACES // 20)
        self.slider.setSingleStep(_SLIDER_PLACES // 200)
        self.slider.setMinimumWidth(70)
        self.slider.setAccessibleName("Moment of the run")
        self.slider.setToolTip(plain_tip("Move to see the run as it was; it goes on meanwhile"))
        self.moment = ElidedLabel("note")
        self.moment.setAccessibleName("Moment that is shown")
        self.speed = make_button("plain", tip="How fast it is played, and what the slider counts")
        self.speed.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.live = make_button("plain", "Live", "Show the newest state again (Shift+L)")
        self.film = make_button("plain", tip="Make a film of the run")
        self.live.setCheckable(True)
        self.speed.setMenu(self._menu())
        # The speed is beside the button that plays: "in 10 s" would be read as what is to come.
        buttons = self.back, self.play, self.next, self.speed, self.live, self.film
        middle = fill(QVBoxLayout(), self.moment, self.slider, spacing=0)
        parts = *buttons[:4], (middle, 1), *buttons[4:]
        fill(QHBoxLayout(self), *parts, margins=(4, 0, 4, 0), spacing=3)
        self.back.clicked.connect(lambda: self.stepped.emit(-1))
        self.next.clicked.connect(lambda: self.stepped.emit(1))
        self.play.clicked.connect(self.play_wanted)
        self.live.clicked.connect(lambda _: self.live_wanted.emit())
        self.film.clicked.connect(self.film_wanted)
        self.slider.valueChanged.connect(self._slide)
        self.show_playing(playing=False)
        self.show_moment(None, "")

    @property
    def speed_factor(self) -> float:
        """Seconds of the run that are shown in a second."""
        factor = float(self._speeds.checkedAction().data())
        return factor if factor != WHOLE_RUN else self._moments.length / WHOLE_SECONDS

    @property
    def moments(self) -> Moments:
        """What the slider moves over."""
        return self._moments

    def show_moments(self, moments: Moments) -> None:
        """Let the slider move over these moments."""
        self._moments = moments
        self._place_slider()

    def show_moment(self, seconds: float | None, text: str) -> None:
        """Say what is shown: the state after so many ``seconds``, or the newest one."""
        self._seconds = seconds
        self.live.setChecked(seconds is None)
        self.moment.setText(text if seconds is not None else "newest state")
        self.moment.setToolTip(plain_tip(self.moment.text()))
        self._place_slider()

    def show_playing(self, *, playing: bool) -> None:
        """Show whether the past is being played."""
        self._playing = playing
        self.play.setToolTip(plain_tip(f"{'Pause' if playing else 'Play the run'} (Shift+P)"))
        self.play.setIcon(icon("pause" if playing else "play", self._theme))

    def words_of(self, seconds: float, iteration: int, cost: str) -> str:
        """Return a moment in words."""
        return f"{duration(seconds)}  ·  {cost}  ·  iteration {whole(iteration)}"

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and sizes."""
        self._theme = theme
        side = QSize(round(14 * theme.scale), round(14 * theme.scale))
        pictures = {self.back: "step-back", self.next: "step", self.film: "film"}
        for button, name in pictures.items():
            button.setIcon(icon(name, theme))
        for button in (*pictures, self.play):
            button.setIconSize(side)
        self.show_playing(playing=self._playing)

    _theme = DARK
    _playing = False

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        self._speeds, self._axes = QActionGroup(self), QActionGroup(self)
        speeds = [(f"{speed:g}×", speed) for speed in REPLAY_SPEEDS]
        for text, speed in [*speeds, (f"Whole run in {WHOLE_SECONDS:g} s", WHOLE_RUN)]:
            action = self._speeds.addAction(text)
            action.setData(speed)
            action.setCheckable(True)
            action.setChecked(speed == WHOLE_RUN)
        menu.addActions(self._speeds.actions())
        menu.addSeparator()
        for text in ("Slider over seconds", "Slider over iterations"):
            self._axes.addAction(text).setCheckable(True)
        self._axes.actions()[0].setChecked(True)
        menu.addActions(self._axes.actions())
        self._speeds.triggered.connect(lambda _: self._name_speed())
        self._axes.triggered.connect(lambda _: self._place_slider())
        self._name_speed()
        return menu

    def _name_speed(self) -> None:
        speed = float(self._speeds.checkedAction().data())
        self.speed.setText(f"in {WHOLE_SECONDS:g} s" if speed == WHOLE_RUN else f"{speed:g}×")

    @property
    def _counts_iterations(self) -> bool:
        return self._axes.actions()[1].isChecked()

    def _slide(self, place: int) -> None:
        """Show the moment at a ``place`` that the user has chosen."""
        share, moments = place / _SLIDER_PLACES, self._moments
        if self._counts_iterations and moments.iterations:
            first, last = moments.iterations[0], moments.iterations[-1]
            self.moved.emit(moments.seconds_at(first + share * (last - first)))
        else:
            self.moved.emit(share * moments.length)

    def _place_slider(self) -> None:
        """Put the slider where the moment is that is shown."""
        if self.slider.isSliderDown():
            return
        share, moments = 1.0, self._moments
        if self._seconds is not None and moments.length > 0:
            share = self._seconds / moments.length
            if self._counts_iterations:
                first, last = moments.iterations[0], moments.iterations[-1]
                share = (moments.iteration_at(self._seconds) - first) / max(1, last - first)
        blocked = self.slider.blockSignals(True)
        self.slider.setValue(round(_SLIDER_PLACES * min(1.0, share)))
        self.slider.blockSignals(blocked)
