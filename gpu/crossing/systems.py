"""The crossing colonies, which are ours."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from gpu.core.colony import Colony
from gpu.core.decisions import Rule
from gpu.core.machine.devices import Device
from gpu.core.system import Family, System, SystemOf
from gpu.crossing.parameters import (
    CROSSING_STEPS,
    CrossingCudaParameters,
    CrossingParameters,
    require_for_crossing_cuda,
)
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.parameters import require_symmetric


def _on_cpu(
    instance: TspInstance,
    parameters: CrossingParameters,
    device: Device,
    seed: int,
    start: NDArray[np.int32] | None = None,
) -> Colony:
    from gpu.crossing.cpu.colony import CrossingCpuColony
    from gpu.tour_changes.places import colony_on_places

    def build(part: TspInstance, start: NDArray[np.int32] | None) -> Colony:
        return CrossingCpuColony(part, parameters, seed, threads=device.cores, start=start)

    return colony_on_places(instance, start, build)


def _on_gpu(
    instance: TspInstance,
    parameters: CrossingCudaParameters,
    device: Device,
    seed: int,
    start: NDArray[np.int32] | None = None,
) -> Colony:
    from gpu.crossing.cuda.colony import CrossingCudaColony
    from gpu.cuda.colony import machine_of
    from gpu.tour_changes.places import colony_on_places

    def build(part: TspInstance, start: NDArray[np.int32] | None) -> Colony:
        return CrossingCudaColony(part, parameters, machine_of(device), seed, start)

    return colony_on_places(instance, start, build)


def _rule(instance: TspInstance, parameters: CrossingParameters, seed: int) -> Rule:
    from gpu.crossing.replay import CrossingRule

    return CrossingRule(instance)


_system = partial(
    SystemOf,
    paper="ours, after Nagata and Kobayashi 2013 (edge assembly crossover)",
    instances=TspInstance,
    alias="crossing",
    steps=CROSSING_STEPS,
    no_rule="its ants work on a GPU. Run the colony on the CPU to see them",
)

FAMILIES = (
    Family(
        "crossing",
        "Crossing tours",
        "ours, after Nagata and Kobayashi 2013",
        "Ants cross tours by their edges: the shortest of most instances",
    ),
)

SYSTEMS: tuple[System, ...] = (
    _system(
        name="crossing-gpu",
        made_of="a warp an ant; each tour of a population is improved by itself, then crossed with "
        "others; trails keep the tours different",
        summary="Finds the shortest tours of all colonies in a given time, up to 10,000,000 "
        "cities.",
        parameters=CrossingCudaParameters,
        takes=require_for_crossing_cuda,
        builders={"cuda": _on_gpu},
        starters={"cuda": _on_gpu},
    ),
    _system(
        name="crossing-cores",
        made_of="all cores; each ant has a tour, and crosses it with another ant's; trails keep "
        "the tours different",
        summary="Finds the shortest tours of CPU colonies in a given time, up to 10,000 cities.",
        parameters=CrossingParameters,
        takes=require_symmetric,
        rule=_rule,
        builders={"cpu": _on_cpu},
        starters={"cpu": _on_cpu},
    ),
    _system(
        name="crossing-seq",
        made_of="one core; each ant has a tour, and crosses it with another ant's; trails keep "
        "the tours different",
        summary="The same tours as crossing-cores, on one core.",
        parameters=CrossingParameters,
        takes=require_symmetric,
        rule=_rule,
        builders={"cpu:1": _on_cpu},
        starters={"cpu:1": _on_cpu},
    ),
)
