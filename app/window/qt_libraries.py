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
from collections.abc import Sequence
from pathlib import Path

from gpu.core.errors import FormicariumError

_LIBRARIES = """
libEGL.so.1 libGL.so.1 libGLX.so.0 libOpenGL.so.0 libX11.so.6 libX11-xcb.so.1 libxcb.so.1
libxcb-cursor.so.0 libxcb-glx.so.0 libxcb-icccm.so.4 libxcb-image.so.0 libxcb-keysyms.so.1
libxcb-randr.so.0 libxcb-render.so.0 libxcb-render-util.so.0 libxcb-shape.so.0 libxcb-shm.so.0
libxcb-sync.so.1 libxcb-util.so.1 libxcb-xfixes.so.0 libxcb-xinerama.so.0 libxcb-xkb.so.1
libxkbcommon.so.0 libxkbcommon-x11.so.0 libwayland-client.so.0 libwayland-cursor.so.0
libwayland-egl.so.1 libfontconfig.so.1 libfreetype.so.6 libdbus-1.so.3 libzstd.so.1
"""
QT_PACKAGES = {
    # Debian's rule: name and version of the library, with a dash between two digits.
    name: re.sub(r"(?<=\d)\.so\.", "-", name.lower()).replace(".so.", "")
    for name in _LIBRARIES.split()
} | {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libz.so.1": "zlib1g",
}
"""The Debian package of each library that Qt needs and that may be missing."""


class MissingLibraryError(FormicariumError):
    """A system library that Qt needs is missing; the message says what to install."""


def check_qt(platforms: Sequence[str]) -> None:
    """Raise MissingLibraryError unless Qt and its plugin for one of ``platforms`` can be loaded.

    The platforms are in the order in which Qt tries them: ``offscreen``, ``xcb``, ``wayland``, ...
    """
    found = importlib.util.find_spec("PySide6")
    if found is None or found.origin is None:
        raise MissingLibraryError(
            "the window needs PySide6, which is not installed: pip install PySide6-Essentials"
        )
    if sys.platform == "linux":  # elsewhere PySide6 brings all that it needs
        _check_libraries(Path(found.origin).parent, platforms)


def _check_libraries(home: Path, platforms: Sequence[str]) -> None:
    for name in ("QtCore", "QtGui", "QtWidgets", "QtSvg"):
        for part in home.glob(f"{name}.*.so"):
            if problem := _problem_of(part):
                raise MissingLibraryError(problem)
    plugins = [home / f"Qt/plugins/platforms/libq{platform}.so" for platform in platforms]
    problems = [_problem_of(plugin) for plugin in plugins if plugin.exists()]
    if problems and all(problems):
        raise MissingLibraryError(problems[-1])


def platforms_here() -> tuple[str, ...]:
    """Return the platforms that Qt will try here: offscreen if there is no display.

    They are none where Qt has one for the whole system, and there is always a display.
    """
    if chosen := os.environ.get("QT_QPA_PLATFORM"):
        return tuple(name.partition(":")[0] for name in chosen.split(";"))
    displays = {"wayland": "WAYLAND_DISPLAY", "xcb": "DISPLAY"}
    found = [name for name, variable in displays.items() if os.environ.get(variable)]
    return (tuple(found) or ("offscreen",)) if sys.platform == "linux" else ()


def sentence_of(error: str, listing: str = "") -> str:
    """Return what to do about the dynamic linker's ``error``.

    The error names only the first missing library; ``listing``, the output of ``ldd`` for the same
    file, names all of them.
    """
    first = re.findall(r"^([\w.+-]+\.so[\w.]*): cannot open shared object file", error)
    others = re.findall(r"^\s*(\S+) => not found", listing, re.MULTILINE)
    missing = list(dict.fromkeys(first + others))
    if not missing:
        return f"Qt cannot be loaded ({error}): reinstall PySide6-Essentials"
    packages = list(dict.fromkeys(QT_PACKAGES[name] for name in missing if name in QT_PACKAGES))
    unknown = [name for name in missing if name not in QT_PACKAGES]
    what = f"Qt needs {', '.join(missing)}"
    if unknown:
        return f"{what}: install the packages that have them ({' '.join([*packages, *unknown])})"
    return f"{what}: install with sudo apt-get install {' '.join(packages)}"


def _problem_of(part: Path) -> str:
    """Return why ``part`` cannot be loaded; empty if it can."""
    try:
        ctypes.CDLL(str(part))
    except OSError as error:
        ldd = shutil.which("ldd")
        listing = ldd and subprocess.run([ldd, str(part)], capture_output=True, text=True).stdout
        return sentence_of(str(error), listing or "")
    return ""
