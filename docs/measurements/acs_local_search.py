"""Measure what local search costs the Ant Colony Systems, and what it gains them.

    python docs/measurements/acs_local_search.py TSPLIB_FOLDER [NAME...] [OPTION=VALUE...]

For each instance and each colony that the device runs, a line for every kind of local search:
milliseconds an iteration, with their share by phase, moves an iteration, and the gap after some
seconds. Options are device=cuda:0, ants=256, seconds=10 and seed=1.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

from gpu import catalog
from gpu.core import devices
from gpu.core.colony import Colony
from gpu.core.snapshot import Wanted
from gpu.core.system import System
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.tsplib import load

INSTANCES = ("pr1002", "pr2392")
KINDS = ("none", "2opt", "2opt+oropt")
DEFAULTS = {"device": "cuda:0", "ants": "256", "seconds": "10", "seed": "1"}
REPEATS = 5


def main(arguments: list[str]) -> None:
    """Measure what the arguments name."""
    chosen = DEFAULTS | dict(one.split("=", 1) for one in arguments if "=" in one)
    folder, *names = (one for one in arguments if "=" not in one)
    device = devices.find(chosen["device"])
    print(f"{device.model}, {chosen['ants']} ants, gaps after {chosen['seconds']} s")
    for name in names or INSTANCES:
        instance = load(Path(folder, f"{name}.tsp"))
        for system in catalog.CATALOG:
            if system.alias in ("acs", "acs-spm") and system.runs_on(device):
                for kind in KINDS:
                    print(name, system.name, kind, measured(instance, system, kind, chosen))


def measured(instance: TspInstance, system: System, kind: str, chosen: dict[str, str]) -> str:
    """Return a line about one colony."""
    device = devices.find(chosen["device"])
    parameters = system.parameters.from_mapping({"ants": chosen["ants"], "local_search": kind})
    colony = catalog.build(system, instance, parameters, device, int(chosen["seed"]))
    try:
        begin = time.perf_counter()
        while time.perf_counter() - begin < float(chosen["seconds"]):
            colony.iterate(1)
            shown = colony.snapshot(Wanted.NUMBERS)
        times = [colony.timed_iteration() for _ in range(REPEATS)]
        phases = {name: statistics.median(one[name] for one in times) for name in times[0]}
        parts = ", ".join(f"{name} {spent:.3f}" for name, spent in phases.items())
        moves = shown.improvements
        made = f", moves {moves.two_opt} + {moves.or_opt}" if moves else ""
        gap = instance.gap_percent(shown.best_cost)
        found = f"{shown.best_cost}" + (f" ({gap:.3f} %)" if gap is not None else "")
        return f"{iteration_of(colony):.3f} ms ({parts}){made}: {found} in {shown.iteration}"
    finally:
        colony.close()


def iteration_of(colony: Colony) -> float:
    """Return the milliseconds that an iteration takes among many, the median of some runs."""
    spent = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        colony.iterate(10)
        colony.snapshot(Wanted.NUMBERS)
        spent.append(100 * (time.perf_counter() - begin))
    return statistics.median(spent)


if __name__ == "__main__":
    main(sys.argv[1:])
