"""The pages of docs/ with measurements are those that report.py writes, of one version."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
MEASURED = [
    *("crossing", "defaults", "faco", "focused", "gaps-gpu"),
    *("published-acs", "published-mmas"),
]


@pytest.mark.parametrize("page", [*MEASURED, "README"])
def test_a_page_is_what_report_writes(page: str, measurements: Any) -> None:
    assert DOCS.joinpath(f"{page}.md").read_text("utf-8") == measurements("report").text_of(page)


@pytest.mark.parametrize("page", MEASURED)
def test_all_figures_of_a_page_are_of_one_version(page: str) -> None:
    text = DOCS.joinpath(f"{page}.md").read_text("utf-8")
    made = [block for block in text.split("\n\n") if block.startswith("*Made by ")]
    assert len(set(re.findall(r"commit\s(\w+)", "\n".join(made)))) == 1
    assert "*Not measured yet.*" not in text


def test_what_is_tuned_on_is_not_what_is_reported_on(measurements: Any) -> None:
    plans = measurements("experiments").EXPERIMENTS.values()
    names = [Path(name) for plan in plans for name in plan.names]
    reported = {name.stem for name in names if name.parent.name == "report"}
    assert reported
    assert not reported & {name.stem for name in names if name.parent.name != "report"}
