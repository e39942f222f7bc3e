"""Tour construction of the MAX-MIN Ant Systems: how ants are spread over the GPU.

There are two selections and three tabus, with and without candidate lists (2020, Sections 4.1 to
4.3). Constructions with the same wheel order build the same tours; so do all with reservoirs.
"""

from __future__ import annotations

from gpu.construction.cuda.construction import StDynamic, TourConstruction
from gpu.core.errors import ParameterError
from gpu.cuda.kernels.constants import LANES
from gpu.cuda.machine import Machine
from gpu.cuda.trails import weight_columns
from gpu.max_min.cuda import kernels
from gpu.max_min.cuda.kernels import (
    GROUP_BYTES,
    MOST_LIST_WARPS,
    MOST_WARPS,
    OTHERS_BYTES,
    SAMPLED_ROWS,
    TILE_CITIES,
    WeightForm,
)
from gpu.max_min.cuda.update import MOST_KEPT_CITIES
from gpu.max_min.parameters import HALF_WEIGHTS, MmasGroupParameters, MmasListParameters

MOST_SHARED_TILES = 2
"""Tiles of a warp whose weights are in shared memory: no GPU has room for more."""

MOST_ALONE = 3000
"""Cities up to which one warp samples from an ant's list: it needs no barrier. Measured with 2,392
(one: 10.4 ms, two: 11.8) and 3,795 cities (49 and 44 ms)."""

LEAST_SHARE = 0.25
"""Share of all candidate lists. If less fits shared memory, the L1 cache gets the memory."""

LC, BT, CT = "LC", "BT", "CT"

UNVISITED_LISTS = {LC: "CompressedList", CT: "CompactList"}
"""Names of the tabus in gpu/construction/cuda/unvisited.cuh."""

ENTRY_BYTES = {LC: 4, CT: 2}
"""Bytes of shared memory a city, for each of these."""

LISTED_TABUS = {LC: "ListTabu", BT: "BitmaskTabu", CT: "CompactTabu"}
"""Names of the tabus in gpu/max_min/cuda/other_cities.cuh."""


class MmasConstruction(TourConstruction):
    """What all constructions have: the form in which their ants read weights."""

    form = WeightForm.FLOATS
    listed_form = WeightForm.NONE
    tabu_bytes: int  # that the tabu of an ant takes, in registers, shared or global memory


class Wheel(StDynamic, MmasConstruction):
    """RWM with a list of unvisited cities: tiling roulette and warps that retire (2017)."""

    source = kernels.RWM_LC
    alone = kernels.RWM_LC_ALONE
    order = UNVISITED_LISTS[LC]
    other = "GlobalUnvisited"

    def _arrange(self, machine: Machine, parameters: MmasGroupParameters) -> None:
        super()._arrange(machine, parameters)
        self.tabu_bytes = self.place[2] or 4 * self.n  # in global memory it is in the tours

    def _asked(self, parameters: MmasGroupParameters) -> tuple[int | None, bool]:
        return None if parameters.warps is None else LANES * parameters.warps, False

    def _shared_bytes(self) -> int:
        return ENTRY_BYTES[LC] * self.n


class CompactWheel(Wheel):
    """The same with the compact tabu."""

    source = kernels.RWM_CT
    alone = kernels.RWM_CT_ALONE
    order = UNVISITED_LISTS[CT]

    def _shared_bytes(self) -> int:
        return ENTRY_BYTES[CT] * self.n


class Rows(MmasConstruction):
    """BT: whole rows of weights, with tabu bits in registers."""

    def _arrange(self, machine: Machine, parameters: MmasGroupParameters, *, samples: bool) -> None:
        half = parameters.weights == HALF_WEIGHTS
        self.source = kernels.ROWS_WRS if samples else kernels.ROWS
        selection = "ReservoirOfRows" if samples else "WheelOfRows"
        row = "HalfRow" if half else "FullRow"
        self.form = WeightForm.HALVES if half else WeightForm.FLOATS
        shapes = (kernels.SAMPLED_TILES if samples else kernels.TILES)[row]
        least = -(-self.n // (max(shapes) * TILE_CITIES))
        warps = parameters.warps or least  # one is the fastest: it needs no barrier
        if warps < least:
            other = "choose a colony with candidate lists"
            advice = f"set at least {least}" if least <= MOST_WARPS else other
            how = f"{self.n} cities with {parameters.weights} weights"
            raise ParameterError(f"warps = {warps} is too few for {how}: {advice}")
        needed = -(-self.n // (TILE_CITIES * warps))
        tiles = next(count for count in shapes if count >= needed)
        self.kernel = f"build_tours_by_rows<{selection}, {row}, {tiles}>"
        self.place = self.ants, LANES * warps, 0
        self.tabu_bytes = 4 * LANES * warps * -(-tiles // 4)  # a word a lane for four tiles
        # What is read after the last row is not used.
        columns = weight_columns(self.n)
        whole = 2 * (self.n * columns + max(0, TILE_CITIES * tiles - columns))
        fits = whole + GROUP_BYTES <= machine.shared_limit
        if half and warps == 1 and tiles <= MOST_SHARED_TILES and fits:
            self.kernel = f"build_tours_in_shared<{selection}, {tiles}>"
            warps = min(MOST_WARPS, -(-self.ants // machine.multiprocessors))
            self.place = min(self.ants, machine.multiprocessors), LANES * warps, whole
            self.warp_an_ant = True


class Sampling(MmasConstruction):
    """WRS with a list of unvisited cities."""

    def _arrange(self, machine: Machine, parameters: MmasGroupParameters, tabu: str) -> None:
        half = parameters.weights == HALF_WEIGHTS
        self.form = WeightForm.HALVES if half else WeightForm.FLOATS
        row = "HalfRow" if half else "FullRow"
        shared = ENTRY_BYTES[tabu] * self.n
        self.tabu_bytes = shared
        check_shared(machine, shared, self.n, "mmas-wrs-bt")
        warps = parameters.warps or (1 if self.n <= MOST_ALONE else 2)
        alone = warps == 1
        self.source = kernels.RESERVOIR_ALONE if alone else kernels.RESERVOIR
        most, *fewer = SAMPLED_ROWS[alone]
        rows = next((count for count in fewer if self.n > LANES * most), most)
        order = UNVISITED_LISTS[tabu]
        self.kernel = f"build_tours_by_reservoir<{order}, {row}, {str(alone).lower()}, {rows}>"
        self.place = self.ants, LANES * warps, shared


class ListTours(MmasConstruction):
    """Either selection with candidate lists: a warp an ant, lists in shared memory if they fit."""

    warp_an_ant = True

    def _arrange(
        self, machine: Machine, parameters: MmasListParameters, tabu: str, *, samples: bool
    ) -> None:
        n, width, alpha = self.n, parameters.candidates, parameters.alpha
        half = parameters.weights == HALF_WEIGHTS
        if n > MOST_KEPT_CITIES:
            self.form = WeightForm.NONE
        elif half:
            self.form = WeightForm.HALVES
        packed = half and not samples
        self.listed_form = (
            WeightForm.INVERSES if samples else WeightForm.PACKED if half else WeightForm.FLOATS
        )
        self.source = kernels.LISTS_WRS if samples else kernels.LISTS_RWM
        tabu_bytes = -(-(-(-n // 8) if tabu == BT else ENTRY_BYTES[tabu] * n) // 16) * 16
        self.tabu_bytes = tabu_bytes
        check_shared(machine, tabu_bytes + OTHERS_BYTES, n, "mmas-rwm-bt-cl")
        rows = 1 if width == LANES else kernels.MOST_LIST_ROWS
        warps = min(MOST_LIST_WARPS, -(-self.ants // machine.multiprocessors))
        lists, bytes_a_city = ("PackedLists", 4 * width) if packed else ("SplitLists", 6 * width)
        room = max(0, machine.shared_limit - warps * tabu_bytes) // bytes_a_city
        least = LEAST_SHARE * n if packed else n
        kept = rows == 1 and n <= MOST_KEPT_CITIES
        fits = kept and (packed or samples) and room >= least
        held = min(n, room) if fits else 0
        self.place = self.ants, LANES, tabu_bytes
        if held:
            shared = held * bytes_a_city + warps * tabu_bytes
            self.place = min(self.ants, machine.multiprocessors), LANES * warps, shared
            lists = lists if held == n else "PartedLists"
        selection = "ReservoirSampling" if samples else "RouletteWheel"
        flags = f"{rows}, {str(held > 0).lower()}, {str(kept).lower()}"
        self.kernel = f"build_tours_by_lists<{LISTED_TABUS[tabu]}, {selection}, {lists}, {flags}>"
        self.values = {
            "width": width,
            "held": held,
            "rounds": half,
            "factors": int(alpha) if alpha.is_integer() else -1,
            "alpha": alpha,
            "tabu_bytes": tabu_bytes,
        }


def check_shared(machine: Machine, needed: int, n: int, other: str) -> None:
    """Raise ParameterError if the tabu of an ant is too large for shared memory."""
    if needed > machine.shared_limit:
        raise ParameterError(
            f"the tabu of {n} cities takes {needed} bytes and a block of this GPU has "
            f"{machine.shared_limit}: choose {other}, whose tabu takes a bit a city"
        )
