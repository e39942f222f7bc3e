"""A named choice of parameters and limits, as the setup panel offers it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Preset:
    """What a file of ``resources/presets`` says."""

    name: str  # for the menu
    description: str  # for its tool tip
    # Values that differ from the paper's defaults; "auto" for automatic. A colony takes its own.
    parameters: Mapping[str, object]
    stop: Mapping[str, float] | None = None  # limits of the run; None leaves them as they are
    searches: tuple[str, ...] = ()  # that it is for, as in the catalog; empty for all

    def is_for(self, search: str) -> bool:
        """Whether it is for colonies of ``search``."""
        return not self.searches or search in self.searches
