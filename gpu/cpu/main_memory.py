"""Whether a colony fits into main memory, asked before anything is allocated."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from gpu.core.errors import DeviceMemoryError

SPARE = 256 * 2**20  # bytes that are left for the rest of the program and the system

HINTS = {
    "pheromone matrix": "choose a colony with the selective memory",
    "matrices of trails and weights": "choose a colony with the selective memory, acs-spm",
    "tours of the ants": "use fewer ants",
    "matrices of all pairs": "choose a smaller graph",
    "colorings of the ants": "use fewer ants",
}


def free_memory() -> int | None:
    """Bytes that can be allocated without swapping, or None where the system does not say."""
    values = [value for value in (_available(), _left_in_group()) if value is not None]
    return min(values, default=None)


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


def _available() -> int | None:
    file = Path("/proc/meminfo")
    for line in file.read_text().splitlines() if file.exists() else ():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # neither Linux nor another that tells
        return None


def _left_in_group() -> int | None:
    """Bytes that the container's limit leaves, where there is one."""
    group = Path("/sys/fs/cgroup")
    try:
        limit = (group / "memory.max").read_text().strip()
        used = int((group / "memory.current").read_text())
    except (OSError, ValueError):
        return None
    return None if limit == "max" else max(int(limit) - used, 0)
