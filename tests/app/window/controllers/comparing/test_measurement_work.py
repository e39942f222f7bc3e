"""What of the parameters in sight a measurement of other colonies takes over."""

from __future__ import annotations

import pytest

from app.window.controllers.comparing.measurement_work import _shared
from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.ant_system.parameters import AsCpuParameters, AsLaunchesParameters
from gpu.core.parameters import Parameters

ACS = {"ants": None, "beta": "4", "alpha": "0.5", "rho": "0.01", "q0": None, "candidates": "32"}


@pytest.mark.parametrize(
    ("former", "among", "values", "shared"),
    [
        (AcsParameters, [AcsParameters], ACS, {"beta": "4", "alpha": "0.5"}),
        (AcsParameters, [AcsParameters, SpmParameters], ACS, {"beta": "4", "alpha": "0.5"}),
        # α is another thing in the Ant System: then everybody has the default.
        (AcsParameters, [AcsParameters, AsCpuParameters], ACS, {"beta": "4"}),
        (SpmParameters, [AcsParameters, SpmParameters], {"memory": "4"}, {"memory": "4"}),
        (SpmParameters, [AcsParameters], {"memory": "4"}, {}),
        (
            AsLaunchesParameters,
            [AsCpuParameters, AsLaunchesParameters],
            {"update": "gather", "alpha": "1", "launches": None, "ants": "9"},
            {"update": "gather", "ants": "9"},
        ),
    ],
)
def test_only_what_means_the_same_to_all_is_shared(
    former: type[Parameters],
    among: list[type[Parameters]],
    values: dict[str, object],
    shared: dict[str, object],
) -> None:
    assert _shared(values, former, among) == shared
