"""An ant's decision in words and numbers, with decisions of real rules."""

from __future__ import annotations

import dataclasses

import pytest

from gpu.ant_system.parameters import AsCpuParameters
from gpu.construction.rule import AsRule
from gpu.core.decisions.decision import Decision, Outcome
from gpu.faco.parameters import FacoParameters
from gpu.faco.rule import FacoRule
from tests.views.decision.walkers import CITIES, acs, one, replay
from views.decision.decision_bars import MOST, rows_of
from views.decision.decision_words import apart, probability, quantity, sentence


def words(decision: Decision) -> str:
    return sentence(decision, CITIES.city_ids).replace("\u202f", "")


def test_sentences_say_what_happens() -> None:
    greedy = one(Outcome.GREEDY, acs(q0=0.9))
    text = words(greedy)
    assert text.startswith(f"Ant 1 stands in city {CITIES.city_ids[greedy.city]} at step 1. q = ")
    assert "< q₀ = 0.90, so it takes the heaviest of its 32 unvisited candidates: city " in text
    assert "% of the weight)." in text
    spun = one(Outcome.ROULETTE, acs(q0=0.1))
    assert "≥ q₀ = 0.10, so it spins the wheel of its 32 unvisited candidates: it st" in words(spun)
    assert f"city {CITIES.city_ids[spun.choice.chosen]} (chance " in words(spun)
    lost = one(Outcome.FALLBACK, acs(candidates=2))
    assert "All 2 candidates are visited, so it takes the heaviest of all " in words(lost)
    plain = one(Outcome.ROULETTE, replay(AsRule(CITIES, AsCpuParameters(), 1)))
    assert "step 1. It spins the wheel of its 119 unvisited cities: it stops at 0." in words(plain)
    own = one(Outcome.I_ROULETTE, replay(AsRule(CITIES, AsCpuParameters(), 1, "i-roulette")))
    assert "Each of the 119 unvisited cities draws its own r; the largest r · w" in words(own)
    own = one(Outcome.RESERVOIR, replay(AsRule(CITIES, AsCpuParameters(), 1, "wrs")))
    assert "draws its own r; the smallest −log(r) / weight wins" in words(own)


def test_sentences_say_when_an_ant_follows_the_common_tour() -> None:
    walker = replay(FacoRule(CITIES, FacoParameters(new_edges=3), 1))
    spun, followed = (one(outcome, walker) for outcome in (Outcome.ROULETTE, Outcome.FOLLOW))
    assert "It spins the wheel of its 16 unvisited candidates: it stops at 0." in words(spun)
    assert words(spun).endswith(
        "Until now 0 of its edges are not on the common tour; from 3 on it follows that."
    )
    chosen = CITIES.city_ids[followed.choice.chosen]
    assert words(followed).endswith(
        f"Its 3 new edges are made, so it follows the common tour: city {chosen} is the next one "
        "there that is unvisited."
    )
    few = replay(FacoRule(CITIES, FacoParameters(new_edges=9, candidates=2), 1))
    lost = words(one(Outcome.NEAREST, few))
    assert "All 2 candidates are visited, so it takes the nearest of all 1" in lost
    assert " left: city " in lost


@pytest.mark.parametrize("selection", ["roulette", "i-roulette", "wrs"])
def test_the_last_step_has_no_choice(selection: str) -> None:
    last = replay(AsRule(CITIES, AsCpuParameters(), 1, selection)).decision(0, 119)
    assert last is not None
    assert last.probabilities.tolist() == [1]
    assert "only unvisited city" in words(last)
    final = acs(q0=1, candidates=32).decision(0, 119)
    assert final is not None
    assert "only" in words(final)


def test_rows_are_the_likeliest_the_chosen_and_the_rest() -> None:
    decision = replay(AsRule(CITIES, AsCpuParameters(), 1)).decision(0, 1)
    assert decision is not None
    unlikely = int(decision.choice.cities[decision.probabilities.argmin()])
    choice = dataclasses.replace(decision.choice, chosen=unlikely)
    rows = rows_of(dataclasses.replace(decision, choice=choice), CITIES.city_ids, MOST)
    assert len(rows) == MOST + 1
    lengths = [row.length for row in rows[: MOST - 1]]
    assert lengths == sorted(lengths, reverse=True)
    assert [row.name for row in rows if row.chosen] == [str(CITIES.city_ids[unlikely])]
    assert rows[-1].name == "99 others"
    few = acs(candidates=3).decision(0, 1)
    assert few is not None
    assert len(rows_of(few, CITIES.city_ids, MOST)) == 3
    assert sum(row.length for row in rows_of(few, CITIES.city_ids, MOST)) == pytest.approx(1)


@pytest.mark.parametrize(
    ("q", "q0", "texts"),
    [
        (0.03, 0.9, ("0.030", "0.90")),
        (0.899951, 0.9, ("0.89995", "0.90")),
        (0.5, 0.5, ("0.500", "0.50")),
        (0.0, 1.0, ("0.000", "1.00")),
        (0.8451, 0.845, ("0.8451", "0.845")),
        (0.5, 0.9999, ("0.5000", "0.9999")),
        (0.5, 0.99999999, ("0.5000000", "0.99999999")),
        (0.9999, 0.9, ("0.9999", "0.90")),
    ],
)
def test_draws_have_as_many_digits_as_tell_them_apart(
    q: float, q0: float, texts: tuple[str, str]
) -> None:
    assert apart(q, q0) == texts


def test_numbers_are_short_and_never_wrong() -> None:
    assert probability(1.0) == "100\u202f%"
    assert probability(0.99999) == "> 99.99\u202f%"
    assert probability(0.6124) == "61.24\u202f%"
    assert probability(2.9e-6) == "2.9·10⁻⁴\u202f%"
    assert probability(0.0) == "0.00\u202f%"
    assert quantity(1.0) == "1.00"
    assert quantity(1234567.0) == "1.2·10⁶"
