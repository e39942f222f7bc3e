"""An entry in the Start menu of Windows, and the types of files that the program opens.

All is the user's own: a shortcut in the user's part of the menu, and keys below
``HKEY_CURRENT_USER``. It takes no administrator.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from platformdirs import user_data_dir

from app.files.desktop.icons import write_icon
from app.files.desktop.program import ABOUT, FILE_TYPES, TITLE, command, remove_files, tool_works
from app.files.writing import ExportError, write_whole
from gpu import APPLICATION

CLASSES = r"Software\Classes"  # file types of one user
_SHORTCUT = (
    "$link = (New-Object -ComObject WScript.Shell).CreateShortcut($env:FORMICARIUM_LINK); "
    "$link.TargetPath = $env:FORMICARIUM_TARGET; $link.Arguments = $env:FORMICARIUM_WORDS; "
    "$link.IconLocation = $env:FORMICARIUM_ICON; $link.Description = $env:FORMICARIUM_ABOUT; "
    "$link.Save()"
)
_TYPES_CHANGED = 0x08000000  # SHCNE_ASSOCCHANGED, what the Explorer is told


class Registry(Protocol):
    """Texts below ``HKEY_CURRENT_USER``. The unnamed text of a key has the name ""."""

    def read(self, key: str, name: str) -> str | None:
        """Return a text; None if there is none."""

    def write(self, key: str, name: str, text: str) -> None:
        """Write a text; the key is made where it is missing."""

    def remove(self, key: str, name: str) -> None:
        """Remove a text, if it is there."""

    def remove_key(self, key: str) -> None:
        """Remove a key with all that is below it, if it is there."""


class UserRegistry:
    """The registry of the user who runs the program."""

    def read(self, key: str, name: str) -> str | None:
        """Return a text; None if there is none."""
        if sys.platform == "win32":
            import winreg

            with (
                suppress(FileNotFoundError),
                winreg.OpenKey(winreg.HKEY_CURRENT_USER, key) as found,
            ):
                return str(winreg.QueryValueEx(found, name)[0])
        return None

    def write(self, key: str, name: str, text: str) -> None:
        """Write a text; the key is made where it is missing."""
        if sys.platform == "win32":
            import winreg

            with winreg.CreateKey(winreg.HKEY_CURRENT_USER, key) as made:
                winreg.SetValueEx(made, name, 0, winreg.REG_SZ, text)

    def remove(self, key: str, name: str) -> None:
        """Remove a text, if it is there."""
        if sys.platform == "win32":
            import winreg

            with (
                suppress(FileNotFoundError),
                winreg.OpenKey(winreg.HKEY_CURRENT_USER, key, 0, winreg.KEY_SET_VALUE) as found,
            ):
                winreg.DeleteValue(found, name)

    def remove_key(self, key: str) -> None:
        """Remove a key with all that is below it, if it is there."""
        if sys.platform == "win32":
            import winreg

            with suppress(FileNotFoundError):
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, key) as found:
                    below = [winreg.EnumKey(found, i) for i in range(winreg.QueryInfoKey(found)[0])]
                for name in below:
                    self.remove_key(rf"{key}\{name}")
                winreg.DeleteKey(winreg.HKEY_CURRENT_USER, key)


def install(registry: Registry | None = None) -> list[str]:
    """Write shortcut, icon and file types; return what was done, a sentence each.

    A file type that no other program opens is opened by this one; else this one is offered, too.

    Raises
    ------
    ExportError
        If one of them cannot be written.
    """
    registry = registry or UserRegistry()
    link, icon = _files()
    write_whole(icon, lambda part: write_icon(part, "ICO"))
    _make_shortcut(link, icon)
    words = subprocess.list2cmdline(command())
    try:
        for name, title, endings in _types():
            registry.write(rf"{CLASSES}\{name}", "", title)
            registry.write(rf"{CLASSES}\{name}\DefaultIcon", "", str(icon))
            registry.write(rf"{CLASSES}\{name}\shell\open\command", "", f'{words} "%1"')
            for ending in endings:
                registry.write(rf"{CLASSES}\{ending}\OpenWithProgids", name, "")
                if not registry.read(rf"{CLASSES}\{ending}", ""):
                    registry.write(rf"{CLASSES}\{ending}", "", name)
    except OSError as error:
        raise ExportError(f"the file types cannot be registered ({error.strerror})") from error
    _tell_explorer()
    opened = " ".join(ending for _, _, endings in _types() for ending in endings)
    return [f"{link} is written", f"{icon} is written", f"{TITLE} opens {opened}"]


def remove(registry: Registry | None = None) -> list[str]:
    """Remove what :func:`install` wrote; return what was done, a sentence each.

    Raises
    ------
    ExportError
        If something cannot be removed.
    """
    registry = registry or UserRegistry()
    said = remove_files(_files())
    try:
        for name, title, endings in _types():
            if registry.read(rf"{CLASSES}\{name}", "") is not None:
                said.append(f"{title}: {' '.join(endings)} are forgotten")
            registry.remove_key(rf"{CLASSES}\{name}")
            for ending in endings:
                registry.remove(rf"{CLASSES}\{ending}\OpenWithProgids", name)
                if registry.read(rf"{CLASSES}\{ending}", "") == name:
                    registry.remove(rf"{CLASSES}\{ending}", "")
    except OSError as error:
        raise ExportError(f"the file types cannot be removed ({error.strerror})") from error
    _tell_explorer()
    return said or ["nothing is installed, so that nothing is removed"]


def _types() -> Iterator[tuple[str, str, list[str]]]:
    """Yield each file type's name in the registry, its title, and the endings of its files.

    Windows knows files by what follows the last point, so packed files have no type here.
    """
    for one in FILE_TYPES:
        name = f"{TITLE}.{one.title.replace(' ', '')}"
        yield name, one.title, [ending for ending in one.endings if ending.count(".") == 1]


def _files() -> tuple[Path, Path]:
    """Return the files of the shortcut and of the icon."""
    roaming = os.environ.get("APPDATA", "")
    base = Path(roaming) if roaming else Path.home() / "AppData" / "Roaming"
    menu = base / "Microsoft" / "Windows" / "Start Menu" / "Programs"
    data = Path(user_data_dir(APPLICATION, appauthor=False))
    return menu / f"{TITLE}.lnk", data / f"{APPLICATION}.ico"


def _make_shortcut(link: Path, icon: Path) -> None:
    """Let the Windows Script Host write it: nothing else in Python's library knows its format."""
    program, *words = command()
    told = {
        "FORMICARIUM_LINK": str(link),
        "FORMICARIUM_TARGET": program,
        "FORMICARIUM_WORDS": subprocess.list2cmdline(words),
        "FORMICARIUM_ICON": str(icon),
        "FORMICARIUM_ABOUT": ABOUT,
    }
    try:
        link.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ExportError(f"{link}: cannot be written ({error.strerror})") from error
    shell = ["powershell", "-NoProfile", "-NonInteractive", "-Command", _SHORTCUT]
    if not tool_works(shell, {**os.environ, **told}):
        raise ExportError(f"{link}: cannot be written (PowerShell refuses to, or is not there)")


def _tell_explorer() -> None:
    if sys.platform == "win32":
        ctypes.windll.shell32.SHChangeNotify(_TYPES_CHANGED, 0, None, None)
