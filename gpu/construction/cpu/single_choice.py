"""One choice of one ant, for the decision view: by the compiled code of the CPU colonies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpu.construction.cpu.construction import choose, draw_words, weigh_row
from gpu.construction.cpu.state import ChoiceRules, Matrices, Workspace
from gpu.cpu.compilation import cached
from gpu.cpu.philox import key_of_step, odd_share, own_word
from gpu.cpu.wheel import part_of, scale_of


@cached
def choose_once(
    matrices: Matrices,
    route: NDArray[np.uint32],
    rules: ChoiceRules,
    workspace: Workspace,
    iteration: np.uint32,
    ant: int,
    step: int,
    cities: NDArray[np.uint32],
    parts: NDArray[np.uint32],
    draws: NDArray[np.float32],
) -> np.uint32:
    """Return the city at position ``step`` of an ant's tour, and write it to its ``route``.

    The matrices have one row, that of the city where the ant is; its weights are written. The ant
    chooses between ``cities``: their parts of a wheel and their own random numbers are written. The
    workspace has the unvisited cities, and gets the random words of the step.
    """
    weigh_row(matrices, rules, 0)
    draw_words(rules, workspace, iteration, ant, step)
    weights = matrices.weights
    largest = np.int32(0)
    for place in range(cities.size):
        largest = max(largest, np.float32(weights[0, cities[place]]).view(np.int32))
    scale = scale_of(largest)
    key = key_of_step(rules.key, rules.own, iteration, ant, step)
    for place in range(cities.size):
        city = cities[place]
        parts[place] = part_of(np.float32(weights[0, city]).view(np.int32), scale)
        draws[place] = odd_share(own_word(city, key))
    return choose(matrices, route, rules, workspace, iteration, ant, step, 0)
