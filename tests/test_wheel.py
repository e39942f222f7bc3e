"""The wheel: all that the program needs is in it, and it works where nothing else of it is."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("app", "gpu", "views", "resources")
OTHERS = ("pyproject.toml", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this checkout, built from a copy."""
    if int(version("setuptools").partition(".")[0]) < 77:
        pytest.skip("needs setuptools 77 or later, which builds the wheel")
    copy, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in OTHERS:
        shutil.copy(ROOT / name, copy)
    build = f"from setuptools import build_meta; build_meta.build_wheel({str(out)!r})"
    done = subprocess.run(
        [sys.executable, "-c", build], cwd=copy, capture_output=True, text=True, check=False
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
        assert "[gui_scripts]\nformicarium-gui = app.cli.main:main" in text
    assert sources() <= names
    assert not {name for name in names if name.startswith(("tests/", "docs/"))}


@pytest.mark.slow
def test_it_solves_from_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    """The packages that it needs are this environment's; the program itself is the wheel's."""
    home, empty = tmp_path / "site", tmp_path / "empty"
    empty.mkdir()
    with zipfile.ZipFile(wheel) as file:
        file.extractall(home)
    needed = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    start = (
        f"import sys; sys.path += {[str(home), *needed]!r}; from app.cli.main import main; main()"
    )

    def run(*arguments: str) -> str:
        # Without the environment's own start-up files, nothing leads to this checkout.
        done = subprocess.run(
            [sys.executable, "-S", "-c", start, *arguments],
            cwd=empty,
            capture_output=True,
            text=True,
            check=False,
            env={name: text for name, text in os.environ.items() if name != "PYTHONPATH"},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert run("--version").startswith("formicarium ")
    assert "ring-50" in run("instances")
    # Of all colonies, this one is compiled in the shortest time.
    options = ("--colony", "coloring", "--device", "cpu:1", "--iterations", "1", "--ants", "2")
    found = json.loads(run("solve", "mycielski-47", *options, "--json"))
    assert len(found["colors"]) == 47
    assert list(empty.iterdir()) == []
    assert (home / "gpu" / "cpu" / "__pycache__").is_dir()  # compiled there: it ran from there
