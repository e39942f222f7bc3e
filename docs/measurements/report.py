"""Write the pages of docs/ from what was measured, and the picture of Fig. 6.

    python docs/measurements/report.py [PAGE...] [--out FOLDER]

The text of a page is in pages/ beside this file, with a name in braces for each table. The tables
are made of the JSON files that measure.py wrote. Below each stands how it was made.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from experiments import EXPERIMENTS
from methods import compare, speed
from page_acs import acs_quality, acs_speed, draw_fig_6
from page_ant_system import ant_system
from page_coloring import coloring
from page_focused import focused
from page_max_min import max_min
from tables import Sources, table

HERE = Path(__file__).parent


def index(sources: Sources) -> dict[str, str]:
    """The table of experiments."""
    lines = []
    for name, plan in EXPERIMENTS.items():
        runs = "timed" if plan.measure is speed else str(len(plan.all_seeds))
        budget = (
            f"{plan.iterations} iterations" if plan.seconds == math.inf else f"{plan.seconds:g} s"
        )
        if plan.limits:
            budget = f"{min(plan.limits.values()):g} to {max(plan.limits.values()):g} s"
        elif plan.marks:
            budget = ", ".join(f"{mark:g}" for mark in plan.marks) + " s"
        if plan.measure is compare:
            budget = f"{plan.share or 1:.0%} of the paper's"
        where = f"{plan.folder}: {', '.join(plan.names)}"
        lines.append([f"`{name}`", where, runs, budget, f"{plan.minutes:g}"])
    head = ["experiment", "instances", "runs of each row", "budget of a run", "minutes, about"]
    total = sum(plan.minutes for plan in EXPERIMENTS.values())
    return {"experiments": table(head, lines, (0, 1, 2, 3)), "hours": f"{total / 60:.1f}"}


PAGES: dict[str, Callable[[Sources], dict[str, str]]] = {
    "README": index,
    "acs-quality": acs_quality,
    "acs-speed": acs_speed,
    "ant-system": ant_system,
    "max-min": max_min,
    "coloring": coloring,
    "focused": focused,
}


def text_of(name: str) -> str:
    """Return the text of a page."""
    sources = Sources()
    values = PAGES[name](sources)
    values |= {"versions": sources.versions()} if name != "README" else {}
    return (HERE / "pages" / f"{name}.md").read_text("utf-8").format(**values)


def main() -> None:
    """Write the pages."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", nargs="*", default=[*PAGES])
    parser.add_argument("--out", type=Path, default=HERE.parent)
    asked = parser.parse_args()
    for name in asked.pages:
        (asked.out / f"{name}.md").write_text(text_of(name), "utf-8")
    if "acs-quality" in asked.pages:
        draw_fig_6(Sources().rows("fig6", "acs-fig6"), asked.out / "images" / "fig6.png")


if __name__ == "__main__":
    main()
