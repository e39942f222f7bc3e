"""The ants of a cell, one by one, by the compiled code of the colony."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, cached
from gpu.cpu.philox import odd_share
from gpu.cpu.record import ITERATION
from gpu.focused.cpu.ants import NOT_BRIDGED, decide, double_bridge, draw_places, repair, unit
from gpu.focused.cpu.state import FocusedState
from gpu.tour_changes.cpu.patch import lay_out
from gpu.tour_changes.cpu.state import Patch
from gpu.tour_changes.cpu.tour import copy

FOUND, BRIDGED, REPAIRED = range(3)
"""Rows of a story's tours: before the ant, after its double bridge, after its local search."""

FIRST_PLACE, OTHER_PLACE, GAIN_BRIDGE, GAIN_REPAIR, VERDICT = range(5)
"""Places in a story's numbers: the cities drawn, as the patch numbers them; what double bridge and
local search gained; what became of the tour. The first gain is ``NOT_BRIDGED`` where nothing was
done."""

STORY_UNIT, STORY_DRAW = range(2)
"""Places in a story's measures: the unit of temperature, and the draw for a longer tour."""


class Story(NamedTuple):
    """What an ant did."""

    tours: NDArray[np.int32]  # (3, c): of as many places as a patch has
    numbers: NDArray[np.int64]  # (5,)
    measures: NDArray[np.float64]  # (2,)


@cached
def enter_cell(state: FocusedState, patch: Patch, cell: Whole) -> None:
    """Lay out a cell as its first ant finds it; the patch's ``number`` has nobody."""
    cells = state.cells
    begin, end = np.int64(cells.bounds[cell]), np.int64(cells.bounds[cell + 1])
    lay_out(state.lists, patch, state.source, cells.members, begin, end)


@cached
def follow(state: FocusedState, patch: Patch, story: Story, first: Whole, count: Whole) -> None:
    """Let so many ants of a cell search, and tell what the last one did.

    They enter what they change as the first cell of ``state.log``.
    """
    iteration, numbers, tours = state.record.numbers[ITERATION], story.numbers, story.tours
    for ant in range(first, first + count):
        numbers[FIRST_PLACE], numbers[OTHER_PLACE] = draw_places(state, patch, iteration, ant)
        copy(tours[FOUND], patch.tour)
        numbers[GAIN_BRIDGE] = double_bridge(state, patch, iteration, ant)
        copy(tours[BRIDGED], patch.tour)
        bridged = numbers[GAIN_BRIDGE] != NOT_BRIDGED
        numbers[GAIN_REPAIR] = numbers[VERDICT] = 0
        if bridged:
            numbers[GAIN_REPAIR] = repair(state.lists, patch)
        copy(tours[REPAIRED], patch.tour)
        if bridged:
            story.measures[STORY_UNIT] = unit(state, patch)
            story.measures[STORY_DRAW] = odd_share(patch.words[6])
            gain = numbers[GAIN_BRIDGE] + numbers[GAIN_REPAIR]
            numbers[VERDICT] = decide(state, patch, np.int64(0), gain)
