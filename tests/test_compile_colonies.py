"""What is compiled before the tests is what they use."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import pytest

from gpu import catalog
from gpu.acs.rule import AcsRule
from tests import colonies
from tests.compile_colonies import CORE, families, use


def test_every_system_of_the_cpu_is_used_once() -> None:
    named = Counter(chain.from_iterable(families()))
    assert named == Counter(one.name for one in catalog.CATALOG if CORE in one.builders)


def test_a_system_that_is_used_iterates_and_shows_everything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use([colonies.install(monkeypatch, colonies.RandomColony, rule=AcsRule)])
    (colony,) = colonies.RandomColony.built
    assert colony.iteration == 1
    assert colony.asked
    assert len(colony.looked_at) == 1  # where the first ant begins
    assert colony.closed
