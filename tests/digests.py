"""Record what every colony finds, and compare two such records: nothing may change in a rebuilding.

``python -m tests.digests record FILE [--places cpu:1,cpu,cuda:0,emulation,emulation-small]
[--only NAME]`` runs every colony of the catalog on small instances of its problem, with and without
local search and with every option of its parameters. It writes a digest of what each run found and
of its trails. ``python -m tests.digests compare BEFORE AFTER`` prints what differs or failed, and
exits with 1 if anything does.

A colony whose updates race on a GPU runs there with one ant. The digests of two machines, or of
two releases of NumPy or Numba, may differ where their power functions do: record both sides on one.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gpu import catalog
from gpu.core.errors import FormicariumError
from gpu.core.instance import Instance
from gpu.core.machine import devices
from gpu.core.machine.devices import Device
from gpu.core.problem import Problem
from gpu.core.snapshot import Snapshot, Wanted
from gpu.core.system import System
from gpu.problems.coloring.instance import GraphInstance, unique_edges
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance

EMULATION = "emulation"
FAILED = "failed: "
PLACES = ("cpu:1", "cpu", EMULATION)
ITERATIONS = 4
SEEDS = (1, 2, 3)
NO_SEARCH = "none"
SMALL_SHARED = 2 << 10
"""Bytes of shared memory of the second emulated GPU: too few for most of what likes to be there."""


@dataclass(frozen=True, slots=True)
class Case:
    """One run: a system somewhere, on an instance, with parameters and a seed."""

    system: System
    place: str
    instance: Instance
    values: Mapping[str, object]
    seed: int

    @property
    def name(self) -> str:
        """What the digest is filed under."""
        values = ",".join(f"{name}={value}" for name, value in sorted(self.values.items()))
        return "/".join((self.system.name, self.place, self.instance.name, values, str(self.seed)))


def cities(n: int, seed: int, metric: Metric = Metric.EUC_2D) -> TspInstance:
    """Return cities at random places."""
    places = np.random.default_rng(seed).uniform(0, 1000, (n, 2)).round(2)
    return TspInstance(f"{metric.value.lower()}-{n}", "", metric, places, None, places)


def explicit(n: int, seed: int, *, directed: bool) -> TspInstance:
    """Return random distances, in both directions the same or not."""
    matrix = np.random.default_rng(seed).integers(1, 500, (n, n))
    if not directed:
        matrix = np.maximum(matrix, matrix.T)
    np.fill_diagonal(matrix, 0)
    name = f"{'directed' if directed else 'explicit'}-{n}"
    display = np.random.default_rng(seed).uniform(0, 1, (n, 2))
    return TspInstance(
        name, "", Metric.EXPLICIT, None, matrix.astype(np.int32), display, directed=directed
    )


def graph(n: int, density: float, seed: int) -> GraphInstance:
    """Return a random graph."""
    rows, columns = np.triu_indices(n, 1)
    kept = np.random.default_rng(seed).random(len(rows)) < density
    edges = unique_edges(np.stack((rows[kept], columns[kept]), axis=1))
    return GraphInstance(f"graph-{n}", "", n, edges)


def instances(problem: Problem, place: str) -> list[Instance]:
    """Return what colonies are tried on: smaller where every thread is emulated."""
    emulated = place.startswith(EMULATION)
    if problem is Problem.COLORING:
        return [graph(40, 0.5, 1)] if emulated else [graph(40, 0.5, 1), graph(150, 0.3, 2)]
    small: list[Instance] = [cities(45, 1), explicit(37, 2, directed=True)]
    if emulated:
        return small
    return [*small, cities(120, 3, Metric.CEIL_2D), cities(600, 4), explicit(60, 5, directed=False)]


def cases(system: System, place: str) -> Iterator[Case]:
    """Yield the runs of ``system`` at ``place``: every seed, every search, every option once."""
    explanations = system.parameters.explanations()
    base: dict[str, object] = {}
    if not system.deterministic and place.startswith("cuda"):
        base["ants"] = 1  # with more, updates race
    emulated = place.startswith(EMULATION)
    searches = explanations["local_search"].options if "local_search" in explanations else ()
    for instance in instances(system.problem, place):
        if emulated:
            base = {**base, "ants": 6}
        elif instance.n > 150 and "ants" not in base:
            base = {**base, "ants": 64}
        for seed in SEEDS[:2] if emulated or instance.n > 150 else SEEDS:
            yield Case(system, place, instance, dict(base), seed)
        for search in searches:
            if search != NO_SEARCH:
                yield Case(system, place, instance, {**base, "local_search": search}, 1)
    first = instances(system.problem, place)[0]
    small = {"ants": 6} if emulated else dict(base, ants=base.get("ants", 20))
    for name, explanation in explanations.items():
        for option in explanation.alternatives:
            if name not in ("local_search", "ants"):
                yield Case(system, place, first, {**small, name: option}, 1)
    for name, value in (("alpha", 0.7), ("beta", 2.5), ("restart", 1), ("candidates", 10)):
        if name in explanations:
            yield Case(system, place, first, {**small, name: value}, 1)
    if "update_period" in explanations:
        yield Case(system, place, first, {**small, "update_period": 3}, 1)


def digest(case: Case, device: Device) -> str:
    """Run ``case``; return the digest of all that can be seen of it, or the error's text."""
    try:
        parameters = case.system.parameters.from_mapping(case.values).resolved(case.instance.n)
        colony = catalog.build(case.system, case.instance, parameters, device, case.seed)
    except FormicariumError as error:
        return f"refused: {error}"
    found = hashlib.sha256()
    with closing(colony):
        for _ in range(ITERATIONS):
            colony.iterate(1)
            found.update(_bytes_of(colony.snapshot(Wanted.EVERYTHING)))
        for place in (0, case.instance.n // 2):
            row = colony.trails_from(place).copy()
            row[place] = 0  # means nothing
            found.update(row.tobytes())
        shot = colony.snapshot(Wanted.SOLUTION)
    return f"{shot.best_cost} {found.hexdigest()[:24]}"


def _bytes_of(shot: Snapshot) -> bytes:
    numbers = (
        shot.iteration,
        shot.solutions_built,
        shot.best_cost,
        shot.best_iteration,
        shot.iteration_best,
        shot.iteration_mean,
        shot.updates,
        shot.moves,
        shot.limits,
        None if shot.branching is None else round(shot.branching, 9),
    )
    arrays = (shot.best_solution, shot.iteration_solution, shot.built_solution, shot.pheromone)
    # as earlier versions name what they record
    parts = [repr(numbers).replace("MovesMade(", "Improvements(").encode()]
    parts += [array.tobytes() for array in arrays if array is not None]
    parts += [shot.history.best.tobytes(), shot.history.mean.tobytes()]
    if shot.trails is not None:
        strongest = sorted(  # those of equal strength come in any order
            zip(
                shot.trails.strength.tolist(),
                map(tuple, np.sort(shot.trails.edges, axis=1).tolist()),
                strict=True,
            )
        )
        parts.append(repr(strongest).encode())
    return b"".join(parts)


@contextmanager
def emulated(**values: Any) -> Iterator[Device]:
    """Let colonies for a GPU run on the emulation of the kernels, on a machine with ``values``."""
    from tests.gpu.cuda.emulated import EmulatedMachine

    def machine(_: Device) -> EmulatedMachine:
        return EmulatedMachine(**values)

    name = "gpu.cuda.cupy_machine"
    former = sys.modules.get(name)
    stand_in = types.ModuleType(name)
    stand_in.CupyMachine = machine  # type: ignore[attr-defined]
    sys.modules[name] = stand_in
    try:
        yield Device("cuda:0", "cuda", 0, 2, "emulation", 0)
    finally:
        del sys.modules[name]
        if former is not None:
            sys.modules[name] = former


def record(file: Path, places: Sequence[str], only: str) -> None:
    """Write the digest of every case at ``places`` whose system's name contains ``only``."""
    digests: dict[str, str] = {}
    for place in places:
        at = f"{EMULATION}-small" if place == f"{EMULATION}-small" else place
        begin = time.monotonic()
        if place.startswith(EMULATION):
            values = {"shared_limit": SMALL_SHARED} if place.endswith("small") else {}
            with emulated(**values) as device:
                _record(digests, at, device, only)
        else:
            _record(digests, at, devices.find(place), only)
        file.write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")
        print(f"{place}: {len(digests)} in all, {time.monotonic() - begin:.0f} s", flush=True)


def _record(digests: dict[str, str], place: str, device: Device, only: str) -> None:
    for system in catalog.CATALOG:
        if system.runs_on(device) and only in system.name:
            for case in cases(system, place):
                try:
                    digests[case.name] = digest(case, device)
                except Exception as error:  # the others are recorded all the same
                    digests[case.name] = f"{FAILED}{error!r}"[:200]


def compare(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Return a line for every case that is not the same in both, or failed: that tells nothing."""
    return [
        f"{name}: {before.get(name, 'not there')} -> {after.get(name, 'not there')}"
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name) or after.get(name, "").startswith(FAILED)
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("record")
    one.add_argument("file", type=Path)
    one.add_argument("--places", default=",".join(PLACES))
    one.add_argument("--only", default="")
    two = commands.add_parser("compare")
    two.add_argument("before", type=Path)
    two.add_argument("after", type=Path)
    given = parser.parse_args(arguments)
    if given.command == "record":
        record(given.file, given.places.split(","), given.only)
        return 0
    before, after = (json.loads(path.read_text("utf-8")) for path in (given.before, given.after))
    different = compare(before, after)
    print("\n".join(different) if different else f"{len(before)} digests, all equal")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
