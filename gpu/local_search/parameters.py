"""The parameter that chooses a local search."""

from __future__ import annotations

from typing import Any

from gpu.core.instance import Instance
from gpu.core.parameters import choice
from gpu.problems.tsp.instance import TspInstance

NO_LOCAL_SEARCH = "none"


LOCAL_SEARCHES = {
    NO_LOCAL_SEARCH: "tours stay as the ants built them",
    "2opt": "two edges exchanged, with neighbour lists and don't-look bits; symmetric distances",
    "2opt+oropt": "2-opt, and segments of up to 3 cities put elsewhere; symmetric distances",
    "oropt": "segments of up to 3 cities put elsewhere; directed distances too",
}
"""The kinds of local search, as the command line writes them, and what each does."""


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
    from gpu.local_search.rule import moves_of  # SciPy would keep the window waiting

    assert isinstance(instance, TspInstance)
    moves_of(instance, kind)  # refuses 2-opt on a directed instance
