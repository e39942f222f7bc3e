from __future__ import annotations

import dataclasses

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gpu.acs.parameters import ATOMIC, RACING, AcsParameters, AltParameters, SpmParameters
from gpu.ant_system.parameters import AsCpuParameters, AsLaunchesParameters
from gpu.construction.parameters import AsParameters
from gpu.core.stop_limits import STOP_LIMITS
from tests.hands import choose, click, press, scroll, write
from tests.views.scenes import uniform
from views.setup.fields import ChoiceField, NumberField, TypingBox, step
from views.setup.forms import ParameterForm, StopForm


@pytest.fixture
def form(qtbot: QtBot) -> ParameterForm:
    made = ParameterForm()
    qtbot.addWidget(made)
    made.show_kind(SpmParameters)
    made.show()
    return made


def type_into(form: ParameterForm | StopForm, name: str, text: str) -> None:
    field = form.fields[name]
    assert isinstance(field, NumberField)
    write(field.entry, text)


def list_of(form: ParameterForm, name: str) -> ChoiceField:
    field = form.fields[name]
    assert isinstance(field, ChoiceField)
    return field


def waiting_text(form: ParameterForm, name: str) -> str:
    field = form.fields[name]
    assert isinstance(field, NumberField)
    return field.entry.placeholderText()


def test_every_parameter_has_a_row_that_explains_it(form: ParameterForm) -> None:
    assert list(form.fields) == list(SpmParameters.explanations())
    for name, explanation in SpmParameters.explanations().items():
        tip = form.fields[name].entry.toolTip()
        assert explanation.text in tip
        assert all(f"<b>{key}</b>: {text}" in tip for key, text in explanation.options.items())
        assert explanation.options or explanation.range_text in tip
    assert form.problems == []
    assert SpmParameters.from_mapping(form.values()) == SpmParameters()


def test_automatic_values_say_what_they_come_to(form: ParameterForm) -> None:
    assert waiting_text(form, "ants") == "auto: n"
    form.show_instance(uniform(442))
    assert waiting_text(form, "ants") == "auto: 442"
    assert waiting_text(form, "q0") == "auto: 0.9548"


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("rho", "7", "rho = 7 must be in (0, 1]"),
        ("rho", "0", "must be in (0, 1]"),
        ("rho", "", "must be in (0, 1]"),
        ("ants", "2.5", "not a whole number"),
        ("memory", "33", "in [1, 32]"),
        ("beta", "many", "not a number"),
        ("q0", "nan", "q0"),
    ],
)
def test_what_is_typed_is_checked_at_once(
    qtbot: QtBot, form: ParameterForm, name: str, text: str, problem: str
) -> None:
    with qtbot.waitSignal(form.changed):
        type_into(form, name, text)
    field = form.fields[name]
    assert problem in field.problem
    assert field.problem_label.isVisible()
    assert field.entry.property("valid") is False
    type_into(form, name, "1")
    assert field.problem == ""
    assert not field.problem_label.isVisible()


def test_values_are_kept_to_the_last_digit_and_an_empty_one_is_automatic(
    qtbot: QtBot, form: ParameterForm
) -> None:
    type_into(form, "ants", "64")
    assert form.values()["ants"] == "64"
    type_into(form, "ants", "")
    assert form.values()["ants"] is None
    assert form.problems == []
    wanted = SpmParameters(q0=422 / 442, rho=0.1 + 0.2, beta=1e-7, ants=10**6)
    form.set_values(wanted.to_dict())
    assert SpmParameters.from_mapping(form.values()) == wanted


def test_changing_the_kind_keeps_what_both_have(qtbot: QtBot, form: ParameterForm) -> None:
    type_into(form, "beta", "4.5")
    form.show_kind(AcsParameters)
    assert "memory" not in form.fields
    assert AcsParameters.from_mapping(form.values()).beta == 4.5


def test_what_nobody_changed_becomes_the_other_kinds_default(form: ParameterForm) -> None:
    type_into(form, "alpha", "0.3")  # of the global update; no weight of the trail
    type_into(form, "ants", "50")
    form.show_kind(AsParameters)
    shown = AsParameters.from_mapping(form.values())
    assert shown == AsParameters(ants=50)
    type_into(form, "beta", "4")
    form.show_kind(AcsParameters)
    assert AcsParameters.from_mapping(form.values()) == AcsParameters(ants=50, beta=4)


def test_local_updates_race_until_atomic_ones_are_chosen(form: ParameterForm) -> None:
    form.show_kind(AltParameters)
    assert AltParameters.from_mapping(form.values()).local_update == RACING
    choose(list_of(form, "local_update").entry, ATOMIC)
    assert AltParameters.from_mapping(form.values()) == AltParameters(local_update=ATOMIC)


def test_a_choice_is_a_list_whose_options_explain_themselves(
    qtbot: QtBot, form: ParameterForm
) -> None:
    form.show_kind(AsLaunchesParameters)
    update = list_of(form, "update")
    explanation = AsLaunchesParameters.explanations()["update"]
    box = update.entry
    assert [box.itemText(row) for row in range(box.count())] == list(explanation.options)
    for row, meaning in enumerate(explanation.options.values()):
        assert meaning[1:] in box.itemData(row, Qt.ItemDataRole.ToolTipRole)
        assert meaning in box.toolTip()
    assert form.problems == []
    assert AsLaunchesParameters.from_mapping(form.values()) == AsLaunchesParameters()
    with qtbot.waitSignal(form.changed):
        choose(box, "gather")
    assert form.values()["update"] == "gather"
    assert AsLaunchesParameters.from_mapping(form.values()).update == "gather"


def test_an_automatic_choice_is_the_first_of_its_list(qtbot: QtBot, form: ParameterForm) -> None:
    form.show_kind(AsLaunchesParameters)
    for name, option in (("launches", "step"), ("workers", "64")):
        box = list_of(form, name).entry
        assert form.values()[name] is None
        assert box.currentText().startswith("auto: ")
        with qtbot.waitSignal(form.changed):
            choose(box, option)
        assert form.values()[name] == option
    chosen = AsLaunchesParameters.from_mapping(form.values())
    assert (chosen.launches, chosen.workers) == ("step", 64)
    with qtbot.waitSignal(form.changed):
        press(list_of(form, "launches").entry, Qt.Key.Key_Home)
    assert form.values()["launches"] is None
    form.set_values(chosen.to_dict())
    assert AsLaunchesParameters.from_mapping(form.values()) == chosen


def test_an_option_that_there_is_not_is_a_problem(form: ParameterForm) -> None:
    form.show_kind(AsCpuParameters)
    form.set_values({"selection": "by-lot"})
    (problem,) = form.problems
    assert problem.startswith("must be one of roulette, stc-roulette, lc-roulette")
    choose(list_of(form, "selection").entry, "i-roulette")
    assert form.problems == []


def test_the_wheel_does_not_change_a_choice(form: ParameterForm) -> None:
    form.show_kind(AsCpuParameters)
    box = list_of(form, "selection").entry
    box.setFocus()
    scroll(box, -120)
    assert form.values()["selection"] == "roulette"


@pytest.mark.parametrize(
    ("text", "direction", "expected"),
    [("9", 1, "10"), ("0.01", 1, "0.02"), ("0.20", -1, "0.19"), ("x", 1, "x"), ("1e3", 1, "1e3")],
)
def test_arrows_change_the_last_written_place(text: str, direction: int, expected: str) -> None:
    assert step(text, direction) == expected


def test_the_arrow_keys_step(qtbot: QtBot, form: ParameterForm) -> None:
    with qtbot.waitSignal(form.changed):
        press(form.fields["candidates"].entry, Qt.Key.Key_Down)
    assert form.fields["candidates"].text == "31"


@pytest.fixture
def stop(qtbot: QtBot) -> StopForm:
    made = StopForm()
    qtbot.addWidget(made)
    made.show()
    return made


def test_only_ticked_limits_count(qtbot: QtBot, stop: StopForm) -> None:
    assert stop.values() == dict.fromkeys(STOP_LIMITS) | {"seconds": 60.0, "go_on": False}
    click(stop.boxes["seconds"])
    press(stop.boxes["iterations"], Qt.Key.Key_Space)
    assert stop.values() == dict.fromkeys(STOP_LIMITS) | {"iterations": 1000, "go_on": False}


def test_typing_a_limit_ticks_it_and_checks_it(qtbot: QtBot, stop: StopForm) -> None:
    type_into(stop, "no_improvement", "2.5")
    assert stop.boxes["no_improvement"].isChecked()
    assert stop.problems == ["must be a whole number"]
    type_into(stop, "no_improvement", "25")
    assert stop.problems == []
    assert stop.values()["no_improvement"] == 25


def test_the_time_is_that_of_the_instance_until_the_user_writes_another(stop: StopForm) -> None:
    for n, seconds in ((14, 3), (60, 30), (1000, 60), (14, 3)):
        stop.follow(uniform(n))
        assert stop.values()["seconds"] == seconds
    kept = stop.state()
    type_into(stop, "seconds", "7")
    stop.follow(uniform(1000))
    assert stop.values()["seconds"] == 7
    own = stop.state()
    stop.restore(kept)  # of the small one: now there is another
    assert stop.values()["seconds"] == 60
    stop.restore(own)
    stop.follow(uniform(14))
    assert stop.values()["seconds"] == 7
    stop.set_values({"seconds": 60.0})  # a preset, or the limits of a log
    stop.follow(uniform(14))
    assert stop.values()["seconds"] == 60


def test_more_time_for_a_run_is_none_for_another_instance(stop: StopForm) -> None:
    stop.follow(uniform(60))
    stop.set_values({"seconds": 60.0}, once=True)
    assert stop.values()["seconds"] == 60
    stop.follow(uniform(14))
    assert stop.values()["seconds"] == 3
    type_into(stop, "seconds", "7")
    stop.set_values({"seconds": 37.0}, once=True)
    stop.follow(uniform(60))
    assert stop.values()["seconds"] == 37  # the time was the user's own


def test_limits_are_kept_to_the_last_digit(stop: StopForm) -> None:
    wanted = {
        "seconds": 12.3456789, "target_gap": 0.1, "no_improvement": 123456789, "go_on": True
    }  # fmt: skip
    stop.set_values(wanted)
    assert {name: value for name, value in stop.values().items() if value is not None} == wanted


def test_a_gap_needs_an_optimum(stop: StopForm) -> None:
    stop.show_instance(uniform(5, known=False))
    assert not stop.boxes["target_gap"].isEnabled()
    assert "no best known" in stop.boxes["target_gap"].toolTip()
    stop.show_instance(dataclasses.replace(uniform(5), optimum=50778))
    assert stop.boxes["target_gap"].isEnabled()
    assert stop.fields["target_length"].text == "50778"


def test_the_beginning_of_the_only_text_that_begins_so_is_enough(qtbot: QtBot) -> None:
    box = TypingBox(8, "End", "The city where a route ends", "anywhere")
    qtbot.addWidget(box)
    box.offer(["Depot", "Dom", "Kino", "1st street", "12"])
    box.show()
    said = []
    box.said.connect(lambda: said.append(box.text))
    for typed, meant in (("kin", "Kino"), ("D", "D"), ("dom", "Dom"), ("1", "1"), ("Zoo", "Zoo")):
        write(box.line, typed)
        press(box.line, Qt.Key.Key_Return)
        assert said[-1] == meant  # what is not meant for sure is left to those who look for it
