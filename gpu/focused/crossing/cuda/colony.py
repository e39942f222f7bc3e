"""The crossing colony on a GPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.geometry import geometry_of
from gpu.cuda.iterations import Iterations
from gpu.cuda.kernels import Seed
from gpu.cuda.machine import Buffer, Launch, Machine
from gpu.cuda.state import State
from gpu.focused.cpu.state import Lists, is_flat
from gpu.focused.crossing.cpu.greedy import drawn_tours
from gpu.focused.crossing.cuda.kernels import (
    CHILD_WARPS,
    CIRCLES,
    CROSSING,
    TRACED_BYTES,
    TRACERS,
    Herd,
    Result,
)
from gpu.focused.crossing.parameters import (
    MANY,
    TRAILS,
    CrossingCudaParameters,
)
from gpu.focused.crossing.suitable import require_for_crossing_cuda
from gpu.focused.cuda.colony import STRONGEST, FocusedCudaColony
from gpu.focused.cuda.kernels import MOST_PIECES, TOURS, metric_of
from gpu.problems.tsp.instance import TspInstance

PATIENCE = 3  # rounds without a shorter tour after which a herd is done
BROOD = 32  # children of an ant, where a tour takes changes of many ants
ROUNDS = 16  # after which the host looks whether it is

CELL_CITIES = 2048  # of a cell in which circles are found, if their edges differ

_BLOCK = 256
_TRACING_STATIC = 1024  # bytes of static shared memory there, at most


@dataclass(frozen=True)
class Stage:
    """How crossing goes on for some rounds."""

    broods: int  # of a tour; it takes changes of the best child of each
    brood: int  # children


def stages_of(winners: str, ants: int) -> list[Stage]:
    """Return the stages of a herd whose tours have so many ants each."""
    last = Stage(1, ants)
    return [Stage(ants, BROOD), last] if winners == MANY else [last]


class CrossingCudaColony(FocusedCudaColony):
    """The crossing colony on a GPU; see :class:`gpu.core.colony.Colony`.

    The ants of a focused colony improve all tours of a herd for a while, each by itself. Then each
    round crosses every tour with another one, until no tour gets shorter. The next herd begins with
    the best tour, and with new ones.

    Raises
    ------
    ParameterError
        If the instance is directed, has more than 200,000 cities, or too long distances.
    DeviceMemoryError
        If the tours do not fit the device: some 140 bytes a city and tour, 1.6 KB
        an ant, and 25 KB more where each makes 32 children.
    """

    _LINKS = MOST_PIECES

    def __init__(
        self,
        instance: TspInstance,
        parameters: CrossingCudaParameters,
        machine: Machine,
        seed: int,
        start: NDArray[np.int32] | None = None,
    ) -> None:
        require_for_crossing_cuda(instance)
        p = parameters.resolved(instance.n)
        assert p.ants is not None
        assert p.tours is not None
        self._seed, self._herds = seed, 0
        each = p.ants // p.tours
        self._stages = stages_of(p.winners, each)
        super().__init__(instance, p.settlers(), machine, seed, start)
        self._settling, self._settling_phases = self._open(), self.phases
        rounds = [self._round(stage, p, seed) for stage in self._stages]
        self._crosses = [(Iterations(machine, each, divisible=False), each) for each in rounds]
        self._stage: int | None = None  # of crossing; None: the tours are still to settle
        self._merged = 0

    def _further_buffers(self, n: int, tours: int, ants: int) -> list[Buffer]:
        width = self._problem.width
        children = max(stage.broods * stage.brood for stage in self._stages)
        return [
            Buffer("numbers", (tours, n), np.int32),
            Buffer("traced", (tours, (n * TRACED_BYTES + 7) // 8 + 2), np.uint64),
            Buffer("circles", (tours, 2 * n), np.int32),
            Buffer("circle_spans", (tours, n // 2 + 1, 2), np.int32),
            Buffer("circle_slots", (tours, n // 2 + 1, 2), np.int32),
            Buffer("circle_counts", (tours,), np.int32),
            Buffer("counts", (n, width), np.int32),
            Buffer("results", (tours * children, Result.size // 8), np.uint64),
            Buffer("rounds", (2,), np.int32),  # changes made so far; rounds in a row without one
        ]

    def _starts(self, seed: int) -> NDArray[np.int32]:
        problem = self._problem
        instance, near = problem.instance, problem.neighbours
        geometry = geometry_of(instance, 1.0)
        lengths = instance.distances(np.arange(problem.n)[:, None], near).astype(np.int32)
        first = np.arange(problem.n, dtype=np.int32)
        lists = Lists(geometry, is_flat(geometry), near, lengths)
        tours = drawn_tours(lists, first, seed, self._tours.tours)
        tours[0] = first
        return tours

    def _round(
        self, stage: Stage, p: CrossingCudaParameters, seed: int
    ) -> Mapping[str, Sequence[Launch]]:
        """Return the phases of a round."""
        arrays, tours, all_tours = self._arrays, self._tours.tours, self._tours
        problem, machine, n = self._problem, self._machine, self._problem.n
        self._room = room = min(n, (machine.shared_limit - _TRACING_STATIC) // TRACED_BYTES)
        geometry, seeds = problem.geometry(arrays), Seed.of(seed)
        metric = metric_of(problem.instance)
        broods, brood = stage.broods, stage.brood
        herd = Herd.from_arrays(
            arrays,
            all=all_tours,
            seed=seeds,
            broods=broods,
            brood=brood,
            focus=int(p.weight == TRAILS),
        )

        def of_warps(name: str, warps: int, **values: Any) -> Launch:
            return CROSSING.launch(
                name, -(-warps // CHILD_WARPS), CHILD_WARPS * 32, arrays, **values
            )

        circles = CIRCLES.launch(
            "find_circles",
            tours,
            TRACERS,
            arrays,
            room * TRACED_BYTES,
            all=all_tours,
            seed=seeds,
            room=room,
            cell_cities=CELL_CITIES,
            per_map=np.float32(problem.per_map),
        )
        make = of_warps(
            f"make_children<{metric}>", tours * broods * brood, herd=herd, geometry=geometry
        )
        choose = of_warps(
            "choose_children",
            tours * broods,
            all=all_tours,
            broods=broods,
            brood=brood,
            sharing=int(broods * brood == self._ants // tours),
        )
        count = of_warps("count_changes", tours * broods, all=all_tours, broods=broods)
        elect = TOURS.launch("elect", 1, 32, arrays, tours=tours, ants=self._ants // tours)
        everywhere = min(65535, -(-n * tours // _BLOCK))
        rewrite = TOURS.launch(
            "rewrite", everywhere, _BLOCK, arrays, all=all_tours, most=self._most
        )
        entries = min(1024, -(-n * problem.width // _BLOCK))
        note = CROSSING.launch(
            "note_trails",
            entries,
            _BLOCK,
            arrays,
            all=all_tours,
            strongest=np.float32(STRONGEST),
        )
        merge = self._merge(broods, MOST_PIECES)
        return {
            "construction": (circles, make),
            "update": (choose, merge, count, elect, rewrite, note),
        }

    def _count(self) -> Launch:
        """Count the edges of all tours, from what was counted on."""
        grid = min(65535, -(-self._problem.n * self._tours.tours // _BLOCK))
        return CROSSING.launch("count_edges", grid, _BLOCK, self._arrays, all=self._tours)

    def _turn(self, state: State) -> None:
        """Begin to cross tours that have settled; begin another herd where crossing has ended."""
        if self._stage is None:
            self._begin_crossing()
        elif self._stage + 1 < len(self._crosses):
            further = self._stage + 1  # in which each brood makes a change, at best
            if self._made() < ROUNDS * self._tours.tours * self._stages[further].broods:
                self._cross(further)
        elif int(self._machine.download(self._arrays["rounds"])[1]) >= PATIENCE:
            self._begin_herd(state)
            return
        self._left, self._end = ROUNDS, state.iteration + ROUNDS

    def _made(self) -> int:
        """How many changes were made since this was asked before."""
        before, self._merged = self._merged, int(self._machine.download(self._arrays["wins"])[1])
        return self._merged - before

    def _begin_crossing(self) -> None:
        arrays, machine = self._arrays, self._machine
        machine.upload(arrays["counts"], np.zeros(arrays["counts"].shape, np.int32))
        machine.upload(arrays["rounds"], np.zeros(2, np.int32))
        machine.run([self._count()])
        self._made()
        self._cross(0)

    def _cross(self, stage: int) -> None:
        self._stage = stage
        self._iterations, self.phases = self._crosses[stage]

    def _begin_herd(self, state: State) -> None:
        self._herds += 1
        self._given = self._starts(self._seed + self._herds)
        self._given[0] = self._machine.download(self._arrays[self.BEST])
        lengths = [self._problem.instance.tour_length(tour) for tour in self._given]
        self._stage = None
        self._iterations, self.phases = self._settling, self._settling_phases
        self._take_over(lengths, state.iteration)
