"""The MAX-MIN Ant Systems of Skinderowicz (2020)."""

from __future__ import annotations

from gpu.core.system import System
from gpu.max_min.parameters import MmasCpuParameters, MmasGroupParameters, MmasListParameters

_PAPER = "Skinderowicz 2020"
_ANY_SELECTION = "gpu.construction.rule:AsRule"

_SELECTIONS = {
    "rwm": ("4.2.1", "roulette wheel", "turn a roulette wheel"),
    "wrs": ("4.2.2", "weighted reservoir sampling", "sample a reservoir"),
}

_TABUS = {
    "bt": ("a tabu bit a city", "in bits"),
    "ct": ("compact tabu", "in a compact list"),
    "lc": ("tour list", "in a list"),
}


def _rule(selection: str, tabu: str, listed: bool) -> str:
    kind = "reservoir"
    if selection == "rwm":
        kind = "roulette" if listed or tabu == "bt" else "stc_roulette"
    return f"gpu.construction.rule:{kind}"


def _on_gpu(selection: str, tabu: str, listed: bool) -> System:
    """One of the twelve variants of the paper."""
    section, drawing, draw = _SELECTIONS[selection]
    structure, where = _TABUS[tabu]
    name = f"{selection}-{tabu}{'-cl' if listed else ''}"
    lists = "candidate lists, a warp an ant; " if listed else "a block an ant; "
    few = "first among near cities, " if listed else ""
    return System(
        name=f"mmas-{name}",
        title=f"MMAS-{name.upper()}",
        paper=f"{_PAPER}, Sections 4.1, {section}{' and 4.3' if listed else ''}",
        made_of=f"{lists}{drawing}; {structure}; pheromone matrix with limits; one tour deposits",
        summary=f"Ants {draw}, {few}and remember {where} where they have been.",
        deterministic=True,
        parameters=MmasListParameters if listed else MmasGroupParameters,
        builders={"cuda": f"gpu.max_min.cuda.colony:build_{name.replace('-', '_')}"},
        alias="mmas",
        rule=_rule(selection, tabu, listed),
    )


MAX_MIN_ANT_SYSTEMS: tuple[System, ...] = (
    *(
        _on_gpu(selection, tabu, listed)
        for listed in (False, True)  # without, as those on the CPU unless asked for lists
        for selection in _SELECTIONS
        for tabu in _TABUS
    ),
    System(
        name="mmas-seq",
        title="MMAS-SEQ",
        paper=f"{_PAPER}, Sections 2.1 and 4",
        made_of="one core; ants one after another; pheromone matrix with limits; one tour deposits",
        summary="The sequential MAX-MIN Ant System: what speedups are measured against.",
        deterministic=True,
        parameters=MmasCpuParameters,
        builders={"cpu:1": "gpu.max_min.cpu.colony:build_sequential"},
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
        builders={"cpu": "gpu.max_min.cpu.colony:build_parallel"},
        alias="mmas",
        rule=_ANY_SELECTION,
    ),
)
