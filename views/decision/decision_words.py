"""An ant's decision in words."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gpu.core.decisions.decision import Choice, Decision, Outcome
from gpu.core.formats import THIN, significant, whole

_MOST_DIGITS = 7  # digits that are enough to tell two draws of 24 bits apart


def sentence(decision: Decision, ids: NDArray[np.int64]) -> str:
    """Say where the ant stands and what it does; ``ids`` are the cities' numbers in the file."""
    choice = decision.choice
    chance = probability(float(decision.probabilities[choice.cities == choice.chosen][0]))
    chosen = f"city {ids[choice.chosen]}"
    return (
        f"Ant {decision.ant + 1} stands in city {ids[decision.city]} at step {decision.step}. "
        + _how(choice, chosen, chance)
        + _edges(choice)
    )


def _edges(choice: Choice) -> str:
    """Say how far an ant is that leaves a common tour."""
    if choice.new_edges is None or choice.outcome is Outcome.FOLLOW:
        return ""
    made, wanted = choice.new_edges
    return (
        f" Until now {made} of its edges {'is' if made == 1 else 'are'} not on the common tour; "
        f"from {wanted} on it follows that."
    )


def _how(choice: Choice, chosen: str, chance: str) -> str:
    all_of_them = len(choice.cities)
    count = int(np.count_nonzero(choice.shares))  # what is off the list is not on the wheel
    if choice.outcome is Outcome.FALLBACK:
        left = "one city is left: " if count == 1 else f"heaviest of all {whole(count)} left: "
        none = f"All {choice.listed} candidates are visited, so "
        return none + ("the only " if count == 1 else "it takes the ") + left + f"{chosen}."
    if choice.outcome is Outcome.NEAREST:
        return (
            f"All {choice.listed} candidates are visited, so it takes the nearest of all "
            f"{whole(all_of_them)} left: {chosen}."
        )
    if choice.outcome is Outcome.FOLLOW and choice.new_edges is not None:
        edges = choice.new_edges[1]
        return (
            f"Its {'new edge is' if edges == 1 else f'{edges} new edges are'} made, so it follows "
            f"the common tour: {chosen} is the next one there that is unvisited."
        )
    among = f"{whole(count)} unvisited {'candidates' if choice.listed else 'cities'}"
    if count == 1:
        among = f"only unvisited {'candidate' if choice.listed else 'city'}"
    draw = ""
    if choice.q is not None and choice.q0 is not None:
        q, q0 = apart(choice.q, choice.q0)
        greedy = choice.outcome is Outcome.GREEDY
        draw = f"q = {q} {'<' if greedy else '≥'} q₀ = {q0}, so it "
        if greedy and all_of_them == 1:
            return f"{draw}takes the {among}: {chosen}."
        if greedy:
            if off := all_of_them - count:
                cities = "remembered city" if off == 1 else "remembered cities"
                among = f"{among} and {off} {cities} off the list"
            on_wheel = choice.shares[choice.cities == choice.chosen][0] > 0
            how = f"({chance} of the weight)" if on_wheel else "(remembered, off the list)"
            return f"{draw}takes the heaviest of its {among}: {chosen} {how}."
    if choice.draws is not None:
        what = "smallest −log(r) / weight"
        if choice.outcome is Outcome.I_ROULETTE:
            what = "largest r · weight"
        return (
            f"Each of the {among} draws its own r; the {what} wins: {chosen} (chance {chance})."
            if count > 1
            else f"It takes the {among}: {chosen}."
        )
    spins = "spins" if draw else "It spins"
    wheel = f"the wheel of its {among}" if count > 1 else f"a wheel with its {among}"
    return f"{draw}{spins} {wheel}: it stops at {spin_text(choice)}, {chosen} (chance {chance})."


def spin_text(choice: Choice) -> str:
    """Return where the wheel stopped, in [0, 1)."""
    return stop_text(choice.spin)


def stop_text(spin: float | None) -> str:
    """Return where a wheel stopped, in [0, 1); a dash if none was spun."""
    return "–" if spin is None else f"{min(spin, 0.9999):.4f}"


def apart(q: float, q0: float) -> tuple[str, str]:
    """Return both numbers with enough digits to see which is smaller; none looks like 0 or 1."""
    for digits in range(3, _MOST_DIGITS):
        texts = f"{q:.{digits}f}", f"{q0:.{digits}f}"
        inside = (text for text, one in zip(texts, (q, q0), strict=True) if 0 < one < 1)
        wrong = any(float(text) in (0, 1) for text in inside)
        if not wrong and (texts[0] < texts[1]) == (q < q0) and (texts[0] != texts[1] or q == q0):
            return texts[0], _short(q0, digits)
    return f"{q:.{_MOST_DIGITS}f}", _short(q0, _MOST_DIGITS)


def _short(value: float, digits: int) -> str:
    """Return ``value`` with at most ``digits`` decimals, and at least two."""
    text = f"{value:.{digits}f}".rstrip("0")
    if float(text) == 1 != value:
        return repr(value)
    return text if len(text.partition(".")[2]) >= 2 else f"{value:.2f}"


def probability(value: float) -> str:
    """Return a probability in per cent: 61.24 %, 2.9·10⁻⁴ %, 100 %."""
    if value >= 0.99995:
        text = "100" if value > 1 - 1e-9 else "> 99.99"
    else:
        text = f"{100 * value:.2f}" if value >= 1e-4 or value <= 0 else quantity(100 * value)
    return f"{text}{THIN}%"


def quantity(value: float) -> str:
    """Return a number > 0 with three digits, or as a power of ten if it would be long."""
    if value and not 1e-3 <= value < 1e5:
        exponent = math.floor(math.log10(value))
        return f"{value / 10.0**exponent:.1f}·10{_raised(str(exponent))}"
    return significant(value)


def power(base: str, exponent: float) -> str:
    """Return a power: 3², or 3^1.5 if the exponent is not whole."""
    text = f"{exponent:g}"
    base = f"({base})" if "·" in base else base
    return f"{base}{_raised(text)}" if text.isdigit() else f"{base}^{text}"


def _raised(digits: str) -> str:
    return "".join(_RAISED[sign] for sign in digits)


_RAISED = dict(zip("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True))
