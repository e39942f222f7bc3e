"""Measured speedups over one core and over all cores, against instance size."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from gpu.core.formats import percent, short_time, significant, whole
from gpu.core.instance import Instance
from gpu.core.problem import Problem, Words
from gpu.core.tables import Column
from gpu.core.words import counted
from gpu.timing.measured import Measurement, SpeedupReport
from views.problem_display import problem_of
from views.setup.fields import ChoiceBox
from views.widgets.bars import Bar, Bars
from views.widgets.controls import Chip, OptionButtons
from views.widgets.labels import make_label, plain_tip
from views.widgets.layers import PlotCurve
from views.widgets.layouts import FlowLayout, Wrapping, fill, scrolled
from views.widgets.measure_bar import MeasureBar
from views.widgets.plot import PlotWidget
from views.widgets.table import ColumnTable, TableModel
from views.widgets.view import View, ViewSource

_PAGES_LEAST = 40  # pixels: where there is little room, bars and table scroll, and no button is cut
_CURVES_LEAST = 130  # pixels: curves can be read, and scroll together with what is below them
_SERIES_ROLES = ("best", "latest", "trail", "gap", "mean", "city")
MOST_PLACES = {"small": 500, "medium": 2500}
"""Most cities (vertices) of bundled instances in a scope; one core is too slow for larger ones."""

_SPEEDUP_HINT = (
    "Measure times a colony here beside those of its family on one core and on all cores, with the "
    "same instance, parameters, seeds and number of {solutions}. It shows how many times as fast "
    "the colony is: medians with their quartiles."
)


_Measured = tuple[SpeedupReport, Measurement]


class SpeedupView(View):
    """Bars for one instance, curves for several, and a table of all numbers."""

    key = "speedup"
    title = "Speedup"
    has_values = True

    def __init__(self) -> None:
        super().__init__()
        self.reports: tuple[SpeedupReport, ...] = ()
        self.scope, self.contenders = ChoiceBox(8), ChoiceBox(8)
        _fill(self.scope, "On which instances", this="This instance", small="", medium="")
        families = {"one": "This colony", "family": "Its family", "all": "All colonies"}
        _fill(self.contenders, "Which colonies", **families)
        self.measure = MeasureBar(
            "Measure", "Run each colony beside those of its family on one core and on all cores"
        )
        self.what = OptionButtons(
            {"solutions": "", "target": "", "table": "Table"},
            "Time for one solution, time to reach the same cost, or all numbers",
        )
        self.base = OptionButtons(
            {"cpu:1": "× 1 core", "cpu": "× all"},
            "What it is compared with: one core, or all cores",
        )
        self.plot = PlotWidget("cities", "times as fast")
        for side in ("bottom", "left"):
            self.plot.show_logarithmic(side, on=True)
        self.legend = FlowLayout()
        self.chips: dict[str, Chip] = {}
        self.curves: dict[str, PlotCurve] = {}
        self.bars = Bars()
        self.bars.setAccessibleName("Times as fast")
        self.table: ColumnTable[_Measured] = ColumnTable(
            "Measured speedups", TableModel(_key, unknown="")
        )
        self.note = make_label("note", wrap=True)
        self.pages = QStackedWidget()
        self._lay_out()
        self.what.chosen.connect(lambda _: self._redraw())
        self.base.chosen.connect(lambda _: self._redraw())
        self.apply_theme(self.theme)
        self.show_instance(None)

    @property
    def exports(self) -> Mapping[str, bool]:
        """The reports."""
        return {"speedup": bool(self.reports)}

    @property
    def source(self) -> ViewSource | None:
        """On what speedups were measured, and of which colonies."""
        if not self.reports:
            return None
        names = list(dict.fromkeys(report.instance for report in self.reports))
        measured = [one for report in self.reports for one in report.measurements]
        kinds = list(dict.fromkeys(one.search for one in measured))
        seed = self.reports[0].seeds[0]
        parts = ", ".join(names), ", ".join(kinds), f"from seed {seed}"
        instance, colony = (
            several[0] if len(several) == 1 else f"{len(several)}-{what}"
            for several, what in ((names, "instances"), (kinds, "colonies"))
        )
        return ViewSource(instance, colony, seed, "  ·  ".join(parts))

    def show_instance(self, instance: Instance | None) -> None:
        """Use the words of its problem, and forget what was measured on another problem."""
        problem = problem_of(instance)
        self._words = words = problem.words
        for key, most in MOST_PLACES.items():
            text = f"Bundled, to {most} {words.places}"
            self.scope.setItemText(self.scope.findData(key), text)
        self.what.buttons["solutions"].setText(f"Per {words.solution}")
        self.what.buttons["target"].setText(f"To {words.cost}")
        self.plot.set_label("bottom", words.places)
        self.show_reports([report for report in self.reports if report.problem == problem])

    def show_reports(self, reports: Sequence[SpeedupReport]) -> None:
        """Show what was measured so far, one report for each instance."""
        self.reports = tuple(reports)
        self._redraw()
        self.exports_changed.emit()

    def _lay_out(self) -> None:
        top = FlowLayout(self.scope, self.contenders, self.measure.button)
        curves = QWidget()
        fill(QVBoxLayout(curves), self.legend, (self.plot, 1))
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(self.bars)
        scroll.setAccessibleName("Speedups as bars")
        for page in (scroll, curves, self.table):
            self.pages.addWidget(page)
        self._filler = QWidget()
        self.plot.setMinimumHeight(_CURVES_LEAST)
        page = Wrapping()
        fill(QVBoxLayout(page), (self.pages, 1), self.note, (self._filler, 1))
        bottom = FlowLayout(self.what, self.base)
        self.area = scrolled(page)
        parts = top, self.measure, (self.area, 1), bottom
        fill(QVBoxLayout(self), *parts, margins=(8, 8, 8, 6))

    def _redraw(self) -> None:
        shown = bool(self.reports)
        what = self.what.value
        for widget in (self.pages, self.what, self.base):
            widget.setVisible(shown)
        self._filler.setVisible(not shown)
        hint = _SPEEDUP_HINT.format(solutions=self._words.solutions)
        self.note.setText(_conditions(self.reports) if shown else hint)
        self.pages.setCurrentIndex(2 if what == "table" else 1 if len(self.reports) > 1 else 0)
        curves = self.pages.currentIndex() == 1
        self.pages.setMinimumHeight(0 if curves else _PAGES_LEAST)  # 0: as much as the curves need
        self.base.setVisible(shown and what != "table")
        measured = [(report, one) for report in self.reports for one in report.measurements]
        self.table.show_rows(_columns(self._words), measured)
        self._fill_bars()
        self._fill_curves()

    def _speedup(self, report: SpeedupReport, one: Measurement) -> float | None:
        to_target = self.what.value == "target"
        return (report.target_speedup if to_target else report.speedup)(one, self.base.value)

    def _fill_bars(self) -> None:
        bars = []
        for report in self.reports[:1]:
            for number, one in enumerate(report.measurements):
                value = self._speedup(report, one)
                text = one.failure or ("not reached" if one.target_seconds else "not measured")
                if one.own_work and self.what.value == "solutions":
                    text = "not compared"
                low = high = math.nan
                if value is not None:
                    text = f"{significant(value)} ×"
                    if self.what.value == "solutions":
                        low = value * one.solution_us.median / one.solution_us.upper
                        high = value * one.solution_us.median / one.solution_us.lower
                role = _SERIES_ROLES[number % len(_SERIES_ROLES)]
                bars.append(Bar(_name(one), text, value or 0.0, role, low, high))
        self.bars.show_bars(bars)

    def _fill_curves(self) -> None:
        series: dict[str, dict[float, list[float]]] = {}
        for report in self.reports:
            for one in report.measurements:
                value = self._speedup(report, one)
                if value is not None and one.device != self.base.value:
                    sizes = series.setdefault(_name(one), {})
                    sizes.setdefault(math.log10(report.n), []).append(math.log10(value))
        for key in series:
            if key not in self.chips:
                self._add_series(key)
        for key, chip in self.chips.items():
            # Of instances of the same size, the geometric mean is drawn.
            sizes = series.get(key, {})
            points = [(size, sum(sizes[size]) / len(sizes[size])) for size in sorted(sizes)]
            self.curves[key].set_points(np.array(points, dtype=np.float64).reshape(-1, 2))
            chip.setVisible(key in series)
        places = np.concatenate([np.empty((0, 2)), *(c.points for c in self.curves.values())])
        if len(places):
            low, high = places.min(axis=0), places.max(axis=0)
            y = (min(low[1], 0.0) - 0.1, max(high[1], 0.0) + 0.15)
            self.plot.follow((low[0] - 0.1, high[0] + 0.1), y)

    def _add_series(self, key: str) -> None:
        role = _SERIES_ROLES[len(self.chips) % len(_SERIES_ROLES)]
        chip = Chip(key, role, "line")
        chip.apply_theme(self.theme)
        curve = self.plot.add_curve(role, 2.0, dots=True, name=key)
        chip.toggled.connect(curve.setVisible)
        self.legend.addWidget(chip)
        self.chips[key], self.curves[key] = chip, curve


def _conditions(reports: Sequence[SpeedupReport]) -> str:
    """Return on what and how the reports were measured."""
    models = {
        f"{one.device}: {one.model}"
        + (f" ({counted(one.cores, 'core')})" if one.device == "cpu" else "")
        for report in reports
        for one in report.measurements
    }
    one = reports[-1]
    if len(reports) > 1:
        text = f"{counted(len(one.seeds), 'run')} on each of {counted(len(reports), 'instance')}"
    else:
        text = f"{counted(len(one.seeds), 'run')} of {counted(one.iterations, 'iteration')}"
        text = f"{one.instance}: {text}"
    if len(reports) == 1 and one.target_cost is not None:
        gap = "" if one.target_gap is None else f", gap {percent(one.target_gap)}"
        words = Problem(one.problem).words
        cost = words.amount(one.target_cost, one.cost_unit.amount(one.target_cost))
        text += f"; target {words.aim.format(cost)}{gap}"
    own = {
        f" Of {one.system}, only times to the target are compared, because {one.own_work}."
        for report in reports
        for one in report.measurements
        if one.own_work
    }
    return f"{text}. {'; '.join(sorted(models))}.{''.join(sorted(own))}"


def _name(one: Measurement) -> str:
    return f"{one.system} on {one.device}"


def _fill(box: ChoiceBox, tip: str, **options: str) -> None:
    box.setAccessibleName(tip)
    box.setToolTip(plain_tip(tip))
    for key, text in options.items():
        box.addItem(text, key)


def _key(row: _Measured) -> tuple[str, str, str]:
    return row[0].instance, row[1].system, row[1].device


def _columns(words: Words) -> list[Column[_Measured]]:
    """Return the columns of the table of all numbers."""

    def number(
        title: str,
        value: Callable[[_Measured], float | None],
        form: Callable[[float], str] = lambda value: f"{significant(value)} ×",
        text: Callable[[_Measured], str] = lambda _: "",  # without a value
    ) -> Column[_Measured]:
        def shown(row: _Measured) -> str:
            found = value(row)
            return text(row) if found is None else form(found)

        return Column(title, shown, tip=_machine, number=True, order=value)

    return [
        Column("Instance", lambda row: row[0].instance, tip=_machine),
        number("n", lambda row: row[0].n, whole),
        Column("Colony", lambda row: row[1].system, tip=_machine),
        Column("On", lambda row: row[1].device, tip=_machine),
        number("Ants", lambda row: row[1].ants, whole),
        number(f"µs a {words.solution}", _us, significant, lambda row: row[1].failure),
        Column("Quartiles", _quartiles, tip=_machine, number=True, order=_us),
        number("× one core", lambda row: row[0].speedup(row[1], "cpu:1")),
        number("× all cores", lambda row: row[0].speedup(row[1], "cpu")),
        number(
            f"To {words.cost}",
            lambda row: row[1].target_median,
            short_time,
            lambda row: "not reached" if row[1].target_seconds else "",
        ),
        number("× one core", lambda row: row[0].target_speedup(row[1], "cpu:1")),
        number("× all cores", lambda row: row[0].target_speedup(row[1], "cpu")),
    ]


def _machine(row: _Measured) -> str:
    return row[1].failure or f"{row[1].model}, {row[1].detail}"


def _us(row: _Measured) -> float | None:
    return None if row[1].failure else row[1].solution_us.median


def _quartiles(row: _Measured) -> str:
    spread = row[1].solution_us
    if spread.half is None:
        return ""
    return f"{significant(spread.lower)} – {significant(spread.upper)}"
