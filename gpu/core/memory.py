"""How much main memory is free."""

from __future__ import annotations

import os
from pathlib import Path

SPARE = 256 * 2**20  # bytes that are left for the rest of the program and the system


def free_memory() -> int | None:
    """Bytes that can be allocated without swapping, or None where the system does not say."""
    values = [value for value in (_available(), _left_in_group()) if value is not None]
    return min(values, default=None)


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
