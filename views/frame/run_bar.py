"""The bar with start, pause, step and stop, and the progress of the run."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QAction, QIcon, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QStyleOptionToolButton,
    QToolButton,
    QWidget,
)

from views.frame.actions import Actions
from views.frame.activity import Activity
from views.widgets.buttons import fit_texts
from views.widgets.formats import duration
from views.widgets.icons import application_icon, icon
from views.widgets.labels import ElidedLabel, make_label
from views.widgets.layouts import fill
from views.widgets.theme import DARK, Theme

SOON = 2_000
"""Milliseconds of building after which the bar says why it takes long."""


class RunBar(QFrame):
    """Buttons of the run, its progress, and buttons of the window, from left to right."""

    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "bar")
        self._actions = actions
        self._activity = Activity.IDLE
        self._theme = DARK
        self.ant = QLabel()
        self.ant.setPixmap(application_icon().pixmap(28, 28))
        self.start = _StartButton()
        self._bind(self.start, actions["start"], "start", text=True)
        self.pause = self._button(actions["pause"], "run", text=True)
        self.step = self._button(actions["step"], "run", text=True)
        self.stop = self._button(actions["stop"], "run", text=True)
        self.state = QLabel()
        # Two bars, because Qt paints a busy bar 30 times a second until it is hidden.
        self.progress, self.busy = QProgressBar(), QProgressBar()
        self.progress.setRange(0, 1000)
        self.busy.setRange(0, 0)
        for bar in (self.progress, self.busy):
            bar.setTextVisible(False)
        self.progress.setMinimumWidth(90)
        self.busy.setMinimumWidth(48)
        self.why_long = ElidedLabel("muted")
        self.why_long.setText("code is compiled once")
        self.why_long.setToolTip(
            "The code of a colony is compiled once on this machine, in its first run, which may "
            "take a minute. Building takes long for very large instances too."
        )
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(SOON)
        self._soon.timeout.connect(self.why_long.show)
        self.left = make_label("muted")
        self.theme_button = self._button(actions["theme"], "plain")
        self.panel_button = self._button(actions["panel"], "plain")
        self.present_button = self._button(actions["present"], "plain")
        bars = (self.progress, 1), (self.busy, 1)
        why_long = self.why_long, 100  # as wide as it needs, if there is room
        run = self.ant, 6, self.start, self.pause, self.step, self.stop
        progress = self.state, *bars, why_long, self.left
        window = self.panel_button, self.theme_button, self.present_button
        parts = *run, 10, *progress, 10, *window
        fill(QHBoxLayout(self), *parts, margins=(12, 6, 10, 6), spacing=6)
        self.show_activity(self._activity)

    def show_activity(self, activity: Activity) -> None:
        """Show what the program is doing."""
        self._activity = activity
        self.state.setText(activity.value + (" …" if activity is Activity.STOPPING else ""))
        self.progress.setVisible(not activity.builds)
        self.busy.setVisible(activity.builds)
        if not activity.builds:
            self._soon.stop()
            self.why_long.hide()
        elif self.why_long.isHidden() and not self._soon.isActive():
            self._soon.start()
        if not self._iterates:  # forget the last run
            self.show_progress(None, None)
        self._set_pause_icon()
        self._fit()

    def show_progress(self, share: float | None, seconds_left: float | None) -> None:
        """Show how much of the run is done, in [0, 1], and about how many seconds are left."""
        self.progress.setValue(0 if share is None else round(1000 * share))
        if not self._iterates:
            self.left.setText("")
        elif share is None:
            self.left.setText("no limit")
        elif seconds_left is None or share >= 1.0:
            self.left.setText(f"{100 * share:.0f} %")
        else:
            self.left.setText(f"{100 * share:.0f} %, {duration(seconds_left)} left")

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and sizes."""
        self._theme = theme
        side = round(16 * theme.scale)
        for name, button in (
            ("play", self.start),
            ("pause", self.pause),
            ("step", self.step),
            ("stop", self.stop),
            ("theme", self.theme_button),
            ("panel", self.panel_button),
            ("present", self.present_button),
        ):
            button.defaultAction().setIcon(icon(name, theme))
            button.setIconSize(QSize(side, side))
        self.start.on_accent = icon("play", theme, "on_accent")
        self.why_long.ensurePolished()
        self.why_long.setMaximumWidth(self.why_long.sizeHint().width())
        self._set_pause_icon()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide texts that would be cut."""
        super().resizeEvent(event)
        self._fit()

    @property
    def _iterates(self) -> bool:
        return self._activity.has_run and not self._activity.builds

    def _set_pause_icon(self) -> None:
        name = "play" if self._activity.rests else "pause"
        self.pause.defaultAction().setIcon(icon(name, self._theme))

    def _fit(self) -> None:
        fit_texts(self, [self.start, self.pause, self.step, self.stop])

    def _button(self, action: QAction, role: str, *, text: bool = False) -> QToolButton:
        button = QToolButton()
        self._bind(button, action, role, text=text)
        return button

    def _bind(self, button: QToolButton, action: QAction, role: str, *, text: bool = False) -> None:
        button.setDefaultAction(action)
        button.setProperty("role", role)
        button.setToolButtonStyle(
            Qt.ToolButtonStyle.ToolButtonTextBesideIcon
            if text
            else Qt.ToolButtonStyle.ToolButtonIconOnly
        )
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)


class _StartButton(QToolButton):
    """A button in the accent colour, on which the icon of its action could not be seen."""

    def __init__(self) -> None:
        super().__init__()
        self.on_accent = QIcon()

    def initStyleOption(self, option: QStyleOptionToolButton) -> None:
        """Draw the icon for this colour."""
        super().initStyleOption(option)
        option.icon = self.on_accent
