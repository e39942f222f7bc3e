"""How much main memory is free."""

from __future__ import annotations

from pathlib import Path

import psutil

CONTROL_GROUP = Path("/sys/fs/cgroup")
SPARE = 256 * 2**20  # bytes that are left for the rest of the program and the system
SURE = 0.9  # share of what is free that advice makes use of


def free_memory() -> int:
    """Bytes that can be allocated without swapping."""
    available: int = psutil.virtual_memory().available
    left = _left_in_group()
    return available if left is None else min(available, left)


def most_that_fit(size: float, room: float) -> int:
    """How many things of ``size`` bytes surely fit into ``room``: a round number, 0 if none."""
    most = int(max(room, 0) * SURE / size)
    unit: int = 10 ** (len(str(most)) - 1)
    return most // unit * unit


def _left_in_group() -> int | None:
    """Bytes that the container's limit leaves, where there is one."""
    try:
        limit = (CONTROL_GROUP / "memory.max").read_text().strip()
        used = int((CONTROL_GROUP / "memory.current").read_text())
        stat = dict(
            line.split() for line in (CONTROL_GROUP / "memory.stat").read_text().splitlines()
        )
        used -= int(stat.get("inactive_file", 0))  # cached files, which give way to any program
    except (OSError, ValueError):
        return None
    return None if limit == "max" else max(int(limit) - used, 0)
