"""The Ant Colony Systems of Skinderowicz (2016)."""

from __future__ import annotations

from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.core.system import System

_PAPER = "Skinderowicz 2016"
_RULE = "gpu.acs.rule:AcsRule"

ANT_COLONY_SYSTEMS: tuple[System, ...] = (
    System(
        name="acs-gpu-alt",
        title="ACS-GPU-Alt",
        paper=f"{_PAPER}, Section 3.1.2",
        made_of="whole tours in one launch; a warp an ant; pheromone matrix; plain updates",
        summary="The fastest: each ant builds its whole tour on its own, and updates may be lost.",
        deterministic=False,
        parameters=AcsParameters,
        builders={"cuda": "gpu.acs.cuda.colony:build_alt"},
        alias="acs",
        rule=_RULE,
    ),
    System(
        name="acs-gpu-spm",
        title="ACS-GPU-SPM",
        paper=f"{_PAPER}, Section 3.2, Fig. 5",
        made_of="whole tours in one launch; a warp an ant; selective memory; plain updates",
        summary="Remembers only the last few trails at each city: better tours, far less memory.",
        deterministic=False,
        parameters=SpmParameters,
        builders={"cuda": "gpu.acs.cuda.colony:build_spm"},
        alias="acs-spm",
        rule=_RULE,
    ),
    System(
        name="acs-gpu",
        title="ACS-GPU",
        paper=f"{_PAPER}, Section 3.1.2",
        made_of="all ants step together; a warp an ant; pheromone matrix; atomic updates",
        summary="Closest to the sequential search among the parallel ones; the same tours always.",
        deterministic=True,
        parameters=AcsParameters,
        builders={
            "cuda": "gpu.acs.cuda.colony:build_stepwise",
            "cpu": "gpu.acs.cpu.colony:build_stepwise",
        },
        alias="acs",
        rule=_RULE,
    ),
    System(
        name="acs-seq",
        title="ACS-SEQ",
        paper=f"{_PAPER}, Figs. 2 and 3",
        made_of="one core; ants take turns step by step; pheromone matrix",
        summary="The sequential Ant Colony System: what speedups are measured against.",
        deterministic=True,
        parameters=AcsParameters,
        builders={"cpu:1": "gpu.acs.cpu.colony:build_sequential"},
        alias="acs",
        rule=_RULE,
    ),
    System(
        name="acs-seq-spm",
        title="ACS-SEQ-SPM",
        paper=f"{_PAPER}, Figs. 2, 3 and 5",
        made_of="one core; ants take turns step by step; selective memory",
        summary="The sequential Ant Colony System with the selective pheromone memory.",
        deterministic=True,
        parameters=SpmParameters,
        builders={"cpu:1": "gpu.acs.cpu.colony:build_sequential_spm"},
        alias="acs-spm",
        rule=_RULE,
    ),
    System(
        name="acs-cores-spm",
        title="ACS-CORES-SPM",
        paper=f"{_PAPER}, Fig. 5, with the steps of ACS-GPU",
        made_of="all cores; all ants step together; selective memory; updates in the ants' order",
        summary="The selective memory on all cores of a machine without a GPU.",
        deterministic=True,
        parameters=SpmParameters,
        builders={"cpu": "gpu.acs.cpu.colony:build_stepwise_spm"},
        alias="acs-spm",
        rule=_RULE,
    ),
)
