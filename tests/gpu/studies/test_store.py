from __future__ import annotations

import os
import shutil
import sqlite3
import zlib
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from gpu.core.cost_curve import CostCurve
from gpu.studies.cases import DONE, FAILED, WAITING, Case, CaseRecord, digest_of, failed
from gpu.studies.store import (
    Store,
    StoreError,
    opened,
    read_results,
    sentences,
    write_slim,
)
from gpu.studies.store_tables import STORE_VERSION
from gpu.studies.study import Study
from tests.gpu.studies.toy_studies import TOML, Inline, planned
from tests.study_results import hostile_journal
from tests.systems import make_pipe

HOST = {"version": "1", "commit": "abc", "device": "cpu:1", "model": "A CPU", "driver": ""}
TOUR = np.array([4, 0, 2, 1, 3], np.int32)


def record_of(run: Case) -> CaseRecord:
    return CaseRecord(
        key=run.key,
        state=DONE,
        reason="the limit of 4 iterations is reached",
        started="2030-01-01T00:00:00+00:00",
        host=HOST,
        parameters=run.configuration.values,
        seconds=0.25,
        iterations=4,
        solutions=8,
        best=30,
        best_iteration=3,
        gap_percent=None,
        solution=TOUR,
        curve=CostCurve.of([(0, 0, 0.0, 40), (3, 6, 0.2, 30)]),
    )


def test_a_result_comes_back_as_it_was(toys: Path) -> None:
    plan, path = planned(toys), toys / "a.sqlite"
    with Store(path) as store:
        assert store.adopt(plan) == 12
        assert store.waiting() == [run.key for run in plan.cases]
        store.begin(plan.cases[0].key)
        assert store.finish(record_of(plan.cases[0]))
        assert not store.finish(failed(plan.cases[0].key, "twice"))  # nothing is kept twice
        assert store.finish(failed(plan.cases[1].key, "no memory"))
        assert store.counts() == {"waiting": 10, "running": 0, "done": 1, "failed": 1}
        found = store.results()
        seen = read_results(path)  # while it is written
    assert (found.title, found.planned, found.budget) == (
        "Toys", 12, {"iterations": 4, "go_on": True},
    )  # fmt: skip
    assert found.hosts == (HOST,)
    first, second, *_ = found.rows
    assert (first.instance, first.n, first.optimum, first.label) == ("five", 5, None, "toy, ants 2")
    assert (first.colony, first.device, first.seed, first.batch) == ("toy-ants", "cpu:1", 1, 1)
    assert first.parameters == {"ants": 2, "rho": 0.1, "deposit": "best"}
    assert (first.state, first.best, first.seconds, first.solutions) == (DONE, 30, 0.25, 8)
    assert first.host == HOST
    assert first.curve.costs.tolist() == [40, 30]
    assert first.curve.seconds.tolist() == [0.0, 0.2]
    assert (second.state, second.error, second.best) == (FAILED, "no memory", None)
    assert [(row.label, row.state) for row in seen.rows] == [
        (row.label, row.state) for row in found.rows
    ]
    with closing(sqlite3.connect(path)) as plain:  # as the guide says
        digest, data = plain.execute(
            "SELECT solution_sha256, solution FROM runs WHERE state = 'done'"
        ).fetchone()
    tour = np.frombuffer(zlib.decompress(data), "<i4")
    assert tour.tolist() == TOUR.tolist()
    assert digest_of(tour) == digest
    assert [one.name for one in toys.iterdir() if one.name.startswith("a.sqlite")] == ["a.sqlite"]


def test_a_study_grows_by_batches_and_never_shrinks(toys: Path) -> None:
    path = toys / "a.sqlite"
    with Store(path) as store:
        store.adopt(planned(toys, TOML.replace("[2, 3]", "[7, 8, 9]")))
        assert store.adopt(planned(toys)) == 12  # nothing has run yet
        store.finish(record_of(planned(toys).cases[0]))
    more = TOML.replace("count = 3", "count = 4").replace('label = "toy"', 'label = "renamed"')
    with Store(path) as store:
        assert store.adopt(planned(toys, more)) == 4
        assert store.adopt(planned(toys, more)) == 0
        assert store.adopt(planned(toys, more.replace("[2, 3]", "[2, 3, 4]"))) == 8
        rows = store.results().rows
        assert [row.batch for row in rows] == [1] * 12 + [2] * 4 + [3] * 8
        assert {row.label for row in rows} == {f"renamed, ants {ants}" for ants in (2, 3, 4)}
        assert (rows[0].state, rows[1].state) == (DONE, WAITING)
        for less in (more, TOML, TOML.replace("iterations = 4", "iterations = 5")):
            with pytest.raises(StoreError, match="runs of a study that are not in"):
                store.adopt(planned(toys, less))
        assert store.results().planned == 24


def test_what_was_under_way_waits_again(toys: Path) -> None:
    plan, path = planned(toys), toys / "a.sqlite"
    with Store(path) as store:
        store.adopt(plan)
        store.begin(plan.cases[2].key)
        store.finish(failed(plan.cases[0].key, "no memory"))
    with Store(path) as store:
        assert store.counts() == {"waiting": 11, "running": 0, "done": 0, "failed": 1}
        assert len(store.waiting(with_failed=True)) == 12
        store.begin(plan.cases[0].key)
        store.give_up()
        assert store.counts()["waiting"] == 12


def test_one_process_at_a_time_writes(toys: Path) -> None:
    refused = pytest.raises(StoreError, match="another process works on this study")
    with Store(toys / "a.sqlite"), refused:
        Store(toys / "a.sqlite")
    Store(toys / "a.sqlite").close()


ENDLESS = """DROP TABLE study; CREATE VIEW study AS
    WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)
    SELECT x AS title, x AS created, x AS budget FROM c"""
TRIGGERED = "CREATE TRIGGER slow AFTER UPDATE ON runs BEGIN DELETE FROM runs; END"


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ("no database, but a text\n" * 40, "not the file of a study"),
        (None, "it is a folder"),
        (["CREATE TABLE runs (key)"], "the database of another program"),
        (["", f"PRAGMA user_version = {STORE_VERSION + 1}"], "later version .*: update this one"),
        (["", "DROP TABLE runs"], r"it cannot be used|no study has begun in it"),
        (["", ENDLESS], "views or triggers"),
        (["", TRIGGERED], "views or triggers"),
    ],
    ids=range(7),
)
def test_other_files_are_refused(tmp_path: Path, made: str | list[str] | None, said: str) -> None:
    path = tmp_path / "a.sqlite"
    if isinstance(made, str):
        path.write_text(made)
    elif made is None:
        path.mkdir()
    else:
        if len(made) > 1:  # a study's file, which somebody has changed
            Store(path).close()
        with closing(sqlite3.connect(path)) as plain:
            plain.executescript(made[-1])
    for use in (Store, read_results):
        with pytest.raises(StoreError, match=said):
            use(path)
    assert [one.name for one in tmp_path.iterdir() if "lock" in one.name] == []


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE runs SET seed = 'many'",
        f"UPDATE configurations SET parameters = '{'[' * 100_000}'",
        f"UPDATE runs SET solutions = '{'9' * 400}'",
        "UPDATE runs SET seconds = 9e999",
    ],
    ids=["text", "nested", "huge", "infinite"],
)
def test_values_of_another_kind_are_a_sentence(toys: Path, damage: str) -> None:
    path = toys / "a.sqlite"
    with Store(path) as store:
        store.adopt(planned(toys))
    with closing(sqlite3.connect(path)) as plain:
        plain.execute(damage)
        plain.commit()
    with pytest.raises(StoreError, match="damaged, or was changed by another program"):
        read_results(path)


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="it cannot be written"):
        Store(tmp_path / "no" / "a.sqlite")
    with pytest.raises(StoreError, match="it cannot be used"):
        read_results(tmp_path / "none.sqlite")
    (tmp_path / "loop.sqlite").symlink_to("loop.sqlite")
    with pytest.raises(StoreError, match="it cannot be used"):
        Store(tmp_path / "loop.sqlite")


def test_a_full_disk_ends_in_a_sentence_and_loses_nothing(toys: Path) -> None:
    plan, path = planned(toys), toys / "a.sqlite"
    with Store(path) as store:
        store.adopt(plan)
        store.finish(record_of(plan.cases[0]))
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        large = np.random.default_rng(1).permutation(100_000).astype(np.int32)
        with pytest.raises(StoreError, match="the disk is full"):
            store.finish(replace(record_of(plan.cases[1]), solution=large))
        assert store.counts()[DONE] == 1


def test_a_disk_that_is_too_full_for_sqlites_own_files_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    for free, said in ((4096, "the disk is full: make room"), (10**9, "disk I/O error")):
        usage = SimpleNamespace(free=free)
        monkeypatch.setattr(shutil, "disk_usage", lambda _, usage=usage: usage)
        with pytest.raises(StoreError, match=said), sentences(tmp_path / "a.sqlite"):
            raise error


def test_to_read_a_closed_file_needs_no_file_beside_it(toys: Path) -> None:
    path = toys / "a.sqlite"
    with Store(path) as store:
        store.adopt(planned(toys))
    before = set(toys.iterdir())
    assert len(read_results(path).rows) == 12
    assert set(toys.iterdir()) == before
    store = Store(path)
    with opened(path):
        store.close()  # at once, though somebody reads
    assert len(read_results(path).rows) == 12


def test_runs_of_a_version_with_other_defaults_wait_again(toys: Path) -> None:
    plan = planned(toys)
    first, second, *_ = plan.cases
    former = replace(
        plan,
        cases=tuple(
            replace(
                case,
                configuration=replace(
                    case.configuration, values={**case.configuration.values, "rho": 0.3}
                ),
            )
            if case.configuration == first.configuration
            else case
            for case in plan.cases
        ),
    )
    with Store(toys / "a.sqlite") as store:
        store.adopt(former)
        store.finish(record_of(first))
        store.finish(record_of(second))
    with Store(toys / "b.sqlite") as store:
        study = Study(plan, store, Inline(), sources=[toys / "a.sqlite"])
        assert study.taken == 1
    with Store(toys / "a.sqlite") as store:
        store.adopt(plan)
        assert store.counts() == {"waiting": 11, "running": 0, "done": 1, "failed": 0}
        assert store.finish(record_of(first))
        store.adopt(plan)
        assert store.counts() == {"waiting": 10, "running": 0, "done": 2, "failed": 0}


def test_runs_are_taken_over_from_other_results(toys: Path) -> None:
    first, second = planned(toys, TOML.replace("count = 3", "count = 1")), planned(toys)
    with Store(toys / "a.sqlite") as store:
        store.adopt(first)
        for run in first.cases[:2]:
            store.finish(record_of(run))
    write_slim(toys / "a.sqlite", toys / "slim.sqlite")
    slim = read_results(toys / "slim.sqlite").rows[0]
    assert (slim.best, len(slim.curve.costs)) == (30, 0)
    with Store(toys / "b.sqlite") as store:
        study = Study(second, store, Inline(), sources=[toys / "a.sqlite", toys / "slim.sqlite"])
        assert (study.taken, len(study.cases)) == (2, 10)
    ours, theirs = (read_results(toys / f"{name}.sqlite").rows[0] for name in "ba")
    assert ours.curve.costs.tolist() == theirs.curve.costs.tolist() == [40, 30]
    assert (ours.host, ours.seconds) == (HOST, 0.25)
    with closing(sqlite3.connect(toys / "a.sqlite")) as plain, plain:
        plain.execute("UPDATE runs SET solution = x'00'")
    with Store(toys / "c.sqlite") as store, pytest.raises(StoreError, match="damaged"):
        Study(second, store, Inline(), sources=[toys / "a.sqlite"])


def test_results_that_are_kept_for_others_name_no_machine_and_no_folder(toys: Path) -> None:
    plan = planned(toys)
    with Store(toys / "a.sqlite") as store:
        store.adopt(plan)
        for run, name in zip(plan.cases, ("anthill", "beehive", "anthill"), strict=False):
            host = {**HOST, "machine": name, "device": run.configuration.label}
            store.finish(replace(record_of(run), host=host))
        lost = failed(plan.cases[3].key, "/home/me/my files/five.tsp: the file has changed")
        store.finish(replace(lost, host={**HOST, "device": "none"}))
    write_slim(toys / "a.sqlite", toys / "slim.sqlite")
    write_slim(toys / "slim.sqlite", toys / "again.sqlite")
    slim = read_results(toys / "again.sqlite")
    assert [row.host.get("machine") for row in slim.rows[:4]] == [1, 2, 1, None]
    assert slim.rows[3].error == "five.tsp: the file has changed"
    for secret in (b"anthill", b"beehive", b"/home"):
        assert secret not in (toys / "slim.sqlite").read_bytes()


@pytest.mark.parametrize("ending", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_what_is_no_file_beside_a_database_is_not_opened(
    tmp_path: Path, ending: str, kind: str
) -> None:
    path, precious = tmp_path / "a.sqlite", tmp_path / "precious"
    Store(path).close()
    precious.write_text("mine")
    _make(kind, path.with_name(path.name + ending), precious)
    for use in (Store, read_results):
        with pytest.raises(StoreError, match=f"a.sqlite{ending} beside it is a link, a folder"):
            use(path)
    assert precious.read_text() == "mine"


def test_a_journal_that_names_another_file_does_not_remove_it(toys: Path) -> None:
    path, precious = toys / "a.sqlite", toys / "precious"
    with Store(path) as store:
        store.adopt(planned(toys))
    precious.write_text("mine")
    hostile_journal(path, precious)
    for use in (Store, read_results):
        with pytest.raises(StoreError, match="has the name of a file that would be removed"):
            use(path)
    assert precious.read_text() == "mine"


@pytest.mark.parametrize("kind", ["pipe", "link", "dangling", "folder", "text"])
def test_what_has_the_name_of_the_lock_is_left_alone(tmp_path: Path, kind: str) -> None:
    path, there, precious = tmp_path / "a.sqlite", tmp_path / "a.sqlite-lock", tmp_path / "precious"
    if kind == "text":
        there.write_text("mine")
    else:
        if kind != "dangling":
            precious.write_text("mine")
        _make(kind, there, precious)
    with pytest.raises(StoreError, match=r"a\.sqlite-lock beside it is none of this"):
        Store(path)
    assert os.path.lexists(there)
    assert precious.exists() == (kind not in ("dangling", "text"))


def _make(kind: str, path: Path, precious: Path) -> None:
    if kind == "pipe":
        make_pipe(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(precious)
