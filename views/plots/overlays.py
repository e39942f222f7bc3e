"""Recorded runs over the curves of the live one, each in a colour of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPolygonF, QTransform
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gpu.core.cost_curve import CostBand, RunCurves, cost_band
from gpu.core.cost_unit import NO_UNIT, CostUnit
from gpu.core.words import counted
from views.plots.cost_plot import Scale
from views.widgets.controls import Chip, Swatch
from views.widgets.labels import make_label, plain_tip
from views.widgets.layers import Layer, Points, draw_curve, to_pixels
from views.widgets.layouts import FlowLayout, fill, rows_for
from views.widgets.plot import PlotWidget
from views.widgets.theme import DARK, Theme

RUN_COLOURS = 6  # roles run1, run2, … of the theme; then they come again as dashes
MOST_CHIPS = 8  # in the legend
_INCOMPARABLE = "Several instances: Scale › Gap in % compares them"
_LEGEND_SHARE = 0.2  # largest share of the height that the legend takes from the plot
_ONE_ROW_BELOW = 250  # pixels: in a lower view the legend has one row
_NO_LEGEND_BELOW = 180  # in a lower view it has none
_MOST_OVERLAY_POINTS = 12_000  # of all curves together: more would hold up the window
_BAND_POINTS = 400  # of a band


@dataclass(frozen=True, slots=True, eq=False)
class Overlay:
    """A recorded run that is drawn over the live one."""

    label: str  # its name, or colony and seed
    group: str  # what to call it together with the runs that differ by their seed alone
    alike: str  # the same for those; empty for a run that is like no other
    instance: str
    curve: RunCurves
    unit: CostUnit = NO_UNIT  # of its costs


@dataclass(frozen=True, slots=True, eq=False)
class _Overlaid:
    """One curve of the plot, of one run or of several."""

    text: str
    tip: str
    members: tuple[Overlay, ...]

    @property
    def optimum(self) -> int | None:
        return self.members[0].curve.optimum


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """One curve as it is drawn."""

    role: str
    dashes: bool
    points: Points  # of the line, of shape (k, 2)
    edge: Points  # around the band: its upper side, and the lower one back; empty if it has none
    name: str


class RunsLayer(Layer):
    """All recorded runs: one layer, because each has a picture as large as the plot."""

    def __init__(self) -> None:
        super().__init__(depth=0)
        self.drawn: tuple[Drawn, ...] = ()

    def show_curves(self, drawn: Sequence[Drawn]) -> None:
        """Take other curves."""
        self.drawn = tuple(drawn)
        everything = [part for one in drawn for part in (one.points, one.edge)]
        self.set_bounds(np.concatenate(everything) if everything else np.empty((0, 2)))
        self.refresh()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not self.drawn

    def series(self) -> Sequence[tuple[str, Points]]:
        """Return the lines and both sides of the bands, by the names of their runs."""
        found = []
        for one in self.drawn:
            half = len(one.edge) // 2
            found.append((one.name, one.points))
            found.append((f"{one.name}: highest", one.edge[:half]))
            found.append((f"{one.name}: lowest", one.edge[: half - 1 : -1] if half else one.edge))
        return found

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Fill the bands, and draw the lines over them."""
        for one in self.drawn:
            pixels = np.clip(to_pixels(one.edge, transform), -1e5, 1e5)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour(one.role, 0.22))
            painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in pixels.tolist()]))
        for one in self.drawn:
            colour = self._theme.colour(one.role)
            look = {"dashes": one.dashes, "steps": True}
            draw_curve(
                painter, transform, size, one.points, colour, 1.4 * self._theme.strokes, **look
            )


class Overlays(QWidget):
    """The recorded runs in a plot, and their legend."""

    changed = Signal()  # another choice of what is drawn

    def __init__(self, plot: PlotWidget) -> None:
        super().__init__()
        self.each = False  # whether runs that differ by seed alone have a curve each
        self.runs: tuple[Overlay, ...] = ()
        self.chips: list[Chip] = []
        self.more = make_label("note")
        self.warning = make_label("note", _INCOMPARABLE)
        self._in_sight = ""  # name of the instance whose run the plot shows beside these
        self._theme = DARK
        self._shown: list[_Overlaid] = []
        self.layer = RunsLayer()
        plot.add_layer(self.layer, behind=True)
        self._legend = FlowLayout(self.more)
        fill(QVBoxLayout(self), self._legend, self.warning)
        self.show_runs(())

    @property
    def of_others(self) -> bool:
        """Whether there are runs of several instances, counting the one in sight."""
        own = {self._in_sight} if self._in_sight else set()
        return bool(self.runs) and len(own | {run.instance for run in self.runs}) > 1

    def show_beside(self, instance: str) -> None:
        """Show the runs beside those of the instance of this name."""
        if instance != self._in_sight:
            self._in_sight = instance
            if self.runs:
                self._choose()

    def warn(self, *, gaps: bool) -> None:
        """Say that costs of several instances cannot be compared, unless ``gaps`` are drawn."""
        self.warning.setVisible(self.of_others and not gaps)

    def show_runs(self, runs: Sequence[Overlay]) -> None:
        """Show these runs instead of the former ones."""
        self.runs = tuple(runs)
        self._choose()

    def show_each(self, each: bool) -> None:
        """Draw a curve for each run, or mean and band where runs differ by their seed alone."""
        self.each = each
        self._choose()

    def apply_theme(self, theme: Theme) -> None:
        """Change colours."""
        self._theme = theme
        for chip in self.chips:
            chip.apply_theme(theme)

    def draw(self, scale: Scale) -> list[Points]:
        """Draw all in ``scale``; return the points that must be in sight."""
        most = max(60, _MOST_OVERLAY_POINTS // max(1, len(self._shown)))
        off = [at for at, chip in enumerate(self.chips) if not chip.isChecked()]
        curves = [
            self._curve(at, shown, scale, most)
            for at, shown in enumerate(self._shown)
            if at not in off
        ]
        drawn = [one for one in curves if len(one.points)]
        self.layer.show_curves(drawn)
        return [part for one in drawn for part in (one.points, one.edge) if len(part)]

    def _curve(self, at: int, shown: _Overlaid, scale: Scale, most: int) -> Drawn:
        scale = replace(scale, unit=shown.members[0].unit)
        dashes, optimum, edge = bool(at // RUN_COLOURS % 2), shown.optimum, np.empty((0, 2))
        if len(shown.members) == 1:
            points = shown.members[0].curve.best.thinned(most).points(scale.axis)
        else:
            band = self._band(shown, scale)
            points = np.column_stack([band.places, band.mean])
            places = scale.place(band.places).repeat(2)[1:]
            high, low = (
                np.column_stack([places, scale.height(one, optimum).repeat(2)[:-1]])
                for one in (band.high, band.low)
            )
            edge = np.concatenate([high, low[::-1]])
        line = _finite(scale.mapped(points, optimum))
        return Drawn(_role(at), dashes, line, _finite(edge), shown.text)

    def _band(self, shown: _Overlaid, scale: Scale) -> CostBand:
        curves = [member.curve for member in shown.members]
        ended = [curve.solved for curve in curves]
        series = [curve.best for curve in curves]
        return cost_band(series, scale.axis, ended=ended, most=_BAND_POINTS)

    def _choose(self) -> None:
        """Decide what gets a curve, and make the legend."""
        self._shown = list(_curves(self.runs, each=self.each, named=self.of_others))
        for chip in self.chips:
            self._legend.removeWidget(chip)
            chip.deleteLater()
        self._legend.removeWidget(self.more)
        self.chips = [_chip(at, one) for at, one in enumerate(self._shown[:MOST_CHIPS])]
        for chip in self.chips:
            chip.apply_theme(self._theme)
            chip.toggled.connect(self.changed)
            self._legend.addWidget(chip)
        self._legend.addWidget(self.more)
        self.fit()
        self.changed.emit()

    def fit(self) -> None:
        """Show as many chips as leave room for the plot, and say how many there are more."""
        parent = self.parentWidget()
        if parent is None:
            self.hide()
            return
        self.setVisible(bool(self._shown) and parent.height() >= _NO_LEGEND_BELOW)
        self.more.setText(f"and {len(self._shown)} more")
        sizes = [chip.sizeHint() for chip in self.chips]
        height = parent.height()
        rows = max(1, int(_LEGEND_SHARE * height / max([1, *(one.height() for one in sizes)])))
        rows = 1 if height < _ONE_ROW_BELOW else rows
        end, room = self.more.sizeHint().width(), parent.width() - 24
        widths = [one.width() for one in sizes]
        fits = (
            count
            for count in range(len(sizes), 0, -1)
            if (
                rows_for([*widths[:count], *([end] if count < len(self._shown) else [])], room)
                <= rows
            )
        )
        shown = next(fits, min(1, len(sizes)))
        for at, chip in enumerate(self.chips):
            chip.setVisible(at < shown)
        left = len(self._shown) - shown
        self.more.setText(f"and {left} more")
        self.more.setVisible(left > 0)
        self.more.setToolTip(plain_tip("\n".join(one.tip for one in self._shown[shown:])))
        self._legend.invalidate()
        self.updateGeometry()


def _curves(runs: Sequence[Overlay], *, each: bool, named: bool) -> Iterator[_Overlaid]:
    """Yield what gets a curve; ``named`` puts the instance into its text."""
    groups: dict[object, list[Overlay]] = {}
    for at, run in enumerate(runs):
        groups.setdefault(at if each or not run.alike else run.alike, []).append(run)
    for members in groups.values():
        first, count = members[0], len(members)
        where = f"{first.instance}, " if named else ""
        if count == 1:
            yield _Overlaid(f"{where}{first.label}", f"{first.instance}: {first.label}", (first,))
        else:
            tip = (
                f"{first.instance}: the mean of {count} runs that differ by their seed alone; the "
                "band reaches from the lowest of them to the highest, as far as all of them went"
            )
            yield _Overlaid(f"{where}{first.group}, {counted(count, 'run')}", tip, tuple(members))


def _finite(points: Points) -> Points:
    return points[np.isfinite(points).all(axis=1)]


def _role(at: int) -> str:
    return f"run{at % RUN_COLOURS + 1}"


def _chip(at: int, shown: _Overlaid) -> Chip:
    swatch: Swatch = "dashes" if at // RUN_COLOURS % 2 else "thin"
    if len(shown.members) > 1:
        swatch = "band"
    return Chip(shown.text, _role(at), swatch, shown.tip)
