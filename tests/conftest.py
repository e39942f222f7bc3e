"""What every test runs in: no display, a home of its own, no leaks; and where its data is."""

from __future__ import annotations

import functools
import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.golden import golden, pytest_addoption
from tests.leaks import no_leaks, pytest_fixture_setup, pytest_runtest_makereport
from tests.systems import gpu_in_turns, windows_files

__all__ = [
    "golden",
    "gpu_in_turns",
    "no_leaks",
    "pytest_addoption",
    "pytest_fixture_setup",
    "pytest_runtest_makereport",
    "windows_files",
]

# Set before anything imports Qt, platformdirs or CuPy, which read the environment once.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
_home = tempfile.TemporaryDirectory(prefix="formicarium-tests-")
_PLACES = {
    "HOME": Path(_home.name),
    "XDG_CONFIG_HOME": Path(_home.name, "config"),
    "XDG_DATA_HOME": Path(_home.name, "data"),
    "XDG_STATE_HOME": Path(_home.name, "state"),
    "XDG_CACHE_HOME": Path(_home.name, "cache"),
    "XDG_RUNTIME_DIR": Path(_home.name, "runtime"),
}
for _name, _place in _PLACES.items():
    _place.mkdir(mode=0o700, exist_ok=True)
    os.environ[_name] = str(_place)

PATIENCE = 60_000
"""Milliseconds that a test waits for what it expects of a window."""

_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_DATA_FIXTURES = {"tsplib", "dimacs"}


@pytest.fixture(autouse=True)
def no_bounds_of_tours(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs look for no lower bounds of tours, but in tests marked ``tour_bounds``.

    How soon a bound is there depends on the machine, and a run whose best tour it proves ends.
    """
    if "tour_bounds" not in request.keywords:
        from gpu.core.problem import Problem
        from gpu.run import bounding

        kinds = {one: kind for one, kind in bounding._KINDS.items() if one is not Problem.TSP}
        monkeypatch.setattr(bounding, "_KINDS", kinds)


def pytest_configure(config: pytest.Config) -> None:
    """Give Hypothesis no deadline: a Numba function's first call compiles it. Wait longer, too."""
    if config.pluginmanager.hasplugin("hypothesispytest"):
        from hypothesis import settings

        settings.register_profile("formicarium", settings(), deadline=None)
        settings.load_profile("formicarium")

    if config.pluginmanager.hasplugin("pytest-qt"):
        from pytestqt.qtbot import QtBot

        # Five seconds are too few on a busy machine; who waits in vain fails a little later.
        for wait in (QtBot.waitUntil, QtBot.waitSignal, QtBot.waitSignals, QtBot.waitExposed):
            wait.__kwdefaults__["timeout"] = PATIENCE


def pytest_unconfigure() -> None:
    """Remove the home."""
    _home.cleanup()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what uses the data, so that ``-m "not data"`` leaves all of it out."""
    for item in items:
        if _DATA_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker("data")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs a GPU or the data where there is none, and say why."""
    if item.get_closest_marker("data") and not _DATA.is_dir():
        pytest.skip(f"needs the instance files in {_DATA}")
    if item.get_closest_marker("cuda") and (why := without_cuda()):
        pytest.skip(f"needs a CUDA GPU: {why}")


@functools.cache
def without_cuda() -> str:
    """Why no GPU can be used here; empty where one can."""
    from gpu.core.machine.devices import survey

    return survey().without_cuda


@pytest.fixture(autouse=True)
def fresh_settings() -> Iterator[None]:
    """Each test begins without settings, recent files or logs of an earlier one.

    Nor is there a style sheet. With it Qt would style each widget of a new window several times
    while the window is put together; it would take twice as long.
    """
    if widgets := sys.modules.get("PySide6.QtWidgets"):
        application = widgets.QApplication.instance()
        if application and application.styleSheet() and not application.topLevelWidgets():
            application.setStyleSheet("")
    yield
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        for left in _PLACES[name].iterdir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()


@pytest.fixture(autouse=True)
def mouse_outside() -> None:
    """Each test begins with the mouse outside of all windows.

    Otherwise it would stand where an earlier test left it. No window is told of a move to the place
    where the mouse is already, and what a window shows depends on what is under the mouse.
    """
    gui = sys.modules.get("PySide6.QtGui")
    if gui and gui.QGuiApplication.instance():
        gui.QCursor.setPos(-1, -1)


@pytest.fixture(scope="session")
def tsplib() -> Path:
    """Return the folder of TSPLIB files; the test is skipped where it is missing."""
    return _folder("tsplib")


@pytest.fixture(scope="session")
def dimacs() -> Path:
    """Return the folder of DIMACS graphs; the test is skipped where it is missing."""
    return _folder("dimacs")


@pytest.fixture
def measurements(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Import a module of docs/measurements by its name."""
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[1] / "docs" / "measurements"))
    return importlib.import_module


def _folder(name: str) -> Path:
    folder = _DATA / name
    if not folder.is_dir():
        pytest.skip(f"needs the instance files in {folder}")
    return folder
