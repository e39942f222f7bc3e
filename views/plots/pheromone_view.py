"""The pheromone as a picture, logarithmic; rows and columns are in the best solution's order."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gpu.core.instance import Instance
from gpu.core.snapshot import Snapshot, Wanted
from views.plots.colour_bar import ColourBar, colour_table
from views.problem_display import display_of
from views.widgets.canvas_view import MatrixView
from views.widgets.formats import significant
from views.widgets.labels import plain_tip
from views.widgets.layers import PictureItem
from views.widgets.theme import Theme


class PheromoneView(MatrixView):
    """A heatmap of the trails in units of the initial trail τ₀."""

    key = "pheromone"
    title = "Pheromone"
    of_moment = True
    fit_tip = "Show the whole picture"
    wanted = Wanted.PHEROMONE | Wanted.SOLUTION  # the solution for the order of the rows
    matrix: NDArray[np.float32] | None = None  # the trails of the newest picture

    def __init__(self) -> None:
        super().__init__(PictureItem(colour_table()))
        self._instance: Instance | None = None
        self._order: NDArray[np.integer] | None = None
        self._memory = 0
        self.bar = ColourBar("τ / τ₀")
        self.middle.addWidget(self.bar)
        self.hint = self._label_over("The trails appear here as soon as a colony lays them.")
        self.hint.setWordWrap(True)
        self.hint.setProperty("role", "muted")
        self.apply_theme(self.theme)
        self.begin_run()

    def show_instance(self, instance: Instance | None) -> None:
        """Prepare for runs on ``instance``."""
        self._instance = instance
        self.begin_run()

    def begin_run(self) -> None:
        """Empty the picture."""
        self.matrix = self._order = None
        self.image.set_picture(None)
        self.bar.hide()
        self.reading.setText(" ")
        self._describe()
        self.fit()

    def show_memory(self, trails: int) -> None:
        """Say that the colony remembers ``trails`` trails at each city; 0 for all."""
        self._memory = trails
        self._describe()

    def take_in(self, snapshot: Snapshot) -> None:
        """Keep the picture, if there is one; before the first iteration all trails are equal."""
        if snapshot.pheromone is not None and snapshot.iteration > 0:
            first = self.matrix is None
            self.matrix = snapshot.pheromone
            best = snapshot.best_solution
            self._order = None if best is None else display_of(self._instance).order(best)
            if first:
                self._describe()

    def draw(self) -> None:
        """Draw the picture, logarithmic between its weakest and its strongest trail."""
        if self.matrix is None or not (laid := self.matrix > 0).any():
            return
        trails = np.maximum(self.matrix, float(self.matrix[laid].min()))
        low, high = _round_range(float(trails.min()), float(trails.max()))
        shades = 1 + np.log(trails / low) * (254 / math.log(high / low))
        shades = np.where(laid, np.clip(shades, 1, 255), 0)
        resized = self.image.set_picture(shades.astype(np.uint8))
        self.bar.show_range(low, high)
        self.bar.show()
        if resized:
            self.fit()

    def apply_theme(self, theme: Theme) -> None:
        """Change the colours around the picture; its own are the same in both themes."""
        super().apply_theme(theme)
        nothing = theme.colour("field" if theme.dark else "border").rgb()
        self.image.set_colours([nothing, *colour_table()[1:]])

    def read(self, row: int, column: int) -> str:
        """Return between which places the trail of an entry lies, and how strong it is."""
        picture = self.matrix
        assert picture is not None
        trail = float(picture[row, column])
        display, order, instance = display_of(self._instance), self._order, self._instance
        value = f"τ = {significant(trail)} τ₀" if trail > 0 else display.no_trail
        if instance is None or order is None or len(order) != len(picture):
            return f"strongest in this square:  {value}"
        name, other = (display.name_of(instance, int(order[at])) for at in (row, column))
        return f"{name} itself" if row == column else f"{name} → {other}:  {value}"

    def _describe(self) -> None:
        self.hint.setVisible(self.matrix is None)
        if self.matrix is None:
            self.caption.setText("")
            self.caption.setToolTip("")
            return
        n = self._instance.n if self._instance else len(self.matrix)
        parts = [f"Selective memory, s = {self._memory}"] if self._memory else []
        display = display_of(self._instance)
        parts.append(display.row_order if parts else f"In the {display.row_order}")
        if len(self.matrix) < n:
            parts.append(f"{math.ceil(n / len(self.matrix))}² trails a pixel")
        self.caption.setText("  ·  ".join(parts))
        tip = f"{display.trails_tip}; each pixel is the strongest trail of its square."
        if self._memory:
            tip += (
                f" The colony remembers {self._memory} trails at each city; elsewhere the initial "
                "trail τ₀ is shown, which an ant reads there."
            )
        self.caption.setToolTip(plain_tip(tip))


def _round_range(low: float, high: float) -> tuple[float, float]:
    """Widen to 1, 2 or 5 times a power of ten, so that the colours seldom change."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = [10.0**power * factor for power in powers for factor in (1, 2, 5)]
    bottom = max(step for step in steps if step <= low * (1 + 1e-6))
    top = min(step for step in steps if step >= high * (1 - 1e-6))
    return bottom, max(top, 10 * bottom)
