"""Best-known costs that the user has given, kept by the digest of the instance's file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

import platformdirs

from app.files.exports import write_whole
from gpu import APPLICATION
from gpu.core.errors import FormicariumError
from gpu.core.files import exists, read_regular
from gpu.core.instance import Instance

AnInstance = TypeVar("AnInstance", bound=Instance)

LARGEST = 2**62  # the largest that is kept


def place() -> Path:
    """Return the file in which they are kept."""
    return platformdirs.user_data_path(APPLICATION, appauthor=False) / "best-known.json"


def keep(instance: Instance, cost: int) -> None:
    """Keep ``cost`` as the best known one of ``instance``; 0 forgets what was kept.

    FormicariumError if it is impossible, or cannot be kept.
    """
    words = instance.problem.words
    if not 0 <= cost <= LARGEST:
        raise FormicariumError(
            f"{instance.name}: {words.known} must be a whole number in [1, 2^62], or 0 for none"
        )
    if not instance.sha256:
        raise FormicariumError(f"{instance.name} is no file, so that nothing is kept for it")
    key = digest_of(instance)
    kept = {other: value for other, value in _kept().items() if other != key}
    if cost:
        kept[key] = cost
    write_whole(place(), lambda part: part.write_text(json.dumps(kept, indent=1) + "\n", "utf-8"))


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
    if not exists(place()):
        return {}
    try:
        found = json.loads(read_regular(place(), FormicariumError))
    except (FormicariumError, ValueError, RecursionError):
        return {}
    values = found.items() if isinstance(found, dict) else ()
    return {key: cost for key, cost in values if type(cost) is int and 0 < cost <= LARGEST}
