"""The view of studies: the form of a new one, and results."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel, QScrollArea
from pytestqt.qtbot import QtBot

from gpu.batch.analysis import analyse
from gpu.batch.design import ColonyDesign, Design
from gpu.batch.papers import items
from gpu.problems.reading import FileKind, ReadAs
from tests.hands import choose, click, press
from tests.study_results import run, runs, study
from tests.views.scenes import cut_texts, in_sight
from views.batch.study_form import StudyForm
from views.batch.study_results import StudyResultsPart
from views.batch.study_view import StudyView
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
    part.show_results(analyse(study(ROWS)), {"one": "First", "two": "Second"})
    picture = QImage(40, 30, QImage.Format.Format_RGB32)
    part.show_plot(picture, "What the first one shows.")
    with qtbot.waitSignal(part.plot_wanted):
        choose(part.choice, "Second")
        part.choice.activated.emit(part.choice.currentIndex())
    assert part.picture.picture.isNull()
    assert not part.help.isEnabled()
    part.show_plot(picture, "What the second one shows.")
    part.choice.activated.emit(part.choice.currentIndex())  # the same again
    assert not part.picture.picture.isNull()
    size = part.picture.size()
    click(part.help)
    (card,) = part.findChildren(ExplanationCard)
    assert not cut_texts(card)
    assert card.findChildren(QLabel)[0].text() == "Second"
    assert card.text.text() == "What the second one shows."
    press(card, Qt.Key.Key_Escape)
    assert part.picture.size() == size  # another one would have it drawn again


def test_the_list_of_plots_has_the_titles_of_the_newest_results(qtbot: QtBot) -> None:
    part = in_sight(qtbot, StudyResultsPart(), 600, 600)
    analysis = analyse(study(ROWS))
    part.show_results(analysis, {"ranks": "Mean ranks over 3 instances", "two": "Second"})
    choose(part.choice, "Second")
    part.show_results(analysis, {"ranks": "Mean ranks over 4 instances", "two": "Second"})
    offered = [part.choice.itemText(at) for at in range(part.choice.count())]
    assert offered == ["Mean ranks over 4 instances", "Second"]
    assert part.plot == "two"


def test_a_low_view_scrolls_to_the_buttons_below_the_plot(qtbot: QtBot) -> None:
    view = in_sight(qtbot, StudyView(), 350, 320)
    view.show_page("results")
    view.results.show_results(analyse(study(ROWS)), {"one": "First"})
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
    for _ in range(13):
        press(form.focusWidget(), Qt.Key.Key_Tab)
        passed.append(form.focusWidget())
    assert passed == [*one.order, *two.order, form.instances.this_button]
