"""The Ant Systems of Cecilia et al. (2013) and Zhou et al. (2017)."""

from __future__ import annotations

from functools import partial

from gpu.ant_system.parameters import (
    AsCpuParameters,
    AsCudaParameters,
    AsGroupParameters,
    AsLaunchesParameters,
)
from gpu.construction.parameters import AsParameters
from gpu.core.colony import Colony
from gpu.core.decisions import Rule
from gpu.core.machine.devices import Device
from gpu.core.system import Family, System, SystemOf
from gpu.problems.tsp.instance import TspInstance

_2013 = "Cecilia et al. 2013"
_2017 = "Zhou et al. 2017"


def _rule(selection: str, instance: TspInstance, parameters: AsParameters, seed: int) -> Rule:
    """Make the rule of ants that draw like this; empty: as their parameters say."""
    from gpu.construction.rule import AsRule

    return AsRule(instance, parameters, seed, selection)


def _on_gpu(
    kind: str, instance: TspInstance, parameters: AsCudaParameters, device: Device, seed: int
) -> Colony:
    """Build the colony of a key of ``AS_CONSTRUCTIONS``."""
    from gpu.ant_system.cuda.colony import AS_CONSTRUCTIONS, AntSystemColony
    from gpu.cuda.colony import machine_of

    return AntSystemColony(instance, parameters, machine_of(device), seed, AS_CONSTRUCTIONS[kind])


def _on_cpu(
    instance: TspInstance, parameters: AsCpuParameters, device: Device, seed: int
) -> Colony:
    """Ants and rows of trails are shared out among the cores of ``device``."""
    from gpu.ant_system.cpu import AsCpuColony

    return AsCpuColony(instance, parameters, seed, threads=device.cores)


_as = partial(SystemOf, instances=TspInstance, alias="as", walks=True)
_as_2017 = partial(_as, parameters=AsLaunchesParameters)
_as_cpu = partial(
    _as, paper=f"{_2013}, Algorithms 1 and 2", parameters=AsCpuParameters, rule=partial(_rule, "")
)
_TOUR_LIST = partial(_rule, "stc-roulette")

FAMILIES = (
    Family(
        "as",
        "Ant System (AS)",
        "Cecilia et al. 2013",
        "The first ant algorithm: every ant lays a trail along its tour",
    ),
)

SYSTEMS: tuple[System, ...] = (
    _as_2017(
        name="as-st-dynamic",
        title="ST-DYNAMIC",
        paper=f"{_2017}, Algorithm 1 and Definitions 1 to 3",
        made_of="a group of threads an ant, fewer as cities get fewer; tour list; tiling roulette",
        summary="The fastest Ant System: ants look at unvisited cities only, with no thread idle.",
        builders={"cuda": partial(_on_gpu, "st-dynamic")},
        rule=_TOUR_LIST,
    ),
    _as_2017(
        name="as-st-group-stc-tr",
        title="ST-GROUP-STC-TR",
        paper=f"{_2017}, Algorithm 1 and Definitions 1 to 3",
        made_of="a group of threads an ant; tour list; tiling roulette",
        summary="ST-DYNAMIC with groups of threads that do not shrink.",
        builders={"cuda": partial(_on_gpu, "st-group-stc-tr")},
        rule=_TOUR_LIST,
    ),
    _as_2017(
        name="as-st-group-stc",
        title="ST-GROUP-STC",
        paper=f"{_2017}, Definitions 1 to 3",
        made_of="a group of threads an ant; tour list; parallel prefix sum and search",
        summary="Ants look at unvisited cities only, and add up the weights of all of them.",
        builders={"cuda": partial(_on_gpu, "st-group-stc")},
        rule=_TOUR_LIST,
    ),
    _as_2017(
        name="as-st-group",
        title="ST-GROUP",
        paper=_2017,
        made_of="a group of threads an ant; a tabu bit a city; parallel prefix sum and search",
        summary="The plain data-parallel Ant System, from which ST-DYNAMIC was made.",
        builders={"cuda": partial(_on_gpu, "st-group")},
        rule=partial(_rule, "roulette"),
    ),
    _as(
        name="as-i-roulette",
        paper=f"{_2013}, Section 3.2.3",
        made_of="a block an ant, a thread for up to 32 cities; tabu bits in registers; I-Roulette",
        summary="Every city draws its own number: heavy weights win more often than by a wheel.",
        parameters=AsGroupParameters,
        builders={"cuda": partial(_on_gpu, "i-roulette")},
        rule=partial(_rule, "i-roulette"),
    ),
    _as(
        name="as-data",
        paper=f"{_2013}, Section 3.2",
        made_of="a block an ant, a thread for up to 32 cities; tabu bits in registers; one thread "
        "turns the roulette wheel",
        summary="The first data-parallel Ant System: many threads weigh cities for one that draws.",
        parameters=AsGroupParameters,
        builders={"cuda": partial(_on_gpu, "data")},
        rule=partial(_rule, "roulette"),
    ),
    _as(
        name="as-task",
        paper=f"{_2013}, Section 3.1.2",
        made_of="an ant a thread; tabu bits in shared memory; roulette wheel",
        summary="The task-parallel Ant System, for comparison: it has too few threads for a GPU.",
        parameters=AsCudaParameters,
        builders={"cuda": partial(_on_gpu, "task")},
        rule=partial(_rule, "roulette"),
    ),
    _as_cpu(
        name="as-seq",
        made_of="one core; ants one after another; pheromone matrix; all ants deposit",
        summary="The sequential Ant System: what speedups are measured against.",
        builders={"cpu:1": _on_cpu},
    ),
    _as_cpu(
        name="as-cores",
        made_of="all cores share out ants and rows; pheromone matrix; all ants deposit",
        summary="The Ant System on all cores: the same tours as on one.",
        builders={"cpu": _on_cpu},
    ),
)
