"""An ant's decision in words and numbers, with decisions of real rules."""

from __future__ import annotations

import dataclasses

import pytest

from gpu.ant_system.parameters import AsCpuParameters
from gpu.construction.rule import AsRule
from gpu.core.decisions.decision import Outcome
from gpu.faco.parameters import FacoParameters
from gpu.faco.rule import FacoRule
from tests.golden import Golden
from tests.views.decision.walkers import CITIES, acs, one, replay
from views.decision.decision_bars import MOST, rows_of
from views.decision.decision_words import apart, probability, quantity, sentence


def test_what_is_said(golden: Golden) -> None:
    """Of decisions of real rules, which a seed decides."""
    ants = AsCpuParameters()
    faco = replay(FacoRule(CITIES, FacoParameters(new_edges=3).resolved(CITIES.n), 1))
    few = replay(FacoRule(CITIES, FacoParameters(new_edges=9, candidates=2).resolved(CITIES.n), 1))
    said = [
        one(Outcome.GREEDY, acs(q0=0.9)),
        one(Outcome.ROULETTE, acs(q0=0.1)),
        one(Outcome.FALLBACK, acs(candidates=2)),
        one(Outcome.ROULETTE, replay(AsRule(CITIES, ants.resolved(CITIES.n), 1))),
        one(Outcome.I_ROULETTE, replay(AsRule(CITIES, ants.resolved(CITIES.n), 1, "i-roulette"))),
        one(Outcome.RESERVOIR, replay(AsRule(CITIES, ants.resolved(CITIES.n), 1, "wrs"))),
        one(Outcome.ROULETTE, faco),
        one(Outcome.FOLLOW, faco),
        one(Outcome.NEAREST, few),
        replay(AsRule(CITIES, ants.resolved(CITIES.n), 1)).decision(0, 119),
        acs(q0=1, candidates=32).decision(0, 119),
    ]
    golden("choices-of-ants", "\n".join(sentence(one, CITIES.city_ids) for one in said if one))


@pytest.mark.parametrize("selection", ["roulette", "i-roulette", "wrs"])
def test_the_last_step_has_no_choice(selection: str) -> None:
    last = replay(AsRule(CITIES, AsCpuParameters().resolved(CITIES.n), 1, selection)).decision(
        0, 119
    )
    assert last.probabilities.tolist() == [1]


def test_rows_are_the_likeliest_the_chosen_and_the_rest() -> None:
    decision = replay(AsRule(CITIES, AsCpuParameters().resolved(CITIES.n), 1)).decision(0, 1)
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
