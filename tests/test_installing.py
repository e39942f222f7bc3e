"""Installing: pins, the targets of make, and what the wheel has."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from gpu.core.machine.checkout import VARIABLE

ROOT = Path(__file__).resolve().parents[1]


def test_constraints_pin_what_the_project_asks_for() -> None:
    lines = ROOT.joinpath("constraints.txt").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+", name) for name in pins)
    versions = {canonicalize_name(name): Version(version) for name, version in pins.items()}
    settings = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text())
    project, extras = settings["project"], settings["project"]["optional-dependencies"]
    asked = settings["build-system"]["requires"]
    asked += project["dependencies"] + extras["test"] + extras["lint"] + extras["folder"]
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


PACKAGES = ("app", "gpu", "views", "resources")
OTHERS = ("pyproject.toml", "setup.py", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this checkout, built from a copy."""
    if int(version("setuptools").partition(".")[0]) < 77:
        pytest.skip("needs setuptools 77 or later, which builds the wheel")
    copy, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in (*PACKAGES, "docs"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in OTHERS:
        shutil.copy(ROOT / name, copy)
    build = f"from setuptools import build_meta; build_meta.build_wheel({str(out)!r})"
    done = subprocess.run(
        [sys.executable, "-c", build],
        cwd=copy,
        env={**os.environ, VARIABLE: "0123abc"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (made,) = out.glob("*.whl")
    return made


def sources() -> set[str]:
    """Every file of the packages, but for what is made as they run."""
    return {
        path.relative_to(ROOT).as_posix()
        for name in PACKAGES
        for path in (ROOT / name).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_it_has_every_kernel_and_every_resource(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
        (scripts,) = (name for name in names if name.endswith("entry_points.txt"))
        text = file.read(scripts).decode()
        assert "[console_scripts]\nformicarium = app.cli.main:main" in text
        (about,) = (name for name in names if name.endswith("METADATA"))
        extras = re.findall(r"Provides-Extra: (\w+)", file.read(about).decode())
        assert {"cuda12", "cuda13", "film", "folder"} <= set(extras)
        assert file.read("gpu/commit.txt") == b"0123abc\n"
        assert "[gui_scripts]\nformicarium-gui = app.cli.main:main" in text
    assert sources() <= names
    guides = {
        f"resources/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "docs/guide").iterdir()
    }
    shown = {f"resources/docs/{name}" for name in ("README.md", "log.md", "images/guide-begin.png")}
    assert guides | shown <= names
    assert not {name for name in names if name.startswith(("tests/", "docs/"))}
