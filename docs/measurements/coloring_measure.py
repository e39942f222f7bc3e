"""Measure the colonies that color graphs on a GPU: colors, seconds, and what tabu searches add.

    python docs/measurements/coloring_measure.py speed DIMACS_FOLDER OUT.json [NAME...]
        [--seeds FIRST LAST] [--systems SYSTEM...] [--core-seconds S]
    python docs/measurements/coloring_measure.py tabu DIMACS_FOLDER OUT.json [NAME...]
        [--seeds FIRST LAST] [--seconds S] [--goal COLORS]

speed: 50 iterations with m = 0.2 n, as in Table I of the 2017 paper, by each selection: seconds of
wall clock for all of them, kernels compiled before, and colors; and the sequential colony on one
core of the host, for as many of the 50 iterations as fit the time. tabu: when aco-rlf-tabu came
down to how many colors; with a goal, each run ends there. What OUT.json holds of other instances,
systems and seeds stays in it.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gpu import catalog
from gpu.core import devices
from gpu.core.colony import Colony
from gpu.core.instance import Instance
from gpu.core.snapshot import Wanted
from gpu.problems.loading import load_instance

INSTANCES = ("DSJC500.1", "DSJC500.5", "DSJC500.9", "DSJC1000.1", "DSJC1000.5", "DSJC1000.9")
HARD = ("DSJC500.5", "DSJC1000.5")
SYSTEMS = ("aco-rlf-prefix", "aco-rlf-hybrid", "aco-rlf-trial")
ITERATIONS = 50


def build(
    instance: Instance, name: str, place: str, values: dict[str, object], seed: int
) -> Colony:
    """Build a colony."""
    device = devices.find(place)
    system = catalog.find(name, device)
    return catalog.build(system, instance, system.parameters.from_mapping(values), device, seed)


def speed(instance: Instance, given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Color by every selection with every seed, then on one core."""
    first, last = given.seeds
    for name in given.systems:
        warm = build(instance, name, "cuda", {}, 0)
        warm.iterate(3)
        phases = dict(warm.timed_iteration())
        warm.close()
        for seed in range(first, last + 1):
            colony = build(instance, name, "cuda", {}, seed)
            colony.snapshot(Wanted.NUMBERS)
            start = time.perf_counter()
            colony.iterate(ITERATIONS)
            colony.snapshot(Wanted.NUMBERS)
            seconds = time.perf_counter() - start
            shot = colony.snapshot(Wanted.SOLUTION)  # checked to be proper
            colony.close()
            yield {
                "system": name,
                "seed": seed,
                "seconds": seconds,
                "colors": shot.best_cost,
                "found_in": shot.best_iteration,
                "phases": phases,
            }
    if given.core_seconds:
        yield one_core(instance, given.core_seconds)


def one_core(instance: Instance, limit: float) -> dict[str, Any]:
    """Time the sequential colony, whose ants turn the wheel as those of aco-rlf-prefix do."""
    colony = build(instance, "aco-rlf-seq", "cpu:1", {"selection": "wheel"}, 1)
    made, start = 0, time.perf_counter()
    while made < ITERATIONS and time.perf_counter() - start < limit:
        colony.iterate(1)
        made += 1
    seconds = time.perf_counter() - start
    colony.close()
    return {"system": "aco-rlf-seq", "seed": 1, "iterations": made, "seconds": seconds}


def tabu(instance: Instance, given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Note when how few colors were reached."""
    first, last = given.seeds
    warm = build(instance, "aco-rlf-tabu", "cuda", {}, 0)
    warm.iterate(1)
    warm.close()
    for seed in range(first, last + 1):
        colony = build(instance, "aco-rlf-tabu", "cuda", {}, seed)
        colony.snapshot(Wanted.NUMBERS)
        steps: list[list[float]] = []
        start, iterations = time.perf_counter(), 0
        while (now := time.perf_counter() - start) < given.seconds:
            colony.iterate(1)
            iterations += 1
            shot = colony.snapshot(Wanted.SOLUTION)
            now = time.perf_counter() - start
            if not steps or shot.best_cost < steps[-1][1]:
                steps.append([now, shot.best_cost])
            if shot.best_cost <= given.goal:
                break
        colony.close()
        yield {
            "system": "aco-rlf-tabu",
            "seed": seed,
            "seconds": now,
            "iterations": iterations,
            "goal": given.goal,
            "steps": steps,
        }


MODES = {"speed": (speed, INSTANCES), "tabu": (tabu, HARD)}


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", choices=MODES)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seeds", nargs=2, type=int, default=(1, 10))
    parser.add_argument("--systems", nargs="*", default=SYSTEMS)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--core-seconds", type=float, default=0.0)
    parser.add_argument("--goal", type=int, default=0)
    given = parser.parse_args()
    measure, names = MODES[given.mode]
    gpu, core = devices.find("cuda"), devices.find("cpu:1")
    found: dict[str, Any] = json.loads(given.out.read_text()) if given.out.exists() else {}
    rows: list[dict[str, Any]] = found.get("rows", [])
    for name in given.names or names:
        instance = load_instance(given.folder / f"{name}.col")
        for cell in measure(instance, given):
            row = {"instance": name, "n": instance.n, **cell}
            kind = [row[key] for key in ("instance", "system", "seed")] + [row.get("goal")]
            rows = [
                old
                for old in rows
                if [old[key] for key in ("instance", "system", "seed")] + [old.get("goal")] != kind
            ]
            rows.append(row)
            print(json.dumps(row), flush=True)
            text = {"gpu": f"{gpu.model}, {gpu.detail}", "core": core.model, "rows": rows}
            given.out.write_text(json.dumps(text, indent=1) + "\n")


if __name__ == "__main__":
    main()
