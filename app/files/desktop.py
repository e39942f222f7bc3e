"""The program in the menus of a Linux desktop: an entry, an icon, and the types of its files.

All is written into the user's own folders, as the XDG specifications of desktop entries, shared
MIME information and icon themes have it.
"""

from __future__ import annotations

import importlib.resources
import os
import shutil
import subprocess
import sys
from pathlib import Path

from app.files.exports import ExportError, write_whole
from gpu import APPLICATION
from gpu.core.errors import FormicariumError, sentence_for

TOOL_PATIENCE = 30  # most seconds that one of the desktop's own tools may take

_FILE_TYPES = {  # name of each file type, its description and the ends of such files' names
    "application/x-tsplib": ("TSPLIB instance", ("*.tsp", "*.atsp", "*.tsp.gz", "*.atsp.gz")),
    "application/x-tsplib-tour": ("TSPLIB tour", ("*.tour", "*.tour.gz")),
    "application/x-dimacs-graph": ("DIMACS graph", ("*.col", "*.col.b", "*.col.gz")),
}

_ENTRY = """[Desktop Entry]
Type=Application
Version=1.5
Name=Formicarium
GenericName=Ant colony optimization
Comment=Watch ant colonies solve travelling-salesman and graph-coloring instances
Exec={command} %f
Icon={name}
Terminal=false
Categories=Education;Science;Math;
Keywords=TSP;travelling salesman;graph coloring;optimization;
MimeType={types};
StartupWMClass={name}
"""

_MIME_TYPE = """  <mime-type type="{name}">
    <comment>{comment}</comment>
{globs}
  </mime-type>
"""
_MIME = """<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
{types}</mime-info>
"""


def show_command(path: Path) -> list[str]:
    """Return what shows a file in its folder, and chooses it there.

    It is empty where there is no command that does so on every desktop: then a folder is opened as
    a document.
    """
    commands = {"win32": ["explorer.exe", "/select,"], "darwin": ["open", "-R"]}
    command = commands.get(sys.platform)
    return [*command, str(path)] if command else []


def install() -> list[str]:
    """Write entry, icon and file types; return what was done, a sentence each.

    It may be called again, after an update for example. FormicariumError if it is impossible.
    """
    entry, icon, types = _files()
    command = " ".join(map(_quoted, _command()))
    text = _ENTRY.format(command=command, name=APPLICATION, types=";".join(_FILE_TYPES))
    drawing = importlib.resources.files("resources") / "icons" / "ant.svg"
    with importlib.resources.as_file(drawing) as source:
        write_whole(icon, lambda part: shutil.copyfile(source, part))
    write_whole(types, lambda part: part.write_text(_mime_info(), "utf-8"))
    write_whole(entry, lambda part: part.write_text(text, "utf-8"))
    return [*(f"{path} is written" for path in (entry, icon, types)), *_refresh()]


def remove() -> list[str]:
    """Remove what :func:`install` wrote; return what was done, a sentence each.

    Raises
    ------
    FormicariumError
        If this system has no such entries, or one cannot be removed.
    """
    there = [path for path in _files() if os.path.lexists(path)]
    if not there:
        return ["nothing is installed, so that nothing is removed"]
    for path in there:
        try:
            path.unlink()
        except OSError as error:
            error.filename = None
            raise ExportError(f"{path}: cannot be removed ({sentence_for(error)})") from error
    return [*(f"{path} is removed" for path in there), *_refresh()]


def _files() -> tuple[Path, Path, Path]:
    """Return the files of the entry, the icon and the file types."""
    if instead := _instead():
        raise FormicariumError(f"desktop entries are for Linux desktops: {instead}")
    data = _data_home()
    return (
        data / "applications" / f"{APPLICATION}.desktop",
        data / "icons" / "hicolor" / "scalable" / "apps" / f"{APPLICATION}.svg",
        data / "mime" / "packages" / f"{APPLICATION}.xml",
    )


def _instead() -> str:
    """Return what to do on a system without desktop entries; empty on one that may have them."""
    instead = ""
    if sys.platform == "win32":
        program = Path(sys.executable).with_name(f"{APPLICATION}-gui.exe")
        instead = f"make a shortcut to {program}, which opens the window without a console"
    elif sys.platform == "darwin":
        instead = "start the program by its command here"
    return instead


def _data_home() -> Path:
    # An empty or relative path counts as none, says the specification.
    told = Path(os.environ.get("XDG_DATA_HOME", ""))
    return told if told.is_absolute() else Path.home() / ".local" / "share"


def _command() -> list[str]:
    """Return the command that starts this program from any folder."""
    script = Path(sys.executable).with_name(APPLICATION)
    if script.is_file():
        return [str(script)]
    if found := shutil.which(APPLICATION):
        return [found]
    return [sys.executable, "-m", "app.cli.main"]


def _quoted(word: str) -> str:
    """Quote ``word`` for the line Exec of a desktop entry."""
    for sign in '\\"`$':
        word = word.replace(sign, f"\\{sign}")
    # The line itself is a string of the file, in which a backslash is written twice.
    return '"' + word.replace("%", "%%").replace("\\", "\\\\") + '"'


def _mime_info() -> str:
    types = []
    for name, (comment, patterns) in _FILE_TYPES.items():
        globs = "\n".join(f'    <glob pattern="{pattern}"/>' for pattern in patterns)
        types.append(_MIME_TYPE.format(name=name, comment=comment, globs=globs))
    return _MIME.format(types="".join(types))


def _refresh() -> list[str]:
    """Let the desktop's own tools take in what has changed, where they are there."""
    data = _data_home()
    tools = {
        "update-desktop-database": data / "applications",
        "update-mime-database": data / "mime",
    }
    said = []
    for tool, folder in tools.items():
        if (found := shutil.which(tool)) is None:
            said.append(f"{tool} is not there: the desktop may notice it after the next login")
            continue
        try:
            done = subprocess.run(
                [found, str(folder)], capture_output=True, timeout=TOOL_PATIENCE, check=False
            )
            worked = done.returncode == 0
        except (OSError, subprocess.TimeoutExpired):
            worked = False
        said.append(f"{tool} {'has' if worked else 'could not have'} taken it in")
    return said
