"""Hit rates of a selective memory by its size (2016 paper, Fig. 6): a case for each size."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gpu.core.errors import FormicariumError
from gpu.core.instance import Instance
from gpu.core.machine.devices import Device
from gpu.core.system import System, place_of
from gpu.run.session import InstanceReference
from gpu.run.stopping import StopSettings
from gpu.studies.cases import FAILED, Case, CaseInstance, CaseRecord, Configuration
from gpu.studies.execution.worker import InProcess
from gpu.timing.measured import HitRate

MEMORIES = (1, 2, 4, 8, 16, 32)
"""Sizes s of the selective memory whose hit rates are measured."""

HIT_ITERATIONS = 100
"""Iterations for each of these sizes."""


def measure_hit_rates(
    instance: Instance,
    system: System,
    device: Device,
    values: Mapping[str, object],
    seed: int,
    *,
    cancelled: Callable[[], bool],
    progress: Callable[[str, float], object],
    found: Callable[[list[HitRate]], object],
) -> list[HitRate]:
    """Measure the mean hit rates for each size in ``MEMORIES``, with these ``values`` beside it.

    ``cancelled`` is asked between slices; after True, the result has the sizes that were done.
    ``progress`` gets the present size as a text, and the share that is done, in [0, 1]; ``found``
    gets all rates so far, each time there is one more. FormicariumError if the colony cannot run.
    """
    reference = InstanceReference(str(instance.path or ""), instance.name, instance.sha256)
    which = CaseInstance(reference, instance.n, instance.problem.value, instance.optimum)
    usual, budget = (
        system.parameters().to_dict(),
        StopSettings(iterations=HIT_ITERATIONS, go_on=True),
    )
    cases = []
    for memory in MEMORIES:
        all_values = system.parameters.from_mapping({**values, "memory": memory}).to_dict()
        others = {name: one for name, one in all_values.items() if one != usual[name]}
        name = f"s = {memory}"
        kind = Configuration(name, system.name, "", place_of(device), others, all_values)
        cases.append(Case(which, kind, seed, budget))
    rates: list[HitRate] = []
    for case, event in InProcess(instance, device.name, cancelled).results(cases):
        if not isinstance(event, CaseRecord):
            progress(case.configuration.label, len(rates) / len(MEMORIES))
        elif event.state == FAILED:
            raise FormicariumError(event.reason)
        else:
            local, overall = event.hit_rate("local"), event.hit_rate("global")
            assert local is not None  # a selective memory counts its updates
            assert overall is not None
            rates.append(HitRate(MEMORIES[len(rates)], local, overall))
            found(list(rates))
    return rates
