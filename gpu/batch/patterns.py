"""Files that fit a pattern; the look for them ends, wherever the pattern begins."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path

from gpu.core.errors import InstanceError

MOST_LOOKED_AT = 100_000  # files and folders; more may take hours


def is_pattern(text: str) -> bool:
    """Whether ``text`` has one of the signs ``*``, ``?`` and ``[``."""
    return any(sign in text for sign in "*?[")


def matching(folder: Path, pattern: str) -> list[Path]:
    """Return the files that fit ``pattern``, in the order of their names; it begins at ``folder``.

    A part ``**`` stands for any number of folders, and in the last place for all that is in them.
    InstanceError if there is no such file, or too much must be looked at to find out.
    """
    place = Path(pattern)
    top, parts = folder, place.parts
    if place.is_absolute():
        top, parts = Path(place.anchor), place.parts[1:]
    try:
        found = _files(top, parts)
    except _TooManyError as error:
        raise InstanceError(
            f"{pattern}: this pattern goes through more than {MOST_LOOKED_AT:,} files and folders: "
            "let it begin at a folder with fewer"
        ) from error
    if not found:
        where = "" if place.is_absolute() else f" in {folder.absolute()}"
        raise InstanceError(f"{pattern}: no file{where} fits this pattern")
    return sorted(found)


class _TooManyError(Exception):
    """More than ``MOST_LOOKED_AT`` files and folders would be looked at."""


class _Folders:
    """What is in folders: name by name, and whether it is a folder itself."""

    def __init__(self) -> None:
        self._known: dict[Path, dict[str, bool]] = {}
        self._left = MOST_LOOKED_AT

    def names_in(self, path: Path) -> dict[str, bool]:
        """Return the names in ``path``: none if it is no folder, or may not be read."""
        if path not in self._known:
            found = self._known[path] = {}
            with suppress(OSError, ValueError), os.scandir(path) as entries:
                for entry in entries:
                    self._left -= 1
                    if self._left < 0:
                        raise _TooManyError
                    found[entry.name] = _is_folder(entry)
        return self._known[path]


def _files(top: Path, parts: Sequence[str]) -> set[Path]:
    """Return the files below ``top`` that fit ``parts``."""
    found: set[Path] = set()
    folders = _Folders()
    waiting, known = [(top, 0)], set[tuple[Path, int]]()
    while waiting:
        path, place = at = waiting.pop()
        if at in known:  # with several parts ** there are several ways to it
            continue
        known.add(at)
        if place == len(parts):
            if _is_file(path):
                found.add(path)
            continue
        part, next_ = parts[place], place + 1
        if part == "**":
            waiting.append((path, next_))
            for name, is_folder in folders.names_in(path).items():
                if is_folder or next_ == len(parts):
                    waiting.append((path / name, place if is_folder else next_))
        elif is_pattern(part):
            names = (name for name in folders.names_in(path) if fnmatch(name, part))
            waiting.extend((path / name, next_) for name in names)
        else:
            waiting.append((path / part, next_))
    return found


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # its folder may not be read, or no name is so long
        return False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether ``entry`` is a folder; a link to one is none, or there could be no end."""
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
