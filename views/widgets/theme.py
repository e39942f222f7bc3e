"""Colours, type and icons of the window, light and dark; curves have Okabe and Ito's colours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QIcon, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QWidget

BASE_POINTS = 9.5  # size of ordinary text at scale 1
PRESENTATION_SCALE = 1.4  # how much larger type is in a lecture
_THICK = 1.6  # how much wider lines are there

_ROLES = {  # in the dark theme, and in the light one
    "window": ("#11151a", "#eef1f5"),  # backgrounds, lines and type, from back to front
    "panel": ("#191e25", "#ffffff"),
    "field": ("#11151a", "#ffffff"),
    "border": ("#303947", "#ced6e0"),
    "text": ("#e9edf2", "#18202a"),
    "muted": ("#9dabbc", "#566375"),
    "accent": ("#56b4e9", "#0072b2"),  # what can be pressed, and the type on it
    "on_accent": ("#08131b", "#ffffff"),
    "good": ("#2fc596", "#007a58"),  # success and failure; never the only sign of either
    "danger": ("#f5854a", "#b84a00"),
    "best": ("#f5b72e", "#d55e00"),  # what the plots show: best, iteration best, iteration mean, …
    "found": ("#f5b72e", "#a84600"),  # the same as small type
    "latest": ("#56b4e9", "#0072b2"),
    "mean": ("#8a98a9", "#7d8896"),
    "optimum": ("#c9d1db", "#4c5866"),
    "bound": ("#b79cf0", "#6b4fc0"),  # what no solution is better than
    "trail": ("#1fb48a", "#1f9a77"),
    "gap": ("#d98fb8", "#a8487f"),
    "city": ("#dfe6ee", "#2b3644"),
    "local": ("#56b4e9", "#0072b2"),  # local and global update of a selective memory
    "overall": ("#f5b72e", "#d55e00"),
    "run1": ("#e58ac0", "#b0488a"),  # recorded runs over the live one, told apart by anybody
    "run2": ("#2fc596", "#008a63"),
    "run3": ("#7aa6ff", "#3b5bdb"),
    "run4": ("#b9c4cf", "#3f4a57"),
    "run5": ("#f5854a", "#c2410c"),
    "run6": ("#f0e442", "#9a8700"),
    "lane1": ("#f5b72e", "#d55e00"),  # lanes of a race
    "lane2": ("#56b4e9", "#0072b2"),
    "lane3": ("#2fc596", "#007a58"),
    "lane4": ("#d98fb8", "#a8487f"),
    "lane5": ("#f5854a", "#8c2d04"),
    "lane6": ("#b79cf0", "#6b4fc0"),
    # those from here on are dashed, too
    "lane7": ("#f0e442", "#9a8700"),
    "lane8": ("#7aa6ff", "#3b5bdb"),
    "lane9": ("#a3d977", "#4d7c0f"),
    "lane10": ("#ff9eb5", "#be123c"),
    "lane11": ("#c9d1db", "#3f4a57"),
    "lane12": ("#c8a27a", "#7c4a12"),
}


_CONTRAST = {  # what stands out more on a projector and on paper, likewise
    "window": ("#000000", "#ffffff"),
    "panel": ("#000000", "#ffffff"),
    "field": ("#000000", "#ffffff"),
    "border": ("#66758a", "#8a949f"),
    "text": ("#ffffff", "#000000"),
    "muted": ("#d3dbe4", "#2a333d"),
    "mean": ("#b4c1cf", "#59636e"),
    "city": ("#ffffff", "#000000"),
}


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of the window by what they mean, the size of its type, the width of its lines."""

    dark: bool  # whether the background is dark
    scale: float = 1.0  # factor on all type
    contrast: bool = False  # whether type and lines stand out more
    strokes: float = 1.0  # factor on the width of curves and tours
    still: bool = False  # whether nothing glides or fades

    def __getitem__(self, role: str) -> str:
        of_role = _CONTRAST.get(role, _ROLES[role]) if self.contrast else _ROLES[role]
        return of_role[0 if self.dark else 1]

    @property
    def presented(self) -> Theme:
        """The same for a lecture: large type, thick lines, strong contrast."""
        return replace(self, scale=PRESENTATION_SCALE, contrast=True, strokes=_THICK)

    def points(self, factor: float = 1.0) -> float:
        """Type size in points, ``factor`` times that of ordinary text."""
        return round(BASE_POINTS * self.scale * factor, 2)

    def font(self, factor: float = 1.0, *, bold: bool = False) -> QFont:
        """Return the window's font, ``factor`` times as large as ordinary text."""
        font = QFont(QGuiApplication.font())
        font.setPointSizeF(self.points(factor))
        font.setBold(bold)
        return font

    def colour(self, role: str, opacity: float = 1.0) -> QColor:
        """Return the colour of ``role`` with ``opacity`` in [0, 1]."""
        colour = QColor(self[role])
        colour.setAlphaF(opacity)
        return colour


DARK, LIGHT = Theme(dark=True), Theme(dark=False)


class PaintedWidget(QWidget):
    """The base of widgets whose ``paintEvent`` uses the colours and the type of a theme."""

    _theme = DARK

    def apply_theme(self, theme: Theme) -> None:
        """Change colours and type."""
        self._theme = theme
        self.updateGeometry()
        self.update()


def system_theme() -> Theme:
    """Return the theme that the desktop asks for, by default the dark one."""
    scheme = QGuiApplication.styleHints().colorScheme()
    return LIGHT if scheme is Qt.ColorScheme.Light else DARK


_SIZES = (16, 20, 24, 32, 48)


def icon(name: str, theme: Theme, role: str = "text") -> QIcon:
    """Return the icon ``resources/icons/NAME.svg`` in the colour of ``role``."""
    disabled = theme.colour("muted", 0.4).name(QColor.NameFormat.HexArgb)
    result = QIcon()
    for mode, colour in ((QIcon.Mode.Normal, theme[role]), (QIcon.Mode.Disabled, disabled)):
        for picture in _draw(name, colour, _SIZES):
            result.addPixmap(QPixmap.fromImage(picture), mode)
    return result


def application_icon() -> QIcon:
    """Return the ant."""
    result = QIcon()
    for picture in application_pictures((16, 24, 32, 48, 64, 128, 256)):
        result.addPixmap(QPixmap.fromImage(picture))
    return result


def application_pictures(sides: tuple[int, ...]) -> list[QImage]:
    """Return the ant as squares of these sides in pixels."""
    return _shapes("ant", sides)  # it has its own colours


@lru_cache(maxsize=512)
def _draw(name: str, colour: str, sizes: tuple[int, ...]) -> list[QImage]:
    """Return the icon in one colour. Of all that a change of the theme needs, this is quick."""
    paint, pictures = QColor(colour), []
    for shape in _shapes(name, sizes):
        picture = QImage(shape)
        with QPainter(picture) as painter:
            painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
            painter.fillRect(picture.rect(), paint)
        pictures.append(picture)
    return pictures


@cache
def _shapes(name: str, sizes: tuple[int, ...]) -> list[QImage]:
    """Return the icon in black, or in its own colours."""
    source = (files("resources") / "icons" / f"{name}.svg").read_text("utf-8")
    renderer = QSvgRenderer(QByteArray(source.replace("currentColor", "#000000").encode()))
    shapes = [QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied) for size in sizes]
    for shape in shapes:
        shape.fill(Qt.GlobalColor.transparent)
        with QPainter(shape) as painter:
            renderer.render(painter, QRectF(shape.rect()))
    return shapes
