"""Runs as objects that know no window."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.window.models.run import Expected, RunModel
from app.window.models.run_list import RunList
from app.window.threads.solver import SolverState
from gpu.core.history import joined
from gpu.core.snapshot import RunState, Wanted
from gpu.run.log.recorder import Recorder
from gpu.run.log.run_log import read_log
from gpu.run.outcome import Ending
from gpu.run.session import new_session
from gpu.run.stopping import StopSettings
from tests import colonies
from tests.colonies import RandomColony
from views.plots.convergence_view import ConvergenceView

INSTANCE = colonies.some_cities()


class Maker:
    """Adds runs of a colony to a list, each with a log of its own."""

    def __init__(self, colony: str, folder: Path) -> None:
        self.colony, self.folder, self.runs = colony, folder, RunList()

    def add(self, iterations: int | None = None) -> RunModel:
        session = new_session(
            INSTANCE, colony=self.colony, seed=1, stop=StopSettings(iterations=iterations)
        )
        path = self.folder / f"{len(list(self.folder.iterdir()))}.jsonl"
        return self.runs.add(INSTANCE, session, Recorder(path, session, INSTANCE, pytest.fail))


@pytest.fixture
def maker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Maker]:
    made = Maker(colonies.install(monkeypatch, RandomColony), tmp_path)
    yield made
    assert made.runs.shutdown(5)


def test_a_run_has_its_snapshot_log_and_outcome(qtbot: QtBot, maker: Maker) -> None:
    run = maker.add(iterations=50)
    run.want(Wanted.BRANCHING)
    shown: list[object] = []
    run.snapshot_changed.connect(shown.append)
    assert maker.runs.active is run
    with qtbot.waitSignal(maker.runs.ended) as ended:
        run.start()
    assert ended.args == [run]
    assert run.outcome.ending is Ending.FINISHED
    assert run.state is SolverState.ENDED
    assert run.snapshot is shown[-1]
    assert run.snapshot.iteration == 50
    assert run.snapshot.branching == 2.0
    log = read_log(run.recorder.path)
    assert log.outcome["best"] == run.snapshot.best_cost
    assert not maker.runs.busy
    assert run.can_go_on
    with qtbot.waitSignal(maker.runs.freed):
        maker.runs.free()  # as when another run is prepared
    assert run.wait(5000)
    assert not run.can_go_on


def test_every_improvement_comes_with_the_snapshots(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    maker = Maker(colonies.install(monkeypatch, colonies.Bettering), tmp_path)
    run, parts = maker.add(iterations=5000), []
    view = ConvergenceView()
    qtbot.addWidget(view)
    run.snapshot_changed.connect(view.take_in)
    run.snapshot_changed.connect(lambda snapshot: parts.append(snapshot.progress))
    with qtbot.waitSignal(maker.runs.ended):
        run.start()
    view.draw()
    (colony,) = RandomColony.built
    found = sorted(set(colony.lengths), reverse=True)
    points = view.curves["best"].points
    assert points[:, 1].tolist() == [*found, found[-1]]  # the last one is the present
    assert points[:-1, 0].tolist() == list(range(1, len(found) + 1))
    whole = joined(parts)
    assert whole.iterations == 5000
    assert whole.ends.tolist() == sorted(whole.ends)
    log = read_log(run.recorder.path)
    improvements = [line["best"] for line in log.records if line["kind"] == "improvement"]
    assert improvements == found
    assert maker.runs.shutdown(5)


def test_the_next_run_takes_the_place_of_the_last(qtbot: QtBot, maker: Maker) -> None:
    currents: list[RunModel | None] = []
    maker.runs.current_changed.connect(currents.append)
    first = maker.add(iterations=5)
    with qtbot.waitSignal(maker.runs.ended):
        first.start()
    second = maker.add()
    assert maker.runs.active is second
    with qtbot.waitSignal(first.destroyed):
        second.start()
    with qtbot.waitSignal(maker.runs.ended):
        second.cancel()
    maker.runs.clear()
    assert currents == [first, second, None]
    assert maker.runs.current is None


def test_all_runs_are_shut_down_without_a_word(qtbot: QtBot, maker: Maker) -> None:
    run = maker.add()
    ends: list[object] = []
    maker.runs.ended.connect(ends.append)
    run.start()
    qtbot.waitUntil(lambda: run.state is SolverState.RUNNING)
    assert maker.runs.shutdown(5)
    assert run.isFinished()
    assert ends == []
    log = read_log(run.recorder.path)
    assert log.outcome["ending"] == "cancelled"


def test_a_former_run_is_forgotten_at_once(qtbot: QtBot, maker: Maker) -> None:
    gc.collect()
    gc.disable()  # it would find the run, sooner or later
    try:
        run = maker.add(iterations=5)
        run.start()
        qtbot.waitUntil(lambda: maker.runs.active is None)
        seen = weakref.ref(run)
        del run
        maker.add(iterations=5)
        qtbot.waitUntil(lambda: seen() is None)
    finally:
        gc.enable()


def state(iteration: int, elapsed: float) -> RunState:
    return RunState(iteration, 10 * iteration, 100, 1, 100, 100.0, elapsed=elapsed)


def test_the_share_grows_and_the_rest_shrinks_within_an_iteration() -> None:
    expected, stop = Expected(), StopSettings(iterations=4)
    assert expected.share_and_left(state(0, 3.0), stop) == (0.0, None)
    assert expected.share_and_left(state(1, 10.0), stop) == pytest.approx((0.25, 30.0))
    assert expected.share_and_left(state(1, 14.0), stop) == pytest.approx((0.35, 26.0))
    # It takes longer than the one before: no more is promised than its end will bring.
    assert expected.share_and_left(state(1, 25.0), stop) == pytest.approx((0.5, 25.0))
    assert expected.share_and_left(state(2, 30.0), stop) == pytest.approx((0.5, 30.0))
    assert expected.share_and_left(state(4, 50.0), stop) == pytest.approx((1.0, 0.0))


def test_time_is_counted_as_it_goes_by() -> None:
    expected, stop = Expected(), StopSettings(seconds=10.0)
    for elapsed in (1.0, 2.0, 9.0):
        found = expected.share_and_left(state(1, elapsed), stop)
        assert found == pytest.approx((elapsed / 10, 10 - elapsed))
    assert Expected().share_and_left(state(1, 1.0), StopSettings()) == (None, None)
