"""The decision of an ant that colors a graph, in words and as the equations of the paper."""

from __future__ import annotations

from gpu.core.decisions.coloring_decision import ColoringDecision, Draw
from gpu.core.formats import whole
from views.decision.decision_words import power, probability, quantity, stop_text


def sentence(decision: ColoringDecision) -> str:
    """Say where the ant stands and what it does; numbers of vertices and classes begin at 1."""
    return f"Ant {decision.ant + 1}, step {decision.step}: {_where(decision)} {_how(decision)}"


def _where(decision: ColoringDecision) -> str:
    color, here, excluded = decision.color + 1, decision.here, len(decision.excluded)
    if here is None:
        return f"it begins class {color}."
    left = excluded + len(decision.candidates)
    are = "is a neighbour" if excluded == 1 else "are neighbours"
    return (
        f"it stands at vertex {here + 1} in class {color}; {whole(excluded)} of {whole(left)} "
        f"uncolored vertices {are} of the class and excluded."
    )


def _how(decision: ColoringDecision) -> str:
    count, chosen = len(decision.candidates), f"vertex {decision.chosen + 1}"
    chance = probability(float(decision.chances[decision.at]))
    if count == 1:
        what = "vertex without a color" if decision.draw is Draw.FIRST else "candidate"
        return f"It takes the only {what}: {chosen}."
    if decision.draw is Draw.FIRST:
        return (
            f"It takes any of the {whole(count)} uncolored vertices with the same chance: "
            f"{chosen} (chance {chance})."
        )
    if decision.draw is Draw.EVEN:
        return (
            f"None of its {whole(count)} candidates has an excluded neighbour, so that all have "
            f"the same chance: {chosen} (chance {chance})."
        )
    if decision.draw is Draw.TRIAL:
        return (
            f"It draws vertices by their trails alone; the {_ordinal(decision.trials)} is a "
            f"candidate and is accepted, as d_N decides: {chosen} (chance {chance})."
        )
    vain = ""
    if decision.trials:
        times = "draw by trails alone was" if decision.trials == 1 else "draws by trails alone were"
        vain = f"{whole(decision.trials)} {times} in vain. "
    return (
        f"{vain}The wheel of its {whole(count)} candidates stops at "
        f"{stop_text(decision.spin)}, {chosen} (chance {chance})."
    )


def _ordinal(number: int) -> str:
    names = {1: "first", 2: "second", 3: "third"}
    return names.get(number, f"{whole(number)}th")


def formula(decision: ColoringDecision) -> str:
    """Return equations 1 and 2 of the paper for the chosen vertex, with the numbers put in."""
    at, chosen = decision.at, decision.chosen + 1
    chance = probability(float(decision.chances[at]))
    if decision.draw in (Draw.FIRST, Draw.EVEN):
        return f"p({chosen}) = 1 / {whole(len(decision.candidates))} = {chance}"
    assert decision.here is not None
    alpha, beta = decision.powers
    trail, weight = float(decision.trails[at]), float(decision.weights[at])
    pair = f"{decision.here + 1}, {chosen}"
    return (
        f"f({pair}) = d_N^α · τ^β = {power(str(decision.counts[at]), alpha)} · "
        f"{power(quantity(trail), beta)} = {quantity(weight)};   p = f / F = "
        f"{quantity(weight)} / {quantity(float(decision.weights.sum()))} = {chance}"
    )
