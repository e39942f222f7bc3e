"""Writes files whole or not at all."""

from __future__ import annotations

import itertools
import os
import platform
import re
import secrets
import shutil
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil

from gpu.core.errors import FormicariumError, sentence_for
from gpu.core.files import exists, rename

_PART_NAMES = f"formicarium-{zlib.crc32(platform.node().encode()):08x}"  # this computer's
_PROCESS = secrets.token_hex(4)  # tells this process from an earlier one of the same number
_PART = re.compile(rf"\.{_PART_NAMES}-([0-9]{{1,9}})-([0-9a-f]{{8}})-[0-9]+\.part")
_numbers = itertools.count()


class ExportError(FormicariumError):
    """A file that cannot be written; the message names it."""


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` fill a new file in the folder of ``path``, then rename it to ``path``.

    It may make a new folder instead. Whatever happens, the file at ``path`` is either the old one
    or the complete new one. If it cannot be written, ExportError is raised.
    """
    if not path.name:
        raise ExportError(f"{path}: it is a folder; name a file in it")
    if exists(path) and not (path.is_file() or path.is_dir()):
        raise ExportError(f"{path}: it is a device or a pipe; choose another place")
    if exists(path.parent) and not path.parent.is_dir():
        raise ExportError(
            f"{path}: cannot be written ({path.parent} is no folder); choose another place"
        )
    part = path.with_name(f".{_PART_NAMES}-{os.getpid()}-{_PROCESS}-{next(_numbers)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_remnants(path.parent)
        try:
            write(part)
            rename(part, path)
        finally:
            _remove(part)
    except OSError as error:
        error.filename = None  # the sentence below names the file
        raise ExportError(
            f"{path}: cannot be written ({sentence_for(error)}); choose another place"
        ) from error


def remove_remnants(folder: Path) -> None:
    """Remove the parts of files that killed processes of this computer have left there."""
    for part in folder.glob(".formicarium-*.part"):
        match = _PART.fullmatch(part.name)
        if match and not _is_alive(int(match[1]), match[2]):
            with suppress(OSError):  # another process may remove it too
                _remove(part)


def write_text(path: Path, text: str) -> None:
    """Write ``text`` as it is, in UTF-8, to the file ``path``; raises ExportError."""
    write_whole(path, lambda part: part.write_text(text, "utf-8", newline=""))


def _remove(part: Path) -> None:
    """Remove what was written so far, a file or a folder, if it is still there."""
    if part.is_dir():
        shutil.rmtree(part, ignore_errors=True)
    else:
        part.unlink(missing_ok=True)


def _is_alive(number: int, process: str) -> bool:
    return process == _PROCESS if number == os.getpid() else psutil.pid_exists(number)
