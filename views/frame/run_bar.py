"""The bar with start, pause, step and stop, and the progress of the run."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAction, QIcon, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QStyleOptionToolButton, QToolButton

from gpu.core.formats import duration
from gpu.core.machine.compiling import Compiled
from views.frame.actions import Actions
from views.frame.activity import Activity
from views.setup.fields import ChoiceBox
from views.widgets.controls import fit_texts
from views.widgets.labels import Label, make_label, plain_tip
from views.widgets.layouts import fill
from views.widgets.theme import DARK, Theme, application_icon, icon

PACES = 20.0, 10.0, 5.0, 2.0, 1.0  # iterations a second that can be chosen
_WIDE_PROGRESS, _NARROW_PROGRESS = 90, 30  # least pixels of the progress bar
_SAID_AFTER = 2_000  # milliseconds of building after which the bar says why it takes long
_LONG_TEXT = "this can take a while"
_USUAL_LEFT = "00 %, 00.0 s left"  # what a run of less than a minute says at most
_COMPILED = "{} % compiled"
_ONCE = (
    "The code of a colony is compiled once on this machine: later runs begin at once. "
    "The share is that of its functions, which take unequal times."
)


class RunBar(QFrame):
    """Buttons of the run, its progress, and buttons of the window, from left to right."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self.setProperty("role", "bar")
        self.setAccessibleName("Buttons of the run")
        self._theme = DARK
        self.ant = Label(pixmap=application_icon().pixmap(28, 28))
        self.start = _StartButton(actions["start"])
        self.pause = _Button(actions["pause"], "run", ("Pause", "Resume"))
        self.step, self.stop = (_Button(actions[name], "run") for name in ("step", "stop"))
        self.pace = PaceBox()
        self.state = Label()
        self._said = ""  # what it says, if there is room
        # Two bars, because Qt paints a busy bar 30 times a second until it is hidden.
        self.progress, self.busy = (QProgressBar(maximum=n, textVisible=False) for n in (1000, 0))
        for bar in (self.progress, self.busy):
            bar.setAccessibleName("Progress of the run")
        self.busy.setMinimumWidth(48)
        self.why_long = make_label("muted")
        self._compiled: Compiled | None = None  # how far what is being compiled has come
        self._lasts = False  # whether it is said that building takes long
        self._soon = QTimer(self, singleShot=True, interval=_SAID_AFTER)
        self._soon.timeout.connect(self._tell_long)
        self.left = make_label("muted")
        state = self.state, (self.progress, 1), (self.busy, 1), self.why_long, self.left
        self._run = self.start, self.pause, self.step, self.stop
        self._window = [_Button(actions[name], "plain") for name in ("panel", "theme", "present")]
        row = QHBoxLayout(self)
        self._spare = self.ant, *self._window[:2]  # not needed where there is little room
        fill(row, self.ant, 6, *self._run, self.pace, 10, *state, 10, *self._window)
        row.setContentsMargins(12, 6, 10, 6)
        row.setSpacing(6)
        self.show_activity(Activity.IDLE)

    def show_activity(self, activity: Activity) -> None:
        """Show what the program is doing."""
        self._activity = activity
        self._said = activity.value + (" …" if activity is Activity.STOPPING else "")
        if not activity.builds:
            self._soon.stop()
            self._lasts = False
        elif not self._lasts and not self._soon.isActive():
            self._soon.start()
        if not self._iterates:  # forget the last run
            self.show_progress(None, None)
        self._set_pause_icon()
        self._fit()

    def say(self, text: str) -> None:
        """Say in the place of the activity what can be done, or why nothing can."""
        if text != self._said:
            self._said = text
            self._fit()

    def show_compiling(self, count: Compiled | None) -> None:
        """Show what share of the functions is compiled; None if nothing is being compiled."""
        before, self._compiled = self._compiled, count
        if count != before:
            self.busy.setRange(0, count.needed if count else 0)
            self.busy.setValue(count.done if count else -1)
            self._fit()

    def show_progress(self, share: float | None, seconds_left: float | None) -> None:
        """Show how much of the run is done, in [0, 1], and about how many seconds are left."""
        # Screen readers are told of each value.
        step = 10 if QAccessible.isActive() else 1
        self.progress.setValue(0 if share is None else step * round(1000 / step * share))
        before = len(self.left.text())
        if not self._iterates:
            self.left.setText("")
        elif share is None:
            self.left.setText("no limit")
        elif seconds_left is None or share >= 1.0:
            self.left.setText(f"{100 * share:.0f} %")
        else:
            self.left.setText(f"{100 * share:.0f} %, {duration(seconds_left)} left")
        if len(self.left.text()) != before or self._needed > self.width():
            self._fit()

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and sizes."""
        self._theme = theme
        side = round(16 * theme.scale)
        names = "play", "pause", "step", "stop", "panel", "theme", "present"
        for name, button in zip(names, (*self._run, *self._window), strict=True):
            button.defaultAction().setIcon(icon(name, theme))
            button.setIconSize(QSize(side, side))
        self.start.on_accent = icon("play", theme, "on_accent")
        self._set_pause_icon()
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out what would be cut."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Show all, but leave out, one after the other, what there is no room for."""
        # A run that is stopped before its colony is compiled has done nothing: one share is shown.
        builds = self._activity.builds or (self._stops and self._compiled is not None)
        self.progress.setVisible(not builds)
        self.busy.setVisible(builds)
        self.left.setHidden(builds)
        self.why_long.hide()
        self.state.setText(self._said)
        for part in self._spare:
            part.show()
        self._fit_buttons()
        self.progress.setMinimumWidth(_WIDE_PROGRESS)
        if self._needed > self.width():
            self.progress.setMinimumWidth(_NARROW_PROGRESS)
        for part in self._spare:
            if self._needed > self.width():
                part.hide()
        if (lacking := self._needed - self.width()) > 0:
            metrics, room = self.state.fontMetrics(), self.state.sizeHint().width() - lacking
            self.state.setText(metrics.elidedText(self._said, Qt.TextElideMode.ElideRight, room))
        self.state.setToolTip(plain_tip(self._said) if self.state.text() != self._said else "")
        self._tell_why()

    def _fit_buttons(self) -> None:
        """Give the buttons texts if there will be room for them, too, while a run goes on.

        So that none of them moves away from the mouse when a run begins.
        """
        parts = self.progress, self.busy, self.left
        hidden = [part.isHidden() for part in parts]
        for part, hides in zip(parts, (False, True, False), strict=True):
            part.setHidden(hides)
        self.progress.setMinimumWidth(_NARROW_PROGRESS)
        usual = self.left.fontMetrics().horizontalAdvance(_USUAL_LEFT)
        self.left.setMinimumWidth(max(usual, self.left.minimumSizeHint().width()))
        fit_texts(self, self._run)
        self.left.setMinimumWidth(0)
        for part, hides in zip(parts, hidden, strict=True):
            part.setHidden(hides)

    def _tell_long(self) -> None:
        self._lasts = True
        self._fit()

    def _tell_why(self) -> None:
        """Say why it takes long, in as many words as there is room for."""
        count, label = self._compiled, self.why_long
        if self._activity in (Activity.RUNNING, Activity.PAUSED):
            count = None  # it is for what comes later, and would be read as the share of the run
        texts = [_LONG_TEXT] if self._lasts else []
        if count is not None:
            short = _COMPILED.format(count.percent)
            last = f" which took {duration(count.seconds)} last time"
            texts = [f"{short},{last if count.seconds else ' for the first time'}", short]
        label.setToolTip("" if count is None else plain_tip(_ONCE))
        for text in texts:
            label.setText(text)
            label.show()
            if self._needed <= self.width():
                return
        label.hide()

    @property
    def _needed(self) -> int:
        """How wide the bar must be for all that it shows."""
        row = self.layout()
        assert row is not None
        row.invalidate()
        return row.minimumSize().width()

    @property
    def _iterates(self) -> bool:
        return self._activity is not Activity.IDLE and not self._activity.builds

    @property
    def _stops(self) -> bool:
        return self._activity is Activity.STOPPING

    def _set_pause_icon(self) -> None:
        name = "play" if self._activity.rests else "pause"
        self.pause.defaultAction().setIcon(icon(name, self._theme))


class PaceBox(ChoiceBox):
    """A list of paces: how many iterations a second a run makes at most."""

    changed = Signal(float)  # the user or the aim chose another pace

    def __init__(self) -> None:
        super().__init__(8)
        self.setAccessibleName("Pace")
        self.setToolTip(
            plain_tip(
                "A run makes at most so many iterations a second. "
                "The waiting counts as time of the run."
            )
        )
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.addItem("Full speed", 0.0)
        for pace in PACES:
            self.addItem(f"{pace:g} / s", pace)
        self.currentIndexChanged.connect(lambda _: self.changed.emit(self.value))

    @property
    def value(self) -> float:
        """Iterations a second; 0 for full speed."""
        return float(self.currentData())

    def choose(self, pace: float) -> None:
        """Choose ``pace``, one of ``PACES`` or 0."""
        self.setCurrentIndex(self.findData(pace))


class _Button(QToolButton):
    """The button of an action; it is as wide as the widest of the ``texts`` that this can have.

    So what stands beside it stays where it is, and the mouse over it.
    """

    def __init__(self, action: QAction, role: str, texts: Sequence[str] = ()) -> None:
        super().__init__()
        self._texts = texts
        self.setDefaultAction(action)
        self.setProperty("role", role)

    def sizeHint(self) -> QSize:
        """Return the size with the widest text."""
        size = super().sizeHint()
        if self.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonTextBesideIcon:
            metrics, flags = self.fontMetrics(), Qt.TextFlag.TextShowMnemonic
            wide = [metrics.size(flags, text).width() for text in (self.text(), *self._texts)]
            size.setWidth(size.width() + max(wide) - wide[0])
        return size

    def minimumSizeHint(self) -> QSize:
        """Return the same."""
        return self.sizeHint()


class _StartButton(_Button):
    """A button in the accent colour, on which the icon of its action could not be seen."""

    def __init__(self, action: QAction) -> None:
        super().__init__(action, "start")
        self.on_accent = QIcon()

    def initStyleOption(self, option: QStyleOptionToolButton) -> None:
        super().initStyleOption(option)
        option.icon = self.on_accent
