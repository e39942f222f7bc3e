"""Ants of real rules whose decisions the tests of this folder look at."""

from __future__ import annotations

from gpu.acs.parameters import AcsParameters
from gpu.acs.rule import AcsRule
from gpu.core.decisions.decision import Decision, Outcome
from gpu.core.decisions.rule import WalkRule
from gpu.decisions.replay import WalkReplay
from gpu.decisions.rule import InitialTrails
from gpu.problems.tsp.instance import TspInstance
from tests.views.scenes import uniform

CITIES = uniform(120)


def replay(rule: WalkRule, instance: TspInstance = CITIES) -> WalkReplay:
    return WalkReplay(rule, instance.n, InitialTrails(instance.n), 4)


def acs(**values: float) -> WalkReplay:
    return replay(AcsRule(CITIES, AcsParameters.from_mapping(dict(values)).resolved(CITIES.n), 1))


def one(outcome: Outcome, walker: WalkReplay, n: int = CITIES.n) -> Decision:
    """Return the first decision of this outcome."""
    for ant in range(20):
        for step in range(1, n):
            decision = walker.decision(ant, step)
            if decision.choice.outcome is outcome:
                return decision
    raise AssertionError(f"there is no {outcome}")
