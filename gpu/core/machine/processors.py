"""The processor with its cores, and the memory that is free."""

from __future__ import annotations

import math
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil


def usable_cores() -> int:
    """Return how many threads can compute at once, at least 1.

    A container may be granted the time of two cores on a machine of sixty-four. Threads that
    wait for each other must then be two: of sixty-four, all but a few would always be halted.
    """
    return max(1, math.floor(min(_granted(), quota()) + 1e-9))


def quota(root: Path = Path("/")) -> float:
    """Return how many cores' time the control groups of this process grant; infinity for all.

    Both versions of Linux's control groups are read, and every group up to the outermost: the
    least of their quotas holds. The system's files are below ``root``.
    """
    return min(map(_quota_of, _groups(root)), default=math.inf)


def model_of_processor() -> str:
    """Return what the maker calls the processor; its kind where the system does not tell that."""
    with suppress(OSError, subprocess.SubprocessError):
        if told := _told_model():
            return told
    return platform.processor() or platform.machine() or "CPU"


def _told_model() -> str:
    if sys.platform == "win32":
        import winreg

        place = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0"
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, place) as key:
            return str(winreg.QueryValueEx(key, "ProcessorNameString")[0]).strip()
    elif sys.platform == "darwin":
        ask = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(ask, capture_output=True, text=True, timeout=5).stdout.strip()
    else:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
        named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
        return next(named, "")


def _granted() -> int:
    counts = [os.cpu_count() or 1]
    if hasattr(os, "process_cpu_count"):  # from Python 3.13, with the user's PYTHON_CPU_COUNT
        counts.append(os.process_cpu_count() or 1)
    if hasattr(psutil.Process, "cpu_affinity"):  # not on macOS
        counts.append(len(psutil.Process().cpu_affinity()))
    return min(counts)


def _groups(root: Path) -> Iterator[Path]:
    """Yield the folders of the groups that may limit this process, where there are any."""
    mounted = root / "sys/fs/cgroup"
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:  # not Linux
        return
    for line in lines:
        _, controllers, place = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        # Version 1 has a tree for each controller; some systems name it after two of them.
        tops = [mounted / controllers, mounted / "cpu"] if controllers else [mounted]
        for top in tops:
            # Inside a container the place may be one outside it, where nothing is.
            inner = top / place.strip("/")
            yield from (inner, *(one for one in inner.parents if one.is_relative_to(top)))


def _quota_of(group: Path) -> float:
    for names in (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us")):
        with suppress(OSError, ValueError, ZeroDivisionError):  # no such file, or "max"
            amount, period = " ".join((group / name).read_text() for name in names).split()
            if int(amount) > 0:  # version 1 says -1 for no limit
                return int(amount) / int(period)
    return math.inf


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
