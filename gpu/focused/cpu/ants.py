"""What the ants of a cell do: a double bridge, local search, and whether the tour is kept."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.core.random import Purpose
from gpu.cpu.compilation import Whole, cached, compiled, inlined
from gpu.cpu.geometry import DOUBLED
from gpu.cpu.philox import below, draw_block, odd_share, share
from gpu.cpu.random_keys import minus_log2
from gpu.cpu.record import ITERATION
from gpu.focused.cpu.directed import stride
from gpu.focused.cpu.merge import enter
from gpu.focused.cpu.state import TEMPERATURE, TOUR_LENGTH, FocusedState
from gpu.tour_changes.cpu.kicks import BRIDGE_CITIES, NOT_BRIDGED, bridge, repair
from gpu.tour_changes.cpu.patch import (
    copy,
    forget,
    lay_out,
    take_back,
)
from gpu.tour_changes.cpu.search import settle
from gpu.tour_changes.cpu.state import (
    GIVEN_UP,
    PATCH_CHANGED,
    PATCH_CITIES,
    PATCH_TURNS,
    Patch,
)

DOUBLE_BRIDGE = np.uint32(Purpose.DOUBLE_BRIDGE)
LN2 = math.log(2.0)
TOUR_KEPT, TOO_LONG, NO_ROOM = range(3)
"""What becomes of an ant's tour: the next ant begins with it; it is taken back because it is longer
than before, or because the log has no room for what has changed."""


@compiled
def search_cell(state: FocusedState, patch: Patch, cell: Whole) -> None:
    """Let the ants of a cell search, one after another, in a patch laid out anew.

    In the first iteration nobody makes a double bridge: all cities of the cell look for moves.
    """
    cells, rules, lists = state.cells, state.rules, state.lists
    begin, end = np.int64(cells.bounds[cell]), np.int64(cells.bounds[cell + 1])
    lay_out(lists, patch, state.source, cells.members, begin, end)
    iteration = state.record.numbers[ITERATION]
    number_of_cells = cells.bounds.size - 1
    first = rules.ants * cell // number_of_cells
    built = rules.ants * (cell + 1) // number_of_cells - first
    gained = total = np.int64(0)
    state.log.exchanges[cell] = state.log.edges[cell] = 0
    if iteration == 0:
        total = settle(lists, patch, rules.deepest) * built
    else:
        for ant in range(first, first + built):
            gain = double_bridge(state, patch, iteration, ant)
            if gain == NOT_BRIDGED:
                total += gained
                continue
            gain += repair(lists, patch)
            total += gained + gain
            if decide(state, patch, cell, gain) == TOUR_KEPT:
                gained += gain
    cells.gains[cell] = total
    _leave(state, patch, cell)


@compiled
def _leave(state: FocusedState, patch: Patch, cell: Whole) -> None:
    """Keep the patch's tour as the cell's result, and forget the numbers of its cities."""
    for place in range(patch.numbers[PATCH_CITIES]):
        state.cells.results[cell, place] = patch.tour[place]
    forget(patch)


@compiled
def settle_all(state: FocusedState, patch: Patch) -> None:
    """Let all cities of the whole tour look for moves: cells cannot change edges that leave them.

    The patch has room for all cities.
    """
    source, tour, n = state.source, state.tour, np.int64(state.tour.size)
    copy(source, tour)
    lay_out(state.lists, patch, source, state.cells.everyone, np.int64(0), n)
    state.schedule[TOUR_LENGTH] -= settle(state.lists, patch, state.rules.deepest)
    for place in range(n):
        city = patch.cities[patch.tour[place]]
        tour[place] = city
        state.place[city] = place
    forget(patch)


@inlined
def _trail_behind(state: FocusedState, patch: Patch, city: Whole) -> np.float32:
    """Return the trail of the edge by which the source leaves a city."""
    return np.float32(state.trails.taken[patch.cities[city]])


@inlined
def draw_places(
    state: FocusedState, patch: Patch, iteration: Whole, ant: Whole
) -> tuple[np.int64, np.int64]:
    """Draw an ant's random words and the cities of two places for its double bridge.

    They are the same where the ant looks at no trail.
    """
    rules, size, last = state.rules, patch.numbers[PATCH_CITIES], stride(state) - 1
    words, more = patch.words[:4], patch.words[4:]
    draw_block(words, rules.key, DOUBLE_BRIDGE, iteration, ant, 0)
    draw_block(more, rules.key, DOUBLE_BRIDGE, iteration, ant, 1)
    start = below(words[0], size) | last
    if rules.focus > 0 and share(more[1]) < rules.focus:
        return start, below(more[0], size) | last
    return start, start


@compiled
def double_bridge(state: FocusedState, patch: Patch, iteration: Whole, ant: Whole) -> np.int64:
    """Change places of three neighbouring stretches: B C D becomes D C B. Return the gain.

    It is a double bridge (Martin, Otto and Felten 1991) within a few cities of the tour. Of two
    places drawn for it, the one with the weaker trail is taken. Doubled cities stay together.
    """
    lists, rules, size = state.lists, state.rules, patch.numbers[PATCH_CITIES]
    step = stride(state)
    if size < BRIDGE_CITIES * step:
        return NOT_BRIDGED
    start, other = draw_places(state, patch, iteration, ant)
    if _trail_behind(state, patch, other) < _trail_behind(state, patch, start):
        start = other
    words = patch.words
    longest = min(np.int64(rules.kick), (size // step - 1) // 3)
    b = (below(words[1], longest) + 1) * step
    c = (below(words[2], longest) + 1) * step
    d = (below(words[3], longest) + 1) * step
    place = min(np.int64(patch.place[start]) // step * step + step, size - b - c - d) - 1
    return bridge(lists, patch, place, place + b, place + b + c, place + b + c + d)


@inlined
def decide(state: FocusedState, patch: Patch, cell: Whole, gain: np.int64) -> int:
    """Keep an ant's tour, and enter its changes in the log of a cell, or take them back."""
    verdict = TOUR_KEPT
    if gain < 0 and not _forgiven(
        patch.words[6], gain, state.schedule[TEMPERATURE] * unit(state, patch)
    ):
        verdict = TOO_LONG
    elif not enter(state.log, patch, cell):
        verdict = NO_ROOM
    if verdict != TOUR_KEPT:
        take_back(patch)
    patch.numbers[PATCH_TURNS] = patch.numbers[PATCH_CHANGED] = 0
    return verdict


@inlined
def unit(state: FocusedState, patch: Patch) -> np.float64:
    """Return the unit of temperature: the mean length of the edges that the double bridge gave up.

    So it fits dense and sparse parts of the map. Reduced distances are often 0: where there are
    such, it is the mean length of the source's edges.
    """
    if state.lists.geometry.rule == DOUBLED:
        return np.float64(state.schedule[TOUR_LENGTH] / state.source.size)
    return np.float64(max(patch.numbers[GIVEN_UP] / 4, 1.0))


@inlined
def _forgiven(word: np.uint32, gain: np.int64, heat: float) -> bool:
    """Whether a longer tour is kept: with probability e^(gain/heat) (Metropolis et al. 1953)."""
    if heat <= 0:
        return False
    return bool(np.float64(-gain) < heat * LN2 * np.float64(minus_log2(odd_share(word))))


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
