"""What puts the program into the menus of this system's desktop, and takes it out again."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType


def install() -> list[str]:
    """Write the entry with icon and file types; return what was done, a sentence each.

    It may be called again, after an update for example.

    Raises
    ------
    FormicariumError
        If something cannot be written.
    """
    done: list[str] = _system().install()
    return done


def remove() -> list[str]:
    """Remove what :func:`install` wrote, and nothing else; return what was done, a sentence each.

    Raises
    ------
    FormicariumError
        If something cannot be removed.
    """
    done: list[str] = _system().remove()
    return done


def show_command(path: Path) -> list[str]:
    """Return what shows a file in its folder, and chooses it there.

    It is empty where there is no command that does so on every desktop: then a folder is opened as
    a document.
    """
    commands = {"win32": ["explorer.exe", "/select,"], "darwin": ["open", "-R"]}
    command = commands.get(sys.platform)
    return [*command, str(path)] if command else []


def _system() -> ModuleType:
    """Return the module of this system; each has an ``install`` and a ``remove``."""
    named = {"win32": "windows", "darwin": "macos"}.get(sys.platform, "linux")
    return importlib.import_module(f"app.files.desktop.{named}")
