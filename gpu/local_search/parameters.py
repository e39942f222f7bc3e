"""The parameter that chooses a local search."""

from __future__ import annotations

from typing import Any

from gpu.core.instance import Instance
from gpu.core.parameters import choice
from gpu.local_search.kinds import LOCAL_SEARCHES, NO_LOCAL_SEARCH, moves_of
from gpu.problems.tsp.instance import TspInstance


def local_search_choice() -> Any:
    """Declare the field ``local_search`` of a colony's parameters."""
    return choice(
        NO_LOCAL_SEARCH,
        "LS",
        "How every tour is improved once built.",
        LOCAL_SEARCHES,
        phase="local search",
        check=_check,
    )


def _check(instance: Instance, kind: str) -> None:
    assert isinstance(instance, TspInstance)
    moves_of(instance, kind)  # refuses 2-opt on a directed instance
