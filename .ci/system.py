"""What the system must have before pip can bring the rest: one sentence names what is missing.

``python3 .ci/system.py`` looks; with ``--install`` it installs what is missing and what the tests
use besides, as root and with apt-get. It runs before anything is installed, and on Pythons that are
too old, to say so.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

# What every window links to, be it drawn offscreen or not. The plugins of a real display need more:
# the application itself finds that out once Qt is there.
LIBRARIES = (
    "libEGL.so.1",
    "libGL.so.1",
    "libX11.so.6",
    "libdbus-1.so.3",
    "libfontconfig.so.1",
    "libglib-2.0.so.0",
    "libxkbcommon.so.0",
)

# What the tests use besides: a compiler, and a screen with a window manager. Without them the
# tests that need one are skipped.
TOOLS = {"g++": "g++", "Xvfb": "xvfb", "openbox": "openbox", "xdotool": "xdotool"}
ON_A_SCREEN = "libxcb", "libX11-xcb", "libxkbcommon-x11"


def main() -> None:
    """Exit with a sentence if something is missing."""
    if sys.version_info < (3, 11):  # noqa: UP036 - whatever python3 is, it runs this
        sys.exit(
            f"Formicarium needs Python 3.11 or later, and {sys.executable} is "
            f"{platform.python_version()}: name another, as in make demo PYTHON=python3.12"
        )
    missing = missing_packages()
    if "--install" in sys.argv:
        install([*missing, *packages_of_tests()])
        missing = missing_packages()
    if missing:
        sys.exit(
            "Formicarium needs Debian packages that are not installed here: "
            f"sudo apt-get install {' '.join(missing)} (or, as root, make system)"
        )


def missing_packages() -> list[str]:
    """Return the Debian packages without which neither ``make demo`` nor ``make test`` works."""
    packages = []
    if importlib.util.find_spec("ensurepip") is None:
        packages.append(f"python3.{sys.version_info.minor}-venv")
    if sys.platform == "linux":
        packages += [known_packages()[name] for name in LIBRARIES if not loads(name)]
    return packages


def packages_of_tests() -> list[str]:
    """Return the Debian packages that tests use and that are missing."""
    packages = [TOOLS[name] for name in TOOLS if shutil.which(name) is None]
    library = f"libpython3.{sys.version_info.minor}"  # goes into the folder without Python
    if sys.base_prefix == "/usr" and not loads(f"{library}.so.1.0"):
        packages.append(library)
    if sys.platform == "linux":
        names = (name for name in known_packages() if name.startswith(ON_A_SCREEN))
        packages += [known_packages()[name] for name in names if not loads(name)]
    return packages


def known_packages() -> dict[str, str]:
    """Return the Debian package of each library that Qt needs."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from app.window.qt_libraries import QT_PACKAGES

    return QT_PACKAGES


def loads(library: str) -> bool:
    """Return whether the dynamic linker finds ``library``."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def install(packages: list[str]) -> None:
    """Install ``packages`` where this is root and there is apt-get."""
    if not packages or shutil.which("apt-get") is None or os.geteuid() != 0:
        return
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    quiet = ["apt-get", "--quiet=2", "-o=Dpkg::Use-Pty=0"]
    print("installing", " ".join(packages), flush=True)
    subprocess.run([*quiet, "update"], env=environment, check=False)
    subprocess.run(
        [*quiet, "install", "--yes", "--no-install-recommends", *packages],
        env=environment,
        stdout=subprocess.DEVNULL,
        check=False,
    )


if __name__ == "__main__":
    main()
