"""How each kind of experiment measures: one function each, which gives the rows of an instance."""

from __future__ import annotations

import importlib
import statistics
import time
from collections.abc import Iterator, Mapping
from contextlib import closing

import numpy as np
from numpy.typing import NDArray
from runs import RIVAL, Case, Experiment, Row, build, follow, warm_up

from gpu.core.errors import DeviceError, FormicariumError, ParameterError
from gpu.core.instance import Instance
from gpu.core.snapshot import Wanted
from gpu.cpu.compilation import cached
from gpu.cpu.geometry import CityGeometry, distance, geometry_of
from gpu.problems.tsp.instance import TspInstance
from gpu.run import Result, solve

Followed = tuple[int, list[tuple[float, int, int]]]
"""A seed, and its run: seconds, iteration and cost of improvements."""

MOST_DISTANCE = 2**16 - 1  # that fast-tsp takes
MOST_FOR_RIVAL = 40_000
"""Cities: the matrix that fast-tsp takes would be larger than 3 GiB."""


def at_iterations(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Look at each run after equally many iterations: seconds, cost and gap.

    The seconds are those of the iterations. Building is not in them; it is noted beside them.
    """
    goal = plan.goals.get(instance.name, instance.optimum or 0)
    for case in plan.cases:
        warm_up(instance, case, plan.device)
        for seed in plan.all_seeds:
            began = time.perf_counter()
            with closing(build(instance, case, seed, plan.device)) as colony:
                colony.snapshot(Wanted.NUMBERS)
                built, done, spent, marks = time.perf_counter() - began, 0, 0.0, []
                for stop in plan.stops:
                    start = time.perf_counter()
                    while done < stop:
                        count = min(128, stop - done)
                        colony.iterate(count)
                        done += count
                    cost = colony.snapshot(Wanted.NUMBERS).cost
                    spent += time.perf_counter() - start
                    marks.append((done, spent, cost, 100 * (cost - goal) / goal))
                colony.snapshot(Wanted.SOLUTION)  # checks it
            yield case.labels | {"seed": seed, "built": built, "marks": marks}


def speed(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Time whole iterations, and the phases of single ones: the mean of each, in ms."""
    for case in plan.cases:
        for seed in plan.all_seeds:
            with closing(build(instance, case, seed, plan.device)) as colony:
                colony.iterate(3)  # compiles, and finds what is best for this instance
                colony.snapshot(Wanted.NUMBERS)
                timed: list[Mapping[str, float]] = []
                start = time.perf_counter()
                while len(timed) < plan.stops[-1] and time.perf_counter() - start < plan.seconds:
                    timed.append(colony.timed_iteration())
                start = time.perf_counter()
                colony.iterate(len(timed))
                colony.snapshot(Wanted.NUMBERS)
                whole = 1e3 * (time.perf_counter() - start) / len(timed)
            phases = {name: statistics.mean(one[name] for one in timed) for name in timed[0]}
            yield case.labels | {"seed": seed, "whole": whole, "phases": phases}


def solved(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Run as a user does: to the time, within an iteration, or to the best known cost.

    The seconds are those of solving; building is not in them.
    """
    limit = plan.limit(instance.name)
    for case in plan.cases:

        def run(seed: int, seconds: float, case: Case = case) -> Result:
            return solve(
                instance,
                colony=case.system,
                device=plan.device,
                parameters=case.values,
                seed=seed,
                seconds=seconds,
            )

        run(0, 1.0)  # compiles
        for seed in plan.all_seeds:
            end = run(seed, limit)
            found = {"cost": end.cost, "gap": end.gap_percent, "iterations": end.iterations}
            yield case.labels | {"seed": seed, "limit": limit, **found, "seconds": end.seconds}


def against_time(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Follow the gap of each case against time, which counts from before the colony is built."""
    goal = plan.goals.get(instance.name, instance.optimum or 0)
    limit = plan.limit(instance.name)
    for case in plan.cases:
        follows = _of_rival if case.labels["system"] == RIVAL else _of_colony
        try:
            for seed, found in follows(instance, case, plan, goal):
                curve = [(when, count, 100 * (cost - goal) / goal) for when, count, cost in found]
                yield case.labels | {"seed": seed, "limit": limit, "curve": curve}
        except FormicariumError as error:
            yield case.labels | {"seed": plan.seeds[0], "refused": str(error)}


def _of_colony(instance: Instance, case: Case, plan: Experiment, goal: float) -> Iterator[Followed]:
    warm_up(instance, case, plan.device)
    limit = plan.limit(instance.name)
    for seed in plan.all_seeds:
        start = time.perf_counter()
        with closing(build(instance, case, seed, plan.device)) as colony:
            yield seed, follow(colony, start, goal, limit, plan.step)


def _of_rival(instance: Instance, case: Case, plan: Experiment, _: float) -> Iterator[Followed]:
    """Run fast-tsp, which shows nothing on its way: once for each mark.

    It gets the distances as a matrix, whose making does not count. It has no seed.
    """
    try:
        fast_tsp = importlib.import_module("fast_tsp")
    except ImportError as error:
        raise DeviceError("fast-tsp is not installed: pip install fast-tsp") from error
    assert isinstance(instance, TspInstance)
    matrix, threads = _matrix(instance), case.labels["threads"]
    for seed in plan.all_seeds:
        found = []
        for seconds in plan.marks_on(instance.name):
            tour = fast_tsp.find_tour(matrix, seconds, max_threads=threads)
            found.append((seconds, 0, instance.tour_length(np.array(tour))))
        yield seed, found


def _matrix(instance: TspInstance) -> NDArray[np.uint16]:
    if instance.n > MOST_FOR_RIVAL:
        size = 2 * instance.n**2 / 2**30
        raise ParameterError(f"the matrix that fast-tsp takes would have {size:.0f} GiB")
    matrix = np.zeros((instance.n, instance.n), np.uint16)
    if not _fill(geometry_of(instance, 1.0), matrix):
        raise ParameterError(f"fast-tsp takes no distances as long as those of {instance.name}")
    return matrix


@cached
def _fill(geometry: CityGeometry, matrix: NDArray[np.uint16]) -> bool:
    """Write all distances; return False at one that is too long."""
    for a in range(len(matrix)):
        for b in range(a):
            here = distance(geometry, a, b)
            if here > MOST_DISTANCE:
                return False
            matrix[a, b] = matrix[b, a] = here
    return True
