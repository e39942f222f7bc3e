"""Colours and type of the window, light and dark. The colours of curves are Okabe and Ito's."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from importlib.resources import files
from string import Template

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

BASE_POINTS = 9.5
"""Size of ordinary text, in points, at scale 1."""

PRESENTATION_SCALE = 1.4
"""How much larger type is in a lecture."""


@dataclass(frozen=True, slots=True)
class Theme:
    """Every colour that the window uses, by what it means.

    Attributes
    ----------
    dark : bool
        Whether the background is dark.
    window, panel, field, border, text, muted : str
        Backgrounds, lines and type, from back to front.
    accent, on_accent : str
        The colour of what can be pressed, and of type on it.
    good, danger : str
        Success and failure; never the only sign of either.
    best, latest, mean, optimum, trail, gap, city : str
        What the plots show: best, iteration best, iteration mean, known optimum, trails, gap,
        cities.
    local, overall : str
        Local and global update of a selective memory.
    scale : float
        Factor on all type.
    """

    dark: bool
    window: str
    panel: str
    field: str
    border: str
    text: str
    muted: str
    accent: str
    on_accent: str
    good: str
    danger: str
    best: str
    latest: str
    mean: str
    optimum: str
    trail: str
    gap: str
    city: str
    local: str
    overall: str
    scale: float = 1.0

    def scaled(self, scale: float) -> Theme:
        """Return the same colours with type ``scale`` times as large."""
        return dataclasses.replace(self, scale=scale)

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
        """Return the colour of ``role`` (an attribute's name) with ``opacity`` in [0, 1]."""
        colour = QColor(str(getattr(self, role)))
        colour.setAlphaF(opacity)
        return colour


DARK = Theme(
    dark=True,
    window="#11151a",
    panel="#191e25",
    field="#11151a",
    border="#303947",
    text="#e9edf2",
    muted="#9dabbc",
    accent="#56b4e9",
    on_accent="#08131b",
    good="#2fc596",
    danger="#f5854a",
    best="#f5b72e",
    latest="#56b4e9",
    mean="#8a98a9",
    optimum="#c9d1db",
    trail="#1fb48a",
    gap="#d98fb8",
    city="#dfe6ee",
    local="#56b4e9",
    overall="#f5b72e",
)

LIGHT = Theme(
    dark=False,
    window="#eef1f5",
    panel="#ffffff",
    field="#ffffff",
    border="#ced6e0",
    text="#18202a",
    muted="#566375",
    accent="#0072b2",
    on_accent="#ffffff",
    good="#007a58",
    danger="#b84a00",
    best="#d55e00",
    latest="#0072b2",
    mean="#7d8896",
    optimum="#4c5866",
    trail="#35bd97",
    gap="#a8487f",
    city="#2b3644",
    local="#0072b2",
    overall="#d55e00",
)


def system_theme() -> Theme:
    """Return the theme that the desktop asks for, by default the dark one."""
    scheme = QGuiApplication.styleHints().colorScheme()
    return LIGHT if scheme is Qt.ColorScheme.Light else DARK


def palette_of(theme: Theme) -> QPalette:
    """Return the palette, for everything that the style sheet does not cover."""
    palette = QPalette()
    role = QPalette.ColorRole
    for part, name in (
        (role.Window, "panel"),
        (role.Base, "field"),
        (role.AlternateBase, "window"),
        (role.Button, "panel"),
        (role.ToolTipBase, "panel"),
        (role.WindowText, "text"),
        (role.Text, "text"),
        (role.ButtonText, "text"),
        (role.ToolTipText, "text"),
        (role.PlaceholderText, "muted"),
        (role.Highlight, "accent"),
        (role.HighlightedText, "on_accent"),
        (role.Link, "accent"),
        (role.Mid, "border"),
        (role.Dark, "border"),
        (role.Light, "border"),
    ):
        palette.setColor(part, theme.colour(name))
    for part in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, part, theme.colour("muted", 0.55))
    return palette


def style_sheet(theme: Theme) -> str:
    """Fill the colours and sizes of ``theme`` into ``resources/style/window.qss``."""
    style = files("resources") / "style" / "window.qss"
    values = {
        field.name: str(getattr(theme, field.name))
        for field in dataclasses.fields(theme)
        if field.name not in ("dark", "scale")
    }
    disabled = theme.colour("muted", 0.55)
    values["disabled"] = f"rgba({disabled.red()}, {disabled.green()}, {disabled.blue()}, 0.6)"
    values["hover"] = "rgba(128, 148, 172, 0.18)"
    values["selected"] = "rgba(86, 180, 233, 0.20)" if theme.dark else "rgba(0, 114, 178, 0.12)"
    values["icons"] = (files("resources") / "icons").as_posix()  # type: ignore[attr-defined]
    for name, factor in (("tiny", 0.84), ("small", 0.92), ("normal", 1.0), ("large", 1.25)):
        values[name] = f"{theme.points(factor)}pt"
    values["huge"] = f"{theme.points(1.9)}pt"
    return Template(style.read_text("utf-8")).substitute(values)


def apply(theme: Theme) -> None:
    """Use ``theme`` for the whole application; this is cheapest when the widgets have parents."""
    app = QApplication.instance()
    sheet = style_sheet(theme)
    if isinstance(app, QApplication) and app.styleSheet() != sheet:
        app.setPalette(palette_of(theme))
        app.setStyleSheet(sheet)
