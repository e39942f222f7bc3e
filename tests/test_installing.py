"""Installing: pins are those that the project asks for, and make says what it does not know."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]


def test_constraints_pin_what_the_project_asks_for() -> None:
    lines = ROOT.joinpath("constraints.txt").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+", name) for name in pins)
    versions = {canonicalize_name(name): Version(version) for name, version in pins.items()}
    settings = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text())
    project, extras = settings["project"], settings["project"]["optional-dependencies"]
    asked = settings["build-system"]["requires"]
    asked += project["dependencies"] + extras["test"] + extras["lint"]
    for requirement in map(Requirement, asked):
        version = versions.get(canonicalize_name(requirement.name))
        assert version is not None, f"{requirement.name} is not pinned"
        assert version in requirement.specifier, f"{requirement} excludes {version}"


def test_make_refuses_an_unknown_gpu() -> None:
    result = subprocess.run(
        ["make", "-n", "demo", "GPU=cuda99"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode != 0
    assert "GPU=cuda99" in result.stderr
    assert "cuda13" in result.stderr
