"""Time the GPU colonies: milliseconds per iteration and per construction, instance by instance.

    python docs/measurements/acs_speed.py TSPLIB_FOLDER [NAME...]

Whole iterations are timed by wall clock over many replays of the graph, construction by device
events; both are the median of repeats after a warm-up.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

from gpu import catalog
from gpu.core import devices
from gpu.core.snapshot import Wanted
from gpu.problems.tsp.tsplib import load

INSTANCES = ("d198", "a280", "lin318", "pcb442", "rat783", "pr1002", "nrw1379", "pr2392")
RUNS: tuple[tuple[str, dict[str, int]], ...] = (
    ("acs-gpu", {}),
    ("acs-gpu-alt", {}),
    ("acs-gpu-spm", {}),
    ("acs-gpu-alt", {"ants": 256, "update_period": 4}),
    ("acs-gpu-spm", {"ants": 256, "update_period": 4}),
)
REPEATS = 7


def measure(folder: Path, name: str, colony_name: str, values: dict[str, int]) -> str:
    """One line of the table."""
    device = devices.find("cuda")
    system = catalog.find(colony_name, device)
    instance = load(folder / f"{name}.tsp")
    colony = catalog.build(system, instance, system.parameters.from_mapping(values), device, seed=1)
    colony.iterate(32)
    colony.snapshot(Wanted.NUMBERS)
    count = 16
    while True:  # long enough for a clock to be exact
        start = time.perf_counter()
        colony.iterate(count)
        colony.snapshot(Wanted.NUMBERS)
        if time.perf_counter() - start > 0.05:
            break
        count *= 2
    whole, construction = [], []
    for _ in range(REPEATS):
        start = time.perf_counter()
        colony.iterate(count)
        colony.snapshot(Wanted.NUMBERS)
        whole.append(1e3 * (time.perf_counter() - start) / count)
    for _ in range(REPEATS):
        time.sleep(0)
        construction.append(colony.timed_iteration()["construction"])
    snapshot = colony.snapshot(Wanted.EVERYTHING)
    colony.close()
    steps = instance.n
    m = values.get("ants", instance.n)
    middle = statistics.median(whole)
    return (
        f"{name:10s} {colony_name:12s} m={m:<6d} k={values.get('update_period', 1)}  "
        f"{middle:9.4f} / {statistics.median(construction):9.4f} ms  "
        f"{1e3 * middle / steps:7.4f} us/step  best {snapshot.best_cost} "
        f"after {snapshot.iteration}"
    )


def main() -> None:
    """Print the table."""
    folder = Path(sys.argv[1])
    for name in sys.argv[2:] or INSTANCES:
        for colony_name, values in RUNS:
            print(measure(folder, name, colony_name, values), flush=True)


if __name__ == "__main__":
    main()
