"""The measurements of docs/measurements: how other programs are run, and tables of colorings."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from gpu.core.errors import DeviceError, SolutionError
from gpu.problems.coloring.dsatur import dsatur_coloring
from gpu.problems.coloring.instance import GraphInstance
from gpu.problems.loading import load_instance

Measurements = Callable[[str], ModuleType]

QUEENS = Path(__file__).parents[1] / "resources" / "instances" / "queens-49.col"

STAND_IN = """#!{python}
# Stands in for HEAD: 49 queens need 7 colors; a vertex without one of these has its own.
import sys
words = sys.argv[1:]
file, colors = words[-2], int(words[-1])
seed = int(words[words.index("-d") + 1]) if "-d" in words else 0
wrong = {wrong}
conflicts = 0 if colors >= 7 and seed % 2 == 0 else 3
if "-g" not in words:
    found = [(2 * (v // 7) + v % 7) % 7 for v in range(49)]
    found[: colors - 7] = range(7, colors)
    if wrong:
        found = [0] * 49
    with open(words[words.index("-o") + 1], "a") as out:
        print("# Finish with", conflicts, "edge(s) in conflict", file=out)
        print("#Thu Jan  1", file=out)
        print("#NbLS : 1", file=out)
        print(*found, file=out)
print("nb conflicted edges:", conflicts)
"""


@pytest.fixture
def queens() -> GraphInstance:
    found = load_instance(QUEENS)
    assert isinstance(found, GraphInstance)
    return found


def plan_of(runs: ModuleType, **values: Any) -> Any:
    """An experiment of a run that ends long before its time."""
    chosen = {"cases": [], "seeds": (1, 1), "seconds": 600.0, **values}
    return runs.Experiment(lambda *_: iter(()), names=[], file="", minutes=1, **chosen)


def head_at(folder: Path, *, wrong: bool = False) -> Path:
    path = folder / "head"
    path.write_text(STAND_IN.format(python=sys.executable, wrong=wrong), "utf-8")
    path.chmod(0o755)
    return path


def colors_of(found: Iterable[tuple[int, list[tuple[float, int, int]]]]) -> list[tuple[int, int]]:
    """The runs of a program until its colorings, and their colors."""
    ((_, curve),) = found
    assert [when for when, _, _ in curve] == sorted(when for when, _, _ in curve)
    return [(runs, colors) for _, runs, colors in curve]


posix = pytest.mark.skipif(sys.platform == "win32", reason="a script stands in for the program")


@posix
def test_head_goes_down_color_by_color_and_begins_anew(
    measurements: Measurements, queens: GraphInstance, tmp_path: Path
) -> None:
    rivals, runs = measurements("rivals"), measurements("runs")
    plan = plan_of(runs, programs={"head": head_at(tmp_path)})
    greedy = int(dsatur_coloring(queens).max()) + 1
    assert greedy > 8
    found = colors_of(rivals.head(queens, runs.of(runs.HEAD), plan))
    # Its runs with odd seeds find nothing; each coloring has one color fewer than the one before.
    assert found == [(2 * (greedy - colors), colors) for colors in range(greedy, 6, -1)]


@posix
def test_head_that_is_told_a_number_searches_for_that_alone(
    measurements: Measurements, queens: GraphInstance, tmp_path: Path
) -> None:
    rivals, runs = measurements("rivals"), measurements("runs")
    case, plan = runs.of(runs.TOLD_HEAD), plan_of(runs, programs={"head": head_at(tmp_path)})
    assert colors_of(rivals.head(queens, case, plan)) == [(2, 7)]
    plan = dataclasses.replace(plan, told={queens.name: 8})
    assert colors_of(rivals.head(queens, case, plan)) == [(2, 8)]


@posix
def test_a_wrong_coloring_of_head_is_no_coloring(
    measurements: Measurements, queens: GraphInstance, tmp_path: Path
) -> None:
    rivals, runs = measurements("rivals"), measurements("runs")
    plan = plan_of(runs, programs={"head": head_at(tmp_path, wrong=True)})
    with pytest.raises(SolutionError, match="the same color"):
        colors_of(rivals.head(queens, runs.of(runs.HEAD), plan))


def test_a_program_that_is_not_there_is_named(
    measurements: Measurements, queens: GraphInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    methods, runs = measurements("methods"), measurements("runs")
    monkeypatch.setitem(sys.modules, "gcol", None)
    cases = [runs.of(runs.HEAD), runs.of(runs.GCOL)]
    rows = methods.colors_against_time(queens, plan_of(runs, cases=cases))
    assert [row["refused"] for row in rows] == [
        "nothing says where the program HEAD is: give --head",
        "gcol is not installed: pip install gcol",
    ]


SAYS = """#!{python}
# Stands in for LKH: it says how long its tours are, and goes on when it has the best one.
import sys, time
text = open(sys.argv[-1]).read() if sys.argv[-1] == "parameters" else ""
print("Preprocessing time = 7.45 sec.", text.count("MAX_TRIALS"))
for trial, cost in enumerate({costs}, 1):
    print(f"* {{trial}}: Cost = {{cost}}, Time = 0.24 sec.")
{after}
"""


def anytime_at(folder: Path, costs: list[int], after: str = "") -> Path:
    path = folder / "lkh"
    path.write_text(SAYS.format(python=sys.executable, costs=costs, after=after), "utf-8")
    path.chmod(0o755)
    return path


@posix
def test_an_anytime_program_has_one_run_and_counts_what_is_shorter(
    measurements: Measurements, tmp_path: Path
) -> None:
    rivals, runs = measurements("rivals"), measurements("runs")
    ring = load_instance(QUEENS.with_name("ring-50.tsp"))
    case = runs.of(runs.LKH)
    plan = plan_of(runs, programs={"lkh": anytime_at(tmp_path, [90, 80, 85, 70])}, seeds=(3, 5))
    plan = dataclasses.replace(plan, anytime=600.0)
    ((seed, curve),) = rivals.lkh(ring, case, plan)
    assert (seed, [cost for _, _, cost in curve]) == (3, [90, 80, 70])
    # One that goes on is ended when its time is over.
    plan = dataclasses.replace(
        plan, programs={"lkh": anytime_at(tmp_path, [], "time.sleep(600)")}, anytime=0.1
    )
    assert [*rivals.lkh(ring, case, plan)] == [(3, [])]
    plan = dataclasses.replace(plan, programs={"lkh": anytime_at(tmp_path, [], "sys.exit(2)")})
    with pytest.raises(DeviceError, match="lkh failed: it ended with 2"):
        [*rivals.lkh(ring, case, dataclasses.replace(plan, anytime=600.0))]


def test_what_programs_are_given_is_the_same_instance(
    measurements: Measurements, tmp_path: Path
) -> None:
    rivals = measurements("rivals")
    ring = load_instance(QUEENS.with_name("ring-50.tsp"))
    rivals.write_cities(tmp_path / "cities.tsp", ring)
    assert load_instance(tmp_path / "cities.tsp").digest() == ring.digest()


def test_where_ours_stands_beside_a_program(measurements: Measurements) -> None:
    gaps, runs = measurements("gaps"), measurements("runs")

    def row(instance: str, system: str, gap: float, **more: int) -> dict[str, Any]:
        curve = [(5.0, 1, gap)]
        return {"instance": instance, "n": 9, "system": system, "curve": curve, **more}

    rows = [
        *(row("a", "ours", 0.1), row("a", runs.LKH, 0.2, threads=1)),
        *(row("b", "ours", 0.3), row("b", runs.LKH, 0.2, threads=1)),
        *(row("c", "ours", 0.0), row("c", runs.LKH, 0.0, threads=1)),
    ]
    assert gaps.standing(rows, lambda _: "ours", (1.0, 5.0)).splitlines()[2:] == [
        "| LKH, 1 thread | 1 s | 0 | 0 | none |",
        "| LKH, 1 thread | 5 s | 1 | 1 | b |",
    ]


def gcol_like(graph: Any, opt_alg: int, it_limit: int, verbose: int) -> dict[int, int]:
    """Take one color after the other away, as gcol does, and say what it says."""
    colors = {vertex: vertex for vertex in graph}
    done, best = 0, len(graph)
    print("Running local search algorithm:")
    print("    Found solution with", best, "colors. Total local search iterations =", done)
    while best > 7 and done < it_limit:
        best, done = best - 1, done + 1
        assert min(16, it_limit - done) == 16
        colors = {v: (2 * (v // 7) + v % 7) % 7 for v in graph}
        colors |= {v: 7 + v for v in range(best - 7)}
        print("    Found solution with", best, "colors. Total local search iterations =", done)
    return colors


def test_gcol_is_followed_by_what_it_says_and_ends_at_the_goal(
    measurements: Measurements, queens: GraphInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    rivals, runs = measurements("rivals"), measurements("runs")
    monkeypatch.setitem(sys.modules, "gcol", SimpleNamespace(node_coloring=gcol_like))
    plan = plan_of(runs, goals={queens.name: 40})
    found = colors_of(rivals.gcol(queens, runs.of(runs.GCOL), plan))
    assert [colors for _, colors in found] == list(range(49, 39, -1))
    # When its time is up, it ends; what it finds too late does not count.
    assert colors_of(rivals.gcol(queens, runs.of(runs.GCOL), plan_of(runs, seconds=0.0))) == []


def test_a_run_of_ours_ends_at_the_goal(measurements: Measurements, queens: GraphInstance) -> None:
    methods, runs = measurements("methods"), measurements("runs")
    plan = plan_of(runs, cases=[runs.of("gpx-seq")], device="cpu:1", goals={queens.name: 9})
    (row,) = methods.colors_against_time(queens, plan)
    seconds, iterations, colors = zip(*row["curve"], strict=True)
    assert colors[0] == dsatur_coloring(queens).max() + 1
    assert colors[-1] <= 9 < colors[-2]
    assert 0 < seconds[0] <= seconds[-1]
    assert iterations[0] == 0


def rows_of(system: str, *curves: list[tuple[float, int, float]], limit: float = 20.0) -> Any:
    label = {"experiment": "colorings", "instance": "DSJR500.5", "n": 500, "system": system}
    each = enumerate(curves, 1)
    return [{**label, "seed": seed, "limit": limit, "curve": curve} for seed, curve in each]


def test_the_page_shows_colors_at_each_mark_and_who_has_fewer(measurements: Measurements) -> None:
    page = measurements("page_colorings")
    rows = [
        *rows_of(page.OURS, [(0.1, 0, 132), (0.5, 1, 122)], [(0.2, 0, 132), (6.0, 9, 124)]),
        *rows_of(page.HEAD, [(0.0, 0, 132), (3.0, 2, 124)], [(0.0, 0, 132), (4.0, 2, 122)]),
        *rows_of(page.GCOL, [(2.0, 0, 132)], limit=10.0),
    ]
    assert page.by_time(rows).splitlines()[2:] == [
        "| DSJR500.5 | 500 | 122 | gpx-cores, two cores | 2 "
        "| 127.0 (132) | 127.0 (132) | 123.0 (124) | 123.0 (124) |",
        "|  |  |  | HEAD, one core | 2 | 132 | 123.0 (124) | 123.0 (124) | 123.0 (124) |",
        "|  |  |  | gcol, one core | 1 | - | 132 | 132 |  |",
    ]
    assert page.standing(rows).splitlines()[2:] == [
        "| HEAD | 1 s | 1 | 1 | 0 | none |",
        "| HEAD | 5 s | 1 | 0 | 0 | DSJR500.5 |",
        "| HEAD | 10 s | 1 | 0 | 1 | none |",
        "| HEAD | 20 s | 1 | 0 | 1 | none |",
        "| gcol | 1 s | 1 | 1 | 0 | none |",
        "| gcol | 5 s | 1 | 1 | 0 | none |",
        "| gcol | 10 s | 1 | 1 | 0 | none |",
    ]
    # Who has no coloring yet has more colors than who has one.
    late = [*rows_of(page.OURS, [(2.0, 0, 132)]), *rows_of(page.HEAD, [(0.0, 0, 132)])]
    assert "| HEAD | 1 s | 1 | 0 | 0 | DSJR500.5 |" in page.standing(late).splitlines()
    none = [*rows_of(page.OURS, [(2.0, 0, 132)]), *rows_of(page.GCOL, [(2.0, 0, 132)])]
    assert "| gcol | 1 s | 1 | 0 | 1 | none |" in page.standing(none).splitlines()
    aims = page.aims(rows).splitlines()
    assert "| DSJR500.5 | 122 in 5 s | 1 of 2 | 0.5 (0.5) | 123.0 (124) |" in aims
    told = [*rows[:2], *rows_of(page.TOLD_HEAD, [(5.0, 1, 122)], [], limit=10.0)]
    assert page.told(told).splitlines()[2:] == [
        "| DSJR500.5 | 122 | 10 s | 1 of 2 | 5 | 1 of 2 | 0.5 |"
    ]


PAGES = Path(__file__).parents[1] / "docs"


def test_pages_are_what_templates_and_rows_make(measurements: Measurements) -> None:
    report = measurements("report")
    differ = [
        name
        for name in report.PAGES
        if report.text_of(name) != (PAGES / f"{name}.md").read_text("utf-8")
    ]
    assert not differ, "edit docs/measurements/pages/, then run docs/measurements/report.py"


def test_every_graph_has_a_fewest_number(measurements: Measurements) -> None:
    instances, measure = measurements("instances"), measurements("measure")
    for name in measurements("page_colorings").COLORINGS:
        plan = measure.EXPERIMENTS[name]
        graphs = {measure.stem_of(Path(one)) for one in plan.names}
        assert graphs == {*plan.goals} == {*instances.TOLD_COLORS}
        assert {*instances.COLOR_AIMS, *plan.limits} <= graphs
    told = instances.TOLD_COLORS
    assert all(told[graph] >= fewest for graph, fewest in instances.FEWEST_COLORS.items())
