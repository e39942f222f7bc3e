"""Measure each colony's iterations a second in two checkouts, by turns.

``python -m tests.speed compare OTHER [--places cpu:1,cpu] [--only NAME] [--rounds 5]
[--seconds 0.4]`` starts one process here and one in the checkout OTHER. For each colony, both run
the same iterations of a new colony in turn, so that a machine whose speed drifts does so for both.
Printed is the median over the rounds of the ratio here/OTHER of iterations a second; rows under
0.97 are marked. ``python -m tests.speed worker`` is the process: it reads one case a line, and
answers with seconds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from gpu import catalog
from gpu.core.errors import FormicariumError
from gpu.core.machine import devices
from gpu.core.problem import Problem
from gpu.core.snapshot import Wanted
from tests.digests import cities, graph

LEAST_RATIO = 0.97

SIZES = {"cpu:1": (51, 200, 1000), "cpu": (51, 200, 1000), "cuda:0": (200, 1000, 2392)}
"""Cities by place; a graph has half as many vertices."""


def worker() -> None:
    """Answer cases until there are no more."""
    for line in sys.stdin:
        try:
            answer: float | str = _measured(json.loads(line))
        except (FormicariumError, MemoryError) as error:
            answer = str(error)
        print(json.dumps(answer), flush=True)


def _measured(case: dict[str, Any]) -> float:
    """Build a colony, and return how many seconds its first so many iterations take."""
    place = devices.find(case["place"])
    system = next(row for row in catalog.CATALOG if row.name == case["system"])
    coloring = system.problem is Problem.COLORING
    n = case["n"]
    instance = graph(n // 2, 0.5, 1) if coloring else cities(n, 1)
    parameters = system.parameters.from_mapping(case["values"]).resolved(instance.n)
    with closing(catalog.build(system, instance, parameters, place, 1)) as colony:
        colony.iterate(2)
        colony.snapshot(Wanted.NUMBERS)
        begin = time.perf_counter()
        colony.iterate(case["count"])
        colony.snapshot(Wanted.NUMBERS)
        return time.perf_counter() - begin


def cases(places: Sequence[str], only: str) -> list[dict[str, Any]]:
    """Return what is measured: every colony, without and with local search, at three sizes."""
    found = []
    for name in places:
        place = devices.find(name)
        for system in catalog.CATALOG:
            if not system.runs_on(place) or only not in system.name:
                continue
            searched = "local_search" in system.parameters.explanations()
            for n in SIZES[name]:
                ants: dict[str, object] = {} if name.startswith("cuda") else {"ants": min(n, 64)}
                options: list[dict[str, object]] = [ants]
                if searched and n == SIZES[name][1]:
                    options.append({**ants, "local_search": "2opt+oropt"})
                found += [
                    {"system": system.name, "place": name, "n": n, "values": values}
                    for values in options
                ]
    return found


def compare(other: Path, places: Sequence[str], only: str, rounds: int, seconds: float) -> int:
    """Measure both checkouts by turns; return 1 if any ratio is under ``LEAST_RATIO``."""
    command = [sys.executable, "-m", "tests.speed", "worker"]
    here, there = (
        subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for folder in (Path.cwd(), other)
    )
    slower = 0
    with _Ending(here, there):
        for case in cases(places, only):
            name = f"{case['system']} {case['place']} n={case['n']} {case['values']}"
            count = _count(there, case, seconds)
            if isinstance(count, str):
                print(f"{name}: {count}", flush=True)
                continue
            case["count"] = count
            times = [(_ask(here, case), _ask(there, case)) for _ in range(rounds)]
            numbers = [(float(one), float(two)) for one, two in times]
            ratio = statistics.median(two / one for one, two in numbers)
            ours = statistics.median(count / one for one, _ in numbers)
            mark = "  SLOWER" if ratio < LEAST_RATIO else ""
            slower += bool(mark)
            print(f"{name}: {count} iterations, {ours:.4g}/s, {ratio:.3f}{mark}", flush=True)
    print(f"{slower} slower than {LEAST_RATIO}")
    return 1 if slower else 0


class _Ending:
    """End both processes."""

    def __init__(self, *processes: subprocess.Popen[str]) -> None:
        self._processes = processes

    def __enter__(self) -> None:
        """Nothing to begin."""

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.stdin.close()
            process.wait()


def _count(process: subprocess.Popen[str], case: dict[str, Any], seconds: float) -> int | str:
    """Return how many iterations take so many seconds, or why there are none."""
    count = 1
    while True:
        took = _ask(process, {**case, "count": count})
        if isinstance(took, str):
            return took
        if took >= seconds / 3:
            return max(1, round(count * seconds / took))
        count = max(count + 1, int(count * min(20.0, seconds / max(took, 1e-6))))


def _ask(process: subprocess.Popen[str], case: dict[str, Any]) -> float | str:
    process.stdin.write(json.dumps(case) + "\n")
    process.stdin.flush()
    answer: float | str = json.loads(process.stdout.readline())
    return answer


def main() -> int:
    """Do what the command line says; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("worker")
    both = commands.add_parser("compare")
    both.add_argument("other", type=Path)
    both.add_argument("--places", default="cpu:1,cpu")
    both.add_argument("--only", default="")
    both.add_argument("--rounds", type=int, default=5)
    both.add_argument("--seconds", type=float, default=0.4, help="of a measurement, at least")
    given = parser.parse_args()
    if given.command == "worker":
        worker()
        return 0
    return compare(given.other, given.places.split(","), given.only, given.rounds, given.seconds)


if __name__ == "__main__":
    sys.exit(main())
