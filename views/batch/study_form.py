"""The design of a study as a form that is filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gpu.core.problem import Problem
from gpu.core.stop_limits import STOP_LIMITS
from gpu.core.words import shown
from gpu.problems.reading import AS_FOUND, ReadAs
from gpu.run.stopping import StopSettings
from gpu.studies.design import (
    LONGEST_TITLE,
    MOST_CASES,
    SEEDS_END,
    ColonyDesign,
    Design,
    DesignError,
    MeasuredLimit,
)
from views.batch.colony_row import ColonyRow
from views.setup.cards import Card, put_on_shelves
from views.setup.fields import NumberField, make_line
from views.setup.forms import limit_problem
from views.widgets.controls import make_button
from views.widgets.labels import make_label, plain_tip
from views.widgets.layouts import FlowLayout, fill, put_in_order
from views.widgets.steps import Steps
from views.widgets.theme import DARK, Theme


class BudgetFields(QWidget):
    """The limits of each run; the first one that is reached ends it."""

    changed = Signal()  # the user changed something

    def __init__(self) -> None:
        super().__init__()
        self.fields: dict[str, NumberField] = {}
        groups = []
        for name, limit in STOP_LIMITS.items():
            self.fields[name] = field = NumberField(f"Limit of each run: {limit.brief}")
            field.entry.setFixedWidth(64)
            field.entry.setPlaceholderText("–")
            field.entry.setToolTip(plain_tip(f"{limit.tip}; empty: no limit"))
            field.changed.connect(self._edited)
            groups.append(_beside(field, make_label("muted", limit.brief), spacing=4))
        self.go_on = QCheckBox("Go on at the best known cost")
        self.go_on.setToolTip(
            "Without this, a run ends at once where it finds the best known cost, or one that is "
            "proved to be optimal"
        )
        self.go_on.toggled.connect(lambda _: self.changed.emit())
        fill(QVBoxLayout(self), FlowLayout(*groups, self.go_on))

    @property
    def budget(self) -> StopSettings:
        """The limits; ParameterError if one is out of its range."""
        limits = {
            name: int(field.text) if field.text.isdecimal() else float(field.text)
            for name, field in self.fields.items()
            if field.text and not field.problem
        }
        return StopSettings.from_dict({**limits, "go_on": self.go_on.isChecked()})

    @property
    def problem(self) -> str:
        """What is wrong with a field, or nothing."""
        wrong = ((name, one.problem) for name, one in self.fields.items() if one.problem)
        return next((f"{STOP_LIMITS[name].brief} {problem}" for name, problem in wrong), "")

    def show_budget(self, budget: StopSettings) -> None:
        """Show other limits."""
        values = budget.to_dict()
        for name, field in self.fields.items():
            value = values.get(name)
            field.text = "" if value is None else f"{value!r}".removesuffix(".0")
        self.go_on.setChecked(budget.go_on)
        self._check()

    def _edited(self) -> None:
        self._check()
        self.changed.emit()

    def _check(self) -> None:
        for name, field in self.fields.items():
            field.problem = limit_problem(name, field.text) if field.text else ""


_AS_FOUND_ALL: Mapping[str, ReadAs] = MappingProxyType({})


class InstancesCard(Card):
    """The list, with its buttons above it."""

    changed = Signal()  # others are in the list now
    this_requested = Signal()  # the one in sight
    files_requested = Signal()

    def __init__(self) -> None:
        super().__init__("INSTANCES", "studies#in-the-window")
        self._reading: dict[str, ReadAs] = {}  # by text
        self.bundled_menu = QMenu(self)
        tip = "Add the instance in sight"
        self.this_button = make_button("segment", "This instance", tip, self.this_requested)
        tip = "Add an instance that comes with the program"
        self.bundled_button = make_button("segment", "Bundled ▾", tip)
        self.bundled_button.setPopupMode(self.bundled_button.ToolButtonPopupMode.InstantPopup)
        self.bundled_button.setMenu(self.bundled_menu)
        tip = "Add files of instances"
        self.files_button = make_button("segment", "Files…", tip, self.files_requested)
        tip = "Remove the selected instances (Del)"
        self.remove_button = make_button("segment", "Remove", tip, self._remove_selected)
        buttons = self.this_button, self.bundled_button, self.files_button, self.remove_button
        self.list = QListWidget()
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.setAccessibleName("Instances of the study")
        self.list.setFixedHeight(74)
        self.list.itemSelectionChanged.connect(self._enable)
        key = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self.list)
        key.setContext(Qt.ShortcutContext.WidgetShortcut)
        key.activated.connect(self._remove_selected)
        self.column.addLayout(FlowLayout(*buttons))
        self.column.addWidget(self.list)
        self._enable()

    @property
    def texts(self) -> list[str]:
        """The files or names in the list."""
        items = (self.list.item(at) for at in range(self.list.count()))
        return [str(item.data(Qt.ItemDataRole.UserRole)) for item in items if item is not None]

    @property
    def reading(self) -> dict[str, ReadAs]:
        """How those of them are read of which something is said."""
        return {text: self._reading[text] for text in self.texts if text in self._reading}

    def show_texts(self, texts: Sequence[str], reading: Mapping[str, ReadAs]) -> None:
        """Show another list, and how its files are read."""
        self.list.clear()
        self._reading.clear()
        self.add(texts, reading)

    def add(self, texts: Sequence[str], reading: Mapping[str, ReadAs] = _AS_FOUND_ALL) -> None:
        """Add instances by file or name; where one is there already, its ``reading`` changes."""
        for text in texts:
            if text not in self.texts:
                added = QListWidgetItem()
                added.setData(Qt.ItemDataRole.UserRole, text)
                self.list.addItem(added)
            self._reading.pop(text, None)
            if (said := reading.get(text, AS_FOUND)) != AS_FOUND:
                self._reading[text] = said
            item = self.list.item(self.texts.index(text))
            assert item is not None
            words, name = " ".join(said.options()), Path(text).name if "\0" not in text else text
            item.setText(shown(f"{name}  {words}".strip(), 200))
            item.setToolTip(plain_tip(f"{text}\n{words}".strip()))
        self.changed.emit()

    def show_bundled(self, shelves: Mapping[Problem, Sequence[tuple[str, str]]]) -> None:
        """Offer the instances that come with the program: (text, name), by their problem."""
        put_on_shelves(self.bundled_menu, shelves, lambda name: self.add([name]))

    def _remove_selected(self) -> None:
        for item in self.list.selectedItems():
            self.list.takeItem(self.list.row(item))
        self._enable()
        self.changed.emit()

    def _enable(self) -> None:
        self.remove_button.setEnabled(bool(self.list.selectedItems()))


MOST_COLONIES = 50  # that the form has fields for

_NO_COLONY = (
    "Add a colony: choose it in the panel at the left and press Add this colony; do that again "
    "for each colony. Change labels and parameters here."
)


class StudyForm(QScrollArea):
    """Title, colonies, instances, seeds, limits, and the file of the results."""

    changed = Signal()  # the design is another one now
    add_requested = Signal()  # what is set up, as a colony
    results_requested = Signal()  # another file for the results

    def __init__(self) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.theme: Theme = DARK
        self.rows: list[ColonyRow] = []
        self._seeds: tuple[int, ...] = ()  # of a design whose seeds are no row of numbers
        # of a design from a file, which has them alone: limits by instance, and what is measured
        self._budgets: Mapping[str, StopSettings] = {}
        self._measure = ""
        self._apart = False
        self._measured_limit: MeasuredLimit | None = None
        self._quiet = False  # while a whole design is being shown
        self._page = page = QWidget()
        page.setProperty("role", "page")
        self.instances = InstancesCard()
        self.instances.changed.connect(self._edited)
        parts = self._make_colonies(), self.instances, self._make_runs()
        fill(QVBoxLayout(page), *parts, margins=(0, 0, 4, 0), spacing=6).addStretch(1)
        self.setWidget(page)
        self.show_usual()

    @property
    def design(self) -> Design:
        """The design; DesignError or ParameterError says what is wrong or missing."""
        if problem := self.budget.problem:
            raise DesignError(f"Limit of {problem}")
        if not self.rows:
            raise DesignError("Add a colony")
        if not self.instances.texts:
            raise DesignError("Add an instance")
        return Design(
            title=" ".join(self.title.text().split()) or "Study",
            instances=tuple(self.instances.texts),
            seeds=self._chosen_seeds(),
            budget=self.budget.budget,
            colonies=tuple(row.design for row in self.rows),
            budgets=self._budgets,
            reading=self.instances.reading,
            measure=self._measure,
            apart=self._apart,
            measured_limit=self._measured_limit,
        )

    @property
    def results(self) -> str:
        """The file of the results; empty for a new one."""
        return self.results_entry.text().strip()

    @property
    def processes(self) -> int | None:
        """How many cores runs may use; None for all. DesignError if that is no number."""
        if not self.cores.text:
            return None
        return _whole_number(self.cores, "The number of cores", 1, 4096)

    def show_usual(self) -> None:
        """Show the beginning of a new design."""
        self.budget.show_budget(StopSettings(seconds=10.0))
        self.first.text, self.count.text = "1", "10"

    def begin_anew(self) -> None:
        """Show an empty form, for another study."""
        self._quiet = True
        self.title.clear()
        self.results_entry.clear()
        for row in list(self.rows):
            self._remove(row)
        self.instances.show_texts([], {})
        self._seeds, self._budgets, self._measure = (), {}, ""
        self._apart, self._measured_limit = False, None
        self.more.hide()
        self.show_usual()
        self._quiet = False
        self._edited()

    def make_rows(self, design: Design) -> Steps[list[ColonyRow]]:
        """Make the rows of a design's colonies, one a step, for :meth:`show_design`.

        DesignError if there are more colonies than the form has room for.
        """
        if len(design.colonies) > MOST_COLONIES:
            raise DesignError(
                f"it has {len(design.colonies)} colonies, and the window shows {MOST_COLONIES} at "
                "most: run it with formicarium study"
            )
        rows = []
        for one in design.colonies:
            rows.append(ColonyRow())
            yield
            rows[-1].show_design(one)
        return rows

    def show_design(self, design: Design, rows: Sequence[ColonyRow]) -> None:
        """Show another design, with ``rows`` for its colonies."""
        self._quiet = True
        self.title.setText(design.title)
        for row in list(self.rows):
            self._remove(row)
        for row in rows:
            self._add(row)
        self.instances.show_texts(design.instances, design.reading)
        seeds = design.seeds
        plain = seeds == tuple(range(seeds[0], seeds[0] + len(seeds)))
        self._seeds = () if plain else seeds
        self.first.text, self.count.text = str(seeds[0]), str(len(seeds))
        if not plain:
            self.first.text = "as in the file"
        self.budget.show_budget(design.budget)
        self._budgets, self._measure = design.budgets, design.measure
        self._apart, self._measured_limit = design.apart, design.measured_limit
        more = [f"limits of its own for {', '.join(design.budgets)}"] if design.budgets else []
        more += [f"times of {design.measure}"] if design.measure else []
        if limit := design.measured_limit:
            more.append(
                f"the time of {limit.iterations:,} iterations of {limit.of.colony} as limit"
            )
        self.more.setText(f"From the file: {'; '.join(more)}")
        self.more.setVisible(bool(more))
        self._quiet = False
        self._edited()

    def add_colony(self, one: ColonyDesign) -> None:
        """Add a colony at the end."""
        row = ColonyRow()
        row.show_design(one)
        self._add(row)
        self._edited()

    def _add(self, row: ColonyRow) -> None:
        row.taken = lambda: [one.name for one in self.rows if one is not row]
        row.changed.connect(self._edited)
        row.remove_requested.connect(lambda: self._remove(row))
        row.apply_theme(self.theme)
        last = self.rows[-1].order[-1] if self.rows else self.add
        self.rows.append(row)
        self._column.addWidget(row)
        put_in_order(last, *row.order)  # Tab would reach it last

    def apply_theme(self, theme: Theme) -> None:
        """Remember the theme for rows that are added; the view dresses those that are there."""
        self.theme = theme

    def lock(self, *, locked: bool) -> None:
        """Let nothing be changed while the study goes on."""
        self._page.setEnabled(not locked)

    def _make_colonies(self) -> QWidget:
        card = Card("COLONIES", "studies#in-the-window")
        tip = "Add the panel's colony, device and parameters"
        self.add = card.add_button("Add this colony", tip)
        self.add.clicked.connect(self.add_requested)
        self.empty = make_label("note", _NO_COLONY, wrap=True)
        self._column = fill(QVBoxLayout(), spacing=4)
        card.column.addWidget(self.empty)
        card.column.addLayout(self._column)
        return card

    def _make_runs(self) -> QWidget:
        card = Card("RUNS", "studies#in-the-window")
        self.title = make_line("Title of the study", empty="Study", most=LONGEST_TITLE)
        self.first, self.count = NumberField("First seed"), NumberField("Number of seeds")
        self.cores = NumberField("Cores at most")
        self.cores.entry.setPlaceholderText("all")
        self.cores.entry.setToolTip("How many cores runs may use at once; empty: all")
        self.first.changed.connect(self._forget_seeds)
        for field in (self.first, self.count, self.cores):
            field.entry.setFixedWidth(84)
            field.changed.connect(self._edited)
        self.budget = BudgetFields()
        self.budget.changed.connect(self._edited)
        self.more = make_label("note", wrap=True)
        self.more.hide()
        self.results_entry = make_line(
            "File of the results",
            "The SQLite file of the results. Runs that are finished in it are not done again. "
            "Empty it to begin anew",
            empty="A new file in the folder of studies",
        )
        for line in (self.title, self.results_entry):
            line.textEdited.connect(lambda _: self._edited())
        self.results_button = card.add_button("Results file…", "Choose the file of the results")
        self.results_button.clicked.connect(self.results_requested)
        numbers = FlowLayout(
            _named("First seed", self.first),
            _named("Number of seeds", self.count),
            _named("Cores", self.cores),
        )
        card.column.addWidget(_named("Title", self.title))
        card.column.addLayout(numbers)
        ends = make_label("muted", "Each run ends at the first of")
        for part in (ends, self.budget, self.more, _named("Results", self.results_entry)):
            card.column.addWidget(part)
        return card

    def _chosen_seeds(self) -> tuple[int, ...]:
        if self._seeds and self.count.text == str(len(self._seeds)):
            return self._seeds
        first = _whole_number(self.first, "The first seed", 0, SEEDS_END - 1)
        count = _whole_number(self.count, "The number of seeds", 1, MOST_CASES)
        if first + count > SEEDS_END:
            raise DesignError("The seeds must be less than 2^63")
        return tuple(range(first, first + count))

    def _forget_seeds(self) -> None:
        self._seeds = ()

    def _remove(self, row: ColonyRow) -> None:
        self.rows.remove(row)
        self._column.removeWidget(row)
        row.hide()
        row.deleteLater()
        self._edited()

    def _edited(self) -> None:
        self.empty.setVisible(not self.rows)
        self.add.setEnabled(len(self.rows) < MOST_COLONIES)
        if not self._quiet:
            self.changed.emit()


def _beside(*parts: QWidget | tuple[QWidget, int], spacing: int) -> QWidget:
    result = QWidget()
    fill(QHBoxLayout(result), *parts, spacing=spacing)
    return result


def _named(text: str, field: QWidget) -> QWidget:
    """Return ``field`` with a label at its left."""
    return _beside(make_label("muted", text), (field, 1), spacing=6)


def _whole_number(field: NumberField, name: str, least: int, most: int) -> int:
    text = field.text
    if not (text.isascii() and text.isdecimal() and least <= int(text[:20]) <= most):
        raise DesignError(f"{name} must be a whole number from {least} to {most:,}")
    return int(text)
