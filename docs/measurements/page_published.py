"""The tables of the pages that compare with the published programs."""

from __future__ import annotations

import math
import statistics
import textwrap
from collections.abc import Callable, Mapping

import gaps
from published import (
    ACS_LENGTHS,
    ACS_TIMES,
    MMAS_TIMES,
    PUBLISHED,
    PUBLISHED_ACS,
    PUBLISHED_LENGTHS,
    Source,
)
from runs import Row
from tables import Sources, grouped, table

ACS = {
    ("acs-gpu", "n"): "ACS-GPU",
    ("acs-gpu-alt", "n"): "ACS-GPU-Alt",
    ("acs-gpu-alt", "256"): "ACS-GPU-Alt*",
    ("acs-gpu-spm", "n"): "ACS-GPU-SPM",
    ("acs-gpu-spm", "256"): "ACS-GPU-SPM*",
}
"""What Skinderowicz 2016 calls a colony with so many ants."""


def times(
    rows: list[Row],
    theirs: Mapping[str, Mapping[str, float]],
    name_of: Callable[[Row], str],
    spent: Callable[[Row], float],
) -> str:
    """Milliseconds of the published program and of ours; ``theirs`` by name, then by instance."""
    lines = []
    for name, published in theirs.items():
        for instance, milliseconds in published.items():
            own = [spent(row) for row in gaps.of(rows, instance=instance) if name_of(row) == name]
            if not own:
                continue  # measured on an instance that ours is not timed on
            ours = statistics.mean(own)
            cells = [f"{milliseconds:.3g}", f"{ours:.3g} ({len(own)})"]
            lines.append([name, instance, *cells, f"{milliseconds / ours:.2f}"])
    head = ["colony", "instance", "published, ms", "ours, ms (runs)", "published / ours"]
    return table(head, lines, (0, 1))


def lengths(rows: list[Row]) -> str:
    """Mean lengths of the published program and of ours, after equally many iterations."""
    lines = []
    for name, group in grouped(rows).items():
        cells = [name]
        for system, theirs in PUBLISHED_LENGTHS.items():
            own = [row["marks"][-1][2] for row in gaps.of(group, system=system)]
            mean = statistics.mean(own)
            worse = f"{100 * (mean / theirs[name] - 1):+.1f} %"
            cells += [str(theirs[name]), f"{mean:.0f} ({len(own)})", worse]
        lines.append(cells)
    head = [
        f"{kind}: {what}" for kind in ("Alt", "SPM") for what in ("published", "ours", "longer")
    ]
    return table(["instance", *head], lines)


def published_acs(sources: Sources) -> dict[str, str]:
    """Speed and quality of the published Ant Colony Systems and of ours."""
    theirs = {name: PUBLISHED_ACS[", ".join(key)] for key, name in ACS.items()}
    quality = sources.rows("published", "acs-quality")
    ours = sources.rows("published", "acs-speed")
    compared = times(ours, theirs, lambda row: ACS[row["system"], row["option"]], _iteration)
    return {
        "iterations": _both(sources.under(compared, ours), ACS_TIMES),
        "lengths": _both(sources.under(lengths(quality), quality), ACS_LENGTHS),
    }


def published_mmas(sources: Sources) -> dict[str, str]:
    """Speed of the published MAX-MIN Ant Systems and of ours."""
    kinds: dict[str, dict[str, dict[str, float]]] = {"matrix": {}, "lists": {}}
    for instance, variants in PUBLISHED.items():
        for variant, milliseconds in variants.items():
            kind = kinds["lists" if variant.endswith("-cl") else "matrix"]
            kind.setdefault(f"MMAS-{variant.upper()}", {})[instance] = milliseconds
    ours = sources.rows("published", "mmas-speed")
    values = {}
    for name, theirs in kinds.items():
        shown = [row for row in ours if _variant(row) in theirs]
        made = sources.under(times(shown, theirs, _variant, _construction), shown)
        values[name] = _both(made, MMAS_TIMES)
    readers = [row for row in ours if row["system"] in READERS]
    values["floors"] = sources.under(floors(readers), readers)
    return values


READERS = ("mmas-wrs-ct", "mmas-rwm-lc")
"""Colonies whose ants read the weights of unvisited cities alone, in float32."""


def floors(rows: list[Row]) -> str:
    """Bytes that ants must read, at which rate ours read them, and how long a step takes.

    Caches move 32 bytes at a time, the weights of eight cities. While a share f of the cities is
    unvisited, in no order, (1 - (1 - f)^8) of these have one: 8/9 on average over a tour.
    """
    lines = []
    for name, group in grouped(rows).items():
        n = group[0]["n"]
        gigabytes = n * (n - 1) * 4 * n * 8 / 9 / 1e9
        cells = [name, f"{gigabytes:.3g}"]
        for system in READERS:
            own = [_construction(row) for row in gaps.of(group, system=system)]
            mean = statistics.mean(own) if own else math.nan
            cells += [f"{gigabytes / mean:.2f}", f"{1e3 * mean / (n - 1):.2f}"]
        lines.append(cells)
    head = ["instance", "GB to read"]
    head += [f"{row[5:].upper()}: {what}" for row in READERS for what in ("TB/s", "µs a step")]
    return table(head, lines)


def _both(ours: str, theirs: Source) -> str:
    """Say below our table how the published figures came about, too."""
    return f"{ours}\n\n{textwrap.fill(theirs.text, 100)}"


def _variant(row: Row) -> str:
    return str(row["system"]).upper()


def _iteration(row: Row) -> float:
    return float(row["whole"])


def _construction(row: Row) -> float:
    return float(row["phases"]["construction"])
