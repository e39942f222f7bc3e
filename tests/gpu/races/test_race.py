"""Races without a window: fairness, equal cost, speedups, the file, and hostile files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gpu.core.cost_curve import CostCurve
from gpu.core.errors import FormicariumError, ParameterError
from gpu.core.history import Improvement, Progress
from gpu.core.problem import Problem
from gpu.core.snapshot import RunState
from gpu.races.race import (
    LaneBudget,
    Race,
    RaceError,
    RaceSchedule,
    RunningRace,
    sharing_text,
)
from gpu.races.race_file import is_race, read_race, text_of
from gpu.races.race_standings import LaneRecord, lead_of, standings_of
from gpu.run.log.recorder import Recorder
from gpu.run.log.run_log import read_log
from gpu.run.outcome import Ending
from gpu.run.session import Session, new_session
from tests import colonies
from tests.colonies import Failing, RandomColony
from tests.golden import Golden
from tests.gpu.cpu import makers
from tests.gpu.rlf.literal import graph

INSTANCE = colonies.some_cities(optimum=100)


def state(iteration: int, cost: int, best_iteration: int, elapsed: float) -> RunState:
    """A state of a colony of ten ants."""
    tour = np.arange(INSTANCE.n, dtype=np.int32)
    numbers = (iteration, 10 * iteration, cost, best_iteration, cost, float(cost))
    found = Improvement(best_iteration, elapsed, 10 * best_iteration, cost, float(cost))
    progress = Progress(iteration, (found,))
    return RunState(*numbers, best_solution=tour, elapsed=elapsed, progress=progress)


def record(*states: tuple[int, int, int, float]) -> LaneRecord:
    made = LaneRecord()
    for one in states:
        made.take_in(state(*one))
    return made


def race_of(*names: str, **budget: float) -> Race:
    (kind, amount) = next(iter(budget.items()))
    sessions = (new_session(INSTANCE, colony=one, device="cpu:1", seed=3) for one in names)
    return Race(tuple(sessions), LaneBudget(kind, amount), in_turn=False)


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Race]:
    """Make a race of a random colony and another one, by default the same."""

    def make(other: type[RandomColony] = RandomColony, **budget: float) -> Race:
        name = colonies.install(monkeypatch, RandomColony)
        rival = name if other is RandomColony else colonies.install(monkeypatch, other)
        return race_of(name, rival, **budget)

    return make


def test_lanes_are_compared_at_the_cost_that_all_have_reached() -> None:
    first = record((0, 500, 0, 0.0), (4, 300, 2, 1.0), (9, 200, 8, 2.0), (20, 150, 12, 4.0))
    second = record((0, 500, 0, 0.0), (10, 250, 10, 4.0), (20, 200, 15, 8.0), (40, 200, 15, 10.0))
    found = standings_of([first, second], INSTANCE)
    assert found.equal_cost == 200  # what the worse lane has reached, and the better one long ago
    one, other = found.lanes
    assert (one.equal_seconds, other.equal_seconds) == (2.0, 8.0)
    assert (one.equal_ratio, other.equal_ratio) == (1.0, 0.25)
    assert (one.gap_percent, other.gap_percent) == (50.0, 100.0)
    assert (one.solution_seconds, other.solution_seconds) == (0.02, 0.025)
    assert (one.speedup, other.speedup) == (1.25, 1.0)  # over the slowest
    over_first = standings_of([first, second], INSTANCE, against=0).lanes
    assert [a.speedup for a in over_first] == pytest.approx([1.0, 0.8])
    assert list(second.curve_until_now.rows[-1]) == [40, 400, 10.0, 200]
    assert list(first.curve.rows[1]) == [2, 20, 1.0, 300]  # where it was found


def test_lanes_at_a_pace_have_no_speedups() -> None:
    lanes = [record((4, 300, 2, 1.0), (9, 200, 8, 2.0)), record((9, 200, 8, 3.0))]
    found = standings_of(lanes, INSTANCE, paced=True)
    assert [(one.speedup, one.equal_ratio) for one in found.lanes] == [(None, None)] * 2
    assert all(one.solution_seconds for one in found.lanes)


def test_it_is_told_who_is_ahead() -> None:
    first = record((0, 500, 0, 0.0), (9, 200, 8, 2.0))
    second, third = record((9, 206, 8, 1.0)), record((9, 200, 8, 1.5))
    assert lead_of([first, LaneRecord()]) is None
    assert lead_of([first]) is None
    assert said([first, second], Problem.TSP) == "lane 1 ahead by 3.00\u202f%"
    assert said([second, first], Problem.COLORING) == "lane 2 ahead by 6 colors"
    level = "lanes 1 and 3 are level, lane 3 first, after 1.50\u202fs"
    assert said([first, second, third], Problem.TSP) == level
    begun = record((3, 500, 0, 0.0))
    assert said([begun] * 3, Problem.TSP) == "lanes 1, 2 and 3 are level"
    assert said([begun] * 12, Problem.TSP) == "12 lanes are level"


def said(records: list[LaneRecord], problem: Problem) -> str:
    lead = lead_of(records)
    assert lead is not None
    return lead.sentence(problem.words)


def test_nothing_is_said_before_every_lane_has_bettered_what_it_began_with() -> None:
    first, second = record((0, 500, 0, 0.0), (4, 300, 2, 1.0)), record((0, 500, 0, 0.0))
    for later in (second, record((0, 500, 0, 0.0), (3, 500, 0, 2.0)), LaneRecord()):
        found = standings_of([first, later], INSTANCE)
        assert found.equal_cost is None
        assert [one.equal_seconds for one in found.lanes] == [None, None]
        assert found.lanes[1].equal_ratio is None


def test_a_curve_keeps_its_ends_however_long_it_is() -> None:
    most = 64
    curve = CostCurve.of().improved(((at, at, at / 10, 10**6 - at) for at in range(3 * most)), most)
    assert len(curve) <= most
    assert list(curve.rows[0]) == [0, 0, 0, 10**6]
    assert curve.costs[-1] == 10**6 - 3 * most + 1
    assert curve.reached(10**6 - 3 * most) is None


@pytest.mark.parametrize(
    ("devices", "cores", "shared"),
    [
        (("cpu:1", "cpu:1"), 2, ""),
        (("cpu:1", "cpu:1", "cpu:1"), 2, "All lanes share the cores (2 cores): at the same time"),
        (("cpu", "cpu:1"), 8, "All lanes share the cores (8 cores): at the same time"),
        (("cuda:0", "cpu:1"), 2, ""),
        (("cuda:0", "cuda:1", "cuda:0"), 8, "Lanes 1 and 3 share cuda:0: at the same time"),
    ],
)
def test_lanes_that_share_a_device_are_named(
    devices: tuple[str, ...], cores: int, shared: str
) -> None:
    assert sharing_text(devices, cores).partition(",")[0] == shared


def test_lanes_have_the_same_budget_and_their_logs(
    two: Callable[..., Race], tmp_path: Path
) -> None:
    race = two(solutions=60)

    def recorder(session: Session) -> Recorder:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.jsonl"
        return Recorder(path, session, INSTANCE, pytest.fail)

    running = RunningRace(INSTANCE, race, recorder)
    running.work()
    first, second = running.records
    assert first.ending is second.ending is Ending.FINISHED
    assert first.solutions == second.solutions == 60
    assert "the limit of 60 tours is reached" in first.reason
    assert first.cost == second.cost  # the same colony with the same seed
    for one in running.records:
        log = read_log(Path(one.log))
        assert log.outcome["best"] == one.cost
        assert log.session.stop.solutions == 60


def test_a_schedule_lets_nobody_solve_before_all_of_a_turn_are_built() -> None:
    race = Race((new_session(INSTANCE, seed=3),) * 2, LaneBudget("seconds", 1), in_turn=False)
    together, in_turn = RaceSchedule(race), RaceSchedule(replace(race, in_turn=True))
    assert together.next_turn() == (0, 1)
    together.note_built(0)
    before = together.may_solve
    together.note_built(1)
    assert (before, together.may_solve) == (False, True)
    assert together.next_turn() == ()
    assert in_turn.next_turn() == (0,)
    in_turn.note_built(0)
    assert in_turn.may_solve
    in_turn.cancel()
    assert in_turn.next_turn() == ()


@pytest.mark.parametrize("in_turn", [False, True])
def test_a_lane_that_fails_leaves_the_others_alone(two: Callable[..., Race], in_turn: bool) -> None:
    race = two(Failing, iterations=30)
    running = RunningRace(INSTANCE, Race(race.sessions[::-1], race.budget, in_turn))
    running.work()
    failed, other = running.records
    assert failed.ending is Ending.FAILED
    assert "stopped answering" in failed.reason
    assert (other.ending, other.iterations) == (Ending.FINISHED, 30)


def test_a_cancelled_race_begins_no_other_lane(two: Callable[..., Race]) -> None:
    race = two(iterations=10)
    running = RunningRace(INSTANCE, Race(race.sessions, race.budget, True))
    running.cancel()
    running.work()
    assert [one.ending for one in running.records] == [None, None]


def test_what_cannot_be_raced_is_refused(two: Callable[..., Race]) -> None:
    race = two(seconds=1)
    with pytest.raises(RaceError, match="2 to 12 lanes, and this one has 1"):
        RunningRace(INSTANCE, Race(race.sessions[:1], race.budget, False))
    changed = replace(race.sessions[0].instance, sha256="1" * 64)
    other = Race((replace(race.sessions[0], instance=changed),) * 2, race.budget, False)
    with pytest.raises(RaceError, match=r"lane 1 cannot run: .*the file has changed"):
        other.check(INSTANCE)
    with pytest.raises(RaceError, match="not of 'minutes'"):
        LaneBudget("minutes", 3)
    for amount in (0, "4", float("nan")):
        with pytest.raises(ParameterError):
            LaneBudget("iterations", amount)  # type: ignore[arg-type]


def saved(two: Callable[..., Race], tmp_path: Path) -> Path:
    """A file of a race that was run."""
    race = two(iterations=20)
    running = RunningRace(INSTANCE, race)
    running.work()
    path = tmp_path / "a.race.json"
    path.write_text(text_of(race, running.records, INSTANCE), "utf-8")
    return path


def test_a_race_survives_its_file(two: Callable[..., Race], tmp_path: Path) -> None:
    path = saved(two, tmp_path)
    found = read_race(path)
    records = found.with_solutions(INSTANCE)
    again = RunningRace(INSTANCE, found.race)
    again.work()
    for before, after in zip(records, again.records, strict=True):
        assert before.cost == after.cost
        assert before.solution.tolist() == after.solution.tolist()
        assert before.curve.rows[-1][::3] == after.curve.rows[-1][::3]
    other = path.with_name("other.json")
    other.write_text(path.read_text("utf-8"), "utf-8")
    assert is_race(other)
    assert not is_race(tmp_path / "none.json")


def test_lanes_end_where_their_coloring_is_proved_and_a_file_keeps_the_proof(
    tmp_path: Path,
) -> None:
    wheel = graph(7, [*((v, (v + 1) % 6) for v in range(6)), *((v, 6) for v in range(6))])
    sessions = [new_session(wheel, colony="aco-rlf-seq", device="cpu:1", seed=at) for at in (1, 2)]
    race = Race(tuple(sessions), LaneBudget("iterations", 1000), in_turn=True)
    running = RunningRace(wheel, race)
    running.work()
    found = standings_of(running.records, wheel)
    assert [one.iterations for one in running.records] == [0, 0]  # the greedy coloring is proved
    for one, standing in zip(running.records, found.lanes, strict=True):
        assert one.reason == "proved optimal: 3 colors, and a clique of 3 vertices"
        assert (one.proved, standing.proved) == (True, True)
    assert found.bound.cost == 3

    path = tmp_path / "wheel.race.json"
    path.write_text(text_of(race, running.records, wheel), "utf-8")
    kept = read_race(path).with_solutions(wheel)
    assert [one.proved for one in kept] == [True, True]
    assert kept[0].bound.why == "a clique of 3 vertices"
    content = json.loads(path.read_text("utf-8"))
    for witness in ([1, 2], [1, 2, 3, 10**30], [1, 3]):
        path.write_text(json.dumps({**content, "witness": witness}), "utf-8")
        if witness == [1, 2]:  # an edge is a bound, too, and proves nothing here
            assert [one.proved for one in read_race(path).with_solutions(wheel)] == [False, False]
            continue
        with pytest.raises(RaceError, match="save the race anew"):
            read_race(path).with_solutions(wheel)


def test_a_hostile_file_is_refused_in_one_sentence(
    two: Callable[..., Race], tmp_path: Path, golden: Golden
) -> None:
    path = saved(two, tmp_path)
    whole = path.read_text("utf-8")

    def told(line: str) -> str:
        content = json.loads(whole)
        exec(line, {"race": content})
        path.write_text(json.dumps(content), "utf-8")
        with pytest.raises(RaceError) as refused:
            read_race(path)
        assert str(refused.value).startswith(f"{path}: ")
        said = str(refused.value).removeprefix(f"{path}: ")
        return said.partition(": Expected")[0]  # the rest is msgspec's

    golden.table("refused-races", told)


def test_files_that_are_none_are_refused(two: Callable[..., Race], tmp_path: Path) -> None:
    path = saved(two, tmp_path)
    text = path.read_text("utf-8")
    for bad in (
        "",
        text[:900],
        "[" * 100_000,
        "[1]",
        '{"kind": "race"}',
        text.replace("20", "1e999"),
    ):
        path.write_text(bad, "utf-8")
        with pytest.raises(RaceError):
            read_race(path)
    path.write_bytes(b'{"kind": "race", "x": "\xff"}')
    with pytest.raises(RaceError, match="or it is cut off"):
        read_race(path)
    content = json.loads(text)
    for wrong in ([1] * INSTANCE.n, [1, 2], [10**30]):
        content["lanes"][1]["tour"] = wrong
        path.write_text(json.dumps(content), "utf-8")
        with pytest.raises(FormicariumError, match="the best tour of lane 2 is none of"):
            read_race(path).with_solutions(INSTANCE)


def test_what_a_colony_chooses_itself_is_not_refused() -> None:
    """A directed instance has one kind of nearness, which nobody may choose."""
    instance = makers.directed(12)
    lanes = tuple(
        new_session(instance, colony="focused-seq", device="cpu:1", seed=seed) for seed in (1, 2)
    )
    Race(lanes, LaneBudget("iterations", 1), in_turn=True).check(instance)
    with pytest.raises(ParameterError, match="leave it automatic"):
        new_session(
            instance, colony="focused-seq", device="cpu:1", parameters={"nearness": "quadrants"}
        )
