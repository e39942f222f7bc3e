"""Finds instances: bundled ones, those downloaded from TSPLIB, and any file."""

from __future__ import annotations

import hashlib
import importlib.resources
import re
import sys
import threading
import tomllib
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

from app.files.best_known import with_kept
from app.files.exports import write_whole
from gpu import APPLICATION, __version__
from gpu.core.errors import FormicariumError, InstanceError
from gpu.core.files import LARGEST_FILE, exists, unpacked
from gpu.core.instance import Instance
from gpu.problems.bundled import bundled
from gpu.problems.document import read_bytes
from gpu.problems.loading import load_instance
from gpu.problems.tsp.instance import TspInstance
from gpu.problems.tsp.tsplib import load
from gpu.run.recorder import named
from gpu.run.session import InstanceReference

LONGEST_FILE = 64 << 20  # most bytes of a download, packed and unpacked; TSPLIB's largest has 2 MB
TIMEOUT = 30  # seconds without an answer after which a download fails
LONGEST_TIME = 300.0  # most seconds of a download


_LINE = re.compile(
    rb"([-+.\deE\s]*|EOF|(?:TYPE|DIMENSION|(?:EDGE|NODE|DISPLAY)_[A-Z_]+)(?:\s*:\s*\w+)?)(?:\s.*)?"
)
"""A line of a TSPLIB file; the group has its keywords and numbers. The rest may say anything."""


class DownloadError(FormicariumError):
    """An instance that cannot be fetched, or is not the published one."""


class NotDownloadedError(InstanceError):
    """An instance of TSPLIB that :func:`download` can fetch, but has not fetched yet."""


def find_path(text: str) -> Path:
    """Return the file that ``text`` means: a path, or the name of a bundled or downloaded one.

    Raises InstanceError if it is none of these.
    """
    if found := [Path(text)] if exists(Path(text)) else kept_files(text):
        return found[0]
    if (name := text.removesuffix(".tsp")) in downloadable():
        raise NotDownloadedError(
            f"{text}: there is no such file; formicarium download {name} fetches it, "
            f"for formicarium solve {name}"
        )
    raise InstanceError(
        f"{text}: there is no such file, nor a bundled instance of this name "
        "(formicarium instances lists them)"
    )


def find_instance(text: str, read_as: str = "") -> Instance:
    """Load the instance that ``text`` means, with the best-known cost that the user has kept.

    See :func:`find_published`.
    """
    return with_kept(find_published(text, read_as))


def find_published(text: str, read_as: str = "") -> Instance:
    """Load the instance that ``text`` means: ``-`` is standard input; see :func:`find_path`.

    ``read_as`` says what the coordinates of a table of places are; see :func:`load_instance`.
    """
    if text == "-":
        return _from_standard_input(read_as)
    return load_instance(find_path(text), read_as=read_as)


def _from_standard_input(read_as: str) -> Instance:
    """Load the instance that is piped in; it has no path then."""
    where = Path("standard input")
    if sys.stdin is None:
        raise InstanceError(f"{where}: it is closed; name a file")
    data = sys.stdin.buffer.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise InstanceError(
            f"{where}: it has more than {LARGEST_FILE} bytes, the most that is read"
        )
    if not data.strip():
        raise InstanceError(f"{where}: it is empty; pipe an instance into it, or name a file")
    return replace(load_instance(where, data, read_as), path=None)


def find_again(reference: InstanceReference, beside: Path | None = None) -> Instance:
    """Load the instance of a recorded session, even if its file has moved.

    The file is looked for at its recorded path, in the folder of ``beside`` (the session's file),
    and among the bundled and downloaded instances. The first one with the right digest is taken.
    What was piped in has no path: it is looked for beside the session under its own name.
    If the file is nowhere, or has changed, InstanceError is raised.
    """
    recorded = [Path(reference.path)] if reference.path else []
    names = [path.name for path in recorded] or files_of(reference.name)
    moved = [beside.parent / name for name in names if beside is not None]
    paths = (*recorded, *moved, *kept_files(reference.name))
    found = [path for path in paths if exists(path)]
    for path in found:
        with suppress(InstanceError):  # another place may have it; else the first one's is raised
            if hashlib.sha256(read_bytes(path)).hexdigest() == reference.sha256:
                return with_kept(load_instance(path, read_as=reference.read_as))
    if found:
        reference.check(load_instance(found[0]))
    raise InstanceError(
        f"{reference.path or reference.name}: the session's instance is not there; put the file "
        f"beside the session's own{'' if reference.path else f', as {names[0]}'}"
    )


def files_of(name: str) -> list[str]:
    """Return what the file of the instance ``name`` may be called."""
    ends = (".tsp", ".atsp", ".col", ".col.b", ".csv")
    return [f"{named(name)}{end}{packed}" for end in ends for packed in ("", ".gz")]


def kept_files(name: str) -> list[Path]:
    """Return the files of the bundled and the downloaded instance ``name``."""
    paths = [instance.path for instance in bundled() if instance.name == name]
    return paths + [kept for kept in downloaded() if kept.stem == name]


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

    Mirrors of TSPLIB differ in line ends, blanks, comments and in the way of writing a number: a
    digest of the bytes would refuse their good copies. This one refuses only a changed number, and
    :func:`download` keeps nothing else of a file.
    """
    found = hashlib.sha256(f"{instance.metric.value} {instance.n} {instance.directed}".encode())
    parts = ((instance.city_ids, "<i8"), (instance.coordinates, "<f8"), (instance.matrix, "<i4"))
    for numbers, kind in parts:
        if numbers is not None:
            found.update(numbers.astype(kind).tobytes())
    return found.hexdigest()


def download(name: str, source: str = "") -> Path:
    """Fetch an instance of TSPLIB, check it, keep it in :func:`folder`, and return its file.

    The ``source`` is the address of a folder with ``NAME.tsp.gz``, by default TSPLIB's own. If the
    name is unknown, or the file cannot be fetched or is not the published instance, DownloadError
    is raised and nothing is kept.
    """
    home, digests = _table()
    if name not in digests:
        raise DownloadError(
            f"{name}: no checksum is known for this name; there are {', '.join(downloadable())}"
        )
    url = f"{(source or home).rstrip('/')}/{name}.tsp.gz"
    content = _digested(name, _unpacked(url, _fetched(url)))
    kept = folder() / f"{name}.tsp"
    try:
        same = digest(load(kept, content)) == digests[name]
    except InstanceError as error:
        raise DownloadError(f"{url}: not a TSPLIB instance; nothing was kept") from error
    if not same:
        raise DownloadError(
            f"{url}: its numbers are not those of TSPLIB's {name} (the SHA-256 differs); "
            "nothing was kept"
        )
    write_whole(kept, lambda part: part.write_bytes(content))
    return kept


def _digested(name: str, content: bytes) -> bytes:
    """Return what the digest covers of a file: no comment, and no name of the mirror's choice."""
    found = map(_LINE.fullmatch, map(bytes.strip, content.splitlines()))
    return b"\n".join([b"NAME: " + name.encode(), *(line[1] for line in found if line), b""])


def _fetched(url: str) -> bytes:
    """Return what is at ``url``, as it is sent."""
    from urllib3.exceptions import HTTPError

    found: list[bytes | Exception] = []

    def fetch() -> None:
        try:
            found.append(_sent(url))
        except (OSError, ValueError, HTTPError) as error:  # an error of requests is an OSError
            found.append(error)

    worker = threading.Thread(target=fetch, name="download", daemon=True)
    worker.start()  # a server that sends a byte now and then holds up no more than this thread
    worker.join(LONGEST_TIME)
    if not found:
        raise DownloadError(f"{url}: not there within {LONGEST_TIME:g} s; nothing was kept")
    if isinstance(found[0], bytes):
        return found[0]
    raise DownloadError(f"{url}: cannot be downloaded ({_why(found[0])})") from found[0]


def _sent(url: str) -> bytes:
    import requests

    agent = {"User-Agent": f"{APPLICATION}/{__version__}", "Accept-Encoding": "identity"}
    with requests.get(url, headers=agent, stream=True, timeout=TIMEOUT) as response:
        response.raise_for_status()
        content: bytes = response.raw.read(LONGEST_FILE + 1, decode_content=False)
    if len(content) > LONGEST_FILE:
        raise ValueError("too large for an instance")
    return content


def _why(error: Exception) -> str:
    """Return in a few words why nothing was fetched."""
    import requests

    if isinstance(error, requests.Timeout):
        return "no answer in time"
    if type(error) is requests.ConnectionError:
        return "no connection to it: is this computer online?"
    return " ".join(str(error).split())


def _unpacked(url: str, content: bytes) -> bytes:
    try:
        return unpacked(content, LONGEST_FILE)
    except ValueError as error:
        raise DownloadError(f"{url}: {error}; nothing was kept") from error


@cache
def _table() -> tuple[str, dict[str, str]]:
    place = importlib.resources.files("resources") / "tsplib_downloads.toml"
    table = tomllib.loads(place.read_text("utf-8"))
    return table["home"], table["sha256"]
