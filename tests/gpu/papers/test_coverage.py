from __future__ import annotations

from gpu.papers.coverage import Coverage, coverage, extents_of, in_all, unreached
from gpu.papers.items import items
from gpu.run.stopping import StopSettings
from gpu.studies.store import read_extents, read_results
from tests.study_results import failed, item_of, run, study

TOML = """
instances = ["ring", "grid"]
seeds = { first = 1, count = 3 }
[budget]
iterations = 100
[budgets]
grid = { seconds = 2.0 }
[[colony]]
label = "one"
colony = "acs-seq"
[[colony]]
label = "two"
colony = "acs-seq"
instances = ["ring"]
parameters = { beta = [2, 3] }
[paper]
item = "Table 1"
"""


def test_runs_are_done_cut_failed_or_missing() -> None:
    item = item_of(TOML)
    host = {"device": "cpu:1", "commit": "abc"}
    rows = [
        run("ring", "one", 1, host=host),
        run("ring", "one", 2, iterations=99),
        failed("ring", "one", 3, "too small"),
        run("grid", "one", 1, seconds=1.99, iterations=1),
        run("grid", "one", 2, seconds=1.5),
        run("ring", "two, beta 3", 1),
        run("ring", "of another study", 1),
        run("elsewhere", "one", 1),
    ]
    found = coverage(item, extents_of(study(rows)))
    assert found == Coverage(12, 3, 2, 1, ("abc", "0123abc"))
    assert (found.missing, found.whole) == (6, False)
    assert found.text == "3 done, 2 cut, 1 failed, 6 missing"
    both = in_all([found, coverage(item, ())])
    assert both == Coverage(24, 3, 2, 1, ("abc", "0123abc"))
    assert Coverage(2, 2).whole
    assert Coverage(2, 2).text == "2 done"


def test_what_a_run_lacks_of_the_papers() -> None:
    (row,) = study([run(iterations=100, solutions=500, seconds=3.0)]).rows
    assert unreached(StopSettings(iterations=100), row) == ""
    assert unreached(StopSettings(iterations=101), row) == "iterations"
    assert unreached(StopSettings(solutions=501), row) == "solutions"
    assert unreached(StopSettings(seconds=3.02), row) == ""
    assert unreached(StopSettings(seconds=4), row) == "seconds"


def test_extents_are_those_of_the_results() -> None:
    (item,) = (one for one in items() if one.name == "2016/table-3")
    ends = read_extents(item.kept_results)
    assert list(ends) == list(extents_of(read_results(item.kept_results)))
