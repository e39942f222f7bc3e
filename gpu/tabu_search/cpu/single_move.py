"""The moves of one tabu search, one by one, by the compiled code of the search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import Whole, cached
from gpu.cpu.philox import draw_block
from gpu.tabu_search.cpu.search import (
    CONFLICTS,
    NOW_TIME,
    TABU,
    move,
    prepare,
)
from gpu.tabu_search.cpu.state import TabuRules, TabuWorkspace


@cached
def go_on(
    rules: TabuRules,
    workspace: TabuWorkspace,
    expiries: NDArray[np.uint32],
    number: Whole,
    fewest: np.int64,
    target: Whole,
) -> None:
    """Begin where search ``number`` stands: its colors, and their number, are in the workspace.

    So is the number of moves that it has made. See :func:`gpu.tabu_search.cpu.search.prepare`.
    """
    time = workspace.numbers[NOW_TIME]
    draw_block(workspace.words, rules.key, TABU, 0, number, time >> 2)
    prepare(rules, workspace, expiries, fewest, target)


@cached
def weigh_moves(
    workspace: TabuWorkspace,
    expiries: NDArray[np.uint32],
    gains: NDArray[np.int64],
    waits: NDArray[np.int64],
) -> None:
    """Write what each move does: of vertices in conflict, a row each, to every color.

    ``gains`` get the change of the number of conflicts, ``waits`` the moves for which it is still
    tabu, 0 for none, and -1 where the vertex has the color already. Both have the shape
    (vertices in conflict, colors).
    """
    time, counts = workspace.numbers[NOW_TIME], workspace.counts
    for row in range(gains.shape[0]):
        v = workspace.wrong[row]
        own = workspace.colors[v]
        for color in range(gains.shape[1]):
            gains[row, color] = np.int64(counts[v, color]) - np.int64(counts[v, own])
            waits[row, color] = max(np.int64(expiries[v, color]) - time, 0)
        waits[row, own] = -1


@cached
def make_moves(
    rules: TabuRules,
    workspace: TabuWorkspace,
    expiries: NDArray[np.uint32],
    number: Whole,
    count: int,
) -> int:
    """Make at most ``count`` moves, as long as there are conflicts; return how many were made."""
    made = 0
    while made < count and workspace.numbers[CONFLICTS] > 0:
        move(rules, workspace, expiries, number)
        made += 1
    return made
