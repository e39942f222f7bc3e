"""The tables of the pages on focused colonies, crossing colonies and Focused ACO."""

from __future__ import annotations

import statistics

from runs import Row
from tables import Sources, grouped, table

MARKS = (1.0, 2.0, 5.0, 10.0, 20.0)
GPU_MARKS = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 10.0, 20.0)
CROSSING_MARKS = (0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 10.0, 20.0)


def gap_at(row: Row, seconds: float) -> float | None:
    """The gap in % that a run had after so many seconds; None if it had no tour of its own yet."""
    found = [gap for when, _, gap in row.get("curve", ()) if when <= seconds]
    return found[-1] if found else None


def cell(rows: list[Row], seconds: float) -> str:
    """The mean gap of several runs, and the largest where they differ."""
    gaps = [gap_at(row, seconds) for row in rows]
    known = [gap for gap in gaps if gap is not None]
    if not known or len(known) < len(gaps):
        return ""
    mean, worst = statistics.mean(known), max(known)
    return f"{mean:.3f}" if worst - mean < 0.0005 else f"{mean:.3f} ({worst:.3f})"


def by_time(rows: list[Row], rivals: list[Row]) -> str:
    """Gaps of a colony at each mark, and those of fast-tsp."""
    lines = []
    theirs = grouped(rivals)
    for name, group in grouped(rows).items():
        other = theirs.get(name, [])
        ours = [cell(group, mark) for mark in MARKS]
        rival = [cell(other, mark) or "refused" for mark in (5.0, 20.0)]
        lines.append([name, str(group[0]["n"]), *ours, *rival])
    means = []
    for group_of, marks in ((grouped(rows), MARKS), (theirs, (5.0, 20.0))):
        for mark in marks:
            both = [name for name, of in theirs.items() if all("curve" in row for row in of)]
            gaps = [gap_at(row, mark) for name in both for row in group_of[name]]
            whole = bool(gaps) and None not in gaps
            means.append(
                f"{statistics.mean(g for g in gaps if g is not None):.3f}" if whole else ""
            )
    lines.append(["mean, where both ran", "", *means])
    head = [f"{mark:g} s" for mark in MARKS]
    return table(["instance", "n", *head, "fast-tsp 5 s", "20 s"], lines)


def former(rows: list[Row], before: list[Row]) -> str:
    """Gaps after 5 s: the focused colony, and those that were chosen before."""
    systems = list(dict.fromkeys(row["system"] for row in before))
    lines = []
    for name, group in grouped(before).items():
        own = cell(grouped(rows).get(name, []), 5.0)
        cells = [cell([row for row in group if row["system"] == each], 6.0) for each in systems]
        lines.append([name, own, *cells])
    return table(["instance", "focused-cores", *systems], lines)


def directed(rows: list[Row]) -> str:
    """Gaps after 5 s of directed instances, and when the tour was found."""
    systems = list(dict.fromkeys(row["system"] for row in rows))
    lines = []
    for name, group in grouped(rows).items():
        line = [name, str(group[0]["n"])]
        for system in systems:
            own = [row for row in group if row["system"] == system]
            whens = [_found(row) for row in own]
            line += [cell(own, 6.0), f"{statistics.mean(whens):.2f}"]
        lines.append(line)
    head = [text for system in systems for text in (f"{system}: gap %", "found after s")]
    return table(["instance", "n", *head], lines)


def on_gpu(rows: list[Row], rivals: list[Row]) -> str:
    """Gaps of focused-gpu at each mark, and those of fast-tsp at the last one."""
    lines, theirs = [], grouped(rivals)
    for name, group in grouped(rows).items():
        limit = group[0]["limit"]
        marks = [cell(group, mark) if mark <= limit else "" for mark in GPU_MARKS]
        last = max(mark for mark in GPU_MARKS if mark <= limit)
        other = theirs.get(name, [])
        rival = [
            cell([row for row in other if row["threads"] == threads], last) for threads in (1, 8)
        ]
        lines.append([name, str(group[0]["n"]), *marks, *rival])
    head = [f"{mark:g} s" for mark in GPU_MARKS]
    return table(["instance", "n", *head, "fast-tsp, 1 thread", "8 threads"], lines)


def crossing_on_gpu(rows: list[Row]) -> str:
    """Gaps of crossing-gpu at each mark."""
    lines = []
    for name, group in grouped(rows).items():
        marks = [cell(group, m) if m <= group[0]["limit"] else "" for m in CROSSING_MARKS]
        lines.append([name, str(group[0]["n"]), str(len(group)), *marks])
    return table(["instance", "n", "runs", *(f"{mark:g} s" for mark in CROSSING_MARKS)], lines)


def gpu_former(rows: list[Row]) -> str:
    """Gap after 3 s, and when it was found: the focused colony, and what was chosen before."""
    lines = []
    for name, group in grouped(rows).items():
        ends = [f"{row['curve'][-1][2]:.3f} ({_found(row):.1f} s)" for row in group]
        lines.append([name, str(group[0]["n"]), *ends])
    systems = dict.fromkeys(row["system"] for row in rows)
    return table(["instance", "n", *systems], lines)


def new_edges(rows: list[Row]) -> str:
    """Mean gap, and the largest, for each way to decide how many new edges an ant makes."""
    options, lines, means = list(dict.fromkeys(row["option"] for row in rows)), [], []
    for name, group in grouped(rows).items():
        gaps = {row["option"]: _gaps(row) for row in group}
        cells = [f"{statistics.mean(gaps[each]):.3f} ({max(gaps[each]):.3f})" for each in options]
        lines.append([name, str(group[0]["n"]), *cells])
    for each in options:
        every = [statistics.mean(_gaps(row)) for row in rows if row["option"] == each]
        means.append(f"{statistics.mean(every):.3f}")
    return table(["instance", "n", *options], [*lines, ["mean", "", *means]])


def _gaps(row: Row) -> list[float]:
    """The gaps in % of several runs."""
    return [100 * (length / row["optimum"] - 1) for length in row["lengths"]]


def _found(row: Row) -> float:
    """Seconds after which a run had its best tour."""
    best = row["curve"][-1][2]
    return float(next(when for when, _, gap in row["curve"] if gap == best))


def focused(sources: Sources) -> dict[str, str]:
    """The focused colonies against time, and against what else there is."""
    kinds = ("focused-report", "focused-rival", "focused-former")
    rows, rivals, before = (sources.rows("focused", kind) for kind in kinds)
    one_way = sources.rows("focused_directed", "focused-directed")
    fast = sources.rows("focused_gpu", "focused-gpu")
    others = sources.rows("focused_gpu", "focused-gpu-rival")
    before_gpu = sources.rows("focused_gpu", "focused-gpu-former")
    return {
        "on_gpu": sources.under(on_gpu(fast, others), [*fast, *others]),
        "gpu_former": sources.under(gpu_former(before_gpu), before_gpu),
        "by_time": sources.under(by_time(rows, rivals), [*rows, *rivals]),
        "former": sources.under(former(rows, before), before),
        "directed": sources.under(directed(one_way), one_way),
    }


def crossing(sources: Sources) -> dict[str, str]:
    """The crossing colonies against time."""
    rows, rivals = (sources.rows("focused", kind) for kind in ("crossing-report", "focused-rival"))
    on_device = sources.rows("focused_gpu", "crossing-gpu", "crossing-gpu-large")
    return {
        "crossing": sources.under(by_time(rows, rivals), rows and [*rows, *rivals]),
        "crossing_gpu": sources.under(crossing_on_gpu(on_device), on_device),
    }


def faco(sources: Sources) -> dict[str, str]:
    """Numbers of new edges."""
    rows = sources.rows("faco", "faco-edges")
    return {"new_edges": sources.under(new_edges(rows), rows)}
