"""What holds of every decision, and the tour that a replay foretells."""

from __future__ import annotations

import numpy as np
import pytest

from gpu.core.decisions.decision import Decision, Outcome
from gpu.core.decisions.rule import Rule, TrailSource


def whole_tour(
    rule: Rule, n: int, source: TrailSource, iteration: int, ant: int = 0
) -> tuple[list[int], list[Decision]]:
    """The tour that is predicted for one ant, and its decisions."""
    replay = rule.replay(source, iteration)
    decisions: list[Decision] = []
    for step in range(1, n):
        decision = replay.decision(ant, step)
        assert isinstance(decision, Decision)
        check(decision, n)
        decisions.append(decision)
    return [*map(int, decisions[-1].tour), decisions[-1].choice.chosen], decisions


def check(decision: Decision, n: int) -> None:
    choice = decision.choice
    count = len(choice.cities)
    for values in (choice.trails, choice.heuristics, choice.weights, choice.shares):
        assert values.shape == (count,)
        assert (values >= 0).all()
    assert (choice.weights > 0).all()
    assert decision.probabilities.sum() == pytest.approx(1, abs=1e-12)
    assert choice.chosen in choice.cities
    assert not set(choice.cities) & set(decision.tour)
    assert set(choice.cities) <= set(range(n))
    at = int(np.flatnonzero(choice.cities == choice.chosen)[0])
    if choice.outcome in (Outcome.GREEDY, Outcome.FALLBACK):
        assert choice.weights[at] == choice.weights.max()
    if choice.outcome is Outcome.NEAREST:
        assert choice.heuristics[at] == choice.heuristics.max()
    if choice.new_edges is not None:
        made, wanted = choice.new_edges
        assert (made == wanted) == (choice.outcome is Outcome.FOLLOW)
        assert made <= wanted
    if choice.outcome is Outcome.GREEDY:
        assert choice.q is not None
        assert choice.q0 is not None
        assert choice.q < choice.q0
    if choice.outcome is Outcome.ROULETTE:
        assert choice.spin is not None
        if choice.q is not None:
            assert choice.q0 is not None
            assert choice.q >= choice.q0
        ends = np.cumsum(decision.probabilities)
        assert (ends[at - 1] if at else 0) - 1e-6 <= choice.spin <= ends[at] + 1e-6
    if choice.outcome is Outcome.I_ROULETTE:
        assert choice.draws is not None
        assert (choice.draws > 0).all()
        assert (choice.draws < 1).all()
        keys = choice.draws * choice.weights
        assert keys[at] == keys.max()
    if choice.outcome is Outcome.RESERVOIR:
        assert choice.keys[at] == pytest.approx(choice.keys.max(), rel=1e-6)
