"""The colonies that color graphs, of Murooka, Ito and Nakano (2017), and what goes beyond them."""

from __future__ import annotations

from gpu.core.problem import Problem
from gpu.core.system import System
from gpu.rlf.parameters import (
    ColoringCpuParameters,
    ColoringParameters,
    ColoringTabuParameters,
    ColoringTrialsParameters,
)

_PAPER = "Murooka et al. 2017"

COLORING_SYSTEMS: tuple[System, ...] = (
    System(
        name="aco-rlf-prefix",
        title="ACO-RLF, prefix sums",
        paper=f"{_PAPER}, Algorithms 1 and 3, Section IV.B",
        made_of="a block an ant; sets of vertices as bits; prefix sums over the candidates",
        summary="The fastest: every vertex of a class is drawn by a wheel over its candidates.",
        deterministic=True,
        parameters=ColoringParameters,
        builders={"cuda": "gpu.rlf.cuda.colony:build_prefix"},
        alias="coloring",
        problem=Problem.COLORING,
    ),
    System(
        name="aco-rlf-hybrid",
        title="ACO-RLF, hybrid",
        paper=f"{_PAPER}, Algorithms 1 and 3, Section IV.B",
        made_of="a block an ant; sets of vertices as bits; stochastic trials, then prefix sums",
        summary="Classes grow by recursive largest first; a few trials spare most prefix sums.",
        deterministic=True,
        parameters=ColoringTrialsParameters,
        builders={"cuda": "gpu.rlf.cuda.colony:build_hybrid"},
        alias="coloring",
        problem=Problem.COLORING,
    ),
    System(
        name="aco-rlf-trial",
        title="ACO-RLF, stochastic trial",
        paper=f"{_PAPER}, Algorithms 1 and 3, Section IV.B",
        made_of="a block an ant; sets of vertices as bits; stochastic trials",
        summary="Vertices are drawn from whole rows of trails until one is a candidate.",
        deterministic=True,
        parameters=ColoringParameters,
        builders={"cuda": "gpu.rlf.cuda.colony:build_trial"},
        alias="coloring",
        problem=Problem.COLORING,
    ),
    System(
        name="aco-rlf-tabu",
        title="ACO-RLF, tabu",
        paper=f"{_PAPER}, with the tabu search of Hertz and de Werra 1987",
        made_of="as aco-rlf-prefix, or on CPU cores; tabu searches repair the best ants' colorings",
        summary="Beyond the paper: the best colorings are repaired toward fewer colors.",
        deterministic=True,
        parameters=ColoringTabuParameters,
        builders={
            "cuda": "gpu.rlf.cuda.colony:build_tabu",
            "cpu": "gpu.rlf.cpu.tabu_colony:build",
            "cpu:1": "gpu.rlf.cpu.tabu_colony:build",
        },
        problem=Problem.COLORING,
    ),
    System(
        name="aco-rlf-seq",
        title="ACO-RLF-SEQ",
        paper=f"{_PAPER}, Algorithms 1 and 3",
        made_of="one core; ants one after another; sets of vertices as bits; all ants deposit",
        summary="The sequential coloring colony: what speedups are measured against.",
        deterministic=True,
        parameters=ColoringCpuParameters,
        builders={"cpu:1": "gpu.rlf.cpu.colony:build_sequential"},
        alias="coloring",
        problem=Problem.COLORING,
    ),
    System(
        name="aco-rlf-cores",
        title="ACO-RLF-CORES",
        paper=f"{_PAPER}, Algorithms 1 and 3",
        made_of="all cores share out ants and rows; sets of vertices as bits; all ants deposit",
        summary="The coloring colony on all cores: the same colorings as on one.",
        deterministic=True,
        parameters=ColoringCpuParameters,
        builders={"cpu": "gpu.rlf.cpu.colony:build_parallel"},
        alias="coloring",
        problem=Problem.COLORING,
    ),
)
