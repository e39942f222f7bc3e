"""Every system of the papers: one table, one row a system. Nothing else lists colonies."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from gpu.acs.systems import ANT_COLONY_SYSTEMS
from gpu.ant_system.systems import ANT_SYSTEMS
from gpu.core.colony import Colony
from gpu.core.devices import Device
from gpu.core.errors import DeviceError, ParameterError
from gpu.core.instance import Instance
from gpu.core.parameters import Parameters
from gpu.core.random import checked_seed
from gpu.core.system import Place, System, place_of
from gpu.max_min.systems import MAX_MIN_ANT_SYSTEMS
from gpu.rlf.systems import COLORING_SYSTEMS

if TYPE_CHECKING:
    from gpu.decisions.rule import Rule

__all__ = [
    "CATALOG",
    "Place",
    "System",
    "build",
    "check_replayable",
    "check_solves",
    "find",
    "names",
    "place_of",
    "rule_of",
    "unknown",
]

CATALOG = (*ANT_COLONY_SYSTEMS, *ANT_SYSTEMS, *MAX_MIN_ANT_SYSTEMS, *COLORING_SYSTEMS)


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
    raise unknown(name)


def unknown(name: str) -> ParameterError:
    """Return the error that there is no colony of this name; it names the nearest ones."""
    near = difflib.get_close_matches(name.lower(), names(), n=3)
    short = dict.fromkeys(system.alias for system in CATALOG if system.alias)
    return ParameterError(
        f"there is no colony {name!r}: "
        + (
            f"did you mean {_either(near)}?"
            if near
            else f"choose {_either(short)}, or one that formicarium colonies lists"
        )
    )


def build(
    system: System, instance: Instance, parameters: Parameters, device: Device, seed: int
) -> Colony:
    """Build a colony of ``system``.

    Raises
    ------
    ParameterError, DeviceError, DeviceMemoryError
        If the instance or the parameters are not for this system, the seed is out of range, or the
        device is missing or too small.
    """
    check_solves(system, instance)
    checked_seed(seed)
    if type(parameters) is not system.parameters:
        raise ParameterError(
            f"{system.name} takes {system.parameters.__name__}, not {type(parameters).__name__}"
        )
    colony: Colony = _named(system.builders[place_of(device)])(instance, parameters, device, seed)
    return colony


def rule_of(system: System, instance: Instance, parameters: Parameters, seed: int) -> Rule:
    """Make the rule by which the ants of a run choose.

    Raises
    ------
    ParameterError
        If ``system`` has none, or the seed is out of range.
    """
    check_replayable(system)
    checked_seed(seed)
    made: Rule = _named(system.rule)(instance, parameters, seed)
    return made


def check_solves(system: System, instance: Instance) -> None:
    """Raise ParameterError if ``system`` is for another problem than that of ``instance``."""
    if system.problem is not instance.problem:
        fitting = (row.alias for row in CATALOG if row.problem is instance.problem and row.alias)
        raise ParameterError(
            f"{system.name} finds {system.problem.words.solutions}, and {instance.name} is a "
            f"{instance.problem.words.instance}: choose the colony "
            f"{_either(dict.fromkeys(fitting))}"
        )


def check_replayable(system: System) -> None:
    """Raise ParameterError if ``system`` names no rule."""
    if not system.rule:
        raise ParameterError(f"the decisions of {system.name} cannot be replayed")


def _either(names: Iterable[str]) -> str:
    """Return ``names``, one at least, as a choice: ``a, b or c``."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def _named(name: str) -> Callable[..., Any]:
    """Return what ``"module:callable"`` names."""
    module, _, called = name.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), called)
    return found
