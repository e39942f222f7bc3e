"""Measure the Ant Systems on a GPU: speed, the ways of updating and of choosing, and quality.

    python docs/measurements/as_measure.py speed TSPLIB_FOLDER OUT.json [NAME...]
    python docs/measurements/as_measure.py options TSPLIB_FOLDER OUT.json [NAME...]
    python docs/measurements/as_measure.py quality TSPLIB_FOLDER OUT.json [NAME...]

speed: every system that runs on the GPU, m = n, and the sequential one on one core of its host:
milliseconds of whole iterations by wall clock (the mean of up to 100, as in the papers, or of as
many as fit a time), and by phase. options: the five pheromone updates, two powers, two ways to
launch. quality: best lengths after 1000 iterations, 10 seeds; roulette stands for the sequential
colony, which builds the very same tours (tests hold them equal).
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gpu import catalog, devices
from gpu.colony import Colony
from gpu.errors import FormicariumError
from gpu.instances import load
from gpu.instances.instance import TspInstance
from gpu.snapshot import Wanted

INSTANCES = (
    "d198",
    "a280",
    "lin318",
    "pcb442",
    "rat783",
    "pr1002",
    "nrw1379",
    "pr2392",
    "fnl4461",
)
SYSTEMS = (
    "as-st-dynamic",
    "as-st-group-stc-tr",
    "as-st-group-stc",
    "as-st-group",
    "as-i-roulette",
    "as-data",
    "as-task",
    "as-seq",
)
ITERATIONS = 100
SECONDS = 3.0
"""Time for one cell, but for one iteration at least."""

OPTIONS = (
    *(
        ("update", "update", update)
        for update in ("atomic-tiled", "atomic", "reduction", "tiled-gather", "gather")
    ),
    *(("choice info", "power", power) for power in ("precise", "fast")),
    *(("construction", "launches", launches) for launches in ("tour", "step")),
)
"""The phase that a parameter decides, the parameter, and one of its options."""

SLOWEST_GATHER = 1500
"""Cities from which on n⁴ looks take too long to be repeated."""

QUALITY = (("as-st-group", "roulette"), ("as-st-dynamic", "tour list"), ("as-i-roulette", "I"))
SEEDS = range(1, 11)
QUALITY_ITERATIONS = 1000


def build(instance: TspInstance, name: str, values: dict[str, object], seed: int = 1) -> Colony:
    """Build a colony on the GPU, or on one core if it is sequential."""
    device = devices.find("cpu:1" if name == "as-seq" else "cuda")
    system = catalog.find(name, device)
    return catalog.build(system, instance, system.parameters.from_mapping(values), device, seed)


def cell(colony: Colony, seconds: float = SECONDS) -> dict[str, Any]:
    """Time a colony: mean milliseconds an iteration, and by phase."""
    start = time.perf_counter()
    colony.iterate(1)
    colony.snapshot(Wanted.NUMBERS)
    first = time.perf_counter() - start
    if first < seconds / 4:  # else this iteration says enough: what is compiled was warmed up
        colony.iterate(2)
        colony.snapshot(Wanted.NUMBERS)
        start = time.perf_counter()
        colony.iterate(1)
        colony.snapshot(Wanted.NUMBERS)
        first = time.perf_counter() - start
        count = max(1, min(ITERATIONS, int(seconds / first)))
        start = time.perf_counter()
        colony.iterate(count)
        colony.snapshot(Wanted.NUMBERS)
        whole = (time.perf_counter() - start) / count
        phases = [colony.timed_iteration() for _ in range(min(5, count))]
    else:
        count, whole = 1, first
        phases = [colony.snapshot(Wanted.NUMBERS).phases]
    return {
        "iterations": count,
        "whole": 1e3 * whole,
        **{name: statistics.median(each[name] for each in phases) for name in phases[0]},
    }


def speed(instance: TspInstance) -> Iterator[dict[str, Any]]:
    """Time every system."""
    for name in SYSTEMS:
        try:
            colony = build(instance, name, {})
        except FormicariumError as error:
            yield {"system": name, "refused": str(error)}
            continue
        if name == "as-seq":  # compiled, or read from the cache, before its first iteration
            colony.snapshot(Wanted.NUMBERS)
        yield {"system": name, **cell(colony)}
        colony.close()


def options(instance: TspInstance) -> Iterator[dict[str, Any]]:
    """Time every option of the recommended system."""
    for phase, parameter, option in OPTIONS:
        if phase == "update" and "atomic" not in option and instance.n > SLOWEST_GATHER:
            continue
        colony = build(instance, "as-st-dynamic", {parameter: option})
        yield {"phase": phase, "option": option, **cell(colony)}
        colony.close()


def quality(instance: TspInstance) -> Iterator[dict[str, Any]]:
    """Best lengths of the three ways to choose."""
    for name, rule in QUALITY:
        lengths = []
        for seed in SEEDS:
            colony = build(instance, name, {}, seed)
            colony.iterate(QUALITY_ITERATIONS)
            lengths.append(colony.snapshot(Wanted.SOLUTION).best_cost)
            colony.close()
        yield {
            "system": name,
            "rule": rule,
            "lengths": lengths,
            "optimum": instance.optimum,
            "mean": statistics.mean(lengths),
        }


def main() -> None:
    """Measure, and write the rows as JSON as they come."""
    what, folder, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    measure = {"speed": speed, "options": options, "quality": quality}[what]
    rows: list[dict[str, Any]] = []
    for name in sys.argv[4:] or INSTANCES:
        instance = load(folder / f"{name}.tsp")
        for row in measure(instance):
            rows.append({"instance": name, "n": instance.n, **row})
            print(json.dumps(rows[-1]), flush=True)
            device = [str(devices.find("cuda")), str(devices.find("cpu:1"))]
            out.write_text(json.dumps({"devices": device, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
