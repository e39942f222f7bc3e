"""Compiles colonies ahead of all runs: when the program is installed, packed or tested."""

from __future__ import annotations

import importlib
import os
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

from app.files.loading import use_once, usual_instance
from gpu import catalog
from gpu.aims import tuned
from gpu.core.errors import FormicariumError
from gpu.core.machine import devices
from gpu.core.machine.processors import usable_cores
from gpu.core.system import System
from gpu.problems.tsp.instance import TspInstance

CORE = "cpu:1"
"""Compiled code is the same for one core and for all."""

CANDIDATES = 8
"""Cities on the lists that are tried."""


def families(names: Collection[str] = ()) -> list[list[str]]:
    """Return the colonies on the CPU by their room, the largest first; or those that are named.

    One process compiles those of a room, for most of its functions are used by several of them.

    Raises
    ------
    ParameterError
        If no colony on the CPU has one of these names.
    """
    core = devices.find(CORE)
    chosen = {catalog.find(name, core).name for name in names}
    found: dict[str, list[str]] = {}
    for system in catalog.CATALOG:
        if CORE in system.builders and (not chosen or system.name in chosen):
            _, room, *_ = system.parameters.__module__.split(".")
            found.setdefault(room, []).append(system.name)
    return sorted(found.values(), key=len, reverse=True)


def compile_colonies(
    chosen: Sequence[Sequence[str]], *, for_gpus: bool
) -> Iterator[tuple[Sequence[str], float]]:
    """Compile the colonies of each group in a process; yield each group and the seconds it took.

    And, if wanted, what cores do for the colonies on GPUs.
    """
    with ProcessPoolExecutor(usable_cores(), mp_context=get_context("spawn")) as pool:
        further = pool.submit(use_what_serves_gpus) if for_gpus else None
        yield from zip(chosen, pool.map(_use, chosen), strict=True)
        if further is not None:
            further.result()


def compile_kernels(generations: Iterable[int]) -> int:
    """Compile all kernels for GPUs of these compute capabilities, times ten; return how many files.

    Raises
    ------
    ImportError
        If CuPy is not installed.
    """
    from gpu.cuda import binaries

    importlib.import_module("cupy")
    works = [
        (unit.source.name, unit.template or "", generation)
        for unit in binaries.every_unit()
        for generation in generations
    ]
    with ProcessPoolExecutor(usable_cores(), mp_context=get_context("spawn")) as pool:
        for _ in pool.map(binaries.keep, *zip(*works, strict=True), chunksize=8):
            pass
    return len(works)


def generations_here() -> set[int]:
    """Return the compute capabilities, times ten, of the GPUs of this machine."""
    found = [one.index for one in devices.survey().devices if one.kind == "cuda"]
    if not found:
        return set()
    from gpu.cuda.cupy_machine import generation_of

    return {generation_of(index) for index in found}


def _use(names: Sequence[str]) -> float:
    """Use each of these colonies once; return the seconds that took."""
    begun = time.perf_counter()
    for name in names:
        use_all_parts(catalog.named(name))
    return time.perf_counter() - begun


def use_all_parts(system: System) -> None:
    """Use a colony with the paper's parameters, then with those that suit the usual instance."""
    device = devices.find(CORE)
    use_once(system, device)
    usual = usual_instance()
    if system.problem is usual.problem and (values := tuned(system, usual, device)):
        use_once(system, device, values)


def use_what_serves_gpus() -> None:
    """Use what cores do for the colonies on a GPU: number cities, draw first tours, cross tours."""
    from gpu.cpu.geometry import geometry_of
    from gpu.cpu.parted_greedy import parted_greedy_tours
    from gpu.crossing.cuda.colony import first_tours
    from gpu.focused.cpu.merge import PartitionCrossover
    from gpu.tour_changes.cuda.cities import OrderedCities
    from gpu.tour_changes.parameters import NEARNESS

    usual = usual_instance()
    assert isinstance(usual, TspInstance)
    PartitionCrossover(usual)
    for nearness in NEARNESS:
        cities = OrderedCities.of(usual, CANDIDATES, nearness)
        cities.starts(2, seed=1)
        first_tours(cities, 2, seed=1)
        parted_greedy_tours(geometry_of(usual, 0.0), cities.neighbours, 2)


@contextmanager
def for_all_processors() -> Iterator[Path]:
    """Let processes that start meanwhile compile for every processor of this kind.

    Yields the new folder in which they keep what they compile; it is removed at the end.

    Raises
    ------
    FormicariumError
        If it is not known what all processors of this kind have.
    """
    from gpu.core.machine.code_files import sources
    from gpu.cpu import processors

    level = processors.level()
    if level is None:
        raise FormicariumError("this processor is not one for which code can be made for all")
    with tempfile.TemporaryDirectory(prefix="formicarium-compile-") as folder:
        values = {
            "NUMBA_CACHE_DIR": folder,
            "NUMBA_CPU_NAME": level.name,
            "NUMBA_CPU_FEATURES": "",
        }
        with _environment(values):
            yield Path(folder, f"formicarium-{sources()}")


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """Let processes that start meanwhile find these in their environment."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
