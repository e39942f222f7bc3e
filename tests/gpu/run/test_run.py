from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gpu.core.decisions import Step
from gpu.core.errors import DeviceMemoryError, WrongSolutionError
from gpu.core.instance import Instance
from gpu.core.snapshot import RunState, Wanted
from gpu.cpu.colony import CpuColony
from gpu.problems.bundled import bundled
from gpu.problems.loading import load_instance
from gpu.run import observing, slices
from gpu.run import run as run_module
from gpu.run.log.recorded import comparison, repeated
from gpu.run.log.recorder import Recorder
from gpu.run.log.run_log import read_log
from gpu.run.outcome import Ending, Result
from gpu.run.run import Run
from gpu.run.session import new_session
from gpu.run.slices import SLICE, RunSlices
from gpu.run.stopping import StopSettings
from tests import colonies
from tests.clock import Clock, clock_of_units
from tests.colonies import RandomColony

INSTANCE = colonies.some_cities(optimum=1)


def bundled_instance(name: str) -> Instance:
    return load_instance(next(one.path for one in bundled() if one.name == name))


Make = Callable[..., Run]


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Make runs of small colonies with these limits; they are closed at the end."""
    made: list[Run] = []

    def run(kind: type[RandomColony] = RandomColony, **stop: float) -> Run:
        name = colonies.install(monkeypatch, kind)
        settings = StopSettings(**stop)  # type: ignore[arg-type]
        session = new_session(INSTANCE, colony=name, seed=3, stop=settings)
        made.append(Run(INSTANCE, session, 5))
        return made[-1]

    yield run
    for one in made:
        one.close()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch, run_module, slices, colonies)


def finish(run: Run) -> None:
    run.build()
    while run.outcome is None:
        run.advance()


@pytest.mark.parametrize("iterations", [1, 2, 37, 100])
def test_the_iteration_limit_is_exact(make: Make, iterations: int) -> None:
    run = make(iterations=iterations)
    finish(run)
    (colony,) = RandomColony.built
    assert colony.iteration == iterations
    assert run.outcome.ending is Ending.FINISHED
    assert run.outcome.state.iteration == iterations
    run.close()
    assert run.outcome.ending is Ending.FINISHED


def test_a_slice_takes_its_time(make: Make, clock: Clock) -> None:
    run = make()
    run.build()
    times = []
    for _ in range(20):
        begin = clock.now
        run.advance()
        times.append(clock.now - begin)
    assert times[10:] == pytest.approx([slices.SLICE] * 10, rel=0.1)
    assert run.advance(3) == 3


def test_time_is_that_of_the_work(make: Make, clock: Clock) -> None:
    run = make(seconds=0.2)
    run.build()
    begin, pauses = clock.now, 0
    while run.outcome is None:
        run.advance()
        clock.sleep(0.01)
        pauses += 1
    assert pauses > 5
    assert run.state.elapsed == pytest.approx(clock.now - begin - 0.01 * pauses)
    assert 0.2 <= run.state.elapsed < 0.2 + slices.SLICE
    assert "0.2 s" in run.outcome.reason


def test_what_took_longer_than_the_limit_is_said(
    make: Make, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    class Long(RandomColony):
        """Takes two seconds to build, and three for an iteration that cannot be left."""

        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            clock.sleep(2.0)

        def once(self) -> None:
            super().once()
            clock.sleep(3.0)

    honest = observing._checked_best

    def slow_check(*arguments: Any) -> Any:
        clock.sleep(0.25)
        return honest(*arguments)

    monkeypatch.setattr(observing, "time", clock)
    monkeypatch.setattr(observing, "_checked_best", slow_check)
    run = make(Long, seconds=5)
    outcome = run.finish()
    result = Result.of(INSTANCE, run.session, outcome)
    spent = result.times()
    assert spent["building"] == pytest.approx(2.0)
    assert spent["checking"] in (0.25, 0.5)  # of each new best tour
    assert 6.0 <= spent["solving"] <= 6.01 + spent["checking"]  # the last look may come after it
    assert outcome.reason == (
        f"the time limit of 5 s is reached; {spent['solving']:.2f} s were spent, because an "
        "iteration could not be left before (2 iterations in all)"
    )
    assert result.criterion == "seconds"
    run = make(seconds=5)
    assert run.finish().reason == "the time limit of 5 s is reached"


def test_the_state_always_has_the_best_tour(make: Make) -> None:
    run = make(iterations=200)
    run.build()
    assert run.state.generation == 5
    best = []
    while run.outcome is None:
        run.advance()
        assert INSTANCE.tour_length(run.state.best_solution) == run.state.best_cost
        best.append(run.state.best_cost)
    assert best == sorted(best, reverse=True)
    # The tour is fetched only when it is a new one.
    (colony,) = RandomColony.built
    assert sum(Wanted.SOLUTION in asked for asked in colony.asked) == len(set(best))
    shown = run.snapshot(Wanted.BRANCHING)
    assert shown.branching == 2.0
    assert shown.generation == 5
    assert shown.elapsed == run.state.elapsed
    run.close()
    assert run.snapshot(Wanted.BRANCHING) is run.state


class WrongOnce:
    """Lets a colony go wrong: what it shows once it has made so many iterations is an error."""

    def __init__(self, patch: pytest.MonkeyPatch, kind: type[Any], iterations: int) -> None:
        self.built: list[object] = []
        right = kind.snapshot

        def snapshot(colony: Any, wanted: Wanted) -> RunState:
            state: RunState = right(colony, wanted)
            if colony not in self.built:
                self.built.append(colony)
            if colony is self.built[0] and state.iteration >= iterations:
                raise WrongSolutionError("the colony says 1 of a tour that costs 2")
            return state

        patch.setattr(kind, "snapshot", snapshot)


@pytest.mark.parametrize("colony", ["acs", "mmas", "focused", "crossing", "faco"])
def test_a_run_whose_colony_goes_wrong_goes_on_with_what_was_checked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, colony: str
) -> None:
    instance = bundled_instance("grid-100")
    stop = StopSettings(iterations=40, go_on=True)
    session = new_session(instance, colony=colony, device="cpu:1", seed=4, stop=stop)
    recorder = Recorder(tmp_path / "run.jsonl", session, instance, pytest.fail)
    monkeypatch.setattr(run_module, "OBSERVED_EVERY", 0.0)  # each slice is looked at
    wrong = WrongOnce(monkeypatch, CpuColony, 12)
    run = Run(instance, session, recorder=recorder)
    run.build()
    best = []
    while run.outcome is None:
        run.advance(3)
        best.append(run.state.cost)
    run.close()
    assert len(wrong.built) == 2
    assert run.outcome.ending is Ending.FINISHED
    assert run.state.iteration == 40
    assert best == sorted(best, reverse=True)
    assert instance.cost_of(run.state.best_solution) == run.state.best_cost
    assert "it began anew with the last tour that was checked" in run.notice
    log = read_log(tmp_path / "run.jsonl")
    (line,) = log.restarts
    assert line["iteration"] < 12
    assert line["why"] == run.notice
    last = log.last
    assert (last["iteration"], last["best"]) == (40, run.state.best_cost)
    # a repetition, in which nothing goes wrong, may differ
    monkeypatch.undo()
    again = Run(instance, repeated(log))
    result = Result.of(instance, session, again.finish())
    assert comparison(log, result)[0]


def test_a_run_ends_with_what_was_checked_if_there_is_no_new_colony(
    make: Make,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_memory(*_: object) -> None:
        raise DeviceMemoryError("cuda:0 has no room for it: choose fewer ants")

    run = make(colonies.Lying, iterations=100)
    monkeypatch.setattr(run.changes, "build_anew", no_memory)
    outcome = run.finish()
    assert outcome.ending is Ending.FINISHED
    assert "and a new colony cannot be built (cuda:0 has no room for it" in outcome.reason
    assert "the run ended with the last tour that was checked" in outcome.reason
    assert INSTANCE.cost_of(outcome.state.best_solution) == outcome.state.best_cost


def test_cancelling_before_and_during_the_work(make: Make) -> None:
    run = make()
    run.cancel()
    run.build()
    assert run.outcome.ending is Ending.CANCELLED
    assert run.advance() == 0
    run.close()
    assert RandomColony.built[-1].closed == 1
    run = make()
    run.build()
    run.advance()
    run.cancel()
    assert run.advance() == 0
    assert run.outcome.state.best_solution is not None


def test_a_cancelled_run_does_not_wait_for_a_compiler(make: Make) -> None:
    run = make(colonies.Compiling)
    run.cancel()
    run.build()
    assert RandomColony.built == []
    assert run.outcome.ending is Ending.CANCELLED
    assert run.advance() == 0


def test_closing_an_unfinished_run_cancels_it(make: Make) -> None:
    run = make()
    run.build()
    run.close()
    run.close()
    assert run.outcome.ending is Ending.CANCELLED
    assert RandomColony.built[-1].closed == 1


@pytest.mark.parametrize(
    ("error", "ending"),
    [
        (ZeroDivisionError, Ending.FAILED),
        (SystemExit, Ending.FAILED),
        (KeyboardInterrupt, Ending.CANCELLED),
    ],
)
def test_whatever_is_raised_between_slices_ends_the_run(
    make: Make, error: type[BaseException], ending: Ending
) -> None:
    run = make()

    def raising() -> None:
        raise error

    with pytest.raises(error):
        run.finish(raising)
    assert run.outcome.ending is ending
    assert RandomColony.built[-1].closed == 1


def test_a_colony_that_cannot_be_closed_does_not_change_the_end(
    make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    run = make(colonies.FailingSnapshot, iterations=5)
    finish(run)
    run.close()
    assert run.outcome.ending is Ending.FINISHED
    assert "the device is gone" in caplog.text


def test_the_tour_of_the_last_good_slice_survives_a_failure(make: Make) -> None:
    run = make(colonies.Failing)
    finish(run)
    assert run.outcome.ending is Ending.FAILED
    assert run.outcome.reason == "cuda:0 stopped answering: restart the program"
    assert 1 <= run.outcome.state.iteration <= 9
    assert run.outcome.state.best_solution is not None
    assert run.snapshot(Wanted.EVERYTHING) is run.state


def test_a_long_iteration_is_left_after_each_slice_and_gone_on_with(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = colonies.install(monkeypatch, colonies.Patient)
    session = new_session(INSTANCE, colony=name, seed=3, stop=StopSettings(iterations=2))
    recorder = Recorder(tmp_path / "run.jsonl", session, INSTANCE, pytest.fail)
    run = Run(INSTANCE, session, recorder=recorder)
    run.build()
    made, elapsed = [], [0.0]
    while run.outcome is None:
        made.append(run.advance())
        assert run.made == sum(made) >= run.state.iteration
        if not made[-1]:
            assert run.midway
            elapsed.append(run.state.elapsed)
    assert run.state.iteration == sum(made) == 2
    assert made.count(0) > 10
    assert not run.midway
    assert elapsed == sorted(set(elapsed))
    run.close()
    lines = [json.loads(line) for line in recorder.path.read_text().splitlines()]
    progress = [line for line in lines if line["kind"] == "progress"]
    assert [(line["iteration"], line["iterations"]) for line in progress] == [(1, 1), (2, 1)]
    assert (lines[-1]["kind"], lines[-1]["iteration"]) == ("outcome", 2)


def test_a_whole_iteration_is_not_left_in_its_midst_though_its_slice_is_over(
    make: Make,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(slices, "SLICE", 0.0)
    run = make(colonies.Asking)
    run.build()
    assert run.advance(1) == 1
    assert not run.midway


def test_the_time_limit_holds_in_the_midst_of_an_iteration(make: Make, clock: Clock) -> None:
    run = make(colonies.Patient, seconds=0.1)
    finish(run)
    assert run.outcome.ending is Ending.FINISHED
    assert 0.1 <= run.state.elapsed < 0.15  # an iteration takes 0.5 s
    assert run.state.iteration == 0  # one that is not whole does not count
    assert run.state.best_solution is None


def test_a_real_iteration_is_left_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock on which each step of the ants takes a millisecond, an iteration five seconds."""
    clock = clock_of_units(monkeypatch, 0.001)
    instance = bundled_instance("map-5000")
    parameters = {"ants": 20}
    session = new_session(instance, colony="acs-spm", device="cpu:1", parameters=parameters, seed=4)
    run = Run(instance, session)
    run.build()
    taken = []
    while run.state.iteration == 0:
        begin = clock.now
        run.advance()
        taken.append(clock.now - begin)
    run.close()
    assert sum(taken) >= 0.001 * instance.n
    assert max(taken) <= 3 * slices.SLICE


def test_a_decision_foretold_in_the_midst_of_an_iteration_says_so() -> None:
    instance = bundled_instance("ring-50")
    run = Run(instance, new_session(instance, colony="acs", device="cpu:1", seed=4))
    run.build()
    run.advance(1)
    for midway in (False, True):
        run.midway = midway
        decision = run.replay().decision(0, 1)
        assert isinstance(decision, Step)
        assert ("within this iteration" in decision.caveat) == midway
    run.close()


def test_iterations_at_most_double_until_a_slice_has_its_length(clock: Clock) -> None:
    made, counts = RunSlices(), []
    for _ in range(8):
        made.begin()
        clock.now += 0.001 * made.count
        made.end(made.count)
        counts.append(made.count)
    assert counts[:4] == [2, 4, 8, 16]
    assert all(19 <= count <= 20 for count in counts[5:])
    made.begin()
    clock.now += 100 * SLICE  # something held it up
    made.end(20)
    assert made.count == 1


def test_a_limit_of_time_is_approached_by_halves(clock: Clock) -> None:
    made, limit, counts = RunSlices(), 0.0455, []
    while made.elapsed < limit:
        count = min(made.count, made.within(limit - made.elapsed))
        made.begin()
        clock.now += 0.001 * count
        made.end(count)
        counts.append(count)
    assert sum(counts) == 46
    assert counts[-3:] == [1, 1, 1]


def test_time_between_slices_does_not_count_and_a_failed_one_neither(clock: Clock) -> None:
    made = RunSlices()
    over = made.begin()
    assert not over()
    clock.now += SLICE
    assert over()
    assert over.passed
    assert made.elapsed == pytest.approx(SLICE)
    made.end(1)
    clock.now += 5
    assert made.elapsed == made.spent == pytest.approx(SLICE)
    made.begin()
    clock.now += 7
    assert made.under_way
    made.leave()
    assert made.elapsed == pytest.approx(SLICE)
