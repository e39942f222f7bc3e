"""The gpx colonies, which are ours, and HEAD of Moalic and Gondran (2018)."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from gpu.core.colony import Colony
from gpu.core.decisions import Rule
from gpu.core.machine.devices import Device
from gpu.core.parameters import Parameters
from gpu.core.system import Family, System, SystemOf
from gpu.gpx.parameters import (
    GpxGpuParameters,
    GpxParameters,
    HeadGpuParameters,
    HeadParameters,
    require_for_gpu,
)
from gpu.problems.coloring.instance import GraphInstance


def _on_cpu(
    instance: GraphInstance,
    parameters: GpxParameters | HeadParameters,
    device: Device,
    seed: int,
    start: NDArray[np.int32] | None = None,
) -> Colony:
    from gpu.gpx.cpu.colony import GpxCpuColony
    from gpu.gpx.kernel import colony_on_kernel

    def build(graph: GraphInstance, start: NDArray[np.int32] | None) -> Colony:
        return GpxCpuColony(graph, parameters, seed, threads=device.cores, start=start)

    return colony_on_kernel(instance, start, build)


def _on_gpu(
    instance: GraphInstance,
    parameters: GpxGpuParameters | HeadGpuParameters,
    device: Device,
    seed: int,
    start: NDArray[np.int32] | None = None,
) -> Colony:
    from gpu.cuda.colony import machine_of
    from gpu.gpx.cuda.colony import GpxCudaColony
    from gpu.gpx.kernel import colony_on_kernel

    def build(graph: GraphInstance, start: NDArray[np.int32] | None) -> Colony:
        return GpxCudaColony(graph, parameters, machine_of(device), seed, start)

    return colony_on_kernel(instance, start, build)


def _rule(instance: GraphInstance, parameters: Parameters, seed: int) -> Rule:
    from gpu.gpx.kernel import rule_on_kernel

    return rule_on_kernel(instance)


_OWN_WORK = "its ants make other numbers of moves in an iteration than those on cores"

_gpx = partial(
    SystemOf,
    paper="ours, after Galinier and Hao 1999 (greedy partition crossover), Crombez et al. 2022 "
    "(conflict optimizer), Blöchliger and Zufferey 2008 (PartialCol) and Moalic and Gondran 2018 "
    "(HEAD)",
    instances=GraphInstance,
    alias="gpx",
)
_head = partial(
    SystemOf,
    paper="Moalic and Gondran 2018, Variations on memetic algorithms for graph coloring problems",
    instances=GraphInstance,
    alias="head",
)

FAMILIES = (
    Family(
        "gpx",
        "Crossing colorings (GPX)",
        "ours, after Galinier and Hao 1999",
        "Ants cross colorings: the fewest colors of most graphs",
    ),
    Family(
        "head",
        "HEAD",
        "Moalic and Gondran 2018",
        "Pairs of colorings are crossed again and again",
    ),
)

SYSTEMS: tuple[System, ...] = (
    _gpx(
        name="gpx-gpu",
        made_of="a block an ant; neighbours by color as bytes in shared memory; islands of ants "
        "cross colorings and repair them by tabu search, others color a part of the graph or "
        "search alone",
        summary="Hundreds of ants cross their colorings; others search in other ways beside them.",
        parameters=GpxGpuParameters,
        own_work=_OWN_WORK,
        rule=_rule,
        takes=require_for_gpu,
        builders={"cuda": _on_gpu},
        starters={"cuda": _on_gpu},
    ),
    _gpx(
        name="gpx-cores",
        made_of="all cores; ants cross colorings and repair them by tabu search, color parts of "
        "the graph, or search alone",
        summary="Ants cross their colorings; others search in other ways beside them.",
        parameters=GpxParameters,
        rule=_rule,
        builders={"cpu": _on_cpu},
        starters={"cpu": _on_cpu},
    ),
    _gpx(
        name="gpx-seq",
        made_of="one core; ants cross colorings and repair them by tabu search, color parts of "
        "the graph, or search alone",
        summary="The same colorings as gpx-cores, on one core.",
        parameters=GpxParameters,
        rule=_rule,
        builders={"cpu:1": _on_cpu},
        starters={"cpu:1": _on_cpu},
    ),
    _head(
        name="head-gpu",
        made_of="a block an ant; neighbours by color as bytes in shared memory; pairs of ants "
        "cross two colorings and repair them by tabu search",
        summary="HEAD: two colorings, crossed again and again; hundreds of pairs side by side.",
        parameters=HeadGpuParameters,
        own_work=_OWN_WORK,
        rule=_rule,
        takes=require_for_gpu,
        builders={"cuda": _on_gpu},
        starters={"cuda": _on_gpu},
    ),
    _head(
        name="head-cores",
        made_of="all cores; pairs of ants cross two colorings and repair them by tabu search",
        summary="HEAD: two colorings, crossed again and again; several such pairs side by side.",
        parameters=HeadParameters,
        rule=_rule,
        builders={"cpu": _on_cpu},
        starters={"cpu": _on_cpu},
    ),
    _head(
        name="head-seq",
        made_of="one core; pairs of ants cross two colorings and repair them by tabu search",
        summary="HEAD: two colorings, crossed again and again.",
        parameters=HeadParameters,
        rule=_rule,
        builders={"cpu:1": _on_cpu},
        starters={"cpu:1": _on_cpu},
    ),
)
