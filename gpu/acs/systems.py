"""The Ant Colony Systems of Skinderowicz (2016)."""

from __future__ import annotations

from functools import partial

from gpu.acs.parameters import AcsParameters, AltParameters, SpmParameters
from gpu.core.colony import Colony
from gpu.core.decisions import Rule
from gpu.core.machine.devices import Device
from gpu.core.system import Family, System, SystemOf
from gpu.problems.tsp.instance import TspInstance

_PAPER = "Skinderowicz 2016"


def _rule(instance: TspInstance, parameters: AcsParameters, seed: int) -> Rule:
    from gpu.acs.rule import AcsRule

    return AcsRule(instance, parameters, seed)


def _on_cpu(
    stepwise: bool, instance: TspInstance, parameters: AcsParameters, device: Device, seed: int
) -> Colony:
    """Ants take turns, step by step (Figs. 2 and 3); or all choose, then all update, as ACS-GPU."""
    from gpu.acs.cpu.colony import AcsCpuColony

    return AcsCpuColony(instance, parameters, seed, threads=device.cores, stepwise=stepwise)


def _on_gpu(
    kind: str, instance: TspInstance, parameters: AcsParameters, device: Device, seed: int
) -> Colony:
    from gpu.acs.cuda.colony import ACS_GPU_KINDS, AcsColony
    from gpu.cuda.colony import machine_of

    return AcsColony(instance, parameters, machine_of(device), seed, *ACS_GPU_KINDS[kind])


_IN_TURNS, _TOGETHER = partial(_on_cpu, False), partial(_on_cpu, True)

_matrix = partial(SystemOf, instances=TspInstance, alias="acs", rule=_rule, walks=True)
_acs = partial(_matrix, parameters=AcsParameters)
_spm = partial(
    SystemOf,
    instances=TspInstance,
    parameters=SpmParameters,
    alias="acs-spm",
    rule=_rule,
    walks=True,
)

FAMILIES = (
    Family(
        "acs",
        "Ant Colony System (ACS)",
        "Skinderowicz 2016",
        "Ants mostly take the best edge, and weaken trails as they walk",
    ),
    Family(
        "acs-spm",
        "ACS with selective memory",
        "Skinderowicz 2016",
        "Remembers only the last few trails at each city: far less memory",
    ),
)

SYSTEMS: tuple[System, ...] = (
    _matrix(
        name="acs-gpu-alt",
        parameters=AltParameters,
        title="ACS-GPU-Alt",
        paper=f"{_PAPER}, Section 3.1.2",
        made_of=(
            "whole tours in one launch; a warp an ant; pheromone matrix; plain or atomic updates"
        ),
        summary="The fastest of these: each ant builds its tour alone; some updates may be lost.",
        deterministic=False,
        builders={"cuda": partial(_on_gpu, "alt")},
    ),
    _spm(
        name="acs-gpu-spm",
        paper=f"{_PAPER}, Section 3.2, Fig. 5",
        made_of="whole tours in one launch; a warp an ant; selective memory; plain updates",
        summary="Remembers only the last few trails at each city: better tours, far less memory.",
        deterministic=False,
        builders={"cuda": partial(_on_gpu, "spm")},
    ),
    _acs(
        name="acs-gpu",
        title_on_cores="ACS-CORES",
        paper=f"{_PAPER}, Section 3.1.2",
        made_of="all ants step together; a warp an ant; pheromone matrix; updates after each step",
        summary="The parallel colony closest to acs-seq: a seed always gives the same tours.",
        builders={"cuda": partial(_on_gpu, "stepwise"), "cpu": _TOGETHER},
    ),
    _acs(
        name="acs-seq",
        paper=f"{_PAPER}, Figs. 2 and 3",
        made_of="one core; ants take turns step by step; pheromone matrix",
        summary="The sequential Ant Colony System: what speedups are measured against.",
        builders={"cpu:1": _IN_TURNS},
    ),
    _spm(
        name="acs-seq-spm",
        paper=f"{_PAPER}, Figs. 2, 3 and 5",
        made_of="one core; ants take turns step by step; selective memory",
        summary="The sequential Ant Colony System with the selective pheromone memory.",
        builders={"cpu:1": _IN_TURNS},
    ),
    _spm(
        name="acs-cores-spm",
        paper=f"{_PAPER}, Fig. 5, with the steps of ACS-GPU",
        made_of="all cores; all ants step together; selective memory; updates in the ants' order",
        summary="The selective memory on all cores of a machine without a GPU.",
        builders={"cpu": _TOGETHER},
    ),
)
