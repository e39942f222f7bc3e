"""Measure how soon a run stops, in the midst of an iteration that takes long.

    python docs/measurements/stops.py FILE COLONY [--device cuda] [--local-search 2opt+oropt]
        [--ants M] [--seconds 2]

A colony works on FILE for so many seconds, as in a run, and is then told to stop. Printed is how
long its thread needs to answer, and how long the device works on.
"""

from __future__ import annotations

import argparse
import time
from contextlib import closing
from pathlib import Path

from gpu import catalog
from gpu.problems.loading import load_instance
from gpu.run.session import choose
from gpu.run.slices import SLICE


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("colony")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--local-search")
    parser.add_argument("--ants", type=int)
    parser.add_argument("--seconds", type=float, default=2.0)
    chosen = parser.parse_args()
    instance = load_instance(chosen.file)
    place, system = choose(chosen.colony, chosen.device)
    asked = {"local_search": chosen.local_search, "ants": chosen.ants}
    values = {name: value for name, value in asked.items() if value is not None}
    parameters = system.parameters.from_mapping(values).resolved(instance.n)
    with closing(catalog.build(system, instance, parameters, place, seed=1)) as colony:
        end = time.perf_counter() + chosen.seconds
        while (now := time.perf_counter()) < end:
            slice_end = min(end, now + SLICE)
            colony.iterate(1, lambda at=slice_end: time.perf_counter() >= at)  # type: ignore[misc]
        answered = time.perf_counter()
    idle = time.perf_counter()
    row = chosen.file.stem, system.name, chosen.local_search or "", f"{answered - end:.2f}"
    print(f"| {' | '.join(row)} | {idle - end:.2f} |")


if __name__ == "__main__":
    main()
