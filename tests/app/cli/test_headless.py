from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.cli import headless
from gpu.core.colony import never
from gpu.core.errors import DeviceMemoryError, sentence_for
from gpu.core.snapshot import RunState
from gpu.run.log.recorder import Recorder
from gpu.run.log.run_log import read_log
from gpu.run.outcome import Ending
from gpu.run.session import Session, new_session
from gpu.run.starting import starts_of
from gpu.run.stopping import StopSettings
from tests import colonies
from tests.app.conftest import Command
from tests.colonies import RandomColony

INSTANCE = colonies.some_cities(optimum=1)


def session(name: str, **stop: int) -> Session:
    return new_session(INSTANCE, colony=name, seed=2, stop=StopSettings.from_dict(stop))


def interrupting(number: int, after: int = 1) -> Callable[[RunState], None]:
    """Send this process a signal once an iteration is done."""
    sent: list[int] = []

    def look(state: RunState) -> None:
        if state.iteration >= after and not sent:
            sent.append(number)
            os.kill(os.getpid(), number)

    return look


def test_a_run_goes_to_its_end_in_another_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = threading.Event()

    class LookedAt(RandomColony):
        """Goes on to its end once somebody has seen its first iterations."""

        def once(self) -> None:
            assert self.iteration < 100 or looked.wait(60)
            super().once()

    name = colonies.install(monkeypatch, LookedAt)
    seen: list[int] = []

    def look(state: RunState) -> None:
        seen.append(state.iteration)
        if state.iteration:
            looked.set()

    result, departure = headless.solve(INSTANCE, session(name, iterations=300), progress=look)
    assert result.ending is Ending.FINISHED
    assert departure == headless.Departure()
    assert seen == sorted(seen)
    assert len(set(seen)) > 1
    (colony,) = RandomColony.built
    assert colony.closed == 1
    assert colony.threads.isdisjoint({threading.get_ident()})


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_cancels(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    name = colonies.install(monkeypatch, RandomColony)
    before = signal.getsignal(number)
    result, departure = headless.solve(INSTANCE, session(name), progress=interrupting(number))
    assert result.ending is Ending.CANCELLED
    assert result.solution is not None
    assert departure.status == 128 + number
    assert signal.getsignal(number) is before


def test_whoever_cannot_look_any_more_ends_the_work() -> None:
    cancelled, ended = threading.Event(), threading.Event()

    def work() -> None:
        assert cancelled.wait(60)
        ended.set()

    def look() -> None:
        raise OverflowError

    with pytest.raises(OverflowError):
        headless.attend(work, cancelled.set, look)
    assert ended.is_set()


def test_an_iteration_that_does_not_end_is_left_with_a_complete_log(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = colonies.install(monkeypatch, colonies.Stuck)
    monkeypatch.setattr(headless, "SIGNAL_PATIENCE", 0.05)
    chosen = session(name)
    recorder = Recorder(tmp_path / "run.jsonl", chosen, INSTANCE, pytest.fail)
    _, departure = headless.solve(INSTANCE, chosen, recorder, interrupting(signal.SIGINT))
    assert departure.left
    assert departure.status == 130
    outcome = read_log(tmp_path / "run.jsonl").outcome
    assert outcome["ending"] == "cancelled"
    assert len(outcome["tour"]) == INSTANCE.n
    colonies.Stuck.released.set()
    for thread in threading.enumerate():
        if thread.name == "solver":
            thread.join()


def test_a_failure_is_status_1_one_line_and_still_the_best_tour(
    monkeypatch: pytest.MonkeyPatch, inside: Command, tmp_path: Path
) -> None:
    name = colonies.install(monkeypatch, colonies.Failing)
    arguments = ["solve", "ring-50", "--colony", name, "--seed", "1", "--no-limit", "--json"]
    done = inside(*arguments, "--out", str(tmp_path))
    assert done.returncode == 1
    assert done.stderr == "formicarium: cuda:0 stopped answering: restart the program\n"
    found = json.loads(done.stdout)
    assert found["ending"] == "failed"
    assert sorted(found["tour"]) == list(range(1, 51))
    outcome = read_log(tmp_path / f"ring-50-{name}-1.jsonl").outcome
    assert "Traceback" in outcome["details"]


def test_people_are_told_once_why_it_failed(
    monkeypatch: pytest.MonkeyPatch, inside: Command
) -> None:
    name = colonies.install(monkeypatch, colonies.Failing)
    arguments = ["solve", "ring-50", "--colony", name, "--no-limit"]
    done = inside(*arguments)
    assert done.stderr == "formicarium: cuda:0 stopped answering: restart the program\n"
    assert "stopped answering" not in done.stdout
    assert done.stdout.splitlines()[1] == "failed"


def test_an_error_of_our_own_is_one_line_and_status_1(
    monkeypatch: pytest.MonkeyPatch, inside: Command
) -> None:
    def broken() -> str:
        raise ZeroDivisionError("by\nnought")

    monkeypatch.setattr("app.cli.lists.devices_text", broken)
    done = inside("devices")
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "ZeroDivisionError: by nought" in line


def test_a_long_iteration_is_left_when_a_signal_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(colonies.Patient, "held", True)
    name = colonies.install(monkeypatch, colonies.Patient)
    look = interrupting(signal.SIGINT, after=0)
    result, departure = headless.solve(INSTANCE, session(name), progress=look)
    assert result.ending is Ending.CANCELLED
    assert not departure.left
    assert result.iterations == 0


def test_work_that_is_overdue_and_cannot_be_left_is_waited_for_no_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a launch on a GPU that takes minutes: the run has its first tour, and its limit."""

    class Endless(RandomColony):
        """Never ends its first iteration."""

        def once(self) -> None:
            assert release.wait(60)

    release = threading.Event()
    monkeypatch.setattr(headless, "SIGNAL_PATIENCE", 0.1)
    name = colonies.install(monkeypatch, Endless)
    monkeypatch.setattr("gpu.run.run.starts_of", colonies.nearest_start)
    limited = new_session(INSTANCE, colony=name, seed=2, stop=StopSettings(seconds=0.1))
    result, departure = headless.solve(INSTANCE, limited)
    release.set()
    assert departure == headless.Departure(left=True)
    assert (result.ending, result.iterations) == (Ending.FINISHED, 0)
    assert "0.1 s is reached in the midst of the first iteration, which was left" in result.reason
    assert result.cost == INSTANCE.cost_of(result.solution)
    assert result.seconds >= 0.1


def test_the_time_limit_is_kept_where_an_iteration_takes_longer(inside: Command) -> None:
    done = inside(
        "solve", "uniform-10000", "--colony", "acs-spm", "--device", "cpu:1", "--seconds", "0.5",
        "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["ending"] == "finished"
    assert found["iterations"] == 0  # one takes a minute and more
    assert "0.5 s is reached (an iteration takes some" in found["reason"]  # it was left by itself
    assert sorted(found["tour"]) == list(range(1, 10_001))
    assert found["best_length"] > 0
    assert found["seconds"] >= 0.5


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (DeviceMemoryError("it needs 9 GiB"), 2),
        (MemoryError(), 2),
        (ZeroDivisionError("a fault of the program"), 1),
    ],
)
def test_what_is_refused_while_it_is_built_ends_with_2_and_leaves_the_tour(
    monkeypatch: pytest.MonkeyPatch, inside: Command, tmp_path: Path, error: Exception, status: int
) -> None:
    class Refused(RandomColony):
        def __init__(self, *arguments: Any) -> None:
            raise error

    name = colonies.install(monkeypatch, Refused)
    monkeypatch.setattr("gpu.run.run.starts_of", starts_of)
    done = inside("solve", "ring-50", "--colony", name, "--iterations", 5, "--out", tmp_path)
    assert done.returncode == status
    assert sentence_for(error) in done.stderr
    assert len(list(tmp_path.glob("*.tour"))) == 1


def test_what_fails_after_the_beginning_is_no_refusal(
    monkeypatch: pytest.MonkeyPatch, inside: Command
) -> None:
    class Failing(RandomColony):
        def iterate(self, count: int, stopped: Callable[[], bool] = never) -> None:
            raise DeviceMemoryError("it needs more now")

    name = colonies.install(monkeypatch, Failing)
    done = inside("solve", "ring-50", "--colony", name, "--iterations", 5)
    assert done.returncode == 1
    assert "it needs more now" in done.stderr


def test_ctrl_c_while_files_are_written_loses_no_result(
    monkeypatch: pytest.MonkeyPatch, inside: Command, tmp_path: Path
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    name = colonies.install(monkeypatch, RandomColony)
    monkeypatch.setattr("app.files.exports.export_solution", interrupted)
    arguments = ["solve", "ring-50", "--colony", name, "--iterations", "5", "--go-on", "--json"]
    done = inside(*arguments, "--out", str(tmp_path))
    assert done.returncode == 130
    assert sorted(json.loads(done.stdout)["tour"]) == list(range(1, 51))


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_run_without_any_solution_says_so_by_its_status(
    form: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, inside: Command
) -> None:
    """Every problem of today begins with one; the run of another one may end without."""
    name = colonies.install(monkeypatch, colonies.Idle)
    done = inside("solve", "ring-50", "--colony", name, "--seconds", 0.1, *form)
    assert done.returncode == 1
    if form:
        found = json.loads(done.stdout)
        assert (found["ending"], found["best_length"], found["tour"]) == ("finished", None, None)
    else:
        *_, said, times = done.stdout.splitlines()
        assert said == "there is no tour"
        assert times.startswith("read in ")
    monkeypatch.setattr("gpu.run.run.starts_of", starts_of)
    done = inside("solve", "ring-50", "--colony", name, "--seconds", 0.1)
    assert done.returncode == 0
    assert ", with which the run began" in done.stdout
