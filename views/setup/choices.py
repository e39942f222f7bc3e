"""What is chosen for a run, as the window tells it to those that make the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choices:
    """What the user chose, as names and numbers."""

    device: str
    colony: str  # name of a catalog row
    parameters: Mapping[str, object]  # text of each; None where it is automatic
    seed: int  # 0 <= seed < 2^64
    stop: Mapping[str, float | int | None]  # the run's limits
