"""Whether the user has told the system that little should move by itself."""

from __future__ import annotations

import configparser
import ctypes
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_PATIENCE = 1.0  # seconds that a system's own program may take to answer
_CLIENT_AREA_ANIMATION = 0x1042  # SPI_GETCLIENTAREAANIMATION of Windows


def reduces_motion() -> bool:
    """Return whether the system's settings say so; where it says nothing, things may move."""
    if sys.platform == "win32":
        animates = ctypes.c_int(1)
        ask = ctypes.windll.user32.SystemParametersInfoW
        ask(_CLIENT_AREA_ANIMATION, 0, ctypes.byref(animates), 0)
        still = not animates.value
    elif sys.platform == "darwin":
        still = _said("defaults", "read", "com.apple.universalaccess", "reduceMotion") == "1"
    else:
        still = _of_desktop(os.environ.get("XDG_CURRENT_DESKTOP", "").split(":"))
    return still


def _of_desktop(desktops: Sequence[str]) -> bool:
    """Return what one of these desktops is told."""
    if "KDE" in desktops:
        return _of_kde() == 0.0
    if "GNOME" in desktops:
        schema = "org.gnome.desktop.interface"
        return _said("gsettings", "get", schema, "enable-animations") == "false"
    return False


def _said(*words: str) -> str:
    """Return what a program of the system prints; nothing if it is not there."""
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(words, capture_output=True, text=True, timeout=_PATIENCE, check=True)
        return done.stdout.strip()
    return ""


def _of_kde() -> float:
    """Return by which factor KDE's animations last longer than usual."""
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    settings = configparser.ConfigParser(interpolation=None, strict=False)
    with suppress(OSError, configparser.Error, UnicodeDecodeError, ValueError):
        settings.read(folder / "kdeglobals", "utf-8")
        return settings.getfloat("KDE", "AnimationDurationFactor", fallback=1.0)
    return 1.0
