"""Write the pages of docs/, and their pictures, from what was measured.

    python docs/measurements/report.py [PAGE...] [--out FOLDER]

The text of a page is in pages/ beside this file, with a name in braces for each table. The tables
are made of the JSON files that measure.py wrote. Below each stands how it was made.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path

from curves import COLORS, GAPS, draw
from experiments import EXPERIMENTS
from instances import COLOR_AIMS, CORE_AIMS, GPU_AIMS
from page_colorings import COLORINGS, OURS, colorings
from page_defaults import defaults
from page_faco import faco
from page_focused import crossing, focused, on_cores, on_gpu
from page_published import published_acs, published_mmas
from runs import GCOL, HEAD
from tables import Sources, table

from gpu.problems.document import stem_of

HERE = Path(__file__).parent


def index(sources: Sources) -> dict[str, str]:
    """The table of experiments."""
    lines = []
    for name, plan in EXPERIMENTS.items():
        counted = plan.stops[-1] > 100 or math.isinf(plan.seconds)
        budget = f"{plan.stops[-1]} iterations" if counted else f"{plan.seconds:g} s"
        if plan.limits:
            limits = {plan.limit(stem_of(Path(one))) for one in plan.names}
            budget = (
                " to ".join(f"{limit:g}" for limit in sorted({min(limits), max(limits)})) + " s"
            )
        folders: dict[str, list[str]] = {}
        for one in plan.names:
            folders.setdefault(str(Path(one).parent), []).append(stem_of(Path(one)))
        where = "; ".join(f"{folder}: {', '.join(names)}" for folder, names in folders.items())
        runs = str(len(plan.all_seeds))
        lines.append([f"`{name}`", where, runs, budget, f"{plan.minutes:g}"])
    head = ["experiment", "instances", "runs of each row", "budget of a run", "minutes, about"]
    total = sum(plan.minutes for plan in EXPERIMENTS.values())
    return {"experiments": table(head, lines, (0, 1, 2, 3)), "hours": f"{total / 60:.1f}"}


PAGES: dict[str, Callable[[Sources], dict[str, str]]] = {
    "README": index,
    "focused": focused,
    "crossing": crossing,
    "gaps-gpu": on_gpu,
    "gaps-cores": on_cores,
    "faco": faco,
    "published-acs": published_acs,
    "published-mmas": published_mmas,
    "colorings": colorings,
    "defaults": defaults,
}


PICTURES = {
    "gaps-gpu": (
        "focused_gpu",
        ("gpu", "gpu-larger", "gpu-huge"),
        ("crossing-gpu",),
        GPU_AIMS,
        GAPS,
    ),
    "gaps-gpu-long": ("focused_gpu", ("gpu-long",), ("crossing-gpu",), {}, GAPS),
    "gaps-cores": (
        "focused",
        ("cores-larger",),
        ("crossing-cores", "focused-cores"),
        CORE_AIMS,
        GAPS,
    ),
    "colorings": ("colorings", COLORINGS, (OURS, HEAD, GCOL), COLOR_AIMS, COLORS),
}
"""Of each picture: the file of its rows, experiments, systems, what was aimed at, what is shown."""

PICTURES_OF = {
    "gaps-gpu": ("gaps-gpu", "gaps-gpu-long"),
    "gaps-cores": ("gaps-cores",),
    "colorings": ("colorings",),
}
"""The pictures that are made with a page."""


def text_of(name: str) -> str:
    """Return the text of a page."""
    sources = Sources()
    values = PAGES[name](sources)
    return (HERE / "pages" / f"{name}.md").read_text("utf-8").format(**values)


def main() -> None:
    """Write the pages."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", nargs="*", default=[*PAGES])
    parser.add_argument("--out", type=Path, default=HERE.parent)
    asked = parser.parse_args()
    for name in asked.pages:
        (asked.out / f"{name}.md").write_text(text_of(name), "utf-8")
    for name in (name for page in asked.pages for name in PICTURES_OF.get(page, ())):
        (asked.out / "images").mkdir(exist_ok=True)
        file, experiments, systems, aims, shown = PICTURES[name]
        rows = Sources().rows(file, *experiments)
        draw(rows, systems, aims, asked.out / "images" / f"{name}.png", shown)


if __name__ == "__main__":
    main()
