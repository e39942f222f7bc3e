"""Every system of the papers: one table, one row a system. Nothing else lists colonies."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from gpu.colony import Colony
from gpu.devices import Device
from gpu.errors import DeviceError, ParameterError
from gpu.instances.instance import TspInstance
from gpu.parameters import (
    AcsParameters,
    AsCpuParameters,
    AsCudaParameters,
    AsGroupParameters,
    AsLaunchesParameters,
    MmasCpuParameters,
    Parameters,
    SpmParameters,
)

if TYPE_CHECKING:
    from gpu.decisions.rule import Rule

Place = Literal["cuda", "cpu", "cpu:1"]


@dataclass(frozen=True, slots=True)
class System:
    """One row of the catalog.

    Attributes
    ----------
    name : str
        The paper's name, lower case with hyphens.
    title : str
        The paper's own spelling.
    paper : str
        Author and year, and the section that defines it.
    made_of : str
        What it is made of: how ants are spread, which memory, how updates are made.
    summary : str
        One sentence for the window.
    deterministic : bool
        False if the paper lets updates race: the same seed may then give other tours.
    parameters : type of Parameters
        Its parameters, with the paper's defaults.
    builders : dict of Place to str
        Where it runs, and ``"module:callable"`` that builds it there. A callable takes
        (instance, parameters, device, seed).
    alias : str
        The short name for which it stands where nothing in an earlier row does.
    rule : str
        ``"module:callable"`` that makes its ants' rule, for replays: a callable that takes
        (instance, parameters, seed). Empty if it cannot be replayed.
    """

    name: str
    title: str
    paper: str
    made_of: str
    summary: str
    deterministic: bool
    parameters: type[Parameters]
    builders: dict[Place, str]
    alias: str = ""
    rule: str = ""

    def runs_on(self, device: Device) -> bool:
        """Whether this system can run on ``device``."""
        return place_of(device) in self.builders


_ACS_2016 = "Skinderowicz 2016"
_ACS_RULE = "gpu.decisions.acs:AcsRule"
_AS_2013 = "Cecilia et al. 2013"
_AS_2017 = "Zhou et al. 2017"
_MMAS_2020 = "Skinderowicz 2020"
_AS_RULE = "gpu.decisions.ant_system:AsRule"
_ROULETTE_RULE = "gpu.decisions.ant_system:roulette"
_STC_RULE = "gpu.decisions.ant_system:stc_roulette"
_INDEPENDENT_RULE = "gpu.decisions.ant_system:i_roulette"

CATALOG: tuple[System, ...] = (
    System(
        name="acs-gpu-alt",
        title="ACS-GPU-Alt",
        paper=f"{_ACS_2016}, Section 3.1.2",
        made_of="whole tours in one launch; a warp an ant; pheromone matrix; plain updates",
        summary="The fastest: each ant builds its whole tour on its own, and updates may be lost.",
        deterministic=False,
        parameters=AcsParameters,
        builders={"cuda": "gpu.cuda.acs:build_alt"},
        alias="acs",
        rule=_ACS_RULE,
    ),
    System(
        name="acs-gpu-spm",
        title="ACS-GPU-SPM",
        paper=f"{_ACS_2016}, Section 3.2, Fig. 5",
        made_of="whole tours in one launch; a warp an ant; selective memory; plain updates",
        summary="Remembers only the last few trails at each city: better tours, far less memory.",
        deterministic=False,
        parameters=SpmParameters,
        builders={"cuda": "gpu.cuda.acs:build_spm"},
        alias="acs-spm",
        rule=_ACS_RULE,
    ),
    System(
        name="acs-gpu",
        title="ACS-GPU",
        paper=f"{_ACS_2016}, Section 3.1.2",
        made_of="all ants step together; a warp an ant; pheromone matrix; atomic updates",
        summary="Closest to the sequential search among the parallel ones; the same tours always.",
        deterministic=True,
        parameters=AcsParameters,
        builders={"cuda": "gpu.cuda.acs:build_stepwise", "cpu": "gpu.baseline.acs:build_stepwise"},
        alias="acs",
        rule=_ACS_RULE,
    ),
    System(
        name="acs-seq",
        title="ACS-SEQ",
        paper=f"{_ACS_2016}, Figs. 2 and 3",
        made_of="one core; ants take turns step by step; pheromone matrix",
        summary="The sequential Ant Colony System: what speedups are measured against.",
        deterministic=True,
        parameters=AcsParameters,
        builders={"cpu:1": "gpu.baseline.acs:build_sequential"},
        alias="acs",
        rule=_ACS_RULE,
    ),
    System(
        name="acs-seq-spm",
        title="ACS-SEQ-SPM",
        paper=f"{_ACS_2016}, Figs. 2, 3 and 5",
        made_of="one core; ants take turns step by step; selective memory",
        summary="The sequential Ant Colony System with the selective pheromone memory.",
        deterministic=True,
        parameters=SpmParameters,
        builders={"cpu:1": "gpu.baseline.acs:build_sequential_spm"},
        alias="acs-spm",
        rule=_ACS_RULE,
    ),
    System(
        name="acs-cores-spm",
        title="ACS-CORES-SPM",
        paper=f"{_ACS_2016}, Fig. 5, with the steps of ACS-GPU",
        made_of="all cores; all ants step together; selective memory; updates in the ants' order",
        summary="The selective memory on all cores of a machine without a GPU.",
        deterministic=True,
        parameters=SpmParameters,
        builders={"cpu": "gpu.baseline.acs:build_stepwise_spm"},
        alias="acs-spm",
        rule=_ACS_RULE,
    ),
    System(
        name="as-st-dynamic",
        title="ST-DYNAMIC",
        paper=f"{_AS_2017}, Algorithm 1 and Definitions 1 to 3",
        made_of="a group of threads an ant, fewer as cities get fewer; tour list; tiling roulette",
        summary="The fastest Ant System: ants look at unvisited cities only, with no thread idle.",
        deterministic=True,
        parameters=AsLaunchesParameters,
        builders={"cuda": "gpu.cuda.ant_system:build_st_dynamic"},
        alias="as",
        rule=_STC_RULE,
    ),
    System(
        name="as-st-group-stc-tr",
        title="ST-GROUP-STC-TR",
        paper=f"{_AS_2017}, Algorithm 1 and Definitions 1 to 3",
        made_of="a group of threads an ant; tour list; tiling roulette",
        summary="ST-DYNAMIC with groups that stay as they are.",
        deterministic=True,
        parameters=AsLaunchesParameters,
        builders={"cuda": "gpu.cuda.ant_system:build_st_group_stc_tr"},
        alias="as",
        rule=_STC_RULE,
    ),
    System(
        name="as-st-group-stc",
        title="ST-GROUP-STC",
        paper=f"{_AS_2017}, Definitions 1 to 3",
        made_of="a group of threads an ant; tour list; parallel prefix sum and search",
        summary="Ants look at unvisited cities only, all of which have a part in every sum.",
        deterministic=True,
        parameters=AsLaunchesParameters,
        builders={"cuda": "gpu.cuda.ant_system:build_st_group_stc"},
        alias="as",
        rule=_STC_RULE,
    ),
    System(
        name="as-st-group",
        title="ST-GROUP",
        paper=_AS_2017,
        made_of="a group of threads an ant; a tabu bit a city; parallel prefix sum and search",
        summary="The plain data-parallel Ant System, from which ST-DYNAMIC was made.",
        deterministic=True,
        parameters=AsLaunchesParameters,
        builders={"cuda": "gpu.cuda.ant_system:build_st_group"},
        alias="as",
        rule=_ROULETTE_RULE,
    ),
    System(
        name="as-i-roulette",
        title="AS-I-ROULETTE",
        paper=f"{_AS_2013}, Section 3.2.3",
        made_of="a block an ant, a thread for up to 32 cities; tabu bits in registers; I-Roulette",
        summary="Every city draws a number of its own; favours heavy weights more than a wheel.",
        deterministic=True,
        parameters=AsGroupParameters,
        builders={"cuda": "gpu.cuda.ant_system:build_i_roulette"},
        alias="as",
        rule=_INDEPENDENT_RULE,
    ),
    System(
        name="as-data",
        title="AS-DATA",
        paper=f"{_AS_2013}, Section 3.2",
        made_of="a block an ant, a thread for up to 32 cities; tabu bits in registers; one thread "
        "turns the roulette wheel",
        summary="The first data-parallel Ant System: many threads weigh cities for one that draws.",
        deterministic=True,
        parameters=AsGroupParameters,
        builders={"cuda": "gpu.cuda.ant_system:build_data"},
        alias="as",
        rule=_ROULETTE_RULE,
    ),
    System(
        name="as-task",
        title="AS-TASK",
        paper=f"{_AS_2013}, Section 3.1.2",
        made_of="an ant a thread; tabu bits in shared memory; roulette wheel",
        summary="The task-parallel Ant System, too few threads for a GPU: what to compare with.",
        deterministic=True,
        parameters=AsCudaParameters,
        builders={"cuda": "gpu.cuda.ant_system:build_task"},
        alias="as",
        rule=_ROULETTE_RULE,
    ),
    System(
        name="as-seq",
        title="AS-SEQ",
        paper=f"{_AS_2013}, Algorithms 1 and 2",
        made_of="one core; ants one after another; pheromone matrix; all ants deposit",
        summary="The sequential Ant System: what speedups are measured against.",
        deterministic=True,
        parameters=AsCpuParameters,
        builders={"cpu:1": "gpu.baseline.ant_system:build_sequential"},
        alias="as",
        rule=_AS_RULE,
    ),
    System(
        name="as-cores",
        title="AS-CORES",
        paper=f"{_AS_2013}, Algorithms 1 and 2",
        made_of="all cores share out ants and rows; pheromone matrix; all ants deposit",
        summary="The Ant System on all cores: the same tours as on one.",
        deterministic=True,
        parameters=AsCpuParameters,
        builders={"cpu": "gpu.baseline.ant_system:build_parallel"},
        alias="as",
        rule=_AS_RULE,
    ),
    System(
        name="mmas-seq",
        title="MMAS-SEQ",
        paper=f"{_MMAS_2020}, Sections 2.1 and 4",
        made_of="one core; ants one after another; pheromone matrix with limits; one tour deposits",
        summary="The sequential MAX-MIN Ant System: what speedups are measured against.",
        deterministic=True,
        parameters=MmasCpuParameters,
        builders={"cpu:1": "gpu.baseline.max_min:build_sequential"},
        alias="mmas",
        rule=_AS_RULE,
    ),
    System(
        name="mmas-cores",
        title="MMAS-CORES",
        paper=f"{_MMAS_2020}, Sections 2.1 and 4",
        made_of="all cores share out ants and rows; pheromone matrix with limits; one tour "
        "deposits",
        summary="The MAX-MIN Ant System on all cores: the same tours as on one.",
        deterministic=True,
        parameters=MmasCpuParameters,
        builders={"cpu": "gpu.baseline.max_min:build_parallel"},
        alias="mmas",
        rule=_AS_RULE,
    ),
)


def place_of(device: Device) -> Place:
    """The kind of place ``device`` is, as the catalog's rows name it."""
    if device.kind == "cuda":
        return "cuda"
    return "cpu:1" if device.name == "cpu:1" else "cpu"


def names() -> tuple[str, ...]:
    """Every name that :func:`find` understands: the systems', then the short ones."""
    systems = [system.name for system in CATALOG]
    return (*systems, *dict.fromkeys(system.alias for system in CATALOG if system.alias))


def find(name: str, device: Device) -> System:
    """Return the system that ``name`` means on ``device``.

    Raises
    ------
    ParameterError
        If no system has this name.
    DeviceError
        If the system does not run on this device.
    """
    for system in CATALOG:
        if system.name == name:
            if not system.runs_on(device):
                places = " or ".join(system.builders)
                raise DeviceError(f"{name} runs on {places}, not on {device.name}")
            return system
    for system in CATALOG:
        if system.alias == name and system.runs_on(device):
            return system
    raise ParameterError(f"there is no colony {name!r}; there are {', '.join(names())}")


def build(
    system: System, instance: TspInstance, parameters: Parameters, device: Device, seed: int
) -> Colony:
    """Build a colony of ``system``.

    Raises
    ------
    ParameterError, DeviceError, DeviceMemoryError
        If the parameters are of another system, or the device is missing or too small.
    """
    if type(parameters) is not system.parameters:
        raise ParameterError(
            f"{system.name} takes {system.parameters.__name__}, not {type(parameters).__name__}"
        )
    colony: Colony = _named(system.builders[place_of(device)])(instance, parameters, device, seed)
    return colony


def rule_of(system: System, instance: TspInstance, parameters: Parameters, seed: int) -> Rule:
    """Make the rule by which the ants of a run choose.

    Raises
    ------
    ParameterError
        If ``system`` has none.
    """
    check_replayable(system)
    made: Rule = _named(system.rule)(instance, parameters, seed)
    return made


def check_replayable(system: System) -> None:
    """Raise ParameterError if ``system`` names no rule."""
    if not system.rule:
        raise ParameterError(f"the decisions of {system.name} cannot be replayed")


def _named(name: str) -> Callable[..., Any]:
    """Return what ``"module:callable"`` names."""
    module, _, called = name.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), called)
    return found
