"""Fetches published instances: of TSPLIB, TSP art, and the graphs of the DIMACS challenge."""

from __future__ import annotations

import importlib.resources
import re
import threading
import time
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from app.files.writing import write_whole
from gpu import APPLICATION, __version__
from gpu.core.colony import never
from gpu.core.errors import FormicariumError, InstanceError
from gpu.core.files import exists, read_regular, unpacked
from gpu.core.problem import Problem
from gpu.core.records import record_of
from gpu.problems.coloring.dimacs import load_graph, write_graph
from gpu.problems.loading import load_instance
from gpu.problems.tsp.tsplib.tsplib_files import load

LONGEST_FILE = 64 << 20  # most bytes of a download, packed and unpacked; the largest has 10 MB
TIMEOUT = 30  # seconds without an answer after which a download fails
LONGEST_TIME = 300.0  # most seconds of a download
_BYTES_AT_ONCE = 1 << 16  # bytes that are read at once
_CANCEL_LOOK_EVERY = 0.05  # seconds between two looks whether anybody wants the download any more

Told = Callable[[float | None], object]
"""Takes the share of a download that is there; None where its length is not known."""

_WEB_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")  # of the Internet; all else is a folder

_TSPLIB_LINE = re.compile(
    rb"([-+.\deE\s]*|EOF|(?:TYPE|DIMENSION|(?:EDGE|NODE|DISPLAY)_[A-Z_]+)(?:\s*:\s*\w+)?)(?:\s.*)?"
)
"""A line of a TSPLIB file; the group has its keywords and numbers. The rest may say anything."""


class DownloadError(FormicariumError):
    """An instance that cannot be fetched, or is not the published one."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a collection is published, and what its instances must be."""

    title: str
    home: str  # address of a folder
    sent: str  # how the names of its files end
    kept: str  # how the name of a file ends that is kept
    problem: Problem  # of its instances
    sha256: Mapping[str, str]  # by the name of the instance; see :meth:`Instance.digest`


def folder() -> Path:
    """Return the folder of downloaded instances."""
    import platformdirs

    return platformdirs.user_data_path(APPLICATION, appauthor=False) / "instances"


def downloaded() -> tuple[Path, ...]:
    """Return the files of downloaded instances."""
    endings = {source.kept for source in sources()}
    return tuple(sorted(path for end in endings for path in folder().glob(f"*{end}")))


def downloadable() -> tuple[str, ...]:
    """Return the names of all instances that :func:`download` can fetch."""
    return tuple(name for source in sources() for name in source.sha256)


def source_of(name: str) -> Source:
    """Return the collection that the instance ``name`` is in; DownloadError if there is none."""
    for source in sources():
        if name in source.sha256:
            return source
    raise DownloadError(
        f"{name}: no checksum is known for this name; there are {', '.join(downloadable())}"
    )


def file_of(name: str) -> Path:
    """Return where the instance ``name`` is kept, once it is here."""
    return folder() / f"{name}{source_of(name).kept}"


def download(
    name: str,
    mirror: str = "",
    told: Told = lambda share: None,
    cancelled: Callable[[], bool] = never,
) -> Path:
    """Fetch an instance, check it, keep it in :func:`folder`, and return its file.

    Where that file is there and right, nothing is fetched. The ``mirror`` is the address of a
    folder with the same files as the collection's own, or a folder of this machine; there a file
    may be packed or not. If the name is unknown, or the file cannot be fetched or is not the
    published instance, or somebody has ``cancelled``, DownloadError is raised and nothing is kept.
    """
    source, kept = source_of(name), file_of(name)
    if exists(kept) and _is_right(kept, name):
        return kept
    if mirror and not _WEB_ADDRESS.match(mirror):
        url, content = _in_folder(Path(mirror), name, source)
    else:
        place, mark, query = (mirror or source.home).partition("?")  # a token may be behind it
        url = f"{place.rstrip('/')}/{name}{source.sent}"
        content = _fetched(f"{url}{mark}{query}", told, cancelled)
    if url.endswith(".gz"):
        content = _unpacked(url, content)
    try:
        same = (_keep_graph if source.kept == ".col" else _keep_cities)(kept, name, content)
    except InstanceError as error:
        raise DownloadError(f"{url}: not a {source.title} instance; nothing was kept") from error
    if not same:
        raise DownloadError(
            f"{url}: its numbers are not those of {source.title}'s {name} (the SHA-256 differs); "
            "nothing was kept"
        )
    return kept


def _is_right(kept: Path, name: str) -> bool:
    """Whether the file of the instance ``name`` has the published numbers."""
    try:
        return load_instance(kept).digest() == source_of(name).sha256[name]
    except InstanceError:
        return False


def _keep_cities(kept: Path, name: str, content: bytes) -> bool:
    """Keep cities; return whether they are the published ones."""
    content = _digested(name, content)
    if load(kept, content).digest() != source_of(name).sha256[name]:
        return False
    write_whole(kept, lambda part: part.write_bytes(content))
    return True


def _keep_graph(kept: Path, name: str, content: bytes) -> bool:
    """Keep a graph; return whether it is the published one."""
    graph = replace(load_graph(kept, content), name=name, comment="")
    if graph.digest() != source_of(name).sha256[name]:
        return False
    write_whole(kept, lambda part: write_graph(part, graph))
    return True


def _digested(name: str, content: bytes) -> bytes:
    """Return what the digest covers of a file: no comment, and no name of the mirror's choice."""
    found = map(_TSPLIB_LINE.fullmatch, map(bytes.strip, content.splitlines()))
    return b"\n".join([b"NAME: " + name.encode(), *(line[1] for line in found if line), b""])


def _in_folder(mirror: Path, name: str, source: Source) -> tuple[str, bytes]:
    """Return the path of the file with the instance ``name``, and what is in it."""
    for ending in (source.kept, f"{source.kept}.gz"):
        path = mirror / f"{name}{ending}"
        if exists(path):
            return str(path), read_regular(path, DownloadError)
    raise DownloadError(
        f"{mirror}: there is no {name}{source.kept} and no {name}{source.kept}.gz in this folder"
    )


def _fetched(url: str, told: Told, cancelled: Callable[[], bool]) -> bytes:
    """Return what is at ``url``, as it is sent."""
    from urllib3.exceptions import HTTPError

    found: list[bytes | Exception] = []
    unwanted = threading.Event()

    def fetch() -> None:
        try:
            found.append(_sent(url, told, unwanted))
        except (OSError, ValueError, HTTPError) as error:  # an error of requests is an OSError
            found.append(error)

    worker = threading.Thread(target=fetch, name="download", daemon=True)
    worker.start()  # a server that sends a byte now and then holds up no more than this thread
    end = time.monotonic() + LONGEST_TIME
    while worker.is_alive() and time.monotonic() < end and not cancelled():
        worker.join(_CANCEL_LOOK_EVERY)
    unwanted.set()
    if cancelled():
        raise DownloadError(f"{url}: cancelled; nothing was kept")
    if not found:
        raise DownloadError(f"{url}: not there within {LONGEST_TIME:g} s; nothing was kept")
    if isinstance(found[0], bytes):
        return found[0]
    raise DownloadError(
        f"{url}: cannot be downloaded ({_why(found[0])}); formicarium download --from takes the "
        "address of a mirror, or a folder with the file"
    ) from found[0]


def _sent(url: str, told: Told, unwanted: threading.Event) -> bytes:
    import requests

    agent = {"User-Agent": f"{APPLICATION}/{__version__}", "Accept-Encoding": "identity"}
    content = bytearray()
    with requests.get(url, headers=agent, stream=True, timeout=TIMEOUT) as response:
        response.raise_for_status()
        length = response.headers.get("Content-Length", "")
        total = int(length[:18]) if length.isdecimal() else 0
        while not unwanted.is_set():
            if not (part := response.raw.read(_BYTES_AT_ONCE, decode_content=False)):
                break
            content += part
            if len(content) > LONGEST_FILE:
                raise ValueError("too large for an instance")
            told(min(len(content) / total, 1.0) if total else None)
    return bytes(content)


def _why(error: Exception) -> str:
    """Return in a few words why nothing was fetched."""
    import requests
    from urllib3.exceptions import ProtocolError

    if isinstance(error, requests.Timeout):
        return "no answer in time"
    if isinstance(error, requests.exceptions.SSLError):
        return "no encrypted connection to it: its certificate is not trusted, or it has none"
    if isinstance(error, requests.exceptions.ProxyError):
        return "no connection to this computer's proxy"
    if isinstance(error, requests.ConnectionError):
        return "no connection to it: is this computer online?"
    if isinstance(error, ProtocolError):  # its text is a Python tuple
        return "the connection broke off, or what was sent is shorter than was said"
    return " ".join(str(error).split())


def _unpacked(url: str, content: bytes) -> bytes:
    try:
        return unpacked(content, LONGEST_FILE)
    except ValueError as error:
        raise DownloadError(f"{url}: {error}; nothing was kept") from error


@cache
def sources() -> tuple[Source, ...]:
    """Return the collections."""
    table = tomllib.loads(
        (importlib.resources.files("resources") / "downloads.toml").read_text("utf-8")
    )
    return tuple(
        record_of(Source, one, DownloadError, "downloads.toml") for one in table["collection"]
    )
