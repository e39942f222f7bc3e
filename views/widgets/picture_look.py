"""How a picture is to look that is taken away: its size, its colours, its type, what is beside."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, fields
from typing import Literal

from PySide6.QtCore import QSize

from views.widgets.theme import BASE_POINTS, Theme

Unit = Literal["cm", "px"]
UNITS: tuple[Unit, ...] = ("cm", "px")
THEMES = {"print": "Print", "light": "Light", "dark": "Dark"}
FORMS = {"png": "PNG picture (*.png)", "svg": "SVG picture (*.svg)", "pdf": "PDF (*.pdf)"}

CM = 2.54  # of an inch
SIZES = {"cm": (2.0, 200.0), "px": (64.0, 20_000.0)}  # smallest and largest side
DPI = (50, 1200)
POINTS = (4.0, 48.0)
MOST_PIXELS = 60_000_000  # 240 MB while the picture is drawn
LEAST_INCHES, MOST_INCHES = 0.5, 80.0


@dataclass(frozen=True, slots=True)
class PictureLook:
    """What the user has chosen for pictures."""

    width: float = 17.0  # of the picture, in ``unit``
    height: float = 12.0
    unit: Unit = "cm"
    dpi: int = 300  # pixels of an inch
    theme: str = "print"  # a key of ``THEMES``
    points: float = 9.0  # size of ordinary type on paper
    title: bool = True  # whether a line says what is shown
    legend: bool = True  # whether the legend is drawn

    @property
    def inches(self) -> tuple[float, float]:
        """Width and height on paper."""
        part = CM if self.unit == "cm" else float(self.dpi)
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
        if pixels > MOST_PIXELS:
            most = MOST_PIXELS // 1_000_000
            return (
                f"{pixels / 1e6:.0f} million pixels are more than the {most} million that can be "
                "drawn: choose a smaller size or fewer dpi"
            )
        if not all(LEAST_INCHES <= side <= MOST_INCHES for side in self.inches):
            return (
                f"on paper, each side must have {CM * LEAST_INCHES:.1f} to "
                f"{CM * MOST_INCHES:.0f} cm: choose another size or other dpi"
            )
        return ""

    def in_unit(self, unit: Unit) -> PictureLook:
        """Return the same with its size in another unit."""
        values = asdict(self)
        part = CM if unit == "cm" else float(self.dpi)
        digits = 1 if unit == "cm" else 0
        width, height = (
            min(max(round(part * side, digits), SIZES[unit][0]), SIZES[unit][1])
            for side in self.inches
        )
        return PictureLook(**values | {"unit": unit, "width": width, "height": height})

    def to_text(self) -> str:
        """Return what :meth:`from_text` reads."""
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> PictureLook:
        """Return the look of a text; the usual one if the text has none."""
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            return cls()
        usual = cls()
        if not isinstance(values, dict) or set(values) != {one.name for one in fields(cls)}:
            return usual
        for name, value in values.items():
            kind = type(getattr(usual, name))
            if type(value) is not kind and not (kind is float and type(value) is int):
                return usual
            if isinstance(value, float) and not math.isfinite(value):
                return usual
        look = cls(**values)
        fits = (
            look.unit in UNITS
            and look.theme in THEMES
            and DPI[0] <= look.dpi <= DPI[1]
            and POINTS[0] <= look.points <= POINTS[1]
            and all(
                SIZES[look.unit][0] <= x <= SIZES[look.unit][1] for x in (look.width, look.height)
            )
        )
        return look if fits else usual
