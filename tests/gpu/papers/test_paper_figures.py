from __future__ import annotations

from dataclasses import replace

import pytest

from app.report.figures import figure_plots, first_plots
from app.report.plot import PlotLook, rendered
from app.window.controllers.batch.study_work import find_results
from gpu.papers.items import Item, find_item, items
from gpu.papers.paper_figures import PaperFigure, number_figures, paper_figures
from gpu.studies.cases import CaseRow
from gpu.studies.results.analysis import analyse
from tests.study_results import item_of, run, study

TOML = """
instances = ["ring", "grid"]
seeds = { first = 1, count = 2 }
[budget]
iterations = 100
[[colony]]
label = "one"
colony = "acs-seq"
[[colony]]
label = "swept"
colony = "acs-gpu"
parameters = { ants = [10, 20, 40] }
[[colony]]
label = "named, m = 10"
colony = "acs-gpu"
parameters = { ants = 10 }
[[colony]]
label = "named, m = 20"
colony = "acs-gpu"
parameters = { ants = 20 }
[paper]
item = "Fig. 1"
[[paper.numbers]]
configuration = "swept, ants 20"
measure = "mean-gap"
note = "on a V100"
values = { ring = 6.0 }
"""
LABELS = (
    "one",
    "swept, ants 10",
    "swept, ants 20",
    "swept, ants 40",
    "named, m = 10",
    "named, m = 20",
)


def with_figure(figure: str) -> Item:
    return item_of(f"{TOML}\n[[paper.figures]]\n{figure}\n")


def rows_of() -> list[CaseRow]:
    return [
        run(name, label, seed, 100 + at, n=n, seconds=1.0 + at)
        for name, n in (("ring", 50), ("grid", 20))
        for at, label in enumerate(LABELS)
        for seed in (1, 2)
    ]


def figures(text: str, rows: list[CaseRow] | None = None) -> list[PaperFigure]:
    return list(
        paper_figures(with_figure(text), analyse(study(rows_of() if rows is None else rows)))
    )


def test_a_parameter_to_the_right_with_a_figure_for_each_instance() -> None:
    ring, grid = figures('measure = "mean-gap"\nby = "ants"')
    assert [ring.title, grid.title] == ["ring: mean gap", "grid: mean gap"]
    assert (ring.x_title, ring.y_title, ring.instances) == ("ants", "mean gap [%]", ())
    curves = {curve.label: [(one.x, one.y) for one in curve.ours] for curve in ring.curves}
    assert curves == {"swept": [(10, 1), (20, 2), (40, 3)], "named": [(10, 4), (20, 5)]}
    (swept, named), (other, _) = ring.curves, grid.curves
    assert [(one.x, one.y) for one in swept.papers["on a V100"]] == [(20, 6)]
    assert not named.papers
    assert not other.papers


def test_a_figure_for_each_colony_has_a_curve_for_each_instance() -> None:
    swept, named = figures('measure = "mean-gap"\nby = "ants"\neach = "colony"')
    assert [swept.title, named.title] == ["swept: mean gap", "named: mean gap"]
    assert [curve.label for curve in swept.curves] == ["ring", "grid"]


def test_instances_to_the_right_are_in_the_order_of_their_size() -> None:
    (found,) = figures('measure = "speedup"\nby = "instance"\nagainst = "one"')
    assert found.instances == ("grid", "ring")
    assert "one" not in [curve.label for curve in found.curves]
    assert found.curves[0].ours[0].y == pytest.approx(0.5)


def test_results_of_runs_that_ended_early_are_left_out() -> None:
    rows = [
        replace(row, iterations=50 if row.label == "swept, ants 10" else 100) for row in rows_of()
    ]
    ring, _ = figures('measure = "mean-gap"\nby = "ants"', rows)
    assert [one.x for one in ring.curves[0].ours] == [20, 40]
    times, _ = figures('measure = "tours-ms"\nby = "ants"', rows)
    assert [one.x for one in times.curves[0].ours] == [10, 20, 40]
    assert figures('measure = "mean-gap"\nby = "ants"', []) == []


def test_a_figure_is_drawn_and_has_its_numbers() -> None:
    item = with_figure('measure = "mean-gap"\nby = "ants"')
    plot, _ = figure_plots(item, analyse(study(rows_of())))
    assert rendered(plot, "svg", PlotLook()).startswith(b"<?xml")
    assert ("swept", "the paper's, on a V100", 20.0, 6.0, None, None) in plot.rows


def test_a_table_without_a_figure_begins_with_its_own_numbers_by_instance() -> None:
    item, analysis = item_of(TOML), analyse(study(rows_of()))
    (found,) = number_figures(item, analysis)
    assert (found.name, found.instances) == ("mean-gap", ("grid", "ring"))
    assert [curve.label for curve in found.curves] == list(LABELS)
    assert list(found.curves[2].papers) == ["on a V100"]
    (first,) = first_plots(item, analysis)
    assert first.title == "Fig. 1: mean gap"
    drawn = with_figure('measure = "speedup"\nby = "instance"\nagainst = "one"')
    assert [plot.title for plot in first_plots(drawn, analysis)] == [
        "Fig. 1: speedup for each tour"
    ]


def test_of_shipped_results_the_first_plot_has_the_tables_own_numbers() -> None:
    plots = find_results(find_item("2013/table-3").kept_results).plots
    assert next(iter(plots.values())).title == "Table 3: time of construction in an iteration"
    assert all(plot.rows for plot in plots.values())


def test_figures_of_the_papers_are_as_their_authors_drew_them() -> None:
    drawn = {item.name for item in items() if item.figures}
    assert {"2020/figure-6", "2020/figure-7", "2020/figure-8", "2020/figure-9"} <= drawn
    assert {"2020/figure-11", "2016/figure-6", "2016/figure-8", "2016/figure-10"} <= drawn
    for item in items():
        assert not item.figures or item.item.startswith("Fig")
