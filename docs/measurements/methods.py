"""How each kind of experiment measures: one function each, which gives the rows of an instance."""

from __future__ import annotations

import dataclasses
import importlib
import statistics
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import numpy as np
from papers import REPORT_TARGETS, TABLE_9, TARGETS
from runs import Experiment, Row, build, follow, of, run, timed, warm_up
from scipy.stats import ranksums

from gpu.core.errors import DeviceError, FormicariumError, ParameterError
from gpu.core.instance import Instance
from gpu.core.snapshot import Wanted
from gpu.problems.tsp.instance import TspInstance

RIVAL = "fast-tsp"
"""A program that is no colony of ours."""

SELECTIONS = {
    "as-st-dynamic": "stc-roulette",
    "as-st-group": "roulette",
    "as-i-roulette": "i-roulette",
}
"""What the CPU's colony must choose by to build the tours of an Ant System."""

SLOW, QUICK, LARGE = 0.3, 0.5, 7000
"""Evaporation with local search: as in the paper quicker from so many cities on."""

GATHERING = ("reduction", "tiled-gather", "gather")
SLOWEST_GATHER = 1500
"""Cities from which on n⁴ looks take too long to be repeated."""


def speed(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Time iterations of every case, or say why there is no time."""
    for case in plan.cases:
        if case.values.get("update") in GATHERING and instance.n > SLOWEST_GATHER:
            continue
        try:
            with closing(build(instance, case)) as colony:
                yield case.labels | timed(colony, plan.iterations, min(plan.seconds, 3.0))
        except FormicariumError as error:
            yield case.labels | {"refused": str(error)}


def quality(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Best lengths of every case."""
    for place, case in enumerate(plan.cases):
        seeds: Sequence[int] = plan.all_seeds
        if plan.apart:
            seeds = [1 + len(plan.cases) * (seed - 1) + place for seed in seeds]
        chosen = case
        if plan.device.startswith("cpu") and plan.apart:  # the colony that builds the same tours
            drawing = "stc-roulette" if case.system.endswith(("lc", "ct")) else "roulette"
            drawing = "wrs" if "wrs" in case.system else drawing
            chosen = case._replace(system="mmas", values={"selection": drawing})
        lengths = [run(instance, chosen, seed, plan, plan.device)[0].best_cost for seed in seeds]
        how = {"seeds": plan.seeds, "iterations": plan.iterations}
        yield case.labels | how | {"lengths": lengths, "optimum": instance.optimum}


def compare(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Compare the errors of ACS-GPU-Alt and ACS-GPU-SPM, all seeds side by side on one GPU.

    The paper gave both as long as ACS-GPU-Alt took for 1000 iterations with m = n and k = 1. Here
    both get as many iterations as these seconds bought there: ACS-GPU-Alt by the times of Tables 3,
    4 and 8; ACS-GPU-SPM, which ran with these parameters as fast as ACS-GPU-Alt with m = n and
    k = 1 (Fig. 10), 1000 n / 256. With a share, both get the iterations that this share of the
    paper's seconds buys on this GPU, where each runs alone.
    """
    seconds, milliseconds, *papers = TABLE_9[plan.like or instance.name]
    budgets = (seconds / (1e-3 * milliseconds * 256 / instance.n), 1000 * instance.n / 256)
    row: Row = {"optimum": instance.optimum}
    row |= {"share": plan.share, "seconds": plan.share * seconds} if plan.share else {}
    errors = []
    for case, paper, budget in zip(plan.cases, papers, budgets, strict=True):
        if plan.share:
            with closing(build(instance, case)) as colony:
                budget = 1e3 * row["seconds"] / timed(colony, 512)["whole"]
        limited = dataclasses.replace(plan, iterations=round(budget))
        with ThreadPoolExecutor(30) as pool:
            ends = [pool.submit(run, instance, case, seed, limited) for seed in plan.all_seeds]
        lengths = [end.result()[0].best_cost for end in ends]
        errors.append([instance.gap_percent(length) or 0.0 for length in lengths])
        row[case.labels["system"]] = {
            "iterations": limited.iterations,
            "lengths": lengths,
            "mean_error": statistics.mean(errors[-1]),
            "best": min(lengths),
            "paper_mean_error": paper,
        }
    yield row | {"p_value": float(ranksums(errors[0], errors[1]).pvalue)}


def hits(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Share of the updates that find their trail in a selective memory of each size."""
    for case in plan.cases:
        end, _ = run(instance, case, 1, plan)
        assert end.updates is not None
        ratios = {"local": end.updates.local_ratio, "global": end.updates.global_ratio}
        yield case.labels | ratios | {"best_length": end.best_cost}


def equal(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Count iterations after which tours, means and trails are those of all cores."""
    for case in plan.cases:
        theirs = of("as-cores", selection=SELECTIONS[case.labels["system"]])
        with closing(build(instance, case)) as one, closing(build(instance, theirs)) as other:
            same = 0
            for _ in range(plan.iterations):
                states = []
                for colony in (one, other):
                    colony.iterate(1)
                    end = colony.snapshot(Wanted.ITERATION_SOLUTION)
                    assert end.iteration_solution is not None
                    numbers = (end.best_cost, end.iteration_mean)
                    parts = (numbers, end.iteration_solution, colony.trails_from(0))
                    states.append(np.concatenate(parts))
                same += np.array_equal(states[0], states[1])
            found = {"iterations": plan.iterations, "same": same, "best": end.best_cost}
            yield case.labels | found


def search(instance: Instance, plan: Experiment, *, curve: bool = False) -> Iterator[Row]:
    """Seconds to the paper's mean error, or, for a curve, the error against time.

    Time counts from before the colony is built, its neighbour lists included. A run takes half of
    the paper's time at most.
    """
    gap, seconds = {**TARGETS, **REPORT_TARGETS}[plan.like or instance.name]
    assert instance.optimum is not None
    goal = 0.0 if curve else instance.optimum * (1 + gap / 100)
    for case in plan.cases:
        case = case._replace(values={"rho": SLOW if instance.n < LARGE else QUICK, **case.values})
        warm_up(instance, case)
        runs = []
        for seed in plan.all_seeds:
            start = time.perf_counter()
            with closing(build(instance, case, seed)) as colony:
                found = follow(colony, start, goal, min(plan.seconds, seconds / 2))
            runs.append([(when, count, instance.gap_percent(cost)) for when, count, cost in found])
            shown = {"curve": runs[0]} if curve else {"runs": [each[-1] for each in runs]}
            yield case.labels | {"settings": case.values} | shown


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


def color(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Colors, and seconds of all iterations; on one core with the first seed alone."""
    for case in plan.cases:
        phases = dict(warm_up(instance, case))
        for seed in plan.all_seeds[:1] if case.system.endswith("-seq") else plan.all_seeds:
            end, seconds = run(instance, case, seed, plan)
            row = {"seed": seed, "iterations": end.iteration, "seconds": seconds}
            found = {"colors": end.best_cost, "found_in": end.best_iteration, "phases": phases}
            yield case.labels | row | found


def reward(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Colors of all seeds."""
    for case in plan.cases:
        ends = [run(instance, case, seed, plan)[0] for seed in plan.all_seeds]
        yield case.labels | {"colors": [end.best_cost for end in ends]}


def tabu(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Note when how few colors were reached."""
    goal = plan.goals.get(instance.name, 0)
    for case in plan.cases:
        warm_up(instance, case)
        for seed in plan.all_seeds:
            with closing(build(instance, case, seed)) as colony:
                colony.snapshot(Wanted.NUMBERS)
                *found, end = follow(colony, time.perf_counter(), goal, plan.seconds)
            row = {"seed": seed, "seconds": end[0], "iterations": end[1], "goal": goal}
            yield case.labels | row | {"steps": [(when, colors) for when, _, colors in found]}
