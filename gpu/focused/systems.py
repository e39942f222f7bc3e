"""The focused colonies, which are ours; Focused ACO is of Skinderowicz (2022)."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from gpu.core.colony import Colony
from gpu.core.decisions.rule import Rule
from gpu.core.decisions.tour_change import CROSSING_STEPS, STEPS
from gpu.core.machine.devices import Device
from gpu.core.system import System, system_of
from gpu.focused.crossing.parameters import CrossingCudaParameters, CrossingParameters
from gpu.focused.crossing.suitable import require_for_crossing_cuda
from gpu.focused.faco.parameters import FacoCudaParameters, FacoParameters
from gpu.focused.parameters import FocusedCudaParameters, FocusedParameters
from gpu.focused.suitable import (
    require_few_directed,
    require_for_faco_cuda,
    require_for_focused_cuda,
    require_symmetric,
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

    return FocusedCpuColony(instance, parameters, seed, threads=device.cores, start=start)


def _on_gpu(
    instance: TspInstance,
    parameters: FocusedCudaParameters,
    device: Device,
    seed: int,
    start: NDArray[np.int32] | None = None,
) -> Colony:
    from gpu.cuda.colony import machine_of
    from gpu.focused.cuda.colony import FocusedCudaColony

    return FocusedCudaColony(instance, parameters, machine_of(device), seed, start)


def _crossing_on_cpu(
    instance: TspInstance,
    parameters: CrossingParameters,
    device: Device,
    seed: int,
    start: NDArray[np.int32] | None = None,
) -> Colony:
    from gpu.focused.crossing.cpu.colony import CrossingCpuColony

    return CrossingCpuColony(instance, parameters, seed, threads=device.cores, start=start)


def _crossing_on_gpu(
    instance: TspInstance,
    parameters: CrossingCudaParameters,
    device: Device,
    seed: int,
    start: NDArray[np.int32] | None = None,
) -> Colony:
    from gpu.cuda.colony import machine_of
    from gpu.focused.crossing.cuda.colony import CrossingCudaColony

    return CrossingCudaColony(instance, parameters, machine_of(device), seed, start)


def _faco_on_cpu(
    instance: TspInstance, parameters: FacoParameters, device: Device, seed: int
) -> Colony:
    from gpu.focused.faco.cpu.colony import FacoCpuColony

    return FacoCpuColony(instance, parameters, seed, threads=device.cores)


def _faco_on_gpu(
    instance: TspInstance, parameters: FacoCudaParameters, device: Device, seed: int
) -> Colony:
    from gpu.cuda.colony import machine_of
    from gpu.focused.faco.cuda.colony import FacoCudaColony

    return FacoCudaColony(instance, parameters, machine_of(device), seed)


def _focused_rule(instance: TspInstance, parameters: FocusedParameters, seed: int) -> Rule:
    from gpu.focused.replay import FocusedRule

    return FocusedRule(instance)


def _crossing_rule(instance: TspInstance, parameters: CrossingParameters, seed: int) -> Rule:
    from gpu.focused.crossing.replay import CrossingRule

    return CrossingRule(instance)


def _faco_rule(instance: TspInstance, parameters: FacoParameters, seed: int) -> Rule:
    from gpu.focused.faco.rule import FacoRule

    return FacoRule(instance, parameters, seed)


_ON_GPU = "its ants work on a GPU. Run the colony on the CPU to see them"

_focused = partial(
    system_of,
    paper="ours, after Skinderowicz 2022 (Focused ACO)",
    instances=TspInstance,
    alias="focused",
    steps=STEPS,
    no_rule=_ON_GPU,
)

_crossing = partial(
    system_of,
    paper="ours, after Nagata and Kobayashi 2013 (edge assembly crossover)",
    instances=TspInstance,
    alias="crossing",
    steps=CROSSING_STEPS,
    no_rule=_ON_GPU,
)

_faco = partial(
    system_of,
    paper="Skinderowicz 2022 (Focused ACO)",
    instances=TspInstance,
    alias="faco",
)

SYSTEMS: tuple[System, ...] = (
    _focused(
        name="focused-gpu",
        made_of="a warp an ant; ants change several tours at one place each; all changes that fit "
        "are merged; cooling",
        summary="Beyond 200,000 cities, of all colonies the shortest tours in a given time.",
        parameters=FocusedCudaParameters,
        takes=require_for_focused_cuda,
        builders={"cuda": _on_gpu},
        starters={"cuda": _on_gpu},
    ),
    _focused(
        name="focused-cores",
        made_of="all cores; ants change a common tour at one place each; all changes that fit are "
        "merged; cooling",
        summary="Beyond 10,000 cities, of all CPU colonies the shortest tours in a given time.",
        parameters=FocusedParameters,
        takes=require_few_directed,
        rule=_focused_rule,
        builders={"cpu": _on_cpu},
        starters={"cpu": _on_cpu},
    ),
    _focused(
        name="focused-seq",
        made_of="one core; ants change a common tour at one place each; cooling",
        summary="The same tours as focused-cores, by one core.",
        parameters=FocusedParameters,
        takes=require_few_directed,
        rule=_focused_rule,
        builders={"cpu:1": _on_cpu},
        starters={"cpu:1": _on_cpu},
    ),
    _crossing(
        name="crossing-gpu",
        made_of="a warp an ant; each tour of a herd is improved by itself, then crossed with "
        "others; trails keep the tours different",
        summary="Up to 200,000 cities, of all colonies the shortest tours in a given time.",
        parameters=CrossingCudaParameters,
        takes=require_for_crossing_cuda,
        builders={"cuda": _crossing_on_gpu},
        starters={"cuda": _crossing_on_gpu},
    ),
    _crossing(
        name="crossing-cores",
        made_of="all cores; each ant has a tour, and crosses it with another ant's; trails keep "
        "the tours different",
        summary="Up to some 10,000 cities, of all CPU colonies the shortest tours in a given time.",
        parameters=CrossingParameters,
        takes=require_symmetric,
        rule=_crossing_rule,
        builders={"cpu": _crossing_on_cpu},
        starters={"cpu": _crossing_on_cpu},
    ),
    _crossing(
        name="crossing-seq",
        made_of="one core; each ant has a tour, and crosses it with another ant's; trails keep "
        "the tours different",
        summary="The same tours as crossing-cores, by one core.",
        parameters=CrossingParameters,
        takes=require_symmetric,
        rule=_crossing_rule,
        builders={"cpu:1": _crossing_on_cpu},
        starters={"cpu:1": _crossing_on_cpu},
    ),
    _faco(
        name="faco-gpu",
        made_of="a warp an ant; each leaves the last winner's tour for a few edges; 2-opt at new "
        "edges; trails of candidates, with limits",
        summary="Focused ACO on a GPU: the same tours as faco-cores, in a small part of the time.",
        parameters=FacoCudaParameters,
        takes=require_for_faco_cuda,
        builders={"cuda": _faco_on_gpu},
        rule=_faco_rule,
    ),
    _faco(
        name="faco-cores",
        made_of="all cores share out ants; each leaves the last winner's tour for a few edges; "
        "2-opt at new edges; trails of candidates, with limits",
        summary="Focused ACO on all cores: good tours through up to 100,000 cities.",
        parameters=FacoParameters,
        takes=require_symmetric,
        builders={"cpu": _faco_on_cpu},
        rule=_faco_rule,
    ),
    _faco(
        name="faco-seq",
        made_of="one core; ants leave the last winner's tour for a few edges; 2-opt at new edges; "
        "trails of candidates, with limits",
        summary="The sequential Focused ACO: the same tours as faco-cores.",
        parameters=FacoParameters,
        takes=require_symmetric,
        builders={"cpu:1": _faco_on_cpu},
        rule=_faco_rule,
    ),
)
