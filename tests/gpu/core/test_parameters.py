"""What parameters say of themselves, and what of one colony's choices another takes over."""

from __future__ import annotations

import pytest

from gpu.acs.parameters import AcsParameters, SpmParameters
from gpu.ant_system.parameters import (
    AsCpuParameters,
    AsCudaParameters,
    AsGroupParameters,
    AsLaunchesParameters,
)
from gpu.core.errors import ParameterError
from gpu.core.parameters import Parameters


@pytest.mark.parametrize("number", [10**400, -(10**400), 2**70])
def test_whole_numbers_of_any_length_are_refused(number: int) -> None:
    for value in (number, str(number)):
        with pytest.raises(ParameterError, match=r"ants has \d+ bits; it must be in \[1, "):
            AcsParameters.from_mapping({"ants": value})
    with pytest.raises(ParameterError, match="is not a whole number"):
        AcsParameters.from_mapping({"ants": "9" * 5_000})


def test_few_values_are_enumerated() -> None:
    explained = AsLaunchesParameters.explanations()
    assert explained["workers"].alternatives == (16, 32, 64, 128, 256, 512, 1024)
    assert explained["launches"].alternatives == ("tour", "step")
    assert explained["ants"].alternatives == ()
    for explanation in explained.values():
        assert all(explanation.admits(value) for value in explanation.alternatives)


def test_a_parameter_with_options_names_the_phase_that_it_decides() -> None:
    phases = {
        name: explanation.phase
        for kind in (AsCpuParameters, AsLaunchesParameters)
        for name, explanation in kind.explanations().items()
        if explanation.alternatives
    }
    expected = {
        "selection": "construction",
        "update": "update",
        "power": "choice info",
        "workers": "construction",
        "launches": "construction",
    }
    assert phases.items() >= expected.items()
    assert all(phases.values())


@pytest.mark.parametrize(
    ("former", "kind", "values", "kept"),
    [
        # What nobody changed is not kept: the other kind has defaults of its own.
        (AcsParameters, AsCpuParameters, {"beta": "3", "alpha": "0.2", "ants": None}, {}),
        (AcsParameters, AsCpuParameters, {"beta": "3.0"}, {}),
        (AsCpuParameters, AcsParameters, {"beta": "2"}, {}),
        # What was changed is kept where it means the same.
        (AcsParameters, AsCpuParameters, {"beta": "4", "ants": "64"}, {"beta": "4", "ants": "64"}),
        (AcsParameters, AsCpuParameters, {"alpha": "0.5", "rho": "0.1", "candidates": "8"}, {}),
        (AcsParameters, SpmParameters, {"alpha": "0.5", "rho": "0.1"}, {"alpha", "rho"}),
        # What the other does not have is not kept.
        (SpmParameters, AcsParameters, {"memory": 4, "rho": "0.1"}, {"rho"}),
        (AsGroupParameters, AsCudaParameters, {"workers": 64}, {}),
        (AsGroupParameters, AsLaunchesParameters, {"workers": 64}, {"workers"}),
        (AsGroupParameters, AsLaunchesParameters, {"update": "gather"}, {"update"}),
        (AsGroupParameters, AsLaunchesParameters, {"update": "atomic-tiled"}, {}),
        (AsLaunchesParameters, AsLaunchesParameters, {"launches": None}, {}),
        # What is wrong was typed by somebody, and stays to be put right.
        (AcsParameters, SpmParameters, {"beta": "many", "rho": None}, {"beta", "rho"}),
        (AsGroupParameters, AsLaunchesParameters, {"update": "by hand"}, {}),
    ],
)
def test_only_what_was_changed_and_means_the_same_is_taken_over(
    former: type[Parameters],
    kind: type[Parameters],
    values: dict[str, object],
    kept: dict[str, object] | set[str],
) -> None:
    expected = kept if isinstance(kept, dict) else {name: values[name] for name in kept}
    assert kind.taken_over(values, former) == expected
