"""What a comparison of systems and options found, as frozen values ready for JSON."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpu.core.problem import Problem
from gpu.measure.speedup_report import Spread

COLONY = "colony"
"""The group of whole systems; every other group is named as its parameter is."""


@dataclass(frozen=True, slots=True)
class Row:
    """One system, or one option of the chosen system, and its times.

    Attributes
    ----------
    group : str
        What it is compared with: ``"colony"``, or the name of a parameter.
    option : str
        The system's name, or the parameter's value.
    meaning : str
        What that is, in words; empty where the option says it.
    phase : str
        The phase whose work the rows of the group do in different ways; empty for the whole
        iteration.
    chosen : bool
        Whether it is what the user has chosen.
    system : str
        Name of the catalog's row that ran.
    parameters : mapping of str to number, str or None
        All of its parameters, resolved.
    phases_ms : mapping of str to Spread
        Milliseconds of each phase of an iteration, as the colony itself takes the time.
    iteration_ms : Spread
        Milliseconds of a whole iteration, as runs make them, by the clock on the wall.
    why_not : str
        Why it was not measured, in a sentence; empty where it was, or is still to be.
    """

    group: str
    option: str
    meaning: str
    phase: str
    chosen: bool
    system: str
    parameters: Mapping[str, int | float | str | None]
    phases_ms: Mapping[str, Spread]
    iteration_ms: Spread
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """All that was compared on one instance and one device.

    Attributes
    ----------
    instance : str
    n : int
        Cities (vertices).
    system : str
        The catalog's name of the chosen system.
    device, model, detail : str
        The device's name, what its maker calls it, and versions of its driver and runtime.
    cores : int
        CPU threads, or multiprocessors of a GPU.
    seeds : tuple of int
        One for each round.
    limit : float
        Seconds that an iteration may take; what would take longer is not measured.
    rows : tuple of Row
        Group by group, in the order of the catalog and of the parameters.
    versions : dict
        Of Python and the packages that matter.
    machine : str
        Operating system and processor architecture.
    complete : bool
        False while it goes on, or if it was cancelled.
    problem : str
        Of which ``instance`` is one; see :class:`gpu.core.problem.Problem`.
    """

    instance: str
    n: int
    system: str
    device: str
    model: str
    detail: str
    cores: int
    seeds: tuple[int, ...]
    limit: float
    rows: tuple[Row, ...]
    versions: dict[str, str]
    machine: str
    complete: bool
    problem: str = Problem.TSP.value

    @property
    def measured(self) -> bool:
        """Whether it says anything: a time, or why there is none."""
        return any(row.iteration_ms.samples or row.why_not for row in self.rows)

    @property
    def phases(self) -> tuple[str, ...]:
        """Every phase that a row has, in the order in which iterations go through them."""
        return tuple(dict.fromkeys(phase for row in self.rows for phase in row.phases_ms))

    def decides(self, one: Row) -> str:
        """The phase that decides between the rows of ``one``'s group; empty for the iteration.

        It is the phase that the rows name, unless some of them do without it.
        """
        group = (row for row in self.rows if row.group == one.group and row.phases_ms)
        return one.phase if all(one.phase in row.phases_ms for row in group) else ""

    def decisive(self, one: Row) -> Spread:
        """Times of what decides between the rows of ``one``'s group."""
        return one.phases_ms.get(self.decides(one), one.iteration_ms)

    def ratio(self, one: Row) -> float | None:
        """The decisive time, in times of the fastest of the group; None if it is unknown."""
        times = [self.decisive(row).median for row in self.rows if row.group == one.group]
        fastest = min((time for time in times if not math.isnan(time)), default=math.nan)
        ratio = self.decisive(one).median / fastest if fastest > 0 else math.nan
        return None if math.isnan(ratio) else ratio

    def to_dict(self) -> dict[str, Any]:
        """Everything, with the ratio of each row, ready for JSON."""
        plain = dataclasses.asdict(self)
        for row, entry in zip(self.rows, plain["rows"], strict=True):
            entry["ratio"] = self.ratio(row)
            if not row.iteration_ms.samples:
                entry["iteration_ms"] = None  # JSON has no NaN
        return plain
