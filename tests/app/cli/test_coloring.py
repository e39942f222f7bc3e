"""Graph coloring, through the whole command line."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from app.files.library import find_instance
from gpu.core.errors import ParameterError, SolutionError
from gpu.core.snapshot import RunState, Snapshot, Wanted
from gpu.problems.bundled import bundled
from gpu.problems.coloring.dimacs import write_graph
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.loading import load_instance
from gpu.rlf.cpu.colony import RlfCpuColony
from gpu.run.log.run_log import read_log
from gpu.run.outcome import Ending
from gpu.run.run import Run
from gpu.run.session import Session, new_session
from gpu.run.stopping import StopSettings, criterion_met
from tests.app.conftest import Command
from tests.gpu.rlf.literal import random_graph
from tests.processes import colors_in, run

QUEENS = "queens-49"
FILE = next(one.path for one in bundled() if one.name == QUEENS)


@pytest.fixture
def graph() -> GraphInstance:
    found = load_instance(FILE)
    assert isinstance(found, GraphInstance)
    return found


def test_a_file_says_which_colony_and_the_result_is_a_proper_coloring(
    tmp_path: Path, inside: Command, graph: GraphInstance
) -> None:
    file = tmp_path / "mine.col"
    write_graph(file, graph)
    out = tmp_path / "out"
    done = run("solve", file, "--colony", "coloring", "--device", "cpu", "--iterations", 4,
               "--go-on", "--seed", 3, "--json", "--out", out)  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert (found["colony"], found["n"], found["optimum"]) == ("aco-rlf-cores", 49, 7)
    colors = np.array(found["colors"]) - 1
    assert graph.cost_of(colors) == found["best_colors"]
    assert found["gap_percent"] == graph.gap_percent(found["best_colors"])
    assert found["colorings_built"] == 4 * found["parameters"]["ants"] == 40
    assert not {"tour", "best_length", "tours_built"} & found.keys()

    start = out / "mine-aco-rlf-cores-3"
    assert {path.name for path in out.iterdir()} == {
        f"{start.name}{ending}" for ending in (".csv", ".frames", ".jsonl", ".sol")
    }
    assert colors_in(start.with_suffix(".sol")) == colors.tolist()
    assert f"s col {found['best_colors']}\n" in start.with_suffix(".sol").read_text()
    log = read_log(start.with_suffix(".jsonl"))
    assert log.header["instance"]["problem"] == "coloring"
    assert log.header["instance"]["edges"] == 476
    assert log.outcome["colors"] == found["colors"]
    with start.with_suffix(".csv").open(newline="") as rows:
        last = list(csv.DictReader(rows))[-1]
    assert (last["colorings"], last["best"]) == ("40", str(found["best_colors"]))
    assert float(last["choice_info_ms"]) > 0

    again = inside("replay", start.with_suffix(".jsonl"), "--json")
    assert again.returncode == 0
    assert json.loads(again.stdout.splitlines()[-1])["colors"] == found["colors"]
    amount = f"{found['best_colors']} colors after 4 iterations"
    assert f"the same coloring as recorded: {amount}" in again.stderr


def test_a_coloring_that_a_clique_proves_ends_the_command(tmp_path: Path) -> None:
    file = tmp_path / "five.col"
    write_graph(file, random_graph(5, 1))
    limits = ("--colony", "coloring", "--device", "cpu:1", "--iterations", 1000)
    done = run("solve", file, *limits)
    assert done.returncode == 0, done.stderr
    assert "finished: proved optimal: 5 colors, and a clique of 5 vertices\n" in done.stdout
    told = run("solve", file, *limits, "--target-colors", 5, "--json")
    found = json.loads(told.stdout.splitlines()[-1])
    assert (found["lower_bound"], found["proved"], found["best_colors"]) == (5, True, 5)
    assert found["lower_bound_by"] == "a clique of 5 vertices"
    assert found["reason"] == "the target of 5 colors is reached"


def test_a_bound_that_proves_nothing_is_said_beside_the_best(inside: Command) -> None:
    done = inside(
        "solve", QUEENS, "--colony", "coloring", "--device", "cpu:1", "--iterations", 1, "--go-on"
    )
    assert "no coloring has fewer than 7 colors (a clique of 7 vertices)" in done.stdout


def test_speedups_of_both_problems_in_one_go(inside: Command) -> None:
    done = inside(
        "speedup", QUEENS, "ring-50", "--repeats", 1, "--iterations", 2, "--budget", 1, "--json"
    )
    assert done.returncode == 0
    graph, tour = json.loads(done.stdout)["reports"]
    assert (graph["problem"], tour["problem"]) == ("coloring", "tsp")
    assert {one["system"] for one in graph["measurements"]} >= {"aco-rlf-seq", "aco-rlf-cores"}
    assert {one["search"] for one in graph["measurements"]} == {"coloring"}
    assert all(one["speedup_one_core"] for one in graph["measurements"])
    assert 7 <= graph["target_cost"] <= 49


def test_options_of_a_coloring_colony_are_compared(inside: Command) -> None:
    options = ("--device", "cpu:1", "--repeats", 1, "--ants", 2)
    done = inside("compare", "partite-100", *options)
    assert done.returncode == 0
    assert "partite-100, 100 vertices, aco-rlf-seq on cpu:1" in done.stdout
    for option in ("wheel", "trial", "hybrid", "class", "tour"):
        assert f" {option} " in done.stdout


def test_tables_name_both_problems(inside: Command) -> None:
    listed = {row["name"]: row for row in json.loads(inside("colonies", "--json").stdout)}
    assert listed["aco-rlf-seq"]["problem"] == "coloring"
    assert listed["acs-seq"]["problem"] == "tsp"
    colonies = inside("colonies").stdout
    assert "same colorings" in colonies
    assert "coloring: ACO-RLF. Ants build colorings, one class after the other." in colonies


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep settings elsewhere")
def test_pictures_and_films_have_the_colors_that_were_chosen_for_classes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, graph: GraphInstance
) -> None:
    kept = {graph.digest(): {"0": "#ff00ff", "1": "#00ff00"}}
    settings = tmp_path / "formicarium" / "window.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"view-classes": json.dumps(kept)}))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    picture, out = tmp_path / "graph.png", tmp_path / "out"
    options = ("--colony", "coloring", "--device", "cpu", "--iterations", 2, "--seed", 3)
    done = run("solve", FILE, *options, "--picture", picture, "--out", out)
    assert done.returncode == 0, done.stderr
    (log,) = out.glob("*.jsonl")
    films = tmp_path / "film"
    length = ("--seconds", 1, "--fps", 1, "--size", "640x480")
    done = run("film", log, "--out", films, *length, "--view", "graph", "--view", "classes")
    assert done.returncode == 0, done.stderr
    for drawn in (picture, *films.iterdir()):
        with Image.open(drawn) as image:
            seen = {colour for _, colour in image.convert("RGB").getcolors(1 << 24) or ()}
        assert {(255, 0, 255), (0, 255, 0)} <= seen


def test_a_session_keeps_its_problem(graph: GraphInstance) -> None:
    session = new_session(graph, aim="paper", device="cpu:1", seed=1)
    assert (session.colony, session.parameters.to_dict()["ants"]) == ("aco-rlf-seq", 10)
    assert Session.from_dict(json.loads(json.dumps(session.to_dict()))) == session
    with pytest.raises(ParameterError, match="acs-gpu finds tours"):
        new_session(graph, colony="acs", device="cpu")


def test_limits_speak_of_colors(graph: GraphInstance) -> None:
    state = RunState(30, 300, 8, 10, 8, 9.0)
    for limits, reason in (
        (StopSettings(target_length=8), "the target of 8 colors is reached"),
        (StopSettings(no_improvement=20), "no better coloring was found in 20 iterations"),
        (StopSettings(target_gap=15), "the target gap of 15 % is reached"),
        (StopSettings(target_length=7), ""),
    ):
        met = criterion_met(limits.criteria(graph), state)
        assert ("" if met is None else met.sentence(state)) == reason


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        (lambda colors: np.zeros_like(colors), "gives the neighbours 1 and 2 the same color"),
        (lambda colors: colors + (colors == 0) * 40, "skips a color"),
    ],
)
def test_a_coloring_that_is_none_is_never_shown(
    graph: GraphInstance, monkeypatch: pytest.MonkeyPatch, wrong: Callable[[Any], Any], what: str
) -> None:
    honest = RlfCpuColony.snapshot

    def dishonest(colony: RlfCpuColony, wanted: Wanted) -> Snapshot:
        shown = honest(colony, wanted)
        best = shown.best_solution
        return shown if best is None else replace(shown, best_solution=wrong(best))

    monkeypatch.setattr(RlfCpuColony, "snapshot", dishonest)
    run = Run(graph, new_session(graph, aim="paper", device="cpu:1", seed=1))
    run.build()
    while run.outcome is None:
        run.advance(1)
    run.close()
    assert run.outcome.ending is Ending.FINISHED
    assert run.state.iteration == 0  # each colony that took its place was wrong, too
    assert "made something else than a coloring" in run.outcome.reason
    assert what in run.outcome.reason
    shown = run.snapshot(Wanted.SOLUTION)
    assert (graph.cost_of(shown.best_solution), shown.best_iteration) == (shown.best_cost, 0)


def test_every_bundled_graph_is_found_by_name() -> None:
    for one in bundled():
        if one.problem.value == "coloring":
            assert find_instance(one.name).optimum == one.optimum


def test_colorings_are_written_as_dimacs_does(tmp_path: Path) -> None:
    graph = random_graph(6, 1)
    path = tmp_path / "six.sol"
    colors = np.array([3, 1, 2, 0, 5, 4], np.int32)
    graph.write(path, colors, "by hand\nand foot")
    assert path.read_text().startswith("c random-6\nc by hand\nc and foot\ns col 6\nl 1 4\nl 2 2\n")
    assert colors_in(path) == colors.tolist()
    with pytest.raises(SolutionError, match="the same color"):
        graph.write(path, np.zeros(6, np.int32))
