"""A run that is made again, and the film in which its ants walk."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.files.walk_film import WalkSource, filmed_ants
from gpu.core.snapshot import RunState, Wanted
from gpu.run.log.recorder import Recorder
from gpu.run.log.run_log import read_log
from gpu.run.remade import RemadeError, RemadeRun
from gpu.run.run import Run
from gpu.run.session import new_session
from gpu.run.stopping import StopSettings
from tests.gpu.cpu import makers
from views.film import FilmChoices, FilmError, FilmStage, WalkFrame, walked_iterations
from views.tour.tour_view import TourView
from views.tour.walk_layer import WalkLayer
from views.widgets.steps import finished

INSTANCE = makers.uniform(30)
LAST = 9
Recorded = tuple[Path, dict[int, RunState]]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """The log of a run, and its states after each iteration."""
    log = tmp_path_factory.mktemp("run") / "run.jsonl"
    session = new_session(
        INSTANCE,
        colony="acs",
        device="cpu:1",
        parameters={"ants": 5},
        seed=3,
        stop=StopSettings(iterations=LAST, go_on=True),
    )
    run = Run(INSTANCE, session, 0, Recorder(log, session, INSTANCE, print, frames_mb=1))
    run.build()
    states: dict[int, RunState] = {}
    while run.outcome is None:
        run.advance(1)
        if not run.midway:
            states[run.state.iteration] = run.snapshot(Wanted.SOLUTION | Wanted.WALKS)
    run.close()
    return log, states


def test_iterations_are_made_again_as_they_were(recorded: Recorded) -> None:
    log, states = recorded
    with closing(RemadeRun(read_log(log), INSTANCE)) as remade:
        assert remade.last == LAST
        for iteration in (4, 5, LAST):
            then = states[iteration]
            state = remade.at(iteration, Wanted.SOLUTION | Wanted.WALKS).state
            assert state.best_cost == then.best_cost
            assert state.walks is not None
            assert then.walks is not None
            np.testing.assert_array_equal(state.walks.orders, then.walks.orders)
        with pytest.raises(RemadeError, match="iteration 10 cannot be made again"):
            remade.at(LAST + 1, Wanted.WALKS)


def test_another_result_than_was_recorded_is_refused(recorded: Recorded, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in recorded[0].read_text("utf-8").splitlines()]
    for line in lines:
        if line["kind"] == "improvement" and line["iteration"]:
            line["best"] -= 1
    path = tmp_path / "other.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    with (
        closing(RemadeRun(read_log(path), INSTANCE)) as remade,
        pytest.raises(RemadeError, match="found something else than was recorded"),
    ):
        remade.at(LAST, Wanted.WALKS)


def test_ants_of_the_first_to_the_last_iteration_walk_in_a_film(
    qtbot: QtBot, recorded: Recorded
) -> None:
    log, states = recorded
    choices = FilmChoices(Path("film.gif"), (), 240, 160, seconds=5.0, a_second=4, ants=True)
    stage = FilmStage(choices, INSTANCE)
    qtbot.addWidget(stage)
    with closing(WalkSource(log, INSTANCE)) as source:
        scenes = [source.scene(number, choices, stage.keys) for number in range(choices.frames)]
    walks = [one.walk for one in scenes if one.walk is not None]
    assert len(walks) == choices.frames == 20
    assert [one.after.iteration for one in walks] == 10 * [1] + 10 * [LAST]
    assert [(one.walked, one.laid) for one in walks[9::10]] == 2 * [(1.0, 1.0)]
    assert [(one.walked, one.laid) for one in walks[0::10]] == 2 * [(0.0, 0.0)]
    assert "iteration 9" in scenes[-1].caption
    assert scenes[-1].snapshot.best_cost == states[LAST].best_cost
    for scene in (scenes[11], scenes[13], scenes[19]):
        finished(stage.paint(INSTANCE, scene.snapshot, "", {}, scene.walk))
        (view,) = stage.views
        assert isinstance(view, TourView)
        layer = view.layers["walk"]
        assert isinstance(layer, WalkLayer)
        where: WalkFrame | None = scene.walk
        assert where is not None
        assert layer.position == pytest.approx(30 * where.walked)
        assert layer.opacity() == 1.0 - where.laid
        assert view.walking.bar.isHidden()
    (view,) = stage.views
    assert isinstance(view, TourView)
    np.testing.assert_array_equal(view.layers["best"].shown, states[LAST].best_solution)


def test_what_a_film_of_ants_needs(recorded: Recorded) -> None:
    log, _ = recorded
    found = filmed_ants(log, INSTANCE, on=True)
    assert found is not None
    assert found.iterations == LAST
    assert walked_iterations(10.0, 1000) == [1, 10, 100, 1000]
    assert walked_iterations(1.0, 1000) == [1]
    assert walked_iterations(60.0, 3) == [1, 2, 3]
    choices = FilmChoices(Path("film.gif"), ("convergence",), ants=True)
    with pytest.raises(FilmError, match="ants walk in the view tour alone"):
        FilmStage(choices, INSTANCE)
