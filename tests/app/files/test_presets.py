"""Presets that the program comes with."""

from __future__ import annotations

from app.files.presets import presets
from gpu.catalog import CATALOG
from gpu.core.stop_limits import STOP_LIMITS


def test_presets_are_settings_that_colonies_accept() -> None:
    found = presets()
    assert len(found) >= 3
    assert len({preset.name for preset in found}) == len(found)
    for preset in found:
        assert preset.description.endswith(".")
        systems = [system for system in CATALOG if preset.is_for(system.alias)]
        assert systems
        kinds = {system.parameters for system in systems}
        for kind in kinds:  # what a colony does not have is left out for it
            known = kind.explanations()
            kind.from_mapping(
                {key: preset.parameters[key] for key in known if key in preset.parameters}
            )
        for name in preset.parameters:
            assert any(name in kind.explanations() for kind in kinds)
        for name, value in (preset.stop or {}).items():
            assert STOP_LIMITS[name].wanted(value) == ""


def test_what_finds_the_best_tours_comes_first() -> None:
    for search in ("acs", "acs-spm", "mmas"):
        first = next(preset for preset in presets() if preset.is_for(search))
        assert "local_search" in first.parameters
