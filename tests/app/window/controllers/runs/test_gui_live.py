"""What changes while a run goes on: cities, parameters, limits, pace."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.files.film import FilmSource
from app.window.application import Application
from app.window.controllers.runs.live import FREED
from gpu.aims import Aim
from gpu.core.colony import never
from gpu.problems.loading import load_instance
from gpu.run.log.run_log import read_log
from tests.app.in_window import (
    limit,
    lines,
    log_of,
    open_,
    use_aim,
    use_colony,
    use_device,
    wait_for,
    written,
)
from tests.colonies import Patient
from tests.hands import NONE, choose, click, press, press_stop, ticking, write
from tests.views.scenes import pixel_of
from tests.waiting import until
from views.film import FilmChoices, FilmStage
from views.frame.activity import Activity
from views.plots.convergence_view import ConvergenceView
from views.setup.fields import ChoiceBox
from views.tour.tour_view import TourView
from views.widgets.steps import finished

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton


def changes(application: Application) -> list[dict[str, object]]:
    return [line for line in lines(application) if line["kind"] == "change"]


def test_parameters_and_limits_change_while_a_colony_runs(
    qtbot: QtBot, opened: Application
) -> None:
    open_(qtbot, opened)
    use_device(opened, "cpu:1")
    limit(opened, iterations=10**9)
    window, setup = opened.window, opened.window.setup
    press(window, Qt.Key.Key_Space)
    wait_for(qtbot, opened, Activity.RUNNING)
    fields = setup.parameters.fields
    assert fields["beta"].entry.isEnabled()
    assert not fields["candidates"].entry.isEnabled()
    assert "cannot change while the colony runs" in fields["candidates"].entry.toolTip()
    assert not setup.colony.isEnabled()

    write(fields["beta"].entry, "7")
    press(fields["beta"].entry, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(changes(opened)) == 1)
    search = fields["local_search"].entry
    assert isinstance(search, ChoiceBox)
    choose(search, "2opt")
    qtbot.waitUntil(lambda: len(changes(opened)) == 2)
    assert changes(opened)[0]["parameters"] == {"beta": 7.0}
    assert changes(opened)[1]["parameters"] == {"local_search": "2opt"}
    qtbot.waitUntil(lambda: "local_search 2opt" in window.banner.text)
    view = window.view(ConvergenceView)
    assert [mark.text for mark in view.marks] == ["beta 7", "local_search 2opt"]

    press(window, Qt.Key.Key_Return, CONTROL | SHIFT)  # 30 s more
    qtbot.waitUntil(lambda: len(changes(opened)) == 3)
    assert 30 <= float(setup.stop.fields["seconds"].text) < 60
    press(window, Qt.Key.Key_P)
    wait_for(qtbot, opened, Activity.PAUSED)
    limit(opened, iterations=1)
    setup.stop.fields["iterations"].entry.setFocus()
    press(setup.stop.fields["iterations"].entry, Qt.Key.Key_Return)
    wait_for(qtbot, opened, Activity.IDLE)
    ended = opened.runs.current
    end = ended.latest.elapsed
    assert "limit of 1 iteration" in window.banner.text

    press(window, Qt.Key.Key_Return, CONTROL | SHIFT)  # it goes on after its end
    wait_for(qtbot, opened, Activity.RUNNING)
    assert opened.runs.current is ended
    bar = window.dashboard.replay  # its past goes on, too
    qtbot.waitUntil(lambda: bar.moments.length > end)
    assert setup.stop.fields["seconds"].text == f"{round(end) + 30}"
    press_stop(window)
    wait_for(qtbot, opened, Activity.IDLE)
    assert [line["kind"] for line in lines(opened)].count("outcome") == 2
    assert fields["candidates"].entry.isEnabled()
    assert opened.window.actions_["more-time"].isEnabled()
    opened.races.begun.emit()  # a race needs the memory of its colony
    assert not opened.window.actions_["more-time"].isEnabled()
    assert opened.window.actions_["more-time"].toolTip() == FREED


def test_cities_are_added_moved_and_removed_while_a_colony_runs(
    qtbot: QtBot, opened: Application
) -> None:
    open_(qtbot, opened)
    use_device(opened, "cpu:1")
    limit(opened, iterations=10**9)
    window, view = opened.window, opened.window.view(TourView)
    places = np.array(view.editing.places)
    canvas = view.graphics.viewport()
    press(window, Qt.Key.Key_Space)
    wait_for(qtbot, opened, Activity.RUNNING)
    click(view.edit_button)
    x, y = places.mean(axis=0).tolist()

    def made(count: int, n: int) -> None:
        qtbot.waitUntil(lambda: len(changes(opened)) == count)
        qtbot.waitUntil(lambda: opened.instance.value.n == n)
        best = view.layers["best"]
        qtbot.waitUntil(lambda: best.shown is not None)
        assert len(best.shown) == n

    QTest.mouseClick(canvas, LEFT, pos=pixel_of(view, x, y))
    made(1, 51)
    press(window, Qt.Key.Key_P)
    wait_for(qtbot, opened, Activity.PAUSED)
    at = pixel_of(view, *places[7])
    QTest.mousePress(canvas, LEFT, pos=at)
    QTest.mouseMove(canvas, at + QPoint(9, 9))
    QTest.mouseRelease(canvas, LEFT, pos=at + QPoint(20, 12))
    made(2, 51)
    QTest.mouseClick(canvas, RIGHT, pos=pixel_of(view, *places[20]))
    made(3, 50)
    press(view.graphics, Qt.Key.Key_Z, CONTROL)
    made(4, 51)
    assert np.array_equal(view.editing.places[20], places[20])
    assert not np.array_equal(view.editing.places[7], places[7])
    assert opened.instance.value.name == "ring-50 (edited)"
    assert opened.instance.value.optimum is None
    assert window.readout.values["gap"].text() == "–"
    kinds = [[edit["edit"] for edit in line["cities"]] for line in changes(opened)]  # type: ignore[attr-defined]
    assert kinds == [["add"], ["move"], ["remove"], ["add"]]

    bar = window.dashboard.replay

    def shows(n: int) -> bool:
        window.dashboard.queue.finish()
        shown = view.layers["best"].shown
        return shown is not None and len(shown) == n == len(view.layers["cities"].cities)

    def eras() -> list[int]:
        past = opened.replay.past
        return [past.at(one).state.edits for one in bar.moments.improvements]

    qtbot.waitUntil(lambda: 4 in eras())
    press(bar.slider, Qt.Key.Key_Home)  # the past has the cities of its time
    qtbot.waitUntil(lambda: shows(50))
    assert "ring-50  ·  50 cities" in view.caption.text()
    assert not view.edit_button.isEnabled()
    assert "Live" in view.edit_button.toolTip()
    opened.replay.show_moment(bar.moments.improvements[eras().index(1)])
    qtbot.waitUntil(lambda: shows(51))
    press(window, Qt.Key.Key_L, SHIFT)
    qtbot.waitUntil(lambda: shows(51))
    click(view.edit_button)
    assert view.editing.on
    press_stop(window)
    wait_for(qtbot, opened, Activity.IDLE)
    log = log_of(opened)

    path = log.with_name("edited.tsp")
    opened.cities.save(path)
    written(qtbot, opened, path)
    assert load_instance(path).sha256 == opened.instance.value.sha256

    QTest.mouseClick(canvas, LEFT, pos=pixel_of(view, x + 120, y - 90))  # with no run, too
    qtbot.waitUntil(lambda: opened.instance.value.n == 52)
    assert opened.runs.current is None

    open_(qtbot, opened, log)  # a log shows the cities that its run ended with
    assert opened.instance.value.n == 51
    qtbot.waitUntil(lambda: view.layers["best"].shown is not None)
    assert len(read_log(log).changes) == 4
    qtbot.waitUntil(lambda: not bar.isHidden())
    press(bar.slider, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: shows(50))
    film = log.with_name("film")
    source = FilmSource(log)
    choices = FilmChoices(film, ("tour",), 200, 160, seconds=1, a_second=4)
    stage = FilmStage(choices, source.instance)
    qtbot.addWidget(stage)
    assert not stage.views  # they are made step by step, with time for the window between
    scenes = [source.scene(number, choices, stage.keys) for number in range(choices.frames)]
    assert scenes[0].instance.n == 50
    assert scenes[-1].instance.sha256 == opened.instance.value.sha256
    for scene in scenes:
        assert scene.caption.startswith(scene.instance.name)
        finished(stage.paint(scene.instance, scene.snapshot, scene.caption, scene.pictures))
    assert len(stage.findChildren(TourView)[0].layers["cities"].cities) == 51


def test_a_city_that_is_taken_back_while_it_is_dragged_is_let_go(
    qtbot: QtBot, opened: Application
) -> None:
    open_(qtbot, opened)
    view = opened.window.view(TourView)
    canvas, editing = view.graphics.viewport(), view.editing
    click(view.edit_button)
    x, y = np.array(editing.places).mean(axis=0).tolist()

    def has(n: int) -> bool:
        return opened.instance.value.n == n

    at = pixel_of(view, x, y)
    for take_back in ((Qt.Key.Key_Z, CONTROL), (Qt.Key.Key_Delete, NONE)):
        QTest.mouseClick(canvas, LEFT, pos=at)
        qtbot.waitUntil(lambda: has(51))
        QTest.mousePress(canvas, LEFT, pos=at)
        press(view.graphics, *take_back)
        qtbot.waitUntil(lambda: has(50))
        for _ in range(2):
            QTest.mouseMove(canvas, at + QPoint(9, 9))
        QTest.mouseRelease(canvas, LEFT, pos=at + QPoint(20, 12))
        assert len(editing.places) == 50


def test_the_aim_sets_the_pace_and_the_user_changes_it_during_a_run(
    qtbot: QtBot, application: Application
) -> None:
    pace = application.window.run_bar.pace
    open_(qtbot, application)
    assert pace.value == 0
    use_aim(application, Aim.WATCH)
    assert pace.value == 5
    pace.choose(1.0)
    limit(application, iterations=300)
    press(application.window, Qt.Key.Key_Space)
    wait_for(qtbot, application, Activity.RUNNING)
    run = application.runs.current
    assert run.pace == 1
    qtbot.waitUntil(lambda: run.latest.iteration >= 1)
    with qtbot.waitSignal(application.runs.ended):
        pace.choose(0.0)
    assert run.outcome.state.iteration == 300
    use_aim(application, Aim.WATCH)
    assert pace.value == 5
    use_aim(application, Aim.BEST)
    assert pace.value == 0


def test_a_notice_is_shown_while_the_run_goes_on(
    qtbot: QtBot, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Endless(Patient):
        """Says that its iteration takes an hour."""

        def expected_seconds(self) -> float:
            return 3600.0

        def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
            until(stop)

    open_(qtbot, application)
    use_colony(application, monkeypatch, Endless)
    limit(application, seconds=30.0)
    press(application.window, Qt.Key.Key_Space)
    banner = application.window.banner
    qtbot.waitUntil(lambda: "takes some 3600 s or more" in banner.text)
    assert application.runs.active is not None
    assert not ticking(banner)  # it stays
    with qtbot.waitSignal(application.runs.ended):
        application.run_controller.stop()
