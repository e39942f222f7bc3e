"""A file as it is read in one of several ways, for a user who looks at it and chooses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.files.library import with_kept
from gpu.core.errors import InstanceError
from gpu.core.instance import Instance
from gpu.problems.loading import load_likely
from gpu.problems.preview import FilePreview, preview
from gpu.problems.reading import AS_FOUND, Doubt, ReadAs


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What became of a file, read in one way."""

    path: Path
    data: bytes  # unpacked
    read_as: ReadAs  # what the user has said
    preview: FilePreview
    instance: Instance | None = None  # None if it cannot be read so
    problem: str = ""  # why it cannot
    doubt: Doubt | None = None  # what else the user should say


def read_so(path: Path, data: bytes, read_as: ReadAs = AS_FOUND) -> Reading:
    """Read the unpacked ``data`` of the file at ``path`` as ``read_as`` says.

    InstanceError if nothing of it can be shown, however it is read.
    """
    try:
        shown = preview(path, data, read_as)
    except InstanceError as error:
        if read_as == AS_FOUND:
            raise
        return Reading(path, data, read_as, preview(path, data), problem=_said(path, error))
    try:
        instance, doubt = load_likely(path, data, str(read_as))
    except InstanceError as error:
        if not shown.rows and read_as == AS_FOUND:
            raise
        return Reading(path, data, read_as, shown, problem=_said(path, error))
    return Reading(path, data, read_as, shown, with_kept(instance), doubt=doubt)


def asks(reading: Reading) -> bool:
    """Whether a user should look at a file before it is shown: it does not say all itself."""
    return "kind" in reading.preview.settings


def _said(path: Path, error: InstanceError) -> str:
    text = str(error).removeprefix(f"{path}: ")
    return text[:1].upper() + text[1:]
