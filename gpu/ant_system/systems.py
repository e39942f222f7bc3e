"""The Ant Systems of Cecilia et al. (2013) and Zhou et al. (2017)."""

from __future__ import annotations

from gpu.ant_system.parameters import (
    AsCpuParameters,
    AsCudaParameters,
    AsGroupParameters,
    AsLaunchesParameters,
)
from gpu.core.system import System

_2013 = "Cecilia et al. 2013"
_2017 = "Zhou et al. 2017"
_ANY_SELECTION = "gpu.construction.rule:AsRule"
_ROULETTE = "gpu.construction.rule:roulette"
_STC_ROULETTE = "gpu.construction.rule:stc_roulette"
_I_ROULETTE = "gpu.construction.rule:i_roulette"

ANT_SYSTEMS: tuple[System, ...] = (
    System(
        name="as-st-dynamic",
        title="ST-DYNAMIC",
        paper=f"{_2017}, Algorithm 1 and Definitions 1 to 3",
        made_of="a group of threads an ant, fewer as cities get fewer; tour list; tiling roulette",
        summary="The fastest Ant System: ants look at unvisited cities only, with no thread idle.",
        deterministic=True,
        parameters=AsLaunchesParameters,
        builders={"cuda": "gpu.ant_system.cuda.colony:build_st_dynamic"},
        alias="as",
        rule=_STC_ROULETTE,
    ),
    System(
        name="as-st-group-stc-tr",
        title="ST-GROUP-STC-TR",
        paper=f"{_2017}, Algorithm 1 and Definitions 1 to 3",
        made_of="a group of threads an ant; tour list; tiling roulette",
        summary="ST-DYNAMIC with groups that stay as they are.",
        deterministic=True,
        parameters=AsLaunchesParameters,
        builders={"cuda": "gpu.ant_system.cuda.colony:build_st_group_stc_tr"},
        alias="as",
        rule=_STC_ROULETTE,
    ),
    System(
        name="as-st-group-stc",
        title="ST-GROUP-STC",
        paper=f"{_2017}, Definitions 1 to 3",
        made_of="a group of threads an ant; tour list; parallel prefix sum and search",
        summary="Ants look at unvisited cities only, all of which have a part in every sum.",
        deterministic=True,
        parameters=AsLaunchesParameters,
        builders={"cuda": "gpu.ant_system.cuda.colony:build_st_group_stc"},
        alias="as",
        rule=_STC_ROULETTE,
    ),
    System(
        name="as-st-group",
        title="ST-GROUP",
        paper=_2017,
        made_of="a group of threads an ant; a tabu bit a city; parallel prefix sum and search",
        summary="The plain data-parallel Ant System, from which ST-DYNAMIC was made.",
        deterministic=True,
        parameters=AsLaunchesParameters,
        builders={"cuda": "gpu.ant_system.cuda.colony:build_st_group"},
        alias="as",
        rule=_ROULETTE,
    ),
    System(
        name="as-i-roulette",
        title="AS-I-ROULETTE",
        paper=f"{_2013}, Section 3.2.3",
        made_of="a block an ant, a thread for up to 32 cities; tabu bits in registers; I-Roulette",
        summary="Every city draws a number of its own; favours heavy weights more than a wheel.",
        deterministic=True,
        parameters=AsGroupParameters,
        builders={"cuda": "gpu.ant_system.cuda.colony:build_i_roulette"},
        alias="as",
        rule=_I_ROULETTE,
    ),
    System(
        name="as-data",
        title="AS-DATA",
        paper=f"{_2013}, Section 3.2",
        made_of="a block an ant, a thread for up to 32 cities; tabu bits in registers; one thread "
        "turns the roulette wheel",
        summary="The first data-parallel Ant System: many threads weigh cities for one that draws.",
        deterministic=True,
        parameters=AsGroupParameters,
        builders={"cuda": "gpu.ant_system.cuda.colony:build_data"},
        alias="as",
        rule=_ROULETTE,
    ),
    System(
        name="as-task",
        title="AS-TASK",
        paper=f"{_2013}, Section 3.1.2",
        made_of="an ant a thread; tabu bits in shared memory; roulette wheel",
        summary="The task-parallel Ant System, too few threads for a GPU: what to compare with.",
        deterministic=True,
        parameters=AsCudaParameters,
        builders={"cuda": "gpu.ant_system.cuda.colony:build_task"},
        alias="as",
        rule=_ROULETTE,
    ),
    System(
        name="as-seq",
        title="AS-SEQ",
        paper=f"{_2013}, Algorithms 1 and 2",
        made_of="one core; ants one after another; pheromone matrix; all ants deposit",
        summary="The sequential Ant System: what speedups are measured against.",
        deterministic=True,
        parameters=AsCpuParameters,
        builders={"cpu:1": "gpu.ant_system.cpu.colony:build_sequential"},
        alias="as",
        rule=_ANY_SELECTION,
    ),
    System(
        name="as-cores",
        title="AS-CORES",
        paper=f"{_2013}, Algorithms 1 and 2",
        made_of="all cores share out ants and rows; pheromone matrix; all ants deposit",
        summary="The Ant System on all cores: the same tours as on one.",
        deterministic=True,
        parameters=AsCpuParameters,
        builders={"cpu": "gpu.ant_system.cpu.colony:build_parallel"},
        alias="as",
        rule=_ANY_SELECTION,
    ),
)
