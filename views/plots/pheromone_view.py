"""The pheromone, logarithmic: all trails, those to candidates, or those around the best tour."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout
from shiboken6 import isValid

from gpu.core.formats import significant, whole
from gpu.core.instance import Instance
from gpu.core.snapshot import RunState, TrailTable, Wanted
from gpu.core.words import counted
from views.plots.trail_table import (
    MANY_TRAILS,
    ColourBar,
    TrailLevels,
    TrailTablePlot,
    colour_table,
    levels_of,
    range_of,
    shades_of,
)
from views.problem_display import display_of
from views.widgets.cached_picture import have_made
from views.widgets.canvas_view import MatrixView
from views.widgets.controls import OptionButtons
from views.widgets.labels import plain_tip
from views.widgets.layers import PictureItem
from views.widgets.theme import Theme
from views.widgets.values import MOST_ROWS, ValueTable
from views.widgets.view import NOTHING, Pointed

_CAPTION_MARGINS = 18  # pixels at the left and the right of the view, and a little more
_CROWDED_FROM = 200  # from which on single trails of the matrix cannot be told apart

# What can be shown: the text of its button, and what it is.
_TRAIL_FORMS = {
    "strip": (
        "Strip",
        "A row is a city, in the order of the best tour; a column is one of its candidates, "
        "nearest first; the colour is the trail to it. The wheel zooms in, down to single trails",
    ),
    "band": (
        "Band",
        "A row is a city, in the order of the best tour; a column is the city so many places ahead "
        "or behind; the colour is the trail to it. Column 1 is the best tour itself. The wheel "
        "zooms in, down to single trails",
    ),
    "matrix": ("Matrix", "The trails between all cities, in the order of the ants' best tour"),
}
_NONE_YET = "The trails appear here as soon as a colony lays them"
_CORNER = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft
_WANTED = {"strip": Wanted.STRIP, "band": Wanted.BAND, "matrix": Wanted.PHEROMONE}


class PheromoneView(MatrixView):
    """The trails in units of the initial trail τ₀, in one of three forms.

    The strip has the trails to each city's candidates, the band those to the cities around it on
    the best tour, and the matrix those between all. Tours can be shown in all forms, colorings as a
    matrix only.
    """

    key = "pheromone"
    title = "Pheromone"
    has_values = True
    of_moment = True
    fit_tip = "Show the whole picture"
    matrix: NDArray[np.float32] | None = None  # the trails of the newest picture

    def __init__(self) -> None:
        super().__init__(PictureItem(colour_table()))
        self._instance: Instance | None = None
        # What its places are called, as short as it can be; numbers of a million take some time.
        self._called: Callable[[int], str] | None = None
        self._order: NDArray[np.integer] | None = None
        self._memory = 0
        self._lit: tuple[int, ...] = ()  # the city or edge that another view points at
        self._form = "matrix"  # what is shown now
        self._chosen = ""  # the form that the user wants for all instances, or nothing
        self._tables: dict[str, TrailTable] = {}  # the newest, by form
        self._making: TrailTable | None = None  # whose levels another thread makes
        self.forms = OptionButtons({form: text for form, (text, _) in _TRAIL_FORMS.items()}, "")
        self.forms.setAccessibleName("Form of the picture")
        for form, (_, tip) in _TRAIL_FORMS.items():
            self.forms.buttons[form].setToolTip(plain_tip(tip))
        self.forms.chosen.connect(self._choose)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight)  # the forms and the caption
        self._row.setSpacing(self.head.spacing())
        self._row.addWidget(self.forms, 0, _CORNER)
        self._row.addWidget(self.caption, 1)
        self.head.insertLayout(0, self._row, 1)
        self.table = TrailTablePlot(colour_table())
        self.table.entered.connect(self._read_trail)
        self.bar = ColourBar("τ / τ₀")
        self.middle.addWidget(self.table, 1)
        self.middle.addWidget(self.bar)
        self._note = ""  # what the colony says of its trails
        self._equal = False  # whether all trails of the matrix are
        self.hint = self._label_over(_NONE_YET)
        self.hint.setWordWrap(True)
        self.hint.setProperty("role", "muted")
        self.apply_theme(self.theme)
        self.show_instance(None)

    @property
    def form(self) -> str:
        """What is shown: "strip", "band" or "matrix", which alone is recorded of the past."""
        forms = display_of(self._instance).trail_forms
        if len(forms) == 1 or self.moment:
            return forms[-1]
        many = self._instance is not None and self._instance.n > _CROWDED_FROM
        return self._chosen or ("strip" if many else "matrix")

    @property
    def wanted(self) -> Wanted:
        """The trails of the form that is shown, and the solution for the order of the rows."""
        return Wanted.SOLUTION | _WANTED[self.form]

    @property
    def kept(self) -> str:
        """The form that the user has chosen; nothing while there was no choice."""
        return self._chosen

    def keep(self, kept: str) -> None:
        """Show the form that was chosen in an earlier session."""
        self._chosen = kept if kept in _TRAIL_FORMS else ""
        self._show_form()

    def show_instance(self, instance: Instance | None) -> None:
        """Prepare for runs on ``instance``."""
        self._instance, self._called = instance, None
        self.forms.setVisible(len(display_of(instance).trail_forms) > 1)
        self.begin_run()

    def begin_run(self) -> None:
        """Empty the picture."""
        self.matrix = self._order = None
        self._note, self._equal = "", False
        self._tables.clear()
        self.image.set_picture(None)
        self._making = None
        self.point_out(NOTHING)  # a mark would stay where nothing is drawn
        self.table.show_levels(None, str, centred=False)
        self.reading.setText(" ")
        self._show_form()
        self.fit()

    def show_memory(self, trails: int) -> None:
        """Say that the colony remembers ``trails`` trails at each city; 0 for all."""
        self._memory = trails
        self._describe()

    def take_in(self, snapshot: RunState) -> None:
        """Keep the picture, if there is one; before the first iteration all trails are equal."""
        if snapshot.trails_note != self._note:
            self._note = snapshot.trails_note
            self._show_form()
        if snapshot.iteration == 0:
            return
        before = self._has_picture, self._form
        if snapshot.pheromone is not None:
            self.matrix = snapshot.pheromone
            best = snapshot.ants_best
            self._order = None if best is None else display_of(self._instance).order(best)
        tables = {"strip": snapshot.strip, "band": snapshot.band}
        self._tables |= {form: table for form, table in tables.items() if table is not None}
        if (self._has_picture, self.form) != before:
            self._show_form()

    def fit(self) -> None:
        """Show the whole picture."""
        super().fit()
        self.table.fit()

    def draw(self) -> None:
        """Draw the picture, logarithmic between its weakest and its strongest trail."""
        form = self.form
        if form == "matrix":
            if self.matrix is not None and (shown := range_of(self.matrix)) is not None:
                self.bar.show_range(*shown)
                self._say_equal(self.matrix)
                if self.image.set_picture(shades_of(self.matrix, *shown)):
                    super().fit()
                self._mark()
        elif (table := self._tables.get(form)) is not None:
            if self.table.levels is not None and self.table.levels.table is table:
                self.bar.show_range(*self.table.levels.shown)
                self._mark()
            elif table.values.size < MANY_TRAILS:
                self._show_levels(levels_of(table))
            elif self._making is None:
                self._have_levels_made(table)

    def _say_equal(self, matrix: NDArray[np.float32]) -> None:
        """Say whether all trails are equal: a colony may begin anew, or have laid none yet."""
        trails = matrix[matrix > 0]
        equal = bool(trails.min() == trails.max())
        if equal != self._equal:
            self._equal = equal
            self._describe()

    def _have_levels_made(self, table: TrailTable) -> None:
        """Let another thread look at all trails, which takes too long for this one."""
        self._making = table

        def take(levels: TrailLevels | None) -> None:
            if not isValid(self) or self._making is not table:
                return
            self._making = None
            if table is self._tables.get(self.form):
                self._show_levels(levels)
            else:
                self.draw()  # there are newer trails, or another form is shown

        have_made(lambda: levels_of(table), take)

    def _show_levels(self, levels: TrailLevels | None) -> None:
        """Show a table, unless there is no trail in it."""
        if levels is not None:
            self.bar.show_range(*levels.shown)
            if (called := self._called) is None:
                called = self._called = display_of(self._instance).short(self._instance)
            self.table.show_levels(levels, called, centred=self.form == "band")
            self._mark()

    def apply_theme(self, theme: Theme) -> None:
        """Change the colours around the picture; its own are the same in both themes."""
        super().apply_theme(theme)
        nothing = theme.colour("field" if theme.dark else "border").rgb()
        colours = [nothing, *colour_table()[1:]]
        self.image.set_colours(colours)
        self.table.rows.set_colours(colours)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the caption beside the forms, or below them."""
        super().resizeEvent(event)
        self._place_caption()

    def read(self, row: int, column: int) -> str:
        """Return between which places the trail of an entry lies, and how strong it is."""
        picture = self.matrix
        assert picture is not None
        trail = float(picture[row, column])
        display, order, instance = display_of(self._instance), self._order, self._instance
        value = self._value(trail)
        if instance is None or order is None or len(order) != len(picture):
            self.point_to(NOTHING)
            return f"strongest in this square:  {value}"
        places = dict.fromkeys((int(order[row]), int(order[column])))
        self.point_to(Pointed(places=tuple(places)))
        names = [display.name_of(instance, place) for place in places]
        return f"{names[0]} itself" if row == column else f"{' → '.join(names)}:  {value}"

    def values(self) -> list[ValueTable]:
        """Return the strongest trails of the form that is shown, the strongest first."""
        if not self._has_picture:
            return []
        table = self._tables.get(self.form)
        trails = self.matrix if self.form == "matrix" or table is None else table.values
        assert trails is not None
        order = np.argsort(trails, axis=None)[::-1][:MOST_ROWS]
        laid = order[trails.ravel()[order] > 0]
        rows = [
            (*self._ends(int(row), int(column)), float(trails[row, column]))
            for row, column in zip(*np.unravel_index(laid, trails.shape), strict=True)
        ]
        most = f", the {whole(MOST_ROWS)} strongest" if len(rows) == MOST_ROWS else ""
        return [ValueTable(f"Trails, {self.form}{most}", ("From", "To", "τ / τ₀"), rows, (2,))]

    def _ends(self, row: int, column: int) -> tuple[str, str]:
        """Return between which places an entry of the form that is shown lies."""
        display, instance, order = display_of(self._instance), self._instance, self._order
        if self.form != "matrix":
            table = self._tables[self.form]
            ends = int(table.cities[row]), int(table.others[row, column])
        else:
            assert self.matrix is not None
            n, size = 0 if order is None else len(order), len(self.matrix)
            if n != size:
                return f"row {row + 1} of {size}", f"column {column + 1} of {size}"
            assert order is not None
            ends = int(order[row]), int(order[column])
        one, other = (
            str(place + 1) if instance is None else display.name_of(instance, place)
            for place in ends
        )
        return one, other

    def point_out(self, part: Pointed) -> None:
        """Mark the row of a city, or the trails between two."""
        self._lit = part.places
        self._mark()

    @property
    def _has_picture(self) -> bool:
        """Whether there is something to show in the form that is shown."""
        return self.matrix is not None if self.form == "matrix" else self.form in self._tables

    def _value(self, trail: float) -> str:
        no_trail = display_of(self._instance).no_trail
        return f"τ = {significant(trail)} τ₀" if trail > 0 else no_trail

    def _choose(self, form: str) -> None:
        self._chosen = form
        self._show_form()
        self.draw()
        self.wanted_changed.emit()

    def _show_form(self) -> None:
        """Show the picture of the present form, or that there is none yet."""
        has, form = self._has_picture, self.form
        self._form = form
        self.forms.buttons[form].setChecked(True)
        self.forms.setEnabled(not self.moment)
        self.table.setVisible(has and form != "matrix")
        self.graphics.setVisible(not has or form == "matrix")
        if not has and form != "matrix":
            self.image.set_picture(None)
        self.bar.setVisible(has)
        self.hint.setText(f"{self._note or _NONE_YET}.")
        self.hint.setVisible(not has)
        self.leave()
        self._describe()

    def _read_trail(self, row: int, column: int) -> None:
        """Say which trail of the strip or the band is under the mouse."""
        table, instance = self.table.table, self._instance
        if table is None or instance is None or row < 0:
            self.leave()
            return
        city, other = int(table.cities[row]), int(table.others[row, column])
        display, width = display_of(instance), table.values.shape[1]
        self.point_to(Pointed(places=(city,) if city == other else (city, other)))
        if city == other:
            self.reading.setText(f"{display.name_of(instance, city)} itself")
            return
        where = f"rank {column + 1} of {width}"
        if self.form == "band":
            steps = column - width // 2
            where = f"{abs(steps)} {'ahead' if steps > 0 else 'behind'} on the best tour"
        names = " → ".join(display.name_of(instance, place) for place in (city, other))
        value = self._value(float(table.values[row, column]))
        self.reading.setText(f"{names}:  {value}  ·  {where}")

    def _mark(self) -> None:
        """Mark what is pointed at in another view, where it is in the picture of now."""
        if self.form != "matrix":
            self.table.mark(self._lit)
        elif self.matrix is not None and self._order is not None:
            n, size = len(self._order), len(self.matrix)
            rows = [int(np.flatnonzero(self._order == place)[0]) for place in self._lit]
            self.mark([row * size // n for row in rows])

    def _describe(self) -> None:
        if not self._has_picture:
            self.caption.setText("")
            self.caption.setToolTip("")
            return
        display = display_of(self._instance)
        parts = [f"Selective memory, s = {self._memory}"] if self._memory else []
        tip = _TRAIL_FORMS[self.form][1] + "."
        if self.matrix is not None and self.form == "matrix":
            n = self._instance.n if self._instance else len(self.matrix)
            parts.append(display.row_order if parts else f"In the {display.row_order}")
            if len(self.matrix) < n:
                parts.append(f"{math.ceil(n / len(self.matrix))}² trails a pixel")
            tip = f"{display.trails_tip}; each pixel is the strongest trail of its square."
        elif not parts:
            width = self._tables[self.form].values.shape[1]
            strip = f"{counted(width, 'neighbour')} a city"
            parts.append(
                strip if self.form == "strip" else f"{counted(width // 2, 'place')} each way"
            )
        if self._memory:
            tip += (
                f" The colony remembers {counted(self._memory, 'trail')} at each city; elsewhere "
                "the initial trail τ₀ is shown, which an ant reads there."
            )
        if self._equal and self.form == "matrix":
            parts.append("All trails are equal now")
        if self._note:
            parts.append(self._note)
            tip += f" {self._note}."
        self.caption.setText("  ·  ".join(parts))
        self.caption.setToolTip(plain_tip(tip))
        self._place_caption()

    def _place_caption(self) -> None:
        """Beside the forms where it fits there in one line; else below, where lines are longer."""
        words = self.caption.fontMetrics().horizontalAdvance(self.caption.text())
        parts = self.forms.sizeHint().width(), self.fit_button.sizeHint().width()
        room = self.contentsRect().width() - sum(parts) - 2 * self.head.spacing() - _CAPTION_MARGINS
        below = words > room and self.caption.text() != "" and not self.forms.isHidden()
        way = QBoxLayout.Direction
        self._row.setDirection(way.TopToBottom if below else way.LeftToRight)
