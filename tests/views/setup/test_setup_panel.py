from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QStyle,
    QStyleOptionComboBox,
    QStyleOptionFrame,
)
from pytestqt.qtbot import QtBot

from gpu.acs.parameters import SpmParameters
from gpu.aims import Aim
from gpu.ant_system.parameters import AsCpuParameters
from gpu.catalog import CATALOG, FAMILIES
from gpu.core.instance import Instance
from gpu.core.problem import Problem
from tests.graphs import queens
from tests.hands import click, press, settle, write
from tests.views.conftest import AIMS, WITH_GPU, WITHOUT_GPU
from tests.views.scenes import uniform
from views.frame.main_window import MainWindow
from views.setup.fields import ChoiceField, Field, NumberField
from views.setup.origins import Origin
from views.setup.presets import Preset
from views.setup.setup_panel import SetupPanel
from views.widgets.guide_asked import GuideButton
from views.widgets.picture_export import make_due_layouts


@pytest.fixture
def panel(qtbot: QtBot) -> SetupPanel:
    made = SetupPanel()
    qtbot.addWidget(made)
    made.resize(300, 900)
    made.aim.aims.setCurrentIndex(AIMS.index(Aim.PAPER))
    made.colony.show_survey(WITH_GPU)
    made.show_instance(uniform(120))
    made.show()
    return made


def test_rows_of_all_colonies_are_made_ahead_one_a_step(panel: SetupPanel) -> None:
    form = panel.parameters
    steps = form.make_rows(system.parameters for system in CATALOG)
    while True:
        before = len(form.findChildren(Field))
        if next(steps, "end") == "end":
            break
        assert len(form.findChildren(Field)) == before + 1
    made, shown = form.findChildren(Field), list(form.fields.values())
    assert all(field.isVisible() == (field in shown) for field in made)
    for system in CATALOG:
        form.show_kind(system.parameters)
    assert form.findChildren(Field) == made


def choose(box: QComboBox, text: str) -> None:
    """Choose by typing the beginning of an item, as a user can."""
    for character in text:
        press(box, Qt.Key(ord(character.upper())))


def rows(box: QComboBox) -> dict[str, bool]:
    return {
        box.itemData(index): bool(
            box.model().flags(box.model().index(index, 0)) & Qt.ItemFlag.ItemIsEnabled
        )
        for index in range(box.count())
        if box.itemData(index) is not None  # a separator
    }


@pytest.mark.parametrize("instances", [[uniform(9)], [uniform(9), queens(5)]], ids=len)
def test_the_tab_key_goes_down_the_parameters(panel: SetupPanel, instances: list[Instance]) -> None:
    for instance in instances:
        panel.show_instance(instance)
    entries = [field.entry for field in panel.parameters.fields.values()]
    panel.colony.colonies.setFocus()
    choices = [one for one in panel.parameters.origin.order if one.isVisible()]
    ask = panel.preset_button.parentWidget().findChild(GuideButton)
    for entry in [ask, panel.preset_button, *choices, *entries, panel.seed_field.entry, panel.dice]:
        press(panel.focusWidget(), Qt.Key.Key_Tab)
        assert panel.focusWidget() is entry


def test_keys_go_through_families_and_the_device_chooses_the_variant(panel: SetupPanel) -> None:
    panel.colony.show_survey(WITHOUT_GPU)
    box = panel.colony.families
    assert [box.itemData(at) for at in range(box.count())] == [
        "acs", "acs-spm", "as", "mmas", "focused", "crossing", "faco",
    ]  # fmt: skip
    box.setFocus()
    press(box, Qt.Key.Key_Home)
    chosen = []
    for _ in range(box.count()):
        chosen.append(panel.choices().colony)
        press(box, Qt.Key.Key_Down)
    assert chosen == [
        "acs-gpu", "acs-cores-spm", "as-cores", "mmas-cores", "focused-cores", "crossing-cores",
        "faco-cores",
    ]  # fmt: skip
    assert panel.choices().device == "cpu"
    press(panel.colony.devices, Qt.Key.Key_Down)
    assert (panel.choices().colony, panel.choices().device) == ("faco-seq", "cpu:1")


def test_a_variant_that_is_known_from_gpus_is_called_after_the_cores(panel: SetupPanel) -> None:
    panel.colony.show_survey(WITHOUT_GPU)
    box = panel.colony.families
    box.setFocus()
    press(box, Qt.Key.Key_Home)
    assert panel.choices().colony == "acs-gpu"
    assert panel.colony.colonies.currentText() == "ACS-CORES"
    assert "ACS-GPU of the paper, on CPU cores" in panel.colony.colony_note.toolTip()
    panel.colony.show_survey(WITH_GPU)
    assert "ACS-CORES  (on cpu)" not in list(map(box.itemText, range(box.count())))


def test_each_family_says_what_it_is_in_a_line(panel: SetupPanel) -> None:
    for instance in (uniform(120), queens(5)):
        panel.show_instance(instance)
        box, said = panel.colony.families, Qt.ItemDataRole.AccessibleDescriptionRole
        about = [box.itemData(row, said) for row in range(box.count())]
        assert all(" · " in line and len(line) < 160 for line in about)
        assert len(set(about)) == box.count() < 8
    used = {system.alias for system in CATALOG}
    assert {family.name for family in FAMILIES} == used - {""}


def test_variants_that_run_come_first_and_keys_reach_those_of_another_device(
    panel: SetupPanel,
) -> None:
    panel.colony.show_survey(WITHOUT_GPU)
    panel.colony.choose_alias("as")
    box = panel.colony.colonies
    assert list(rows(box).items())[:2] == [("as-cores", True), ("as-seq", True)]
    assert not any(list(rows(box).values())[2:])
    box.setFocus()
    press(box, Qt.Key.Key_Down)
    assert (panel.choices().colony, panel.choices().device) == ("as-seq", "cpu:1")
    press(box, Qt.Key.Key_End)
    assert (panel.choices().colony, panel.choices().device) == ("as-cores", "cpu")


@pytest.mark.parametrize("instance", [uniform(120), queens(5)], ids=["tour", "coloring"])
def test_all_colonies_are_offered_and_one_that_runs_is_chosen(
    panel: SetupPanel, instance: Instance
) -> None:
    panel.show_instance(instance)
    for position, device in enumerate(WITH_GPU.devices):
        panel.colony.devices.setCurrentIndex(position)
        panel.colony.devices.activated.emit(position)
        assert panel.colony.system.runs_on(device)
        assert panel.problem == ""
        found: dict[str, bool] = {}
        for place in range(panel.colony.families.count()):
            panel.colony.families.setCurrentIndex(place)
            panel.colony.families.activated.emit(place)
            found |= rows(panel.colony.colonies)
        offered = [system for system in CATALOG if system.problem is instance.problem]
        assert found == dict.fromkeys((one.name for one in offered), True)


def test_each_problem_begins_with_its_recommended_colony(panel: SetupPanel) -> None:
    for instance, alias in ((queens(5), "coloring"), (uniform(9), "acs"), (queens(4), "coloring")):
        panel.show_instance(instance)
        for position in range(panel.colony.devices.count()):
            panel.colony.devices.setCurrentIndex(position)
            panel.colony.devices.activated.emit(position)
            assert panel.colony.system.alias == alias
    assert "colorings" in panel.colony.colonies.toolTip()


def test_a_colony_that_cannot_run_says_why(panel: SetupPanel) -> None:
    panel.colony.show_survey(WITHOUT_GPU)
    index = panel.colony.colonies.findData("acs-gpu-alt")
    assert index == panel.colony.colonies.count() - 1
    assert panel.colony.colonies.itemText(index - 1) == "Needs a CUDA GPU"
    assert not rows(panel.colony.colonies)["acs-gpu-alt"]
    assert panel.colony.device_note.text() == "No GPU: no CUDA GPU found."


def test_a_change_of_device_keeps_the_kind_of_search(panel: SetupPanel) -> None:
    panel.colony.choose_alias("acs-spm")
    assert panel.choices().colony == "acs-gpu-spm"
    press(panel.colony.devices, Qt.Key.Key_Down)
    assert panel.choices().device == "cpu"
    assert panel.choices().colony == "acs-cores-spm"
    press(panel.colony.devices, Qt.Key.Key_Down)
    assert panel.choices().colony == "acs-seq-spm"
    assert "memory" in panel.choices().parameters


def test_choices_are_what_stands_in_the_panel(panel: SetupPanel) -> None:
    write(panel.parameters.fields["ants"].entry, "64")
    write(panel.seed_field.entry, "99")
    write(panel.stop.fields["iterations"].entry, "25")
    choices = panel.choices()
    assert choices.parameters["ants"] == "64"
    assert choices.parameters["q0"] is None
    assert choices.seed == 99
    assert choices.stop["iterations"] == 25
    panel.set_choices(dataclasses.replace(choices, seed=7, colony="acs-gpu-spm"))
    again = panel.choices()
    assert again.seed == 7
    assert again.colony == "acs-gpu-spm"
    assert again.parameters["ants"] == "64"
    assert SpmParameters.from_mapping(again.parameters).memory == 8


@pytest.mark.parametrize("seed", ["", "-1", "x", "1.5", str(1 << 64), "²"])
def test_an_impossible_seed_is_refused(panel: SetupPanel, seed: str) -> None:
    write(panel.seed_field.entry, seed)
    assert "seed" in panel.seed_field.problem
    assert "seed" in panel.problem
    write(panel.seed_field.entry, str((1 << 64) - 1))
    assert panel.problem == ""


def test_the_dice_draw_another_seed_unless_a_run_locks_the_choices(panel: SetupPanel) -> None:
    drawn = set()
    for _ in range(5):
        click(panel.dice)
        drawn.add(panel.choices().seed)
    assert len(drawn) > 1
    panel.lock(locked=True)
    seed = panel.choices().seed
    for widget in (panel.colony.devices, panel.parameters.fields["rho"].entry, panel.dice):
        assert not widget.isEnabled()
    panel.draw_seed()
    assert panel.choices().seed == seed
    panel.lock(locked=False)
    assert panel.dice.isEnabled()


def test_what_keeps_a_run_from_starting(panel: SetupPanel) -> None:
    panel.show_instance(None)
    assert panel.problem == "Open an instance first"
    panel.show_loading("a.tsp")
    assert panel.problem == "a.tsp is being loaded"
    panel.show_instance(uniform(30))
    assert panel.problem == ""
    write(panel.parameters.fields["rho"].entry, "2")
    assert "rho" in panel.problem


def test_presets_fill_in_what_the_colony_has(panel: SetupPanel) -> None:
    preset = Preset("Try", "…", {"ants": 32, "memory": 4, "rho": 0.1}, {"iterations": 5})
    panel.show_presets([preset])
    write(panel.parameters.fields["beta"].entry, "9")
    action = panel.preset_menu.actions()[0]
    action.trigger()
    choices = panel.choices()
    assert choices.parameters["ants"] == "32"
    assert choices.parameters["beta"] == "3"
    assert choices.stop["iterations"] == 5
    assert choices.stop["seconds"] is None


def test_presets_are_offered_for_the_search_that_they_are_for(panel: SetupPanel) -> None:
    every = Preset("Every", "…", {"ants": 32})
    acs = Preset("ACS", "…", {"update_period": 4}, aliases=("acs", "acs-spm"))
    plain = Preset("AS", "…", {"rho": 0.5}, aliases=("as",))
    panel.show_presets([every, acs, plain])
    choose(panel.colony.devices, "cpu:1")

    def offered() -> list[str]:
        texts = [action.text() for action in panel.preset_menu.actions()]
        return texts[: texts.index("")]  # those of one's own follow after a line

    for alias, names in (("as", ["Every", "AS"]), ("acs-spm", ["Every", "ACS"])):
        panel.colony.choose_alias(alias)
        assert offered() == names


def test_another_search_has_its_own_defaults(panel: SetupPanel) -> None:
    choose(panel.colony.devices, "cpu:1")
    panel.colony.choose_alias("acs")
    write(panel.parameters.fields["ants"].entry, "40")
    panel.colony.choose_alias("as")
    assert panel.choices().colony == "as-seq"
    values = AsCpuParameters.from_mapping(panel.choices().parameters)
    assert values == AsCpuParameters(ants=40)
    assert panel.problem == ""


def texts_of(panel: SetupPanel) -> dict[str, str]:
    return {name: mark.text() for name, mark in panel.parameters.marks.items() if mark.text()}


def test_a_colony_chosen_by_name_is_tuned_and_a_click_gives_the_papers_defaults(
    panel: SetupPanel,
) -> None:
    aim_at(panel, Aim.BEST)
    use(panel, "cpu:1")
    panel.show_instance(uniform(532))  # for which the aim has another colony
    origin = panel.parameters.origin
    for alias, ants in (("acs", "8"), ("acs-spm", "16"), ("as", "32"), ("mmas", "32")):
        panel.colony.choose_alias(alias)
        chosen = panel.choices().parameters
        assert (chosen["ants"], chosen["local_search"]) == (ants, "2opt+oropt")
        assert set(texts_of(panel).values()) == {"•"}
        assert (
            "tuned for this size; the others are the paper's defaults" in origin.note.text().lower()
        )
    click(origin.buttons[Origin.PAPER])
    kind = panel.colony.system.parameters
    assert kind.from_mapping(panel.choices().parameters) == kind()
    assert texts_of(panel) == {}
    assert origin.note.text() == "The paper's defaults."
    panel.colony.choose_alias("acs")
    assert panel.choices().parameters["local_search"] == "none"  # what was wanted last holds on
    click(origin.buttons[Origin.TUNED])
    assert panel.choices().parameters["ants"] == "8"
    panel.history.stack.undo()
    assert panel.choices().parameters["ants"] is None
    assert origin.buttons[Origin.PAPER].isChecked()


def test_what_nobody_changed_follows_the_size_and_what_was_tuned_does_not_go_along(
    panel: SetupPanel,
) -> None:
    use(panel, "cuda:0")
    aim_at(panel, Aim.BEST)
    panel.colony.choose_alias("acs")
    for instance, ants in ((uniform(120), "1024"), (uniform(8000), "256")):
        panel.show_instance(instance)
        assert panel.choices().parameters["ants"] == ants
    panel.colony.choose_alias("faco")  # ACS's ants and local search are its own
    assert panel.choices().parameters["ants"] is None
    assert not panel.parameters.origin.buttons[Origin.TUNED].isVisible()


def test_a_changed_value_says_so_and_goes_back_by_its_mark_or_with_all(panel: SetupPanel) -> None:
    use(panel, "cpu:1")
    aim_at(panel, Aim.BEST)
    fields, marks, origin = (
        panel.parameters.fields, panel.parameters.marks, panel.parameters.origin,
    )  # fmt: skip
    usual = panel.choices().parameters
    write(fields["ants"].entry, "7")
    write(fields["rho"].entry, "0.25")
    assert texts_of(panel)["ants"] == texts_of(panel)["rho"] == "↺"
    assert "2 changed by you" in origin.changes.text()
    assert "Changed by you. Press: back to 32, tuned for this size" in marks["ants"].toolTip()
    fields["ants"].setFocus()
    press(fields["ants"].entry, Qt.Key.Key_Tab)
    assert panel.focusWidget() is marks["ants"]
    press(marks["ants"], Qt.Key.Key_Space)
    assert (fields["ants"].text, fields["rho"].text) == ("32", "0.25")
    assert not marks["ants"].isEnabled()
    panel.colony.choose_alias("as")
    assert fields["rho"].text == "0.25"
    write(panel.parameters.fields["rho"].entry, "0.50")  # the same as the paper's
    assert not origin.changes.text().strip()
    panel.colony.choose_alias("mmas")
    write(panel.parameters.fields["ants"].entry, "x")
    click(origin.reset_button)
    assert panel.choices().parameters == usual
    assert panel.focusWidget() is not None


def test_a_field_stays_below_the_mouse_when_its_value_is_changed(panel: SetupPanel) -> None:
    """Nothing above it grows: not the reason of the aim, and not what says how many are changed."""
    panel.resize(300, 1400)
    use(panel, "cpu:1")

    def places() -> list[int]:
        settle()
        fields = [*panel.parameters.fields.values(), panel.seed_field]
        return [field.mapTo(panel, QPoint(0, 0)).y() for field in fields]

    for aim in (Aim.BEST, Aim.PAPER):
        aim_at(panel, aim)
        before = places()
        write(panel.parameters.fields["beta"].entry, "7")
        assert panel.aim.aim is None
        assert panel.parameters.origin.reset_button.isVisible()
        assert panel.parameters.problems == []
        assert places() == before
        click(panel.parameters.marks["beta"])
        assert panel.parameters.problems == []
        assert places() == before


def test_values_of_a_preset_or_a_run_say_where_they_are_from(panel: SetupPanel) -> None:
    panel.show_presets([Preset("Try", "…", {"ants": 32, "rho": 0.2})])
    panel.preset_menu.actions()[0].trigger()
    assert "2 from the preset Try" in panel.parameters.origin.changes.text()
    write(panel.parameters.fields["ants"].entry, "40")
    note = panel.parameters.origin.changes.text()
    assert "1 changed by you" in note
    assert "1 from the preset Try" in note
    panel.set_choices(panel.choices())
    assert "2 as in the run" in panel.parameters.origin.changes.text()
    panel.colony.choose_alias("acs-spm")
    assert panel.choices().parameters["ants"] is None


def test_bundled_instances_are_offered_below_what_they_are(qtbot: QtBot, panel: SetupPanel) -> None:
    shelves = {Problem.TSP: [("ring", Path("/a/ring.tsp"))], Problem.COLORING: [("q", Path("q"))]}
    panel.instance.show_bundled(shelves)
    offered = [one for one in panel.instance.bundled_menu.actions() if not one.isSeparator()]
    assert [one.text() for one in offered] == ["Cities to visit", "ring", "Graphs to color", "q"]
    assert [one.isEnabled() for one in offered] == [False, True, False, True]
    with qtbot.waitSignal(panel.instance.path_chosen) as chosen:
        offered[1].trigger()
    assert chosen.args == [Path("/a/ring.tsp")]


def aim_at(panel: SetupPanel, aim: Aim) -> None:
    panel.aim.aims.setCurrentIndex(AIMS.index(aim))
    panel.aim.changed.emit()


def use(panel: SetupPanel, device: str) -> None:
    panel.colony.devices.setCurrentIndex(panel.colony.devices.findData(device))
    panel.colony.devices.activated.emit(0)


def test_a_new_panel_aims_at_the_best_solution(qtbot: QtBot) -> None:
    made = SetupPanel()
    qtbot.addWidget(made)
    made.show_instance(uniform(120))
    made.colony.show_survey(WITH_GPU)
    assert made.aim.aim is Aim.BEST
    assert made.choices().colony == "mmas-rwm-bt-cl"


def test_an_aim_chooses_for_every_device_and_instance(panel: SetupPanel) -> None:
    aim_at(panel, Aim.BEST)
    for device, colony, coloring in (
        ("cuda:0", "mmas-rwm-bt-cl", "gpx-gpu"),
        ("cpu", "mmas-cores", "gpx-cores"),
        ("cpu:1", "mmas-seq", "gpx-seq"),
    ):
        use(panel, device)
        for instance, name in ((queens(5), coloring), (uniform(90), colony)):
            panel.show_instance(instance)
            assert panel.choices().colony == name
            assert panel.problem == ""
        assert panel.choices().parameters["local_search"] == "2opt+oropt"
        assert panel.aim.aim is Aim.BEST
    assert "the best colony in runs on 4 cores" in panel.aim.note.text()
    aim_at(panel, Aim.WATCH)
    assert panel.choices().parameters["local_search"] == "none"
    assert panel.choices().parameters["ants"] == "20"  # on 90 cities
    aim_at(panel, Aim.PAPER)
    assert panel.choices().colony == "acs-seq"
    assert panel.choices().parameters["ants"] is None


def test_what_is_changed_by_hand_is_an_own_choice_and_stays(panel: SetupPanel) -> None:
    for alias in ("", "as"):
        aim_at(panel, Aim.BEST)
        write(panel.seed_field.entry, "5")
        write(panel.stop.fields["iterations"].entry, "25")
        assert panel.aim.aim is Aim.BEST  # neither seed nor limits are part of it
        if alias:
            panel.colony.choose_alias(alias)
        else:
            write(panel.parameters.fields["ants"].entry, "7")
        assert panel.aim.aims.currentText() == "Own choice"
        chosen = panel.choices()
        panel.show_instance(uniform(60))
        assert panel.choices() == chosen
    use(panel, "cpu:1")
    assert panel.choices().colony == "as-seq"


def test_a_colony_chosen_before_an_instance_is_loaded_stays(qtbot: QtBot) -> None:
    made = SetupPanel()
    qtbot.addWidget(made)
    made.colony.show_survey(WITH_GPU)
    made.colony.choose_alias("acs-spm")
    made.show_instance(uniform(120))
    assert made.choices().colony == "acs-gpu-spm"
    assert made.aim.aims.currentText() == "Own choice"


def test_an_opened_session_keeps_its_values(panel: SetupPanel) -> None:
    aim_at(panel, Aim.BEST)
    recorded = dataclasses.replace(panel.choices(), device="cpu", colony="acs-gpu", parameters={})
    panel.set_choices(recorded)
    assert panel.aim.aim is None
    assert (panel.choices().colony, panel.choices().parameters["ants"]) == ("acs-gpu", None)


def test_a_colony_for_other_instances_says_so_before_a_run(panel: SetupPanel) -> None:
    directed = dataclasses.replace(uniform(50), directed=True)
    panel.show_instance(directed)
    for alias, problem in (("crossing", "is directed: choose the colony focused"), ("acs", "")):
        panel.colony.choose_alias(alias)
        assert problem in panel.problem
        assert bool(problem) == bool(panel.problem)
    panel.colony.choose_alias("crossing")
    panel.show_instance(uniform(50))
    assert panel.problem == ""


def test_two_opt_is_not_offered_for_directed_instances(panel: SetupPanel) -> None:
    def offered() -> list[str]:
        field = panel.parameters.fields["local_search"]
        assert isinstance(field, ChoiceField)
        return [field.entry.itemText(row) for row in range(field.entry.count())]

    directed = dataclasses.replace(uniform(50), directed=True)
    assert offered() == ["none", "2opt", "2opt-all", "2opt-largest", "2opt+oropt", "oropt"]
    panel.show_instance(directed)
    assert offered() == ["none", "oropt"]
    panel.colony.choose_alias("mmas")
    assert offered() == ["none", "oropt"]
    panel.show_instance(uniform(120))
    field = panel.parameters.fields["local_search"]
    field.text = "2opt"
    field.changed.emit()
    panel.show_instance(directed)
    assert "is directed, and 2-opt" in panel.problem
    assert "choose the local search oropt or none" in panel.problem
    aim_at(panel, Aim.BEST)
    assert panel.problem == ""
    assert "local_search" not in panel.choices().parameters  # ants of focused colonies search


def test_a_colony_of_another_device_brings_its_device(panel: SetupPanel) -> None:
    use(panel, "cpu")
    for name, device in (("acs-seq", "cpu:1"), ("acs-gpu-alt", "cuda:0"), ("mmas-cores", "cpu")):
        panel.colony.choose_alias(name.partition("-")[0])
        box = panel.colony.colonies
        index = box.findData(name)
        assert box.itemText(index).endswith(f"(on {device})")
        box.setCurrentIndex(index)
        box.activated.emit(index)
        assert (panel.choices().colony, panel.choices().device) == (name, device)
        assert panel.problem == ""


def test_limits_do_not_matter_to_measurements(panel: SetupPanel) -> None:
    write(panel.stop.fields["iterations"].entry, "x")
    assert panel.problem
    assert panel.measure_problem == ""
    write(panel.parameters.fields["rho"].entry, "7")
    assert "rho = 7" in panel.measure_problem


@pytest.mark.parametrize("stop", ["0.0", "false", '""', "[]"])
def test_a_kept_preset_whose_limits_are_no_table_counts_as_none(stop: str) -> None:
    text = f'{{"name": "a", "parameters": {{}}, "stop": {stop}, "searches": []}}'
    assert Preset.from_text(text) is None
    assert Preset.from_text(text.replace(stop, "null", 1)) is not None


def test_the_parameters_of_every_colony_fit_into_the_panel(window: MainWindow) -> None:
    """With the window's type: cards that are too wide are cut by the scroll bar."""
    panel = window.setup
    for system in CATALOG:
        panel.parameters.show_kind(system.parameters)
        contents = panel.widget()
        needed = contents.minimumSizeHint().width()
        assert needed <= panel.viewport().width(), system.name


def fields_in_sight(window: MainWindow) -> Iterator[tuple[str, NumberField | ChoiceField]]:
    """The fields of each colony with their names, as the window shows them."""
    parameters = window.setup.parameters
    for system in CATALOG:
        parameters.show_kind(system.parameters)
        make_due_layouts(window.setup)
        for name, field in parameters.fields.items():
            if field.isVisible():
                yield f"{system.name} {name}", field


def test_each_option_of_a_parameter_has_room_in_its_box(window: MainWindow) -> None:
    cut = []
    for name, field in fields_in_sight(window):
        if isinstance(field, ChoiceField):
            box, option = field.entry, QStyleOptionComboBox()
            box.initStyleOption(option)
            kind, part = QStyle.ComplexControl, QStyle.SubControl.SC_ComboBoxEditField
            room = box.style().subControlRect(kind.CC_ComboBox, option, part, box).width()
            texts = (box.itemText(place) for place in range(box.count()))
            wide = box.fontMetrics().horizontalAdvance
            cut += [(name, text) for text in texts if wide(text) > room]
    assert not cut


@pytest.mark.parametrize("with_instance", [False, True])
def test_each_automatic_value_has_room_in_its_field(
    window: MainWindow, with_instance: bool
) -> None:
    cut = []
    window.setup.parameters.show_instance(uniform(12_345) if with_instance else None)
    for name, field in fields_in_sight(window):
        if isinstance(entry := field.entry, QLineEdit):
            option, part = QStyleOptionFrame(), QStyle.SubElement.SE_LineEditContents
            entry.initStyleOption(option)
            room = entry.style().subElementRect(part, option, entry).width() - 4  # of Qt's
            text = entry.placeholderText()
            if entry.fontMetrics().horizontalAdvance(text) > room:
                cut.append((name, text))
    assert not cut
