"""Colours and type of the window, light and dark. The colours of curves are Okabe and Ito's."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from string import Template

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

BASE_POINTS = 9.5  # size of ordinary text at scale 1
PRESENTATION_SCALE = 1.4  # how much larger type is in a lecture

_COLOURS = {  # in the dark theme, and in the light one
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
    "latest": ("#56b4e9", "#0072b2"),
    "mean": ("#8a98a9", "#7d8896"),
    "optimum": ("#c9d1db", "#4c5866"),
    "trail": ("#1fb48a", "#35bd97"),
    "gap": ("#d98fb8", "#a8487f"),
    "city": ("#dfe6ee", "#2b3644"),
    "local": ("#56b4e9", "#0072b2"),  # local and global update of a selective memory
    "overall": ("#f5b72e", "#d55e00"),
}


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of the window by what they mean, and the size of its type."""

    dark: bool  # whether the background is dark
    scale: float = 1.0  # factor on all type

    def __getitem__(self, role: str) -> str:
        return _COLOURS[role][0 if self.dark else 1]

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


def _palette_of(theme: Theme) -> QPalette:
    """Return the palette, for everything that the style sheet does not cover."""
    palette = QPalette()
    role = QPalette.ColorRole
    for name, parts in {
        "panel": (role.Window, role.Button, role.ToolTipBase),
        "field": (role.Base,),
        "window": (role.AlternateBase,),
        "text": (role.WindowText, role.Text, role.ButtonText, role.ToolTipText),
        "muted": (role.PlaceholderText,),
        "accent": (role.Highlight, role.Link),
        "on_accent": (role.HighlightedText,),
        "border": (role.Mid, role.Dark, role.Light),
    }.items():
        for part in parts:
            palette.setColor(part, theme.colour(name))
    for part in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, part, theme.colour("muted", 0.55))
    return palette


def _style_sheet(theme: Theme) -> str:
    """Fill the colours and sizes of ``theme`` into ``resources/style/window.qss``."""
    style = files("resources") / "style" / "window.qss"
    values = {role: theme[role] for role in _COLOURS}
    disabled = theme.colour("muted", 0.55)
    values["disabled"] = f"rgba({disabled.red()}, {disabled.green()}, {disabled.blue()}, 0.6)"
    values["hover"] = "rgba(128, 148, 172, 0.18)"
    values["selected"] = "rgba(86, 180, 233, 0.20)" if theme.dark else "rgba(0, 114, 178, 0.12)"
    values["icons"] = (files("resources") / "icons").as_posix()  # type: ignore[attr-defined]
    factors = {"tiny": 0.84, "small": 0.92, "normal": 1.0, "large": 1.25, "huge": 1.9}
    values |= {name: f"{theme.points(factor)}pt" for name, factor in factors.items()}
    return Template(style.read_text("utf-8")).substitute(values)


def apply(theme: Theme) -> None:
    """Use ``theme`` for the whole application; this is cheapest when the widgets have parents."""
    app = QApplication.instance()
    sheet = _style_sheet(theme)
    if isinstance(app, QApplication) and app.styleSheet() != sheet:
        app.setPalette(_palette_of(theme))
        app.setStyleSheet(sheet)
