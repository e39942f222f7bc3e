"""Local search on the emulation: the tours of the CPU, whatever the block and the memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.core.errors import DeviceError, ParameterError
from gpu.core.snapshot import MovesMade
from gpu.cuda.colony import STATE_WORDS
from gpu.cuda.instances import DeviceCities
from gpu.cuda.kernels.constants import ANT_BITS
from gpu.cuda.machine import Buffer, Machine
from gpu.local_search.cuda.colony import DeviceLocalSearch
from gpu.problems.tsp.distances import Metric
from gpu.problems.tsp.instance import TspInstance
from tests.emulation import needs_emulation
from tests.gpu.acs.emulated import COORDINATE_METRICS, scattered
from tests.gpu.cpu.makers import directed
from tests.gpu.cuda.emulated import EmulatedMachine
from tests.gpu.local_search.literal import improve
from tests.gpu.local_search.test_cpu import MAKERS, Maker, kinds_of, random_tours

pytestmark = [needs_emulation, pytest.mark.timeout(300)]

PLENTY, NONE = 64 << 10, 0
SOME = 1540
"""Bytes that hold a tour of 45 cities, but not the queue as well."""


def assert_as_on_the_cpu(
    machine: Machine,
    instance: TspInstance,
    tours: NDArray[np.int32],
    kind: str,
    best: NDArray[np.int32] | None = None,
    **options: Any,
) -> None:
    """Tours, lengths, moves, and what is reported of them; ``best`` of the iteration before."""
    iteration = 0 if best is None else 1
    ants, n = tours.shape
    problem = DeviceCities.of(instance, min(5, n - 1), 1.0)
    search = DeviceLocalSearch(machine, instance, problem, ants, kind, **options)
    built_lengths = np.array([instance.tour_length(tour) for tour in tours], np.uint64)
    arrays = machine.allocate(
        [
            *(Buffer.of(name, values) for name, values in problem.values.items()),
            *search.buffers(),
            Buffer.of("tours", tours),
            Buffer.of("lengths", built_lengths),
            Buffer("best_tour", (n,), np.int32),
            Buffer("state", (STATE_WORDS,), np.uint64, zeroed=True),
        ]
    )
    state = machine.download(arrays["state"])
    if best is not None:
        state[0] = iteration
        machine.upload(arrays["state"], state)
        machine.upload(arrays["best_tour"], best)
    machine.run(search.launches(arrays))
    neighbours = options.get("neighbours", 32)
    expected = improve(instance, tours, kind, neighbours, best, iteration)
    np.testing.assert_array_equal(machine.download(arrays["tours"]), expected.tours)
    lengths = [int(length) for length in expected.lengths]
    assert machine.download(arrays["lengths"]).tolist() == lengths
    moves = search.made(machine, arrays, iteration + 1)
    assert moves == MovesMade(expected.exchanges, expected.segments)
    shortest = min(range(ants), key=lambda ant: lengths[ant])
    built = search.built(machine, arrays, iteration + 1)
    np.testing.assert_array_equal(built, tours[shortest])
    state[1] = min(length << ANT_BITS | ant for ant, length in enumerate(lengths))
    state[2] = sum(lengths)
    np.testing.assert_array_equal(machine.download(arrays["state"]), state)


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize(
    ("threads", "shared", "sizes"),
    [
        (32, PLENTY, (3, 4, 5, 6, 33)),
        (64, NONE, (3, 4, 5, 6, 33, 70)),
        (128, PLENTY, (70,)),
        (64, SOME, (45,)),
        (256, NONE, (4,)),
    ],
)
def test_tours_of_the_cpu(maker: Maker, threads: int, shared: int, sizes: tuple[int, ...]) -> None:
    machine = EmulatedMachine(shared_limit=shared, seed=threads, resident=1)
    try:
        for n in sizes:
            instance = maker(n, n)
            tours = random_tours(n, 3, n)  # more than there are blocks
            for number, kind in enumerate(kinds_of(instance)):
                neighbours = (32, 2, 64)[(n + number) % 3]
                assert_as_on_the_cpu(
                    machine, instance, tours, kind, neighbours=neighbours, threads=threads
                )
        memory = {PLENTY: "AllShared", SOME: "TourShared", NONE: "NoneShared"}[shared]
        assert all(memory in kernel for kernel in machine.launched[1::2])
    finally:
        machine.close()


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("shared", [SOME, NONE])
def test_cities_as_on_the_best_tour_are_sampled(maker: Maker, shared: int) -> None:
    machine, n = EmulatedMachine(shared_limit=shared), 45
    instance = maker(n, 8)
    for kind in kinds_of(instance):
        best = improve(instance, random_tours(n, 1, 1), kind).tours[0]
        tours = np.array([np.roll(best, ant)[:: (-1) ** ant] for ant in range(4)])
        tours[1:, [4, 20]] = tours[1:, [20, 4]]
        assert_as_on_the_cpu(machine, instance, tours, kind, best)
    machine.close()


@pytest.mark.parametrize("metric", COORDINATE_METRICS)
def test_every_metric(metric: Metric) -> None:
    machine = EmulatedMachine()
    instance = scattered(60, metric)
    assert_as_on_the_cpu(machine, instance, random_tours(60, 4, 1), "2opt+oropt")
    machine.close()


@pytest.mark.parametrize("kind", ["2opt", "2opt+oropt"])
def test_tours_longer_than_blocks(kind: str) -> None:
    """Parts that take several turns of all threads to shift, and queues that go around."""
    machine = EmulatedMachine()
    assert_as_on_the_cpu(machine, scattered(700), random_tours(700, 2, 3), kind, threads=32)
    machine.close()


@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_order_of_threads_changes_nothing(order: int) -> None:
    machine = EmulatedMachine(seed=order)
    assert_as_on_the_cpu(machine, scattered(100, extent=20), random_tours(100, 3, 0), "2opt+oropt")
    machine.close()


def test_what_cannot_be_is_refused() -> None:
    machine, instance = EmulatedMachine(largest_block=64), scattered(10)
    problem = DeviceCities.of(instance, 5, 1.0)
    with pytest.raises(DeviceError, match="no block of 128 threads"):
        DeviceLocalSearch(machine, instance, problem, 10, "2opt", threads=128)
    for kind, threads in (("none", 64), ("2opt", 48)):
        with pytest.raises(ParameterError, match="there is no local search"):
            DeviceLocalSearch(machine, instance, problem, 10, kind, threads=threads)
    one_way = directed(10)
    with pytest.raises(ParameterError, match="is directed"):
        DeviceLocalSearch(machine, one_way, DeviceCities.of(one_way, 5, 1.0), 10, "2opt")
