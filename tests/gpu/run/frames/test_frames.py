from __future__ import annotations

import json
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu.core.instance import CityEdit, Instance
from gpu.core.snapshot import RunState, Trails
from gpu.core.trails import matrix_trails
from gpu.run.changes import Change
from gpu.run.frames import frames
from gpu.run.frames.frame_file import FoundSolution, FrameFile, FrameWriter
from gpu.run.frames.frames import SOLUTION, TRAILS, Frame, FramesError, write_edits
from gpu.run.frames.past import Past
from gpu.run.log.recorder import Recorder
from gpu.run.run import Run
from gpu.run.session import new_session
from gpu.run.stopping import StopSettings
from tests import colonies
from tests.colonies import RandomColony, some_cities

pytestmark = pytest.mark.usefixtures("windows_files")

CITIES = some_cities(60)
HEADER = {"kind": "frames", "format": 1, "n": 60, "sha256": ""}
FIRST = json.dumps({**HEADER, "thinned": 0}).encode() + b"\n"


def as_frame(form: int, data: bytes) -> Frame:
    return Frame(SOLUTION, form, 0, 0, 0, 0.0, data)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.integers(0, 2**32 - 1), st.integers(0, 6), st.booleans())
def test_a_solution_comes_back_as_it_was(n: int, seed: int, cuts: int, order: bool) -> None:
    draws = np.random.default_rng(seed)
    if order:
        before = draws.permutation(n).astype(np.int32)
        parts = np.split(before, np.sort(draws.integers(0, n + 1, cuts)))
        draws.shuffle(parts)
        after = np.concatenate([part[:: draws.choice([-1, 1])] for part in parts])
    else:
        before, after = draws.integers(0, 5, (2, n)).astype(np.int32)
    for former in (None, before):
        form, data = frames.write_solution(after, former)
        found = frames.read_solution(as_frame(form, data), n, former)
        np.testing.assert_array_equal(found, after)


def test_a_tour_with_a_few_new_edges_takes_a_few_bytes() -> None:
    before = np.random.default_rng(1).permutation(100_000).astype(np.int32)
    after = np.concatenate([before[70:90_000][::-1], before[90_000:], before[:70]])
    form, data = frames.write_solution(after, before)
    assert form == frames.PIECES
    assert len(data) < 100


def test_trails_come_back_but_for_rounding_to_8_bits() -> None:
    draws = np.random.default_rng(2)
    matrix = draws.lognormal(size=(300, 300)).astype(np.float32)
    matrix[5] = 0
    given_trails = matrix_trails(matrix, directed=True, level=np.float32(0.01))
    data = frames.write_trails(given_trails, matrix, matrix[:, :7], 300)
    trails, picture, listed = frames.read_trails(data, 300)
    assert listed is not None
    assert np.allclose(listed, matrix[:, :7], rtol=0.05)
    strongest = {tuple(edge) for edge in given_trails.edges[given_trails.strength > 0.01].tolist()}
    assert strongest <= {tuple(edge) for edge in trails.edges.tolist()}
    np.testing.assert_allclose(trails.strength[:50], given_trails.strength[:50], atol=1 / 255)
    assert (np.diff(trails.strength) <= 0).all()
    assert picture.shape == (frames.FRAME_PICTURE_SIZE,) * 2
    np.testing.assert_allclose(picture.max(), matrix.max(), rtol=0.01)
    assert (picture > 0).sum() > 0.9 * picture.size


def states(count: int, step: float) -> list[RunState]:
    """States of a run that finds a better tour every ``step`` seconds, each with its trails."""
    draws = np.random.default_rng(3)
    made = []
    for place in range(count):
        tour = draws.permutation(CITIES.n).astype(np.int32)
        edges = np.stack([tour, np.roll(tour, -1)], axis=1)
        strength = np.linspace(1, 0.1, len(edges)).astype(np.float32)
        cost = CITIES.tour_length(tour)
        numbers = place + 1, 10 * (place + 1), cost, place + 1, cost, float(cost)
        trails = Trails(edges, strength)
        made.append(RunState(*numbers, tour, trails=trails, elapsed=step * place))
    return made


def found(state: RunState) -> FoundSolution:
    assert state.best_solution is not None
    moment = state.iteration, state.elapsed, state.solutions_built
    return FoundSolution(*moment, state.cost, state.best_solution)


def write(path: Path, given: list[RunState], limit: int = 10**6) -> None:
    """Write frames of all states; each one has its trails."""
    file = FrameFile(path, HEADER, CITIES.n, limit)
    for state in given:
        file.add_trails(found(state), state)
    file.close()


def test_every_moment_is_shown_as_it_was(tmp_path: Path) -> None:
    given = states(6, 20.0)
    write(tmp_path / "run.frames", given)
    past = Past(tmp_path / "run.frames", CITIES)
    moments = past.refresh()
    assert moments.improvements == (0.0, 20.0, 40.0, 60.0, 80.0, 100.0)
    for seconds, place in ((100.0, 5), (45.0, 2), (20.0, 1), (19.9, 0)):
        shown, state = past.at(seconds).state, given[place]
        np.testing.assert_array_equal(shown.best_solution, state.best_solution)
        assert (shown.best_cost, shown.best_iteration) == (state.best_cost, place + 1)
        assert set(map(tuple, shown.trails.edges)) == set(map(tuple, state.trails.edges))
    assert past.at(50.0).state.iteration == 3
    assert (moments.before(45.0), moments.after(45.0)) == (40.0, 60.0)
    assert (moments.before(0.0), moments.after(100.0)) == (0.0, 100.0)
    assert moments.seconds_at(moments.iteration_at(60.0)) == 60.0


def test_the_order_of_the_trails_is_known_where_it_is_that_of_the_solution(tmp_path: Path) -> None:
    """Rows of their picture are in the order of the ants' best, of which the file may lack some."""
    made = sorted(states(3, 10.0), key=lambda state: -state.cost)
    begun, first, second = (
        replace(state, iteration=at, elapsed=10.0 * at) for at, state in enumerate(made)
    )
    file = FrameFile(tmp_path / "run.frames", HEADER, CITIES.n, 10**6)
    file.add(found(begun))
    file.add_trails(found(begun), replace(begun, iteration=1, elapsed=5.0))
    file.add_trails(found(first), first)
    file.add(found(second))
    file.close()
    past = Past(tmp_path / "run.frames", CITIES)
    past.refresh()
    assert past.at(5.0).state.ants_best is None  # no ant has found that tour
    shown = past.at(10.0).state
    assert shown.ants_best is shown.best_solution
    np.testing.assert_array_equal(shown.ants_best, first.best_solution)
    assert past.at(20.0).state.ants_best is None  # the trails are from before


def test_a_file_that_is_too_large_is_thinned_out_evenly(tmp_path: Path) -> None:
    path, given = tmp_path / "run.frames", states(200, 1.0)
    file = FrameFile(path, HEADER, CITIES.n, 20_000)
    past = Past(path, CITIES)
    due = {SOLUTION: 0.0, TRAILS: 0.0}
    for state in given:  # as often as the thread would write them
        if state.elapsed >= due[TRAILS]:
            file.add_trails(found(state), state)
            due[TRAILS] = state.elapsed + max(5.0, file.gaps[TRAILS])
        if state.elapsed >= due[SOLUTION] or state is given[-1]:
            file.add(found(state))
            due[SOLUTION] = state.elapsed + file.gaps[SOLUTION]
        if state.iteration == 50:
            past.refresh()
    file.close()
    moments = past.refresh()  # one that knows the file from before
    assert path.stat().st_size <= 20_000
    assert [file.name for file in tmp_path.iterdir()] == ["run.frames"]
    gaps = np.diff(moments.improvements)
    assert moments.improvements[0] == 0.0
    assert moments.length == 199.0
    assert 10 < len(gaps) < 100
    assert gaps.max() <= 3 * np.median(gaps)
    for seconds in (0.0, 70.0, 199.0):
        shown = past.at(seconds).state
        state = given[shown.best_iteration - 1]
        np.testing.assert_array_equal(shown.best_solution, state.best_solution)


def test_a_limit_below_one_solution_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    writer = FrameWriter(tmp_path / "run.frames", HEADER, CITIES.n, 100, told.append)
    writer.put(states(1, 1.0)[0])
    writer.finish()
    assert told
    assert "allow 1 MB" in told[0]


def test_what_cannot_be_written_is_told_once(tmp_path: Path) -> None:
    told: list[str] = []
    (tmp_path / "file").touch()
    writer = FrameWriter(tmp_path / "file" / "run.frames", HEADER, 60, 10**6, told.append)
    for state in states(3, 1.0):
        writer.put(state)
    writer.finish()
    assert len(told) == 1
    assert "cannot be written" in told[0]


def test_damaged_and_foreign_files_are_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "run.frames"
    write(path, states(3, 20.0))
    whole = path.read_bytes()

    def refused(data: bytes, at: float = 40.0) -> str:
        path.write_bytes(data)
        past = Past(path, CITIES)
        try:
            past.refresh()
            past.at(at)
        except FramesError as refusal:
            return str(refusal)
        return ""

    assert "no solution" in refused(FIRST)
    assert "no frames" in refused(b"\x00" * 300)
    assert "no frames" in refused(b"")
    assert "another instance" in refused(whole.replace(b'"n": 60', b'"n": 61'))
    assert "later version" in refused(whole.replace(b'"format": 1', b'"format": 9'))
    tour = np.zeros(60, np.uint16)
    bomb = zlib.compress(bytes(10**6))
    for form, data in ((0, zlib.compress(tour.tobytes())), (1, b""), (2, b""), (7, b""), (0, bomb)):
        assert "cannot be shown" in refused(FIRST + frames.packed(as_frame(form, data)))
    # A file that is cut off anywhere has all whole frames before that.
    for length, seconds in ((len(whole) - 1, 3), (len(whole) // 2, 2), (len(FIRST), 0)):
        path.write_bytes(whole[:length])
        assert len(Past(path, CITIES).refresh().improvements) == seconds
    path.unlink()
    with pytest.raises(FramesError, match="nothing of the run's past is recorded"):
        Past(path, CITIES).refresh()


def test_a_real_run_is_recorded_with_its_trails(tmp_path: Path) -> None:
    session = new_session(CITIES, colony="acs-seq", seed=1, stop=StopSettings(iterations=300))
    recorder = Recorder(tmp_path / "run.jsonl", session, CITIES, pytest.fail, frames_mb=1)
    run = Run(CITIES, session, recorder=recorder)
    outcome = run.finish()
    past = Past(tmp_path / "run.frames", CITIES)
    moments = past.refresh()
    last = past.at(outcome.state.elapsed).state
    np.testing.assert_array_equal(last.best_solution, outcome.state.best_solution)
    assert last.best_cost == outcome.state.best_cost
    assert len(last.trails.edges)
    assert last.pheromone is not None
    np.testing.assert_array_equal(last.strip.cities, last.best_solution)
    assert last.strip.others.shape == last.strip.values.shape
    known = {(one.seconds, one.cost) for one in run.improvements}
    assert {(one, past.at(one).state.best_cost) for one in moments.improvements} <= known


def work(run: Run) -> None:
    """Work until the run ends, and keep its colony."""
    while run.outcome is None:
        run.advance()


def test_a_run_that_goes_on_after_its_end_is_recorded_to_its_new_end(tmp_path: Path) -> None:
    session = new_session(CITIES, colony="acs-seq", seed=1, stop=StopSettings(iterations=2))
    recorder = Recorder(tmp_path / "run.jsonl", session, CITIES, pytest.fail, frames_mb=1)
    run = Run(CITIES, session, recorder=recorder)
    run.build()
    past = Past(tmp_path / "run.frames", CITIES)
    ends = []
    for iterations in (2, 100, 300):
        if run.outcome is not None:
            run.go_on(Change(stop=StopSettings(iterations=iterations)))
        work(run)
        moments = past.refresh()
        ends.append((run.state.best_cost, past.at(run.state.elapsed).state.best_cost))
    run.close()
    assert all(best == shown for best, shown in ends)
    assert ends[-1] < ends[0]
    known = {(one.seconds, one.cost) for one in run.improvements}
    assert {(one, past.at(one).state.best_cost) for one in moments.improvements} <= known
    assert Past(tmp_path / "run.frames", CITIES).refresh() == moments


@pytest.mark.parametrize(
    ("gone", "why"),
    [("jsonl", "log cannot be written"), ("frames", "the past of the run is not recorded")],
)
def test_a_file_that_is_gone_when_a_run_goes_on_is_not_made_anew(
    gone: str, why: str, tmp_path: Path
) -> None:
    told: list[str] = []
    session = new_session(CITIES, colony="acs-seq", seed=1, stop=StopSettings(iterations=2))
    recorder = Recorder(tmp_path / "run.jsonl", session, CITIES, told.append, frames_mb=1)
    run = Run(CITIES, session, recorder=recorder)
    run.build()
    work(run)
    (tmp_path / f"run.{gone}").unlink()
    run.go_on(Change(stop=StopSettings(iterations=300)))
    work(run)
    run.close()
    assert run.state.iteration == 300
    assert not (tmp_path / f"run.{gone}").exists()
    assert len(told) == 1
    assert why in told[0]


def test_the_recorder_follows_a_run_without_trails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = colonies.install(monkeypatch, RandomColony)
    session = new_session(CITIES, colony=name, seed=3, stop=StopSettings(iterations=60))
    recorder = Recorder(tmp_path / "run.jsonl", session, CITIES, pytest.fail, frames_mb=1)
    outcome = Run(CITIES, session, recorder=recorder).finish()
    past = Past(tmp_path / "run.frames", CITIES)
    assert past.refresh().improvements
    assert past.at(outcome.state.elapsed).state.best_cost == outcome.state.best_cost


ADDED, MOVED = CityEdit("add", 7, 12.5, -3.25), CityEdit("move", 0, 40.0, 41.0)
REMOVED = CityEdit("remove", 30)


def test_each_moment_of_a_run_whose_cities_change_has_its_own_cities(tmp_path: Path) -> None:
    path = tmp_path / "run.frames"
    changes = (Change(cities=(ADDED, MOVED), iteration=20), Change(cities=(REMOVED,), iteration=40))
    stop = StopSettings(iterations=60)
    session = new_session(CITIES, colony="acs-seq", seed=1, stop=stop)
    session = replace(session, changes=changes)
    recorder = Recorder(path.with_suffix(".jsonl"), session, CITIES, pytest.fail, frames_mb=1)
    run = Run(CITIES, session, recorder=recorder)
    outcome = run.finish()
    past = Past(path, CITIES)
    moments = past.refresh()
    seen = [past.at(one) for one in moments.seconds]
    eras = [(then.state.edits, then.instance.n) for then in seen]
    assert list(dict.fromkeys(eras)) == [(0, 60), (1, 61), (2, 60)]
    for then in seen:
        cost = then.instance.cost_of(then.state.best_solution)
        assert cost == then.state.best_cost
    last = past.at(moments.length)
    assert last.instance.sha256 == run.instance.sha256
    np.testing.assert_array_equal(last.state.best_solution, outcome.state.best_solution)
    assert last.state.trails is not None
    assert last.state.strip is not None
    assert past.at(moments.length).instance is last.instance


def test_a_file_with_changes_of_cities_is_thinned_out_and_read(tmp_path: Path) -> None:
    path, given = tmp_path / "run.frames", states(40, 1.0)
    file = FrameFile(path, HEADER, CITIES.n, 4_500)
    eras: list[Instance] = [CITIES]
    draws = np.random.default_rng(5)
    for state in given:
        if state.iteration % 10 == 0:
            eras.append(eras[-1].edited((ADDED,)).instance)
            tour = draws.permutation(eras[-1].n).astype(np.int32)
            after = found(state)._replace(solution=tour, cost=eras[-1].cost_of(tour))
            file.add_edits([ADDED.to_dict()], after)
        tour = draws.permutation(eras[-1].n).astype(np.int32)
        file.add(found(state)._replace(solution=tour, cost=eras[-1].cost_of(tour)))
    file.close()
    past = Past(path, CITIES)
    moments = past.refresh()
    assert 0 < path.stat().st_size <= 4_500
    assert len(moments.improvements) < 40
    for seconds in moments.improvements:
        instance, state = past.at(seconds)
        assert instance.sha256 == eras[state.edits].sha256
    assert past.at(moments.length).instance.n == 64

    def refused(data: bytes) -> str:
        frame = Frame(frames.CITIES, 0, 0, 0, 0, 0.0, data)
        path.write_bytes(FIRST + frames.packed(frame))
        with pytest.raises(FramesError) as refusal:
            Past(path, CITIES).refresh()
        return str(refusal.value)

    for data in (b"", zlib.compress(b"{}x"), zlib.compress(b"[7]"), zlib.compress(b"[" * 9999)):
        assert "cannot be shown" in refused(data)
    assert "cannot be shown" in refused(write_edits([REMOVED.to_dict()] * 58))
