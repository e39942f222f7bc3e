"""The toy's row of the catalog."""

from __future__ import annotations

from gpu.core.colony import Colony
from gpu.core.machine.devices import Device
from gpu.core.system import System, SystemOf
from gpu.problems.tsp.instance import TspInstance
from tests.toy.parameters import ToyParameters


def _on_cpu(instance: TspInstance, parameters: ToyParameters, device: Device, seed: int) -> Colony:
    from tests.toy.colony import ToyColony

    return ToyColony(instance, parameters, seed)


SYSTEMS: tuple[System, ...] = (
    SystemOf(
        name="toy-ants",
        title="Toy ants",
        paper="none",
        made_of="one core; NumPy; pheromone matrix",
        summary="A plain Ant System, as an example of a family of one's own.",
        deterministic=True,
        instances=TspInstance,
        parameters=ToyParameters,
        builders={"cpu:1": _on_cpu},
        alias="toy",
    ),
)
