"""The MAX-MIN Ant Systems of Skinderowicz (2020)."""

from __future__ import annotations

from gpu.catalog.system import System
from gpu.parameters import MmasCpuParameters

_PAPER = "Skinderowicz 2020"
_ANY_SELECTION = "gpu.decisions.ant_system:AsRule"

MAX_MIN_ANT_SYSTEMS: tuple[System, ...] = (
    System(
        name="mmas-seq",
        title="MMAS-SEQ",
        paper=f"{_PAPER}, Sections 2.1 and 4",
        made_of="one core; ants one after another; pheromone matrix with limits; one tour deposits",
        summary="The sequential MAX-MIN Ant System: what speedups are measured against.",
        deterministic=True,
        parameters=MmasCpuParameters,
        builders={"cpu:1": "gpu.baseline.max_min:build_sequential"},
        alias="mmas",
        rule=_ANY_SELECTION,
    ),
    System(
        name="mmas-cores",
        title="MMAS-CORES",
        paper=f"{_PAPER}, Sections 2.1 and 4",
        made_of="all cores share out ants and rows; pheromone matrix with limits; one tour "
        "deposits",
        summary="The MAX-MIN Ant System on all cores: the same tours as on one.",
        deterministic=True,
        parameters=MmasCpuParameters,
        builders={"cpu": "gpu.baseline.max_min:build_parallel"},
        alias="mmas",
        rule=_ANY_SELECTION,
    ),
)
