"""Whether a colony fits into main memory, asked before anything is allocated."""

from __future__ import annotations

from collections.abc import Mapping

from gpu.core.errors import DeviceMemoryError
from gpu.core.machine.memory import SPARE, free_memory

HINTS = {
    "pheromone matrix": "choose a colony with the selective memory",
    "matrices of trails and weights": "choose a colony with the selective memory, acs-spm",
    "tours of the ants": "use fewer ants",
    "matrices of all pairs": "choose a smaller graph",
    "colorings of the ants": "use fewer ants",
    "tabu searches": "use fewer searches, or the colony coloring, which has none",
}


def require(what: str, needed: Mapping[str, int]) -> None:
    """Check that ``needed``, bytes by what they are for, are free.

    Raises
    ------
    DeviceMemoryError
        If not; the message says what helps.
    """
    free = free_memory()
    total = sum(needed.values())
    if free is None or total + SPARE <= free:
        return
    largest = max(needed, key=needed.__getitem__)
    all_of_it, part, left = (
        f"{size / 2**30:.1f} GiB" for size in (total, needed[largest], max(free - SPARE, 0))
    )
    raise DeviceMemoryError(
        f"{what} needs {all_of_it} of memory, {part} of it for the {largest}, "
        f"but only {left} are free: {HINTS.get(largest, 'close other programs')}"
    )
