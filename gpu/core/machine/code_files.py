"""Files that keep compiled code: a folder of them, and archives that come with the program.

A file is named by all that the code in it depends on, but for the Python sources: those are in the
name of the folder. So code for one processor is never taken for that of another. Functions are
named by the version of Numba, too; kernels are not by that of NVRTC: any of them serves.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import platformdirs

from gpu.core.machine.installing import without_python

SUFFIX = ".code"
KEPT_FILE = re.compile(r".+\.(code|nbi|nbc)(\.tmp[^.]*|\.tmp\.[0-9a-f]{16})?")
"""Names of files in a folder of compiled code; the last two are those of earlier versions."""

_DIGEST = 16  # bytes before the code: a file that was cut off, or changed, does not count

_OWN_FOLDER = re.compile("(formicarium|compiled)-[0-9a-f]{16}")  # the second: earlier versions
_NEVER_COMPILED = {"cuda", "run", "batch"}  # compiled functions use nothing of these

PACKAGE = Path(__file__).parents[2]

ARCHIVES = PACKAGE / "compiled"
"""Where the archives are that came with the program, if any."""

_CHOSEN = os.environ.get("NUMBA_CACHE_DIR")  # the user's own choice


class CodeFolder:
    """A folder of compiled functions, which any number of processes read and write at once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __contains__(self, name: str) -> bool:
        return (self.path / name).is_file()

    def read(self, name: str) -> bytes | None:
        """Return what is kept under this name; None if nothing is, or no whole file."""
        try:
            return _checked((self.path / name).read_bytes())
        except OSError:
            return None

    def write(self, name: str, code: bytes) -> None:
        """Keep ``code``: whole, or not at all.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        part, written = tempfile.mkstemp(prefix=f"{name}.tmp", dir=self.path)
        try:
            with os.fdopen(part, "wb") as file:
                file.write(_digest(code))
                file.write(code)
            Path(written).chmod(0o644)  # others may use what one has compiled for all
            Path(written).replace(self.path / name)
        except OSError:
            with suppress(OSError):
                Path(written).unlink()
            raise


class CodeArchive:
    """An archive of compiled functions that came with the program."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with zipfile.ZipFile(path) as archive:
                self._names = frozenset(archive.namelist())
        except (OSError, zipfile.BadZipFile):  # none came
            self._names = frozenset()

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def read(self, name: str) -> bytes | None:
        """Return what is kept under this name; None if nothing is."""
        if name not in self._names:
            return None
        try:
            with zipfile.ZipFile(self.path) as archive:
                return _checked(archive.read(name))
        except (OSError, zipfile.BadZipFile):  # it was taken away, or is damaged
            return None


def pack(folder: Path, archive: Path, pattern: str = "*") -> int:
    """Write the compiled code in ``folder``, of names like ``pattern``, into a new ``archive``.

    Returns how many files. The same files always make the same archive.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    files = sorted(folder.glob(f"{pattern}{SUFFIX}"))
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for file in files:
            packed.writestr(zipfile.ZipInfo(file.name), file.read_bytes(), zipfile.ZIP_DEFLATED)
    return len(files)


def _digest(code: bytes) -> bytes:
    return hashlib.blake2b(code, digest_size=_DIGEST).digest()


def _checked(data: bytes) -> bytes | None:
    code = data[_DIGEST:]
    return code if data[:_DIGEST] == _digest(code) else None


@functools.cache
def sources() -> str:
    """Return a digest of all files that compiled functions may use: what is kept is of these."""
    digest = hashlib.sha256()
    for file in sorted(PACKAGE.rglob("*.py")):
        if _NEVER_COMPILED.isdisjoint(file.relative_to(PACKAGE).parts):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def archive(name: str) -> CodeArchive:
    """Return the archive of this name that came with the program; it is empty if none did."""
    return CodeArchive(ARCHIVES / name)


@functools.cache
def code_folder() -> CodeFolder | None:
    """Return the folder for compiled functions: beside the source, else the user's; else none.

    The folders of earlier sources are removed, and nothing else: the user may have other things at
    this place.
    """
    for base in _bases():
        folder = base / f"formicarium-{sources()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError:  # read-only, or full
            continue
        for other in base.glob("*-*"):
            if other != folder and _OWN_FOLDER.fullmatch(other.name):
                _remove(other)
        return CodeFolder(folder)
    return None


def remembered_seconds(name: str) -> float:
    """Return how long it took here to compile what has this name; 0 if that is not known."""
    file = _seconds_file(name)
    try:
        return 0.0 if file is None else float(file.read_text("utf-8"))
    except (OSError, ValueError):
        return 0.0


def remember_seconds(name: str, seconds: float) -> None:
    """Remember how long it took to compile what has this name, also when sources have changed."""
    file = _seconds_file(name)
    if file is not None:
        with suppress(OSError):
            file.write_text(f"{seconds:.1f}", "utf-8")


def _seconds_file(name: str) -> Path | None:
    folder = code_folder()
    return None if folder is None else folder.path.parent / f"formicarium-{name}.seconds"


def _remove(folder: Path) -> None:
    """Remove a folder of compiled functions, unless there is anything else in it."""
    with suppress(OSError):  # what cannot be removed does no harm
        if folder.is_symlink():
            return
        found = list(os.walk(folder, topdown=False))
        if all(KEPT_FILE.fullmatch(name) for _, _, names in found for name in names):
            for place, _, names in found:
                for name in names:
                    Path(place, name).unlink()
                Path(place).rmdir()


def _bases() -> Iterator[Path]:
    if _CHOSEN:
        yield Path(_CHOSEN)
    if not without_python():  # that folder is replaced as a whole, or nobody may write there
        yield PACKAGE / "__pycache__"
    yield Path(platformdirs.user_cache_dir("formicarium", appauthor=False))
