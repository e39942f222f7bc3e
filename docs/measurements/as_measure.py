"""Measure the Ant Systems on a GPU: speed, the ways of updating and of choosing, and quality.

    python docs/measurements/as_measure.py speed TSPLIB_FOLDER OUT.json [NAME...]
    python docs/measurements/as_measure.py options TSPLIB_FOLDER OUT.json [NAME...]
    python docs/measurements/as_measure.py quality TSPLIB_FOLDER OUT.json [NAME...]
        [--rules RULE...] [--seeds FIRST LAST] [--iterations COUNT]
    python docs/measurements/as_measure.py equal TSPLIB_FOLDER OUT.json [NAME...]
        [--iterations COUNT]

speed: every system that runs on the GPU, m = n, and the sequential one on one core of its host:
milliseconds of whole iterations by wall clock (the mean of up to 100, as in the papers, or of as
many as fit a time), and by phase. options: the five pheromone updates, two powers, two ways to
launch. quality: best lengths after 1000 iterations, 10 seeds; roulette stands for the sequential
colony, which builds the very same tours (tests hold them equal). equal: whether they are, at sizes
that tests leave out, against all cores of the host, which build what one core builds. What OUT.json
holds of other instances, systems and seeds stays in it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gpu import catalog
from gpu.core import devices
from gpu.core.colony import Colony
from gpu.core.errors import FormicariumError
from gpu.core.snapshot import Wanted
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.tsplib import load

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
SEEDS = 1, 10
"""The first and the last."""
QUALITY_ITERATIONS = 1000

SELECTIONS = {
    "as-st-dynamic": "stc-roulette",
    "as-st-group": "roulette",
    "as-i-roulette": "i-roulette",
}
"""What the CPU's colony must choose by to build the tours of a system."""

PLACES = {"as-seq": "cpu:1", "as-cores": "cpu"}
"""Where a system runs, if not on the GPU."""


def build(instance: TspInstance, name: str, values: dict[str, object], seed: int = 1) -> Colony:
    """Build a colony where it runs."""
    device = devices.find(PLACES.get(name, "cuda"))
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


def speed(instance: TspInstance, _: argparse.Namespace) -> Iterator[dict[str, Any]]:
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


def options(instance: TspInstance, _: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Time every option of the recommended system."""
    for phase, parameter, option in OPTIONS:
        if phase == "update" and "atomic" not in option and instance.n > SLOWEST_GATHER:
            continue
        colony = build(instance, "as-st-dynamic", {parameter: option})
        yield {"phase": phase, "option": option, **cell(colony)}
        colony.close()


def quality(instance: TspInstance, given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Best lengths of the three ways to choose."""
    for name, rule in QUALITY:
        if rule not in given.rules:
            continue
        lengths = []
        for seed in range(given.seeds[0], given.seeds[1] + 1):
            colony = build(instance, name, {}, seed)
            colony.iterate(given.iterations)
            lengths.append(colony.snapshot(Wanted.SOLUTION).best_cost)
            colony.close()
        yield {
            "system": name,
            "rule": rule,
            "seeds": given.seeds,
            "iterations": given.iterations,
            "lengths": lengths,
            "optimum": instance.optimum,
            "mean": statistics.mean(lengths),
        }


def equal(instance: TspInstance, given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Whether tours, means and trails are those of all cores, after every iteration."""
    for name, selection in SELECTIONS.items():
        ours = build(instance, name, {})
        theirs = build(instance, "as-cores", {"selection": selection})
        same = 0
        for _ in range(given.iterations):
            ends = []
            for colony in (ours, theirs):
                colony.iterate(1)
                ends.append(colony.snapshot(Wanted.ITERATION_SOLUTION))
            one, other = ends
            assert one.iteration_solution is not None
            assert other.iteration_solution is not None
            same += (
                (one.best_cost, one.iteration_mean) == (other.best_cost, other.iteration_mean)
                and np.array_equal(one.iteration_solution, other.iteration_solution)
                and np.array_equal(ours.trails_from(0), theirs.trails_from(0))
            )
        yield {
            "system": name,
            "iterations": given.iterations,
            "same": same,
            "best": ends[0].best_cost,
        }
        for colony in (ours, theirs):
            colony.close()


def main() -> None:
    """Measure, and write the rows as JSON as they come."""
    parser = argparse.ArgumentParser()
    measures = {"speed": speed, "options": options, "quality": quality, "equal": equal}
    parser.add_argument("what", choices=measures)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("names", nargs="*", default=INSTANCES)
    parser.add_argument("--rules", nargs="+", default=[rule for _, rule in QUALITY])
    parser.add_argument("--seeds", nargs=2, type=int, default=list(SEEDS))
    parser.add_argument("--iterations", type=int, default=QUALITY_ITERATIONS)
    given = parser.parse_args()
    measure = measures[given.what]
    rows: list[dict[str, Any]] = []
    if given.out.exists():
        rows = json.loads(given.out.read_text())["rows"]
    for name in given.names:
        instance = load(given.folder / f"{name}.tsp")
        for row in measure(instance, given):
            new = {"instance": name, "n": instance.n, **row}
            rows = [row for row in rows if key(row) != key(new)] + [new]
            print(json.dumps(new), flush=True)
            device = [str(devices.find("cuda")), str(devices.find("cpu:1"))]
            given.out.write_text(json.dumps({"devices": device, "rows": rows}, indent=1) + "\n")


def key(row: dict[str, Any]) -> tuple[object, ...]:
    """What tells rows apart."""
    return tuple(str(row.get(part)) for part in ("instance", "system", "phase", "option", "seeds"))


if __name__ == "__main__":
    main()
