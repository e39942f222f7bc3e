"""Focused ACO, which is of Skinderowicz (2022)."""

from __future__ import annotations

from functools import partial

from gpu.core.colony import Colony
from gpu.core.decisions import Rule
from gpu.core.machine.devices import Device
from gpu.core.system import Family, System, SystemOf
from gpu.faco.parameters import FacoCudaParameters, FacoParameters, require_for_faco_cuda
from gpu.problems.tsp.instance import TspInstance
from gpu.tour_changes.parameters import require_symmetric


def _on_cpu(instance: TspInstance, parameters: FacoParameters, device: Device, seed: int) -> Colony:
    from gpu.faco.cpu.colony import FacoCpuColony

    return FacoCpuColony(instance, parameters, seed, threads=device.cores)


def _on_gpu(
    instance: TspInstance, parameters: FacoCudaParameters, device: Device, seed: int
) -> Colony:
    from gpu.cuda.colony import machine_of
    from gpu.faco.cuda.colony import FacoCudaColony

    return FacoCudaColony(instance, parameters, machine_of(device), seed)


def _rule(instance: TspInstance, parameters: FacoParameters, seed: int) -> Rule:
    from gpu.faco.rule import FacoRule

    return FacoRule(instance, parameters, seed)


_system = partial(
    SystemOf,
    paper="Skinderowicz 2022 (Focused ACO)",
    instances=TspInstance,
    alias="faco",
)

FAMILIES = (
    Family(
        "faco",
        "Focused ACO (FACO)",
        "Skinderowicz 2022",
        "Each ant changes a few edges of the best tour",
    ),
)

SYSTEMS: tuple[System, ...] = (
    _system(
        name="faco-gpu",
        made_of="a warp an ant; each leaves the last winner's tour for a few edges; 2-opt at new "
        "edges; trails of candidates, with limits",
        summary="Focused ACO on a GPU: the same tours as faco-cores, in a small part of the time.",
        parameters=FacoCudaParameters,
        takes=require_for_faco_cuda,
        builders={"cuda": _on_gpu},
        rule=_rule,
    ),
    _system(
        name="faco-cores",
        made_of="all cores share out ants; each leaves the last winner's tour for a few edges; "
        "2-opt at new edges; trails of candidates, with limits",
        summary="Focused ACO on all cores: good tours through up to 100,000 cities.",
        parameters=FacoParameters,
        takes=require_symmetric,
        walks=True,
        builders={"cpu": _on_cpu},
        rule=_rule,
    ),
    _system(
        name="faco-seq",
        made_of="one core; ants leave the last winner's tour for a few edges; 2-opt at new edges; "
        "trails of candidates, with limits",
        summary="The sequential Focused ACO: the same tours as faco-cores.",
        parameters=FacoParameters,
        takes=require_symmetric,
        walks=True,
        builders={"cpu:1": _on_cpu},
        rule=_rule,
    ),
)
