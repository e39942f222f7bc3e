"""The MAX-MIN Ant Systems of Skinderowicz (2020)."""

from __future__ import annotations

from functools import partial

from gpu.construction.parameters import AsParameters
from gpu.core.colony import Colony
from gpu.core.decisions import Rule
from gpu.core.machine.devices import Device
from gpu.core.system import Family, System, SystemOf
from gpu.max_min.parameters import (
    MmasCpuParameters,
    MmasCudaParameters,
    MmasGroupParameters,
    MmasListParameters,
)
from gpu.problems.tsp.instance import TspInstance

_PAPER = "Skinderowicz 2020"

_SELECTIONS = {
    "rwm": ("4.2.1", "roulette wheel", "turn a roulette wheel"),
    "wrs": ("4.2.2", "weighted reservoir sampling", "sample a reservoir"),
}

_TABUS = {
    "bt": ("a tabu bit a city", "in bits"),
    "ct": ("compact tabu", "in a compact list"),
    "lc": ("list compression", "in two lists"),
}


def _rule(selection: str, instance: TspInstance, parameters: AsParameters, seed: int) -> Rule:
    """Make the rule of ants that draw like this; empty: as their parameters say."""
    from gpu.construction.rule import AsRule

    return AsRule(instance, parameters, seed, selection)


def _build_on_gpu(
    variant: str, instance: TspInstance, parameters: MmasCudaParameters, device: Device, seed: int
) -> Colony:
    """Build a variant of the paper, a key of ``MMAS_CONSTRUCTIONS``."""
    from gpu.cuda.colony import machine_of
    from gpu.max_min.cuda.colony import MMAS_CONSTRUCTIONS, MmasColony

    return MmasColony(instance, parameters, machine_of(device), seed, MMAS_CONSTRUCTIONS[variant])


def _on_cpu(
    instance: TspInstance, parameters: MmasCpuParameters, device: Device, seed: int
) -> Colony:
    """Ants and rows of trails are shared out among the cores of ``device``."""
    from gpu.max_min.cpu import MmasCpuColony

    return MmasCpuColony(instance, parameters, seed, threads=device.cores)


def _on_gpu(selection: str, tabu: str, listed: bool) -> System:
    """One of the twelve variants of the paper."""
    section, drawing, draw = _SELECTIONS[selection]
    structure, where = _TABUS[tabu]
    name = f"{selection}-{tabu}{'-cl' if listed else ''}"
    lists = "candidate lists, a warp an ant; " if listed else "a block an ant; "
    wheel = "roulette" if listed or tabu == "bt" else "lc-roulette"
    rule = "wrs" if selection == "wrs" else wheel  # what the CPU calls it
    few = "first among near cities, " if listed else ""
    return SystemOf(
        name=f"mmas-{name}",
        paper=f"{_PAPER}, Sections 4.1, {section}{' and 4.3' if listed else ''}",
        made_of=f"{lists}{drawing}; {structure}; pheromone matrix with limits; one tour deposits",
        summary=f"Ants {draw}, {few}and remember {where} where they have been.",
        instances=TspInstance,
        parameters=MmasListParameters if listed else MmasGroupParameters,
        builders={"cuda": partial(_build_on_gpu, name)},
        alias="mmas",
        rule=partial(_rule, rule),
        walks=True,
    )


_mmas_cpu = partial(
    SystemOf,
    paper=f"{_PAPER}, Sections 2.1 and 4",
    instances=TspInstance,
    parameters=MmasCpuParameters,
    alias="mmas",
    rule=partial(_rule, ""),
    walks=True,
)

FAMILIES = (
    Family(
        "mmas",
        "MAX-MIN Ant System (MMAS)",
        "Skinderowicz 2020",
        "The best ant alone lays trails, which stay between two limits",
    ),
)

SYSTEMS: tuple[System, ...] = (
    *(
        _on_gpu(selection, tabu, listed)
        for listed in (False, True)  # without, as those on the CPU unless asked for lists
        for selection in _SELECTIONS
        for tabu in _TABUS
    ),
    _mmas_cpu(
        name="mmas-seq",
        made_of="one core; ants one after another; pheromone matrix with limits; one tour deposits",
        summary="The sequential MAX-MIN Ant System: what speedups are measured against.",
        builders={"cpu:1": _on_cpu},
    ),
    _mmas_cpu(
        name="mmas-cores",
        made_of="all cores share out ants and rows; pheromone matrix with limits; one tour "
        "deposits",
        summary="The MAX-MIN Ant System on all cores: the same tours as on one.",
        builders={"cpu": _on_cpu},
    ),
)
