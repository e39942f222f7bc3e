"""The focused colonies, which are ours; Focused ACO is of Skinderowicz (2022)."""

from __future__ import annotations

from functools import partial

from gpu.core.colony import Colony
from gpu.core.devices import Device
from gpu.core.system import System, system_of
from gpu.focused.parameters import FocusedParameters
from gpu.problems.tsp.instance import TspInstance


def _on_cpu(
    instance: TspInstance, parameters: FocusedParameters, device: Device, seed: int
) -> Colony:
    from gpu.focused.cpu.colony import FocusedCpuColony

    return FocusedCpuColony(instance, parameters, seed, threads=device.cores)


_focused = partial(
    system_of,
    paper="ours, after Skinderowicz 2022 (Focused ACO)",
    instances=TspInstance,
    parameters=FocusedParameters,
    alias="focused",
)

SYSTEMS: tuple[System, ...] = (
    _focused(
        name="focused-cores",
        made_of="all cores; ants change a common tour at one place each; all changes that fit are "
        "merged; cooling",
        summary="By far the best tours in a given time, from some hundred cities to a million.",
        builders={"cpu": _on_cpu},
    ),
    _focused(
        name="focused-seq",
        made_of="one core; ants change a common tour at one place each; cooling",
        summary="The same tours as focused-cores, by one core.",
        builders={"cpu:1": _on_cpu},
    ),
)
