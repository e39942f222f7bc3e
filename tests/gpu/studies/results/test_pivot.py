"""Pivot tables, filters and importances of studies, by hand and against an analysis of variance."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from gpu.core.table_filter import filter_of, term
from gpu.core.tables import csv_of, texts
from gpu.studies.cases import CaseRow
from gpu.studies.results.analysis import analyse
from gpu.studies.results.importance import IMPORTANCE_COLUMNS, REST, SEEDS, Importance, importances
from gpu.studies.results.pivot import EVERYTHING, StudyRun, fields_of, pivot, runs_of
from tests.study_results import failed, run, study


def grid(
    cost: Callable[[str, int, float, int], int], instances: tuple[str, ...] = ("ring", "map")
) -> list[CaseRow]:
    """Runs of each of three ants, two rhos and four seeds on each instance, with these costs."""
    return [
        run(
            *(name, f"ants {ants}, rho {rho}", seed, cost(name, ants, rho, seed)),
            parameters={"ants": ants, "rho": rho, "local_search": "none"},
        )
        for name, ants, rho, seed in product(instances, (5, 10, 20), (0.1, 0.5), range(1, 5))
    ]


def of(rows: list[CaseRow]) -> tuple[StudyRun, ...]:
    return runs_of(analyse(study(rows)))


def test_runs_are_grouped_by_two_fields() -> None:
    runs = of([*grid(lambda name, ants, rho, seed: 100 + ants + seed), failed("ring", "broken")])
    fields = fields_of(runs)
    # there are one colony, one device, and one local search
    assert [*fields] == ["instance", "configuration", "seed", "ants", "rho", EVERYTHING]
    found = pivot(runs, fields, "ants", "instance")
    assert found.keys == ("map", "ring")
    assert [row.key for row in found.rows] == [5, 10, 20]
    assert [row.cells["ring"] for row in found.rows] == [7.5, 12.5, 22.5]
    assert texts(found.columns, found.rows[0]) == ["5", "7.50\u202f%", "7.50\u202f%"]
    assert found.columns[1].tip(found.rows[0]) == "8 runs"
    most = pivot(runs, fields, "rho", EVERYTHING, "result", "most")
    assert csv_of(most.columns, most.rows) == "rho,Result\n0.1,124.0\n0.5,124.0\n"
    counts = pivot(runs, fields, EVERYTHING, "seed", "gap", "runs")
    assert [*counts.rows[0].cells.values()] == [12, 12, 12, 12]
    alone = pivot(of([run()]), fields, "instance", "seed", "gap", "deviation")
    assert texts(alone.columns, alone.rows[0], "–") == ["ring", "–"]  # there is none of one run


def test_words_and_values_filter_rows() -> None:
    cells = {"instance": "ring-50", "configuration": "ACS, ants 2", "ants": "2", "best": "105"}

    def lets_through(text: str) -> bool:
        matches = filter_of(text)
        return matches is None or matches(cells)

    for text in ("", "  ", "RING acs", "ants=2", 'configuration="acs, ants 2"', '"ANTS 2"', "10"):
        assert lets_through(text), text
    for text in ("ants=20", "configuration=ACS", "ring 106", '"ACS ants"', "rho=0.1"):
        assert not lets_through(text), text
    for name, value in cells.items():
        assert lets_through(term(name, value))
    assert not lets_through(term("configuration", "ACS, ants 20"))


def by_name(found: tuple[Importance, ...]) -> dict[str, Importance]:
    return {one.name: one for one in found}


def test_importances_are_those_of_an_analysis_of_variance() -> None:
    """Against sums of squares of a linear model, solved with dummy variables."""
    rng = np.random.default_rng(5)
    noise = iter(rng.integers(0, 40, 48).tolist())
    rows = grid(
        lambda name, ants, rho, seed: (
            1000 + 8 * ants + (200 if rho > 0.3 else 0) + 5 * ants * (name == "map") + next(noise)
        )
    )
    runs = of(rows)
    found = importances(runs)
    assert sum(one.share for one in found) == pytest.approx(1)
    assert [one.share for one in found] == sorted((one.share for one in found), reverse=True)
    assert found[0].name == "rho"
    named = by_name(found)
    assert {"ants × rho", "ants × instance", "rho × instance", SEEDS, REST} < {*named}
    gaps = np.array([one.gap for one in runs])
    names = np.array([one.row.instance for one in runs])
    scaled = np.empty(len(gaps))
    for name in ("ring", "map"):
        part = gaps[names == name]
        scaled[names == name] = (part - part.mean()) / part.std()
    factors = {
        key: np.array([str(one.row.parameters[key]) for one in runs]) for key in ("ants", "rho")
    }
    factors["instance"] = names

    def residual(*keys: str) -> float:
        columns = [np.ones(len(scaled))]
        for key in keys:
            parts = [factors[one] for one in key.split("*")]
            levels = list(zip(*parts, strict=True))
            columns += [np.array([one == level for one in levels], float) for level in set(levels)]
        design = np.column_stack(columns)
        fitted = design @ np.linalg.lstsq(design, scaled, rcond=None)[0]
        return float(np.sum((scaled - fitted) ** 2))

    total = float(np.sum(scaled**2))
    assert named["ants"].share == pytest.approx((total - residual("ants")) / total)
    assert named["ants × rho"].share == pytest.approx(
        (residual("ants", "rho") - residual("ants*rho")) / total
    )
    assert named[SEEDS].share == pytest.approx(residual("ants*rho*instance") / total)
    assert named["rho"].p is not None
    assert named["rho"].p < 1e-9
    assert (named["ants"].best, named["rho"].best) == (5, 0.1)
    assert all(one.full_grid for one in found)
    line = texts(IMPORTANCE_COLUMNS, named["rho"])
    assert line[:2] == ["acs", "rho"]
    assert line[3:5] == ["< 0.001", "0.1"]


def test_a_parameter_without_effect_has_no_importance() -> None:
    found = by_name(importances(of(grid(lambda name, ants, rho, seed: 100 + 3 * seed))))
    assert found["ants"].share == pytest.approx(0, abs=1e-12)
    assert found["ants"].p == pytest.approx(1)
    assert found[SEEDS].share == pytest.approx(1)


def test_what_is_no_full_grid_is_said_so() -> None:
    rows = grid(lambda name, ants, rho, seed: 100 + ants + seed)
    found = importances(of(rows[:-1]))  # one run is missing
    assert {one.name for one in found} == {"ants", "rho", SEEDS}  # pairs cannot be told apart
    assert not any(one.full_grid for one in found)


def test_a_study_with_one_value_of_each_parameter_has_no_importances() -> None:
    assert importances(of([run(), run(seed=2, best=110)])) == ()
    one_each = [run(seed=seed, best=100 + seed, parameters={"ants": 5}) for seed in (1, 2)]
    assert importances(of(one_each)) == ()
    equal = grid(lambda *_: 100)
    assert importances(of(equal)) == ()  # there is nothing to explain
