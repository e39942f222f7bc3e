"""Local updates of ACS-GPU-Alt that meet on an edge, on the emulation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gpu.acs.cuda.colony import WholeTours
from gpu.acs.cuda.trails import MatrixTrails
from gpu.acs.parameters import ATOMIC, LATE, RACING, AltParameters
from gpu.cuda import loader
from gpu.problems.tsp.instance import TspInstance
from tests.emulation import Emulator, needs_emulation
from tests.gpu.acs.emulated import Trails, after_one_launch, emulated, explicit, scattered

pytestmark = [needs_emulation, pytest.mark.timeout(300)]

THREADS, KEEP = 96, np.float32(0.9)
ALT = AltParameters(ants=24, rho=0.3)


def test_updates_of_one_edge_at_once_all_count_or_one_does(tmp_path: Path) -> None:
    """A racing update, too, reads the trail just before it stores it.

    On the emulation no other thread comes between the two, as it may on a GPU.
    """
    source = tmp_path / "local_update.cu"
    source.write_text(loader.source_text("tests/gpu/acs/local_update.cu"))
    add = np.float32(1) - KEEP
    once = np.float32(4) * KEEP + add
    every = np.float32(4)
    for _ in range(THREADS):
        every = every * KEEP + add
    names = {"RACING": every, "LATE": once, "ATOMIC": every}
    with Emulator(source, [f"update_at_once<{name}>" for name in names]) as emulator:
        for name, level in names.items():
            for at in (4.0, 1.0):  # one is what no update changes
                trails = np.full(2, at, np.float32)
                emulator.launch(
                    f"update_at_once<{name}>", grid=1, block=THREADS, args=[trails, KEEP, add]
                )
                assert trails.tolist() == [level if at == 4 else 1] * 2


def trails_of(instance: TspInstance, parameters: AltParameters) -> Trails:
    """Let all ants build their tours at the same time, after an iteration of the colony."""
    assert parameters.ants is not None
    machine = {"multiprocessors": parameters.ants, "resident": 1}
    with emulated(instance, parameters, MatrixTrails, WholeTours, **machine) as colony:
        colony.iterate(1)  # so that there is a best tour to read ahead on
        (launch,) = colony.phases["construction"]
        # Blocks of a plain launch run one after the other on the emulation.
        at_once = replace(launch, source=replace(launch.source, cooperative=True))
        return after_one_launch(colony, parameters.ants, parameters.update_period, at_once)


@pytest.mark.parametrize(
    ("instance", "parameters"),
    [
        pytest.param(scattered(40), ALT, id="long lists"),
        pytest.param(scattered(40), replace(ALT, candidates=2, q0=0.5), id="much off the lists"),
        pytest.param(explicit(21, True), replace(ALT, update_period=3), id="every third"),
    ],
)
@pytest.mark.parametrize("local_update", [RACING, ATOMIC])
def test_a_colony_loses_no_update_that_nobody_comes_between(
    instance: TspInstance, parameters: AltParameters, local_update: str
) -> None:
    trails = trails_of(instance, replace(parameters, local_update=local_update))
    np.testing.assert_array_equal(trails.found, trails.expected)
    late = trails_of(instance, replace(parameters, local_update=LATE))
    assert (late.found >= late.expected).all()
    assert (late.found > late.expected).any()
