"""Tour construction of the MAX-MIN Ant Systems: how ants are spread over the GPU.

There are two selections and three tabus, with and without candidate lists (2020, Sections 4.1 to
4.3). Constructions with the same wheel order build the same tours; so do all with reservoirs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gpu.construction.cuda.groups import Construction, StDynamic
from gpu.core.errors import ParameterError
from gpu.cuda.cities import LANES, DeviceCities
from gpu.cuda.dense_trails import weight_columns
from gpu.cuda.machine import Array, Launch, Machine
from gpu.max_min.cuda.kernels import (
    COMPACT,
    LISTS_RWM,
    LISTS_WRS,
    MOST_LIST_ROWS,
    RESERVOIR,
    ROWS,
    ROWS_WRS,
    SAMPLED_TILES,
    TILES,
    BuildToursByLists,
    BuildToursByReservoir,
    BuildToursByRows,
)
from gpu.max_min.cuda.update import KEPT, Form
from gpu.max_min.parameters import HALF, MmasCudaParameters, MmasGroupParameters, MmasListParameters

TILE_CITIES = 256
"""Cities whose weights a warp reads at once; as in gpu/max_min/cuda/numbered_rows.cuh."""

PADDING = 128
"""Places of a list that a warp reads at once in reservoir.cu, some beyond its end."""

MOST_SHARED_TILES = 2
"""Tiles of a warp whose weights are in shared memory: no GPU has room for more."""

GROUP_BYTES = 512
"""Shared memory for ``GroupMemory`` in gpu/cuda/kernels/group.cuh, rounded up."""

MOST_WARPS = 16
"""Warps of a block at most, given the registers that the kernels use."""

MOST_LIST_WARPS = 32
"""Warps of a block at most whose candidate lists are in shared memory."""

OTHERS_BYTES = 256
"""Shared memory for ``OtherCities`` in other_cities.cuh, rounded up."""

LEAST_SHARE = 0.25
"""Share of all candidate lists. If less fits shared memory, the L1 cache gets the memory."""

LC, BT, CT = "LC", "BT", "CT"

SAMPLED = {LC: "SharedList", CT: "CompactList"}
"""Names of the tabus in gpu/max_min/cuda/reservoir.cu."""

LISTED = {LC: "ListTabu", BT: "BitmaskTabu", CT: "CompactTabu"}
"""Names of the tabus in gpu/max_min/cuda/list_tabus.cuh."""


class _GroupParameters(NamedTuple):
    """The parameters that :class:`gpu.construction.cuda.groups.Groups` reads."""

    ants: int | None
    workers: int | None
    launches: str | None = "tour"


class MmasConstruction(Construction, ABC):
    """What all constructions have: the form in which their ants read weights."""

    form = Form.FLOATS
    listed_form = Form.NONE

    @abstractmethod
    def launches(self, arrays: Mapping[str, Array]) -> Sequence[Launch]:
        """The launches that build all tours of an iteration."""


class Wheel(StDynamic, MmasConstruction):
    """RWM-LC: the tour list and tiling roulette, as ST-DYNAMIC of the Ant System (2017)."""

    def __init__(
        self, machine: Machine, cities: DeviceCities, parameters: MmasCudaParameters, seed: int
    ) -> None:
        assert isinstance(parameters, MmasGroupParameters)
        workers = None if parameters.warps is None else LANES * parameters.warps
        super().__init__(machine, cities, _GroupParameters(parameters.ants, workers), seed)


class CompactWheel(Wheel):
    """RWM-CT: the same with the compact tabu."""

    source = COMPACT
    alone = None
    order = "CompactList"
    other = "GlobalList"


class Rows(MmasConstruction):
    """BT: whole rows of weights, with tabu bits in registers."""

    def __init__(
        self,
        machine: Machine,
        cities: DeviceCities,
        parameters: MmasCudaParameters,
        seed: int,
        *,
        samples: bool,
    ) -> None:
        assert isinstance(parameters, MmasGroupParameters)
        super().__init__(machine, cities, parameters, seed)
        half = parameters.weights == HALF
        self.source = ROWS_WRS if samples else ROWS
        selection = "ReservoirOfRows" if samples else "WheelOfRows"
        self._row = "HalfRow" if half else "FullRow"
        self.form = Form.HALVES if half else Form.FLOATS
        shapes = (SAMPLED_TILES if samples else TILES)[self._row]
        most = max(shapes) * TILE_CITIES
        least = -(-self.n // most)
        self._warps = parameters.warps or max(least, self._automatic_warps())
        check_warps(self._warps, least, self.n, f"with {parameters.weights} weights")
        needed = -(-self.n // (TILE_CITIES * self._warps))
        tiles = next(count for count in shapes if count >= needed)
        self._kernel = f"build_tours_by_rows<{selection}, {self._row}, {tiles}>"
        self._grid, self._block, self._shared = self.ants, LANES * self._warps, 0
        columns = weight_columns(self.n)
        beyond = max(0, TILE_CITIES * tiles - columns)  # read after the last row, but not used
        whole = 2 * (self.n * columns + beyond)
        if (
            half
            and self._warps == 1
            and tiles <= MOST_SHARED_TILES
            and (whole + GROUP_BYTES <= machine.shared_limit)
        ):
            self._kernel = f"build_tours_in_shared<{selection}, {tiles}>"
            warps = min(MOST_WARPS, -(-self.ants // machine.multiprocessors))
            self._grid = min(self.ants, machine.multiprocessors)
            self._block, self._shared = LANES * warps, whole

    def _automatic_warps(self) -> int:
        """One, measured as the fastest: a single warp needs no barrier."""
        return 1

    def launches(self, arrays: Mapping[str, Array]) -> Sequence[Launch]:
        """The launches that build all tours of an iteration."""
        args = BuildToursByRows(
            construction=self._common(arrays),
            weights=arrays["weights"],
            columns=arrays["weights"].shape[1],
        )
        return (Launch(self.source, self._kernel, self._grid, self._block, args, self._shared),)


class Sampling(MmasConstruction):
    """WRS with a list of unvisited cities."""

    source = RESERVOIR

    def __init__(
        self,
        machine: Machine,
        cities: DeviceCities,
        parameters: MmasCudaParameters,
        seed: int,
        tabu: str,
    ) -> None:
        assert isinstance(parameters, MmasGroupParameters)
        super().__init__(machine, cities, parameters, seed)
        half = parameters.weights == HALF
        self.form = Form.HALVES if half else Form.FLOATS
        row = "HalfRow" if half else "FullRow"
        self._kernel = f"build_tours_by_reservoir<{SAMPLED[tabu]}, {row}>"
        self._shared = 2 * (self.n + PADDING)
        check_shared(machine, self._shared, self.n, "mmas-wrs-bt")
        self._warps = parameters.warps or self._automatic_warps()

    def _automatic_warps(self) -> int:
        """The fastest as measured: with more ants, fewer warps an ant keep the GPU busy."""
        return 4 if self.n <= 900 else 2 if self.n <= 1500 else 1

    def launches(self, arrays: Mapping[str, Array]) -> Sequence[Launch]:
        """The launches that build all tours of an iteration."""
        args = BuildToursByReservoir(
            construction=self._common(arrays),
            weights=arrays["weights"],
            columns=arrays["weights"].shape[1],
        )
        block = LANES * self._warps
        return (Launch(self.source, self._kernel, self.ants, block, args, self._shared),)


class ListTours(MmasConstruction):
    """Either selection with candidate lists: a warp an ant, lists in shared memory if they fit."""

    def __init__(
        self,
        machine: Machine,
        cities: DeviceCities,
        parameters: MmasCudaParameters,
        seed: int,
        tabu: str,
        *,
        samples: bool,
    ) -> None:
        assert isinstance(parameters, MmasListParameters)
        super().__init__(machine, cities, parameters, seed)
        n = self.n
        self._width = parameters.candidates
        self._alpha, self._rounds = parameters.alpha, parameters.weights == HALF
        if n > KEPT:
            self.form = Form.NONE
        elif self._rounds:
            self.form = Form.HALVES
        self.listed_form = Form.PACKED if self._rounds else Form.FLOATS
        if samples:
            self.listed_form = Form.INVERSES
        self.source = LISTS_WRS if samples else LISTS_RWM
        self._tabu_bytes = _aligned({LC: 4 * n, BT: -(-n // 8), CT: 2 * n}[tabu])
        check_shared(machine, self._tabu_bytes + OTHERS_BYTES, n, "mmas-rwm-bt-cl")
        rows = 1 if self._width == LANES else MOST_LIST_ROWS
        packed = self.listed_form is Form.PACKED
        warps = min(MOST_LIST_WARPS, -(-self.ants // machine.multiprocessors))
        lists, bytes_a_city = ("PackedLists", 4) if packed else ("SplitLists", 6)
        bytes_a_city *= self._width
        room = max(0, machine.shared_limit - warps * self._tabu_bytes) // bytes_a_city
        least = LEAST_SHARE * n if packed else n
        kept = rows == 1 and n <= KEPT
        fits = kept and (packed or samples) and room >= least
        self._held = min(n, room) if fits else 0
        if self._held:
            shared = self._held * bytes_a_city + warps * self._tabu_bytes
            self._place = min(self.ants, machine.multiprocessors), LANES * warps, shared
            lists = lists if self._held == n else "PartedLists"
        else:
            self._place = self.ants, LANES, self._tabu_bytes
        self._kernel = (
            f"build_tours_by_lists<{LISTED[tabu]}, "
            f"{'ReservoirSampling' if samples else 'RouletteWheel'}, "
            f"{lists}, {rows}, {str(self._held > 0).lower()}, {str(kept).lower()}>"
        )

    def launches(self, arrays: Mapping[str, Array]) -> Sequence[Launch]:
        """The launches that build all tours of an iteration."""
        args = BuildToursByLists(
            construction=self._common(arrays),
            candidates=arrays["candidates"],
            listed=arrays["listed"],
            width=self._width,
            held=self._held,
            weights=arrays.get("weights"),
            trails=arrays["trails"],
            columns=arrays["trails"].shape[1],
            backup=arrays["backup"],
            strayed=arrays["strayed"],
            rounds=self._rounds,
            factors=int(self._alpha) if self._alpha.is_integer() else -1,
            alpha=self._alpha,
            tabu_bytes=self._tabu_bytes,
        )
        grid, block, shared = self._place
        return (Launch(self.source, self._kernel, grid, block, args, shared),)


def check_warps(warps: int, least: int, n: int, how: str) -> None:
    """Raise ParameterError if so many warps an ant do not do for ``n`` cities."""
    if warps < least:
        raise ParameterError(
            f"warps = {warps} is too few for {n} cities {how}: "
            + (
                f"set at least {least}"
                if least <= MOST_WARPS
                else "choose a colony with candidate lists"
            )
        )


def check_shared(machine: Machine, needed: int, n: int, other: str) -> None:
    """Raise ParameterError if the tabu of an ant is too large for shared memory."""
    if needed > machine.shared_limit:
        raise ParameterError(
            f"the tabu of {n} cities takes {needed} bytes and a block of this GPU has "
            f"{machine.shared_limit}: choose {other}, whose tabu takes a bit a city"
        )


def _aligned(size: int) -> int:
    return -(-size // 16) * 16
