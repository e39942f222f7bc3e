"""An entry in the menus of a Linux desktop.

All is written into the user's own folders, as the XDG specifications of desktop entries, shared
MIME information and icon themes have it.
"""

from __future__ import annotations

import importlib.resources
import os
import shutil
from pathlib import Path

from app.files.desktop.program import (
    ABOUT,
    FILE_TYPES,
    TITLE,
    command,
    remove_files,
    tool_works,
)
from app.files.writing import write_whole
from gpu import APPLICATION

_ENTRY = """[Desktop Entry]
Type=Application
Version=1.5
Name={title}
GenericName=Ant colony optimization
Comment={about}
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


def install() -> list[str]:
    """Write entry, icon and file types; return what was done, a sentence each.

    Raises
    ------
    ExportError
        If one of the files cannot be written.
    """
    entry, icon, types = _files()
    text = _ENTRY.format(
        title=TITLE,
        about=ABOUT,
        command=" ".join(map(_quoted, command())),
        name=APPLICATION,
        types=";".join(one.mime for one in FILE_TYPES),
    )
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
    ExportError
        If one of the files cannot be removed.
    """
    removed = remove_files(_files())
    if not removed:
        return ["nothing is installed, so that nothing is removed"]
    return [*removed, *_refresh()]


def _files() -> tuple[Path, Path, Path]:
    """Return the files of the entry, the icon and the file types."""
    data = _data_home()
    return (
        data / "applications" / f"{APPLICATION}.desktop",
        data / "icons" / "hicolor" / "scalable" / "apps" / f"{APPLICATION}.svg",
        data / "mime" / "packages" / f"{APPLICATION}.xml",
    )


def _data_home() -> Path:
    # An empty or relative path counts as none, says the specification.
    told = Path(os.environ.get("XDG_DATA_HOME", ""))
    return told if told.is_absolute() else Path.home() / ".local" / "share"


def _quoted(word: str) -> str:
    """Quote ``word`` for the line Exec of a desktop entry."""
    for sign in '\\"`$':
        word = word.replace(sign, f"\\{sign}")
    # The line itself is a string of the file, in which a backslash is written twice.
    return '"' + word.replace("%", "%%").replace("\\", "\\\\") + '"'


def _mime_info() -> str:
    types = []
    for name, comment, endings in FILE_TYPES:
        globs = "\n".join(f'    <glob pattern="*{ending}"/>' for ending in endings)
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
        else:
            worked = tool_works([found, str(folder)])
            said.append(f"{tool} {'has' if worked else 'could not have'} taken it in")
    return said
