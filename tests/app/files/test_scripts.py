from __future__ import annotations

import ast
from pathlib import Path

import pytest

from app.files.scripts import ScriptError, load_script
from gpu.catalog import CATALOG
from gpu.core.stop_limits import STOP_LIMITS
from tests.app.in_window import RING
from tests.golden import Golden
from views.setup.presets import presets


def test_an_instance_beside_the_script_comes_first(tmp_path: Path) -> None:
    (tmp_path / "ring-50").write_bytes(RING.read_bytes())
    path = tmp_path / "a.toml"
    path.write_text('[[step]]\nopen = "ring-50"\n[[step]]\nopen = "grid-100"\n')
    beside, bundled = (step.open for step in load_script(path).steps)
    assert beside == tmp_path / "ring-50"
    assert bundled.name == "grid-100.tsp"


def sentence(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(ScriptError) as refusal:
        load_script(path)
    assert str(refusal.value).startswith(str(path))
    return str(refusal.value).removeprefix(str(path))


def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, golden: Golden) -> None:
    golden.table(
        "refused-scripts",
        lambda line: sentence(tmp_path / "a.toml", ast.literal_eval(line).encode()),
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe", "line 1: it is not UTF-8"),
        (b"[[step]\n", "at line 1"),
        (b"step = " + b"[" * 100_000, "it is no TOML file"),
        (b"[[step]]\npace = " + b"9" * 5000, "it is no TOML file: a number or a date"),
        (b"[[step]]\nwait = 2026-02-31\n", "it is no TOML file"),
        (b".".join([b"a"] * 5000) + b" = 1\n", "more than 8 parts with dots"),
    ],
    ids=range(6),
)
def test_hostile_scripts_have_a_sentence_too(tmp_path: Path, content: bytes, said: str) -> None:
    assert said in sentence(tmp_path / "a.toml", content)


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
