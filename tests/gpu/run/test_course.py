"""No improvement is lost between two looks at a colony, and means are of whole intervals."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path

import numpy as np
import pytest

from gpu.core.history import HISTORY_KEPT, Progress, joined
from gpu.core.instance import Instance
from gpu.core.snapshot import RunState
from gpu.run import run as run_module
from gpu.run import slices
from gpu.run.log.recorded import comparison, repeated
from gpu.run.log.recorder import Recorder, header
from gpu.run.log.run_log import read_log
from gpu.run.observing import PROGRESS_PIECES, ImprovementLog
from gpu.run.outcome import Ending, Result
from gpu.run.run import Run
from gpu.run.session import Session, new_session
from gpu.run.stopping import StopSettings
from tests import colonies
from tests.colonies import RandomColony, history_of
from tests.logs import lines_of

INSTANCE = colonies.some_cities(optimum=1)


def session_of(patch: pytest.MonkeyPatch, kind: type[RandomColony], iterations: int) -> Session:
    name = colonies.install(patch, kind)
    return new_session(INSTANCE, colony=name, seed=3, stop=StopSettings(iterations=iterations))


def recorded(instance: Instance, session: Session, path: Path, at_most: int | None = None) -> Run:
    """Return a whole run, in slices of so many iterations, with its log at ``path``."""
    run = Run(instance, session, recorder=Recorder(path, session, instance, pytest.fail))
    run.build()
    while run.outcome is None:
        run.advance(at_most)
    run.close()
    return run


@pytest.mark.parametrize(
    ("name", "value"), [("OBSERVED_EVERY", math.inf), ("MOST_FETCHING", 1e-12)]
)
def test_a_flood_of_improvements_is_all_in_the_log(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, value: float
) -> None:
    monkeypatch.setattr(run_module, name, value)  # looks are rare, even if fetching takes no time
    path = tmp_path / "run.jsonl"
    run = recorded(INSTANCE, session_of(monkeypatch, colonies.Bettering, 1200), path)
    (colony,) = RandomColony.built
    assert len(colony.asked) < 20  # it was looked at a few times only
    improvements = lines_of(path, "improvement")
    assert [line["iteration"] for line in improvements] == list(range(1, 1201))
    assert [line["best"] for line in improvements] == colony.lengths
    assert [line["iteration_best"] for line in improvements] == colony.lengths
    assert [line["tours"] for line in improvements] == list(range(1, 1201))
    assert [one.cost for one in run.improvements] == colony.lengths
    seconds = [line["seconds"] for line in improvements]
    assert seconds == sorted(seconds)
    assert 0 <= seconds[0] <= seconds[-1] <= run.state.elapsed + 1e-6
    (whole,) = [lines_of(path, "progress")]
    assert sum(line["iterations"] for line in whole) == 1200


@pytest.mark.parametrize("colony", ["acs-seq", "mmas"])
def test_a_real_colony_s_log_is_that_of_single_steps(colony: str, tmp_path: Path) -> None:
    session = new_session(
        INSTANCE, colony=colony, device="cpu:1", seed=4, stop=StopSettings(iterations=150)
    )
    stepped, sliced = tmp_path / "stepped.jsonl", tmp_path / "sliced.jsonl"
    states: list[RunState] = []
    run = Run(INSTANCE, session, recorder=Recorder(stepped, session, INSTANCE, pytest.fail))
    run.observers.append(states.append)
    run.build()
    while run.outcome is None:
        run.advance(1)
    run.close()
    recorded(INSTANCE, session, sliced)

    both = []
    for path in (stepped, sliced):
        lines = lines_of(path, "improvement")
        for line in lines:
            line["seconds"] = 0
        both.append(lines)
    assert both[0] == both[1]
    assert len(both[0]) > 3

    steps = [state for state in states if state.progress.iterations]
    means = np.array([state.iteration_mean for state in steps])
    best = np.array([state.iteration_best for state in steps])
    assert len(means) == 150
    done = 0
    for line in lines_of(sliced, "progress"):
        part = slice(done, done := done + int(line["iterations"]))
        assert line["iteration"] == done
        assert line["iteration_mean"] == pytest.approx(means[part].mean(), abs=1e-6)
        assert line["iteration_best"] == best[part].min()
    assert done == 150


def test_a_run_makes_no_more_iterations_than_its_colony_keeps(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(run_module, "OBSERVED_EVERY", math.inf)
    monkeypatch.setattr(slices, "SLICE", 10.0)
    session = session_of(monkeypatch, colonies.Bettering, 3 * HISTORY_KEPT)
    run = Run(INSTANCE, session)
    seen: list[Progress] = []
    run.observers.append(lambda state: seen.append(state.progress))
    run.finish()
    (colony,) = RandomColony.built
    assert max(progress.iterations for progress in seen) == HISTORY_KEPT
    whole = joined(seen)
    assert whole.iterations == whole.last == 3 * HISTORY_KEPT
    assert whole.iteration_best == colony.best_cost
    assert whole.iteration_mean == pytest.approx(np.mean(colony.lengths))
    assert [one.cost for one in run.improvements] == sorted(set(colony.lengths), reverse=True)
    # fine enough for a curve from the start
    assert whole.counts.max() <= whole.last / PROGRESS_PIECES
    assert whole.ends[0] < HISTORY_KEPT / 100


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (colonies.Forgetful, "does not know what happened in"),
        (colonies.Contradicting, "but its iterations' best costs 1"),
    ],
)
def test_a_colony_that_contradicts_itself_again_and_again_ends_the_run_with_what_was_right(
    monkeypatch: pytest.MonkeyPatch, kind: type[RandomColony], why: str
) -> None:
    run = Run(INSTANCE, session_of(monkeypatch, kind, 100))
    outcome = run.finish()
    assert outcome.ending is Ending.FINISHED
    assert why in outcome.reason
    assert "the run ended with the last tour that was checked" in outcome.reason
    assert len(RandomColony.built) == 1 + run_module.RESTARTS
    state = outcome.state
    assert INSTANCE.tour_length(state.best_solution) == state.cost > 1
    costs = [one.cost for one in run.improvements]
    assert costs == sorted(set(costs), reverse=True)
    assert costs[-1] == state.best_cost


def look(costs: list[int], best_iteration: int, best: int | None = None) -> RunState:
    """The state of a colony with one ant, whose iterations had these costs."""
    last = costs[-1] if costs else 0
    best = min(costs, default=0) if best is None else best
    made = len(costs)
    return RunState(made, made, best, best_iteration, last, last, history=history_of(costs))


def test_times_between_two_looks_are_linear() -> None:
    course = ImprovementLog()
    assert course.begin(100).improvements[0].cost == 100
    assert course.follow(look([], 0), 0.5).iterations == 0
    course.follow(look([90, 95], 1), 2.0)
    course.follow(look([90, 95, 80, 85, 70, 75], 5), 4.0)
    told = [(one.iteration, one.seconds, one.cost) for one in course.improvements]
    assert told == [(0, 0.0, 100), (1, 1.25, 90), (3, 2.5, 80), (5, 3.5, 70)]
    assert [one.solutions_built for one in course.improvements] == [0, 1, 3, 5]


def test_what_the_run_began_with_is_bettered_first() -> None:
    course = ImprovementLog()
    course.begin(85)
    progress = course.follow(look([90, 95, 80, 85], 3), 1.0)
    assert [one.cost for one in progress.improvements] == [80]
    assert progress.best.tolist() == [90, 95, 80, 85]


def test_a_colony_may_begin_with_a_tour_of_its_own() -> None:
    course = ImprovementLog()
    course.begin(100)
    first = course.follow(look([90], 0, best=70), 1.0)
    assert [(one.iteration, one.cost) for one in first.improvements] == [(0, 70)]
    assert not course.follow(look([90, 75], 0, best=70), 2.0).improvements


def test_the_last_iteration_may_be_bettered_after_a_look() -> None:
    course = ImprovementLog()
    course.follow(look([90, 80], 2), 1.0)
    bettered = course.follow(look([90, 70], 2), 1.5)  # its tours were crossed with each other
    assert [(one.iteration, one.cost) for one in bettered.improvements] == [(2, 70)]
    assert bettered.iterations == 0
    assert not course.follow(look([90, 70, 75], 2), 2.0).improvements


def test_a_killed_run_is_repeated_to_its_last_improvement(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "run.jsonl"
    recorded(INSTANCE, session_of(monkeypatch, colonies.Bettering, 40), path)
    whole = path.read_text().splitlines(keepends=True)
    at = next(number for number, line in enumerate(whole) if '"iteration": 17,' in line)
    path.write_text("".join(whole[: at + 1]) + whole[at + 1][:20])
    log = read_log(path)
    assert log.cut_off
    session = repeated(log)
    assert session.stop.iterations == 17
    outcome = Run(INSTANCE, session).finish()
    same, sentence = comparison(log, Result.of(INSTANCE, session, outcome))
    assert same, sentence
    assert "the same length as recorded" in sentence


def test_a_log_of_format_1_still_opens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    session = session_of(monkeypatch, RandomColony, 2)
    numbers = {"tours": 2, "best_iteration": 2, "gap_percent": None, "iteration_mean": 7.5}
    phases: dict[str, object] = {"local_hits": None, "phases_ms": {}}
    records = [
        {"kind": kind, "iteration": 2, "seconds": 0.5, "best": 7, **numbers, **phases}
        for kind in ("improvement", "progress", "outcome")
    ]
    lines = [{**header(session, INSTANCE), "format": 1}, *records]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    log = read_log(path)
    assert log.header["format"] == 1
    assert [line["kind"] for line in log.records] == ["improvement", "progress"]
    assert repeated(log) == dataclasses.replace(
        session, stop=StopSettings(iterations=2, go_on=True)
    )
