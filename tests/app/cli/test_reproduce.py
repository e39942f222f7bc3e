"""The command that reproduces tables and figures of papers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu.study.reading import read_results
from tests.app.conftest import Command
from tests.gpu.study.studies import FIVE, write_tsp
from tests.processes import refused

TOML = """
title = "Tiny"
instances = ["five", "nowhere"]
seeds = { first = 1, count = 3 }
[budget]
iterations = 4
go_on = true
[[colony]]
label = "CPU"
colony = "acs-seq"
[[colony]]
label = "GPU"
colony = "acs-gpu-alt"
device = "cuda"
[paper]
authors = "A. Author"
year = 1999
title = "A paper"
item = "Table 1"
shows = "How long five cities take"
gpu = "A GPU of 1999"
cpu = "A processor of 1999"
differs = ["Everything <b>here</b>."]
[[paper.numbers]]
configuration = "CPU"
measure = "seconds"
values = { five = 1, nowhere = 2 }
[[paper.numbers]]
configuration = "CPU"
measure = "tours-ms"
values = { five = 3.25 }
"""


@pytest.fixture
def item(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "kept").mkdir()
    write_tsp(tmp_path / "kept" / "five.tsp", FIVE)
    file = tmp_path / "tiny-table-1.toml"
    file.write_text(TOML)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gpu.core.machine.devices.survey", _no_gpu)
    return file


def _no_gpu() -> object:
    from gpu.core.machine.devices import Survey

    return Survey((), "there is none")


def test_the_list(inside: Command, item: Path) -> None:
    listed = inside("reproduce")
    assert listed.returncode == 0, listed.stderr
    assert "2016/table-5" in listed.stdout
    assert "formicarium download d198" in " ".join(listed.stdout.split())
    rows = {row["name"]: row for row in json.loads(inside("reproduce", "--json").stdout)}
    assert rows["2016/table-5"]["runs"] == "no"
    assert rows["2016/table-5"]["why"].startswith("needs a GPU: acs-gpu-alt; to fetch: formicarium")
    assert rows["2016/table-9"]["seconds_at_most"] == pytest.approx(17170.2)


def test_from_an_item_to_its_page(item: Path, inside: Command) -> None:
    made = inside("reproduce", item, "--instances", "kept", "--runs", 2, "--processes", 1)
    assert made.returncode == 0, made.stderr
    assert "left out: nowhere: it is not here" in made.stderr
    assert "left out: GPU: it needs a GPU (acs-gpu-alt)" in made.stderr
    results = item.with_name("tiny-table-1-trial-r2.sqlite")
    assert [row.seed for row in read_results(results).rows] == [1, 2]
    page = results.with_suffix(".html").read_text("utf-8")
    for text in (
        "This is a trial.",
        "2 instead of 3 runs",
        "Table 1 of A. Author, A paper (1999): How long five cities take.",
        "A processor of 1999",
        "Everything &lt;b&gt;here&lt;/b&gt;.",
        "3.25",
        "What was not run",
        "it needs a GPU (acs-gpu-alt)",
        "put its file into a folder",
    ):
        assert text in page
    whole = inside("reproduce", item, "--instances", "kept", "--processes", 1, "--json")
    assert json.loads(whole.stdout)["done"] == 3
    again = item.with_name("tiny-table-1.html")
    assert "This is a trial" not in again.read_text("utf-8")
    again.unlink()
    assert inside("reproduce", item, "--page").returncode == 0
    assert again.exists()


def test_what_cannot_be_reproduced_is_refused(item: Path, inside: Command) -> None:
    for arguments, said in (
        (["2016/table-1"], "formicarium reproduce lists them"),
        (["2016/table-5"], "nothing of it can be run here: needs a GPU: acs-gpu-alt"),
        ([item, "--instances", "kept", "--runs", "4"], "has 3 runs of each configuration"),
        ([item, "--plan", "--page"], "choose one of them"),
        ([item, "--page"], "tiny-table-1.sqlite: "),
        (["--plan"], "--plan is for one table or figure: name it (formicarium reproduce lists"),
        (["--runs", "0", "--page"], "--runs is for one table or figure: name it"),
        (["--outcomes", "pages", "--seconds", "1"], "--seconds does not go with --outcomes"),
        (["none.toml"], "none.toml: "),
        ([item, "--instances", "nowhere"], "does not exist"),
    ):
        assert said in refused(inside("reproduce", *arguments))
