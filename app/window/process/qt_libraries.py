"""Finds the system library whose absence keeps Qt from loading, and the Debian package to install.

This module does not import Qt: when a library of its platform plugin is missing, Qt just ends the
process, without an error that Python could catch.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from gpu.core.errors import FormicariumError

PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libGLX.so.0": "libglx0",
    "libOpenGL.so.0": "libopengl0",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-glx.so.0": "libxcb-glx0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xinerama.so.0": "libxcb-xinerama0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
}
"""The Debian package of each library that Qt needs and that may be missing."""

_MODULES = ("QtCore", "QtGui", "QtWidgets", "QtSvg")


class MissingLibraryError(FormicariumError):
    """A system library that Qt needs is missing; the message says what to install."""


def check_qt(platforms: Sequence[str]) -> None:
    """Raise an error unless Qt and its plugin for one of ``platforms`` can be loaded.

    Parameters
    ----------
    platforms : sequence of str
        Names of Qt's platforms, such as ``offscreen``, ``xcb`` and ``wayland``, in the order in
        which Qt tries them.

    Raises
    ------
    MissingLibraryError
        If Qt or a library that it needs is missing.
    """
    found = importlib.util.find_spec("PySide6")
    if found is None or found.origin is None:
        raise MissingLibraryError(
            "the window needs PySide6, which is not installed: pip install PySide6-Essentials"
        )
    if sys.platform != "linux":
        return
    home = Path(found.origin).parent
    for name in _MODULES:
        for part in home.glob(f"{name}.*.so"):
            if problem := _problem_of(part):
                raise MissingLibraryError(problem)
    problems = [_problem_of(part) for part in _plugins(home, platforms)]
    if problems and all(problems):
        raise MissingLibraryError(problems[-1])


def platforms_here(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the platforms that Qt will try here: offscreen if there is no display."""
    values = os.environ if environment is None else environment
    if chosen := values.get("QT_QPA_PLATFORM", ""):
        return tuple(name.partition(":")[0] for name in chosen.split(";"))
    if sys.platform != "linux":
        return ()
    found = [
        name
        for name, variable in (("wayland", "WAYLAND_DISPLAY"), ("xcb", "DISPLAY"))
        if values.get(variable)
    ]
    return tuple(found) or ("offscreen",)


def sentence_of(error: str, listing: str = "") -> str:
    """Return what to do about the dynamic linker's ``error``.

    Parameters
    ----------
    error : str
        The linker's message. It names only the first missing library.
    listing : str, optional
        The output of ``ldd`` for the same file. It names all missing libraries.
    """
    missing = re.findall(r"^\s*(\S+) => not found", listing, re.MULTILINE)
    first = re.match(r"([\w.+-]+\.so[\w.]*): cannot open shared object file", error)
    if first is not None:
        missing = [first.group(1), *missing]
    missing = list(dict.fromkeys(missing))
    if not missing:
        return f"Qt cannot be loaded ({error}): reinstall PySide6-Essentials"
    packages = list(dict.fromkeys(PACKAGES[name] for name in missing if name in PACKAGES))
    unknown = [name for name in missing if name not in PACKAGES]
    what = f"Qt needs {', '.join(missing)}"
    if unknown:
        return f"{what}: install the packages that have them ({' '.join([*packages, *unknown])})"
    return f"{what}: install with sudo apt-get install {' '.join(packages)}"


def _problem_of(part: Path) -> str:
    """Return why ``part`` cannot be loaded; empty if it can."""
    try:
        ctypes.CDLL(str(part))
    except OSError as error:
        listing = ""
        if ldd := shutil.which("ldd"):
            listing = subprocess.run([ldd, str(part)], capture_output=True, text=True).stdout
        return sentence_of(str(error), listing)
    return ""


def _plugins(home: Path, platforms: Sequence[str]) -> list[Path]:
    folder = home / "Qt" / "plugins" / "platforms"
    plugins = [folder / f"libq{platform}.so" for platform in platforms]
    return [plugin for plugin in plugins if plugin.exists()]
