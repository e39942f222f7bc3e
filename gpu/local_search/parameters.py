"""The parameter that chooses a local search."""

from __future__ import annotations

from typing import Any

from gpu.core.errors import ParameterError
from gpu.core.instance import Instance
from gpu.core.parameters import Parameters, choice

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
    )


class TourParameters(Parameters):
    """Base of the parameters of colonies that may improve their tours by local search."""

    def check_for(self, instance: Instance) -> None:
        """Raise ParameterError if the local search has 2-opt and ``instance`` is directed."""
        check_direction(instance, getattr(self, "local_search", NO_LOCAL_SEARCH))


def check_direction(instance: Instance, kind: str) -> None:
    """Raise ParameterError if the local search ``kind`` has 2-opt and ``instance`` is directed."""
    if "2opt" in kind and instance.facts["directed"]:
        raise ParameterError(
            f"{instance.name} is directed, and 2-opt would turn parts of its tours around; "
            f"choose the local search oropt or none"
        )
