"""Reads files that a user names: regular ones of sensible size, and nothing else."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import stat
import sys
import time
import zlib
from pathlib import Path
from typing import BinaryIO

from gpu.core.errors import FormicariumError

LARGEST_FILE = 128 * 2**20  # bytes; a file beyond this is refused before it is read
LEAST_FREE = 1 << 16  # bytes; a disk with fewer counts as full
TRIES = 50 if sys.platform == "win32" else 1  # of a name that is in use
_RETRY_PAUSE = 0.02  # seconds between two of them
PACKED = b"\x1f\x8b"  # how a gzip file begins


def exists(path: Path) -> bool:
    """Whether there is anything at ``path``; False where no file can have this name."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def is_link(path: Path) -> bool:
    """Whether a link is at ``path``, wherever it leads."""
    return os.path.islink(path)  # noqa: PTH114  # False where no file can have this name


def read_regular(path: Path, refusal: type[FormicariumError], empty: str = "it is empty") -> bytes:
    """Return what is in the file at ``path``, or raise ``refusal``.

    Its text is ``empty`` if nothing is in the file.

    A file without a size is not read: such files of ``/proc`` may have no end.
    """
    try:
        with open_regular(path, refusal) as file:
            size = os.fstat(file.fileno()).st_size
            if size > LARGEST_FILE:
                raise refusal(f"{path}: it has {size} bytes; at most {LARGEST_FILE} are read")
            data = file.read(size) if size else b""
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL character
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        if isinstance(error, FileNotFoundError) and is_link(path):
            target = path.readlink()
            fetch = "; git annex get fetches it" if "annex" in target.parts else ""
            reason = f"it is a link to {target}, which is not there{fetch}"
        raise refusal(f"{path}: it cannot be read: {reason}") from error
    if not data.strip():
        raise refusal(f"{path}: {empty}")
    return data


def unpacked(data: bytes, most: int = LARGEST_FILE) -> bytes:
    """Return what the gzip file ``data`` holds, at most ``most`` bytes.

    ValueError if it holds more or is damaged; its text goes on after the name of the file.
    """
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            found = file.read(most + 1)
    except EOFError as error:
        raise ValueError("it is a gzip file that is cut off; fetch it again") from error
    except (OSError, zlib.error) as error:
        raise ValueError("it is not a gzip file, or a damaged one; fetch it again") from error
    if len(found) > most:
        raise ValueError(f"it is too large: it unpacks to more than {most} bytes")
    return found


def open_regular(path: Path, refusal: type[FormicariumError]) -> BinaryIO:
    """Open the regular file at ``path`` for reading; raise ``refusal`` if it is of another kind.

    A device or a pipe is not opened: that may wait for ever. One that takes the file's place in
    between is opened, but not waited for.
    """
    _need_regular(path, path.stat().st_mode, refusal)
    file = open(path, "rb", opener=_not_waiting)  # noqa: SIM115  # whoever asked closes it
    try:
        _need_regular(path, os.fstat(file.fileno()).st_mode, refusal)
    except BaseException:
        file.close()
        raise
    return file


def _need_regular(path: Path, mode: int, refusal: type[FormicariumError]) -> None:
    if stat.S_ISDIR(mode):
        raise refusal(f"{path}: it is a folder; name a file in it")
    if not stat.S_ISREG(mode):
        raise refusal(f"{path}: it is a device or a pipe; name a file")


def _not_waiting(path: str, flags: int) -> int:
    """Open a file to read, but wait for no pipe; an ``opener``."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))


def rename(part: Path, path: Path) -> None:
    """Give the file (or folder) ``part``, which nobody has open, the name ``path``.

    A file of that name is replaced, also one that somebody reads. Windows refuses it meanwhile:
    there it is tried again for a second. OSError if it is impossible.
    """
    for left in reversed(range(TRIES)):
        try:
            part.replace(path)
        except PermissionError:
            if not left:
                raise
            time.sleep(_RETRY_PAUSE)
        else:
            return


def is_full(folder: Path) -> bool:
    """Whether next to nothing is free on the disk of ``folder``."""
    try:
        return shutil.disk_usage(folder).free < LEAST_FREE
    except OSError:
        return False


def no_link(path: str, flags: int) -> int:
    """Open a file to write, but not what a link in its place leads to; an ``opener``."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)
