"""Tour construction of the MAX-MIN Ant Systems: how ants are spread over the GPU.

There are two selections and three tabus, with and without candidate lists (2020, Sections 4.1 to
4.3). Constructions with the same wheel order build the same tours; so do all with reservoirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gpu.construction.cuda.groups import Construction, StDynamic
from gpu.core.errors import ParameterError
from gpu.cuda.cities import LANES, DeviceCities
from gpu.cuda.machine import Arrays, Launch, Machine
from gpu.max_min.cuda import kernels
from gpu.max_min.cuda.kernels import BuildToursByLists, BuildToursByReservoir, BuildToursByRows
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


class MmasConstruction(Construction):
    """What all constructions have: the form in which their ants read weights."""

    form = Form.FLOATS
    listed_form = Form.NONE


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

    source = kernels.COMPACT
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
        self.source = kernels.ROWS_WRS if samples else kernels.ROWS
        selection = "ReservoirOfRows" if samples else "WheelOfRows"
        row = "HalfRow" if half else "FullRow"
        self.form = Form.HALVES if half else Form.FLOATS
        shapes = (kernels.SAMPLED_TILES if samples else kernels.TILES)[row]
        most = max(shapes) * TILE_CITIES
        least = -(-self.n // most)
        warps = (
            parameters.warps or least
        )  # the fewest are the fastest: a single one needs no barrier
        check_warps(warps, least, self.n, f"with {parameters.weights} weights")
        needed = -(-self.n // (TILE_CITIES * warps))
        tiles = next(count for count in shapes if count >= needed)
        self._kernel = f"build_tours_by_rows<{selection}, {row}, {tiles}>"
        self._grid, self._block, self._shared = self.ants, LANES * warps, 0
        beyond = max(0, TILE_CITIES * tiles - self.columns)  # read after the last row, but not used
        whole = 2 * (self.n * self.columns + beyond)
        fits = whole + GROUP_BYTES <= machine.shared_limit
        if half and warps == 1 and tiles <= MOST_SHARED_TILES and fits:
            self._kernel = f"build_tours_in_shared<{selection}, {tiles}>"
            warps = min(MOST_WARPS, -(-self.ants // machine.multiprocessors))
            self._grid = min(self.ants, machine.multiprocessors)
            self._block, self._shared = LANES * warps, whole

    def launches(self, arrays: Arrays) -> Sequence[Launch]:
        """The launches that build all tours of an iteration."""
        construction = self._construction(arrays)
        args = BuildToursByRows.from_arrays(arrays, construction=construction, columns=self.columns)
        return (Launch(self.source, self._kernel, self._grid, self._block, args, self._shared),)


class Sampling(MmasConstruction):
    """WRS with a list of unvisited cities."""

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
        # The fastest as measured: with more ants, fewer warps an ant keep the GPU busy.
        fastest = 4 if self.n <= 900 else 2 if self.n <= 1500 else 1
        self._block = LANES * (parameters.warps or fastest)

    def launches(self, arrays: Arrays) -> Sequence[Launch]:
        """The launches that build all tours of an iteration."""
        common, columns = self._construction(arrays), self.columns
        args = BuildToursByReservoir.from_arrays(arrays, construction=common, columns=columns)
        return (
            Launch(kernels.RESERVOIR, self._kernel, self.ants, self._block, args, self._shared),
        )


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
        self.source = kernels.LISTS_WRS if samples else kernels.LISTS_RWM
        self._tabu_bytes = _aligned({LC: 4 * n, BT: -(-n // 8), CT: 2 * n}[tabu])
        check_shared(machine, self._tabu_bytes + OTHERS_BYTES, n, "mmas-rwm-bt-cl")
        rows = 1 if self._width == LANES else kernels.MOST_LIST_ROWS
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
        selection = "ReservoirSampling" if samples else "RouletteWheel"
        flags = f"{str(self._held > 0).lower()}, {str(kept).lower()}"
        self._kernel = (
            f"build_tours_by_lists<{LISTED[tabu]}, {selection}, {lists}, {rows}, {flags}>"
        )

    def launches(self, arrays: Arrays) -> Sequence[Launch]:
        """The launches that build all tours of an iteration."""
        args = BuildToursByLists.from_arrays(
            arrays,
            construction=self._construction(arrays),
            width=self._width,
            held=self._held,
            columns=self.columns,
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
        other = "choose a colony with candidate lists"
        advice = f"set at least {least}" if least <= MOST_WARPS else other
        raise ParameterError(f"warps = {warps} is too few for {n} cities {how}: {advice}")


def check_shared(machine: Machine, needed: int, n: int, other: str) -> None:
    """Raise ParameterError if the tabu of an ant is too large for shared memory."""
    if needed > machine.shared_limit:
        raise ParameterError(
            f"the tabu of {n} cities takes {needed} bytes and a block of this GPU has "
            f"{machine.shared_limit}: choose {other}, whose tabu takes a bit a city"
        )


def _aligned(size: int) -> int:
    return -(-size // 16) * 16
