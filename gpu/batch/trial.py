"""A smaller study than the paper's: fewer runs or instances, or shorter runs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from gpu.batch.design import ColonyDesign, Design
from gpu.batch.results import StudyResults
from gpu.batch.tables import DesignError
from gpu.core.words import counted, shown
from gpu.run.stopping import StopSettings


@dataclass(frozen=True, slots=True)
class Trial:
    """What is left out of a study. None, or nothing, leaves a part as it is."""

    runs: int | None = None  # of each configuration on each instance
    iterations: int | None = None  # of a run at most
    seconds: float | None = None  # of a run at most
    instances: tuple[str, ...] = ()  # those that are kept

    @property
    def suffix(self) -> str:
        """What tells the file of its results from that of the whole study; empty for the whole."""
        parts = [
            *([f"r{self.runs}"] if self.runs is not None else []),
            *([f"i{self.iterations}"] if self.iterations is not None else []),
            *([f"s{self.seconds:g}"] if self.seconds is not None else []),
            *self.instances,
        ]
        return "-".join(["trial", *parts]) if parts else ""

    @property
    def options(self) -> tuple[str, ...]:
        """The options of ``formicarium reproduce`` that ask for it."""
        return (
            *([f"--runs {self.runs}"] if self.runs is not None else []),
            *([f"--iterations {self.iterations}"] if self.iterations is not None else []),
            *([f"--seconds {self.seconds:g}"] if self.seconds is not None else []),
            *([f"--only {','.join(self.instances)}"] if self.instances else []),
        )

    @classmethod
    def told_by(cls, design: Design, results: StudyResults) -> Trial:
        """Return what ``results`` lack of the ``design`` that they are a part of."""
        rows, whole = results.rows, len(design.seeds)
        each = Counter((row.instance, row.label) for row in rows)
        runs = max(each.values(), default=whole)
        found = {row.instance for row in rows}
        there = tuple(name for name in design.instances if name in found)
        seconds, iterations = (
            results.budget.get(name) if results.budget.get(name) != limit else None
            for name, limit in (
                ("seconds", design.budget.seconds),
                ("iterations", design.budget.iterations),
            )
        )
        return cls(
            runs if runs < whole else None,
            iterations,
            seconds,
            there if len(there) < len(design.instances) else (),
        )

    def of(self, design: Design) -> Design:
        """Return the part of ``design``; DesignError if it has no such part."""
        if self.runs is not None and not 1 <= self.runs <= len(design.seeds):
            raise DesignError(
                f"--runs {self.runs}: the study has {counted(len(design.seeds), 'run')} of each "
                "configuration; choose no more, and one at least"
            )
        if self.iterations is not None and self.iterations < 1:
            raise DesignError(f"--iterations {self.iterations}: choose 1 or more")
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise DesignError(f"--seconds {self.seconds}: choose more than 0")
        for name in self.instances:
            if name not in design.instances:
                raise DesignError(
                    f"--only {shown(name)}: the study has no such instance here; it has "
                    f"{', '.join(design.instances)}"
                )
        wanted = self.instances or design.instances
        kept = tuple(name for name in design.instances if name in wanted)
        return replace(
            design,
            instances=kept,
            colonies=tuple(self._colonies(design, kept)),
            seeds=design.seeds[: self.runs],
            budget=self._shorter(design.budget),
            budgets={
                name: self._shorter(budget)
                for name, budget in design.budgets.items()
                if name in kept
            },
        )

    def _colonies(self, design: Design, kept: tuple[str, ...]) -> Iterator[ColonyDesign]:
        for one in design.colonies:
            on = tuple(name for name in one.instances if name in kept)
            if on or not one.instances:
                yield replace(one, instances=on)

    def _shorter(self, budget: StopSettings) -> StopSettings:
        def least(given: float | None, most: float | None) -> float | None:
            return min((one for one in (given, most) if one is not None), default=None)

        iterations = least(budget.iterations, self.iterations)
        return replace(
            budget,
            iterations=None if iterations is None else int(iterations),
            seconds=least(budget.seconds, self.seconds),
        )


WHOLE = Trial()  # leaves nothing out
