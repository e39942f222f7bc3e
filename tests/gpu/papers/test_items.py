from __future__ import annotations

import ast
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from gpu import catalog
from gpu.core.errors import InstanceError
from gpu.papers.items import (
    ALL,
    MEASURES,
    RATIOS,
    Item,
    Trial,
    find_item,
    items,
    limited_seconds,
    read_item,
    readiness,
)
from gpu.papers.paper_comparison import ABOVE, WITHIN, beside, not_run, shortfall
from gpu.problems.loading import load_instance
from gpu.studies.design import Design, DesignError
from gpu.studies.plan import _ANY
from gpu.studies.results.analysis import analyse
from gpu.studies.store import (
    Store,
    read_ended,
    read_records,
    read_results,
)
from gpu.studies.store_tables import STORE_VERSION
from gpu.studies.study import Study
from tests.golden import Golden
from tests.gpu.studies.conftest import toys
from tests.gpu.studies.toy_studies import Inline, planned, studied
from tests.study_results import item_of, run, study

__all__ = ["toys"]

ITEMS = items()

TOML = """
instances = ["ring", "grid"]
seeds = { first = 1, count = 4 }
[budget]
iterations = 100
[[colony]]
label = "one"
colony = "acs-seq"
[[colony]]
label = "two"
colony = "acs-gpu"
device = "cuda"
[paper]
item = "Table 1"
baseline = "one"
[[paper.numbers]]
configuration = "two"
measure = "mean-gap"
values = { ring = 5.0, grid = 3 }
marks = { ring = "+" }
[[paper.numbers]]
configuration = "two"
measure = "speedup"
against = "one"
values = { ring = 2 }
[[paper.numbers]]
configuration = "two"
measure = "greatest-speedup"
against = "one"
values = { "all instances" = 9 }
[[paper.numbers]]
configuration = "two"
measure = "construction-ms"
values = { ring = 1.5 }
"""


def test_the_items_are_those_of_the_papers() -> None:
    names = {one.name for one in ITEMS}
    wanted = {f"2016/table-{number}" for number in range(3, 11)}
    wanted |= {"2016/table-3-construction", "2016/table-9-solutions"}
    wanted |= {f"2016/figure-{number}" for number in range(6, 11)}
    wanted |= {f"2020/table-{number}" for number in (1, *range(3, 11))}
    wanted |= {f"2020/figure-{number}" for number in range(6, 12)}
    wanted |= {f"2013/{name}" for name in ("table-3", "table-4")}
    wanted |= {f"2013/figure-{number}" for number in range(6, 10)}
    wanted |= {"2017/figure-1", "2017/text", "2017/kernels", "2020/trials"}
    wanted |= {"murooka/table-1", "murooka/trials"}
    assert names == wanted
    assert find_item("2016/table-5").item == "Table 5"


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
def test_an_item_names_what_exists(item: Item) -> None:
    told = item.authors, item.year, item.title, item.shows, item.gpu, item.cpu, item.differs
    assert all(told)
    assert item.numbers or item.claims or item.lists
    for one in item.design.colonies:
        for values in one.combinations:
            system = catalog.find(one.colony, _ANY[one.device])
            system.parameters.from_mapping(values)
        assert set(one.instances) <= set(item.design.instances)
    assert set(item.design.budgets) <= set(item.design.instances)
    for numbers in item.numbers:
        assert set(numbers.marks) <= set(numbers.values)
        assert set(numbers.values) <= {*item.design.instances, ALL}
    assert Design.from_toml(item.design.to_toml()) == item.design


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
def test_runs_of_one_core_whose_times_are_compared_are_alone(item: Item) -> None:
    """Runs beside them would make them longer, and speedups over them greater."""
    timed = {one.against for one in item.numbers if one.measure in RATIOS}
    timed |= {one.configuration for one in item.numbers if one.measure in ("seconds", "tours-ms")}
    for one in item.design.colonies:
        if one.device == "cpu:1" and timed & {one.label_of(some) for some in one.combinations}:
            assert one.alone


def test_parameters_fit_the_instances_of_the_papers(tsplib: Path) -> None:
    names = ("d198", "a280", "pcb442", "pr1002", "pr2392")
    loaded = {name: load_instance(tsplib / f"{name}.tsp") for name in names}
    for item in ITEMS:
        for one in item.design.colonies:
            for name in set(one.instances or item.design.instances) & set(loaded):
                for values in one.combinations:
                    system = catalog.find(one.colony, _ANY[one.device])
                    system.parameters.from_mapping(values).check(loaded[name])


def test_only_what_is_at_hand_is_run() -> None:
    def find(name: str) -> Path:
        if name == "grid":
            raise InstanceError("it is not here")
        return Path(name)

    item = item_of(TOML)
    here = readiness(item, find, cuda=False)
    assert not here.whole
    assert here.design.instances == ("ring",)
    assert [one.label for one in here.design.colonies] == ["one"]
    assert here.instances == {"grid": "it is not here"}
    assert here.colonies == {"two": "it needs a GPU (acs-gpu)"}
    assert readiness(item, Path, cuda=True).whole
    only_gpu = item_of(TOML.replace('"acs-seq"', '"acs-gpu"\ndevice = "cuda"'))
    assert readiness(only_gpu, Path, cuda=False).design is None


def test_a_trial_is_shorter() -> None:
    design = item_of(TOML).design
    assert design is not None
    short = Trial(runs=2, iterations=7, seconds=3, instances=("grid",)).of(design)
    assert (len(short.seeds), short.instances) == (2, ("grid",))
    assert (short.budget.iterations, short.budget.seconds) == (7, 3)
    assert Trial(iterations=1000).of(design).budget.iterations == 100
    assert Trial().of(design) == design
    assert Trial().suffix == ""
    assert Trial(2, 7, 0.5, ("grid",)).suffix == "trial-r2-i7-s0.5-grid"
    for wrong in (
        Trial(runs=5),
        Trial(runs=0),
        Trial(iterations=0),
        Trial(seconds=-1.0),
        Trial(instances=("nowhere",)),
    ):
        with pytest.raises(DesignError):
            wrong.of(design)
    limits = "ring = { seconds = 2 }\ngrid = { seconds = 3.5 }"
    limited = item_of(TOML.replace("[[colony]]", f"[budgets]\n{limits}\n[[colony]]", 1)).design
    assert limited_seconds(limited) == pytest.approx(len(limited.seeds) * 2 * 5.5)
    nine = find_item("2016/table-9").design  # its limits are measured
    assert limited_seconds(nine) is None
    assert limited_seconds(design) is None


def test_numbers_stand_beside_the_papers() -> None:
    rows = [run("ring", "one", seed, 110, seconds=4.0 + seed / 9) for seed in (1, 2, 3, 4)]
    rows += [
        run(
            "ring",
            "two",
            seed,
            103 + seed,
            seconds=1 + seed / 50,
            phases={"construction": 1.0 + seed},
        )
        for seed in (1, 2, 3, 4)
    ]
    item = item_of(TOML)
    analysis = analyse(study(rows, budget={"iterations": 100}), "one")
    gap, grid, speedup, greatest, construction = beside(item, analysis)
    assert (gap.ours, gap.verdict, gap.paper_mark, gap.our_mark) == (5.5, WITHIN, "+", "+")
    assert (grid.ours, grid.runs, grid.verdict) == (None, 0, "")
    assert speedup.ours == greatest.ours == pytest.approx(4.07, abs=0.02)
    assert (greatest.paper, greatest.verdict) == (9.0, ABOVE)
    assert construction.ours == 3.5
    assert not_run(item, analysis) == (("grid", "one"), ("grid", "two"))
    assert shortfall(item, analysis) == ""
    fewer = analyse(study(rows[:3], budget={"iterations": 9}))
    assert shortfall(item, fewer) == (
        "3 instead of 4 runs of each configuration on each instance and other limits than the "
        "paper's runs"
    )
    unknown = analyse(study([run("ring", "two", 1, 103, optimum=None)]))
    assert beside(item, unknown)[0].ours is None  # the best of a study is no reference


def test_runs_that_were_cut_short_are_not_compared() -> None:
    item = item_of(TOML.replace('baseline = "one"', 'lists = ["mean-gap", "local-hits"]'))
    hits = {"local_hits": 3, "local_total": 4}
    rows = [
        run("ring", label, seed, 104 + seed, iterations=40, counts=hits)
        for seed in (1, 2)
        for label in ("one", "two")
    ]
    found = beside(item, analyse(study(rows, budget={"iterations": 100, "seconds": 9.0})))
    gap, speed = (one for one in found if one.instance == "ring" and one.paper in (5.0, 2.0))
    assert (gap.cut, gap.verdict) == ("40 of 100 iterations", "")
    assert speed.cut == ""  # the time for a tour is what it is
    listed = [one for one in found if one.paper is None]
    assert [(one.measure, one.configuration, one.ours) for one in listed] == [
        ("mean-gap", "one", 5.5),
        ("local-hits", "one", 75.0),
        ("local-hits", "two", 75.0),
    ]
    assert item.design is not None
    trial = Trial.told_by(item.design, study(rows, budget={"iterations": 100, "seconds": 9.0}))
    assert trial.options == ("--runs 2", "--seconds 9", "--only ring")
    waiting = replace(rows[0], instance="grid", state="waiting")
    under_way = study([*rows, waiting], budget={"iterations": 100, "seconds": 9.0})
    assert Trial.told_by(item.design, under_way) == trial


def test_what_a_colony_can_tell_of_an_iteration() -> None:
    text = TOML.replace('measure = "construction-ms"', 'measure = "occupancy"')
    text = text.replace('baseline = "one"', 'lists = ["choice-gflops", "choice-gbs"]')
    gauges = {"construction_warps": 16, "most_warps": 64, "choice_operations": 2 * 10**6}
    rows = [
        run(
            "ring",
            "two",
            1,
            104,
            counts=gauges | {"choice_bytes": 10**7},
            phases={"choice info": 0.5},
        )
    ]
    found = {one.measure: one.ours for one in beside(item_of(text), analyse(study(rows)))}
    assert found["occupancy"] == 25.0
    assert (found["choice-gflops"], found["choice-gbs"]) == (4.0, 20.0)


def test_mistakes_in_an_item_are_named(tmp_path: Path, golden: Golden) -> None:
    path = tmp_path / "a-b.toml"

    def told(line: str) -> str:
        before, after = ast.literal_eval(line)
        assert before in TOML
        path.write_text(TOML.replace(before, after, 1))
        with pytest.raises(DesignError, match=f"^{path}: ") as refused:
            read_item(path)
        return str(refused.value).removeprefix(f"{path}: ")

    golden.table("refused-items", told)


def test_budgets_and_colonies_of_single_instances(toys: Path) -> None:
    text = """
instances = ["five.tsp", "three.tsp"]
seeds = [1]
measure = "phases"
[budget]
iterations = 4
go_on = true
[budgets]
three = { iterations = 2, go_on = true }
[[colony]]
colony = "toy"
[[colony]]
label = "few"
colony = "toy"
instances = ["five"]
parameters = { ants = 2 }
"""
    plan = planned(toys, text)
    assert [
        (one.instance.name, one.configuration.label, one.budget.iterations) for one in plan.cases
    ] == [("five", "toy", 4), ("five", "few", 4), ("three", "toy", 2)]
    rows = studied(toys, text)
    assert read_results(toys / "a.sqlite").budget == plan.design.limits
    for row in rows:
        assert row.error == ""
        assert row.phases.keys() == {"construction", "update"}
        assert row.seconds * 1000 == pytest.approx(
            (2 if row.instance == "three" else 4) * sum(row.phases.values())
        )
    with pytest.raises(DesignError, match="the study has none of this name; it has five, three"):
        planned(toys, text.replace('["five"]', '["fife"]'))
    for mistake in ("seconds = 1", "target_gap = 1"):
        with pytest.raises(DesignError, match="needs iterations"):
            Design.from_toml(text.replace("iterations = 4", mistake))
    with pytest.raises(DesignError, match="must be"):
        Design.from_toml(text.replace('"phases"', '"phase"'))


def without_units(old: sqlite3.Connection, version: int) -> None:
    """Make the tables those of an earlier version."""
    for column in ("unit", "decimals", "read_as"):
        old.execute(f"ALTER TABLE instances DROP COLUMN {column}")
    old.execute(f"PRAGMA user_version = {version}")


def test_a_file_of_the_first_version_is_read_and_goes_on(toys: Path) -> None:
    path = toys / "old.sqlite"
    studied(toys, name="old")
    with closing(sqlite3.connect(path)) as old:
        old.executescript("DROP TABLE phases; DROP TABLE counts")
        without_units(old, version=1)
    before = read_results(path)
    assert len(before.rows) == 12
    assert not any(row.phases or row.unit for row in before.rows)
    with Store(path) as store:
        assert store.waiting() == []
    with closing(sqlite3.connect(path)) as new:
        assert new.execute("PRAGMA user_version").fetchone() == (STORE_VERSION,)
        assert new.execute("SELECT DISTINCT unit, decimals FROM instances").fetchall() == [("", 0)]
        for table in ("phases", "counts"):
            assert new.execute(f"SELECT * FROM {table}").fetchall() == []


def test_runs_of_an_earlier_version_whose_best_no_ant_had_built_wait_again(toys: Path) -> None:
    path = toys / "old.sqlite"
    studied(toys, name="old")
    with closing(sqlite3.connect(path)) as old:
        without_units(old, version=3)
        keys = [key for (key,) in old.execute("SELECT key FROM runs ORDER BY id")]
        # what the run began with, no whole iteration, and a tour that was given
        old.execute("UPDATE runs SET best_iteration = 0 WHERE id = 1")
        old.execute("UPDATE runs SET best_iteration = 0, iterations = 0 WHERE id = 2")
        old.execute("UPDATE runs SET best_iteration = 0, start_sha256 = 'a' WHERE id = 3")
        old.commit()
    assert read_ended(path) == set(keys[2:])
    cases = {case.key: case for case in planned(toys).cases}
    assert {one.key for one in read_records(path, cases)} == set(keys[2:])
    assert [row.state for row in read_results(path).rows] == ["waiting"] * 2 + ["done"] * 10
    with Store(path) as store:
        assert store.waiting() == keys[:2]
        study = Study(planned(toys), store, Inline())
        study.run()
        assert study.progress.complete
    assert [row.state for row in read_results(path).rows] == ["done"] * 12


def test_the_guide_is_true() -> None:
    guide = (Path(__file__).resolve().parents[3] / "docs/guide/reproduce.md").read_text("utf-8")
    text, claim = re.findall(r"```toml\n(.*?)```", guide, re.DOTALL)
    item = item_of(f"{text}{claim}")
    assert item.numbers[0].values == {"ring-200": 0.5}
    assert item.claims[0].on == ("ring-200",)
    for measure in MEASURES:
        assert f"`{measure}`" in guide
    for name in re.findall(r"formicarium reproduce (\d+/\S+)", guide):
        assert find_item(name).design is not None


def test_the_hours_on_an_h100_are_foreseen_from_the_runs_that_are_kept(
    measurements: Callable[[str], ModuleType],
) -> None:
    paper_hours = measurements("paper_hours")
    for item in ITEMS:
        assert item.h100_hours == paper_hours.hours(item), item.name
