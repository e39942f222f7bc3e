"""The kinds of local search that a user can choose, and the moves that each makes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from gpu.core.errors import ParameterError
from gpu.core.parameters import parameter
from gpu.problems.tsp.instance import TspInstance

NO_LOCAL_SEARCH = "none"
SAMPLE = 8
"""One in so many of the cities whose neighbours are as on the best tour so far looks for a move."""


@dataclass(frozen=True, slots=True)
class Moves:
    """Which moves a local search makes."""

    exchanges: bool = False  # by 2-opt
    segments: bool = False  # by Or-opt
    turns: bool = True  # whether parts of a tour may be turned around: not if it is directed
    sample: int = SAMPLE  # one in so many of the cities as on the best tour is in the first queue
    largest: bool = False  # whether a round makes only the move that gains most


_KINDS = {
    "2opt": (
        Moves(exchanges=True),
        "two edges exchanged, with neighbour lists and don't-look bits; symmetric distances",
    ),
    "2opt-all": (
        Moves(exchanges=True, sample=1),
        "2-opt that looks at every city of every tour; symmetric distances",
    ),
    "2opt-largest": (
        Moves(exchanges=True, sample=1, largest=True),
        "the same, but of the moves that 32 cities find only the largest gain is made",
    ),
    "2opt+oropt": (
        Moves(exchanges=True, segments=True),
        "2-opt, and segments of up to 3 cities put elsewhere; symmetric distances",
    ),
    "oropt": (
        Moves(segments=True),
        "segments of up to 3 cities put elsewhere; directed distances too",
    ),
}

LOCAL_SEARCHES = {
    NO_LOCAL_SEARCH: "tours stay as the ants built them",
    **{kind: text for kind, (_, text) in _KINDS.items()},
}
"""The kinds of local search, as the command line writes them, and what each does."""


def moves_of(instance: TspInstance, kind: str) -> Moves | None:
    """Return what ``kind``, one of :data:`LOCAL_SEARCHES`, does on ``instance``; None if nothing.

    ParameterError if it has 2-opt and the instance is directed.
    """
    if kind == NO_LOCAL_SEARCH:
        return None
    moves, _ = _KINDS[kind]
    if moves.exchanges and instance.directed:
        raise ParameterError(
            f"{instance.name} is directed, and 2-opt would turn parts of its tours around; "
            f"choose the local search oropt or none"
        )
    return replace(moves, turns=not instance.directed)


def local_search_choice() -> Any:
    """Declare the field ``local_search`` of a colony's parameters."""
    return parameter(
        NO_LOCAL_SEARCH,
        "LS",
        "How every tour is improved once built.",
        options=LOCAL_SEARCHES,
        phase="local search",
        check=_check,
        live=True,
    )


def _check(instance: Any, kind: str) -> None:
    moves_of(instance, kind)  # refuses 2-opt on a directed instance
