"""A row of a list of runs: what a run was and found, and what the user has written about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from gpu.core.cost_unit import CostUnit
from gpu.core.problem import Problem

GOES_ON = "goes on"  # the state of a run of this process that has not ended
CUT_OFF = "not ended"  # of one that was killed, or that goes on in another process
UNREADABLE = "unreadable"

LONGEST_NOTE = 2000  # characters of a name or a note that are kept

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a list shows of one run. What is unknown is None or empty."""

    path: Path  # the log
    state: str  # finished, cancelled or failed, or one of the constants above
    reason: str = ""  # why the run ended so, or why its log cannot be read
    started: datetime | None = None
    problem: Problem | None = None
    unit: str = ""  # of costs
    decimals: int = 0  # of that unit that a cost counts
    instance: str = ""  # its name
    digest: str = ""  # of the instance's file, with how it was read
    n: int | None = None  # its number of cities (vertices)
    colony: str = ""
    device: str = ""
    seed: int | None = None
    parameters: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
    changed: str = ""  # the parameters that the user chose, or that differ from the usual ones
    # whether cities changed (or may have, in an older log): then the best is of another instance
    of_other_cities: bool = False
    best: int | None = None  # length of the best tour, or number of colors
    gap_percent: float | None = None
    proved: bool = False  # whether the best is proved to be optimal
    iterations: int | None = None
    solutions: int | None = None  # tours (colorings) built
    seconds: float | None = None  # seconds of solving
    version: str = ""  # the program's
    alike: str = ""  # the same for runs that differ by their seed alone; empty if unknown
    study: str = ""  # title of the study that the run is one of; empty if it is of none
    members: int | None = None  # for a row that stands for a whole study: its runs that have ended

    @property
    def cost_unit(self) -> CostUnit:
        """In what its costs are shown."""
        return CostUnit(self.unit, self.decimals)

    @property
    def best_value(self) -> int | float | None:
        """The best as it is shown."""
        return None if self.best is None else self.cost_unit.value(self.best)


@dataclass(frozen=True, slots=True)
class Note:
    """What the user has written about one run."""

    name: str = ""
    note: str = ""
    starred: bool = False


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run of a list."""

    run: RunSummary
    note: Note = field(default_factory=Note)
    text: str = field(init=False, repr=False)  # all that can be searched for, in small letters

    def __post_init__(self) -> None:
        run, note = self.run, self.note
        named = [f"{name} {value}" for name, value in run.parameters.items()]
        day = "" if run.started is None else f"{run.started:%Y-%m-%d %H:%M}"
        seed = "" if run.seed is None else f"seed {run.seed}"
        best = "" if run.best is None else run.cost_unit.text(run.best, "")
        own = [note.name, note.note, "starred" if note.starred else ""]
        what = [run.instance, run.colony, run.device, seed, *named]
        what += [run.study, run.changed] if run.study else []
        found = [run.state, run.reason, best, day, run.path.stem]
        object.__setattr__(self, "text", " ".join([*own, *what, *found]).casefold())

    def matches(self, words: str) -> bool:
        """Whether every one of ``words`` is somewhere in the row, in small or large letters.

        A number behind the name of a parameter, or behind seed, is found in that one's value alone.
        """
        before = ""
        for word in words.casefold().replace("=", " ").split():
            value = self.run.seed if before == "seed" else self.run.parameters.get(before)
            number = _number(word)
            if number is not None and isinstance(value, int | float):
                if value != number:
                    return False
            elif word not in self.text:
                return False
            before = word
        return True


def _number(word: str) -> float | None:
    """Return the number that ``word`` is, if it is one."""
    try:
        return float(word)
    except ValueError:
        return None
