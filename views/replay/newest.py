"""What the views would show, were the newest state in sight."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from gpu.core.snapshot import RunState


def together(before: RunState | None, after: RunState) -> RunState:
    """Return ``after``, with the parts that it lacks as they were ``before``.

    A snapshot has only the parts that were asked for; views keep the others as they are.
    """
    if before is None:
        return after
    lacking: dict[str, Any] = {
        field.name: getattr(before, field.name)
        for field in fields(after)
        if getattr(after, field.name) is None and getattr(before, field.name) is not None
    }
    return replace(after, **lacking)
