"""The tables of the page on Focused ACO."""

from __future__ import annotations

import statistics

import gaps
from runs import Row
from tables import Sources, grouped, table


def speed(rows: list[Row]) -> str:
    """Gap and seconds of faco-gpu and faco-cores after equally many iterations."""
    lines = []
    for name, group in grouped(rows).items():
        for system in dict.fromkeys(row["system"] for row in group):
            own = gaps.of(group, system=system)
            built = statistics.mean(row["built"] for row in own)
            for count in [each[0] for each in own[0]["marks"]]:
                found = [gaps.mark(row, count) for row in own]
                seconds = statistics.mean(spent for spent, _ in found if spent is not None)
                cells = [gaps.several([gap for _, gap in found]), f"{seconds:.2f}"]
                cells += [f"{1e3 * seconds / count:.3f}", f"{built:.2f}"]
                lines.append([name, str(own[0]["n"]), system, str(len(own)), str(count), *cells])
    head = ["instance", "n", "colony", "runs", "iterations", "gap %", "s", "ms an iteration"]
    return table([*head, "building, s"], lines, (0, 2))


def equal(rows: list[Row]) -> str:
    """How many times as fast as on cores the GPU is, and how many tours are equal."""
    lines = []
    for name, group in grouped(rows).items():
        kinds = [gaps.of(group, system=system) for system in ("faco-cores", "faco-gpu")]
        shared = sorted(
            set.intersection(*({each[0] for each in row["marks"]} for row in group))
            if all(kinds)
            else ()
        )
        for count in shared:
            slow, fast = (
                statistics.mean(gaps.mark(row, count)[0] or 0.0 for row in own) for own in kinds
            )
            ends = [{row["seed"]: gaps.mark(row, count)[1] for row in own} for own in kinds]
            same = sum(ends[0].get(seed) == gap for seed, gap in ends[1].items())
            cells = [f"{slow / fast:.1f}", f"{same} of {len(ends[1])}"]
            lines.append([name, str(count), *cells])
    return table(["instance", "iterations", "times as fast", "seeds with equal lengths"], lines)


def new_edges(rows: list[Row]) -> str:
    """Mean gap, and the largest, for each way to decide how many new edges an ant makes."""
    options = list(dict.fromkeys(row["option"] for row in rows))
    counts = [each[0] for each in rows[0]["marks"]] if rows else []
    lines = []
    for count in counts:
        every: dict[str, list[float]] = {each: [] for each in options}
        for name, group in grouped(rows).items():
            line = [name, str(group[0]["n"]), str(count)]
            for each in options:
                found = [gaps.mark(row, count)[1] for row in gaps.of(group, option=each)]
                every[each].append(statistics.mean(found))
                line.append(gaps.several(found))
            lines.append(line)
        ends = [f"{statistics.mean(every[each]):.3f}" for each in options]
        lines.append(["mean", "", str(count), *ends])
    return table(["instance", "n", "iterations", *options], lines)


def faco(sources: Sources) -> dict[str, str]:
    """Speed and quality on both devices, and numbers of new edges."""
    edges = sources.rows("faco", "faco-edges")
    both = sources.rows("faco", "faco-gpu", "faco-cores")
    return {
        "speed": sources.under(speed(both), both),
        "equal": sources.under(equal(both), both),
        "new_edges": sources.under(new_edges(edges), edges),
    }
