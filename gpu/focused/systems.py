"""The focused colonies, which are ours."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from gpu.core.colony import Colony
from gpu.core.decisions import Rule
from gpu.core.machine.devices import Device
from gpu.core.system import Family, System, SystemOf
from gpu.focused.parameters import (
    FOCUSED_STEPS,
    FocusedCudaParameters,
    FocusedParameters,
    require_few_directed,
    require_for_focused_cuda,
)
from gpu.problems.tsp.instance import TspInstance


def _on_cpu(
    instance: TspInstance,
    parameters: FocusedParameters,
    device: Device,
    seed: int,
    start: NDArray[np.int32] | None = None,
) -> Colony:
    from gpu.focused.cpu.colony import FocusedCpuColony
    from gpu.tour_changes.places import colony_on_places

    def build(part: TspInstance, start: NDArray[np.int32] | None) -> Colony:
        return FocusedCpuColony(part, parameters, seed, threads=device.cores, start=start)

    return colony_on_places(instance, start, build)


def _on_gpu(
    instance: TspInstance,
    parameters: FocusedCudaParameters,
    device: Device,
    seed: int,
    start: NDArray[np.int32] | None = None,
) -> Colony:
    from gpu.cuda.colony import machine_of
    from gpu.focused.cuda import FocusedCudaColony
    from gpu.tour_changes.places import colony_on_places

    def build(part: TspInstance, start: NDArray[np.int32] | None) -> Colony:
        return FocusedCudaColony(part, parameters, machine_of(device), seed, start)

    return colony_on_places(instance, start, build)


def _rule(instance: TspInstance, parameters: FocusedParameters, seed: int) -> Rule:
    from gpu.focused.replay import FocusedRule

    return FocusedRule(instance)


_system = partial(
    SystemOf,
    paper="ours, after Skinderowicz 2022 (Focused ACO)",
    instances=TspInstance,
    alias="focused",
    steps=FOCUSED_STEPS,
    no_rule="its ants work on a GPU. Run the colony on the CPU to see them",
)

FAMILIES = (
    Family(
        "focused",
        "Focused annealing",
        "ours, after Skinderowicz 2022",
        "Ants change one tour around a place: for very large instances",
    ),
)

SYSTEMS: tuple[System, ...] = (
    _system(
        name="focused-gpu",
        made_of="a warp an ant; ants change several tours at one place each; all changes that fit "
        "are merged; cooling",
        summary="Finds the shortest tours of all colonies in a given time, beyond 10,000,000 "
        "cities.",
        parameters=FocusedCudaParameters,
        takes=require_for_focused_cuda,
        builders={"cuda": _on_gpu},
        starters={"cuda": _on_gpu},
    ),
    _system(
        name="focused-cores",
        made_of="all cores; ants change a common tour at one place each; all changes that fit are "
        "merged; cooling",
        summary="Finds the shortest tours of CPU colonies in a given time, beyond 10,000 cities.",
        parameters=FocusedParameters,
        takes=require_few_directed,
        rule=_rule,
        builders={"cpu": _on_cpu},
        starters={"cpu": _on_cpu},
    ),
    _system(
        name="focused-seq",
        made_of="one core; ants change a common tour at one place each; cooling",
        summary="The same tours as focused-cores, on one core.",
        parameters=FocusedParameters,
        takes=require_few_directed,
        rule=_rule,
        builders={"cpu:1": _on_cpu},
        starters={"cpu:1": _on_cpu},
    ),
)
