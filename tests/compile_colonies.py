"""Compile the CPU colonies once, on all cores, for the tests that run after it.

``python -m tests.compile_colonies`` prints a line a family. Numba keeps what it compiles on disk,
so that it takes no time where nothing has changed. Without it, each process of the tests that needs
a colony compiles it anew until one has ended with it: up to a minute of one core each time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from app.files.loading import use_once
from gpu import catalog
from gpu.core.machine import devices
from gpu.core.machine.processors import usable_cores

CORE = "cpu:1"
"""Compiled code is the same for one core and for all."""


def families() -> list[list[str]]:
    """Return the systems on the CPU by family, the largest first.

    One process compiles a family, for most of its functions are used by several of its systems.
    """
    found: dict[str, list[str]] = {}
    for system in catalog.CATALOG:
        if CORE in system.builders:
            _, family, *_ = system.parameters.__module__.split(".")
            found.setdefault(family, []).append(system.name)
    return sorted(found.values(), key=len, reverse=True)


def use(names: Sequence[str]) -> float:
    """Use each of these systems once; return the seconds that took."""
    begun, device = time.perf_counter(), devices.find(CORE)
    for name in names:
        use_once(catalog.named(name), device)
    return time.perf_counter() - begun


def main() -> int:
    """Compile every family; a failure is told by its traceback."""
    chosen = families()
    with ProcessPoolExecutor(usable_cores(), mp_context=get_context("spawn")) as pool:
        for names, seconds in zip(chosen, pool.map(use, chosen), strict=True):
            print(f"{', '.join(names)}: {seconds:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
