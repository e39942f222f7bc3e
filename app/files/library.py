"""Finds instances: bundled ones, those downloaded from TSPLIB, and any file."""

from __future__ import annotations

import hashlib
import importlib.resources
import logging
import tempfile
import tomllib
import zlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from app.files.exports import write_whole
from gpu import APPLICATION, __version__
from gpu.core.errors import FormicariumError, InstanceError
from gpu.core.instance import Instance
from gpu.problems.bundled import bundled
from gpu.problems.loading import load_instance
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.tsplib import load
from gpu.run.session import InstanceReference

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_FILE = 64 << 20
"""Largest number of bytes of an unpacked download; TSPLIB's largest file has 2 MB."""

TIMEOUT = 30
"""Seconds without an answer after which a download fails."""


class DownloadError(FormicariumError):
    """An instance that cannot be fetched, or is not the published one."""


class NotDownloadedError(InstanceError):
    """An instance of TSPLIB that :func:`download` can fetch, but has not fetched yet."""


def find_path(text: str) -> Path:
    """Return the file that ``text`` means: a path, or the name of a bundled or downloaded one.

    Raises
    ------
    InstanceError
        If it is none of these.
    """
    path = Path(text)
    if path.exists():
        return path
    for instance in bundled():
        if instance.name == text:
            return instance.path
    for kept in downloaded():
        if kept.stem == text:
            return kept
    if (name := text.removesuffix(".tsp")) in downloadable():
        raise NotDownloadedError(
            f"{text}: there is no such file; formicarium download {name} fetches it, "
            f"for formicarium solve {name}"
        )
    raise InstanceError(
        f"{text}: there is no such file, nor a bundled instance of this name "
        "(formicarium instances lists them)"
    )


def find_instance(text: str) -> Instance:
    """Load the instance that ``text`` means; see :func:`find_path`."""
    return load_instance(find_path(text))


def find_again(reference: InstanceReference, beside: Path | None = None) -> Instance:
    """Load the instance of a recorded session, even if its file has moved.

    The file is looked for at its recorded path, in the folder of ``beside`` (the session's file),
    and among the bundled and downloaded instances. The first one with the right digest is taken.

    Raises
    ------
    InstanceError
        If the file is nowhere, or has changed.
    """
    paths = [Path(reference.path)] if reference.path else []
    if paths and beside is not None:
        paths.append(beside.parent / paths[0].name)
    paths += [instance.path for instance in bundled() if instance.name == reference.name]
    paths += [kept for kept in downloaded() if kept.stem == reference.name]
    found = [path for path in paths if path.exists()]
    for path in found:
        if hashlib.sha256(path.read_bytes()).hexdigest() == reference.sha256:
            return load_instance(path)
    if found:
        reference.check(load_instance(found[0]))
    raise InstanceError(
        f"{reference.path or reference.name}: the session's instance is not there; put the file "
        "beside the session's own"
    )


def folder() -> Path:
    """Return the folder of downloaded instances."""
    import platformdirs

    return platformdirs.user_data_path(APPLICATION, appauthor=False) / "instances"


def downloaded() -> tuple[Path, ...]:
    """Return the files of downloaded instances."""
    return tuple(sorted(folder().glob("*.tsp")))


def downloadable() -> tuple[str, ...]:
    """Return the names of all instances that :func:`download` can fetch."""
    return tuple(_table()[1])


def digest(instance: TspInstance) -> str:
    """Return the SHA-256 of the contents of an instance: metric, direction, and every number.

    Mirrors of TSPLIB differ in line ends, blanks, comments and in the way of writing a number. A
    digest of the bytes would refuse their good copies. This digest accepts them, and still refuses
    a copy with a changed number.
    """
    found = hashlib.sha256(f"{instance.metric.value} {instance.n} {instance.directed}".encode())
    parts = ((instance.city_ids, "<i8"), (instance.coordinates, "<f8"), (instance.matrix, "<i4"))
    for numbers, kind in parts:
        if numbers is not None:
            found.update(numbers.astype(kind).tobytes())
    return found.hexdigest()


def download(name: str, source: str = "") -> Path:
    """Fetch an instance of TSPLIB, check it, and keep it.

    Parameters
    ----------
    name : str
        One of :func:`downloadable`.
    source : str, optional
        Address of a folder with ``NAME.tsp.gz``; by default that of TSPLIB.

    Returns
    -------
    Path
        The unpacked file, in :func:`folder`.

    Raises
    ------
    DownloadError
        If the name is unknown, or the file cannot be fetched or is not the published instance.
        Nothing is kept then.
    """
    home, digests = _table()
    wanted = digests.get(name)
    if wanted is None:
        raise DownloadError(
            f"{name}: no checksum is known for this name; there are {', '.join(downloadable())}"
        )
    url = f"{(source or home).rstrip('/')}/{name}.tsp.gz"
    content = _unpacked(url, _fetched(url))
    with tempfile.TemporaryDirectory(prefix=f"{APPLICATION}-") as place:
        trial = Path(place, f"{name}.tsp")
        trial.write_bytes(content)
        try:
            same = digest(load(trial)) == wanted
        except InstanceError as error:
            raise DownloadError(f"{url}: not a TSPLIB instance; nothing was kept") from error
    if not same:
        raise DownloadError(
            f"{url}: its numbers are not those of TSPLIB's {name} (the SHA-256 differs); "
            "nothing was kept"
        )
    kept = folder() / f"{name}.tsp"
    write_whole(kept, lambda part: part.write_bytes(content))
    return kept


def _fetched(url: str) -> bytes:
    import pooch

    pooch.get_logger().setLevel(logging.WARNING)  # at INFO it asks the user to note a hash
    agent = {"User-Agent": f"{APPLICATION}/{__version__}"}
    fetch = pooch.HTTPDownloader(progressbar=False, timeout=TIMEOUT, headers=agent)
    try:
        with tempfile.TemporaryDirectory(prefix=f"{APPLICATION}-") as place:
            fetched = pooch.retrieve(url, None, fname="fetched", path=place, downloader=fetch)
            return Path(fetched).read_bytes()
    except (OSError, ValueError) as error:  # every error of requests is an OSError
        response = getattr(error, "response", None)
        if response is not None:
            response.close()  # pooch leaves it open
        why = " ".join(str(error).split())
        raise DownloadError(f"{url}: cannot be downloaded ({why})") from error


def _unpacked(url: str, content: bytes) -> bytes:
    try:
        unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
        text = unpacker.decompress(content, LONGEST_FILE)
    except zlib.error as error:
        raise DownloadError(f"{url}: not a gzip file; nothing was kept") from error
    if not unpacker.eof:
        raise DownloadError(f"{url}: cut off, or too large for an instance; nothing was kept")
    return text


@cache
def _table() -> tuple[str, Mapping[str, str]]:
    place = importlib.resources.files("resources") / "tsplib_downloads.toml"
    table = tomllib.loads(place.read_text("utf-8"))
    return table["home"], table["sha256"]
