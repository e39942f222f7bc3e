"""Tour construction of the Ant System on the emulation, tour for tour against a literal one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.cuda import as_construction
from gpu.cuda.as_construction import Construction, weight_columns
from gpu.cuda.machine import Buffer
from gpu.cuda.problem import Problem
from gpu.cuda.state import ANT_BITS, WORDS
from gpu.instances.instance import TspInstance
from gpu.parameters import AsCudaParameters
from tests.emulation import needs_emulation
from tests.gpu.cuda import as_literal
from tests.gpu.cuda.emulated import EmulatedMachine
from tests.gpu.cuda.test_acs import scattered

pytestmark = [needs_emulation, pytest.mark.timeout(300)]

SEED = 0x1234_5678_9ABC_DEF0
ITERATION = 3


def random_weights(n: int, seed: int = 0) -> NDArray[np.float32]:
    """Weights over many orders of magnitude, with ties."""
    rng = np.random.default_rng(seed)
    weights = (2.0 ** rng.integers(-60, 60, (n, n)) * rng.integers(1, 5, (n, n))).astype(np.float32)
    weights[rng.random((n, n)) < 0.5] = 1
    return weights


@dataclass(frozen=True)
class Built:
    """What a construction left in memory."""

    tours: NDArray[np.int32]
    lengths: NDArray[np.uint64]
    best: int
    total: int


def build(
    kind: type[Construction],
    instance: TspInstance,
    weights: NDArray[np.float32],
    parameters: AsCudaParameters,
    iteration: int = ITERATION,
    machine: EmulatedMachine | None = None,
) -> Built:
    """Build the tours of one iteration."""
    n = instance.n
    machine = machine or EmulatedMachine()
    problem = Problem.of(instance, min(5, n - 1), 2.0)
    parameters = parameters.resolved(n)
    construction: Any = kind(machine, problem, parameters, SEED)
    arrays = machine.allocate(
        [
            *problem.buffers(),
            Buffer("weights", (n, weight_columns(n)), np.float32),
            *construction.buffers(),
            Buffer("state", (WORDS,), np.uint64),
        ]
    )
    for name, values in problem.values.items():
        machine.upload(arrays[name], values)
    padded = np.full((n, weight_columns(n)), np.nan, np.float32)
    padded[:, :n] = weights
    machine.upload(arrays["weights"], padded)
    state = np.zeros(WORDS, np.uint64)
    state[0], state[1], state[3] = iteration, 2**64 - 1, 2**64 - 1
    machine.upload(arrays["state"], state)
    machine.run(construction.launches(arrays))
    state = machine.download(arrays["state"])
    built = Built(
        machine.download(arrays["tours"]),
        machine.download(arrays["lengths"]),
        int(state[1]),
        int(state[2]),
    )
    machine.close()
    return built


def assert_built(
    built: Built, instance: TspInstance, tour_of: Callable[[int], list[int]], ants: int
) -> None:
    """Tours as they should be, lengths exact, the best and the sum reported."""
    lengths = []
    for ant in range(ants):
        assert built.tours[ant].tolist() == tour_of(ant)
        lengths.append(instance.tour_length(built.tours[ant]))
    assert built.lengths.tolist() == lengths
    assert built.total == sum(lengths)
    assert built.best == min(length << ANT_BITS | ant for ant, length in enumerate(lengths))


@pytest.mark.parametrize("shared", [64 << 10, 0])
@pytest.mark.parametrize("n", [3, 4, 31, 32, 33, 100])
def test_task(n: int, shared: int) -> None:
    instance, weights = scattered(n), random_weights(n)
    built = build(
        as_construction.Task,
        instance,
        weights,
        AsCudaParameters(),
        machine=EmulatedMachine(shared_limit=shared),
    )
    assert_built(
        built,
        instance,
        lambda ant: as_literal.roulette_tour(weights, SEED, ITERATION, ant, listed=False),
        n,
    )
