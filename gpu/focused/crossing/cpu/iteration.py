"""The stages of a crossing colony's iteration, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.construction.cpu.random_keys import minus_log2
from gpu.cpu.compilation import Whole, compiled, inlined
from gpu.cpu.record import BEST_COST, BEST_ITERATION, ITERATION, LAST_BEST, LAST_TOTAL, enter
from gpu.cpu.stage_loop import Task, loop_over, units_of
from gpu.focused.crossing.cpu.crossing import cross
from gpu.focused.crossing.cpu.draws import begin_draws, below
from gpu.focused.crossing.cpu.first import make_first
from gpu.focused.crossing.cpu.state import (
    CHAMPION,
    HERDS,
    IDLE,
    MAKING,
    NEXT,
    SIDE,
    SIZE_OF,
    WON,
    CrossingState,
    Room,
    Workspace,
)

WORK, GATHER = range(2)
"""The stages of an iteration: each ant makes a first tour or crosses its tour; what follows is
gathered from that."""

PATIENCE = 3  # rounds without a shorter tour after which a herd is done

CROSSED, WINNERS, COUNTED = range(3)  # places in the state's totals


@loop_over
def run(
    state: CrossingState, workspace: Workspace, barrier: NDArray[np.int64], task: Task, stage: int
) -> None:
    """Do a thread's share of a stage. A unit of WORK is an ant."""
    if stage == WORK:
        for ant in units_of(state.rules.ants, task):
            _work(state, workspace, ant)
    elif task.thread == 0:
        _gather(state, workspace.room)


@compiled
def _work(state: CrossingState, workspace: Workspace, ant: Whole) -> None:
    """Make a first tour, or cross one with the next in the order of this round.

    The first tour of a further herd is the champion: what earlier herds found is not lost.
    """
    schedule, herd, room = state.schedule, state.herd, workspace.room
    side, turn = schedule[SIDE], schedule[NEXT] + ant
    begin_draws(room, state.record.numbers[ITERATION], ant)
    herd.wins[ant] = 0
    if schedule[MAKING] and schedule[HERDS] > 0 and turn == 0:
        _copy(herd.links[side, turn], herd.champion)
        herd.lengths[side, turn] = schedule[CHAMPION]
        return
    if schedule[MAKING]:
        drawn = schedule[HERDS] > 0 or turn > 0
        herd.lengths[side, turn] = make_first(state, workspace, drawn, herd.links[side, turn])
        return
    size = schedule[SIZE_OF]
    own, other = herd.order[turn], herd.order[turn + 1 if turn + 1 < size else 0]
    gain = cross(state, room, herd.links[side, own], herd.links[side, other])
    _copy(herd.links[1 - side, own], room.work)
    herd.lengths[1 - side, own] = herd.lengths[side, own] - gain
    herd.wins[ant] = gain > 0


@inlined
def _copy(to: NDArray[np.int32], links: NDArray[np.int32]) -> None:
    """Copy a tour."""
    for city in range(links.shape[0]):
        to[city, 0], to[city, 1] = links[city, 0], links[city, 1]


@compiled
def _gather(state: CrossingState, room: Room) -> None:
    """Note what the ants made; at the end of a round begin another one, or another herd."""
    schedule, herd, rules, record = state.schedule, state.herd, state.rules, state.record
    making, side = bool(schedule[MAKING]), schedule[SIDE]
    if not making:
        side = 1 - side
        state.totals[CROSSED] += rules.ants
    best = total = np.int64(0)
    for ant in range(rules.ants):
        at = schedule[NEXT] + ant
        tour = at if making else np.int64(herd.order[at])
        if ant == 0 or herd.lengths[side, tour] < herd.lengths[side, best]:
            best = np.int64(tour)
        total += herd.lengths[side, tour]
        _count(state, herd.links[side, tour], 1)
        if not making:
            _count(state, herd.links[1 - side, tour], -1)
        schedule[WON] += herd.wins[ant]
        state.totals[WINNERS] += herd.wins[ant]
    state.totals[COUNTED] = schedule[NEXT] + rules.ants if making else schedule[SIZE_OF]
    _copy(room.work, herd.links[side, best])
    length = np.int64(herd.lengths[side, best])
    record.numbers[LAST_TOTAL] = total
    schedule[NEXT] += rules.ants
    if schedule[NEXT] == schedule[SIZE_OF]:
        begin_draws(room, record.numbers[ITERATION], rules.ants)
        schedule[NEXT], schedule[SIDE], schedule[MAKING] = 0, side, 0
        schedule[IDLE] = schedule[IDLE] + 1 if schedule[WON] == 0 and not making else 0
        schedule[WON] = 0
        if making:
            _weigh(state)
        elif schedule[IDLE] >= PATIENCE:
            _end_herd(state)
        _draw_order(state, room)
    _keep(state, room, length)


@inlined
def _count(state: CrossingState, links: NDArray[np.int32], by: int) -> None:
    """Count the edges of a tour in the trails, or strike them."""
    neighbours, counts = state.lists.neighbours, state.herd.counts
    for city in range(links.shape[0]):
        left = 2
        for lane in range(neighbours.shape[1]):
            near = neighbours[city, lane]
            if near == links[city, 0] or near == links[city, 1]:
                counts[city, lane] += by
                left -= 1
                if left == 0:
                    break


@inlined
def _weigh(state: CrossingState) -> None:
    """Compute what an edge of so many tours adds to the entropy."""
    size, spread = state.schedule[SIZE_OF], state.herd.spread
    for tours in range(size + 1):
        share = np.float32(np.float32(tours) / np.float32(size))
        inside = 0 < tours < size
        spread[tours] = np.float64(share) * np.float64(minus_log2(share)) if inside else 0.0


@inlined
def _draw_order(state: CrossingState, room: Room) -> None:
    """Draw the order in which the tours are crossed in the next round."""
    order, size = state.herd.order, state.schedule[SIZE_OF]
    for at in range(size):
        order[at] = at
    for at in range(size - 1, 0, -1):
        other = below(room, state.rules.key, at + 1)
        order[at], order[other] = order[other], order[at]


@inlined
def _end_herd(state: CrossingState) -> None:
    """Keep the best tour as the champion, and begin a larger herd."""
    schedule, herd = state.schedule, state.herd
    side, best = schedule[SIDE], np.int64(0)
    for tour in range(1, schedule[SIZE_OF]):
        if herd.lengths[side, tour] < herd.lengths[side, best]:
            best = np.int64(tour)
    _copy(herd.champion, herd.links[side, best])
    schedule[CHAMPION] = herd.lengths[side, best]
    schedule[HERDS] += 1
    schedule[MAKING], schedule[IDLE] = 1, 0
    schedule[SIZE_OF] = min(2 * schedule[SIZE_OF], state.rules.most)
    for city in range(herd.counts.shape[0]):
        for lane in range(herd.counts.shape[1]):
            herd.counts[city, lane] = 0


@inlined
def _keep(state: CrossingState, room: Room, length: np.int64) -> None:
    """Count the iteration; note its best tour, ``room.work``, and the best one so far."""
    record, numbers, links = state.record, state.record.numbers, room.work
    numbers[ITERATION] += 1
    numbers[LAST_BEST] = length
    enter(record)
    improved = numbers[BEST_ITERATION] == 0 or length < numbers[BEST_COST]
    if improved:
        numbers[BEST_COST] = length
        numbers[BEST_ITERATION] = numbers[ITERATION]
    city, before = np.int32(0), links[0, 0]
    for at in range(record.last_solution.size):
        record.last_solution[at] = city
        if improved:
            record.best_solution[at] = city
        following = links[city, 0] if links[city, 0] != before else links[city, 1]
        before, city = city, following
