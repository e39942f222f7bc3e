"""Do the ants of ACO-RLF draw vertices with the probabilities of equation 2?"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.cuda.machine import Machine
from gpu.problems.coloring.instance import GraphInstance, unique_edges
from gpu.rlf.cuda.colony import ColoringColony
from gpu.rlf.parameters import ColoringParameters
from tests.emulation import needs_emulation
from tests.gpu.ant_system.test_cuda_selection import goodness
from tests.gpu.cuda.emulated import EmulatedMachine
from tests.gpu.rlf.test_cuda import TRIALS

pytestmark = [needs_emulation, pytest.mark.timeout(300)]

GRAPH = GraphInstance(
    "two rings", "", 6, unique_edges([(0, 1), (1, 2), (2, 0), (3, 4), (0, 3), (1, 5)])
)
ALPHA, BETA = 2, 4
ANTS = 1000

Law = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
"""From d and τ of some candidates to the probability of each."""


def trails() -> NDArray[np.float32]:
    """Trails of which the largest weighs some twenty times the smallest."""
    drawn = np.random.default_rng(3).uniform(0.6, 1.3, (6, 6))
    apart = np.ones((6, 6), np.bool_)
    apart[GRAPH.edges[:, 0], GRAPH.edges[:, 1]] = False
    level = np.where(apart & apart.T, (drawn + drawn.T) / 2, 0)
    np.fill_diagonal(level, 0)
    return level.astype(np.float32)


def fitness_law(d: NDArray[np.float64], tau: NDArray[np.float64]) -> NDArray[np.float64]:
    """Equations 1 and 2, and any candidate where no neighbour of one is excluded."""
    fitness = d**ALPHA * tau**BETA if d.any() else np.ones_like(d)
    chances: NDArray[np.float64] = fitness / fitness.sum()
    return chances


def static_law(d: NDArray[np.float64], tau: NDArray[np.float64]) -> NDArray[np.float64]:
    """What trials without a share for d would come to."""
    fitness = tau**BETA if d.any() else np.ones_like(d)
    chances: NDArray[np.float64] = fitness / fitness.sum()
    return chances


def order_chances(level: NDArray[np.float32], law: Law) -> dict[tuple[int, ...], float]:
    """Return the probability of every order of visits; impossible ones have 0."""
    near = [
        {v for edge in GRAPH.edges.tolist() if u in edge for v in edge if v != u} for u in range(6)
    ]
    return {
        order: order_chance(order, near, level.astype(np.float64), law)
        for order in itertools.permutations(range(6))
    }


def order_chance(
    order: tuple[int, ...], near: list[set[int]], level: NDArray[np.float64], law: Law
) -> float:
    """Return the probability of an order: each class begins anywhere and goes on by the law."""
    uncolored = set(range(6))
    candidates: set[int] = set()
    excluded: set[int] = set()
    chance, last = 1.0, -1
    for vertex in order:
        if not candidates:
            candidates, excluded = set(uncolored), set()
            chance /= len(candidates)
        elif vertex not in candidates:
            return 0.0
        else:
            listed = sorted(candidates)
            d = np.array([len(near[j] & excluded) for j in listed], np.float64)
            chance *= float(law(d, level[last, listed])[listed.index(vertex)])
        uncolored.remove(vertex)
        candidates.remove(vertex)
        excluded |= candidates & near[vertex]
        candidates -= near[vertex]
        last = vertex
    return chance


def orders_of(machine: Machine, trials: int, ants: int) -> NDArray[np.int32]:
    """Return the orders in which ants visit the vertices, shape (ants, 6)."""
    parameters = ColoringParameters(ants=ants, alpha=ALPHA, beta=BETA, deposit="tour")
    colony = ColoringColony(GRAPH, parameters.resolved(GRAPH.n), machine, 11, trials)
    level = trails()
    padded = np.zeros(colony._arrays["trails"].shape, np.float32)
    padded[:, :6] = level
    machine.upload(colony._arrays["trails"], padded)
    machine.run([*colony.phases["choice info"], *colony.phases["construction"]])
    orders = machine.download(colony._arrays["order"])
    colony.close()
    return orders


def possible(chances: Mapping[tuple[int, ...], float]) -> dict[tuple[int, ...], float]:
    """Leave out what cannot be."""
    return {order: chance for order, chance in chances.items() if chance > 0}


@pytest.mark.parametrize("selection", TRIALS)
def test_frequencies_of_orders(selection: str) -> None:
    chances = possible(order_chances(trails(), fitness_law))
    assert sum(chances.values()) == pytest.approx(1)
    orders = orders_of(EmulatedMachine(), TRIALS[selection], ANTS)
    assert goodness(orders, chances) > 1e-3
    assert goodness(orders, possible(order_chances(trails(), static_law))) < 1e-6
