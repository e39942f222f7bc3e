"""How each kind of experiment measures: one function each, which gives the rows of an instance."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator
from contextlib import closing

import numpy as np
from runs import Experiment, Row, build, follow, run, warm_up

from gpu.core.errors import DeviceError, FormicariumError, ParameterError
from gpu.core.instance import Instance
from gpu.problems.tsp.instance import TspInstance

RIVAL = "fast-tsp"
"""A program that is no colony of ours."""


def quality(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Best lengths of every case."""
    for case in plan.cases:
        runs = [run(instance, case, seed, plan, plan.device)[0] for seed in plan.all_seeds]
        how = {"seeds": plan.seeds, "iterations": plan.iterations}
        lengths = [end.best_cost for end in runs]
        yield case.labels | how | {"lengths": lengths, "optimum": instance.optimum}


def against_time(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Follow the gap of each case against time, which counts from before the colony is built.

    fast-tsp, which shows nothing on its way, has a run of its own for each mark, or for the limit.
    """
    goal = plan.goals.get(instance.name, instance.optimum or 0)
    limit = plan.limits.get(instance.name, plan.seconds)
    for case in plan.cases:
        rival = case.labels["system"] == RIVAL
        if not rival:
            warm_up(instance, case, plan.device)
        for seed in plan.all_seeds:
            start = time.perf_counter()
            try:
                if rival:
                    threads = case.labels.get("threads", 1)
                    found = [of_rival(instance, each, threads) for each in plan.marks or (limit,)]
                else:
                    with closing(build(instance, case, seed, plan.device)) as colony:
                        found = follow(colony, start, goal, limit, plan.step)
            except FormicariumError as error:
                yield case.labels | {"seed": seed, "refused": str(error)}
                continue
            curve = [(when, count, 100 * (cost - goal) / goal) for when, count, cost in found]
            yield case.labels | {"seed": seed, "limit": limit, "curve": curve}


def of_rival(instance: Instance, seconds: float, threads: int) -> tuple[float, int, int]:
    """Return the seconds given to fast-tsp, 0, and the length of what it finds.

    It gets the distances as a matrix, whose making does not count. It has no seed.
    """
    try:
        fast_tsp = importlib.import_module("fast_tsp")
    except ImportError as error:
        raise DeviceError("fast-tsp is not installed: pip install fast-tsp") from error
    assert isinstance(instance, TspInstance)
    cities = np.arange(instance.n)
    matrix = np.empty((instance.n, instance.n), np.uint16)
    for city in cities:
        row = instance.distances(cities[city : city + 1], cities)
        if row.max() > np.iinfo(np.uint16).max:
            raise ParameterError(f"fast-tsp takes no distances as long as those of {instance.name}")
        matrix[city] = row
    tour = fast_tsp.find_tour(matrix, seconds, max_threads=threads)
    return seconds, 0, instance.tour_length(np.array(tour))
