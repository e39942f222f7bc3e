"""The results of a comparison of systems and options, as frozen values ready for JSON."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gpu.batch.spread import Spread

COLONY = "colony"
"""Name of the group of whole systems. Every other group has the name of its parameter."""


@dataclass(frozen=True, slots=True)
class Row:
    """One system, or one option of the chosen system, and its times."""

    group: str  # rows of one group are compared: COLONY, or the name of a parameter
    option: str  # the system's name, or the parameter's value
    meaning: str  # the option in words; empty if its name says enough
    phase: str  # in which the rows of the group differ; empty for the whole iteration
    chosen: bool  # by the user
    system: str  # catalog name of the system that ran
    parameters: Mapping[str, int | float | str | None]  # all of them, resolved
    phases_ms: Mapping[str, Spread] = field(
        default_factory=dict
    )  # each phase of an iteration, as the colony measures it
    # A whole iteration in wall time, without timing its phases.
    iteration_ms: Spread = field(default_factory=lambda: Spread.of(()))
    why_not: str = ""  # why it was not measured, in a sentence; empty if it was or is still to be

    @property
    def scale(self) -> float:
        """What the times of the phases are multiplied by, for none to seem larger than its whole.

        Less than 1 if timing each phase has slowed an iteration down.
        """
        parts = sum(spread.median for spread in self.phases_ms.values())
        whole = self.iteration_ms.median
        return whole / parts if parts > whole else 1.0


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """All rows of a comparison on one instance and one device."""

    instance: str
    n: int  # cities (vertices)
    system: str  # the catalog's name of the chosen system
    device: str  # its name
    model: str  # the maker's name of the device
    detail: str  # versions of the device's driver and runtime
    cores: int  # CPU threads, or multiprocessors of a GPU
    seeds: tuple[int, ...]  # one for each repeat
    limit: float  # seconds that an iteration may take; slower options are not measured
    rows: tuple[Row, ...]  # group by group, in the order of the catalog and of the parameters
    versions: dict[str, str]  # of Python and of the packages that compute
    machine: str  # operating system and processor architecture
    complete: bool  # False during the comparison, and if it was cancelled
    problem: str  # a value of Problem

    @property
    def measured(self) -> bool:
        """Whether any row has a time, or a reason why it has none."""
        return any(row.iteration_ms.samples or row.why_not for row in self.rows)

    @property
    def phases(self) -> tuple[str, ...]:
        """Every phase that a row has, in the order of an iteration."""
        return tuple(dict.fromkeys(phase for row in self.rows for phase in row.phases_ms))

    def decides(self, one: Row) -> str:
        """The phase by which the rows of ``one``'s group are compared; empty for the iteration.

        This is the phase that the rows name. If some of them do not have it, it is the iteration.
        """
        group = (row for row in self.rows if row.group == one.group and row.phases_ms)
        return one.phase if all(one.phase in row.phases_ms for row in group) else ""

    def decisive(self, one: Row) -> Spread:
        """The times by which ``one`` is compared with the other rows of its group."""
        return one.phases_ms.get(self.decides(one), one.iteration_ms)

    def ratio(self, one: Row, *, scaled: bool = False) -> float | None:
        """The decisive time divided by the fastest one of the group; None if it is unknown.

        These are the times that were measured, or those of phases ``scaled`` by :attr:`Row.scale`.
        """

        def time(row: Row) -> float:
            scale = row.scale if scaled and self.decides(row) else 1.0
            return scale * self.decisive(row).median

        times = [time(row) for row in self.rows if row.group == one.group]
        fastest = min((time for time in times if not math.isnan(time)), default=math.nan)
        ratio = time(one) / fastest if fastest > 0 else math.nan
        return None if math.isnan(ratio) else ratio

    def to_dict(self) -> dict[str, Any]:
        """All values, and the ratio of each row, ready for JSON."""
        plain = dataclasses.asdict(self)
        for row, entry in zip(self.rows, plain["rows"], strict=True):
            entry["ratio"] = self.ratio(row)
            if not row.iteration_ms.samples:
                entry["iteration_ms"] = None  # JSON has no NaN
        return plain
