"""One choice of one ant, by the compiled code of the colony: what the decision view shows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.compilation import cached
from gpu.cpu.philox import START_PURPOSE, words_of
from gpu.cpu.wheel import part_of, scale_of
from gpu.rlf.cpu.construction import (
    CANDIDATES_LEFT,
    LARGEST_COUNT,
    LAST_VISITED,
    TRIAL_ACCEPTED,
    begin,
    begin_class,
    first_vertex,
    select,
    visit,
    weigh_row,
)
from gpu.rlf.cpu.state import Pairs, RlfRules, RlfWorkspace


@cached
def go_on(pairs: Pairs, workspace: RlfWorkspace, order: NDArray[np.uint32], made: int) -> None:
    """Color the vertices of ``order`` from place ``made`` on, class by class, without any choice.

    The workspace is as this function left it after the first ``made``; 0 begins anew. ``pairs`` has
    the trails of one vertex alone: those of the last vertex belong into row 0.
    """
    if made == 0:
        begin(workspace, pairs.neighbours.shape[0])
    for place in range(made, order.size):
        if workspace.progress[CANDIDATES_LEFT] == 0:
            begin_class(workspace)
        visit(pairs, workspace, order[place])
        workspace.progress[LAST_VISITED] = 0  # the row of its trails


@cached
def choose_once(
    pairs: Pairs,
    rules: RlfRules,
    workspace: RlfWorkspace,
    iteration: np.uint32,
    ant: int,
    step: int,
    parts: NDArray[np.uint32],
) -> tuple[np.uint32, np.uint32]:
    """Return the vertex that an ant colors after ``step`` others, and the random word it drew.

    The workspace is as :func:`go_on` left it; the vertex is not colored yet. The word is of no use
    after a trial that was accepted. If a wheel is turned over weights, the candidates' parts of it
    are written to ``parts``, shape (n,).
    """
    progress = workspace.progress
    if progress[CANDIDATES_LEFT] == 0:
        n = pairs.neighbours.shape[0]
        word = words_of(rules.key, START_PURPOSE, iteration, ant, step >> 2)[step & 3]
        return first_vertex(rules, iteration, workspace, ant, step, n), word
    weigh_row(pairs, rules, 0)
    slot = select(pairs, rules, iteration, workspace, ant, step)
    if progress[LARGEST_COUNT] > 0 and (rules.trials == 0 or progress[TRIAL_ACCEPTED] == 0):
        heaviest = np.int32(0)
        for candidate in range(progress[CANDIDATES_LEFT]):
            heaviest = max(heaviest, workspace.keys[candidate])
        scale = scale_of(heaviest)
        for candidate in range(progress[CANDIDATES_LEFT]):
            parts[candidate] = part_of(workspace.keys[candidate], scale)
    return workspace.candidates[slot], workspace.words[step & 3]
