"""Gaps of measured runs at a time or at an iteration, and the tables that are made of them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence

from runs import ANYTIME, FAST_TSP, RIVALS, Row
from tables import grouped, table

Aims = Mapping[str, Mapping[float, float]]


def gap_at(row: Row, seconds: float) -> float | None:
    """The gap in % that a run had after so many seconds; None if it had no tour of its own yet."""
    found = [gap for when, _, gap in row.get("curve", ()) if when <= seconds]
    return found[-1] if found else None


def mean_of(rows: list[Row], seconds: float) -> float | None:
    """The mean gap of several runs; None if one of them had no tour of its own yet."""
    gaps = [gap_at(row, seconds) for row in rows]
    known = [gap for gap in gaps if gap is not None]
    return statistics.mean(known) if known and len(known) == len(gaps) else None


def several(gaps: Sequence[float]) -> str:
    """The mean of gaps, and the largest where they differ."""
    mean, worst = statistics.mean(gaps), max(gaps)
    return f"{mean:.3f}" if worst - mean < 0.0005 else f"{mean:.3f} ({worst:.3f})"


def cell(rows: list[Row], seconds: float) -> str:
    """The mean gap of several runs, and the largest where they differ."""
    if rows and all("refused" in row for row in rows):
        return "failed" if any(" failed: " in row["refused"] for row in rows) else "refused"
    gaps = [gap_at(row, seconds) for row in rows]
    known = [gap for gap in gaps if gap is not None]
    return several(known) if known and len(known) == len(gaps) else ""


def of(rows: list[Row], **labels: object) -> list[Row]:
    """The rows with these labels."""
    return [row for row in rows if all(row.get(name) == is_ for name, is_ in labels.items())]


def against_time(
    rows: list[Row], system: str, marks: Sequence[float], theirs: Sequence[float] = ()
) -> str:
    """A system's gaps at each mark, and those of fast-tsp: at ``theirs``, or at the run's end."""
    threads = sorted({row["threads"] for row in of(rows, system=FAST_TSP)})
    lines, where = [], grouped(rows)
    for name, group in where.items():
        own = of(group, system=system)
        if not own:
            continue
        limit = own[0].get("limit", math.inf)  # it has none if it did not run
        line = [name, str(own[0]["n"]), str(len(own))]
        line += [cell(own, mark) if mark <= limit else "" for mark in marks]
        for count in threads:
            rival = of(group, system=FAST_TSP, threads=count)
            line += [cell(rival, mark) for mark in theirs or (limit,)]
        lines.append(line)
    head = ["instance", "n", "runs", *(f"{mark:g} s" for mark in marks)]
    for count in threads:
        who = f"{FAST_TSP}, {count} thread{'s' * (count > 1)}"
        head += [f"{who}: {mark:g} s" for mark in theirs] or [f"{who}, as long"]
    return table(head, lines)


def standing(rows: list[Row], chosen: Callable[[Row], str], marks: Sequence[float]) -> str:
    """On how many instances ours has the shorter mean tour than another program, and where not.

    ``chosen`` says which system of ours is compared on the instance of a row.
    """
    kinds = sorted({(row["system"], row["threads"]) for row in rows if row["system"] in RIVALS})
    lines = []
    for program, threads in kinds:
        for mark in marks:
            ahead, as_good, behind = list[str](), list[str](), list[str]()
            for name, group in grouped(rows).items():
                theirs = mean_of(of(group, system=program, threads=threads), mark)
                own = mean_of(of(group, system=chosen(group[0])), mark)
                if theirs is None:
                    continue
                gap = math.inf if own is None else own
                where = ahead if gap < theirs else behind if gap > theirs else as_good
                where.append(name)
            counts = [str(len(ahead)), str(len(as_good)), ", ".join(behind) or "none"]
            lines.append(
                [f"{program}, {threads} thread{'s' * (threads > 1)}", f"{mark:g} s", *counts]
            )
    return table(["beside", "after", "ours is shorter", "as long", "longer"], lines, (0, 4))


def beside(rows: list[Row], system: str, marks: Sequence[float]) -> str:
    """Gaps of anytime programs at each mark, those of a system at its end, and when it had them."""
    lines = []
    for name, group in grouped(rows).items():
        own = [row for row in of(group, system=system) if "curve" in row]
        theirs = {program: of(group, system=program) for program in ANYTIME}
        if not own or not any(theirs.values()):
            continue
        ends = [row["curve"][-1][2] for row in own]
        line = [name, several(ends), f"{statistics.mean(found_after(row) for row in own):.1f}"]
        line += [cell(found, mark) or "-" for found in theirs.values() for mark in marks]
        lines.append(line)
    heads = [f"{program}: {mark:g} s" for program in ANYTIME for mark in marks]
    return table(["instance", f"{system}: at the end", "found after s", *heads], lines)


def means(rows: list[Row], systems: Sequence[str], marks: Sequence[float]) -> str:
    """Mean gaps over all instances on which every system ran, at each mark."""
    whole = [
        group
        for group in grouped(rows).values()
        if not any("refused" in row for row in group) and {r["system"] for r in group} >= {*systems}
    ]
    lines = []
    kinds = dict.fromkeys((row["system"], row.get("threads")) for row in rows)
    for system, threads in kinds:
        if system not in systems:
            continue
        gaps = [
            [mean_of(of(group, system=system, threads=threads), mark) for group in whole]
            for mark in marks
        ]
        who = f"{system}, {threads} thread{'s' * (threads > 1)}" if threads else system
        lines.append([who, *(_mean(each) for each in gaps)])
    return table([f"mean of {len(whole)} instances", *(f"{mark:g} s" for mark in marks)], lines)


def _mean(gaps: Sequence[float | None]) -> str:
    known = [gap for gap in gaps if gap is not None]
    return f"{statistics.mean(known):.3f}" if known and len(known) == len(gaps) else ""


def reached(rows: list[Row], aims: Aims, systems: Sequence[str]) -> str:
    """Each aim, what the systems and other programs have at that time, and who reaches it."""
    kinds = [(system, None) for system in systems]
    for program in (FAST_TSP, *ANYTIME):
        kinds += sorted({(program, row["threads"]) for row in of(rows, system=program)})
    lines = []
    for instance, each in aims.items():
        group = of(rows, instance=instance)
        for seconds, gap in each.items():
            found = [of(group, system=system, threads=threads) for system, threads in kinds]
            ours = {system: mean_of(of(group, system=system), seconds) for system in systems}
            able = [name for name, mean in ours.items() if mean is not None and mean <= gap]
            cells = [cell(some, seconds) or "-" for some in found]
            lines.append([instance, f"{gap:g} % in {seconds:g} s", *cells, ", ".join(able) or "no"])
    heads = [f"{name}, {n} thread{'s' * (n > 1)}" if n else name for name, n in kinds]
    return table(["instance", "aim", *heads, "reached"], lines, (0, 1, len(heads) + 2))


def found_after(row: Row) -> float:
    """Seconds after which a run had its best tour."""
    best = row["curve"][-1][2]
    return float(next(when for when, _, gap in row["curve"] if gap == best))


def mark(row: Row, iterations: int) -> tuple[float | None, float]:
    """Seconds and gap of a run after so many iterations."""
    return next((seconds, gap) for count, seconds, _, gap in row["marks"] if count == iterations)


def pairs(rows: list[Row]) -> str:
    """Two options of a colony at equal iterations: mean gaps, optima found, and p."""
    from scipy.stats import wilcoxon

    first, second = dict.fromkeys(row["option"] for row in rows)
    both: list[tuple[Row, Row]] = []
    for row in of(rows, option=first):
        same = {"instance": row["instance"], "seed": row["seed"]}
        both += [(row, other) for other in of(rows, option=second, **same)]
    lines = []
    for count in [each[0] for each in rows[0]["marks"]]:
        gaps = [[mark(row, count)[1] for row in pair] for pair in both]
        one, two = ([each[place] for each in gaps] for place in (0, 1))
        cells = [f"{statistics.mean(x):.4f} ({sum(gap <= 0 for gap in x)})" for x in (one, two)]
        p = wilcoxon(one, two).pvalue if one != two else 1.0
        lines.append([str(count), *cells, f"{p:.2g}"])
    head = ["iterations", f"`{first}`", f"`{second}`", f"p ({len(both)} pairs)"]
    return table(head, lines, ())
