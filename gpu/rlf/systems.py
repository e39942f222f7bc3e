"""The colonies that color graphs, of Murooka, Ito and Nakano (2017), and what goes beyond them."""

from __future__ import annotations

from functools import partial

from gpu.core.colony import Colony
from gpu.core.decisions import Rule
from gpu.core.machine.devices import Device
from gpu.core.system import Family, System, SystemOf
from gpu.problems.coloring.instance import GraphInstance
from gpu.rlf.parameters import (
    MOST_TRIALS,
    ColoringCpuParameters,
    ColoringParameters,
    ColoringTabuParameters,
    ColoringTrialsParameters,
    require_matrix,
)

_PAPER = "Murooka et al. 2017"


def _on_gpu(
    trials: int | None,
    instance: GraphInstance,
    parameters: ColoringParameters,
    device: Device,
    seed: int,
) -> Colony:
    """So many stochastic trials before the wheel (2017, Section IV-B); None: as parameters say."""
    from gpu.cuda.colony import machine_of
    from gpu.rlf.cuda.colony import ColoringColony

    if trials is None:
        assert isinstance(parameters, ColoringTrialsParameters)
        trials = parameters.trials
    return ColoringColony(instance, parameters, machine_of(device), seed, trials)


_WHEEL = partial(_on_gpu, 0)


def _tabu_on_cpu(
    instance: GraphInstance, parameters: ColoringTabuParameters, device: Device, seed: int
) -> Colony:
    """Ants and searches are shared out among the cores of ``device``."""
    from gpu.rlf.cpu.colony import RlfTabuCpuColony

    return RlfTabuCpuColony(instance, parameters, seed, threads=device.cores)


def _on_cpu(
    instance: GraphInstance, parameters: ColoringCpuParameters, device: Device, seed: int
) -> Colony:
    """Ants and rows of trails are shared out among the cores of ``device``."""
    from gpu.rlf.cpu.colony import RlfCpuColony

    return RlfCpuColony(instance, parameters, seed, threads=device.cores)


def _rule(
    trials: int | None, instance: GraphInstance, parameters: ColoringParameters, seed: int
) -> Rule:
    """So many stochastic trials before the wheel; None: as parameters say."""
    from gpu.rlf.rule import ColoringRule

    return ColoringRule(instance, parameters, seed, trials)


_rlf = partial(SystemOf, instances=GraphInstance, alias="coloring", takes=require_matrix)
_rlf_gpu = partial(_rlf, paper=f"{_PAPER}, Algorithms 1 and 3, Section IV.B", walks=True)
_rlf_cpu = partial(
    _rlf,
    paper=f"{_PAPER}, Algorithms 1 and 3",
    parameters=ColoringCpuParameters,
    walks=True,
)

FAMILIES = (
    Family(
        "coloring",
        "ACO-RLF",
        "Murooka et al. 2017",
        "Ants build colorings, one class after the other",
    ),
)

SYSTEMS: tuple[System, ...] = (
    _rlf_gpu(
        name="aco-rlf-prefix",
        title="ACO-RLF, prefix sums",
        made_of="a block an ant; sets of vertices as bits; prefix sums over the candidates",
        summary="The fastest of these: a wheel over the candidates draws every vertex of a class.",
        parameters=ColoringParameters,
        builders={"cuda": _WHEEL},
        rule=partial(_rule, 0),
    ),
    _rlf_gpu(
        name="aco-rlf-hybrid",
        title="ACO-RLF, hybrid",
        made_of="a block an ant; sets of vertices as bits; stochastic trials, then prefix sums",
        summary="Classes grow by recursive largest first; a few trials spare most prefix sums.",
        parameters=ColoringTrialsParameters,
        builders={"cuda": partial(_on_gpu, None)},
        rule=partial(_rule, None),
    ),
    _rlf_gpu(
        name="aco-rlf-trial",
        title="ACO-RLF, stochastic trial",
        made_of="a block an ant; sets of vertices as bits; stochastic trials",
        summary="Vertices are drawn from whole rows of trails until one is a candidate.",
        parameters=ColoringParameters,
        builders={"cuda": partial(_on_gpu, MOST_TRIALS)},
        rule=partial(_rule, MOST_TRIALS),
    ),
    SystemOf(
        name="aco-rlf-tabu",
        title="ACO-RLF, tabu",
        paper=f"{_PAPER}, with the tabu search of Hertz and de Werra 1987",
        made_of="as aco-rlf-prefix, or on CPU cores; tabu searches repair the best ants' colorings",
        summary="Beyond the paper: tabu searches repair the best colorings toward fewer colors.",
        instances=GraphInstance,
        parameters=ColoringTabuParameters,
        takes=require_matrix,
        builders={"cuda": _WHEEL, "cpu": _tabu_on_cpu, "cpu:1": _tabu_on_cpu},
        rule=partial(_rule, 0),
    ),
    _rlf_cpu(
        name="aco-rlf-seq",
        made_of="one core; ants one after another; sets of vertices as bits; all ants deposit",
        summary="The sequential coloring colony: what speedups are measured against.",
        builders={"cpu:1": _on_cpu},
        rule=partial(_rule, None),
    ),
    _rlf_cpu(
        name="aco-rlf-cores",
        made_of="all cores share out ants and rows; sets of vertices as bits; all ants deposit",
        summary="The coloring colony on all cores: the same colorings as on one.",
        builders={"cpu": _on_cpu},
        rule=partial(_rule, None),
    ),
)
