"""What a plot is, how it looks, and how it becomes PNG, SVG, PDF or CSV.

matplotlib is imported with this module, so import it only where a plot is made.
"""

from __future__ import annotations

import io
import re
import textwrap
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

import matplotlib
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from app.report.html import download, element, image
from gpu.core.errors import ParameterError
from gpu.core.tables import csv_text
from gpu.core.words import shown

PLOT_FORMS = ("png", "svg", "pdf", "csv")
PNG_DOTS = 300  # of a PNG, for each inch
SHORTEST_SIDE, LONGEST_SIDE = 6.0, 60.0  # centimetres of a side
RUN_POINTS = "runs"  # the gid of lines whose points are single runs
Point = tuple[float, float]
_INCH = 2.54  # centimetres
_POINT = _INCH / 72  # centimetres
_LETTER, _LINE_HEIGHT = 0.6, 1.5  # width of a letter and distance of lines, in sizes of the font

# Settings of matplotlib belong to the whole process, so one plot at a time is drawn.
_one_at_a_time = threading.Lock()


class PlotTheme(NamedTuple):
    """The colours of a plot; the colour-blind can tell them apart (Okabe and Ito)."""

    name: str
    paper: str  # the colour of the background
    ink: str  # of texts and axes
    faint: str  # of the grid
    colours: tuple[str, ...]  # of what is compared


LIGHT_PLOT = PlotTheme(
    *("light", "#ffffff", "#1f2328", "#d9dde2"),
    ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#b58900", "#555555"),
)
DARK_PLOT = PlotTheme(
    *("dark", "#16191d", "#e4e7eb", "#363c44"),
    ("#56b4e9", "#ff8c42", "#2ecc9b", "#e39ac6", "#9fb8ff", "#f0e442", "#c0c4ca"),
)


@dataclass(frozen=True, slots=True)
class PlotLook:
    """Size and theme of a plot."""

    width: float = 16.0  # centimetres
    height: float = 9.0
    theme: PlotTheme = LIGHT_PLOT
    points: float = 8.0  # size of the texts

    @classmethod
    def of(cls, size: str, theme: str = "light") -> PlotLook:
        """Read a size such as 16x9, in centimetres; raise ParameterError if it is none."""
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*[xX×]\s*(\d+(?:\.\d+)?)\s*", size, re.ASCII)
        sides = tuple(map(float, found.groups())) if found and len(size) < 40 else ()
        if not sides or not all(SHORTEST_SIDE <= side <= LONGEST_SIDE for side in sides):
            raise ParameterError(
                f"size {size}: write width x height in centimetres, each from {SHORTEST_SIDE:g} to "
                f"{LONGEST_SIDE:g}, such as 16x9"
            )
        return cls(sides[0], sides[1], DARK_PLOT if theme == DARK_PLOT.name else LIGHT_PLOT)

    @property
    def letters(self) -> int:
        """How many letters stand beside each other in the whole width."""
        return int(self.width / (_LETTER * self.points * _POINT))

    @property
    def letters_up(self) -> int:
        """How many letters a text has room for that is turned and stands beside an axis."""
        return max(10, int(0.6 * self.height / (_LETTER * self.points * _POINT)))

    @property
    def lines(self) -> int:
        """How many lines of text stand below each other in the whole height."""
        return int(self.height / (_LINE_HEIGHT * self.points * _POINT))

    @property
    def settings(self) -> dict[Any, Any]:
        """The settings of matplotlib."""
        ink, faint, paper = self.theme.ink, self.theme.faint, self.theme.paper
        return {
            "font.family": "DejaVu Sans",  # it comes with matplotlib: the same everywhere
            "font.size": self.points,
            "axes.titlesize": self.points + 1,
            "axes.titlelocation": "left",
            "axes.labelsize": self.points,
            "xtick.labelsize": self.points - 0.5,
            "ytick.labelsize": self.points - 0.5,
            "legend.fontsize": self.points - 0.5,
            "legend.frameon": False,
            "axes.linewidth": 0.6,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "axes.axisbelow": True,
            "grid.linewidth": 0.4,
            "grid.color": faint,
            "lines.linewidth": 1.3,
            "lines.markersize": 4.0,
            "figure.facecolor": paper,
            "axes.facecolor": paper,
            "savefig.facecolor": paper,
            **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor"), ink),
            **dict.fromkeys(("xtick.color", "ytick.color"), ink),
            "text.parse_math": False,  # a $ in a name is a $
            "svg.hashsalt": "formicarium",  # the same plot is the same file
            "pdf.fonttype": 42,  # its texts can be searched and edited
        }


@dataclass(frozen=True, slots=True, eq=False)
class PrintPlot:
    """One plot: how it is drawn, and the numbers in it."""

    name: str  # of its files, without a suffix
    title: str
    text: str  # what it shows, in plain sentences
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]  # of its CSV, by ``columns``
    draw: Callable[[Axes, PlotLook], None] = field(repr=False)
    instance: str = ""  # the one that it shows; empty if it shows several
    aside: bool = False  # whether the page shows it folded away
    kind: str = ""  # what it shows of its instance; empty: only the title says it
    axis: str = ""  # a word for what is along its axis, where there is a choice
    # keys of runs: of the points of lines with the gid RUN_POINTS, in the order of drawing
    runs: tuple[str, ...] = ()


def rendered(plot: PrintPlot, form: str, look: PlotLook) -> bytes:
    """Return ``plot`` as a file in one of PLOT_FORMS. Any thread may call this."""
    if form == "csv":
        return csv_text(plot.columns, plot.rows).encode()
    return _rendered(plot, form, look)[0]


def rendered_with_points(plot: PrintPlot, look: PlotLook) -> tuple[bytes, dict[str, Point]]:
    """Return ``plot`` as a PNG, and where in it the points of single runs are, by their keys.

    A place is a share of the width, and one of the height from the top.
    """
    return _rendered(plot, "png", look)


def _rendered(plot: PrintPlot, form: str, look: PlotLook) -> tuple[bytes, dict[str, Point]]:
    file = io.BytesIO()
    nothing = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}  # no time of its making
    with _one_at_a_time, matplotlib.rc_context(look.settings):
        size = look.width / _INCH, look.height / _INCH
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.add_subplot()
        axes.set_title(drawn(plot.title, int(0.85 * look.letters)))
        plot.draw(axes, look)
        axes.set_ylabel(textwrap.fill(axes.get_ylabel(), look.letters_up))
        figure.savefig(file, format=form, dpi=PNG_DOTS, metadata=nothing.get(form))
        return file.getvalue(), dict(zip(plot.runs, _points(figure, axes), strict=True))


def _points(figure: Figure, axes: Axes) -> Iterator[Point]:
    """Yield where the points of runs are in a figure that was drawn."""
    into_figure = axes.transData - figure.transFigure
    for line in axes.lines:
        if line.get_gid() == RUN_POINTS:
            for x, y in into_figure.transform(line.get_xydata()):
                yield float(x), 1.0 - float(y)


def file_name(*parts: str) -> str:
    """Return a name for a file from texts that may hold anything."""
    return "-".join(
        re.sub(r"[^A-Za-z0-9._-]+", "_", part).strip("._-")[:60] or "x" for part in parts
    )


def drawn(text: str, most: int) -> str:
    """Return ``text`` from elsewhere as it can stand in a plot.

    That is one line of at most ``most`` letters, with the signs that the font has. Names differ at
    their ends, so what is too long is left out in the middle.
    """
    known = _signs()
    line = " ".join(shown(text).split())
    if len(line) > most:
        line = f"{line[: most // 2]}…{line[len(line) - (most - 1) // 2 :]}"
    line = "".join(one if ord(one) in known else "?" for one in line)
    return f"\u200a{line}" if line.startswith("_") else line  # matplotlib leaves out such names


@cache
def _signs() -> frozenset[int]:
    """The code points that the font has."""
    path = font_manager.findfont("DejaVu Sans")
    return frozenset(font_manager.get_font(path).get_charmap())


def figure(plot: PrintPlot, look: PlotLook, told: set[str]) -> Element:
    """Return a plot with its numbers, and with its words unless they were ``told`` before."""
    csv = download(f"{plot.name}.csv", csv_text(plot.columns, plot.rows), "The numbers as CSV")
    text = "" if plot.text in told else f"{plot.text} "
    told.add(plot.text)
    words_below = element("figcaption", text, csv)
    return element("figure", image(rendered(plot, "svg", look), plot.title), words_below)
