"""A named choice of parameters and limits, as the setup panel offers it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

LONGEST_NAME = 60  # characters of a preset's name


@dataclass(frozen=True, slots=True)
class Preset:
    """What a file of ``resources/presets`` says, or what the user has kept."""

    name: str  # for the menu
    description: str  # for its tool tip
    # Values that differ from the paper's defaults; "auto" for automatic. A colony takes its own.
    parameters: Mapping[str, object]
    stop: Mapping[str, Any] | None = None  # limits of the run; None leaves them as they are
    searches: tuple[str, ...] = ()  # that it is for, as in the catalog; empty for all

    def is_for(self, search: str) -> bool:
        """Whether it is for colonies of ``search``."""
        return not self.searches or search in self.searches

    def to_text(self) -> str:
        """Return it as JSON, to be kept."""
        plain = {"name": self.name, "parameters": dict(self.parameters)}
        stop = None if self.stop is None else dict(self.stop)
        return json.dumps({**plain, "stop": stop, "searches": list(self.searches)})

    @classmethod
    def from_text(cls, text: str) -> Self | None:
        """Build from :meth:`to_text`'s form; None where it is anything else."""
        try:
            found = json.loads(text)
            name, parameters, stop = found["name"], found["parameters"], found["stop"]
            searches = found["searches"]
        except (ValueError, RecursionError, TypeError, LookupError):
            return None
        plain = str | int | float | None
        for values in (parameters, {} if stop is None else stop):
            if not isinstance(values, dict):
                return None
            if not all(isinstance(value, plain) for value in values.values()):
                return None
        if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
            return None
        if not isinstance(searches, list) or not all(isinstance(one, str) for one in searches):
            return None
        return cls(name, OWN, parameters, stop, tuple(searches))


OWN = "A preset of your own"
