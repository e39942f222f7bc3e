"""Foresees how long tables and figures of papers take on an H100 or H200 and a core of its host.

From the results that come with the program: the mean seconds of a configuration on an instance,
times the runs of the study, one after the other. A run that was cut counts as the whole one that it
is a part of: a run of 25 of 1,000 iterations forty times as long. An instance that was not run
counts as (its cities over those of one that was)² times as long, on average over those that were.
``--write`` puts the hours into the items' files, for whose list they are.
"""

from __future__ import annotations

import argparse
import math
import re
from collections import defaultdict
from statistics import mean

from gpu.papers.coverage import Ended, unreached
from gpu.papers.items import Item, items
from gpu.problems.bundled import published_size
from gpu.run.stopping import StopSettings
from gpu.studies.cases import DONE
from gpu.studies.design import ColonyDesign
from gpu.studies.store import read_results

Known = dict[str, tuple[int, float]]
"""Cities or vertices of instances, and the seconds of a run on them, by name."""


def whole_seconds(budget: StopSettings, end: Ended) -> float:
    """Return the seconds of the whole run that a run is a part of, or all of."""
    lacks = unreached(budget, end)
    return end.seconds * getattr(budget, lacks) / getattr(end, lacks) if lacks else end.seconds


def hours(item: Item) -> float | None:
    """Return the hours of the whole study of ``item``; None if nothing of it was run."""
    if not item.kept_results.is_file():
        return None
    alone: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    for row in read_results(item.kept_results).rows:
        if row.state == DONE and row.iterations:
            device = row.host["device"].split(":")[0]
            at_once = row.host["at_once"].get(device, 1) if device == "cuda" else 1
            seconds = whole_seconds(item.design.budget_of(row.instance), row)
            alone[row.label, row.instance, row.n].append(seconds / at_once)
    measured: dict[str, Known] = defaultdict(dict)
    for (label, name, n), several in alone.items():
        measured[label][name] = n, mean(several)
    total = 0.0
    for colony in item.design.colonies:
        for values in colony.combinations:
            alike = [one for one in item.design.colonies if one.device == colony.device]
            known = measured[colony.label_of(values)] or _of_any(measured, alike)
            if not known:
                return None
            for name in colony.instances or item.design.instances:
                limit = item.design.budget_of(name, colony).seconds or math.inf
                total += min(_seconds(name, known), limit) * len(item.design.seeds)
    return float(f"{total / 3600:.2g}")


def _seconds(name: str, known: Known) -> float:
    """Return the seconds of a run on the instance ``name``."""
    if name in known:
        return known[name][1]
    n = published_size(name)
    assert n is not None, name
    return sum(seconds * (n / other) ** 2 for other, seconds in known.values()) / len(known)


def _of_any(measured: dict[str, Known], colonies: list[ColonyDesign]) -> Known:
    """Return what is known of any configuration of ``colonies``, for one that was not run."""
    labels = (one.label_of(values) for one in colonies for values in one.combinations)
    return next(filter(None, (measured[label] for label in labels)), {})


def main() -> None:
    """Print the hours of every item, or write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    for item in items():
        found = hours(item)
        print(f"{item.name}  {found} h")
        if write:
            text = re.sub(r"^h100_hours = .*\n", "", item.text, flags=re.MULTILINE)
            put = "\\1" if found is None else f"\\1h100_hours = {found:g}\n"
            item.path.write_text(re.sub(r"^(cpu = .*\n)", put, text, count=1, flags=re.M), "utf-8")


if __name__ == "__main__":
    main()
