from __future__ import annotations

import dataclasses
import json
from operator import itemgetter
from pathlib import Path

import numpy as np
import pytest

from app.files.exports import export_session
from gpu.core.snapshot import Merges, MovesMade, RunState, Updates
from gpu.run.log.names import free_path, stem
from gpu.run.log.recorded import repeated
from gpu.run.log.recorder import Recorder
from gpu.run.log.run_log import read_log
from gpu.run.outcome import Ending, RunOutcome
from gpu.run.session import SessionError, new_session
from tests.colonies import progress_of, some_cities
from tests.golden import Golden

INSTANCE = some_cities(optimum=100)
SESSION = new_session(INSTANCE, colony="acs-seq", seed=9)
TOUR = np.arange(INSTANCE.n, dtype=np.int32)


def state(iteration: int, best: int, elapsed: float = 0.5, before: int | None = None) -> RunState:
    """The state after an iteration, which has a better tour unless the best ``before`` is this."""
    found = [] if before == best else [(iteration, best)]
    progress = progress_of(iteration, elapsed, best + 5 * (before == best), best + 7.5, found)
    return RunState(
        iteration,
        30 * iteration,
        best,
        iteration,
        best + 5,
        best + 7.5,
        best_solution=TOUR,
        updates=Updates(3, 4, 1, 0),
        merges=Merges(600, 30, 20),
        moves=MovesMade(12, 7),
        phases={"construction": 1.25},
        progress=progress,
        elapsed=elapsed,
    )


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_line_is_in_the_file_as_soon_as_it_is_written(tmp_path: Path, golden: Golden) -> None:
    path = tmp_path / "new" / "folder" / "run.jsonl"
    recorder = Recorder(path, SESSION, INSTANCE, pytest.fail)
    (first,) = lines(path)
    assert first["kind"] == "session"
    assert first["session"] == SESSION.to_dict()
    assert first["device"]["name"] == "cpu:1"  # type: ignore[index]
    assert {"python", "numpy", "formicarium", "platform"} <= set(first["versions"])  # type: ignore[call-overload]
    recorder.record(state(1, 150))
    assert len(lines(path)) == 2
    recorder.record(state(2, 160, 0.75, before=160))
    recorder.finish(RunOutcome(Ending.FINISHED, "done", state(2, 150, 0.75)))
    assert recorder.complete
    recorder.record(state(3, 140))
    recorder.finish(RunOutcome(Ending.CANCELLED, "again", state(3, 140)))
    golden(
        "lines-of-a-log", "".join(f"{json.dumps(line, indent=4)}\n" for line in lines(path)[1:3])
    )
    last = lines(path)[-1]
    assert len(lines(path)) == 4
    assert last["ending"] == "finished"
    assert last["tour"] == list(range(1, INSTANCE.n + 1))


def test_lines_without_an_improvement_keep_their_distance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr("gpu.run.log.recorder.time.monotonic", lambda: now[0])
    path = tmp_path / "run.jsonl"
    recorder = Recorder(path, SESSION, INSTANCE, pytest.fail)
    for step in range(1000):  # ten seconds, one better tour in each
        now[0] += 0.01
        best = 1000 - step // 100
        recorder.record(state(step + 1, best, step / 100, before=best + (step % 100 == 0)))
    kinds = [line["kind"] for line in lines(path)]
    assert kinds.count("improvement") == 10
    assert 25 <= kinds.count("progress") <= 41
    before = len(lines(path))
    for step in range(1000):  # ten seconds, hours later
        now[0] += 0.01
        recorder.record(state(step + 2000, 991, elapsed=10_000, before=991))
    assert len(lines(path)) - before <= 3
    recorder.finish(RunOutcome(Ending.FINISHED, "done", state(4000, 991)))
    progress = [line for line in lines(path) if line["kind"] == "progress"]
    assert sum(map(itemgetter("iterations"), progress)) == 2000


def test_a_log_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    recorder = Recorder(path, SESSION, INSTANCE, pytest.fail)
    recorder.record(state(1, 150))
    recorder.record(state(2, 140))
    killed = read_log(path)
    assert killed.outcome is None
    assert killed.last == killed.records[-1]
    recorder.finish(RunOutcome(Ending.FINISHED, "done\u2028and dusted", state(2, 140)))
    log = read_log(path)
    assert log.session == SESSION
    assert [(line["kind"], line["best"]) for line in log.records] == [
        ("improvement", 150),
        ("improvement", 140),
        ("progress", 140),
    ]
    assert log.last is log.outcome
    assert log.outcome["reason"] == "done\u2028and dusted"


def test_a_torn_last_line_is_skipped_wherever_it_is_torn(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    recorder = Recorder(path, SESSION, INSTANCE, pytest.fail)
    recorder.record(state(1, 150))
    whole = path.read_bytes()
    recorder.record(state(2, 140))
    recorder.finish(RunOutcome(Ending.CANCELLED, "stopped", state(2, 140)))
    longer = path.read_bytes()
    for end in range(len(whole), len(longer), 17):
        path.write_bytes(longer[:end])
        assert len(read_log(path).records) in (1, 2, 3)
    first = whole.index(b"\n")
    for end in (0, 1, 5, 20, first // 2, first - 1):
        path.write_bytes(whole[:end])
        with pytest.raises(SessionError, match=r"run\.jsonl: .* nothing was recorded; run the"):
            read_log(path)


def test_a_run_that_was_killed_in_its_first_iteration_is_not_replayed(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    recorder = Recorder(path, SESSION, INSTANCE, pytest.fail)
    for end in (None, -1):  # with and without the line's end
        path.write_bytes(path.read_bytes()[:end])
        with pytest.raises(SessionError, match=r"there is nothing to compare with.*seed 9"):
            repeated(read_log(path))
    recorder.finish(RunOutcome(Ending.CANCELLED, "stopped", state(0, 0)))
    export_session(path.with_suffix(".json"), recorder.header)
    assert repeated(read_log(path.with_suffix(".json"))) == SESSION  # nobody says it was run


@pytest.mark.parametrize(
    "part",
    [
        {"iteration": None},
        {"iteration": "9"},
        {"best": 1},
        {"iteration": 1, "best": "1"},
        {"iteration": 1, "best": 1, "phases_ms": 5},
        {"iteration": 1, "best": 1, "phases_ms": ["a"]},
    ],
)
def test_lines_without_numbers_are_refused(tmp_path: Path, part: dict[str, object]) -> None:
    path = tmp_path / "run.jsonl"
    recorder = Recorder(path, SESSION, INSTANCE, pytest.fail)
    header = path.read_text()
    recorder.finish(RunOutcome(Ending.CANCELLED, "stopped", state(0, 0)))
    for kind in ("progress", "improvement", "outcome"):
        path.write_text(header + json.dumps({"kind": kind, **part}) + "\n")
        with pytest.raises(SessionError, match="not a run's log"):
            read_log(path)


@pytest.mark.parametrize("name", ["n" * 240, "\U0001f41c" * 240, "\udcff", "..", "/", ""])
def test_a_log_is_written_whatever_the_instance_is_called(tmp_path: Path, name: str) -> None:
    reference = dataclasses.replace(SESSION.instance, name=name, path=f"/{name}.tsp")
    session = dataclasses.replace(SESSION, instance=reference, seed=2**64 - 1)
    path = free_path(tmp_path, f"2026-11-22-010203-{stem(session)}", ".jsonl")
    recorder = Recorder(path, session, INSTANCE, pytest.fail)
    recorder.finish(RunOutcome(Ending.FINISHED, "done", state(2, 140)))
    assert recorder.complete
    assert path.parent == tmp_path
    assert read_log(path).session == session


def test_what_is_no_log_is_refused_in_one_line(tmp_path: Path, golden: Golden) -> None:
    path = tmp_path / "odd.jsonl"

    def told(line: str) -> str:
        path.write_bytes(eval(line))
        with pytest.raises(SessionError) as refused:
            read_log(path)
        assert str(refused.value).startswith(f"{path}: ")
        assert "\n" not in str(refused.value)
        return str(refused.value).removeprefix(f"{path}: ")

    golden.table("refused-logs", told)


def test_a_missing_log_is_named(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match=r"none\.jsonl: it cannot be read: No such file"):
        read_log(tmp_path / "none.jsonl")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a disk always full")
def test_on_a_full_disk_the_user_is_told_once() -> None:
    told: list[str] = []
    recorder = Recorder(Path("/dev/full"), SESSION, INSTANCE, told.append)
    assert told == [
        "/dev/full: the run's log cannot be written (the disk is full); the run goes on without it"
    ]
    recorder.record(state(1, 150))
    recorder.finish(RunOutcome(Ending.FINISHED, "done", state(1, 150)))
    assert len(told) == 1
    assert not recorder.complete


def test_a_folder_that_cannot_be_made_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    told: list[str] = []
    path = tmp_path / "file" / "run.jsonl"
    recorder = Recorder(path, SESSION, INSTANCE, told.append)
    recorder.record(state(1, 150))
    (sentence,) = told
    assert sentence.startswith(f"{path}: the run's log cannot be written (")
