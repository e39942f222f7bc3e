"""Whether a colony fits into main memory, asked before anything is allocated."""

from __future__ import annotations

from collections.abc import Mapping

from gpu.core.errors import DeviceMemoryError
from gpu.core.machine.processors import SPARE, free_memory, most_that_fit
from gpu.core.words import counted

CLOSE_OTHERS = "close other programs"
SPM = "choose a colony with the selective memory, acs-spm"
NO_SEARCHES = "the colony coloring, which has no tabu searches"
HINTS = {
    "pheromone matrix": SPM,
    "matrices of trails and weights": SPM,
    "matrices of all pairs": "choose a smaller graph",
    "counts of the tabu searches": f"choose {NO_SEARCHES}",
}
GROWING_PARTS = {
    "tours of the ants": ("ant", ""),
    "colorings of the ants": ("ant", ""),
    "tabu searches": ("search", NO_SEARCHES),
}
"""Parts that grow with a number that the user may lower: of what, and what else to choose."""


def require(what: str, needed: Mapping[str, int], count: int = 1) -> None:
    """Check that ``needed``, bytes by what they are for, are free.

    ``count`` is the number that the growing part grows with.

    Raises
    ------
    DeviceMemoryError
        If not; the message says what helps.
    """
    free = free_memory()
    total = sum(needed.values())
    if total + SPARE <= free:
        return
    room = max(free - SPARE, 0)
    largest = max(needed, key=needed.__getitem__)
    all_of_it, part, left = (f"{size / 2**30:.1f} GiB" for size in (total, needed[largest], room))
    raise DeviceMemoryError(
        f"{what} needs {all_of_it} of memory, {part} of it for the {largest}, "
        f"but only {left} are free: {_choice(needed, room, count)}"
    )


def _choice(needed: Mapping[str, int], room: int, count: int) -> str:
    """Return what helps by itself: whoever does it is not refused once more."""
    growing = next((name for name in needed if name in GROWING_PARTS), None)
    fixed = {name: size for name, size in needed.items() if name != growing}
    rest, hint = sum(fixed.values()), ""
    if rest > room or growing is None:  # fewer ants are not enough
        largest = max(fixed, key=fixed.__getitem__)
        hint = HINTS.get(largest, CLOSE_OTHERS)
        if hint != SPM or growing is None:
            return hint
        rest -= fixed[largest]  # what takes its place is small
    fits = most_that_fit(needed[growing] / count, room - rest)
    noun, other = GROWING_PARTS[growing]
    fewer = f"at most {counted(fits, noun)}"
    if hint:
        return hint if fits >= count or not fits else f"{hint}, with {fewer}"
    if fits:
        return f"use {fewer}, or {other}" if other else f"use {fewer}"
    return f"choose {other}" if other else CLOSE_OTHERS
