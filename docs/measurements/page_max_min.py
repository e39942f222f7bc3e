"""The tables of the page on the MAX-MIN Ant Systems."""

from __future__ import annotations

import statistics

from papers import PUBLISHED, REPORT_TARGETS, TARGETS
from runs import Row
from scipy import stats
from tables import Sources, by_system, digits, grouped, pivot, table


def published(times: list[Row]) -> str:
    """The quickest MAX-MIN variants against the published program's quickest, and the floor."""
    lines = []
    for name, group in grouped(times).items():
        cells = [name]
        for listed in (False, True):
            own = [r for r in group if r["system"].endswith("-cl") == listed]
            best = min((r for r in own if "construction" in r), key=lambda r: r["construction"])
            taken = best["construction"]
            theirs = min(t for kind, t in PUBLISHED[name].items() if kind.endswith("-cl") == listed)
            cells += [best["system"].removeprefix("mmas-"), digits(taken), digits(theirs)]
            cells.append(f"{theirs / taken:.2f}")
            if not listed:
                floor = 1e3 * 2 * best["n"] ** 3 / 5.5e12  # an H100's L2 cache, as measured
                cells += [digits(floor), f"{taken / floor:.1f}"]
        lines.append([*cells, f"{1e6 * taken / (best['n'] - 1):.0f}"])
    ours = ["ms", "published", "ratio"]
    floors = ["floor, ms", "ms / floor"]
    head = ["instance", "all cities: quickest", *ours, *floors, "lists: quickest", *ours]
    return table([*head, "ns a step"], lines)


def like_for_like(times: list[Row]) -> str:
    """The published program's milliseconds over ours, for each of its variants by itself."""
    kinds = ("wrs-ct", "rwm-lc", "wrs-bt-cl", "rwm-bt-cl", "wrs-ct-cl")
    lines = []
    for name, group in grouped(times).items():
        own = {row["system"].removeprefix("mmas-"): row["construction"] for row in group}
        theirs = PUBLISHED[name]
        lines.append([name, *(f"{theirs[k] / own[k]:.2f}" if k in theirs else "" for k in kinds)])
    return table(["instance", *kinds], lines)


def precision(rows: list[Row]) -> str:
    """Construction by rwm-bt with weights of half and of full precision."""
    lines = []
    for name, group in grouped(rows).items():
        half, full = (
            next(row["construction"] for row in group if row.get("weights", "half") == weights)
            for weights in ("half", "full")
        )
        theirs = PUBLISHED[name]["wrs-ct"]
        ratios = (f"{theirs / own:.2f}" for own in (half, full))
        lines.append([name, digits(half), digits(full), digits(theirs), *ratios])
    head = ["instance: rwm-bt", "half, ms", "full, ms", "published WRS-CT, ms"]
    return table([*head, "published / half", "published / full"], lines)


def variants(rows: list[Row], *parts: tuple[str, int, int]) -> str:
    """Mean errors of the six variants, and the Friedman test; ``parts``: of some runs only."""
    systems = list(dict.fromkeys(row["system"] for row in rows))
    lines = []
    for name, group in grouped(rows).items():
        found = {row["system"]: row for row in group}
        runs = len(group[0]["lengths"])
        of_name = [part[1:] for part in parts if part[0] == name]
        for first, last in [*of_name, (1, runs)]:
            label = f"{name}, runs {first} to {last}" if (first, last) != (1, runs) else name
            kept = {s: row["lengths"][first - 1 : last] for s, row in found.items()}
            optimum = group[0]["optimum"]
            means = [f"{100 * (statistics.mean(kept[s]) / optimum - 1):.2f}" for s in systems]
            test = stats.friedmanchisquare(*(kept[system] for system in systems))
            spread = [f"{test.statistic:.2f}", f"{test.pvalue:.2f}"]
            lines.append([label, str(last - first + 1), *means, *spread])
    names = [system.removeprefix("mmas-") for system in systems]
    return table(["instance", "runs", *names, "statistic", "p"], lines)


def search(row: Row) -> list[str]:
    """Seconds to the paper's mean error."""
    error, seconds = {**TARGETS, **REPORT_TARGETS}[row["instance"]]
    times, iterations, found = zip(*row["runs"], strict=True)
    mean = statistics.mean(times)
    return [
        f"{row['instance']}: {row['kind']}",
        f"{error:.2f}",
        digits(seconds),
        f"{statistics.mean(found):.2f}",
        *map(digits, (mean, max(times), statistics.mean(iterations))),
        f"{sum(each <= error for each in found)} of {len(times)}",
        f"{seconds / mean:.1f}",
    ]


def curve(row: Row, marks: list[float]) -> list[str]:
    """Error against time, at ``marks``."""
    cells = [f"{row['instance']}: {row['kind']}, ρ = {row['settings']['rho']}"]
    for mark in marks:
        before = [error for seconds, _, error in row["curve"] if seconds <= mark]
        cells.append(f"{before[-1]:.2f}" if before and mark / 2 < row["curve"][-1][0] else "")
    return cells


def stops(row: Row) -> list[str]:
    """Where a short run stood when its time was over."""
    seconds, iteration, error = row["curve"][-1]
    settings = f"{row['kind']}, ρ = {row['settings']['rho']}"
    return [f"{row['instance']}: {settings}", digits(seconds), str(iteration), f"{error:.2f}"]


def max_min(sources: Sources) -> dict[str, str]:
    """The MAX-MIN Ant Systems: times, quality, local search."""
    kinds = ("mmas-speed", "mmas-warps", "mmas-quality", "mmas-search", "mmas-curve")
    speed, warps, quality, searches, curves = (sources.rows("mmas", kind) for kind in kinds)
    searches += sources.rows("mmas", "mmas-search-report")
    short = sources.rows("earlier", "mmas-curve")
    usual = [row for row in speed if "weights" not in row]
    whole, listed = (
        [row for row in usual if row["system"].endswith("-cl") == lists] for lists in (False, True)
    )
    bits = [row for row in speed if row["system"] == "mmas-rwm-bt"]
    marks = [0.25 * 2**i for i in range(10)]
    tables = {
        "published": (published(usual), usual),
        "like_for_like": (like_for_like(usual), usual),
        "construction": (by_system(whole, "construction"), whole),
        "construction_lists": (by_system(listed, "construction"), listed),
        "precision": (precision(bits), bits),
        "whole": (by_system(whole, "whole"), whole),
        "whole_lists": (by_system(listed, "whole"), listed),
        "warps": (
            pivot(
                "warps an ant",
                warps,
                lambda row: f"{row['instance']}: {row['system'].removeprefix('mmas-')}",
                "warps",
                lambda row: digits(row["construction"]) if "construction" in row else "",
            ),
            warps,
        ),
        "variants": (variants(quality, ("rat783", 1, 15), ("rat783", 16, 60)), quality),
        "search": (
            table(
                [
                    *("instance: local search", "paper, %", "paper, s"),
                    *("mean error at the end, %", "mean s", "longest s", "iterations", "reached"),
                    "paper's s / ours",
                ],
                [search(row) for group in grouped(searches).values() for row in group],
            ),
            searches,
        ),
        "curve": (
            table(["seconds", *(f"{mark:g}" for mark in marks)], [curve(r, marks) for r in curves]),
            curves,
        ),
        "stops": (
            table(["instance: local search", "s", "iterations", "error, %"], map(stops, short)),
            short,
        ),
    }
    return {name: sources.under(*each) for name, each in tables.items()}
