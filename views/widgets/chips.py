"""Small switches that are also the legend of a plot."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QToolButton

from views.widgets.labels import plain_tip
from views.widgets.theme import Theme

Swatch = Literal["line", "thin", "dashes", "dots", "band"]


class Chip(QToolButton):
    """Shows one curve or layer of a plot, and switches it on and off.

    ``role`` is the theme's colour of the curve; for several curves, their colours with spaces
    between. ``swatch`` is how the curve is drawn.
    """

    def __init__(self, text: str, role: str, swatch: Swatch, tip: str = "") -> None:
        super().__init__()
        self.role, self.swatch = role, swatch
        self.setText(text)
        self.setToolTip(plain_tip(tip))
        self.setProperty("role", "chip")
        self.setCheckable(True)
        self.setChecked(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(18, 12))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

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
