"""The form of a study: what is opened in it, and is not changed, stays as it is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gpu.study.design import ColonyDesign
from gpu.study.papers import items
from tests.hands import press
from tests.views.sight import in_sight
from views.study.study_form import StudyForm
from views.widgets.steps import finished

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
    for _ in range(11):
        press(form.focusWidget(), Qt.Key.Key_Tab)
        passed.append(form.focusWidget())
    assert passed == [*one.order, *two.order, form.instances.this_button]
