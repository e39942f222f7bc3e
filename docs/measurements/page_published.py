"""The tables of the page that compares with the published programs."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from pathlib import Path

from published import PUBLISHED, PUBLISHED_ACS, PUBLISHED_LENGTHS
from runs import Row
from tables import Sources, grouped, table, wrapped

from gpu.study.reading import read_results
from gpu.study.results import RunRow

RESULTS = Path(__file__).parents[1] / "papers" / "results"

ACS = {
    "ACS-GPU": "acs-gpu, n",
    "ACS-GPU-Alt": "acs-gpu-alt, n",
    "ACS-GPU-Alt*": "acs-gpu-alt, 256",
    "ACS-GPU-SPM": "acs-gpu-spm, n",
    "ACS-GPU-SPM*": "acs-gpu-spm, 256",
}
"""Configurations of Fig. 10 of Skinderowicz 2016: the colony and its ants."""


def times(
    item: str,
    theirs: Mapping[str, Mapping[str, float]],
    name_of: Callable[[str], str],
    spent: Callable[[RunRow], float],
) -> str:
    """Milliseconds of the published program and of ours; ``theirs`` by our label, then instance."""
    rows = read_results(RESULTS / f"{item.replace('/', '-')}.sqlite").rows
    lines = []
    for label in theirs:
        for instance, published in theirs[label].items():
            own = [spent(r) for r in rows if (r.label, r.instance) == (label, instance)]
            if not own:
                lines.append([name_of(label), instance, f"{published:.3g}", "not run", ""])
                continue
            ours = statistics.mean(own)
            cells = [f"{published:.3g}", f"{ours:.3g} ({len(own)})", f"{published / ours:.2f}"]
            lines.append([name_of(label), instance, *cells])
    host = next(row.host for row in rows if row.device == "cuda")
    made = (
        f"*Made by `formicarium reproduce {item}` on {host['model']}, driver {host['driver']}, "
        f"commit {host['commit']}, version {host['version']}.*"
    )
    head = ["colony", "instance", "published, ms", "ours, ms (runs)", "published / ours"]
    return f"{table(head, lines, (0, 1))}\n\n{wrapped(made)}"


def lengths(rows: list[Row]) -> str:
    """Mean lengths of the published program and of ours, after equally many iterations."""
    lines = []
    for name, group in grouped(rows).items():
        cells = [name]
        for row in group:
            own = row["mean"] if "mean" in row else statistics.mean(row["lengths"])
            theirs = PUBLISHED_LENGTHS[row["system"]][name]
            first, last = row["seeds"]
            worse = f"{100 * (own / theirs - 1):+.1f} %"
            cells += [str(theirs), f"{own:.0f} ({last - first + 1})", worse]
        lines.append(cells)
    head = [
        f"{kind}: {what}" for kind in ("Alt", "SPM") for what in ("published", "ours", "longer")
    ]
    return table(["instance", *head], lines)


def published(sources: Sources) -> dict[str, str]:
    """Speed and quality of the published programs and of ours."""
    whole: dict[str, dict[str, float]] = {}
    lists: dict[str, dict[str, float]] = {}
    for instance, variants in PUBLISHED.items():
        for variant, milliseconds in variants.items():
            kind = lists if variant.endswith("-cl") else whole
            kind.setdefault(f"MMAS-{variant.upper()}", {})[instance] = milliseconds
    acs = {label: PUBLISHED_ACS[name] for label, name in ACS.items()}
    quality = sources.rows("acs_quality", "acs-quality-report")
    return {
        "acs": times("2016/figure-10", acs, ACS.__getitem__, _iteration),
        "mmas": times("2020/table-4", whole, str, _construction),
        "mmas_lists": times("2020/table-6", lists, str, _construction),
        "lengths": sources.under(lengths(quality), quality),
    }


def _iteration(row: RunRow) -> float:
    return 1e3 * row.seconds / row.iterations


def _construction(row: RunRow) -> float:
    return row.phases["construction"]
