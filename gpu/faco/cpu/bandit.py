"""How many new edges an ant makes: Exp3 (Auer, Cesa-Bianchi, Freund and Schapire 2002).

As Skinderowicz (2024) has it, each of a few numbers of new edges is an arm of a bandit. With K arms
of weights w, an ant draws arm i with the probability p_i = (1 - γ)·w_i/Σw + γ/K. When its tour is
shorter than the source, by a share of x, its reward is r = min(1, x·n/10), else 0. Then w_i is
multiplied by e^(γ·r/(p_i·K)).

All ants of an iteration draw with the same probabilities, and the weights change after them. So it
does not matter which thread builds which ant.
"""

from __future__ import annotations

import math

import numpy as np

from gpu.core.random import Purpose
from gpu.cpu.compilation import Whole, cached, compiled, inlined
from gpu.cpu.philox import Key, share, words_of
from gpu.faco.cpu.state import Bandit, FacoAnts, FacoCpuRules
from gpu.faco.parameters import EXPLORING

EDGES_PURPOSE = np.uint32(Purpose.EDGES)

REWARD_SCALE = 0.1  # of rewards, for each city


def new_bandit(arms: int) -> Bandit:
    """Return a bandit that has learnt nothing."""
    return Bandit(np.zeros(arms), np.full(arms, 1 / arms, np.float32))


@inlined
def draw_arm(bandit: Bandit, key: Key, iteration: np.uint32, ant: Whole) -> int:
    """Return the arm of an ant."""
    arm, last = 0, bandit.shares.size - 1
    if last > 0:
        left = share(words_of(key, EDGES_PURPOSE, iteration, ant, 0)[0])
        while arm < last and left >= bandit.shares[arm]:
            left = np.float32(left - bandit.shares[arm])
            arm += 1
    return arm


@cached
def arm_of(bandit: Bandit, key: Key, iteration: np.uint32, ant: int) -> int:
    """Return the arm of an ant, for the decision view."""
    return draw_arm(bandit, key, iteration, ant)


@compiled
def learn(bandit: Bandit, ants: FacoAnts, rules: FacoCpuRules, source: np.int64) -> None:
    """Reward the arms of all ants, whose source was so long; see the module."""
    scores, shares = bandit.scores, bandit.shares
    arms = scores.size
    if arms == 1:
        return
    for ant in range(ants.lengths.size):
        gain = source - ants.lengths[ant]
        if gain > 0:
            reward = min(1.0, np.float64(gain) / np.float64(source) * rules.reward)
            arm = ants.arms[ant]
            scores[arm] += EXPLORING * reward / (np.float64(shares[arm]) * arms)
    largest, total = scores[0], 0.0
    for arm in range(1, arms):
        largest = max(largest, scores[arm])
    for arm in range(arms):
        scores[arm] -= largest
        total += math.exp(scores[arm])
    for arm in range(arms):
        drawn = (1.0 - EXPLORING) * math.exp(scores[arm]) / total
        shares[arm] = np.float32(drawn + EXPLORING / arms)
