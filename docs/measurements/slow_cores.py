"""What portions bring where some cores are slow, as the small ones of a hybrid processor are.

    python docs/measurements/slow_cores.py [--slow 4] [--seconds 10] [--rounds 3] [--colony NAME …]

Beside each of so many cores (half of them by default) a process works all the time, so that a
colony's thread gets half of it. Each colony makes as many iterations as it can in the seconds given
with all cores; then the same ones again, in turn with a fixed share for each thread and with
portions that whoever is free takes, first with all cores and then with the slow ones. Printed is a
row a colony with the median of the seconds, and the least and the most of them; its tours must be
the same every time. Linux and Windows only: macOS binds nothing to a core.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from made import commit_here, how, sentence

from gpu import catalog
from gpu.core.instance import Instance
from gpu.core.machine import devices
from gpu.core.snapshot import Wanted
from gpu.cpu import stages
from gpu.problems.loading import load_instance
from gpu.problems.making import INSTANCE_KINDS, Recipe, make

SEED = 1
WAYS = {"fixed": math.inf, "portions": stages.DEALT_FROM}
"""From how many seconds of an iteration on ants are dealt out."""


def cases() -> dict[str, Instance]:
    """Return the colonies whose ants are dealt out, each with an instance of long iterations."""
    sizes = {
        "as-cores": ("uniform", 2_000),
        "mmas-cores": ("uniform", 2_000),
        "aco-rlf-cores": ("random", 500),
    }
    return {name: _made(kind, n) for name, (kind, n) in sizes.items()}


def _made(kind: str, n: int) -> Instance:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{kind}-{n}{INSTANCE_KINDS[kind].suffix}"
        make(Recipe(kind, n, SEED)).write(path, path.stem)
        return load_instance(path)


@contextmanager
def slowed(cores: Sequence[int]) -> Iterator[None]:
    """Let a process work on each of these cores meanwhile."""
    begin = multiprocessing.get_context("spawn")
    burning = [begin.Process(target=_burn, args=(core,), daemon=True) for core in cores]
    for one in burning:
        one.start()
    try:
        yield
    finally:
        for one in burning:
            one.kill()
            one.join()


def _burn(core: int) -> None:
    psutil.Process().cpu_affinity([core])
    while True:
        pass


Timed = tuple[int, float, int]  # iterations, their seconds, the best cost


def timed(colony: str, instance: Instance, way: str, iterations: int, seconds: float) -> Timed:
    """Make so many iterations, or those of so many ``seconds`` if there are 0."""
    stages.DEALT_FROM = WAYS[way]
    system, device = catalog.named(colony), devices.find("cpu")
    parameters = system.parameters().resolved(instance.n)
    with closing(catalog.build(system, instance, parameters, device, SEED)) as built:
        built.iterate(1)  # what is done once is not measured
        made, begin = 0, time.perf_counter()
        while made < iterations or (not iterations and time.perf_counter() < begin + seconds):
            built.iterate(1)
            made += 1
        took = time.perf_counter() - begin
        return made, took, built.snapshot(Wanted.NUMBERS).cost


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    cores = psutil.Process().cpu_affinity() or list(range(os.cpu_count() or 1))
    parser.add_argument("--slow", type=int, default=len(cores) // 2)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=3)
    known = cases()
    parser.add_argument("--colony", action="append", choices=list(known))
    asked = parser.parse_args()
    command = f"slow_cores.py --slow {asked.slow} --seconds {asked.seconds:g}"
    made = how("slow_cores", commit_here(), devices.find("cpu"), command)
    print(f"Made {sentence([made])}")
    print("| colony | instance | iterations | cores | fixed shares | portions | times as fast |")
    print("| --- | --- | ---: | --- | ---: | ---: | ---: |")
    for colony, instance in known.items():
        if colony in (asked.colony or known):
            rows(colony, instance, cores, asked.slow, asked.seconds, asked.rounds)


def rows(
    colony: str,
    instance: Instance,
    cores: Sequence[int],
    slow: int,
    seconds: float,
    rounds: int,
) -> None:
    """Print what was measured of a colony; RuntimeError if its tours differ."""
    iterations, _, cost = timed(colony, instance, "fixed", 0, seconds)
    for count in (0, slow):
        took: dict[str, list[float]] = {way: [] for way in WAYS}
        with slowed(cores[:count]):
            for turn in range(rounds):
                for way in [*WAYS][:: 1 if turn % 2 else -1]:
                    _, spent, found = timed(colony, instance, way, iterations, seconds)
                    took[way].append(spent)
                    if found != cost:
                        raise RuntimeError(f"{colony}: {found} with {way}, {cost} before")
        texts = [f"{statistics.median(t):.2f} ({min(t):.2f}–{max(t):.2f}) s" for t in took.values()]
        fixed, dealt = (statistics.median(one) for one in took.values())
        which = f"{count} of {len(cores)} slow"
        cells = colony, instance.name, str(iterations), which, *texts, f"{fixed / dealt:.2f}"
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
