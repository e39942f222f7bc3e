"""How a picture for print or for a page is to look: its size, colours, type and parts."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from msgspec import Meta
from PySide6.QtCore import QSize

from gpu.core.errors import FormicariumError
from gpu.core.records import plain, record_of
from views.widgets.theme import BASE_POINTS, Theme

Unit = Literal["cm", "px"]
PICTURE_UNITS: tuple[Unit, ...] = ("cm", "px")
PICTURE_THEMES = {"print": "Print", "light": "Light", "dark": "Dark"}
PICTURE_FILTERS = {"png": "PNG picture (*.png)", "svg": "SVG picture (*.svg)", "pdf": "PDF (*.pdf)"}

CM_PER_INCH = 2.54
PICTURE_SIZES = {"cm": (2.0, 200.0), "px": (64.0, 20_000.0)}  # smallest and largest side
DPI_RANGE = (50, 1200)
TYPE_RANGE = (4.0, 48.0)
MOST_PICTURE_PIXELS = 60_000_000  # 240 MB while the picture is drawn
LEAST_INCHES, MOST_INCHES = 0.5, 80.0


@dataclass(frozen=True, slots=True)
class PictureLook:
    """What the user has chosen for pictures."""

    width: float = 17.0  # of the picture, in ``unit``
    height: float = 12.0
    unit: Unit = "cm"
    dpi: Annotated[int, Meta(ge=DPI_RANGE[0], le=DPI_RANGE[1])] = 300  # pixels of an inch
    theme: Literal["print", "light", "dark"] = "print"
    # Size of ordinary type on paper.
    points: Annotated[float, Meta(ge=TYPE_RANGE[0], le=TYPE_RANGE[1])] = 9.0
    title: bool = True  # whether a line says what is shown
    legend: bool = True  # whether the legend is drawn

    @property
    def inches(self) -> tuple[float, float]:
        """Width and height on paper."""
        part = CM_PER_INCH if self.unit == "cm" else float(self.dpi)
        return self.width / part, self.height / part

    @property
    def pixels(self) -> QSize:
        """Width and height of a PNG."""
        return QSize(*(max(1, round(self.dpi * side)) for side in self.inches))

    @property
    def colours(self) -> Theme:
        """The colours, the type and the width of lines."""
        scale = self.points / BASE_POINTS
        return Theme(self.theme == "dark", scale, contrast=self.theme == "print")

    @property
    def problem(self) -> str:
        """Why no such picture can be made, or nothing."""
        pixels = self.pixels.width() * self.pixels.height()
        if pixels > MOST_PICTURE_PIXELS:
            most = MOST_PICTURE_PIXELS // 1_000_000
            return (
                f"{pixels / 1e6:.0f} million pixels are more than the {most} million that can be "
                "drawn: choose a smaller size or fewer dpi"
            )
        if not all(LEAST_INCHES <= side <= MOST_INCHES for side in self.inches):
            return (
                f"on paper, each side must have {CM_PER_INCH * LEAST_INCHES:.1f} to "
                f"{CM_PER_INCH * MOST_INCHES:.0f} cm: choose another size or other dpi"
            )
        return ""

    def in_unit(self, unit: Unit) -> PictureLook:
        """Return the same with its size in another unit."""
        part = CM_PER_INCH if unit == "cm" else float(self.dpi)
        digits = 1 if unit == "cm" else 0
        width, height = (
            min(max(round(part * side, digits), PICTURE_SIZES[unit][0]), PICTURE_SIZES[unit][1])
            for side in self.inches
        )
        return replace(self, unit=unit, width=width, height=height)

    def to_text(self) -> str:
        """Return what :meth:`from_text` reads."""
        return json.dumps(plain(self))

    @classmethod
    def from_text(cls, text: str) -> PictureLook:
        """Return the look of a text; the usual one if the text has none."""
        try:
            look = record_of(cls, json.loads(text), FormicariumError, "a picture")
        except (ValueError, RecursionError, FormicariumError):
            return cls()
        least, most = PICTURE_SIZES[look.unit]
        return look if all(least <= side <= most for side in (look.width, look.height)) else cls()
