"""A study that is killed again and again has the same results in the end."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

from gpu.batch.cases import CaseRow
from gpu.batch.store import Store, read_results
from gpu.batch.study import Study
from tests.gpu.batch.small_study import started
from tests.gpu.batch.studies import TOML, Inline, planned
from tests.waiting import PATIENCE, until

RUNS, KILLS = 200, 10


def done(results: Path) -> int:
    try:
        with closing(sqlite3.connect(f"{results.as_uri()}?mode=ro", uri=True)) as plain:
            (count,) = plain.execute("SELECT count(*) FROM runs WHERE state = 'done'").fetchone()
            return int(count)
    except sqlite3.OperationalError:  # it is not there yet
        return 0


def same(row: CaseRow) -> tuple[object, ...]:
    """All of a row that does not depend on the time."""
    curve = row.curve.iterations, row.curve.solutions, row.curve.costs
    what = row.instance, row.label, row.colony, row.device, row.seed, row.batch, row.state
    found = row.error, row.best, row.gap_percent, row.iterations, row.solutions
    return (*what, *found, *(tuple(column.tolist()) for column in curve))


def digests(results: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(results)) as plain:
        return plain.execute("SELECT key, solution_sha256 FROM runs ORDER BY id").fetchall()


def test_a_study_that_is_killed_at_random_has_all_results_once(toys: Path) -> None:
    chance = random.Random(1)
    text = TOML.replace("count = 3", f"count = {RUNS // 4}")
    design, results, whole = toys / "study.toml", toys / "killed.sqlite", toys / "whole.sqlite"
    design.write_text(text)
    for _ in range(KILLS):
        before, share = done(results), RUNS // KILLS
        enough = before + chance.randint(0, share - 2)
        process = started(design, results, share - 1)
        until(lambda: done(results) >= enough or not process.is_alive())  # noqa: B023
        process.kill()
        process.join()
        assert process.exitcode != 0  # it was at work
        with closing(sqlite3.connect(results)) as plain:
            assert plain.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert enough <= done(results) < before + share
    process = started(design, results)
    process.join(PATIENCE)
    assert process.exitcode == 0
    with Store(whole) as store:
        Study(planned(toys, text), store, Inline()).run()
    rows = read_results(results).rows
    assert len(rows) == RUNS
    assert list(map(same, rows)) == list(map(same, read_results(whole).rows))
    assert digests(results) == digests(whole)
