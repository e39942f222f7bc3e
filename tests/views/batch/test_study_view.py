"""The view of studies: the form of a new one, and results."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QScrollArea
from pytestqt.qtbot import QtBot

from gpu.core.tables import csv_of
from gpu.papers.items import items
from gpu.problems.reading import FileKind, ReadAs
from gpu.studies.design import ColonyDesign, Design
from gpu.studies.results.analysis import analyse
from gpu.studies.results.importance import importances
from gpu.studies.results.pivot import runs_of
from tests.hands import NONE, choose, click, press, write
from tests.study_results import run, runs, study
from tests.views.scenes import cut_texts, in_sight
from views.batch.plot_choice import PlotPlace
from views.batch.study_form import StudyForm
from views.batch.study_results import PlotPoint, StudyResultsPart
from views.batch.study_view import StudyView
from views.widgets.guide_asked import GuideButton
from views.widgets.labels import ExplanationCard
from views.widgets.steps import finished

TIP = Qt.ItemDataRole.ToolTipRole
ROWS = [
    *runs("ring", "good", range(101, 111)),
    *runs("ring", "bad", range(150, 160)),
    *runs("ring", "alone", [130]),
    *runs("same", "good", [100, 100]),
    *runs("same", "bad", [100, 100]),
    run("same", "bad", 3, 100, batch=2),
]
PLOTS = {
    "one": PlotPlace("First", "", "First", ""),
    "two": PlotPlace("Second", "", "Second", ""),
}


def test_marks_have_the_test_and_the_effect_in_their_tips(qtbot: QtBot) -> None:
    part = StudyResultsPart()
    qtbot.addWidget(part)
    part.show_results(analyse(study(ROWS)), {})
    model = part.table.content
    found = {}
    for at, row in enumerate(model.rows):
        instance, label, *_, mark = model.texts(row)
        index = model.index(at, part.table.headings.index("Mark"))
        found[instance, label] = mark, " ".join(model.data(index, TIP).split())
    mark, tip = found["ring", "bad"]
    assert mark == "−"
    assert "compared with good: rank-sum test p = 1.08e-05, by Holm 2.17e-05" in tip
    assert "better in 0 % of the pairs of runs (A12; 0 % to 20 %), effect large" in tip
    assert "fewer than two finished runs" in found["ring", "alone"][1]
    assert "compared with" not in found["ring", "good"][1]
    mark, tip = found["same", "bad"]
    assert mark == "lowest mean †"
    assert "compared with good: all results are equal" in tip


def test_a_label_that_names_the_colony_follows_another_choice(qtbot: QtBot) -> None:
    form = StudyForm()
    in_sight(qtbot, form, 600, 600)
    for label in ("mmas-seq", "mmas-seq 2", "mine"):
        form.add_colony(ColonyDesign(label=label, colony="mmas-seq"))
    for row in form.rows:
        choose(row.colony, "Ant Colony System (ACS)")
    first, second, own = (row.design for row in form.rows)
    assert (first.label, second.label, own.label) == (first.colony, f"{first.colony} 2", "mine")
    assert first.colony != "mmas-seq"
    choose(form.rows[0].variant, "acs-seq")
    assert form.rows[0].design.label == "acs-seq"


def test_costs_are_in_the_unit_of_their_instance(qtbot: QtBot) -> None:
    part = StudyResultsPart()
    qtbot.addWidget(part)
    rows = [
        replace(row, unit="min", decimals=1) if row.instance == "ring" else row
        for row in (*runs("ring", "good", [101, 104]), *runs("same", "good", [90, 90]))
    ]
    part.show_results(analyse(study(rows)), {})
    model = part.table.content
    first, second = (model.texts(row)[3:7] for row in model.rows)
    assert first == ["10.25", "10.25", "10.1", "0.21"]
    assert second == ["90.0", "90.0", "90", "0.0"]
    assert model.data(model.index(0, 3), TIP) == "in min"


def test_the_form_keeps_how_files_are_read(qtbot: QtBot) -> None:
    form = StudyForm()
    qtbot.addWidget(form)
    said = ReadAs(FileKind.MATRIX, unit="min", route_from="Depot", route="open")
    form.instances.add(["ring-50", "/a/minutes.csv"], {"/a/minutes.csv": said})
    form.add_colony(ColonyDesign(label="acs", colony="acs"))
    design = form.design
    assert design.reading == {"/a/minutes.csv": said}
    item = form.instances.list.item(1)
    assert item is not None
    assert item.text() == "minutes.csv  --read-as matrix --unit min --from Depot --open"
    assert Design.from_toml(design.to_toml()) == design
    again = StudyForm()
    qtbot.addWidget(again)
    again.show_design(design, finished(again.make_rows(design)))
    assert again.design == design
    again.instances.add(["/a/minutes.csv"])  # as it is found
    assert (again.design.instances, again.design.reading) == (design.instances, {})


def test_rows_are_in_the_order_of_their_instances_names_at_first(qtbot: QtBot) -> None:
    part = StudyResultsPart()
    qtbot.addWidget(part)
    part.show_results(analyse(study([run("ring"), run("Alps"), run("same")])), {})
    assert [part.table.texts(at)[0] for at in range(3)] == ["Alps", "ring", "same"]


def test_a_plot_that_is_not_drawn_yet_is_not_taken_for_the_one_before(qtbot: QtBot) -> None:
    part = in_sight(qtbot, StudyResultsPart(), 600, 600)
    part.show_results(analyse(study(ROWS)), PLOTS)
    picture = QImage(40, 30, QImage.Format.Format_RGB32)
    part.show_plot(picture, "What the first one shows.")
    with qtbot.waitSignal(part.plot_wanted):
        choose(part.choice.kind, "Second")
        part.choice.kind.activated.emit(1)
    assert part.picture.picture.isNull()
    assert not part.help.isEnabled()
    part.show_plot(picture, "What the second one shows.")
    part.choice.kind.activated.emit(1)  # the same again
    assert not part.picture.picture.isNull()
    size = part.picture.size()
    click(part.help)
    (card,) = part.findChildren(ExplanationCard)
    assert not cut_texts(card)
    assert card.findChildren(QLabel)[0].text() == "Second"
    assert card.text.text() == "What the second one shows."
    press(card, Qt.Key.Key_Escape)
    assert part.picture.size() == size  # another one would have it drawn again


def test_plots_are_chosen_by_instance_kind_and_axis(qtbot: QtBot) -> None:
    part = in_sight(qtbot, StudyResultsPart(), 600, 600)
    analysis, choice = analyse(study(ROWS)), part.choice
    plots = {
        "ranks": PlotPlace("Mean ranks over 3 instances", "", "Mean ranks", ""),
        **{
            f"{kind}-{axis}-{where}": PlotPlace(f"{where}: {kind} by {axis}", where, kind, axis)
            for where in ("ring", "same")
            for kind, axes in (("dots", [""]), ("curves", ["seconds", "iterations"]))
            for axis in axes
        },
    }
    part.show_results(analysis, plots)
    assert (part.plot, choice.title) == ("ranks", "Mean ranks over 3 instances")
    assert not choice.axis.isVisible()
    for box, text, plot in (
        (choice.instance, "ring", "dots--ring"),
        (choice.kind, "curves", "curves-seconds-ring"),
        (choice.axis, "iterations", "curves-iterations-ring"),
        (choice.instance, "same", "curves-iterations-same"),  # the same plot of another instance
    ):
        with qtbot.waitSignal(choice.chosen):
            choose(box, text)
        assert part.plot == plot
        assert choice.axis.isVisible() is ("curves" in plot)
    part.show_results(analysis, {**plots, "more": PlotPlace("More", "more", "dots", "")})
    assert part.plot == "curves-iterations-same"
    choice.choose("dots--ring")
    assert part.plot == "dots--ring"


def test_tables_are_filtered_by_typing_and_lead_to_runs(qtbot: QtBot) -> None:
    rows = [
        replace(one, key=f"{number:032x}", parameters={"ants": 5 if one.label == "good" else 10})
        for number, one in enumerate(ROWS)
    ]
    part = in_sight(qtbot, StudyResultsPart(), 600, 600)
    analysis = analyse(study(rows))
    part.show_results(analysis, PLOTS, importances(runs_of(analysis)))
    tables = part.tables

    def column(place: int) -> list[str]:
        content = tables.tables[tables.page].content
        return [content.texts(row)[place] for row in content.rows]

    # from a configuration to its runs, and to one of them
    write(tables.filter, "ring")
    assert column(0) == ["ring"] * 3
    at = column(1).index("good")
    tables.configurations.selectRow(at)
    press(tables.configurations, Qt.Key.Key_Return)
    assert tables.page == "runs"
    assert tables.filter.text() == "instance=ring configuration=good"
    assert sorted(map(int, column(2))) == [*range(1, 11)]
    columns, shown = tables.shown
    assert csv_of(columns[:3], shown).startswith("Instance,Configuration,Seed\nring,good,")
    assert not tables.open.isEnabled()
    tables.runs.selectRow(2)
    wanted: list[tuple[str, bool]] = []
    part.run_wanted.connect(lambda key, again: wanted.append((key, again)))
    click(tables.open)
    press(tables.runs, Qt.Key.Key_R)
    press(tables.runs, Qt.Key.Key_Return)
    key = tables.runs.selected[0].row.key
    assert wanted == [(key, False), (key, True), (key, False)]
    # a pivot table, whose cells lead to their runs
    click(tables.pages.buttons["pivot"])
    assert tables.filter.text() == ""
    assert tables.pivot.headings == ["ants", "ring", "same"]
    assert column(0) == ["5", "10"]
    choose(tables.statistic, "runs")
    tables.statistic.activated.emit(tables.statistic.currentIndex())
    assert [column(place) for place in (1, 2)] == [["10", "11"], ["2", "3"]]
    tables.pivot.scrollTo(tables.pivot.content.index(1, 2))
    cell = tables.pivot.visualRect(tables.pivot.content.index(1, 2)).center()
    for clicked in (QTest.mouseClick, QTest.mouseDClick):
        clicked(tables.pivot.viewport(), Qt.MouseButton.LeftButton, NONE, cell)
    assert tables.filter.text() == "ants=10 instance=same"
    assert len(column(0)) == 3
    # which parameters matter
    click(tables.pages.buttons["importance"])
    assert "ants" in column(1)
    assert tables.note.isVisible()  # the runs of both are not equally many
    click(tables.pages.buttons["configurations"])
    assert tables.filter.text() == "ring"  # each table has its own


def test_a_point_of_a_plot_leads_to_its_run(qtbot: QtBot) -> None:
    part = in_sight(qtbot, StudyResultsPart(), 600, 600)
    part.show_results(analyse(study(ROWS)), PLOTS)
    picture = QImage(400, 300, QImage.Format.Format_RGB32)
    part.show_plot(picture, "Dots.", points=[PlotPoint(0.5, 0.25, "one", "good, seed 1: 101")])
    place = part.picture.place
    spot = QPointF(place.x() + 0.5 * place.width(), place.y() + 0.25 * place.height())
    with qtbot.waitSignal(part.run_wanted) as wanted:
        click(part.picture, spot.toPoint())
    assert wanted.args == ["one", False]
    with qtbot.assertNotEmitted(part.run_wanted):
        click(part.picture, (spot + QPointF(20.0, 0.0)).toPoint())


def test_a_low_view_scrolls_to_the_buttons_below_the_plot(qtbot: QtBot) -> None:
    view = in_sight(qtbot, StudyView(), 350, 320)
    view.show_page("results")
    view.results.show_results(analyse(study(ROWS)), PLOTS)
    (area,) = [one for one in view.findChildren(QScrollArea) if one.isVisible()]
    bar = area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    bar.setValue(bar.maximum())
    button = view.results.report
    bottom = button.mapTo(area.viewport(), QPoint(0, button.height())).y()
    assert 0 < bottom <= area.viewport().height()
    assert button.height() >= button.sizeHint().height()
    assert view.results.picture.height() >= view.results.picture.minimumHeight()


DESIGNS = {item.name: item.design for item in items() if item.design is not None}
NAMES = [
    *(name for name, design in DESIGNS.items() if design.budgets),
    *(name for name, design in DESIGNS.items() if design.measure),
    *(name for name, design in DESIGNS.items() if any(one.instances for one in design.colonies)),
]


@pytest.mark.parametrize("name", dict.fromkeys(NAMES))
def test_a_design_from_a_file_stays_as_it_is(qtbot: QtBot, name: str) -> None:
    form, design = StudyForm(), DESIGNS[name]
    qtbot.addWidget(form)
    form.show_design(design, finished(form.make_rows(design)))
    assert form.design.to_toml() == design.to_toml()
    assert form.more.isVisibleTo(form) == bool(design.budgets or design.measure)
    plain = replace(
        design,
        budgets={},
        measure="",
        colonies=tuple(replace(one, instances=()) for one in design.colonies),
    )
    form.show_design(plain, finished(form.make_rows(plain)))  # nothing is left of the one before
    assert form.design.to_toml() == plain.to_toml()


def test_rows_of_an_opened_design_are_made_one_a_step_and_shown_at_once(qtbot: QtBot) -> None:
    form, design = StudyForm(), max(DESIGNS.values(), key=lambda one: len(one.colonies))
    qtbot.addWidget(form)
    work, steps, told = form.make_rows(design), 0, 0

    def count() -> None:
        nonlocal told
        told += 1

    form.changed.connect(count)
    while True:
        try:
            next(work)
        except StopIteration as end:
            rows = end.value
            break
        steps += 1
        assert form.rows == []  # nobody sees half a design
    assert steps == len(rows) == len(design.colonies) > 1
    form.show_design(design, rows)
    assert form.rows == rows
    assert told == 1


def test_tab_goes_through_colonies_that_are_added(qtbot: QtBot) -> None:
    form = StudyForm()
    in_sight(qtbot, form)
    for name in ("acs-seq", "as-seq"):
        form.add_colony(ColonyDesign(label=name, colony=name))
    one, two = form.rows
    qtbot.waitUntil(two.isVisible)
    form.add.setFocus()
    passed = []
    for _ in range(14):
        press(form.focusWidget(), Qt.Key.Key_Tab)
        passed.append(form.focusWidget())
    passed = [one for one in passed if not isinstance(one, GuideButton)]  # that of the card
    assert passed == [*one.order, *two.order, form.instances.this_button]
