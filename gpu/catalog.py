"""Every system of the papers: one table, one row a system. Nothing else lists colonies."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from gpu.acs import systems as acs
from gpu.ant_system import systems as ant_system
from gpu.core.arguments import described
from gpu.core.colony import Colony
from gpu.core.decisions import Rule
from gpu.core.errors import DeviceError, ParameterError
from gpu.core.instance import Instance, Solution
from gpu.core.machine.devices import Device
from gpu.core.parameters import Parameters
from gpu.core.problem import Problem
from gpu.core.random import checked_seed
from gpu.core.system import Family, System, place_of
from gpu.crossing import systems as crossing
from gpu.faco import systems as faco
from gpu.focused import systems as focused
from gpu.gpx import systems as gpx
from gpu.max_min import systems as max_min
from gpu.rlf import systems as rlf

CATALOG = (
    *acs.SYSTEMS,
    *ant_system.SYSTEMS,
    *max_min.SYSTEMS,
    *focused.SYSTEMS,
    *crossing.SYSTEMS,
    *faco.SYSTEMS,
    *rlf.SYSTEMS,
    *gpx.SYSTEMS,
)
"""All systems: those of a family in the order in which a short name looks for one that runs."""

FAMILIES = (
    *acs.FAMILIES,
    *ant_system.FAMILIES,
    *max_min.FAMILIES,
    *focused.FAMILIES,
    *crossing.FAMILIES,
    *faco.FAMILIES,
    *rlf.FAMILIES,
    *gpx.FAMILIES,
)
"""What is said of families; a system that none of them has is a family by itself."""


def family_of(system: System) -> Family:
    """Return the family of ``system``."""
    name = system.alias or system.name
    words = (system.paper, system.summary.removesuffix("."))
    return next((one for one in FAMILIES if one.name == name), Family(name, system.title, *words))


def families(problem: Problem | None = None) -> dict[Family, list[System]]:
    """Return the systems of each family, all in the catalog's order: those for ``problem``."""
    found: dict[Family, list[System]] = {}
    by_name: dict[str, Family] = {}
    for system in CATALOG:
        if problem in (None, system.problem):
            family = by_name.setdefault(system.alias or system.name, family_of(system))
            found.setdefault(family, []).append(system)
    return found


def names() -> tuple[str, ...]:
    """Every name that :func:`find` understands: the systems', then the short ones."""
    systems = [system.name for system in CATALOG]
    return (*systems, *dict.fromkeys(system.alias for system in CATALOG if system.alias))


def find(name: str, device: Device) -> System:
    """Return the system that ``name`` means on ``device``.

    ParameterError if no system has this name; DeviceError if it does not run on this device.
    """
    meant = [system for system in CATALOG if name in (system.name, system.alias)]
    if not meant:
        raise unknown(name)
    for system in meant:
        if system.runs_on(device):
            return system
    places = " or ".join(dict.fromkeys(place for system in meant for place in system.builders))
    raise DeviceError(f"{name} runs on {places}, not on {device.name}")


def named(name: str) -> System:
    """Return the system of exactly this name, wherever it runs, or raise ParameterError."""
    for system in CATALOG:
        if system.name == name:
            return system
    if meant := [system.name for system in CATALOG if system.alias == name]:
        raise ParameterError(f"{name!r} is short for {_either(meant)}: name one of them")
    raise unknown(name)


def unknown(name: str) -> ParameterError:
    """Return the error that there is no colony of this name; it names the nearest ones."""
    near = difflib.get_close_matches(name.lower(), names(), n=3)
    short = dict.fromkeys(system.alias for system in CATALOG if system.alias)
    hint = f"choose {_either(short)}, or one that formicarium colonies lists"
    if near:
        hint = f"did you mean {_either(near)}?"
    return ParameterError(f"there is no colony {described(name)}: {hint}")


def build(
    system: System,
    instance: Instance,
    parameters: Parameters,
    device: Device,
    seed: int,
    start: Solution | None = None,
) -> Colony:
    """Build a colony of ``system``, which begins with the solution ``start`` if one is given.

    It gets the ``parameters`` with what is automatic filled in.

    ParameterError if the instance or the parameters are not for this system, or the seed is out of
    range; DeviceError or DeviceMemoryError if the device is missing or too small.
    """
    check_solves(system, instance)
    checked_seed(seed)
    resolved, place = system.resolved(parameters, instance), place_of(device)
    if start is not None:
        check_takes_start(system, device)
        return system.starters[place](instance, resolved, device, seed, start)
    return system.builders[place](instance, resolved, device, seed)


def check_takes_start(system: System, device: Device) -> None:
    """Raise ParameterError if ``system`` cannot begin with a given solution on ``device``."""
    if place_of(device) not in system.starters:
        rows = [row for row in CATALOG if row.starters and row.problem is system.problem]
        able = list(dict.fromkeys(row.alias for row in rows))
        hint = f": choose {_either(able)}" if able else ""
        raise ParameterError(
            f"{system.name} cannot begin with a given {system.problem.words.solution}{hint}"
        )


def rule_of(system: System, instance: Instance, parameters: Parameters, seed: int) -> Rule:
    """Make the rule by which the ants of a run choose; see :func:`check_replayable`."""
    checked_seed(seed)
    check_replayable(system)
    assert system.rule is not None
    return system.rule(instance, system.resolved(parameters, instance), seed)


def check_solves(system: System, instance: Instance) -> None:
    """Raise ParameterError if ``system`` is for other instances than ``instance``."""
    if system.problem is not instance.problem:
        fitting = (row.alias for row in CATALOG if row.problem is instance.problem and row.alias)
        raise ParameterError(
            f"{system.name} finds {system.problem.words.solutions}, and {instance.name} is a "
            f"{instance.problem.words.instance}: choose the colony "
            f"{_either(dict.fromkeys(fitting))}"
        )
    system.takes(instance)


def check_replayable(system: System) -> None:
    """Raise ParameterError if ``system`` names no rule."""
    if system.rule is None:
        why = f": {system.no_rule}" if system.no_rule else ""
        raise ParameterError(f"the decisions of {system.name} cannot be replayed{why}")


def _either(names: Iterable[str]) -> str:
    """Return ``names``, one at least, as a choice: ``a, b or c``."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
