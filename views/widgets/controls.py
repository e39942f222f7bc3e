"""What the user presses and moves: buttons, chips that are also a legend, sliders, boxes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal, TypeVar

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QColor, QIcon, QImage, QMouseEvent, QPainter, QPen, QPixmap
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QButtonGroup,
    QHBoxLayout,
    QLineEdit,
    QSlider,
    QStyle,
    QStyleOptionSlider,
    QToolButton,
    QWidget,
)

from views.widgets.labels import plain_tip
from views.widgets.layouts import fill
from views.widgets.theme import Theme


def make_button(
    role: str,
    text: str = "",
    tip: str = "",
    clicked: Callable[[], object] | SignalInstance | None = None,
) -> QToolButton:
    """Return a button. ``role`` is its style in ``resources/style/window.qss``, say "plain".

    When it is pressed, ``clicked`` is called or emitted.
    """
    button = QToolButton()
    button.setText(text)
    button.setToolTip(plain_tip(tip))
    button.setProperty("role", role)
    if clicked is not None:
        button.clicked.connect(clicked)
    return button


def fit_texts(row: QWidget, buttons: Sequence[QToolButton]) -> None:
    """Show the texts of ``buttons`` if ``row`` is wide enough for all of them, else icons alone.

    An icon alone says more than a text that is cut down to "…".
    """
    layout = row.layout()
    assert layout is not None
    styles = Qt.ToolButtonStyle
    for style in (styles.ToolButtonTextBesideIcon, styles.ToolButtonIconOnly):
        for button in buttons:
            button.setToolButtonStyle(style)
        layout.invalidate()
        if layout.minimumSize().width() <= row.width():
            return


class OptionButtons(QWidget):
    """Buttons side by side, of which exactly one is pressed; the text of each by its key."""

    chosen = Signal(str)  # key of the button that the user pressed

    def __init__(self, options: dict[str, str], tip: str) -> None:
        super().__init__()
        self.setAccessibleName(tip)
        self._group = QButtonGroup(self)
        self.buttons: dict[str, QToolButton] = {}
        layout = fill(QHBoxLayout(self), spacing=0)
        for key, text in options.items():
            button = make_button("segment", text, tip)
            button.setCheckable(True)
            button.clicked.connect(lambda _=False, key=key: self.chosen.emit(key))
            self._group.addButton(button)
            self.buttons[key] = button
            layout.addWidget(button)
        next(iter(self.buttons.values())).setChecked(True)

    @property
    def value(self) -> str:
        """Key of the pressed button."""
        return next(key for key, button in self.buttons.items() if button.isChecked())

    def choose(self, key: str) -> None:
        """Press a button for the user, without a word."""
        self.buttons[key].setChecked(True)


class AccessibleNames(QObject):
    """Names every button of a window that has no text by its tool tip, for screen readers."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        for button in window.findChildren(QToolButton):
            if isinstance(button.parent(), QLineEdit) and not button.toolTip():
                button.setToolTip("Clear the entry")  # Qt's own button
            if not button.text():
                button.installEventFilter(self)
                _name(button)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Change the name with the tool tip."""
        if event.type() == QEvent.Type.ToolTipChange and isinstance(watched, QToolButton):
            _name(watched)
        return False


def _name(button: QToolButton) -> None:
    """Name ``button`` by its tool tip, without the key and what follows."""
    button.setAccessibleName(button.toolTip().partition(" (")[0].partition(";")[0])


Swatch = Literal["line", "thin", "dashes", "dots", "band"]


class Chip(QToolButton):
    """Shows one curve or layer of a plot, and switches it on and off.

    ``role`` is the theme's colour of the curve; for several curves, their colours with spaces
    between. ``swatch`` is how the curve is drawn.
    """

    def __init__(self, text: str, role: str, swatch: Swatch, tip: str = "") -> None:
        super().__init__()
        self.role, self.swatch = role, swatch
        self.offered = True  # whether there is something to show or hide
        self.crowded_out = False  # whether it is in a menu, because there is no room
        self.setText(text)
        self.setToolTip(plain_tip(tip))
        self.setProperty("role", "chip")
        self.setCheckable(True)
        self.setChecked(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(18, 12))

    def setVisible(self, visible: bool) -> None:
        """Offer the chip, or do not; it is seen if there is room for it."""
        self.offered = visible
        super().setVisible(visible and not self.crowded_out)

    def crowd_out(self, *, out: bool) -> None:
        """Hide the chip because there is no room, or show it again."""
        if out != self.crowded_out:
            self.crowded_out = out
            super().setVisible(self.offered and not out)

    @property
    def is_on(self) -> bool:
        """Whether the curve or layer is shown."""
        return self.isChecked() and self.isEnabled()

    def apply_theme(self, theme: Theme) -> None:
        """Draw the swatch in the colours of ``theme``, pale if the layer is off."""
        icon = QIcon()
        for state, opacity in ((QIcon.State.On, 1.0), (QIcon.State.Off, 0.35)):
            for ratio in (1, 2, 4):  # the last for print
                colours = [theme.colour(role, opacity).rgba() for role in self.role.split()]
                picture = _swatch(self.swatch, tuple(colours), ratio)
                icon.addPixmap(QPixmap.fromImage(picture), QIcon.Mode.Normal, state)
        self.setIcon(icon)


@lru_cache(maxsize=512)
def _swatch(kind: Swatch, shades: tuple[int, ...], ratio: int) -> QImage:
    colours = [QColor.fromRgba(shade) for shade in shades]
    colour = colours[0]
    picture = QImage(18 * ratio, 12 * ratio, QImage.Format.Format_ARGB32_Premultiplied)
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    with QPainter(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if kind == "dots":
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            for x in (4.0, 9.0, 14.0):
                painter.drawEllipse(QPointF(x, 6.0), 1.9, 1.9)
        elif kind == "band":
            painter.setPen(Qt.PenStyle.NoPen)
            for inset, opacity in ((0.0, 0.35), (2.0, 0.8)):
                colour.setAlphaF(colour.alphaF() * opacity)
                painter.setBrush(colour)
                painter.drawRoundedRect(QRectF(1, 2 + inset, 16, 8 - 2 * inset), 3, 3)
        else:
            for place, one in enumerate(colours):
                line = QPen(one, {"line": 3.0, "thin": 1.4, "dashes": 1.8}[kind])
                line.setCapStyle(Qt.PenCapStyle.FlatCap)
                if kind == "dashes":
                    line.setDashPattern([2.4, 1.6])
                painter.setPen(line)
                y = 6 + 5 * (place - (len(colours) - 1) / 2)
                painter.drawLine(QPointF(1, y), QPointF(17, y))
    return picture


_ENTRY_INDENT = 6  # pixels: no style sheet moves this text to where that of other entries begins

SpinBox = TypeVar("SpinBox", bound=QAbstractSpinBox)


class Slider(QSlider):
    """A level slider that goes to where it is clicked, as that of a film does."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to where the mouse is; from there the handle can be dragged."""
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        control, style = QStyle.ComplexControl.CC_Slider, self.style()
        part = style.subControlRect(control, option, QStyle.SubControl.SC_SliderHandle, self)
        at = event.position().toPoint()
        if event.button() is Qt.MouseButton.LeftButton and not part.contains(at):
            groove = style.subControlRect(control, option, QStyle.SubControl.SC_SliderGroove, self)
            place = at.x() - groove.x() - part.width() // 2
            room = groove.width() - part.width()
            low, high = self.minimum(), self.maximum()
            self.setValue(style.sliderValueFromPosition(low, high, place, room, option.upsideDown))
        super().mousePressEvent(event)


def indented(box: SpinBox) -> SpinBox:
    """Return ``box`` with its text as far from the border as that of other entries."""
    box.lineEdit().setTextMargins(_ENTRY_INDENT, 0, 0, 0)
    return box
