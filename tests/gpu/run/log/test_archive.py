from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from gpu.run.log import archive as archives
from gpu.run.log.archive import FILE, Archive, NotesError, summary_of_log
from gpu.run.log.rows import CUT_OFF, LONGEST_NOTE, UNREADABLE, Note, RunRow, RunSummary
from tests.logs import CITIES, line, outcome, written
from tests.study_results import hostile_journal
from tests.systems import make_pipe


def by_name(folder: Path) -> dict[str, RunSummary]:
    return {row.run.path.stem: row.run for row in Archive([folder]).read().rows}


def test_a_row_has_what_decides_the_run_and_what_it_found(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.jsonl",
        [line(1, 150), outcome(9, 120, gap_percent=20.0, tour=list(range(1, 3000)))],
        seed=7,
        parameters={"ants": 12, "beta": 4},
    )
    run = summary_of_log(path)
    assert (run.instance, run.n, run.colony, run.seed) == (CITIES.name, CITIES.n, "acs-seq", 7)
    assert (run.state, run.best, run.gap_percent) == ("finished", 120, 20.0)
    assert (run.iterations, run.solutions, run.seconds) == (9, 90, 4.5)
    assert run.parameters["ants"] == 12
    assert run.changed == "ants 12, beta 4"
    assert run.started is not None
    assert run.reason == "the limit is reached"


def test_a_row_says_whether_its_best_is_proved(tmp_path: Path) -> None:
    proved = summary_of_log(written(tmp_path / "a.jsonl", [outcome(9, 120, proved=True)]))
    older = summary_of_log(written(tmp_path / "b.jsonl", [outcome(9, 120)]))
    assert (proved.proved, older.proved) == (True, False)


def test_runs_that_differ_by_their_seed_alone_are_alike(tmp_path: Path) -> None:
    choices: list[dict[str, Any]] = [{"seed": 1}, {"seed": 2}, {"parameters": {"ants": 3}}]
    found = [
        summary_of_log(written(tmp_path / f"{at}.jsonl", [outcome(9, 120)], **one)).alike
        for at, one in enumerate(choices)
    ]
    assert found[0] == found[1] != found[2]


def test_a_run_that_was_killed_has_its_last_state(tmp_path: Path) -> None:
    path = written(tmp_path / "cut.jsonl", [line(1, 150), line(4, 140)])
    with path.open("a") as file:
        file.write('{"kind": "improvement", "iteration": 5, "best": 1')
    run = summary_of_log(path)
    assert (run.state, run.best, run.iterations) == (CUT_OFF, 140, 4)
    run = summary_of_log(written(tmp_path / "begun.jsonl", []))
    assert (run.state, run.best, run.instance) == (CUT_OFF, None, CITIES.name)


def test_a_log_that_is_none_is_a_row_that_says_so(tmp_path: Path) -> None:
    good = written(tmp_path / "good.jsonl", [outcome(2, 120)])
    first, last = good.read_text().splitlines()
    wrong = {
        "empty": "",
        "first": first[:100],
        "noise": "\x00\xff\n" * 5,
        "later": first.replace('"format": ', '"format": 9') + "\n",
        "list": "[1, 2]\n",
        "deep": "[" * 100_000 + "\n",
        "last": f"{first}\n[1]\n",
        "seed": first.replace('"seed": 1', '"seed": "one"') + "\n",
        "huge": f"{first}\n{last.replace('120', '9' * 400)}\n",
        "endless": first.replace('"parameters": {', '"parameters": {"x": 1e999, ') + "\n",
        "start": first.replace('"start": null', '"start": "x.tour"') + "\n",
        "starts": first.replace('"start": null', '"start": [1]') + "\n",
        "day": first.replace('"started": "2', '"started": "x') + "\n",
        "long": "x" * (1 << 20) + "\n",
    }
    for name, text in wrong.items():
        (tmp_path / f"{name}.jsonl").write_text(text, "latin-1")
    (tmp_path / "folder.jsonl").mkdir()
    make_pipe(tmp_path / "pipe.jsonl")
    with (tmp_path / "sparse.jsonl").open("wb") as file:
        file.truncate(1 << 40)
    rows = by_name(tmp_path)
    assert set(rows) == {"good", "sparse", *wrong}
    assert rows.pop("good").state == "finished"
    for name, run in rows.items():
        assert run.state == UNREADABLE, name
        assert run.reason, name
        assert "\n" not in run.reason, name
    assert "later version" in rows["later"].reason
    assert "bytes" in rows["sparse"].reason


def test_what_is_no_file_among_the_logs_hides_none_of_them(tmp_path: Path) -> None:
    log = written(tmp_path / "a.jsonl", [])
    make_pipe(tmp_path / "pipe.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    for name, target in (("loop", "loop.jsonl"), ("zero", "/dev/zero"), ("nowhere", "none")):
        (tmp_path / f"{name}.jsonl").symlink_to(target)
    found = Archive([tmp_path]).read()
    assert [row.run.path for row in found.rows] == [log]
    assert found.wrong == ""


def test_only_a_log_that_has_changed_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def counting(path: Path) -> RunSummary:
        read.append(path.stem)
        return summary_of_log(path)

    monkeypatch.setattr(archives, "summary_of_log", counting)
    for name in "ab":
        written(tmp_path / f"{name}.jsonl", [line(1, 150)])
    archive = Archive([tmp_path, tmp_path / "missing", tmp_path])
    assert len(archive.read().rows) == 2
    assert archive.read().wrong == ""
    with (tmp_path / "b.jsonl").open("a") as file:
        file.write(json.dumps(outcome(3, 130)) + "\n")
    found = {row.run.path.stem: row.run.best for row in archive.read().rows}
    assert found == {"a": 150, "b": 130}
    assert sorted(read) == ["a", "b", "b"]


def test_a_row_is_found_by_words_of_any_column(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", [outcome(9, 120)], seed=77)
    row = RunRow(summary_of_log(path), Note("Best of May", "with more ants", starred=True))
    for words in ("", "ACS-seq", "best MAY", "seed 77", "finished 120", "starred", "ants 30"):
        assert row.matches(words), words
    assert not row.matches("acs-seq cuda")


def test_a_number_behind_a_name_is_its_value(tmp_path: Path) -> None:
    row = RunRow(summary_of_log(written(tmp_path / "a.jsonl", [outcome(9, 140)], seed=77)))
    assert row.run.parameters["beta"] == 3
    for words in ("beta 3", "beta=3.0 finished", "Seed 77", "140", "beta", "14"):
        assert row.matches(words), words
    for words in ("beta 4", "beta=14", "seed 7", "ants 3", "beta 140"):
        assert not row.matches(words), words


def test_what_the_user_writes_is_kept_and_two_windows_lose_nothing(tmp_path: Path) -> None:
    log = written(tmp_path / "a.jsonl", [])
    other = written(tmp_path / "b.jsonl", [])
    one, two = Archive([tmp_path]), Archive([tmp_path])
    one.put(log, Note("first", "=1+1; DROP TABLE notes", starred=True))
    two.put(other, Note("second"))
    found = {row.run.path: row.note for row in one.read().rows}
    assert found == {
        log: Note("first", "=1+1; DROP TABLE notes", starred=True),
        other: Note("second"),
    }


def test_damaged_notes_are_told_and_the_runs_are_still_listed(tmp_path: Path) -> None:
    log = written(tmp_path / "a.jsonl", [])
    (tmp_path / FILE).write_text("this is no database, but long enough to look like one" * 40)
    found = Archive([tmp_path]).read()
    assert len(found.rows) == 1
    assert "move it away" in found.wrong
    with pytest.raises(NotesError, match="cannot be kept"):
        Archive([tmp_path]).put(log, Note("x"))
    (tmp_path / FILE).unlink()
    Archive([tmp_path]).put(log, Note("x"))
    data = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(data.replace(b"CREATE TABLE notes", b"CREATE \x82ABLE notes"))
    assert "move it away" in (wrong := Archive([tmp_path]).read().wrong)
    assert "unexpected" not in wrong
    (tmp_path / FILE).unlink()
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("PRAGMA user_version = 9")
    connection.close()
    assert "later version" in Archive([tmp_path]).read().wrong


ENDLESS = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"


@pytest.mark.parametrize(
    "statement",
    [
        f"CREATE VIEW notes AS {ENDLESS}"
        " SELECT x AS log, x AS name, x AS note, x AS starred FROM c",
        "CREATE TABLE notes (log TEXT PRIMARY KEY, name TEXT, note TEXT, starred INTEGER);"
        "CREATE TRIGGER slow BEFORE INSERT ON notes BEGIN"
        f" SELECT (SELECT count(*) FROM ({ENDLESS} SELECT x FROM c)); END",
    ],
)
def test_notes_that_work_without_end_are_refused(tmp_path: Path, statement: str) -> None:
    log = written(tmp_path / "a.jsonl", [])
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.executescript(statement)
    connection.close()
    found = Archive([tmp_path]).read()
    assert len(found.rows) == 1
    assert "views or triggers" in found.wrong
    with pytest.raises(NotesError, match="views or triggers"):
        Archive([tmp_path]).put(log, Note("x"))


def test_notes_in_a_pipe_are_refused_and_long_ones_are_cut(tmp_path: Path) -> None:
    log = written(tmp_path / "a.jsonl", [])
    Archive([tmp_path]).put(log, Note("x"))
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("UPDATE notes SET name = ?, note = ?", ("n" * 10**6, "m" * 10**6))
    connection.close()
    (row,) = Archive([tmp_path]).read().rows
    assert row.note == Note("n" * LONGEST_NOTE, "m" * LONGEST_NOTE)
    (tmp_path / FILE).unlink()
    make_pipe(tmp_path / FILE)
    found = Archive([tmp_path]).read()
    assert len(found.rows) == 1
    assert "a device or a pipe" in found.wrong


def test_a_writer_that_is_killed_in_the_middle_leaves_the_former_note(tmp_path: Path) -> None:
    log = written(tmp_path / "a.jsonl", [])
    archive = Archive([tmp_path])
    archive.put(log, Note("old"))
    killed = sqlite3.connect(tmp_path / FILE)
    killed.execute("UPDATE notes SET name = 'half'")
    killed.close()  # without a commit, as a process that ends
    (row,) = archive.read().rows
    assert row.note.name == "old"


def test_a_list_reads_no_line_between_the_first_and_the_last(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", [line(1, 150)])
    with path.open("a") as file:
        file.write("unread " * 20_000 + "\n" + json.dumps(outcome(9, 120)) + "\n")
    assert summary_of_log(path).best == 120


def test_a_journal_beside_notes_that_names_another_file_does_not_remove_it(tmp_path: Path) -> None:
    log, precious = written(tmp_path / "a.jsonl", []), tmp_path / "precious"
    Archive([tmp_path]).put(log, Note("a"))
    precious.write_text("mine")
    hostile_journal(tmp_path / FILE, precious)
    found = Archive([tmp_path]).read()
    assert len(found.rows) == 1
    assert "has the name of a file that would be removed" in found.wrong
    with pytest.raises(NotesError, match="has the name of a file"):
        Archive([tmp_path]).put(log, Note("b"))
    assert precious.read_text() == "mine"


def test_a_last_line_without_an_ending_is_no_outcome(tmp_path: Path) -> None:
    log = written(tmp_path / "a.jsonl", [])
    log.write_text(log.read_text("utf-8").splitlines()[0] + '\n{"kind": "outcome"}\n', "utf-8")
    (row,) = Archive([tmp_path]).read().rows
    assert row.run.state == UNREADABLE
    assert "says no ending" in row.run.reason
