"""Reads files that a user names: regular ones of sensible size, and nothing else."""

from __future__ import annotations

import bz2
import io
import lzma
import os
import shutil
import stat
import sys
import time
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, Protocol

from gpu.core.errors import FormicariumError
from gpu.core.machine.processors import SPARE, free_memory

LARGEST_FILE = 256 * 2**20  # bytes; a file beyond this is refused before it is read
LARGEST_ARRAY = 4 * 2**30  # the same of one that holds an array, which takes no more in memory
ARRAY_BEGINS = b"\x93NUMPY"
LEAST_FREE = 1 << 16  # bytes; a disk with fewer counts as full
TRIES = 50 if sys.platform == "win32" else 1  # of a name that is in use
_RETRY_PAUSE = 0.02  # seconds between two of them
PACKED_SUFFIXES = (".gz", ".bz2", ".xz", ".zip")
_ARCHIVE = b"PK\x03\x04"  # how a ZIP archive begins
_ASIDE = ("readme", "license", "licence", "copying", "desktop.ini")
_ARCHIVE_FILES_MOST = 10_000  # files in an archive that is looked through
_XZ_MEMORY = 128 * 2**20  # bytes that its decoder takes at most; xz -9 needs 65 MiB


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
                _check_size(path, size, file, refusal)
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


def _check_size(path: Path, size: int, file: BinaryIO, refusal: type[FormicariumError]) -> None:
    """Raise ``refusal`` if a large ``file`` is too large to be read."""
    most = LARGEST_ARRAY if file.read(len(ARRAY_BEGINS)) == ARRAY_BEGINS else LARGEST_FILE
    if size > most:
        raise refusal(f"{path}: it has {size} bytes; at most {most} are read")
    if size > (free := free_memory() - SPARE):
        raise refusal(
            f"{path}: it has {size / 2**30:,.1f} GiB, but only {max(free, 0) / 2**30:,.1f} GiB of "
            "memory are free: close other programs"
        )
    file.seek(0)


class _Decompressor(Protocol):
    """A decoder of one stream, as those of bz2 and lzma."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


_PACKERS: tuple[tuple[bytes, str, Callable[[], _Decompressor]], ...] = (
    (b"\x1f\x8b", "a gzip file", lambda: zlib.decompressobj(16 + zlib.MAX_WBITS)),
    (b"BZh", "a bzip2 file", bz2.BZ2Decompressor),
    (b"\xfd7zXZ\x00", "an xz file", lambda: lzma.LZMADecompressor(memlimit=_XZ_MEMORY)),
)
"""How a packed file begins, what it is, and its decoder."""


def packed_as(data: bytes) -> str:
    """Return what packed file ``data`` are, in words: "a gzip file"; empty if they are none."""
    if data.startswith(_ARCHIVE):
        return "a ZIP archive"
    return next((what for start, what, _ in _PACKERS if data.startswith(start)), "")


def unpacked(data: bytes, most: int = LARGEST_FILE) -> bytes:
    """Return what the packed file ``data`` holds, at most ``most`` bytes.

    Of an archive that is the one file in it; hidden ones and descriptions do not count. ValueError
    if it holds more or is damaged; its text goes on after the name of the file.
    """
    what = packed_as(data)
    if data.startswith(_ARCHIVE):
        return _only_file(data, most)
    make = next((make for start, _, make in _PACKERS if data.startswith(start)), None)
    if make is None:
        raise ValueError("it is not a gzip file, or packed in another way; fetch it again")
    found = bytearray()
    try:
        while data:  # several streams may follow each other
            stream = make()
            found += stream.decompress(data, most + 1 - len(found))
            if len(found) > most:
                raise ValueError(f"it is too large: it unpacks to more than {most} bytes")
            if not stream.eof:
                raise ValueError(f"it is {what} that is cut off; fetch it again")
            data = stream.unused_data.lstrip(b"\0")  # tapes fill their blocks
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise ValueError(f"it is not {what}, or a damaged one; fetch it again") from error
    return bytes(found)


def archived(data: bytes) -> Sequence[str]:
    """Return the names of the files in the ZIP archive ``data``; ValueError if it is damaged."""
    if data.count(b"PK\x01\x02") > _ARCHIVE_FILES_MOST:
        raise ValueError(f"it is a ZIP archive of more than {_ARCHIVE_FILES_MOST} files")
    with _archive(data) as archive:
        return [one.filename for one in archive.infolist() if not one.is_dir()]


def _archive(data: bytes) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise ValueError("it is not a ZIP archive, or a damaged one; fetch it again") from error


def _only_file(data: bytes, most: int) -> bytes:
    names = [name for name in archived(data) if not _is_aside(name)]
    if not names:
        raise ValueError("it is a ZIP archive without a file that could be read")
    if len(names) > 1:
        some = ", ".join(map(repr, names[:6])) + (", …" if len(names) > 6 else "")
        raise ValueError(
            f"it is a ZIP archive of {len(names)} files ({some[:200]}); unpack the one that counts"
        )
    try:
        with _archive(data) as archive, archive.open(names[0]) as file:
            found = file.read(most + 1)
    except RuntimeError as error:  # NotImplementedError is one, too
        raise ValueError("it is a ZIP archive that is locked, or packed unusually") from error
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise ValueError("it is a damaged ZIP archive; fetch it again") from error
    if len(found) > most:
        raise ValueError(f"it is too large: it unpacks to more than {most} bytes")
    return found


def _is_aside(name: str) -> bool:
    """Whether a file of this name in an archive only goes with what the archive is for."""
    *folders, file = name.lower().split("/")
    hidden = file.startswith(".") or "__macosx" in folders
    return hidden or file.startswith(_ASIDE) or file.endswith((".png", ".jpg", ".gif", ".pdf"))


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
