"""A named choice of parameters and limits, as the setup panel offers it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Preset:
    """What a file of ``resources/presets`` says.

    Attributes
    ----------
    name, description : str
        For the menu, and its tool tip.
    parameters : mapping of str to object
        Parameters that differ from the paper's defaults; ``"auto"`` for automatic. A colony takes
        those that it has.
    stop : mapping of str to number, or None
        Limits of the run; None leaves them as they are.
    searches : tuple of str
        Short names of the searches that it is for, as in the catalog; empty for all.
    """

    name: str
    description: str
    parameters: Mapping[str, object]
    stop: Mapping[str, float] | None = None
    searches: tuple[str, ...] = ()

    def is_for(self, search: str) -> bool:
        """Whether it is for colonies of ``search``."""
        return not self.searches or search in self.searches
