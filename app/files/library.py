"""Finds instances: bundled ones, downloaded ones, and any file; and their best-known costs."""

from __future__ import annotations

import hashlib
import json
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import platformdirs

from app.files.downloads import downloadable, downloaded, file_of
from app.files.writing import write_whole
from gpu import APPLICATION
from gpu.core.errors import FormicariumError, InstanceError
from gpu.core.files import LARGEST_FILE, exists, is_link, read_regular
from gpu.core.instance import Instance
from gpu.problems.bundled import bundled
from gpu.problems.document import read_bytes
from gpu.problems.loading import check_is_used, load_instance
from gpu.problems.reading import AS_FOUND, ReadAs
from gpu.run.log.names import named
from gpu.run.session import InstanceReference


class NotDownloadedError(InstanceError):
    """An instance that can be downloaded, by this name, but is not here yet."""

    def __init__(self, sentence: str, name: str) -> None:
        super().__init__(sentence)
        self.name = name


def find_path(text: str) -> Path:
    """Return the file that ``text`` means: a path, or the name of a bundled or downloaded one.

    Raises InstanceError if it is none of these.
    """
    there = exists(Path(text)) or is_link(Path(text))  # which may lead to nothing: loading says it
    if found := [Path(text)] if there else kept_files(text):
        return found[0]
    files = {file_of(name).name: name for name in downloadable()}
    if (name := files.get(text, text)) in downloadable():
        then = "" if text == name else f"; then call it {name}"
        raise NotDownloadedError(
            f"{text}: there is no such file; formicarium download {name} fetches it{then}", name
        )
    raise InstanceError(
        f"{text}: there is no such file, nor a bundled instance of this name "
        "(formicarium instances lists them)"
    )


def find_instance(text: str, read_as: ReadAs = AS_FOUND) -> Instance:
    """Load the instance that ``text`` means, with the best-known cost that the user has kept.

    See :func:`find_published`.
    """
    return with_kept(find_published(text, read_as))


def find_published(text: str, read_as: ReadAs = AS_FOUND) -> Instance:
    """Load the instance that ``text`` means: ``-`` is standard input; see :func:`find_path`.

    It is read as the user says in ``read_as``; InstanceError if the file says all that itself.
    """
    if text == "-":
        instance = _from_standard_input(str(read_as))
    else:
        instance = load_instance(find_path(text), read_as=str(read_as))
    check_is_used(read_as, instance, text)
    return instance


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
        reference.check(load_instance(found[0], read_as=reference.read_as))
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


AnInstance = TypeVar("AnInstance", bound=Instance)

MOST_BEST_KNOWN = 2**62  # the largest that is kept


def best_known_file() -> Path:
    """Return the file in which they are kept."""
    return platformdirs.user_data_path(APPLICATION, appauthor=False) / "best-known.json"


def keep_best_known(instance: Instance, cost: int) -> None:
    """Keep ``cost`` as the best known one of ``instance``; 0 forgets what was kept.

    FormicariumError if it is impossible, or cannot be kept.
    """
    words = instance.problem.words
    if not 0 <= cost <= MOST_BEST_KNOWN:
        raise FormicariumError(
            f"{instance.name}: {words.known} must be a whole number in [1, 2^62], or 0 for none"
        )
    if not instance.sha256:
        raise FormicariumError(f"{instance.name} is no file, so that nothing is kept for it")
    key = digest_of(instance)
    kept = {other: value for other, value in _kept().items() if other != key}
    if cost:
        kept[key] = cost
    write_whole(
        best_known_file(), lambda part: part.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    )


def kept_cost(digest: str) -> int | None:
    """Return the cost that the user has kept for the file of this ``digest``, if any.

    With how the file was read behind it, after a space, where there are several ways.
    """
    return _kept().get(digest)


def with_kept(instance: AnInstance) -> AnInstance:
    """Return ``instance`` with the best-known cost that the user has kept for it, if any."""
    cost = kept_cost(digest_of(instance)) if instance.sha256 else None
    return instance if cost is None else instance.with_optimum(cost)


def digest_of(instance: Instance) -> str:
    """Return the digest of the instance's file, with how it was read, where that is to be said."""
    return f"{instance.sha256} {instance.read_as}".strip()


def _kept() -> dict[str, int]:
    """Return what is kept; a file that is damaged counts as empty, and is replaced in time."""
    if not exists(best_known_file()):
        return {}
    try:
        found = json.loads(read_regular(best_known_file(), FormicariumError))
    except (FormicariumError, ValueError, RecursionError):
        return {}
    values = found.items() if isinstance(found, dict) else ()
    return {key: cost for key, cost in values if type(cost) is int and 0 < cost <= MOST_BEST_KNOWN}
