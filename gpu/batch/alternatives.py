"""What a system is compared with: the other systems of its search, and all of its own options.

All of it comes from the catalog and from the explanations of parameters; there is no other list.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gpu import catalog
from gpu.batch.comparison_report import COLONY, Row
from gpu.core.machine.devices import Device
from gpu.core.parameters import Parameters
from gpu.core.system import System


class Alternative(NamedTuple):
    """Another system, or an option of the chosen system."""

    row: Row  # without times
    system: System
    parameters: Parameters  # of the system's own kind; what is automatic is not resolved yet


def alternatives(
    system: System, device: Device, given: Mapping[str, object], n: int
) -> list[Alternative]:
    """Return all that ``system`` on ``device`` is to be compared with, group by group.

    ``given`` has its parameters that differ from the defaults, as values or as texts; ``n``, the
    number of cities (vertices), decides automatic values.

    Raises
    ------
    ParameterError
        If a parameter is unknown or out of range.
    """
    chosen = system.parameters.from_mapping(given)
    return [*_systems(system, device, given, n), *_options(system, chosen, n)]


def _systems(
    system: System, device: Device, given: Mapping[str, object], n: int
) -> Iterator[Alternative]:
    for other in catalog.CATALOG:
        itself = other.name == system.name
        if not (itself or other.alias == system.alias != "") or not other.runs_on(device):
            continue
        kind = other.parameters
        parameters = kind.from_mapping(
            given if itself else kind.taken_over(given, system.parameters)
        )
        values = parameters.resolved(n).to_dict()
        row = Row(COLONY, other.name, other.summary, "construction", itself, other.name, values)
        yield Alternative(row, other, parameters)


def _options(system: System, chosen: Parameters, n: int) -> Iterator[Alternative]:
    resolved = chosen.resolved(n).to_dict()
    for name, explanation in system.parameters.explanations().items():
        options: list[int | str | None] = list(explanation.alternatives)
        if options and resolved[name] is None:
            options.insert(0, None)  # the colony itself decides what is automatic
        for option in options:
            label, meaning = str(option), explanation.options.get(str(option), "")
            if option is None:
                label, meaning = "auto", explanation.automatic
            # Parameters itself is no dataclass; all that come here are.
            parameters = dataclasses.replace(chosen, **{name: option})  # type: ignore[type-var]
            values, itself = parameters.resolved(n).to_dict(), option == resolved[name]
            row = Row(name, label, meaning, explanation.phase, itself, system.name, values)
            yield Alternative(row, system, parameters)
