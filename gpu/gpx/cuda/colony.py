"""The gpx colonies on a GPU: a block an ant, all iterations without the host."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.colony import never
from gpu.core.errors import DeviceError
from gpu.core.legacy import Legacy
from gpu.core.snapshot import Snapshot, Wanted
from gpu.cuda.colony import DeviceHeir, State, numbers_of
from gpu.cuda.instances import DeviceGraph
from gpu.cuda.iterations import Iterations, Phases
from gpu.cuda.kernels import Seed
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.loader import divided
from gpu.cuda.machine import Array, Arrays, Buffer, Launch, Machine
from gpu.cuda.trails import DenseTrails
from gpu.gpx.cuda.kernels import (
    GENERATIONS,
    SEARCH_GENERATION,
    SEARCH_STATIC,
    SEARCH_THREADS,
    SEARCH_WORDS,
    AntRecord,
    GenerationPlan,
)
from gpu.gpx.cuda.kinds import kinds_of
from gpu.gpx.parameters import (
    KIND_NAMES,
    KINDS,
    MOST_COUNT,
    MOST_WITH_TRAILS,
    NOBODY,
    GpxGpuParameters,
    HeadGpuParameters,
    moves_of,
    trails_note,
)
from gpu.gpx.rule import HEAVIEST_SUM, MOST_SPREAD
from gpu.problems.coloring.dsatur import dsatur_coloring
from gpu.problems.coloring.instance import GraphInstance, class_order

if TYPE_CHECKING:
    from gpu.gpx.cpu.state import GpxState

FEW_NEIGHBOURS = 24  # of one color, on average: in random graphs seven bits count them by far
NARROW, WIDE = 4, 2  # vertices of a word of counts
MOST_CROWD = 40  # neighbours in one class of the first coloring: a hub may have far more
UPDATE_THREADS = 256
MOST_EFFORT = 3_000_000  # of an ant in an iteration; see :mod:`gpu.gpx.cuda.kernels`: some 80 ms
ITERATIONS_A_LOOK = 16  # after which the host looks whether there are fewer colors
BLOCK_SHARED = 1024  # bytes of shared memory that a block takes besides what it asks for
LEAST_NEAR = 0.4  # of rows that are in shared memory, if two blocks share it
PLANNED_AGAIN = 0.97  # of the colors for which launches were planned: with fewer, they are anew


class GenerationTrails(DenseTrails):
    """A matrix of the trails of the island that found the best coloring: shares from 0 to 1."""


def _most_in_a_class(instance: GraphInstance, coloring: NDArray[np.int32]) -> int:
    """Return how many neighbours a vertex has in one class, at most."""
    rows = np.repeat(np.arange(instance.n, dtype=np.int64), instance.degrees)
    pairs = rows * (int(coloring.max(initial=0)) + 1) + coloring[instance.adjacent]
    return int(np.unique(pairs, return_counts=True)[1].max(initial=0))


@dataclass(frozen=True)
class SearchShape:
    """How a block holds a graph."""

    fields: int  # vertices of a word
    own: int  # words of a thread
    words: int  # of all vertices
    stride: int  # words of a row of counts: odd, so that a column lies in all banks
    least_colors: int  # with fewer, vertices may have more neighbours of a color than fit

    @classmethod
    def of(cls, instance: GraphInstance, first: NDArray[np.int32]) -> SearchShape:
        """The shape for a graph and colorings of at most as many colors as the ``first`` one."""
        degree, most = int(instance.degrees.max(initial=0)), int(first.max(initial=0)) + 1
        narrow = degree <= MOST_COUNT or (
            degree <= FEW_NEIGHBOURS * most and _most_in_a_class(instance, first) <= MOST_CROWD
        )
        fields = NARROW if narrow else WIDE
        words = -(-instance.n // fields)
        own = next((own for own in SEARCH_WORDS if words <= own * SEARCH_THREADS), SEARCH_WORDS[-1])
        counted = narrow and degree > MOST_COUNT
        least = -(-degree // FEW_NEIGHBOURS) if counted else 1
        return cls(fields, own, words, words + 1 - words % 2, least)

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return LANES * -(-self.words // (LANES * self.own))

    @property
    def padded(self) -> int:
        """Numbers of a coloring."""
        return self.words * self.fields


class GpxCudaColony(DeviceHeir):
    """A gpx colony on a GPU; see :class:`gpu.core.colony.Colony`.

    It begins with the coloring ``start``, else with the greedy one. Islands of ants cross their
    colorings and repair them by tabu search; others search by themselves.

    Raises
    ------
    DeviceError
        If the device cannot run a block for so many vertices.
    DeviceMemoryError
        If the colony does not fit the device: n bytes for each color and ant, or 2 n for graphs
        with hubs, some 20 n more an ant, 2 n² an island with trails, and up to 8 n for each color
        and ant with a partial coloring.
    """

    BEST = "best_coloring"

    _parameters: GpxGpuParameters | HeadGpuParameters
    _instance: GraphInstance

    NUMBERS = frozenset({"moves", "cycle", "noise", "left", "explored", "patience", "rho"})

    def __init__(
        self,
        instance: GraphInstance,
        parameters: GpxGpuParameters | HeadGpuParameters,
        machine: Machine,
        seed: int,
        start: NDArray[np.int32] | None = None,
    ) -> None:
        p = parameters
        assert p.ants is not None
        self._parameters, self._seed = p, seed
        graph = DeviceGraph.of(instance)
        first = dsatur_coloring(instance) if start is None else start
        self._most = most = int(first.max(initial=0)) + 1
        self._shape = shape = SearchShape.of(instance, first)
        self._graph, self._device = graph, machine
        self._ring = 1 << (3 * instance.n // 5 + MOST_SPREAD + 1).bit_length()
        self._heaviest = int(HEAVIEST_SUM // max(1, instance.degrees.max(initial=1)))
        self._heaviest = max(16, self._heaviest)
        self._kinds = kinds_of(p)
        self._fewest = most  # colors of the best coloring when launches were planned
        self._plan(machine)
        if not self._at_once or shape.threads > SEARCH_THREADS:
            raise DeviceError(
                f"the device holds no block of {shape.threads} threads of tabu search for "
                f"{graph.n} vertices and {most} colors; choose another colony"
            )
        trails = GenerationTrails(graph)
        self._columns = trails.columns
        super().__init__(machine, instance, p.ants, graph, trails, self._buffers())
        self._first = np.asarray(first, np.int32)
        machine.upload(self._arrays[self.BEST], self._first)
        arrays = {**self._arrays, **self._numbers(p)}
        begin = GENERATIONS.launch("start_generations", 1, 1024, arrays)
        self._begin([begin], self._phases_for(p))

    def _plan(self, machine: Machine) -> None:
        """Find the kernel, and how much shared memory it takes, for the present number of colors.

        What ants find does not depend on this.
        """
        shape, n, rows = self._shape, self._graph.n, self._fewest
        ants = self._parameters.ants
        assert ants is not None
        besides, row = 8 * self._ring, 4 * shape.stride
        crossing = 12 * self._most + 4 * n + 8
        near = (machine.shared_limit - SEARCH_STATIC - besides) // row
        if near < rows:
            besides += 4 * shape.padded  # colors that are remembered
            half = (machine.shared_limit + BLOCK_SHARED) // 2 - BLOCK_SHARED
            both = (half - SEARCH_STATIC - besides) // row
            alone = (machine.shared_limit - SEARCH_STATIC - besides) // row
            shared = ants > machine.multiprocessors and both >= LEAST_NEAR * rows
            near = both if shared else alone
        near = max(0, min(rows, near))
        far = "true" if near < rows else "false"
        self._kernel = f"search_generation<{shape.own}, {shape.fields}, {far}>"
        optimizing = 8 * n + 4 * (-(-n // LANES)) if self._kinds.in_part else 0
        self._rows_near = near
        self._shared_bytes = max(near * row + besides, crossing, optimizing)
        kernel, block = self._kernel, shape.threads
        held = machine.resident(SEARCH_GENERATION, kernel, block, self._shared_bytes)
        self._at_once = held * machine.multiprocessors

    def iterate(self, count: int, stop: Callable[[], bool] = never) -> None:
        """Run ``count`` iterations; see :meth:`gpu.core.colony.Colony.iterate`.

        With fewer colors, more ants have room at the same time: launches are planned anew.
        """
        while count > 0:
            before = self._open()
            before.run(min(count, ITERATIONS_A_LOOK), stop)
            count -= ITERATIONS_A_LOOK
            state = State(self._machine.download(self._arrays["state"]))
            if PLANNED_AGAIN * self._fewest > state.best_length and not before.under_way:
                before.settle()
                self._fewest = state.best_length
                self._plan(self._machine)
                self._iterations = Iterations(self._machine, self._phases_for(self._parameters))
            if stop():
                return

    def _buffers(self) -> list[Buffer]:
        kinds, shape, n = self._kinds, self._shape, self._graph.n
        ants = self._parameters.ants
        assert ants is not None
        each = (ants, shape.padded)
        buffers = [
            Buffer("colorings", (2, *each), np.uint16, zeroed=True),
            Buffer("scratch", each, np.uint16),
            Buffer("proper", each, np.uint16),
            Buffer("records", (ants, AntRecord.dtype.itemsize // 4), np.uint32),
            Buffer("elite_keys", (kinds.islands, 2), np.uint64),
            Buffer("plan", (1, GenerationPlan.dtype.itemsize // 8), np.uint64),
            Buffer("halved", (KINDS,), np.uint32),
            Buffer("kept", (ants, self._most * shape.stride + 2 * self._ring), np.uint32),
            Buffer("class_order", (n,), np.int32),
        ]
        if kinds.elites:
            buffers.append(Buffer("elites", (kinds.islands, 2, shape.padded), np.uint16))
        if kinds.in_part:
            rows = (kinds.in_part, self._most * n)
            buffers.append(Buffer("sums", rows, np.uint32))
            buffers.append(Buffer("weights", (kinds.in_part, n), np.uint32))
            buffers.append(Buffer("loose", (kinds.in_part, n), np.uint16))
        if kinds.partials:
            rows = (kinds.partials, self._most * n)
            buffers.append(Buffer("expiries", rows, np.uint32))
        if self._marked:
            shares = (kinds.islands, n, self._columns)
            buffers.append(Buffer("island_trails", shares, np.uint16, zeroed=True))
        return buffers

    @property
    def _marked(self) -> bool:
        """Whether islands have trails, be it only to be seen."""
        return self._graph.n <= MOST_WITH_TRAILS

    def _numbers(self, p: GpxGpuParameters | HeadGpuParameters) -> dict[str, object]:
        kinds, shape, graph = self._kinds, self._shape, self._graph
        return {
            **{"n": graph.n, "row": graph.row, "stride": shape.stride, "near": self._rows_near},
            **{"ring": self._ring, "most": self._most, "colors": self._most, "ants": p.ants},
            **{"crossing": kinds.crossing, "optimizers": kinds.optimizers},
            **{"partials": kinds.partials, "islands": kinds.islands, "noise": kinds.noise},
            **{"moves": moves_of(p, self._instance), "most_effort": MOST_EFFORT},
            **{"heaviest": self._heaviest, "patience": kinds.patience, "cycle": kinds.cycle},
            **{"explored": np.float32(kinds.explored), "least_explored": shape.least_colors},
            **{"greedy_start": int(kinds.greedy_start), "keep": kinds.keep},
            **{"columns": self._columns, "padded": shape.padded, "seed": Seed.of(self._seed)},
        }

    def _phases_for(self, parameters: GpxGpuParameters | HeadGpuParameters) -> Phases:
        self._kinds = kinds_of(parameters)
        absent = dict.fromkeys(("elites", "island_trails", "sums", "expiries", "weights", "loose"))
        given: Arrays = {**absent, **self._arrays, **self._numbers(parameters)}
        ants, kinds = parameters.ants, self._kinds
        assert ants is not None
        followed = given if kinds.trails else {**given, "island_trails": None}

        def search(first: int, end: int) -> Launch:
            block, shared = self._shape.threads, self._shared_bytes
            return SEARCH_GENERATION.launch(
                self._kernel, end - first, block, followed, shared, first_ant=first
            )

        update = [GENERATIONS.launch("gather_islands", kinds.islands, UPDATE_THREADS, given)]
        if self._marked:
            rows = min(4096, kinds.islands * self._graph.n)
            update.append(GENERATIONS.launch("renew_island_trails", rows, UPDATE_THREADS, given))
        update.append(GENERATIONS.launch("close_generation", 1, UPDATE_THREADS, given))
        return {"search": (divided(search, ants, self._at_once),), "update": tuple(update)}

    def _take_over(self, legacy: Legacy) -> None:
        if legacy.state.cost <= self._most:
            return
        # The coloring that this colony began with is better, and tables have room for no more.
        words = np.array(self._machine.download(self._arrays["state"])).view(np.uint64)
        numbers_of(words)["best_length"] = self._most
        self._machine.upload(self._arrays["state"], words)
        self._machine.upload(self._arrays[self.BEST], self._first)
        self._best = None

    def standing_of(self, ant: int) -> GpxState:
        """Return where an ant stands; see :class:`gpu.gpx.replay.ReadableGpxColony`."""
        from gpu.gpx.cuda.standing import DeviceStanding

        self._open().settle()
        return DeviceStanding(
            *(self._instance, self._parameters, self._seed, self._machine, self._arrays),
            *(self._most, self._ring),
        ).of(ant)

    def snapshot(self, wanted: Wanted) -> Snapshot:
        """Return the state; see :meth:`gpu.core.colony.Colony.snapshot`."""
        pictures = Wanted.PHEROMONE | Wanted.TRAILS
        return super().snapshot(wanted if self._marked else wanted & ~pictures)

    def _more(self, wanted: Wanted) -> dict[str, Any]:
        plan = np.array(self._machine.download(self._arrays["plan"])).view(GenerationPlan.dtype)
        kind = int(plan["found_by"].item())
        found_by = "" if kind == NOBODY else KIND_NAMES[kind]
        note = trails_note(self._parameters, self._graph.n)
        return {**super()._more(wanted), "found_by": found_by, "trails_note": note}

    def _iteration_solution(self, state: State) -> Array:
        return self._arrays[self.BEST]

    def _picture_order(self, state: State) -> Array:
        order = self._arrays["class_order"]
        self._machine.upload(order, class_order(self._best_solution(state)))
        return order
