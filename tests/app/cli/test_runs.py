from __future__ import annotations

import json
from pathlib import Path

from gpu.run.log.archive import Archive
from gpu.run.log.names import default_log_folder
from gpu.run.log.notes import Note
from tests.app.conftest import Command
from tests.logs import line, outcome, written
from tests.processes import refused


def test_runs_are_listed_and_filtered(inside: Command, tmp_path: Path) -> None:
    done = inside("runs")
    assert (done.returncode, done.stdout) == (0, "")
    assert "no run is recorded here" in done.stderr
    folder = default_log_folder()
    first = written(folder / "a.jsonl", [outcome(9, 120, gap_percent=20.0)], seed=5)
    written(folder / "b.jsonl", [line(2, 150)], seed=6, parameters={"beta": 4})
    (folder / "c.jsonl").write_text("\x1b[31mred")
    Archive([folder]).put(first, Note("best of \x1b[31mMay", starred=True))
    text = inside("runs").stdout
    head, *rows = text.splitlines()
    assert head.split()[:3] == ["STARTED", "INSTANCE", "COLONY"]
    assert len(rows) == 3
    assert "\x1b" not in text
    assert "20.00 %" in text
    (found,) = json.loads(inside("runs", "--json", "starred", "acs-seq").stdout)
    assert found["seed"] == 5
    assert found["best_length"] == 120
    assert found["tours_built"] == 90
    assert found["log"] == str(first)
    assert found["parameters"]["ants"] == 30
    (found,) = json.loads(inside("runs", "--json", "beta", "4", "not ended").stdout)
    assert (found["seed"], found["state"]) == (6, "not ended")
    (found,) = json.loads(inside("runs", "--json", "unreadable").stdout)
    assert found["instance"] is None
    assert "no run has all these words" in inside("runs", "nothing-like-this").stderr
    assert json.loads(inside("runs", "--json", "--folder", tmp_path).stdout) == []
    for name in ("none", "n" * 300):
        assert "there is no such folder" in refused(inside("runs", "--folder", tmp_path / name))
