"""Pages that are kept of what came of a paper's tables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.report.outcome import PaperOutcome, index_page, paper_page, spread
from gpu.papers.coverage import kept_coverage
from gpu.papers.items import Item, find_item, items
from gpu.studies.cases import CaseRow
from gpu.studies.results.analysis import analyse
from gpu.studies.results.statistics import Interval
from tests.app.conftest import Command
from tests.golden import Golden
from tests.study_results import failed, run, study


def test_a_page_of_each_paper(inside: Command, tmp_path: Path) -> None:
    nothing = tmp_path / "nothing"  # instead of the results that come with the program
    made = inside("reproduce", "--outcomes", tmp_path / "papers", "--results", nothing)
    assert made.returncode == 0, made.stderr
    names = {one.name.partition("/")[0] for one in items()}
    pages = {path.name: path.read_text("utf-8") for path in (tmp_path / "papers").glob("*.md")}
    assert pages.keys() == {"README.md", *(f"{name}.md" for name in names)}
    for one in items():
        assert f"\n## {one.item}\n" in pages[f"{one.name.partition('/')[0]}.md"]
    assert inside("reproduce", "--outcomes", tmp_path, "2016/table-3").returncode == 2
    (tmp_path / "file").touch()
    refused = inside("reproduce", "--outcomes", tmp_path / "file" / "papers")
    assert refused.returncode == 2
    assert "cannot be made" in refused.stderr
    assert inside("reproduce", "--keep", tmp_path).returncode == 2
    assert inside("reproduce", "--results", tmp_path).returncode == 2


def test_the_kept_pages_count_the_runs_that_come_with_the_program() -> None:
    papers = Path(__file__).resolve().parents[3] / "docs" / "papers"
    assert not [*papers.glob("results/*")], "results come with the program: see --results"
    index = papers.joinpath("README.md").read_text("utf-8")
    for item in (one for one in items() if one.kept_results.is_file()):
        found = kept_coverage(item)
        assert f"| {item.item} | {found.text} |" in index, f"{item.name}: --outcomes writes it anew"
        page = papers.joinpath(f"{item.name.partition('/')[0]}.md").read_text("utf-8")
        assert f"](../../resources/results/{item.kept_results.name})" in page


def test_the_kept_figures_are_those_of_the_kept_pages() -> None:
    papers = Path(__file__).resolve().parents[3] / "docs" / "papers"
    pages = "".join(page.read_text("utf-8") for page in papers.glob("*.md"))
    shown = re.findall(r"\]\(figures/(.+?\.svg)\)", pages)
    assert sorted(shown) == sorted(path.name for path in papers.glob("figures/*"))


def test_numbers_of_ours_stand_before_the_papers(golden: Golden) -> None:
    item = find_item("2016/table-5")
    host = {
        "device": "cuda:0",
        "model": "A GPU | of <today>",
        "commit": "abc",
        "at_once": {"cuda": 4},
    }
    rows = [
        run("d198", f"k = {k}", seed, 15780 + 10 * k * seed, iterations=1000 // k, host=host)
        for k in (1, 2)
        for seed in (1, 2, 3)
    ]
    results = replace(study(rows, budget=item.design.limits), hosts=(host,))
    one = PaperOutcome(item, analyse(results), "r.sqlite")
    text = paper_page([one])
    golden("outcome-2016-table-5", f"{text}\n{index_page({'2016.md': [one]})}")


def page_of(item: Item, rows: list[CaseRow], hosts: tuple[Mapping[str, Any], ...] = ()) -> str:
    results = study(rows, budget=item.design.limits)
    results = replace(results, hosts=hosts or results.hosts)
    return paper_page([PaperOutcome(item, analyse(results), "r.sqlite")])


def test_runs_that_ended_early_are_counted_and_named() -> None:
    item = find_item("2013/table-3")
    rows = [
        run(name, "128 workers", seed, 400000, iterations=made, phases={"construction": 2.5})
        for name, made in (("d198", 100), ("pr1002", 40), ("pr2392", 3))
        for seed in (1, 2)
    ]
    lines = page_of(item, rows).splitlines()
    assert "- Of 170 runs: 2 done, 4 cut, 164 missing" in lines
    cut = "128 workers on {} after {} of 100 iterations"
    assert f"- Cut: {cut.format('pr2392', 3)}; {cut.format('pr1002', 40)}" in lines


def test_runs_that_still_wait_are_counted_and_named() -> None:
    item = find_item("2013/table-3")
    states = {"d198": ["done"] * 5, "a280": ["done"] * 2 + ["waiting"] * 3, "pr1002": ["waiting"]}
    rows = [
        run(name, "128 workers", seed, 400000, state=state)
        for name, several in states.items()
        for seed, state in enumerate(several, 1)
    ]
    lines = page_of(item, rows).splitlines()
    said = "2 to 5 of the whole study's 5 runs of each configuration and instance that was run"
    assert f"- {said}" in lines
    (missing,) = (line for line in lines if line.startswith("- Not run: ") and "pr1002" in line)
    assert "d198" not in missing
    assert "a280" not in missing


def test_one_parameter_of_several_colonies_is_a_table_of_two_sides() -> None:
    item = find_item("2020/figure-11")
    rows = [
        run("pr1002", f"{label}, ants {ants}", 1, 260000 + ants)
        for label in ("MMAS-RWM-LC", "MMAS-RWM-LC-CL")
        for ants in range(200, 2001, 200)
    ]
    text = page_of(item, rows)
    assert "|  | MMAS-RWM-LC | MMAS-RWM-LC-CL |" in text
    assert sum(line.startswith("| ants 2000 |") for line in text.splitlines()) == len(item.lists)


def test_columns_are_in_the_order_of_the_study_and_what_is_quoted_comes_last() -> None:
    item = find_item("2020/table-10")
    rows = [
        run("rl11849", "3,000 iterations", 1, 928000, n=11849, iterations=3000),
        run("pr2392", "2,000 iterations", 1, 380300, n=2392, iterations=2000),
        run("u2152", "2,000 iterations", 1, 64498, n=2152, iterations=2000),
    ]
    text = page_of(item, rows)
    assert "|  | 2,000 iterations | 3,000 iterations | MFC-ABC |" in text
    assert "| pr2392 | 380,300 (379,872) |  | 378,549.6 |" in text
    best = text[text.index("**Best result**") : text.index("**Mean result**")]
    assert "MFC-ABC" not in best  # the paper quotes no best results


def test_runs_at_once_are_told_of_each_kind_of_device() -> None:
    item = find_item("2013/figure-9")
    hosts = tuple(
        {"device": device, "at_once": at_once}
        for device, at_once in (
            ("cuda:0", {"cuda": 1}),
            ("cpu:1", {"cpu:1": 12, "cuda": 2}),
            ("cpu:1", {"cpu:1": 6}),
        )
    )
    rows = [run("d198", label, 1, 16000) for label in item.design.labels]
    text = page_of(item, rows, hosts)
    said = "- Runs at once: 1 on the GPU; 12 (beside 2 on the GPU) or 6 on one core each"
    assert said in text.splitlines()


def test_a_cell_says_what_became_of_its_runs(golden: Golden) -> None:
    item = find_item("2013/table-3")
    rows = [failed("pr2392", "64 workers", seed, "too few") for seed in range(1, 6)]
    for instance, label in (("pr1002", "64 workers"), ("pr2392", "128 workers")):
        rows += [
            run(instance, label, seed, 400000, phases={"construction": 2.5}) for seed in range(1, 6)
        ]
    text = page_of(item, rows)
    golden("outcome-2013-table-3", text)


def test_the_ends_of_an_interval_differ() -> None:
    assert spread("speedup", Interval(2.61, 3.94, "BCa")) == ", 2.6 to 3.9"
    assert spread("speedup", Interval(21.41, 21.47, "BCa")) == ", 21.4 to 21.5"
    assert spread("error", Interval(21.4, 21.6, "t")) == " ± 0.1"
