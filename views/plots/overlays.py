"""Recorded runs over the curves of the live one, each in a colour of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPolygonF, QTransform
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gpu.core.words import counted
from gpu.run.curve import Band, Curve, band_of
from views.plots.scale import Scale
from views.widgets.chips import Chip, Swatch
from views.widgets.labels import make_label, plain_tip
from views.widgets.layers import Layer, Points, to_pixels
from views.widgets.layouts import FlowLayout, fill
from views.widgets.plot import Curve as Line
from views.widgets.plot import Plot
from views.widgets.theme import DARK, Theme

COLOURS = 6  # roles run1, run2, … of the theme; then they come again as dashes
MOST_CHIPS = 12  # in the legend
_LEGEND = 0.2  # largest share of the height that the legend takes from the plot
_MOST_POINTS = 12_000  # of all curves together: more would hold up the window
_BAND_POINTS = 400  # of a band


@dataclass(frozen=True, slots=True, eq=False)
class Overlay:
    """A recorded run that is drawn over the live one."""

    label: str  # its name, or colony and seed
    group: str  # what to call it together with the runs that differ by their seed alone
    alike: str  # the same for those; empty for a run that is like no other
    instance: str
    curve: Curve


@dataclass(frozen=True, slots=True, eq=False)
class _Shown:
    """One curve of the plot, of one run or of several."""

    text: str
    tip: str
    members: tuple[Overlay, ...]

    @property
    def optimum(self) -> int | None:
        return self.members[0].curve.optimum


class BandLayer(Layer):
    """The area between two curves of steps."""

    def __init__(self, role: str) -> None:
        super().__init__(depth=-1)
        self._role = role
        self.edge: Points = np.empty((0, 2))  # around the area

    def set_band(self, places: Points, low: Points, high: Points) -> None:
        """Take other curves, each of shape (k,)."""
        steps = places.repeat(2)[1:]
        upper = np.column_stack([steps, high.repeat(2)[:-1]])
        lower = np.column_stack([steps, low.repeat(2)[:-1]])
        edge = np.concatenate([upper, lower[::-1]])
        self.edge = edge[np.isfinite(edge).all(axis=1)]
        self.set_bounds(self.edge)
        self.refresh()

    def draw(self, painter: QPainter, transform: QTransform, size: QRectF) -> None:
        """Fill the area."""
        if not len(self.edge):
            return
        pixels = np.clip(to_pixels(self.edge, transform), -1e5, 1e5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour(self._role, 0.22))
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in pixels.tolist()]))


class Overlays(QWidget):
    """The recorded runs in a plot, and their legend."""

    changed = Signal()  # another choice of what is drawn

    def __init__(self, plot: Plot) -> None:
        super().__init__()
        self.each = False  # whether runs that differ by seed alone have a curve each
        self.runs: tuple[Overlay, ...] = ()
        self.chips: list[Chip] = []
        self.more = make_label("note")
        self._plot = plot
        self._theme = DARK
        self._shown: list[_Shown] = []
        self._lines: list[Line] = []
        self._bands: list[BandLayer] = []
        self._legend = FlowLayout(self.more)
        fill(QVBoxLayout(self), self._legend)
        self.show_runs(())

    @property
    def several_instances(self) -> bool:
        """Whether the runs are of several instances, whose costs cannot be compared."""
        return len({run.instance for run in self.runs}) > 1

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
        most = max(60, _MOST_POINTS // max(1, len(self._shown)))
        found: list[Points] = []
        for at, shown in enumerate(self._shown):
            band = self._band(shown, scale) if len(shown.members) > 1 else None
            if band is None:
                series = shown.members[0].curve.best.thinned(most)
                points = scale.mapped(series.points(scale.axis), shown.optimum)
            else:
                points = scale.mapped(np.column_stack([band.places, band.mean]), shown.optimum)
            points = points[np.isfinite(points).all(axis=1)]
            on = at >= len(self.chips) or self.chips[at].isChecked()
            self._lines[at].set_points(points)
            self._lines[at].setVisible(on)
            layer = self._bands[at]
            layer.setVisible(on and band is not None)
            if band is not None:
                low, high = (scale.height(one, shown.optimum) for one in (band.low, band.high))
                layer.set_band(scale.place(band.places), low, high)
            if on:
                found += [points] if band is None else [points, layer.edge]
        for at in range(len(self._shown), len(self._lines)):
            self._lines[at].setVisible(False)
            self._bands[at].setVisible(False)
        return [points for points in found if len(points)]

    def _band(self, shown: _Shown, scale: Scale) -> Band:
        curves = [member.curve for member in shown.members]
        ended = [curve.solved for curve in curves]
        series = [curve.best for curve in curves]
        return band_of(series, scale.axis, ended=ended, most=_BAND_POINTS)

    def _choose(self) -> None:
        """Decide what gets a curve, and make the legend."""
        self._shown = list(_curves(self.runs, each=self.each, named=self.several_instances))
        while len(self._lines) < len(self._shown):
            at = len(self._lines)
            band = BandLayer(_role(at))
            self._plot.add_layer(band, behind=True)
            self._bands.append(band)
            dashes = bool(at // COLOURS % 2)
            self._lines.append(self._plot.add_curve(_role(at), 1.4, steps=True, dashes=dashes))
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
        self.setVisible(bool(self._shown))
        self.fit()
        self.changed.emit()

    def fit(self) -> None:
        """Show as many chips as leave room for the plot, and say how many there are more."""
        parent = self.parentWidget()
        if parent is None:
            return
        room, tallest = parent.width() - 16, _LEGEND * parent.height()
        self.more.setText(f"and {len(self._shown)} more")
        shown = len(self.chips)
        for count in range(len(self.chips), 0, -1):
            shown = count
            for at, chip in enumerate(self.chips):
                chip.setVisible(at < count)
            self.more.setVisible(count < len(self._shown))
            row = self.chips[0].sizeHint().height()
            if self._legend.heightForWidth(room) <= max(tallest, row):
                break
        self.more.setText(f"and {len(self._shown) - shown} more")
        self.more.setToolTip(plain_tip("\n".join(one.tip for one in self._shown[shown:])))
        self._legend.invalidate()
        self.updateGeometry()


def _curves(runs: Sequence[Overlay], *, each: bool, named: bool) -> Iterator[_Shown]:
    """Yield what gets a curve; ``named`` puts the instance into its text."""
    groups: dict[object, list[Overlay]] = {}
    for at, run in enumerate(runs):
        groups.setdefault(at if each or not run.alike else run.alike, []).append(run)
    for members in groups.values():
        first, count = members[0], len(members)
        where = f"{first.instance}, " if named else ""
        if count == 1:
            yield _Shown(f"{where}{first.label}", f"{first.instance}: {first.label}", (first,))
        else:
            tip = (
                f"{first.instance}: the mean of {count} runs that differ by their seed alone; the "
                "band reaches from the lowest of them to the highest, as far as all of them went"
            )
            yield _Shown(f"{where}{first.group}, {counted(count, 'run')}", tip, tuple(members))


def _role(at: int) -> str:
    return f"run{at % COLOURS + 1}"


def _chip(at: int, shown: _Shown) -> Chip:
    swatch: Swatch = "dashes" if at // COLOURS % 2 else "thin"
    if len(shown.members) > 1:
        swatch = "band"
    return Chip(shown.text, _role(at), swatch, shown.tip)
