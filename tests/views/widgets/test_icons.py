"""Icons get the colours of a theme, but for the ant, which has its own."""

from __future__ import annotations

from PySide6.QtGui import QColor, QIcon, QImage
from PySide6.QtWidgets import QApplication

from views.widgets.icons import application_icon, icon
from views.widgets.theme import DARK, LIGHT


def colours(of: QIcon, mode: QIcon.Mode = QIcon.Mode.Normal) -> set[str]:
    """The names of the colours of all pixels that are not transparent at all."""
    image = of.pixmap(32, 32, mode).toImage().convertToFormat(QImage.Format.Format_ARGB32)
    pixels = (image.pixelColor(x, y) for x in range(32) for y in range(32))
    return {pixel.name() for pixel in pixels if pixel.alpha() == 255}


def test_an_icon_has_the_colour_of_its_role(qapp: QApplication) -> None:
    for theme in (DARK, LIGHT):
        assert colours(icon("close", theme, "danger")) == {QColor(theme["danger"]).name()}
        assert colours(icon("close", theme), QIcon.Mode.Disabled) == set()  # half transparent


def test_the_ant_keeps_its_own_colours(qapp: QApplication) -> None:
    assert len(colours(application_icon())) > 1
