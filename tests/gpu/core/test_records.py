"""Tests of records that are read from plain values."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

from gpu.core.errors import InstanceError
from gpu.core.records import Count, Real, need_known_keys, plain, record_of


@dataclass(frozen=True, slots=True)
class Lap:
    cost: Count
    seconds: Real = 0.0
    marks: tuple[str, ...] = ()


def test_a_record_is_the_same_after_both_ways() -> None:
    lap = Lap(7, 1.5, ("a", "b"))
    assert record_of(Lap, plain(lap), InstanceError, "x.json") == lap


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({}, "cost"),
        ({"cost": True}, "cost"),
        ({"cost": 2**63}, "cost"),
        ({"cost": 1, "seconds": math.nan}, "seconds"),
        ({"cost": 1, "seconds": math.inf}, "seconds"),
        ({"cost": 1, "seconds": 2.0**63}, "seconds"),
        ({"cost": 1, "marks": ["a", 3]}, "marks"),
    ],
)
def test_what_no_run_has_is_refused_by_name(values: dict[str, object], what: str) -> None:
    with pytest.raises(InstanceError, match=f"^x.json: .*{what}"):
        record_of(Lap, values, InstanceError, "x.json")


@pytest.mark.parametrize("values", [{}, {"cost": -1}])
def test_what_a_person_left_out_is_named_like_what_is_wrong(values: dict[str, object]) -> None:
    with pytest.raises(InstanceError, match=r"^cost must be a number$"):
        record_of(Lap, values, InstanceError, "", {"cost": "a number"})


def test_keys_of_later_versions_are_left_alone_and_misspelt_ones_are_named() -> None:
    assert record_of(Lap, {"cost": 1, "later": 2}, InstanceError, "x.json") == Lap(1)
    with pytest.raises(InstanceError, match="did you mean cost"):
        need_known_keys({"cots": 1}, ("cost", "seconds"), InstanceError, "[lap]")
