"""Solving from the command line, from a given tour on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gpu.cpu.first_tours import nearest_neighbour_tour
from gpu.problems.bundled import bundled
from gpu.problems.tsp.tsplib import load
from gpu.run.log.run_log import read_log
from tests.app.conftest import Command
from tests.processes import refused

NAME = "uniform-1000"


@pytest.fixture
def start(tmp_path: Path) -> Path:
    """The nearest-neighbour tour, from its middle on."""
    instance = load(next(one.path for one in bundled() if one.name == NAME))
    path = tmp_path / "start.tour"
    instance.write(path, np.roll(nearest_neighbour_tour(instance), 500))
    return path


def test_a_run_begins_with_a_given_tour_and_betters_it(
    inside: Command, start: Path, tmp_path: Path
) -> None:
    instance = load(next(one.path for one in bundled() if one.name == NAME))
    usual = instance.tour_length(nearest_neighbour_tour(instance))
    options = ("--start", start, "--colony", "focused", "--device", "cpu:1", "--seed", 2)
    out = tmp_path / "out"
    done = inside("solve", NAME, *options, "--iterations", 3, "--json", "--out", out)
    assert done.returncode == 0, done.stderr
    log = read_log(next(out.glob("*.jsonl")))
    assert log.records[0]["best"] == usual
    assert log.session.start.path == str(start)
    found = json.loads(done.stdout)
    assert found["best_length"] < usual
    other = json.loads(inside("solve", NAME, *options[2:], "--iterations", 3, "--json").stdout)
    assert other["tour"] != found["tour"]
    better = next(out.glob("*.tour"))
    more = json.loads(
        inside("solve", NAME, "--start", better, *options[2:], "--iterations", 1, "--json").stdout
    )
    assert more["best_length"] <= found["best_length"]
    again = inside("replay", log.path)
    assert again.returncode == 0, again.stderr
    start.write_text(start.read_text().replace("COMMENT", "NAME"))
    start.write_text(start.read_text() + "\n")
    assert (
        "the file has changed since the session was recorded" in inside("replay", log.path).stderr
    )


@pytest.mark.parametrize(
    ("colony", "change", "said"),
    [
        ("focused-seq", ("\n7\n", "\n8\n"), "its tour visits city 8 more than once"),
        ("focused-seq", ("\n7\n", "\n"), f"its tour has 999 cities; {NAME} has 1000"),
        ("focused-seq", ("\n7\n", "\n7000\n"), f"{NAME} has no city 7000"),
        ("focused-seq", ("DIMENSION: 1000", "DIMENSION: 9"), "it is a tour of 9 cities"),
        ("focused-seq", ("TOUR_SECTION", "SECTION"), "is no line of a TSPLIB file"),
        ("acs-seq", ("", ""), "acs-seq cannot begin with a given tour: choose focused"),
    ],
)
def test_what_is_no_tour_to_begin_with(
    inside: Command, start: Path, colony: str, change: tuple[str, str], said: str
) -> None:
    text = start.read_text()
    assert change[0] in text
    start.write_text(text.replace(*change))
    options = ("--colony", colony, "--device", "cpu:1", "--iterations", 1)
    assert said in refused(inside("solve", NAME, "--start", start, *options))


def test_without_a_colony_one_is_chosen_that_can_begin_with_a_tour(
    inside: Command, tmp_path: Path
) -> None:
    """A small instance would get another one, which cannot."""
    small = "uniform-100"
    options = ("--device", "cpu:1", "--seed", 1, "--iterations", 1, "--json")
    first = inside("solve", small, *options, "--colony", "acs-seq", "--out", tmp_path)
    start = next(tmp_path.glob("*.tour"))
    done = inside("solve", small, "--start", start, *options)
    assert done.returncode == 0, done.stderr
    assert "crossing-seq: on most instances" in done.stderr
    found = json.loads(done.stdout)
    assert found["best_length"] <= json.loads(first.stdout)["best_length"]


def test_a_tour_that_is_not_there_and_one_for_a_graph(inside: Command, start: Path) -> None:
    options = ("--colony", "focused-seq", "--device", "cpu:1", "--iterations", 1)
    assert "cannot be read" in refused(inside("solve", NAME, "--start", "none.tour", *options))
    graph = next(one.name for one in bundled() if one.path.suffix == ".col")
    assert "cannot begin with a given coloring" in refused(
        inside("solve", graph, "--start", start, "--device", "cpu:1")
    )
