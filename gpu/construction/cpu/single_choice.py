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
    """Return the city at position ``step`` of an ant's tour.

    Parameters
    ----------
    matrices : Matrices
        With one row, that of the city where the ant is; its weights are written.
    route : ndarray of uint32, shape (n,)
        The ant's tour list; the choice is written.
    rules : ChoiceRules
    workspace : Workspace
        With the ant's unvisited cities; the random words of the step are written.
    iteration, ant, step
    cities : ndarray of uint32, shape (k,)
        Those between which the ant chooses.
    parts : ndarray of uint32, shape (k,)
        Their parts of a wheel are written here.
    draws : ndarray of float32, shape (k,)
        Their own random numbers are written here.
    """
    weigh_row(matrices, rules, 0)
    draw_words(rules, workspace, iteration, ant, step)
    weights = matrices.weights
    largest = np.int32(0)
    for place in range(cities.size):
        largest = max(largest, np.float32(weights[0, cities[place]]).view(np.int32))
    scale = scale_of(largest)
    key = key_of_step(ant, iteration, step, rules.own, rules.key0, rules.key1)
    for place in range(cities.size):
        city = cities[place]
        parts[place] = part_of(np.float32(weights[0, city]).view(np.int32), scale)
        draws[place] = odd_share(own_word(city, key))
    return choose(matrices, route, rules, workspace, iteration, ant, step, 0)
