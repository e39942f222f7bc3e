"""Measure the coloring colony on one CPU core: what it should deposit, and Table I of the paper.

    python docs/measurements/coloring_cpu.py reward DIMACS_FOLDER OUT.json
    python docs/measurements/coloring_cpu.py table DIMACS_FOLDER OUT.json [NAME...]

Reward: colors after 50 iterations with m = 0.2 n, for several L and both ways to deposit.

Table: the same with the defaults, on the six graphs of Table I of Murooka et al. (2017): colors of
each seed, and the seconds of processor time that the 50 iterations took, by selection. Times are
those of a core of which nobody else takes a share, so the least of the seeds is given too.

Parts that OUT.json has of other measurements stay.
"""

from __future__ import annotations

import json
import platform
import statistics
import sys
import time
from contextlib import closing
from pathlib import Path

from gpu import catalog
from gpu.core import devices
from gpu.core.snapshot import Wanted
from gpu.problems.coloring.dimacs import load_graph
from gpu.problems.coloring.instance import GraphInstance, unique_edges
from gpu.rlf.cpu import colony as rlf
from gpu.rlf.parameters import ColoringCpuParameters

ITERATIONS = 50

# name: colors and seconds on the paper's CPU (Intel Core i7-4790)
TABLE_I = {
    "DSJC500.1": (18, 12.452),
    "DSJC500.5": (68, 10.454),
    "DSJC500.9": (167, 10.232),
    "DSJC1000.1": (28, 100.866),
    "DSJC1000.5": (121, 84.922),
    "DSJC1000.9": (309, 49.551),
}
SEEDS = {500: 5, 1000: 2}
REWARDS = (1, 10, 30, 100, 300, 1000, 10000)
REWARD_GRAPHS = {"DSJC500.1": 2, "DSJC500.5": 2, "DSJC500.9": 2, "DSJC1000.5": 1}
"""Graphs, and the seeds on each."""


def run(graph: GraphInstance, seed: int, **values: object) -> tuple[int, float]:
    """Return the colors after all iterations, and the seconds of processor time they took."""
    device = devices.find("cpu:1")
    system = catalog.find("aco-rlf-seq", device)
    parameters = system.parameters.from_mapping(values).resolved(graph.n)
    with closing(catalog.build(system, graph, parameters, device, seed)) as colony:
        begin = time.process_time()
        colony.iterate(ITERATIONS)
        seconds = time.process_time() - begin
        return colony.snapshot(Wanted.SOLUTION).best_cost, seconds


def reward(folder: Path) -> list[dict[str, object]]:
    """Measure colors for every reward and deposit."""
    rows: list[dict[str, object]] = []
    for name, seeds in REWARD_GRAPHS.items():
        graph = load_graph(folder / f"{name}.col")
        for deposit in ("class", "tour"):
            for amount in REWARDS:
                colors = [
                    run(graph, seed, reward=amount, deposit=deposit)[0]
                    for seed in range(1, seeds + 1)
                ]
                rows.append({"graph": name, "deposit": deposit, "reward": amount, "colors": colors})
                print(rows[-1], flush=True)
    return rows


def table(folder: Path, names: list[str]) -> list[dict[str, object]]:
    """Measure the rows of Table I."""
    rows: list[dict[str, object]] = []
    for name in names or TABLE_I:
        graph = load_graph(folder / f"{name}.col")
        paper_colors, paper_seconds = TABLE_I[name]
        for selection in ("wheel", "hybrid"):
            seeds = SEEDS[graph.n] if selection == "wheel" else 1
            runs = [run(graph, seed, selection=selection) for seed in range(1, seeds + 1)]
            colors, seconds = [one[0] for one in runs], [round(one[1], 3) for one in runs]
            rows.append(
                {
                    "graph": name,
                    "selection": selection,
                    "colors": colors,
                    "mean_colors": statistics.mean(colors),
                    "seconds": seconds,
                    "median_seconds": statistics.median(seconds),
                    "least_seconds": min(seconds),
                    "paper_colors": paper_colors,
                    "paper_seconds": paper_seconds,
                }
            )
            print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Measure what the command line asks for."""
    kind, folder, out, *names = sys.argv[1:]
    small = GraphInstance("path", "", 3, unique_edges([(0, 1), (1, 2)]))
    rlf.RlfCpuColony(small, ColoringCpuParameters(), 0, threads=1).close()  # compiles
    rows = reward(Path(folder)) if kind == "reward" else table(Path(folder), names)
    path = Path(out)
    found = json.loads(path.read_text()) if path.exists() else {}
    kept = [row for row in found.get(kind, []) if names and row["graph"] not in names]
    found["processor"] = devices.find("cpu:1").model
    found["python"] = platform.python_version()
    found["iterations"] = ITERATIONS
    found[kind] = [*kept, *rows]
    path.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
