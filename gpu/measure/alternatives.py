"""What a system is compared with: the other systems of its search, and all of its own options.

All of it comes from the catalog and from the explanations of parameters; there is no other list.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from gpu import catalog
from gpu.core.devices import Device
from gpu.core.parameters import Parameters
from gpu.core.system import System
from gpu.measure.comparison_report import COLONY


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another system, or an option of the chosen system."""

    group: str  # this and the next four are those of its Row
    option: str
    meaning: str
    phase: str
    chosen: bool
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
    return [*_systems(system, device, given), *_options(system, chosen, n)]


def _systems(system: System, device: Device, given: Mapping[str, object]) -> list[Alternative]:
    found = []
    for other in catalog.CATALOG:
        itself = other.name == system.name
        if not (itself or other.alias == system.alias != "") or not other.runs_on(device):
            continue
        kind = other.parameters
        shared = given if itself else kind.taken_over(given, system.parameters)
        found.append(
            Alternative(
                group=COLONY,
                option=other.name,
                meaning=other.summary,
                phase="construction",
                chosen=itself,
                system=other,
                parameters=kind.from_mapping(shared),
            )
        )
    return found


def _options(system: System, chosen: Parameters, n: int) -> list[Alternative]:
    resolved = chosen.resolved(n).to_dict()
    found = []
    for name, explanation in system.parameters.explanations().items():
        options: list[int | str | None] = list(explanation.alternatives)
        if options and resolved[name] is None:
            options.insert(0, None)  # the colony itself decides what is automatic
        found += [
            Alternative(
                group=name,
                option="auto" if option is None else str(option),
                meaning=(
                    explanation.automatic
                    if option is None
                    else explanation.options.get(str(option), "")
                ),
                phase=explanation.phase,
                chosen=option == resolved[name],
                system=system,
                parameters=dataclasses.replace(chosen, **{name: option}),  # type: ignore[type-var]
            )
            for option in options
        ]
    return found
