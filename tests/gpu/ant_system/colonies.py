"""Ant Systems for the tests: on the emulation, on the CPU, and what both must tell."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.ant_system.cpu import AsCpuColony
from gpu.ant_system.cuda.colony import AntSystemColony, ConstructionType
from gpu.ant_system.cuda.construction import Data, IRoulette, StGroup, StGroupStc, TaskParallel
from gpu.ant_system.parameters import (
    AsCpuParameters,
    AsCudaParameters,
    AsGroupParameters,
    AsLaunchesParameters,
)
from gpu.construction.cuda.construction import StDynamic, StGroupStcTr
from gpu.core.snapshot import Snapshot
from gpu.problems.tsp.instance import TspInstance
from tests.colonies import assert_same_history
from tests.gpu.cuda.emulated import EmulatedMachine

CONSTRUCTIONS: dict[str, tuple[ConstructionType, AsCudaParameters, str]] = {
    "task": (TaskParallel, AsCudaParameters(), "roulette"),
    "data": (Data, AsGroupParameters(workers=32), "roulette"),
    "i-roulette": (IRoulette, AsGroupParameters(), "i-roulette"),
    **{
        f"{name}, a launch a {launches}": (
            construction,
            AsLaunchesParameters(workers=workers, launches=launches),
            selection,
        )
        for name, construction, workers, selection in (
            ("st-group", StGroup, 64, "roulette"),
            ("st-group-stc", StGroupStc, 16, "stc-roulette"),
            ("st-group-stc-tr", StGroupStcTr, None, "stc-roulette"),
            ("st-dynamic", StDynamic, None, "stc-roulette"),
        )
        for launches in ("tour", "step")
    },
}
"""Name to the construction, its parameters and what the CPU calls its selection."""

LEAST = np.float32(2.0**-60)
"""No trail evaporates below this."""


def renewed(
    trails: NDArray[np.float32],
    deposits: NDArray[np.uint32],
    lengths: NDArray[np.int64],
    scale: int,
    rho: float,
) -> NDArray[np.float32]:
    """Equations 2 to 4, on whole quanta of a deposit."""
    m, shortest = len(lengths), max(int(lengths.min()), 1)
    quanta = (2**32 - 1) // m
    unit = np.float32(max(scale, 1) / (m * quanta) / shortest)
    kept = np.maximum(trails * np.float32(1 - rho), LEAST)
    return np.asarray(kept + deposits.astype(np.float32) * unit, dtype=np.float32)


def deposited(
    tours: NDArray[np.int32], lengths: NDArray[np.int64], directed: bool
) -> NDArray[np.uint32]:
    """Quanta of all ants on each edge."""
    m, n = tours.shape
    each = np.maximum(lengths, 1).astype(np.float64)
    quanta = np.floor((2**32 - 1) // m * (each.min() / each)).astype(np.uint64)
    total = np.zeros((n, n), dtype=np.uint64)
    for tour, amount in zip(tours, quanta, strict=True):
        total[tour, np.roll(tour, -1)] += amount
    if not directed:
        total += total.T
    assert total.max() < 2**32
    return total.astype(np.uint32)


def emulated(
    instance: TspInstance,
    parameters: AsCudaParameters | None = None,
    seed: int = 7,
    construction: ConstructionType = TaskParallel,
    **machine: Any,
) -> closing[AntSystemColony]:
    """A colony on the emulation."""
    parameters = parameters or AsCudaParameters()
    return closing(
        AntSystemColony(
            instance,
            parameters.resolved(instance.n),
            EmulatedMachine(**machine),
            seed,
            construction,
        )
    )


def on_cpu(
    instance: TspInstance, selection: str, values: Mapping[str, float], seed: int = 7
) -> closing[AsCpuColony]:
    """Its counterpart on the CPU."""
    parameters = AsCpuParameters.from_mapping({"selection": selection, **values})
    return closing(AsCpuColony(instance, parameters.resolved(instance.n), seed, threads=2))


def assert_same(ours: Snapshot, theirs: Snapshot) -> None:
    """Numbers, tours and trails are the same, to the last bit."""
    for part in ("iteration", "best_cost", "best_iteration", "iteration_best", "iteration_mean"):
        np.testing.assert_equal(getattr(ours, part), getattr(theirs, part), part)  # NaN too
    assert_same_history(ours, theirs)
    assert ours.moves == theirs.moves
    for part in ("best_solution", "iteration_solution", "built_solution", "pheromone"):
        np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part), part)
    assert ours.branching == theirs.branching
    np.testing.assert_array_equal(ours.trails.strength, theirs.trails.strength)
    assert set(map(tuple, ours.trails.edges)) == set(map(tuple, theirs.trails.edges))
