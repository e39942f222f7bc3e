"""Measure the MAX-MIN Ant Systems on a GPU: speed, quality, and local search.

    python docs/measurements/mmas_measure.py speed TSPLIB_FOLDER OUT.json [NAME...]
    python docs/measurements/mmas_measure.py warps TSPLIB_FOLDER OUT.json [NAME...]
    python docs/measurements/mmas_measure.py quality TSPLIB_FOLDER OUT.json [NAME...]
    python docs/measurements/mmas_measure.py search TSPLIB_FOLDER OUT.json [NAME...]
    python docs/measurements/mmas_measure.py curve TSPLIB_FOLDER OUT.json [NAME...]

speed: all variants, m = n, in milliseconds by phase. warps: construction by the warps an ant.
quality: best lengths of the six variants without lists after 100 iterations, each run with a seed
of its own, as in the paper's Table 8. search: with candidate lists and local search, 800 ants,
seconds until the best tour is as good as the paper's mean (Tables 9 and 10), a seed a run. curve:
error against time. Kernels are compiled before.

After the names may follow kinds=2opt,2opt+oropt of search and curve, seeds=10 of search and
quality, seconds=60 of curve, and device=cpu of quality, which then runs the CPU's colonies that
build the same tours. What was measured is added to OUT.json, and replaces what stands there for
the same instance and kind.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gpu import catalog
from gpu.core import devices
from gpu.core.colony import Colony
from gpu.core.errors import FormicariumError
from gpu.core.snapshot import Wanted
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.tsplib import load

INSTANCES = ("d198", "pcb442", "rat783", "pr1002", "pcb1173", "pr2392")

ALL_CITIES = tuple(f"mmas-{draw}-{tabu}" for draw in ("rwm", "wrs") for tabu in ("bt", "ct", "lc"))
LISTED = tuple(f"{name}-cl" for name in ALL_CITIES)

REPEATS = 9
WARPS = (1, 2, 3, 4, 6, 8)
WARPS_OF = ("mmas-rwm-bt", "mmas-rwm-lc", "mmas-wrs-bt", "mmas-wrs-ct")

QUALITY_ITERATIONS = 100

ANTS = 800
SLOW, QUICK, LARGE = 0.3, 0.5, 7000
"""Evaporation of the colonies with local search: as in the paper quicker from so many cities on."""

PATIENCE = 250
"""Iterations in vain after which those colonies begin anew if their trails have settled."""

TARGETS = {
    "pr1002": (0.26, 4.0),
    "pr2392": (0.49, 10.3),
    "fnl4461": (0.58, 34.9),
    "rl5915": (0.38, 49.3),
    "pla7397": (0.54, 58.0),
    "rl11849": (0.58, 247.4),
    "usa13509": (0.93, 224.2),
    "brd14051": (1.14, 228.4),
    "d15112": (0.86, 404.2),
    "d18512": (0.96, 335.5),
}
"""The paper's mean error in % and seconds on a V100 (Tables 9 and 10)."""


def build(
    instance: TspInstance,
    name: str,
    values: dict[str, object],
    seed: int = 1,
    where: str = "cuda",
) -> Colony:
    """Build a colony on the GPU, or the one on the CPU that builds the same tours."""
    device = devices.find(where)
    if device.kind == "cpu":
        drawing = "stc-roulette" if name.endswith(("lc", "ct")) else "roulette"
        values = {**values, "selection": "wrs" if "wrs" in name else drawing}
        name = "mmas"
    system = catalog.find(name, device)
    return catalog.build(system, instance, system.parameters.from_mapping(values), device, seed)


def cell(colony: Colony) -> dict[str, float]:
    """Medians of the phases of some iterations, in milliseconds, and of whole ones in a row."""
    colony.iterate(3)
    colony.timed_iteration()
    phases = [colony.timed_iteration() for _ in range(REPEATS)]
    start = time.perf_counter()
    colony.iterate(2 * REPEATS)
    colony.snapshot(Wanted.NUMBERS)
    whole = 1e3 * (time.perf_counter() - start) / (2 * REPEATS)
    return {"whole": whole, **{p: statistics.median(each[p] for each in phases) for p in phases[0]}}


def timed(instance: TspInstance, name: str, values: dict[str, object]) -> dict[str, Any]:
    """A row of milliseconds, or why there is none."""
    row: dict[str, Any] = {"system": name, **values}
    try:
        colony = build(instance, name, values)
    except FormicariumError as error:
        return {**row, "refused": str(error)}
    row |= cell(colony)
    colony.close()
    return row


def speed(instance: TspInstance) -> Iterator[dict[str, Any]]:
    """Time every variant, and the quickest with weights of full precision."""
    for name in (*ALL_CITIES, *LISTED):
        yield timed(instance, name, {})
    yield timed(instance, "mmas-rwm-bt", {"weights": "full"})


def warps(instance: TspInstance) -> Iterator[dict[str, Any]]:
    """Time the construction by the warps that work for an ant."""
    for name in WARPS_OF:
        for count in WARPS:
            yield timed(instance, name, {"warps": count})


def quality(instance: TspInstance, where: str, runs: int) -> Iterator[dict[str, Any]]:
    """Best lengths of the six variants; no two runs have the same seed."""
    for place, name in enumerate(ALL_CITIES):
        lengths = []
        for run in range(runs):
            seed = 1 + len(ALL_CITIES) * run + place
            colony = build(instance, name, {}, seed, where)
            colony.iterate(QUALITY_ITERATIONS)
            lengths.append(colony.snapshot(Wanted.SOLUTION).best_cost)
            colony.close()
        yield {"system": name, "lengths": lengths, "optimum": instance.optimum}


def settings(instance: TspInstance, kind: str) -> dict[str, object]:
    """Of a colony with local search."""
    return {
        "ants": ANTS,
        "rho": SLOW if instance.n < LARGE else QUICK,
        "deposit": "schedule",
        "restart": PATIENCE,
        "local_search": kind,
    }


def warm_up(instance: TspInstance, kind: str) -> None:
    """Have the kernels compiled."""
    colony = build(instance, "mmas-rwm-bt-cl", settings(instance, kind))
    colony.iterate(1)
    colony.snapshot(Wanted.SOLUTION)
    colony.close()


def follow(
    instance: TspInstance, kind: str, seed: int, gap: float, seconds: float
) -> list[tuple[float, int, float]]:
    """Run until the gap or the time is reached; seconds, iterations and error of improvements.

    Time counts from before the colony is built, its neighbour lists included.
    """
    start = time.perf_counter()
    colony = build(instance, "mmas-rwm-bt-cl", settings(instance, kind), seed)
    found: list[tuple[float, int, float]] = []
    error = float("inf")
    while error > gap and time.perf_counter() - start < seconds:
        colony.iterate(1)
        shot = colony.snapshot(Wanted.NUMBERS)
        best = instance.gap_percent(shot.best_cost)
        assert best is not None
        if best < error:
            error = best
            found.append((time.perf_counter() - start, shot.iteration, error))
    colony.snapshot(Wanted.SOLUTION)  # checks the tour
    found.append((time.perf_counter() - start, colony.snapshot(Wanted.NUMBERS).iteration, error))
    colony.close()
    return found


def search(instance: TspInstance, kinds: tuple[str, ...], seeds: range) -> Iterator[dict[str, Any]]:
    """Seconds to the paper's mean error, at most half of the paper's seconds."""
    gap, seconds = TARGETS[instance.name]
    for kind in kinds:
        warm_up(instance, kind)
        row = {"kind": kind, "settings": settings(instance, kind)}
        runs = []
        for seed in seeds:
            runs.append(follow(instance, kind, seed, gap, seconds / 2)[-1])
            yield {**row, "runs": runs}


def curve(
    instance: TspInstance, kinds: tuple[str, ...], seconds: float
) -> Iterator[dict[str, Any]]:
    """Error against time, for at most half as long as the paper's runs took."""
    most = min(seconds, TARGETS[instance.name][1] / 2)
    for kind in kinds:
        warm_up(instance, kind)
        row = {"kind": kind, "settings": settings(instance, kind)}
        yield {**row, "curve": follow(instance, kind, 1, 0.0, most)}


def main() -> None:
    """Measure, and write the rows as JSON as they come."""
    what, folder, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    names = [name for name in sys.argv[4:] if "=" not in name]
    options = dict(word.split("=") for word in sys.argv[4:] if "=" in word)
    kinds = tuple(options.get("kinds", "2opt,2opt+oropt").split(","))
    seeds = range(1, 1 + int(options.get("seeds", "10")))
    seconds, where = float(options.get("seconds", "inf")), options.get("device", "cuda")
    measures: dict[str, Callable[[TspInstance], Iterator[dict[str, Any]]]] = {
        "speed": speed,
        "warps": warps,
        "quality": lambda instance: quality(instance, where, len(seeds)),
        "search": lambda instance: search(instance, kinds, seeds),
        "curve": lambda instance: curve(instance, kinds, seconds),
    }
    device = str(devices.find(where))
    measured = json.loads(out.read_text()) if out.exists() else {"rows": []}
    for name in names or INSTANCES:
        instance = load(folder / f"{name}.tsp")
        for row in measures[what](instance):
            new = {"what": what, "instance": name, "n": instance.n, "device": device, **row}
            key = ("what", "instance", "system", "warps", "weights", "kind")
            measured["rows"] = [
                old for old in measured["rows"] if any(old.get(k) != new.get(k) for k in key)
            ]
            measured["rows"].append(new)
            print(json.dumps(new), flush=True)
            out.write_text(json.dumps(measured, indent=1) + "\n")


if __name__ == "__main__":
    main()
