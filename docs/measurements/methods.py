"""How each kind of experiment measures: one function each, which gives the rows of an instance."""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing

from rivals import FOLLOW, Follow, Followed
from runs import ANYTIME, Case, Experiment, Row, build, follow, warm_up

from gpu.core.errors import DeviceError, FormicariumError
from gpu.core.instance import Instance
from gpu.core.snapshot import Wanted
from gpu.run import Result, solve
from gpu.run.outcome import Ending
from gpu.run.run import Run
from gpu.run.session import new_session
from gpu.run.stopping import StopSettings


def at_iterations(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """Look at each run after equally many iterations: seconds, cost and gap.

    The seconds are those of the iterations. Building is not in them; it is noted beside them.
    """
    goal = plan.goal(instance)
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
    goal = plan.goal(instance)
    return _curves(instance, plan, _of_colony, lambda cost: 100 * (cost - goal) / goal)


def colors_against_time(instance: Instance, plan: Experiment) -> Iterator[Row]:
    """The same of the number of colors, of runs as a user has them."""
    return _curves(instance, plan, _of_run, float)


def _curves(
    instance: Instance, plan: Experiment, of_colony: Follow, shown: Callable[[int], float]
) -> Iterator[Row]:
    """Follow each case; a curve has seconds, iteration, and what is ``shown`` of a cost."""
    for case in plan.cases:
        limit = plan.anytime if case.system in ANYTIME else plan.limit(instance.name)
        followed = FOLLOW.get(case.system, of_colony)(instance, case, plan)
        try:
            for seed, found in followed:
                curve = [(when, count, shown(cost)) for when, count, cost in found]
                yield case.labels | {"seed": seed, "limit": limit, "curve": curve}
        except FormicariumError as error:
            yield case.labels | {"seed": plan.seeds[0], "refused": str(error)}


def _of_colony(instance: Instance, case: Case, plan: Experiment) -> Iterator[Followed]:
    warm_up(instance, case, plan.device)
    limit = plan.limit(instance.name)
    for seed in plan.all_seeds:
        start = time.perf_counter()
        with closing(build(instance, case, seed, plan.device)) as colony:
            yield seed, follow(colony, start, plan.goal(instance), limit, plan.step)


def _of_run(instance: Instance, case: Case, plan: Experiment) -> Iterator[Followed]:
    """Run to the goal, to a proof or to the time. Time counts from before the run is built."""
    goal = plan.goal(instance) or None

    def run(seed: int, seconds: float) -> Run:
        fresh = dataclasses.replace(instance)  # nothing is known of it from the run before
        session = new_session(
            fresh,
            colony=case.system,
            device=plan.device,
            parameters=case.values,
            seed=seed,
            stop=StopSettings(seconds=seconds, target_length=goal),
        )
        made = Run(fresh, session)
        outcome = made.finish()
        if outcome.ending is not Ending.FINISHED:
            raise DeviceError(f"{case.system} failed: {outcome.reason}")
        return made

    run(0, 1.0)  # compiles
    for seed in plan.all_seeds:
        done = run(seed, plan.limit(instance.name))
        built = done.spent.building
        yield seed, [(built + one.seconds, one.iteration, one.cost) for one in done.improvements]
