"""The Ant System with local search on CUDA: whole, on the emulation, against that on the CPU."""

from __future__ import annotations

import dataclasses

import pytest

from gpu.ant_system.cuda.colony import ConstructionType
from gpu.ant_system.cuda.construction import StGroupStc, TaskParallel
from gpu.ant_system.parameters import AsCudaParameters, AsLaunchesParameters
from gpu.core.snapshot import Wanted
from gpu.problems.tsp.instance import TspInstance
from tests.emulation import needs_emulation
from tests.gpu.acs.emulated import explicit, scattered
from tests.gpu.ant_system.colonies import assert_same, emulated, on_cpu

pytestmark = [needs_emulation, pytest.mark.timeout(300)]


@pytest.mark.parametrize(
    ("instance", "kind", "construction"),
    [
        pytest.param(scattered(60), "2opt", TaskParallel, id="2-opt"),
        pytest.param(scattered(60), "2opt+oropt", StGroupStc, id="both, step by step"),
        pytest.param(explicit(40, False), "2opt+oropt", TaskParallel, id="both, explicit"),
        pytest.param(explicit(40, True), "oropt", TaskParallel, id="Or-opt, directed"),
        pytest.param(scattered(3), "2opt+oropt", TaskParallel, id="a single tour"),
    ],
)
def test_tours_and_trails_of_the_cpu(
    instance: TspInstance, kind: str, construction: ConstructionType
) -> None:
    values = {"local_search": kind, "ants": 12}
    parameters, selection = AsCudaParameters.from_mapping(values), "roulette"
    if construction is StGroupStc:
        parameters = AsLaunchesParameters.from_mapping({**values, "launches": "step"})
        selection = "stc-roulette"
    unimproved = dataclasses.replace(parameters, local_search="none")
    with (
        emulated(instance, parameters, construction=construction) as ours,
        on_cpu(instance, selection, values) as theirs,  # type: ignore[arg-type]
        emulated(instance, unimproved, construction=construction) as without,
    ):
        for _ in range(2):
            ours.iterate(1)
            theirs.iterate(1)
            without.iterate(1)
            shown = ours.snapshot(Wanted.EVERYTHING)
            assert_same(shown, theirs.snapshot(Wanted.EVERYTHING))
            assert list(shown.phases) == ["choice info", "construction", "local search", "update"]
        if instance.n > 3:
            assert shown.iteration_mean < without.snapshot(Wanted.SOLUTION).iteration_mean


def test_tours_do_not_depend_on_what_fits_shared_memory() -> None:
    instance, parameters = scattered(200), AsCudaParameters(local_search="2opt+oropt", ants=3)
    with (
        emulated(instance, parameters) as roomy,
        emulated(instance, parameters, shared_limit=2 << 10) as crowded,
    ):
        for _ in range(2):
            roomy.iterate(1)
            crowded.iterate(1)
            shown, expected = (one.snapshot(Wanted.EVERYTHING) for one in (crowded, roomy))
            assert_same(shown, expected)
        kernels = [one.phases["local search"][1].kernel for one in (roomy, crowded)]
        assert "AllShared" in kernels[0]
        assert "NoneShared" in kernels[1]
