"""The crossing of one ant, child by child, by the compiled code of the colony."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, cached
from gpu.cpu.record import ITERATION
from gpu.crossing.cpu.child import make_child, take_back
from gpu.crossing.cpu.crossing import begin_children, cross, draw_ab_cycle, lost_by, worth_of
from gpu.crossing.cpu.draws import begin_draws
from gpu.crossing.cpu.state import CHILD_GAIN, READ_SIDE, TOUR_PARTS, CrossingState, Room


class Offspring(NamedTuple):
    """What an ant made of each AB-cycle that it drew; there is room for as many as it may make."""

    ab_cycles: NDArray[np.int64]  # (c,): numbers of the AB-cycles
    sizes: NDArray[np.int64]  # (c,): edges of its own that the ant gives up with an AB-cycle
    parts: NDArray[np.int64]  # (c,): tours that this leaves, before they are joined
    gains: NDArray[np.int64]  # (c,): of the child; 0 if there is none
    losses: NDArray[np.float64]  # (c,): of entropy
    worths: NDArray[np.float64]  # (c,): of those that gain; else 0
    counts: NDArray[np.int64]  # (2,): AB-cycles that there are, and children


@cached
def follow(
    state: CrossingState, room: Room, children: Offspring, ant: Whole, own: Whole, other: Whole
) -> np.int64:
    """Let an ant cross tours ``own`` and ``other`` of the population; return how much it gains.

    Its children are told, and ``room.work`` is the tour that it keeps.
    """
    population, side, key = state.population, state.schedule[READ_SIDE], state.rules.key
    iteration = state.record.numbers[ITERATION]
    begin_draws(room, iteration, ant)
    count = begin_children(room, key, population.links[side, own], population.links[side, other])
    made = min(count, np.int64(state.rules.children))
    children.counts[0], children.counts[1] = count, made
    for turn in range(made):
        ab_cycle = draw_ab_cycle(room, key, turn, count)
        children.ab_cycles[turn] = ab_cycle
        children.sizes[turn] = (room.bounds[ab_cycle + 1] - room.bounds[ab_cycle]) // 2
        children.gains[turn], children.losses[turn], children.worths[turn] = 0, 0.0, 0.0
        if make_child(state.lists, room, ab_cycle):
            children.gains[turn] = room.numbers[CHILD_GAIN]
            children.losses[turn] = lost_by(state, room)
            if room.numbers[CHILD_GAIN] > 0:
                children.worths[turn] = worth_of(state, room)
        children.parts[turn] = room.numbers[TOUR_PARTS]
        take_back(room)
    begin_draws(room, iteration, ant)
    return cross(state, room, population.links[side, own], population.links[side, other])
