"""A bundle in the user's ``Applications`` on macOS, with the types of files that it opens.

The bundle has no program of its own: it starts the one that is installed, and so stays right when
that is updated.
"""

from __future__ import annotations

import plistlib
import shlex
from contextlib import suppress
from pathlib import Path
from typing import Any

import gpu
from app.files.desktop.icons import write_icon
from app.files.desktop.program import FILE_TYPES, TITLE, command, remove_files, tool_works
from app.files.writing import write_whole
from gpu import APPLICATION

_REGISTER = (  # has no other place since macOS 10.5
    "/System/Library/Frameworks/CoreServices.framework/Frameworks/LaunchServices.framework"
    "/Support/lsregister"
)


def install() -> list[str]:
    """Write the bundle; return what was done, a sentence each.

    Raises
    ------
    ExportError
        If one of its files cannot be written.
    """
    bundle = _bundle()
    about, start, icon = _files(bundle)
    words = shlex.join(command())
    write_whole(icon, lambda part: write_icon(part, "ICNS"))
    write_whole(start, lambda part: _write_script(part, words))
    write_whole(about, lambda part: part.write_bytes(plistlib.dumps(_about())))
    known = tool_works([_REGISTER, "-f", str(bundle)])
    found = f"{TITLE} opens {' '.join(_endings())}" if known else "Finder may notice it later"
    return [f"{bundle} is written", found]


def remove() -> list[str]:
    """Remove the bundle; return what was done, a sentence each.

    Raises
    ------
    ExportError
        If one of its files cannot be removed.
    """
    bundle = _bundle()
    files = _files(bundle)
    if not remove_files(files):
        return ["nothing is installed, so that nothing is removed"]
    tool_works([_REGISTER, "-u", str(bundle)])
    with suppress(OSError):  # somebody has put something else there
        for folder in (*{file.parent: None for file in files[1:]}, files[0].parent, bundle):
            folder.rmdir()
    return [f"{bundle} is removed"]


def _bundle() -> Path:
    return Path.home() / "Applications" / f"{TITLE}.app"


def _files(bundle: Path) -> tuple[Path, Path, Path]:
    """Return the files of the bundle: what is said about it, what it starts, and its icon."""
    inside = bundle / "Contents"
    return (
        inside / "Info.plist",
        inside / "MacOS" / APPLICATION,
        inside / "Resources" / f"{APPLICATION}.icns",
    )


def _endings() -> list[str]:
    # Finder knows files by what follows the last point, so packed files have no type here.
    endings = (ending for one in FILE_TYPES for ending in one.endings)
    return [ending for ending in endings if ending.count(".") == 1]


def _about() -> dict[str, Any]:
    types = [
        {
            "CFBundleTypeName": one.title,
            "CFBundleTypeRole": "Viewer",
            "LSHandlerRank": "Default",
            "CFBundleTypeExtensions": [
                ending.removeprefix(".") for ending in one.endings if ending in _endings()
            ],
        }
        for one in FILE_TYPES
    ]
    return {
        "CFBundleName": TITLE,
        "CFBundleDisplayName": TITLE,
        "CFBundleIdentifier": f"{APPLICATION}.desktop",
        "CFBundleVersion": gpu.__version__,
        "CFBundleShortVersionString": gpu.__version__,
        "CFBundlePackageType": "APPL",
        "CFBundleExecutable": APPLICATION,
        "CFBundleIconFile": APPLICATION,
        "CFBundleDocumentTypes": types,
        "NSHighResolutionCapable": True,
    }


def _write_script(part: Path, words: str) -> None:
    part.write_text(f'#!/bin/sh\nexec {words} "$@"\n', "utf-8")
    part.chmod(0o755)
