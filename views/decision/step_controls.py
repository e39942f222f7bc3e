"""The choice of an ant and of one of its steps: by keys, with a slider, or played."""

from __future__ import annotations

from PySide6 import QtWidgets
from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent

from views.widgets.controls import Slider, fit_texts, indented
from views.widgets.labels import Label, plain_tip
from views.widgets.layouts import fill
from views.widgets.theme import Theme, icon

# What the keys do while the view of a decision has the focus.
DECISION_KEYS = (
    ("← →", "Decision: a step back or forth"),
    ("↑ ↓", "Decision: another ant"),
    ("PgUp, PgDown", "Decision: ten steps back or forth"),
    ("Home, End", "Decision: first or last step"),
    ("W", "Decision: watch the ant walk"),
)
_LEAP = 10
_CONTROLS_GAP = 4  # pixels
_STEP_PACES = (1, 4, 20)  # steps a second


class StepControls(QtWidgets.QWidget):
    """Spin boxes, a slider and a button that plays the steps."""

    changed = Signal()  # another ant or step was chosen, by the user or by playing

    def __init__(self) -> None:
        super().__init__()
        self.ant, self.step = (indented(QtWidgets.QSpinBox()) for _ in range(2))
        self.slider = Slider()
        self.slider.setPageStep(_LEAP)
        self.slider.setMinimumWidth(40)
        self.watch = QtWidgets.QToolButton()
        self.watch.setText("Watch")
        self.watch.setCheckable(True)
        self.watch.setToolTip("Go on step by step (W)")
        self.pace = QtWidgets.QToolButton()
        self.pace.setToolTip("Steps a second while watching: press for another pace")
        row = fill(QtWidgets.QHBoxLayout(self), spacing=_CONTROLS_GAP)
        fixed = QtWidgets.QSizePolicy.Policy.Fixed
        self._labels = Label("Ant"), Label("Step")
        for box, label, tip in (
            (self.ant, self._labels[0], "Which ant (↑ ↓)"),
            (self.step, self._labels[1], "Which of its steps (← →, Home, End)"),
        ):
            box.setKeyboardTracking(False)
            box.setAccelerated(True)
            box.setToolTip(plain_tip(tip))
            box.setAccessibleName(label.text())
            box.setSizePolicy(fixed, fixed)
            label.setBuddy(box)
            row.addWidget(label)
            row.addWidget(box)
        for widget in (self.slider, self.watch, self.pace):
            row.addWidget(widget, 1 if widget is self.slider else 0)
            widget.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(lambda: self.go_to(self.step.value() + 1))
        self.step.valueChanged.connect(self.go_to)
        self.slider.valueChanged.connect(self.go_to)
        self.ant.valueChanged.connect(lambda _: self.changed.emit())
        self.watch.toggled.connect(self._play)
        self.pace.clicked.connect(self._change_pace)
        self._pace = _STEP_PACES[-1]
        self._change_pace()
        self.call("Ant", "Step")
        self.set_limits(1, 1)

    @property
    def chosen(self) -> tuple[int, int]:
        """Ant, counted from 0, and step."""
        return self.ant.value() - 1, self.step.value()

    def call(self, who: str, what: str) -> None:
        """Say who decides, say "Ant", and what is decided one by one, say "Step"."""
        for label, box, name in zip(self._labels, (self.ant, self.step), (who, what), strict=True):
            label.setText(name)
            box.setAccessibleName(name)
        self.ant.setToolTip(plain_tip(f"Which {who.lower()} (↑ ↓)"))
        self.step.setToolTip(plain_tip(f"Which {what.lower()} (← →, Home, End)"))
        self.slider.setAccessibleName(what)
        self.slider.setToolTip(plain_tip(f"{what} (← →, Home, End)"))

    def set_limits(self, ants: int, steps: int) -> None:
        """Allow ants 1 to ``ants`` and steps 1 to ``steps``, without a signal."""
        with QSignalBlocker(self.ant), QSignalBlocker(self.step), QSignalBlocker(self.slider):
            self.ant.setRange(1, max(1, ants))
            self.step.setRange(1, max(1, steps))
            self.slider.setRange(1, max(1, steps))
        self.setEnabled(steps > 0)

    def choose(self, ant: int, step: int) -> None:
        """Choose an ant, counted from 0, and its step, the nearest one that is possible."""
        before, step = self.chosen, max(1, min(step, self.step.maximum()))
        with QSignalBlocker(self.ant), QSignalBlocker(self.step), QSignalBlocker(self.slider):
            self.ant.setValue(ant + 1)
            self.step.setValue(step)
            self.slider.setValue(step)
        if self.chosen != before:
            self.changed.emit()

    def go_to(self, step: int) -> None:
        """Choose another step of the same ant, the nearest one that is possible."""
        step = max(1, min(step, self.step.maximum()))
        with QSignalBlocker(self.step), QSignalBlocker(self.slider):
            moved = self.step.value() != step or self.slider.value() != step
            self.step.setValue(step)
            self.slider.setValue(step)
        if step == self.step.maximum():
            self.watch.setChecked(False)
        if moved:
            self.changed.emit()

    def answered(self) -> None:
        """Go on playing, because the step is shown now."""
        if self.watch.isChecked():
            self._timer.start(1000 // self._pace)

    def stop(self) -> None:
        """Stop playing."""
        self.watch.setChecked(False)

    def press(self, event: QKeyEvent) -> bool:
        """Do what a key of ``DECISION_KEYS`` asks for; return whether it is one."""
        ant, step = self.chosen
        key = event.key()
        steps = {
            Qt.Key.Key_Left: step - 1,
            Qt.Key.Key_Right: step + 1,
            Qt.Key.Key_PageUp: step - _LEAP,
            Qt.Key.Key_PageDown: step + _LEAP,
            Qt.Key.Key_Home: 1,
            Qt.Key.Key_End: self.step.maximum(),
        }
        if not self.isEnabled():
            return False
        if key in steps:
            self.stop()
            self.go_to(steps[Qt.Key(key)])
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.ant.setValue(ant + 1 + (1 if key == Qt.Key.Key_Up else -1))
        elif key == Qt.Key.Key_W:
            self.watch.toggle()
        else:
            return False
        return True

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and sizes."""
        side = round(14 * theme.scale)
        name = "pause" if self.watch.isChecked() else "play"
        self._theme = theme
        self.watch.setIcon(icon(name, theme, "text"))
        self.watch.setIconSize(QSize(side, side))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide texts that would be cut, or would cut others."""
        super().resizeEvent(event)
        fit_texts(self, [self.watch])
        layout = self.layout()
        assert layout is not None
        hidden = [label for label in self._labels if label.isHidden()]
        more = sum(label.sizeHint().width() + _CONTROLS_GAP for label in hidden)
        shown = layout.minimumSize().width() + more <= self.width()
        for label in self._labels:
            label.setVisible(shown and not label.buddy().isHidden())  # a picture has no controls

    def _change_pace(self) -> None:
        self._pace = _STEP_PACES[(_STEP_PACES.index(self._pace) + 1) % len(_STEP_PACES)]
        self.pace.setText(f"{self._pace}/s")
        if self._timer.isActive():
            self.answered()

    def _play(self, on: bool) -> None:
        self._timer.stop()
        self.apply_theme(self._theme)
        if on and self.step.value() == self.step.maximum():
            self.go_to(1)  # from the beginning again; the answer continues
        elif on:
            self._timer.start(0)
