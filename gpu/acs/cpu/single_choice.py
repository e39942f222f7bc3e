"""One choice of one ant, for the decision view: by the compiled code of the CPU colonies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.acs.cpu.choice import EXPLOIT, choose_lane, city_of, key_of, spin_of, weigh
from gpu.acs.cpu.state import CandidateLists, Pheromone, Rules, Workspace
from gpu.cpu.compilation import Whole, cached
from gpu.cpu.philox import share, words_of


@cached
def choose_once(
    lists: CandidateLists,
    trails: Pheromone,
    unvisited: NDArray[np.uint32],
    rules: Rules,
    workspace: Workspace,
    iteration: np.uint32,
    ant: int,
    step: int,
) -> tuple[Whole, np.float32, np.float32]:
    """Return the lane of the candidate that an ant takes, and the numbers q and spin that it draws.

    ``lists`` and ``trails`` have one row, that of the city where the ant is, and ``unvisited`` has
    one row for the ant. The weights of the candidates are left in the workspace. The lane is
    ``NOT_LISTED`` if no candidate is left.
    """
    largest = weigh(lists, trails, unvisited, 0, 0, workspace.keys)
    draw = words_of(rules.key, EXPLOIT, iteration, ant, step // 4)[step & 3]
    lane = choose_lane(lists, rules, workspace, iteration, ant, step, 0, largest, draw)
    return lane, share(draw), spin_of(rules, iteration, ant, step)


@cached
def heaviest_of(
    cities: NDArray[np.uint32],
    trails: NDArray[np.float32],
    heuristics: NDArray[np.float32],
    weights: NDArray[np.float32],
) -> np.uint32:
    """Write the weights of some cities; return the heaviest city, of equals the lowest."""
    best = np.int64(0)
    for place in range(cities.size):
        weights[place] = np.float32(trails[place] * heuristics[place])
        best = max(best, key_of(weights[place], cities[place]))
    return city_of(best)
