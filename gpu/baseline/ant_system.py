"""The Ant System on the CPU, on one core or all: the same tours either way."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.baseline import as_tables, memory
from gpu.baseline.as_iteration import CONSTRUCT, FINISH, LINK, RENEW, WEIGH, run
from gpu.baseline.as_tables import SELECTIONS, AsRules
from gpu.baseline.colony import TeamColony, checked_key
from gpu.baseline.geometry import geometry_of
from gpu.baseline.stages import Stage
from gpu.candidates import build_candidates
from gpu.devices import Device
from gpu.heuristics import nearest_neighbour_length
from gpu.instances.instance import Metric, TspInstance
from gpu.parameters import AsCpuParameters
from gpu.snapshot import Trails, Wanted
from gpu.summaries import matrix_picture, matrix_trails

LISTED = 32
"""Nearest neighbours that the branching factor looks at."""


def prepare() -> None:
    """Compile the colony, once for all on this machine: some seconds, or nothing.

    Whoever does not call this waits as long when the first colony is built.
    """
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    triangle = TspInstance("triangle", "", Metric.EUC_2D, corners, None, corners)
    AsCpuColony(triangle, AsCpuParameters(), 0, threads=1).close()


def build_sequential(
    instance: TspInstance, parameters: AsCpuParameters, device: Device, seed: int
) -> AsCpuColony:
    """The sequential Ant System (2013, Algorithms 1 and 2), on one core."""
    return AsCpuColony(instance, parameters, seed, threads=1)


def build_parallel(
    instance: TspInstance, parameters: AsCpuParameters, device: Device, seed: int
) -> AsCpuColony:
    """As :func:`build_sequential`, the ants shared out among all cores of ``device``."""
    return AsCpuColony(instance, parameters, seed, threads=device.cores)


class AsCpuColony(TeamColony):
    """The Ant System on the CPU; see :class:`gpu.colony.Colony`.

    The same seed gives the same tours on every machine and with any number of threads.

    Parameters
    ----------
    instance : TspInstance
    parameters : AsCpuParameters
    seed : int
        In [0, 2**64).
    threads : int
        At most so many.

    Raises
    ------
    ParameterError
        If the seed is out of range.
    DeviceMemoryError
        If the colony would not fit into free memory.
    """

    def __init__(
        self, instance: TspInstance, parameters: AsCpuParameters, seed: int, *, threads: int
    ) -> None:
        key = checked_key(seed)
        n = instance.n
        parameters = parameters.resolved(n)
        assert parameters.ants is not None
        m, cl = parameters.ants, parameters.candidates
        threads = max(1, min(threads, m, n))
        listed = max(cl, min(LISTED, n - 1))
        needed = as_tables.bytes_needed(instance, m, cl, listed)
        memory.require(f"this colony on {instance.name} ({n} cities, {m} ants)", needed)

        candidates = build_candidates(instance, listed)
        self._neighbours = candidates.neighbours
        self._matrices = as_tables.matrices_of(instance, candidates, cl, parameters.beta)
        self._geometry = geometry_of(instance, parameters.beta)
        self._ants = as_tables.tours_of(n, m, instance.directed)
        most = (2**32 - 1) // m
        selection = "roulette" if cl and parameters.selection == "stc-roulette" else ""
        self._rules = AsRules(
            key0=np.uint32(key[0]),
            key1=np.uint32(key[1]),
            selection=SELECTIONS[selection or parameters.selection],
            alpha=parameters.alpha,
            factors=int(parameters.alpha) if parameters.alpha.is_integer() else -1,
            keep=np.float32(1.0 - parameters.rho),
            most=most,
            scale=max(nearest_neighbour_length(instance, candidates), 1) / (m * most),
        )
        self._places = [as_tables.workplace_of(n) for _ in range(threads)]
        super().__init__(
            instance,
            m,
            threads,
            (
                Stage(WEIGH, "choice info", -(-n // threads)),
                Stage(CONSTRUCT, "construction", n * -(-m // threads)),
                Stage(LINK, "update", -(-len(self._ants.ends) // threads)),
                Stage(RENEW, "update", -(-n // threads)),
                Stage(FINISH, "update", 1),
            ),
        )

    def _work(
        self, gate: NDArray[np.int64], member: int, count: int, stages: int, begin: int, end: int
    ) -> None:
        run(
            self._matrices, self._geometry, self._ants, self._rules, self._record, gate,
            self._places[member], member, len(self._places), count, stages, begin, end,
        )  # fmt: skip

    def _draw(
        self, wanted: Wanted, order: NDArray[np.integer]
    ) -> tuple[NDArray[np.float32] | None, Trails | None]:
        trails = self._matrices.trails
        return (
            matrix_picture(trails, order) if Wanted.PHEROMONE in wanted else None,
            matrix_trails(trails, self._instance.directed) if Wanted.TRAILS in wanted else None,
        )

    def _listed(self) -> NDArray[np.float32]:
        listed: NDArray[np.float32]
        listed = np.take_along_axis(self._matrices.trails, self._neighbours, axis=1)
        return listed

    def trails_from(self, city: int) -> NDArray[np.float32]:
        """All trails from ``city``; see :meth:`gpu.colony.Colony.trails_from`."""
        return np.array(self._matrices.trails[city])
