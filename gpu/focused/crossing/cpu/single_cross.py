"""The crossing of one ant, child by child, by the compiled code of the colony."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, cached
from gpu.cpu.record import ITERATION
from gpu.focused.crossing.cpu.child import make_child, take_back
from gpu.focused.crossing.cpu.crossing import (
    begin_children,
    cross,
    draw_circle,
    lost_by,
    worth_of,
)
from gpu.focused.crossing.cpu.draws import begin_draws
from gpu.focused.crossing.cpu.state import GAIN, PARTS, SIDE, CrossingState, Room


class Children(NamedTuple):
    """What an ant made of each circle that it drew; there is room for as many as it may make."""

    circles: NDArray[np.int64]  # (c,): numbers of the circles
    sizes: NDArray[np.int64]  # (c,): edges of its own that the ant gives up with a circle
    parts: NDArray[np.int64]  # (c,): tours that this leaves, before they are joined
    gains: NDArray[np.int64]  # (c,): of the child; 0 if there is none
    losses: NDArray[np.float64]  # (c,): of entropy
    worths: NDArray[np.float64]  # (c,): of those that gain; else 0
    counts: NDArray[np.int64]  # (2,): circles that there are, and children


@cached
def follow(
    state: CrossingState, room: Room, children: Children, ant: Whole, own: Whole, other: Whole
) -> np.int64:
    """Let an ant cross tours ``own`` and ``other`` of the herd; return how much it gains.

    Its children are told, and ``room.work`` is the tour that it keeps.
    """
    herd, side, key = state.herd, state.schedule[SIDE], state.rules.key
    iteration = state.record.numbers[ITERATION]
    begin_draws(room, iteration, ant)
    count = begin_children(room, key, herd.links[side, own], herd.links[side, other])
    made = min(count, np.int64(state.rules.children))
    children.counts[0], children.counts[1] = count, made
    for turn in range(made):
        circle = draw_circle(room, key, turn, count)
        children.circles[turn] = circle
        children.sizes[turn] = (room.bounds[circle + 1] - room.bounds[circle]) // 2
        children.gains[turn], children.losses[turn], children.worths[turn] = 0, 0.0, 0.0
        if make_child(state.lists, room, circle):
            children.gains[turn] = room.numbers[GAIN]
            children.losses[turn] = lost_by(state, room)
            if room.numbers[GAIN] > 0:
                children.worths[turn] = worth_of(state, room)
        children.parts[turn] = room.numbers[PARTS]
        take_back(room)
    begin_draws(room, iteration, ant)
    return cross(state, room, herd.links[side, own], herd.links[side, other])
