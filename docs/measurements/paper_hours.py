"""Foresees how long each table and figure of a paper takes on an H100 and one core of its host.

From the runs in docs/papers/results: the mean seconds of a configuration on an instance, times the
runs of the study, one after the other. Runs that ended before the paper's count as long as they
would have taken to its iterations or solutions. An instance that was not run counts as (its cities
over those of one that was)² times as long, on average over those that were. ``--write`` puts the
hours into the items' files, for whose list they are.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path

from gpu.batch.papers import Item, items
from gpu.problems.bundled import published_size

RESULTS = Path(__file__).resolve().parents[1] / "papers" / "results"

Known = dict[str, tuple[int, float]]
"""Cities or vertices of instances, and the seconds of a run on them, by name."""

_MEANS = """
    SELECT configurations.label, instances.name, instances.n, hosts.description, avg(seconds),
        avg(iterations), avg(solutions)
    FROM runs JOIN configurations ON configurations.id = configuration
    JOIN instances ON instances.id = instance JOIN hosts ON hosts.id = host
    WHERE state = 'done' GROUP BY 1, 2, 3, 4
"""


def hours(item: Item) -> float | None:
    """Return the hours of the whole study of ``item``; None if nothing of it was run."""
    kept = RESULTS / f"{item.path.stem}.sqlite"
    if not kept.exists():
        return None
    with closing(sqlite3.connect(kept)) as results:
        measured: dict[str, Known] = defaultdict(dict)
        for label, name, n, host, seconds, *made in results.execute(_MEANS):
            told = json.loads(host)
            at_once = told["at_once"].get(told["device"].split(":")[0], 1)
            alone = seconds / (at_once if "cuda" in told["device"] else 1)
            measured[label][name] = n, alone * _longer(item, name, *made)
    total = 0.0
    for colony in item.design.colonies:
        for values in colony.combinations:
            known = measured[colony.label_of(values)] or _of_any(measured)
            if not known:
                return None
            for name in colony.instances or item.design.instances:
                total += _seconds(name, known) * len(item.design.seeds)
    return float(f"{total / 3600:.2g}")


def _longer(item: Item, name: str, iterations: float, solutions: float) -> float:
    """Return how many times as long a run on the instance ``name`` takes if it is not cut short."""
    budget = item.design.budget_of(name)
    wanted = ((budget.iterations, iterations), (budget.solutions, solutions))
    shares = [most / made for most, made in wanted if most and made]
    return max(1.0, *shares) if shares else 1.0


def _seconds(name: str, known: Known) -> float:
    """Return the seconds of a run on the instance ``name``."""
    if name in known:
        return known[name][1]
    n = published_size(name)
    assert n is not None, name
    return sum(seconds * (n / other) ** 2 for other, seconds in known.values()) / len(known)


def _of_any(measured: dict[str, Known]) -> Known:
    """Return what is known of any configuration, for one that was not run."""
    return next(filter(None, measured.values()), {})


def main() -> None:
    """Print the hours of every item, or write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    for item in items():
        found = hours(item)
        print(f"{item.name}  {found} h")
        if write and found is not None:
            text = re.sub(r"^h100_hours = .*\n", "", item.text, flags=re.MULTILINE)
            put = f"\\1h100_hours = {found:g}\n"
            item.path.write_text(re.sub(r"^(cpu = .*\n)", put, text, count=1, flags=re.M), "utf-8")


if __name__ == "__main__":
    main()
