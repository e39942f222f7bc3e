"""Reproduce the quality figures of Skinderowicz 2016 on a GPU: Table 9 and Fig. 6.

    python docs/measurements/acs_quality.py table9 TSPLIB_FOLDER OUT.json [NAME...]
    python docs/measurements/acs_quality.py equal_time TSPLIB_FOLDER OUT.json [NAME...]
    python docs/measurements/acs_quality.py fig6 TSPLIB_FOLDER OUT.json

With names, only those rows are measured; other rows that OUT.json has stay. After the names may
follow seeds=30 and share=0.2.

Table 9: ACS-GPU-Alt against ACS-GPU-SPM, 256 ants, local update every 4th step, 30 seeds unless
said otherwise, as many runs as the paper made. The paper gave both as long as ACS-GPU-Alt took for
1000 iterations with m = n and k = 1. On another GPU that time buys another number of iterations, so
here each run gets the iterations that it bought there: ACS-GPU-Alt by the times of Tables 3, 4 and
8; ACS-GPU-SPM, which ran with these parameters as fast as ACS-GPU-Alt with m = n and k = 1 (Fig.
10), 1000 n / 256.
All seeds run side by side on one GPU.

Equal time: the same, but both get the iterations that a share of the paper's seconds, a fifth
unless said otherwise, buys on this GPU, where each runs alone.

Fig. 6: the share of local and of global updates that find their trail in the selective memory,
against the memory's size s, with m = n and k = 1, over 500 iterations.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scipy.stats import ranksums

from gpu import catalog
from gpu.core import devices
from gpu.core.snapshot import Snapshot, Wanted
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.tsplib import load

# name: (seconds in the paper, milliseconds for n tours at k = 4, paper's mean errors Alt and SPM)
TABLE_9 = {
    "a280": (2.5, 2.0, 3.77, 1.50),
    "lin318": (2.84, 2.3, 1.89, 1.90),
    "pcb442": (5.52, 4.6, 2.69, 2.29),
    "rat783": (17.64, 14.4, 3.20, 2.51),
    "pr1002": (26.39, 21.3, 5.31, 3.06),
    "nrw1379": (56.77, 43.296, 4.09, 3.17),
    "pr2392": (174.51, 131.238, 6.05, 4.05),
}
ANTS = 256
TIMED = 512
"""Iterations whose time says how many a budget buys."""
SIDE_BY_SIDE = 30
SIZES = (1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32)
FIG_6 = ("a280", "pcb442", "pr1002")
FIG_6_ITERATIONS = 500


def run(
    instance: TspInstance, name: str, values: dict[str, int], seed: int, iterations: int
) -> Snapshot:
    """Run one colony and return its end."""
    device = devices.find("cuda")
    system = catalog.find(name, device)
    colony = catalog.build(system, instance, system.parameters.from_mapping(values), device, seed)
    try:
        while iterations > 0:
            colony.iterate(min(iterations, 128))
            iterations -= 128
        return colony.snapshot(Wanted.SOLUTION)
    finally:
        colony.close()


def bought(instance: TspInstance, name: str, values: dict[str, int], seconds: float) -> int:
    """Return the iterations that ``seconds`` buy on this GPU."""
    device = devices.find("cuda")
    system = catalog.find(name, device)
    colony = catalog.build(system, instance, system.parameters.from_mapping(values), device, 1)
    try:
        for count in (128, TIMED):
            colony.snapshot(Wanted.NUMBERS)
            start = time.perf_counter()
            colony.iterate(count)
            colony.snapshot(Wanted.NUMBERS)
        return round(seconds * TIMED / (time.perf_counter() - start))
    finally:
        colony.close()


def compare(
    folder: Path, names: Sequence[str], seeds: range, share: float | None
) -> list[dict[str, object]]:
    """One row an instance; without a share, as many iterations as in the paper."""
    rows: list[dict[str, object]] = []
    values = {"ants": ANTS, "update_period": 4}
    for name in names or TABLE_9:
        seconds, milliseconds, paper_alt, paper_spm = TABLE_9[name]
        instance = load(folder / f"{name}.tsp")
        budgets = {
            "acs-gpu-alt": round(seconds / (1e-3 * milliseconds * ANTS / instance.n)),
            "acs-gpu-spm": round(1000 * instance.n / ANTS),
        }
        row: dict[str, object] = {"instance": name, "optimum": instance.optimum}
        if share is not None:
            row |= {"share": share, "seconds": share * seconds}
            budgets = {c: bought(instance, c, values, share * seconds) for c in budgets}
        errors: dict[str, list[float]] = {}
        for (colony, iterations), paper in zip(
            budgets.items(), (paper_alt, paper_spm), strict=True
        ):
            start = time.perf_counter()
            with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
                ends = list(
                    pool.map(
                        lambda seed: run(instance, colony, values, seed, iterations),  # noqa: B023
                        seeds,
                    )
                )
            lengths = [end.best_cost for end in ends]
            errors[colony] = [instance.gap_percent(length) or 0.0 for length in lengths]
            row[colony] = {
                "iterations": iterations,
                "lengths": lengths,
                "mean_error": statistics.mean(errors[colony]),
                "best": min(lengths),
                "paper_mean_error": paper,
                "seconds_for_all_seeds": time.perf_counter() - start,
            }
        row["p_value"] = float(ranksums(errors["acs-gpu-alt"], errors["acs-gpu-spm"]).pvalue)
        rows.append(row)
        print(json.dumps(row), flush=True)
    return rows


def fig_6(folder: Path, names: Sequence[str]) -> list[dict[str, object]]:
    """One row an instance and size."""
    rows: list[dict[str, object]] = []
    for name in names or FIG_6:
        instance = load(folder / f"{name}.tsp")
        for size in SIZES:
            end = run(instance, "acs-gpu-spm", {"memory": size}, 1, FIG_6_ITERATIONS)
            assert end.updates is not None
            rows.append(
                {
                    "instance": name,
                    "s": size,
                    "local": end.updates.local_ratio,
                    "global": end.updates.global_ratio,
                    "best_length": end.best_cost,
                }
            )
            print(json.dumps(rows[-1]), flush=True)
    return rows


def main() -> None:
    """Measure, and write the rows as JSON."""
    what, folder, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    names = [word for word in sys.argv[4:] if "=" not in word]
    options = dict(word.split("=") for word in sys.argv[4:] if "=" in word)
    seeds = range(1, 1 + int(options.get("seeds", "30")))
    share = float(options.get("share", "0.2"))
    measures: dict[str, Callable[[], list[dict[str, object]]]] = {
        "table9": lambda: compare(folder, names, seeds, None),
        "equal_time": lambda: compare(folder, names, seeds, share),
        "fig6": lambda: fig_6(folder, names),
    }
    rows = measures[what]()
    done = {row["instance"] for row in rows}
    if out.exists():
        before = json.loads(out.read_text())["rows"]
        rows = [row for row in before if row["instance"] not in done] + rows
    measured = {"device": str(devices.find("cuda")), "rows": rows}
    out.write_text(json.dumps(measured, indent=1) + "\n")


if __name__ == "__main__":
    main()
